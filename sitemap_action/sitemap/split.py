"""Entries to files: one where they fit, else numbered files and an index under the configured name (SM-08).

Theory of operation. Without a committed index the files are filled in the order of the entries. With one, every entry
stays in the file that lists it, while that has room. A new entry goes to the file of the entry before it; where that
has no room besides the committed entries that are still to come, to the last file with room, and else to a new file.
So a page that is added or removed changes one file and the index. All formats have the same files. Equal entries and
equal committed files give equal bytes (SM-70), and what was written is committed: a second write changes nothing.
"""

import re
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.sitemap import (
    NO_MARKUP,
    BlockList,
    BlockStore,
    ChildSitemap,
    CommittedFile,
    Entry,
    FileBytes,
    Markup,
    SitemapFile,
)
from sitemap_action.sitemap import write
from sitemap_action.sitemap.protocol import (
    MAX_BYTES,
    MAX_NEWS,
    MAX_URLS,
    Format,
    LatestDate,
    format_of,
    normal_date,
    url_key,
)
from sitemap_action.sitemap.write import NOTHING_COMMITTED, CommittedSitemap, child_date

_NEWS = "<news:news"
_NO_DECLARATIONS: frozenset[str] = frozenset()

Comments: TypeAlias = Mapping[str, Sequence[str]]


class Rendered(NamedTuple):
    """Entries as text, in each format."""

    texts: Sequence[str]
    size: int  # bytes of the largest, which is XML
    urls: int
    lastmods: Collection[str]
    declarations: frozenset[str]  # of the namespaces that they use
    news: int


def render(entries: Sequence[Entry], formats: Sequence[str], comments: Comments) -> Rendered:
    """`comments`: those before each entry, by the normal form of its URL."""
    if len(entries) == 1 and formats == ("xml",) and not comments:
        entry = entries[0]
        if not (entry.extensions or entry.alternates or entry.images):  # nearly every one
            text = write.url_element(entry)
            return Rendered((text,), _size(text), 1, (entry.lastmod,), _NO_DECLARATIONS, 0)
    declarations = write.declarations_of(entries)
    texts = []
    for name in formats:
        if name == "text":
            texts.append("".join([f"{write.encoded_url(entry.loc)}\n" for entry in entries]))
        elif comments:
            elements = (
                write.comments(comments.get(url_key(entry.loc), ())) + write.url_element(entry, declarations)
                for entry in entries
            )
            texts.append("".join(elements))
        else:
            texts.append("".join([write.url_element(entry, declarations) for entry in entries]))
    size = max(map(_size, texts))
    news = sum(one.startswith(_NEWS) for entry in entries for one in entry.extensions) if declarations else 0
    return Rendered(texts, size, len(entries), {entry.lastmod for entry in entries}, declarations, news)


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


