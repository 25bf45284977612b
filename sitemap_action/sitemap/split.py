"""Entries to files: one where it fits, else numbered files and an index that takes the configured name (SM-08).

Files are filled in the order of the entries, so equal entries give equal files (SM-70).
"""

import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from sitemap_action.model.sitemap import Child, Entry, SitemapFile
from sitemap_action.sitemap import write
from sitemap_action.sitemap.dates import stamp, written
from sitemap_action.sitemap.names import MAX_BYTES, MAX_URLS

Format = Literal["xml", "text", "json"]
_SUFFIX: dict[Format, str] = {"xml": ".xml", "text": ".txt", "json": ".json"}
_ENDINGS = re.compile(r"(?:\.xml|\.txt|\.json)?(?:\.gz)?$")


@dataclass(frozen=True, slots=True)
class Layout:
    """Where files go and how full they get."""

    path: str  # the configured sitemap, relative to the workspace
    address: str  # its URL on the site; the files beside it are listed beside it
    urls_per_file: int = MAX_URLS
    max_bytes: int = MAX_BYTES  # uncompressed
    format: Format = "xml"
    gzip: bool = False

    @property
    def target(self) -> str:
        """The file that a search engine is given: `.gz` and the format's own suffix are added to a path without."""
        if self.format == "xml":
            return self.path + ".gz" if self.gzip and not self.path.endswith(".gz") else self.path
        return f"{self.stem}{self.suffix}"

    @property
    def stem(self) -> str:
        return _ENDINGS.sub("", self.path)

    @property
    def suffix(self) -> str:
        zipped = self.gzip or (self.format == "xml" and self.path.endswith(".gz"))
        return _SUFFIX[self.format] + (".gz" if zipped else "")


def split(entries: Iterable[Entry], layout: Layout) -> tuple[SitemapFile, ...]:
    """The files in the order in which they are written: children first, so that no index names a missing file.

    A text sitemap that is split gets its index as `<stem>-index.xml`; JSON is no sitemap format and is never split.
    """
    if layout.format == "json":
        listed = tuple(entries)
        return (_file(layout.target, write.to_json(listed), len(listed)),)
    shards = list(_shards(entries, layout))
    if len(shards) == 1:
        return (_file(layout.target, shards[0].content, shards[0].urls),)
    files = [
        (_file(f"{layout.stem}-{number}{layout.suffix}", shard.content, shard.urls), shard.newest)
        for number, shard in enumerate(shards, 1)
    ]
    children = [Child(_beside(layout.address, file.path), newest) for file, newest in files]
    name = layout.target if layout.format == "xml" else f"{layout.stem}-index.xml"
    return (*(file for file, _ in files), _file(name, write.index(children), 0))


def is_shard(name: str, layout: Layout) -> bool:
    """Whether a file name, without its directory, is one that `split` gives to a numbered file of this layout."""
    stem = layout.stem.rpartition("/")[2]
    return re.fullmatch(rf"{re.escape(stem)}-[1-9][0-9]{{0,5}}\.(?:xml|txt)(?:\.gz)?", name) is not None


def is_ours(content: bytes) -> bool:
    """Whether a file carries our generator comment on its second line; only such a file may be deleted as stale.

    Text files carry no comment, so none of them is ever deleted.
    """
    if content.startswith(b"\x1f\x8b"):
        try:
            content = zlib.decompressobj(31).decompress(content, 1024)
        except zlib.error:
            return False
    return content[:1024].split(b"\n", 2)[1:2] == [write.GENERATOR.encode()]


@dataclass(frozen=True, slots=True)
class _Shard:
    content: bytes
    urls: int
    newest: str  # lastmod of its newest entry; "" when none has one (SM-51)


@dataclass(slots=True)
class _Filling:
    """A shard that still takes entries."""

    head: str = ""
    size: int = 0  # bytes, head and foot included
    pieces: list[bytes] = field(default_factory=list)
    usual: frozenset[str] = frozenset()
    newest: str = ""


def _shards(entries: Iterable[Entry], layout: Layout) -> Iterator[_Shard]:
    """At least one, however empty."""
    most = min(layout.urls_per_file, MAX_URLS)
    room = min(layout.max_bytes, MAX_BYTES)
    filling = _begin(layout, frozenset())
    for entry in entries:
        piece, needs = _piece(entry, layout)
        wider = filling if needs <= filling.usual else _widened(filling, needs, layout)
        if filling.pieces and (len(filling.pieces) >= most or wider.size + len(piece) > room):
            yield _finish(filling, layout)
            filling = _begin(layout, needs)
        else:
            filling = wider
        filling.pieces.append(piece)
        filling.size += len(piece)
        if entry.lastmod:
            filling.newest = _newer(filling.newest, entry.lastmod)
    yield _finish(filling, layout)


def _piece(entry: Entry, layout: Layout) -> tuple[bytes, frozenset[str]]:
    if layout.format == "text":
        return write.text((entry,)), frozenset()
    needs = write.declared(entry)
    return write.url(entry, needs).encode(), needs


def _begin(layout: Layout, usual: frozenset[str]) -> _Filling:
    if layout.format == "text":
        return _Filling()
    head = write.head("urlset", usual)
    return _Filling(head, len(head) + len(write.foot("urlset")), usual=usual)


def _widened(filling: _Filling, needs: frozenset[str], layout: Layout) -> _Filling:
    """The same shard with more namespaces declared on its root."""
    empty = _begin(layout, filling.usual | needs)
    return replace(filling, head=empty.head, usual=empty.usual, size=filling.size + len(empty.head) - len(filling.head))


def _finish(filling: _Filling, layout: Layout) -> _Shard:
    foot = "" if layout.format == "text" else write.foot("urlset")
    content = b"".join((filling.head.encode(), *filling.pieces, foot.encode()))
    return _Shard(content, len(filling.pieces), filling.newest)


def _newer(newest: str, lastmod: str) -> str:
    """The later of two dates in the form that is written; what cannot be written does not count."""
    form = written(lastmod)
    if not form or form == newest:
        return newest
    first, second = stamp(newest) if newest else None, stamp(form)
    return form if first is None or (second is not None and second.instant > first.instant) else newest


def _file(path: str, content: bytes, urls: int) -> SitemapFile:
    return SitemapFile(path, write.gzipped(content) if path.endswith(".gz") else content, urls)


def _beside(address: str, path: str) -> str:
    return f"{address.rpartition('/')[0]}/{path.rpartition('/')[2]}"
