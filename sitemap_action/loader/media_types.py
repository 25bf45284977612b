"""The media types that a sitemap is served with (SM-11)."""

from sitemap_action.fetch.base import Response
from sitemap_action.sitemap.decode import GZIP
from sitemap_action.web.headers import content_type

_XML_OR_TEXT = frozenset(("application/xml", "text/xml", "text/plain"))
_GZIP = frozenset(("application/gzip", "application/x-gzip", "application/octet-stream"))


def other_media_type(answer: Response) -> str:
    """Of a document that was served with another one, as text; "" for XML, text and gzip, and for a file."""
    if not answer.url.startswith(("http://", "https://")) or answer.path:
        return ""
    found, _ = content_type(answer.headers)
    if found in _XML_OR_TEXT or found.endswith("+xml") or (found in _GZIP and answer.body.startswith(GZIP)):
        return ""
    return f"its media type is {found}" if found else "it has no media type"
