"""Keys that are documented and not built yet: a config that uses one is ahead of this version, not misspelt."""

# A key leaves this list in the commit that puts its option into schema.py; a test holds the two apart.
PLANNED = (
    "render",
    "select.trailing-slash",
    "select.html-extension",
    "output.lastmod-map",
    "output.fingerprints",
    "output.date-only",
    "output.extensions",
    "output.changefreq",
    "output.priority",
)
