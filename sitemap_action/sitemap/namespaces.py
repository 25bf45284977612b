"""Namespaces and usual prefixes of the protocol and its extensions."""

SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
IMAGE = "http://www.google.com/schemas/sitemap-image/1.1"
VIDEO = "http://www.google.com/schemas/sitemap-video/1.1"
NEWS = "http://www.google.com/schemas/sitemap-news/0.9"
XHTML = "http://www.w3.org/1999/xhtml"
XSI = "http://www.w3.org/2001/XMLSchema-instance"

ATOM = "http://www.w3.org/2005/Atom"
ATOM_03 = "http://purl.org/atom/ns#"

EXTENSIONS = {"image": IMAGE, "video": VIDEO, "news": NEWS, "xhtml": XHTML}
"""Usual prefix → namespace; no other namespace may be bound to one of these prefixes (EXT-01)."""

PREFIXES = {
    SITEMAP: "sitemap",
    XSI: "xsi",
    "http://www.w3.org/XML/1998/namespace": "xml",
    "http://www.google.com/schemas/sitemap-mobile/1.0": "mobile",
    "http://www.google.com/schemas/sitemap-pagemap/1.0": "pagemap",
    **{uri: prefix for prefix, uri in EXTENSIONS.items()},
}
"""Namespace → its prefix in canonical extensions."""

LEGACY = (
    "",
    "http://www.google.com/schemas/sitemap/0.84",
    "http://www.google.com/schemas/sitemap/0.9",
    "http://www.google.com/schemas/sitemap/0.90",
    "http://www.sitemaps.org/schemas/sitemap/0.90",
    "https://www.google.com/schemas/sitemap/0.84",
    "https://www.google.com/schemas/sitemap/0.9",
)
"""Namespaces that older generators give to the elements of the protocol: tolerated and reported (SM-05)."""


def is_sitemap(namespace: str) -> bool:
    """Whether a namespace is that of the protocol, another spelling of it, or an older one."""
    return namespace in LEGACY or "www.sitemaps.org/schemas/sitemap" in namespace