class Shard:
    """Counts URLs and bytes, and those of the committed entries that are still to come."""

    def __init__(self, name: str, formats: Sequence[str], max_urls: int, max_bytes: int, store: BlockStore) -> None:
        """`name`: path without suffix."""
        self.name = name
        self.committed: CommittedFile | None = None
        self.expected = 0  # committed entries to come
        self.urls = 0
        self._formats = formats
        self._max_urls, self._max_bytes = max_urls, max_bytes
        self._contents = [BlockList(store) for _ in formats]
        self._declarations: frozenset[str] = frozenset()
        self._latest = LatestDate()
        self._news = 0
        self._average = 0  # bytes of a committed entry
        self._size = 0  # with head and foot
        self._frame = 0
        self.set_markup(NO_MARKUP)

    def keep(self, file: CommittedFile) -> None:
        """It is this committed file, written again."""
        self.committed, self.expected = file, file.entries
        self._average = file.size // file.entries if file.entries else 0
        self.set_markup(file.markup)

    def set_markup(self, markup: Markup) -> None:
        self._markup = markup
        self._declare(self._declarations)

    def fits(self, rendered: Rendered, expected: int = 0) -> bool:
        """`expected`: how many other entries there is to be room for."""
        if self.urls + rendered.urls + expected > self._max_urls:
            return False
        size = self._size + rendered.size + expected * self._average
        if rendered.declarations:
            if rendered.news and self._news + rendered.news > MAX_NEWS:
                return False
            if not rendered.declarations <= self._declarations:
                size += self._frame_size(self._declarations | rendered.declarations) - self._frame
        return size <= self._max_bytes

    def has_room(self, rendered: Rendered) -> bool:
        """Whether an entry that is new here fits; an empty file takes any."""
        return not (self.urls or self.expected) or self.fits(rendered, self.expected)

    def add(self, rendered: Rendered) -> None:
        for content, text in zip(self._contents, rendered.texts, strict=True):
            content.add(text)
        self._size += rendered.size
        self.urls += rendered.urls
        self._news += rendered.news
        if not rendered.declarations <= self._declarations:
            self._declare(self._declarations | rendered.declarations)
        for lastmod in rendered.lastmods:
            self._latest.add(lastmod)

    def content(self, at: int) -> FileBytes:
        """The file in the format of this number."""
        return self._contents[at].frame(*self._head_and_foot(self._formats[at]))

    @property
    def latest(self) -> str:
        """The lastmod of its newest entry, "" when none has one (SM-51)."""
        return normal_date(self._latest.text)

    def _declare(self, declarations: frozenset[str]) -> None:
        frame = self._frame_size(declarations)
        self._size += frame - self._frame
        self._declarations, self._frame = declarations, frame

    def _frame_size(self, declarations: frozenset[str]) -> int:
        if "xml" not in self._formats:
            return 0
        head, foot = write.head("urlset", declarations, self._markup), write.foot("urlset", self._markup)
        return len(head.encode()) + len(foot.encode())

    def _head_and_foot(self, name: str) -> tuple[bytes, bytes]:
        if name == "text":
            return b"", b""
        head = write.head("urlset", self._declarations, self._markup).encode()
        return head, write.foot("urlset", self._markup).encode()


_SUFFIX: dict[Format, str] = {"xml": ".xml", "text": ".txt", "json": ".json"}
_BATCH = 500
_SUFFIXES = lazy_re(r"(?:\.xml|\.txt|\.json)?(?:\.gz)?$")


class Layout(Struct, frozen=True):
    """The paths of the files, and how much each may hold."""

    path: str  # the configured sitemap, relative to the workspace
    address: str  # its URL on the site; other files have URLs in the same directory
    urls_per_file: int = MAX_URLS
    max_bytes: int = MAX_BYTES  # uncompressed
    format: Format = "xml"

    @property
    def target(self) -> str:
        """The file to submit to search engines: the path, with another suffix where it is of another format."""
        return self.path if self.format == format_of(self.path) else f"{self.stem}{self.suffix}"

    @property
    def index(self) -> str:
        """The index of numbered files: a text file is none."""
        return self.target if self.format == "xml" else f"{self.stem}-index.xml"

    @property
    def stem(self) -> str:
        return _SUFFIXES.sub("", self.path)

    @property
    def suffix(self) -> str:
        zipped = self.format == format_of(self.path) and self.path.endswith(".gz")
        return _SUFFIX[self.format] + (".gz" if zipped else "")


