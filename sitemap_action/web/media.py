"""Media types by file extension, and which of them `select.types` selects."""

from collections.abc import Collection, Iterable

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
    """The extensions of a type, or of all types of `image/*`; none for a type without a known one."""
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


SKIP_CLASSES = {
    "media": (
        "3gp aac aif aiff avi avif bmp flac flv gif heic ico jfif jpe jpeg jpg m4a m4v mid midi mkv mov mp3 mp4 mpeg "
        "mpg oga ogg ogv opus png psd svg tif tiff wav weba webm webp wma wmv"
    ),
    "archives": (
        "7z apk appimage bin bz2 cab deb dmg exe gz iso jar lz lz4 msi pkg rar rpm tar tbz tgz whl xz z zip zst"
    ),
    "documents": "csv doc docm docx epub mobi odp ods odt pdf pps ppt pptx ps rtf tsv xls xlsm xlsx",
    "assets": "css eot js json jsonld map mjs otf ttf wasm webmanifest woff woff2 xsl xslt",
    "feeds": "atom rdf rss",
}
"""Class → extensions that are never pages; one that may be a page, such as `.md`, is not included."""

_FEED_NAMES = frozenset({"feed", "rss", "atom.xml", "feed.xml", "index.xml", "rss.xml", "feed.json"})


def skipped_extensions(name: str) -> tuple[str, ...]:
    """The extensions of a class, of a media type such as `video/mp4` or `video/*`, or of `.ext`; none if unknown."""
    if name.startswith("."):
        return (name[1:].lower(),)
    return extensions_of(name) if "/" in name else tuple(SKIP_CLASSES.get(name, "").split())


class SkipFilter:
    """What one run skips (classes, extensions, media types), without the extensions in `types` (`select.types`)."""

    def __init__(self, skip: Iterable[str], types: Iterable[str] = ()) -> None:
        skipped, selected = frozenset(skip), frozenset(types)
        self._by_extension = {
            extension: name
            for name in sorted(skipped)
            for extension in skipped_extensions(name)
            if not selected & {extension, media_type(f".{extension}")}
        }
        self._feeds = "feeds" in skipped and selected.isdisjoint(SKIP_CLASSES["feeds"].split())

    def skip_class(self, url: str) -> str:
        """What of `crawl.skip` a URL is, "" when it is to be fetched."""
        path = url.partition("?")[0]
        name = path.rpartition("/")[2]
        if self._feeds and (name or _directory(path)) in _FEED_NAMES:
            return "feeds"
        stem, _, extension = name.rpartition(".")
        return self._by_extension.get(extension.lower(), "") if stem else ""


def _directory(path: str) -> str:
    """The last directory of a path, "" for the root."""
    return path[path.index("/", 8) :].rstrip("/").rpartition("/")[2]
