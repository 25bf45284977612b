"""A build directory as a web server would serve it."""

import os
from collections.abc import Container

from sitemap_action.fetch.base import Answer, Request, Response, Skip
from sitemap_action.hosts.base import Host, HostAnswer, Missing, Redirect, Serve

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
        self._root = root
        self._files = files
        self._before = len(base) - 1  # characters of a URL in front of its path within the build
        self._host = host

    async def fetch(self, request: Request) -> Answer:
        return self.answer(request)

    def served(self, url: str) -> HostAnswer:
        """What the host answers, before any file is opened."""
        return self._host.answer(url[self._before :].partition("?")[0], self._files)

    def answer(self, request: Request) -> Answer:
        match self.served(request.url):
            case Serve(path):
                return self._read(request.url, path)
            case Redirect(to, status):
                return Response(request.url, status, target=request.url[: self._before] + to)
            case Missing():
                return Response(request.url, 404)

    def _read(self, url: str, path: str) -> Answer:
        try:
            with open(f"{self._root}/{path}", "rb", buffering=0) as file:  # noqa: PTH123 - a Path a page costs more
                if os.fstat(file.fileno()).st_size > MAX_BODY:
                    return Skip(url, f"{path} is larger than {MAX_BODY >> 20} MiB", path)
                body = file.readall()
        except OSError as error:
            return Skip(url, f"cannot read {path}: {error.strerror or error}", path)
        return Response(url, 200, (("content-type", media_type(path)),), body, path=path)