class Splitter:
    """Turns entries into files while they are added: memory holds the files, those of a large sitemap compressed.

    A text sitemap that is split gets its index as `<stem>-index.xml`.
    """

    def __init__(self, *layouts: Layout, committed: CommittedSitemap = NOTHING_COMMITTED) -> None:
        """Layouts of XML and text that differ in their format alone."""
        self._layouts, self._committed = layouts, committed
        self._formats = tuple(layout.format for layout in layouts)
        self._store = BlockStore()
        self._comments = committed.comments()
        self._style_sheets = committed.style_sheets()
        self._number, self._taken = committed.last_number(layouts[0].stem), committed.taken()
        self._by_file = {
            number: self._keep(file) for number, file in committed.files_in_place(layouts[0].path, layouts[0].address)
        }
        self._shards = list(self._by_file.values())
        if not self._shards:
            self._open()
            if not committed.is_index:  # one file may be all
                self._shards[0].set_markup(committed.markup(layouts[0].target))
        self._current = self._shards[0]
        self._batch: list[Entry] = []

    def add(self, entry: Entry, file: int = 0) -> None:
        """`file`: number of the committed document that lists it."""
        if self._by_file:
            self._add(entry, self._by_file.get(file))
            return
        self._batch.append(entry)
        if len(self._batch) == _BATCH:
            self._flush()

    def _flush(self) -> None:
        """Add the batch to the last file, one by one where the batch passes a limit."""
        rendered = render(self._batch, self._formats, self._comments)
        if self._current.fits(rendered):
            self._current.add(rendered)
        else:
            for entry in self._batch:
                self._add(entry)
        self._batch.clear()

    def _add(self, entry: Entry, own: Shard | None = None) -> None:
        """`own`: the file that lists it."""
        rendered = render((entry,), self._formats, self._comments)
        if own is not None:
            own.expected -= 1
        self._current = own if own is not None and own.fits(rendered) else self._with_room(rendered)
        self._current.add(rendered)

    def leave_out(self, file: int) -> None:
        """A committed entry of a document is not written again."""
        if file in self._by_file:
            self._by_file[file].expected -= 1

    def finish(self) -> tuple[SitemapFile, ...]:
        """The files in the order in which to write them: children first, so that no index names a missing file."""
        self._flush()
        filled = [shard for shard in self._shards if shard.urls] or self._shards[:1]
        if len(filled) == 1 and not self._by_file and not any(file.other for file in self._committed.files):
            return tuple(
                _file(layout.target, filled[0].content(at), filled[0].urls, layout.format)
                for at, layout in enumerate(self._layouts)
            )
        return tuple(self._files_with_index(filled))

    def _files_with_index(self, filled: Sequence[Shard]) -> Iterator[SitemapFile]:
        if not self._by_file:  # what was the one file is the index now
            self._shards[0].set_markup(self._style_sheets)
        dates: dict[str, str] = {}
        for at, layout in enumerate(self._layouts):
            children: dict[str, ChildSitemap] = {}
            for shard in filled:
                file = _file(self._path(shard, layout), shard.content(at), shard.urls, layout.format)
                if shard.name not in dates:
                    unchanged = self._committed.unchanged(file.path, file.content)
                    dates[shard.name] = child_date(shard.committed, shard.latest, unchanged=unchanged)
                children[shard.name] = ChildSitemap(self._child_url(shard, layout), dates[shard.name])
                yield file
            content = write.index(self._in_order(children, layout), self._committed.markup(layout.index))
            yield _file(layout.index, content, 0, layout.format)

    def _in_order(self, children: dict[str, ChildSitemap], layout: Layout) -> Iterator[ChildSitemap]:
        """The order is that of the committed index, with the files of other builds; new ones are last."""
        for number, file in enumerate(self._committed.files):
            if file.other and layout.format == "xml":
                yield ChildSitemap(file.loc, file.lastmod)
            elif (shard := self._by_file.get(number)) and shard.name in children:
                yield children.pop(shard.name)
        yield from children.values()

    def _keep(self, file: CommittedFile) -> Shard:
        shard = self._make_shard(_SUFFIXES.sub("", file.path))
        shard.keep(file)
        return shard

    def _with_room(self, rendered: Rendered) -> Shard:
        for shard in (self._current, self._shards[-1]):
            if shard.has_room(rendered):
                return shard
        return self._open()

    def _open(self) -> Shard:
        self._number += 1
        while (name := f"{self._layouts[0].stem}-{self._number}") in self._taken:
            self._number += 1
        shard = self._make_shard(name)
        shard.set_markup(self._style_sheets)
        self._shards.append(shard)
        return shard

    def _make_shard(self, name: str) -> Shard:
        layout = self._layouts[0]
        limits = min(layout.urls_per_file, MAX_URLS), min(layout.max_bytes, MAX_BYTES)
        return Shard(name, self._formats, *limits, self._store)

    def _path(self, shard: Shard, layout: Layout) -> str:
        if shard.committed is not None and layout.format == "xml":
            return shard.committed.path
        return f"{shard.name}{layout.suffix}"

    def _child_url(self, shard: Shard, layout: Layout) -> str:
        path = self._path(shard, layout)
        if shard.committed is None:
            return f"{layout.address.rpartition('/')[0]}/{path.rpartition('/')[2]}"
        return shard.committed.loc if layout.format == "xml" else _SUFFIXES.sub("", shard.committed.loc) + layout.suffix


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


def _file(path: str, content: bytes | FileBytes, urls: int, format_name: Format) -> SitemapFile:
    return SitemapFile(path, write.compress(bytes(content)) if path.endswith(".gz") else content, urls, format_name)
