"""A build directory as a web server would serve it."""

import os

from sitemap_action.fetch.base import Answer, Request, Response, Skip
from sitemap_action.hosts.base import Host, HostResponse
from sitemap_action.web.media import media_type

MAX_BODY = 64 * 1024 * 1024  # bytes; no search engine reads a larger page (HTML-49)


class FolderFetcher:
    """Answers for every URL below `base` from the files below `root`, without waiting."""

    def __init__(self, root: str, base: str, host: Host) -> None:
        self._root = root
        self._prefix = len(base) - 1  # characters of a URL before its path within the build
        self._host = host

    async def fetch(self, request: Request) -> Answer:
        return self.answer(request)

    def resolve(self, url: str) -> HostResponse:
        """The answer of the host, without opening a file."""
        return self._host.answer(url[self._prefix :].partition("?")[0])

    def answer(self, request: Request) -> Answer:
        found = self.resolve(request.url)
        if found.file:
            return self._read(request.url, found)
        if found.proxied:
            return Skip(request.url, f"{found.proxied} answers, which is not part of the build ({found.evidence})")
        # A location without scheme is a path below the deployment. As on every host, the query goes along.
        _, question, query = request.url.partition("?")
        more = question + query if found.location and "?" not in found.location else ""
        prefix = request.url[: self._prefix] if found.location.startswith("/") else ""
        target = prefix + found.location + more
        return Response(request.url, found.status, found.headers, target=target, evidence=found.evidence)

    def _read(self, url: str, found: HostResponse) -> Answer:
        path = found.file
        try:
            with open(f"{self._root}/{path}", "rb", buffering=0) as file:  # noqa: PTH123 - a Path per page costs more
                if os.fstat(file.fileno()).st_size > MAX_BODY:
                    return Skip(url, f"{path} is larger than {MAX_BODY >> 20} MiB", path)
                body = file.readall()
        except OSError as error:
            return Skip(url, f"cannot read {path}: {error.strerror or error}", path)
        # Of several types the last counts: one that the host states wins.
        headers = (("content-type", media_type(path)), *found.headers)
        return Response(url, found.status, headers, body, path=path, evidence=found.evidence)
