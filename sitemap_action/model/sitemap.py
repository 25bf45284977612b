"""The content of a sitemap file: entries, children and faults; and the bytes of a file that would be written.

Those of a large sitemap are compressed until they are used: a million URLs are 110 MB, and a tenth of it compressed.
"""

import zlib
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from functools import partial
from itertools import compress, count, repeat
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from sitemap_action.model.page import Alternate

_PLAIN = 4 * 2**20  # bytes that are kept as they are
_LEVEL = 1  # of zlib: the fastest
_BLOCK, _PIECES = 64 * 2**10, 500  # so many characters, or so many texts, are joined


Block: TypeAlias = tuple[bytes, bool]  # and whether it is compressed


class FileBytes(Struct, frozen=True):
    """The content of one file; `bytes` makes it, and `len` is its size."""

    blocks: tuple[Block, ...]
    size: int

    def __len__(self) -> int:
        return self.size

    def __bytes__(self) -> bytes:
        return b"".join(self)

    def __iter__(self) -> Iterator[bytes]:
        """Its bytes in blocks, each of whole texts that were added."""
        return (zlib.decompress(data) if packed else data for data, packed in self.blocks)


class BlockStore:
    """The room for what is not compressed, which the files of one sitemap share."""

    def __init__(self) -> None:
        self._plain = 0

    def make_block(self, data: bytes) -> Block:
        self._plain += len(data)
        return (data, False) if self._plain <= _PLAIN else (zlib.compress(data, _LEVEL), True)


class BlockList:
    """The content of one file while it is made of small pieces, which are joined to blocks of some kilobytes."""

    def __init__(self, store: BlockStore) -> None:
        self._store = store
        self._pieces: list[str] = []
        self._waiting = 0  # characters of them
        self._blocks: list[Block] = []
        self._size = 0

    def add(self, text: str) -> None:
        self._pieces.append(text)
        self._waiting += len(text)
        if self._waiting >= _BLOCK or len(self._pieces) == _PIECES:
            self._join()

    def frame(self, head: bytes, foot: bytes) -> FileBytes:
        """The file, with what stands before and behind its content."""
        self._join()
        return FileBytes(((head, False), *self._blocks, (foot, False)), len(head) + self._size + len(foot))

    def _join(self) -> None:
        if self._pieces:
            data = "".join(self._pieces).encode()
            self._blocks.append(self._store.make_block(data))
            self._size += len(data)
            self._pieces.clear()
            self._waiting = 0


class DocumentKind(StrEnum):
    """The format of a document."""

    URLSET = "urlset"
    INDEX = "sitemapindex"
    TEXT = "text"
    RSS = "rss"
    ATOM = "atom"
    UNKNOWN = "unknown"  # no sitemap, or too damaged to recognise

    @property
    def is_feed(self) -> bool:
        return self in {DocumentKind.RSS, DocumentKind.ATOM}


class DocumentStart(Struct, frozen=True):
    """The first event of every document."""

    kind: DocumentKind
    encoding: str = "utf-8"
    compressed: bool = False
    namespaces: tuple[str, ...] = ()  # declared on the root element


class Entry(NamedTuple):
    """One <url>: text as written, white space stripped, entities decoded once."""

    loc: str
    lastmod: str = ""
    changefreq: str = ""
    priority: str = ""
    alternates: tuple[Alternate, ...] = ()
    images: tuple[str, ...] = ()
    extensions: tuple[str, ...] = ()  # every child element of another namespace, as canonical XML, namespaces declared
    line: int = 0  # of <url> in its file, from 1
    file: int = 0  # number of its document in the sitemap: 0 is the first, which is the index where there is one


class EntryBatch(Struct, frozen=True):
    """Consecutive entries of one document by field, a line for each entry; a field that no entry has is empty."""

    count: int
    keys: str  # identities
    fields: tuple[str, str, str]  # lastmod, changefreq, priority
    lines: str  # of each <url>, from 1; the first line and the step, "3+4", where they are at equal distances
    more: Mapping[int, Entry] = {}  # entries with other fields, by index in the batch

    def entries(self) -> Iterator[Entry]:
        """Those without other fields. `map` instead of a loop: there may be a million."""
        return make_entries(self.keys.split("\n"), self.fields, self.lines)


ALL = repeat(True)
"""Selects every entry of a batch."""


