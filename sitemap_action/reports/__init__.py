"""One outcome in several formats, all with the same content."""
