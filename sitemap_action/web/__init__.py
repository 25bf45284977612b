"""URLs, patterns over them, headers of HTTP responses. No effects."""
