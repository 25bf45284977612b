"""Classes of files that are not fetched, by the extension in their URL (`crawl.skip`)."""

from collections.abc import Iterable

from sitemap_action.web.media import extensions_of, media_type

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
    """Those of a class, of a media type such as `video/mp4` or `video/*`, or the one of `.ext`; none if unknown."""
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
