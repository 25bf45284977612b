"""Which URLs are no pages by their names alone, so that nobody asks for them (`crawl.skip`)."""

from collections.abc import Iterable

SKIPS = {
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
"""Class of files → extensions that surely name no page; a name that may be one, such as `.md`, is not here."""

_FEED_NAMES = frozenset({"feed", "rss", "atom.xml", "feed.xml", "index.xml", "rss.xml", "feed.json"})


class Skips:
    """The classes that one run leaves out; `types` are extensions that it wants all the same (`select.types`)."""

    def __init__(self, classes: Iterable[str], types: Iterable[str] = ()) -> None:
        chosen, wanted = frozenset(classes), frozenset(types)
        self._names = {name: kind for kind in sorted(chosen) for name in SKIPS[kind].split() if name not in wanted}
        self._feeds = "feeds" in chosen and wanted.isdisjoint(SKIPS["feeds"].split())

    def kind(self, url: str) -> str:
        """The class that a URL falls under, "" when it is to be asked for."""
        path = url.partition("?")[0]
        name = path.rpartition("/")[2]
        if self._feeds and (name or _directory(path)) in _FEED_NAMES:
            return "feeds"
        stem, _, extension = name.rpartition(".")
        return self._names.get(extension.lower(), "") if stem else ""


def _directory(path: str) -> str:
    """The name of the directory that a URL is, "" for that of a host."""
    return path[path.index("/", 8) :].rstrip("/").rpartition("/")[2]
