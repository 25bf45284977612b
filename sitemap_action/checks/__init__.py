"""Rules as data and code in one place: one family per file, all of them driven in one pass."""
