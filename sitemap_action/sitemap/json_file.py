"""A JSON file of entries: no format of sitemaps, and never split."""

from sitemap_action.model.sitemap import Entry, SitemapFile
from sitemap_action.sitemap import write

_PIECES = 500  # that are joined


class JsonFile:
    """A list of objects, one on each line, made while entries are added."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._blocks: list[bytes] = []
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
        content = b"[\n" + b",\n".join(self._blocks) + b"\n]\n" if self._urls else b"[]\n"
        return SitemapFile(
            self._path, write.gzipped(content) if self._path.endswith(".gz") else content, self._urls, "json"
        )

    def _join(self) -> None:
        self._blocks.append(",\n".join(self._rows).encode())
        self._rows.clear()
