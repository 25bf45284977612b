"""The site as found, in one SQLite file; the only room with SQL."""
