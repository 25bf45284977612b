"""One outcome, many readers: every format says the same."""
