"""Media types by file extension, and which of them `select.types` selects."""

from collections.abc import Collection

_TYPES = {  # of what search engines index and a sitemap may list; independent of the machine
    **dict.fromkeys(("html", "htm"), "text/html"),
    **dict.fromkeys(("xhtml", "xht"), "application/xhtml+xml"),
    "pdf": "application/pdf",
    "txt": "text/plain",
    "md": "text/markdown",
    "csv": "text/csv",
    "xml": "text/xml",
    "json": "application/json",
    "rtf": "application/rtf",
    "ps": "application/postscript",
    "epub": "application/epub+zip",
    "doc": "application/msword",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xls": "application/vnd.ms-excel",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "ppt": "application/vnd.ms-powerpoint",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "odt": "application/vnd.oasis.opendocument.text",
    "ods": "application/vnd.oasis.opendocument.spreadsheet",
    "odp": "application/vnd.oasis.opendocument.presentation",
    "kml": "application/vnd.google-earth.kml+xml",
    "kmz": "application/vnd.google-earth.kmz",
    "svg": "image/svg+xml",
    "png": "image/png",
    "gif": "image/gif",
    "webp": "image/webp",
    "avif": "image/avif",
    **dict.fromkeys(("jpg", "jpeg"), "image/jpeg"),
    "mp4": "video/mp4",
    "webm": "video/webm",
    "mp3": "audio/mpeg",
    "zip": "application/zip",
}

HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
"""Documents whose body is parsed (HTML-48)."""

_HTML_SUFFIXES = frozenset(suffix for suffix, name in _TYPES.items() if name in HTML_TYPES)


def media_type(path: str) -> str:
    """The type that a host sends for this file name; "" for an unknown extension."""
    _, dot, suffix = path.rpartition(".")
    return _TYPES.get(suffix.lower(), "") if dot else ""


def extensions_of(media_type: str) -> tuple[str, ...]:
    """Those of the type, or of all types of `image/*`; none for a type without a known one."""
    if media_type.endswith("/*"):
        return tuple(suffix for suffix, name in _TYPES.items() if name.startswith(media_type[:-1]))
    return tuple(suffix for suffix, name in _TYPES.items() if name == media_type)


def is_page_name(path: str, types: Collection[str]) -> bool:
    """Whether a URL or file may be of one of the types, by its name alone: one without a known extension may."""
    named = media_type(path)
    return not named or has_type(path, named, types)


def has_type(path: str, media_type: str, types: Collection[str]) -> bool:
    """Whether a document is of one of the types: extensions or media types. XHTML counts as HTML.

    An extension of HTML makes no page of a document that is served as another type (HTML-48).
    """
    if media_type in HTML_TYPES and "html" in types:
        return True
    _, dot, suffix = path.rpartition("/")[2].rpartition(".")
    names = {media_type, suffix.lower() if dot else ""}
    if media_type in HTML_TYPES:
        return not names.isdisjoint(types)
    if media_type:
        names -= _HTML_SUFFIXES
    return not names.isdisjoint(types) or any(_TYPES.get(name) == media_type for name in types)
