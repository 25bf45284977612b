"""A JSON file of entries: no format of sitemaps, and never split."""

from sitemap_action.model.file_bytes import BlockList, BlockStore
from sitemap_action.model.sitemap import Entry, SitemapFile
from sitemap_action.sitemap import write

_PIECES = 500  # that are joined


class JsonFile:
    """A list of objects, one on each line, made while entries are added."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._blocks = BlockList(BlockStore())
        self._rows: list[str] = []
        self._urls = 0

    def add(self, entry: Entry) -> None:
        self._rows.append(write.json_row(entry))
        self._urls += 1
        if len(self._rows) == _PIECES:
            self._join()

    def finish(self) -> SitemapFile:
        if self._rows:
            self._join()
        content = self._blocks.between(*((b"[\n", b"\n]\n") if self._urls else (b"[", b"]\n")))
        packed = write.gzipped(bytes(content)) if self._path.endswith(".gz") else content
        return SitemapFile(self._path, packed, self._urls, "json")

    def _join(self) -> None:
        before = ",\n" if self._urls > len(self._rows) else ""
        self._blocks.add(before + ",\n".join(self._rows))
        self._rows.clear()
