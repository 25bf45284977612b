"""The site as found, in one SQLite file."""
