"""URLs, patterns over them, headers and charsets of HTTP responses. No effects."""
