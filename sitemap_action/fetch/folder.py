"""A build directory as a web server would serve it."""

from collections.abc import Container
from pathlib import Path
from urllib.parse import urlsplit

from sitemap_action.fetch.base import Answer, Request, Response, Skip
from sitemap_action.hosts.base import Host, Missing, Redirect, Serve

MAX_BODY = 64 * 1024 * 1024  # bytes; a page beyond this is no page a search engine reads (HTML-49)
_TYPES = {  # of everything a search engine reads and a sitemap may list; the same on every machine and Python
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


def media_type(path: str) -> str:
    """The type a host sends for this file name; "" when the name tells nothing."""
    _, dot, suffix = path.rpartition(".")
    return _TYPES.get(suffix.lower(), "") if dot else ""


class FolderFetcher:
    """Answers for every URL below `base` from the files below `root`; needs no network and never waits."""

    def __init__(self, root: str, files: Container[str], base: str, host: Host) -> None:
        self._root = Path(root)
        self._files = files
        self._prefix = len(urlsplit(base).path) - 1
        self._host = host

    async def fetch(self, request: Request) -> Answer:
        return self.answer(request)

    def answer(self, request: Request) -> Answer:
        url_path = urlsplit(request.url).path[self._prefix :]
        match self._host.answer(url_path, self._files):
            case Serve(path):
                return self._read(request.url, path)
            case Redirect(to, status):
                target = request.url.partition("?")[0][: -len(url_path)] + to
                return Response(request.url, status, target=target)
            case Missing():
                return Response(request.url, 404)

    def _read(self, url: str, path: str) -> Answer:
        try:
            with (self._root / path).open("rb") as file:
                body = file.read(MAX_BODY + 1)
        except OSError as error:
            return Skip(url, f"cannot read {path}: {error.strerror or error}")
        if len(body) > MAX_BODY:
            return Skip(url, f"{path} is larger than {MAX_BODY >> 20} MiB")
        return Response(url, 200, (("content-type", media_type(path)),), body, path=path)
