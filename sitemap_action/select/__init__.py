"""Verdicts: for each known URL an entry of the sitemap, or the reason why it has none."""
