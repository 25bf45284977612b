"""One file of a sitemap while entries are added, in every format that it is written in."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from sitemap_action.model.file_bytes import BlockList, BlockStore, FileBytes
from sitemap_action.model.sitemap import NO_MARKUP, CommittedFile, Entry, Markup
from sitemap_action.sitemap import write
from sitemap_action.sitemap.dates import LatestDate, normal_date
from sitemap_action.sitemap.limits import MAX_NEWS
from sitemap_action.sitemap.loc import url_key

_PIECES, _BLOCK = 500, 64 * 2**10  # so many, or so many bytes, are joined
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
        self._pieces: list[list[str]] = [[] for _ in formats]
        self._blocks = [BlockList(store) for _ in formats]
        self._declarations: frozenset[str] = frozenset()
        self._latest = LatestDate()
        self._news = 0
        self._average = 0  # bytes of a committed entry
        self._size = 0  # with head and foot
        self._pending = 0  # bytes that are not joined yet
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
        """For an entry that is new here; an empty file takes any."""
        return not (self.urls or self.expected) or self.fits(rendered, self.expected)

    def add(self, rendered: Rendered) -> None:
        for pieces, text in zip(self._pieces, rendered.texts, strict=True):
            pieces.append(text)
        self._size += rendered.size
        self.urls += rendered.urls
        self._news += rendered.news
        self._pending += rendered.size
        if len(self._pieces[0]) == _PIECES or self._pending >= _BLOCK:
            self._join()
        if not rendered.declarations <= self._declarations:
            self._declare(self._declarations | rendered.declarations)
        for lastmod in rendered.lastmods:
            self._latest.add(lastmod)

    def content(self, at: int) -> FileBytes:
        """In the format of this number."""
        self._join()
        return self._blocks[at].between(*self._head_and_foot(self._formats[at]))

    @property
    def latest(self) -> str:
        """The lastmod of its newest entry, "" when none has one (SM-51)."""
        return normal_date(self._latest.text)

    def _join(self) -> None:
        for pieces, blocks in zip(self._pieces, self._blocks, strict=True):
            blocks.add("".join(pieces))
            pieces.clear()
        self._pending = 0

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
