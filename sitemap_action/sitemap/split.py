"""Entries to files: one where they fit, else numbered files and an index under the configured name (SM-08).

Files are filled in the order of the entries, so equal entries give equal files (SM-70).
"""

import re
import zlib
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.model.sitemap import ChildSitemap, Entry, SitemapFile
from sitemap_action.sitemap import write
from sitemap_action.sitemap.dates import LatestDate, normal_date
from sitemap_action.sitemap.formats import Format, format_of
from sitemap_action.sitemap.limits import MAX_BYTES, MAX_URLS

_SUFFIX: dict[Format, str] = {"xml": ".xml", "text": ".txt", "json": ".json"}
_BATCH = 500
_SUFFIXES = re.compile(r"(?:\.xml|\.txt|\.json)?(?:\.gz)?$")


class Layout(Struct, frozen=True):
    """The paths of the files, and how much each may hold."""

    path: str  # the configured sitemap, relative to the workspace
    address: str  # its URL on the site; other files have URLs in the same directory
    urls_per_file: int = MAX_URLS
    max_bytes: int = MAX_BYTES  # uncompressed
    format: Format = "xml"
    gzip: bool = False

    @property
    def target(self) -> str:
        """The file to submit to search engines: the path with `.gz` or the format's suffix added where it lacks it."""
        if self.format == format_of(self.path):
            return self.path + ".gz" if self.gzip and not self.path.endswith(".gz") else self.path
        return f"{self.stem}{self.suffix}"

    @property
    def index(self) -> str:
        """The index of numbered files: a text file is none."""
        return self.target if self.format == "xml" else f"{self.stem}-index.xml"

    @property
    def stem(self) -> str:
        return _SUFFIXES.sub("", self.path)

    @property
    def suffix(self) -> str:
        zipped = self.gzip or (self.format == format_of(self.path) and self.path.endswith(".gz"))
        return _SUFFIX[self.format] + (".gz" if zipped else "")


class Splitter:
    """Turns entries into files while they are added: memory holds the bytes of the files and a batch of entries.

    A text sitemap that is split gets its index as `<stem>-index.xml`; JSON is no sitemap format and is never split.
    """

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._batch: list[Entry] = []
        self._shard = _Shard(layout)
        self._files: list[SitemapFile] = []
        self._children: list[ChildSitemap] = []

    def add(self, entry: Entry) -> None:
        self._batch.append(entry)
        if len(self._batch) == _BATCH and self._layout.format != "json":
            self._flush()

    def finish(self) -> tuple[SitemapFile, ...]:
        """The files in the order in which to write them: children first, so that no index names a missing file."""
        layout = self._layout
        if layout.format == "json":
            return (_file(layout.target, write.to_json(self._batch), len(self._batch), "json"),)
        self._flush()
        self._close_shard()  # at least one file, even without entries
        files = self._files
        if len(files) == 1:
            return (replace(files[0], path=layout.target),)
        return (*files, _file(layout.index, write.index(self._children), 0, layout.format))

    def _flush(self) -> None:
        """Add the batch to the shard, one by one where the batch passes a limit."""
        block = _block(self._batch, self._layout)
        if self._shard.fits(block):
            self._shard.add(block)
        else:
            for entry in self._batch:
                block = _block((entry,), self._layout)
                if self._shard.urls and not self._shard.fits(block):
                    self._close_shard()
                self._shard.add(block)
        self._batch.clear()

    def _close_shard(self) -> None:
        layout = self._layout
        name = f"{layout.stem}-{len(self._files) + 1}{layout.suffix}"
        file = _file(name, self._shard.content, self._shard.urls, layout.format)
        self._files.append(file)
        self._children.append(ChildSitemap(_sibling_url(layout.address, file.path), self._shard.latest))
        self._shard = _Shard(layout)


def is_shard(name: str, layout: Layout) -> bool:
    """Whether a file name, without its directory, is one that a splitter gives to a numbered file of this layout."""
    stem = layout.stem.rpartition("/")[2]
    return re.fullmatch(rf"{re.escape(stem)}-[1-9][0-9]{{0,5}}\.(?:xml|txt)(?:\.gz)?", name) is not None


def is_generated(content: bytes) -> bool:
    """Whether the second line of a file is the generator comment; only such a file may be deleted as stale.

    Text files have no comment, so none of them is ever deleted.
    """
    if content.startswith(b"\x1f\x8b"):
        try:
            content = zlib.decompressobj(31).decompress(content, 1024)
        except zlib.error:
            return False
    return content[:1024].split(b"\n", 2)[1:2] == [write.GENERATOR.encode()]


class _Block(Struct, frozen=True):
    """A batch of entries as bytes."""

    content: bytes
    urls: int
    declarations: frozenset[str]  # of the namespaces that the entries use
    dates: frozenset[str]


class _Shard:
    """One file while entries are added."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._blocks: list[bytes] = []
        self._declarations: frozenset[str] = frozenset()
        self._latest = LatestDate()
        self._size = 0  # bytes without head and foot
        self.urls = 0

    def fits(self, block: _Block) -> bool:
        head, foot = self._frame(self._declarations | block.declarations)
        size = len(head) + self._size + len(block.content) + len(foot)
        urls = self.urls + block.urls
        return urls <= min(self._layout.urls_per_file, MAX_URLS) and size <= min(self._layout.max_bytes, MAX_BYTES)

    def add(self, block: _Block) -> None:
        self._blocks.append(block.content)
        self._declarations |= block.declarations
        self._size += len(block.content)
        self.urls += block.urls
        for date in block.dates:
            self._latest.add(date)

    @property
    def content(self) -> bytes:
        head, foot = self._frame(self._declarations)
        return b"".join((head, *self._blocks, foot))

    @property
    def latest(self) -> str:
        """The lastmod of its newest entry, "" when none has one (SM-51)."""
        return normal_date(self._latest.text)

    def _frame(self, declarations: frozenset[str]) -> tuple[bytes, bytes]:
        if self._layout.format == "text":
            return b"", b""
        return write.head("urlset", declarations).encode(), write.foot("urlset").encode()


def _block(batch: Sequence[Entry], layout: Layout) -> _Block:
    dates = frozenset(entry.lastmod for entry in batch)
    if layout.format == "text":
        return _Block(write.text(batch), len(batch), frozenset(), dates)
    declarations = write.declarations_of(batch)
    content = "".join([write.url_element(entry, declarations) for entry in batch]).encode()
    return _Block(content, len(batch), declarations, dates)


def _file(path: str, content: bytes, urls: int, format_name: Format) -> SitemapFile:
    return SitemapFile(path, write.gzipped(content) if path.endswith(".gz") else content, urls, format_name)


def _sibling_url(address: str, path: str) -> str:
    return f"{address.rpartition('/')[0]}/{path.rpartition('/')[2]}"
