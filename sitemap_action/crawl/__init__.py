"""A deployed site as a source: crawled politely, level by level, with the same result in every run."""
