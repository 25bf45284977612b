"""The sitemaps.org protocol: read, write, split, judge dates, validate against the schema, explain."""
