"""sitemap_action: which pages of a site appear and which vanish, and why."""

__version__ = "0.1.0"
