"""Where pages come from, and the sitemaps they are compared with."""