def make_entries(
    keys: Iterable[str], fields: Iterable[str], lines: str, wanted: Iterable[bool] = ALL
) -> Iterator[Entry]:
    columns = [compress(text.split("\n"), wanted) if text else repeat("") for text in fields]
    found = compress(line_numbers(lines), wanted)
    rows = zip(compress(keys, wanted), *columns, repeat(()), repeat(()), repeat(()), found, repeat(0), strict=False)
    return map(partial(tuple.__new__, Entry), rows)  # half the time of a call of `Entry` for each


def line_numbers(lines: str) -> Iterator[int]:
    """The `lines` of a batch."""
    first, equal, step = lines.partition("+")
    return count(int(first), int(step)) if equal else map(int, lines.split("\n"))


class ChildSitemap(Struct, frozen=True):
    """One <sitemap> of an index."""

    loc: str
    lastmod: str = ""
    line: int = 0


class BrokenSitemap(Struct, frozen=True):
    """A sitemap that an index or robots.txt names, and whose URL does not return one."""

    url: str
    named_by: str  # URL of the index, or of robots.txt
    line: int
    reason: str
    declared: bool = False  # by robots.txt
    disallowed: bool = False  # by robots.txt, whatever it would answer
    served: bool = False  # it is one, and is served through a redirect or with the media type of something else (SM-11)


class Fault(Struct, frozen=True):
    """A defect of a document; `checks` maps the code to a rule."""

    code: str
    line: int = 0
    detail: str = ""
    fatal: bool = False  # the rest of the document could not be read


SitemapEvent: TypeAlias = DocumentStart | Entry | ChildSitemap | Fault
"""The reader yields one DocumentStart, then the rest in document order."""


class SitemapDocument(Struct, frozen=True):
    """The bytes of one document of a sitemap, wherever it is kept."""

    path: str  # as findings cite it: a path, or a URL
    content: bytes
    address: str = ""  # its URL on the site; "" when unknown
    named: bool = True  # the suffix of the name must fit; False where a server's Content-Encoding was decoded


REDIRECTS = "redirects"


class SitemapFile(Struct, frozen=True):
    """One file to write: path relative to the workspace, bytes as on disk, number of URLs."""

    path: str
    stored: bytes | FileBytes
    urls: int
    format: str = "xml"  # of the set that it belongs to: a text sitemap may have an index
    copy: bool = False  # of another one, compressed; or no sitemap: the ledger, redirects

    @property
    def redirects(self) -> bool:
        """Whether it is the host's or generator's file of redirects."""
        return self.format == REDIRECTS

    @property
    def content(self) -> bytes:
        """Whole: of a large sitemap one file at a time is to be in memory."""
        return bytes(self.stored)

    @property
    def size(self) -> int:
        return len(self.stored)


class FileVersions(Struct, frozen=True):
    """A file that would be written: by path in the workspace; None where there is none before, or afterwards."""

    path: str
    before: bytes | None
    after: bytes | None
    redirects: bool = False  # the host's or generator's, not the sitemap


class Markup(Struct, frozen=True):
    """Comments and processing instructions of an XML document, each as it is written (R-17)."""

    prolog: tuple[str, ...] = ()  # before the root
    first: tuple[str, ...] = ()  # in the root, before its first element
    before: Mapping[str, tuple[str, ...]] = {}  # by the URL, in normal form, of the <url> or <sitemap> that follows
    last: tuple[str, ...] = ()  # in the root, after its last element
    epilog: tuple[str, ...] = ()  # after the root


NO_MARKUP = Markup()


class CommittedFile(Struct, frozen=True, kw_only=True):
    """One document of the committed sitemap, without its entries: what stays as it is when it is written again."""

    path: str
    kind: DocumentKind
    digest: str  # of its bytes
    size: int  # bytes, uncompressed
    entries: int
    loc: str = ""  # as its index has it; "" where none lists it
    lastmod: str = ""  # the same
    markup: Markup = NO_MARKUP
    other: bool = False  # stays as it is: of another build, with no URL below site-url; or a feed
    ignored: int = 0  # item links of a feed that are no pages (U-27)


class ShippedSitemap(Struct, frozen=True):
    """The sitemap of a build, where it is not the judged one (ENV-07)."""

    path: str
    present: bool = False
    lacking: tuple[str, ...] = ()  # URLs of the judged one
    only_here: tuple[str, ...] = ()
    unread: str = ""  # why it cannot be read
