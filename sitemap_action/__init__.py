"""sitemap_action: which pages of a site appear and which vanish, and why."""

__version__ = "0.1.0"
REPOSITORY = "OWNER/sitemap-action"  # on GitHub; `python .ci/releases owner NAME` sets it everywhere
