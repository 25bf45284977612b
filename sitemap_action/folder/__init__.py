"""A build directory as a source: its files as a static host serves them, read on all cores."""
