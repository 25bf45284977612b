"""A site read page by page, whatever holds it."""
