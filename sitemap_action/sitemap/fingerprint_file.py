"""The file beside the sitemap that keeps what pages had: a line for each, sorted by path (`output.fingerprints`)."""

import re
from collections.abc import Iterator

from sitemap_action.model.file_bytes import BlockList, BlockStore
from sitemap_action.model.site import Content
from sitemap_action.model.sitemap import SitemapFile

_OURS = b"# Content of pages when the sitemap was written"
_HEADER = _OURS + b": path, fingerprint, lastmod (sitemap-action, format 1)\n"
_HEAD = 4096  # bytes, in which the header is; a merge may have left other lines before it
_ROW = re.compile(rb"(/[!-~]{0,4096}) ([0-9a-f]{16}) (-|[0-9A-Za-z:.+-]{4,40})")


class FingerprintFile:
    """Is made while pages are added, in order of URL."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._rows = BlockList(BlockStore())

    def add(self, url: str, fingerprint: str, lastmod: str) -> None:
        self._rows.add(f"{url[url.index('/', 8) :]} {fingerprint} {lastmod or '-'}\n")

    def finish(self) -> SitemapFile:
        return SitemapFile(self._path, self._rows.frame(_HEADER, b""), 0, "fingerprints", copy=True)


def is_fingerprint_file(content: bytes) -> bool:
    """Whether it may be replaced."""
    return not content.strip() or _OURS in content[:_HEAD]


def read_fingerprints(content: bytes, origin: str) -> Iterator[tuple[str, Content]]:
    """(URL, what the page had); whatever else a merge left in the file is passed over, as is another format."""
    if _HEADER not in content[:_HEAD].replace(b"\r\n", b"\n"):
        return
    for line in content.splitlines():
        if row := _ROW.fullmatch(line):
            path, fingerprint, lastmod = (part.decode() for part in row.groups())
            yield origin + path, Content(fingerprint, "" if lastmod == "-" else lastmod, "")
