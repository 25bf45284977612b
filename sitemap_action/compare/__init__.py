"""The differences between the site and its sitemaps."""
