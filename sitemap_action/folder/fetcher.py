"""A build directory as a web server would serve it."""

import os
from collections.abc import Container

from sitemap_action.fetch.base import Answer, Request, Response, Skip
from sitemap_action.hosts.base import Host, HostAnswer, Missing, Redirect, Serve
from sitemap_action.web.media import media_type

MAX_BODY = 64 * 1024 * 1024  # bytes; no search engine reads a larger page (HTML-49)


class FolderFetcher:
    """Answers for every URL below `base` from the files below `root`, without waiting."""

    def __init__(self, root: str, files: Container[str], base: str, host: Host) -> None:
        self._root = root
        self._files = files
        self._prefix = len(base) - 1  # characters of a URL before its path within the build
        self._host = host

    async def fetch(self, request: Request) -> Answer:
        return self.answer(request)

    def resolve(self, url: str) -> HostAnswer:
        """The answer of the host, without opening a file."""
        return self._host.answer(url[self._prefix :].partition("?")[0], self._files)

    def answer(self, request: Request) -> Answer:
        match self.resolve(request.url):
            case Serve(path):
                return self._read(request.url, path)
            case Redirect(to, status):
                return Response(request.url, status, target=request.url[: self._prefix] + to)
            case Missing():
                return Response(request.url, 404)

    def _read(self, url: str, path: str) -> Answer:
        try:
            with open(f"{self._root}/{path}", "rb", buffering=0) as file:  # noqa: PTH123 - a Path per page costs more
                if os.fstat(file.fileno()).st_size > MAX_BODY:
                    return Skip(url, f"{path} is larger than {MAX_BODY >> 20} MiB", path)
                body = file.readall()
        except OSError as error:
            return Skip(url, f"cannot read {path}: {error.strerror or error}", path)
        return Response(url, 200, (("content-type", media_type(path)),), body, path=path)
