"""The sitemaps.org protocol: read, write, split, judge dates and validate against the schema."""
