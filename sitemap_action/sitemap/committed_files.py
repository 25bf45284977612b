"""What stays of a committed sitemap that is written again: files, order, dates of the index, comments (R-17)."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import PurePosixPath
from xml.parsers import expat

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.model.sitemap import NO_MARKUP, CommittedFile, DocumentKind, Fault, Markup
from sitemap_action.sitemap.dates import later_date, normal_date
from sitemap_action.sitemap.decode import GZIP, inflate
from sitemap_action.sitemap.faults import StopReading
from sitemap_action.sitemap.protocol import MAX_BYTES, SEPARATOR, url_key, without_suffix
from sitemap_action.sitemap.write import GENERATOR

_LONGEST = 65_536  # characters of one comment
_MOST = 1_048_576  # characters of all comments of a file
_LONGEST_URL = 65_536


def read_markup(content: bytes) -> Markup:
    """The comments and instructions of a document; those before its first fault, where it has one.

    The comment of the generator is none of them. Few files have others, and only these are parsed.
    """
    plain = _inflate(content) if content.startswith(GZIP) else content
    if plain.count(b"<!--") == plain.count(GENERATOR.encode(), 0, 1024) and plain.count(b"<?") <= 1:
        return NO_MARKUP
    reader = _MarkupReader()
    with suppress(expat.ExpatError, _DoctypeError):
        reader.expat.Parse(plain, True)
    return reader.markup()


class _DoctypeError(Exception):
    """The rest of the document is not read."""


class _MarkupReader:
    """Expat's callbacks: what is between two elements belongs to the one that follows."""

    def __init__(self) -> None:
        self.expat = expat.ParserCreate("UTF-8", SEPARATOR)
        self.expat.buffer_text = True
        self.expat.CommentHandler = self._comment
        self.expat.ProcessingInstructionHandler = self._instruction
        self.expat.StartElementHandler = self._start
        self.expat.EndElementHandler = self._end
        self.expat.StartDoctypeDeclHandler = self._doctype
        self._depth = self._elements = self._length = 0
        self._pending: list[str] = []
        self._loc: list[str] = []
        self._prolog: tuple[str, ...] = ()
        self._first: tuple[str, ...] = ()
        self._before: dict[str, list[str]] = {}
        self._last: tuple[str, ...] = ()

    def markup(self) -> Markup:
        epilog = self._take() if not self._depth and self._elements else ()
        before = {key: tuple(texts) for key, texts in self._before.items()}
        return Markup(self._prolog, self._first, before, self._last, epilog)

    def _comment(self, text: str) -> None:
        if "--" not in text and not text.endswith("-"):
            self._add(f"<!--{text}-->")

    def _instruction(self, target: str, data: str) -> None:
        if "?>" not in data and target.lower() != "xml":
            self._add(f"<?{target} {data}?>" if data else f"<?{target}?>")

    def _add(self, text: str) -> None:
        self._length += len(text)
        if text != GENERATOR and len(text) <= _LONGEST and self._length <= _MOST:
            self._pending.append(text)

    def _start(self, name: str, _attributes: dict[str, str]) -> None:
        self._elements += 1
        if self._depth == 0:
            self._prolog = self._take()
        elif self._depth == 1:
            self._loc.clear()
            if self._elements == 2:
                self._first = self._take()
        elif self._depth == 2 and name.rpartition(SEPARATOR)[2] == "loc":
            self.expat.CharacterDataHandler = self._text
        self._depth += 1

    def _end(self, _name: str) -> None:
        self._depth -= 1
        self.expat.CharacterDataHandler = None
        if self._depth == 1 and self._pending:
            key = url_key("".join(self._loc).strip()[:_LONGEST_URL])
            self._before.setdefault(key, []).extend(self._take())
        elif self._depth == 0:
            self._last = self._take()

    def _text(self, text: str) -> None:
        self._loc.append(text)

    def _doctype(self, *_: object) -> None:
        raise _DoctypeError

    def _take(self) -> tuple[str, ...]:
        taken = tuple(self._pending)
        self._pending.clear()
        return taken


def _inflate(content: bytes) -> bytes:
    try:
        return b"".join(inflate(content, _ignore, limit=MAX_BYTES)[0])
    except StopReading:
        return b""


def _ignore(_fault: Fault) -> None:
    """Faults of the document are the reader's to report."""


_WRITTEN = (".xml", ".xml.gz")
_STYLE_SHEET = "<?xml-stylesheet "


def _never(_path: str, _content: bytes) -> bool:
    return False


class CommittedSitemap(Struct, frozen=True):
    """`unchanged` is whether the committed file at a path has these bytes."""

    files: tuple[CommittedFile, ...] = ()
    unchanged: Callable[[str, bytes], bool] = _never
    others: Collection[str] = ()  # numbered files beside them that nobody knows to be ours
    shards: Collection[str] = ()  # numbered files of an earlier run

    @property
    def is_index(self) -> bool:
        return bool(self.files) and self.files[0].kind is DocumentKind.INDEX

    def markup(self, path: str) -> Markup:
        return next((file.markup for file in self.files if file.path == path), NO_MARKUP)

    def comments(self) -> Mapping[str, tuple[str, ...]]:
        """The comments before entries, by URL, whatever file the entry is in."""
        found: dict[str, tuple[str, ...]] = {}
        for file in self.files:
            if file.kind is DocumentKind.URLSET and not file.other:
                found.update(file.markup.before)
        return found

    def style_sheets(self) -> Markup:
        """What a new file begins with: the style sheets of the first file with entries."""
        of = next((file for file in self.files if file.kind is DocumentKind.URLSET and not file.other), None)
        return Markup(tuple(one for one in of.markup.prolog if one.startswith(_STYLE_SHEET))) if of else NO_MARKUP

    def files_in_place(self, sitemap: str, address: str) -> Iterator[tuple[int, CommittedFile]]:
        """(number, file) of each that is written again at its place, with its URL on the site.

        The index lists it, it is XML, below the directory of the index (SM-62), and in no hidden folder: what the
        committed index names is not trusted with `.github`.
        """
        if not self.is_index or self.files[0].path != sitemap:
            return
        folder, directory = PurePosixPath(sitemap).parent, f"{address.rpartition('/')[0]}/"
        for number, file in enumerate(self.files):
            place = PurePosixPath(file.path)
            if not number or not file.loc or file.other or not place.is_relative_to(folder):
                continue
            if any(part.startswith(".") for part in place.relative_to(folder).parts):
                continue
            loc = url_key(file.loc)
            if not loc.startswith(directory) or "?" in loc:
                loc = f"{directory}{place.name}" if place.parent == folder and "?" not in loc else ""
            if loc and file.kind is DocumentKind.URLSET and file.path.endswith(_WRITTEN):
                yield number, replace(file, loc=loc)

    def taken(self) -> frozenset[str]:
        """Names, without suffix, that no new file gets (R-31); a copy in another format is ours as its file is."""
        ours = {without_suffix(path) for path in (*self.shards, *(file.path for file in self.files))}
        return frozenset(map(without_suffix, self.others)) - ours

    def last_number(self, stem: str) -> int:
        """The highest number of a file that has the name of a numbered one; 0 without any."""
        name = re.compile(rf"{re.escape(stem.rpartition('/')[2])}-([1-9][0-9]{{0,5}})\.(?:xml|txt)(?:\.gz)?")
        found = (name.fullmatch(file.path.rpartition("/")[2]) for file in self.files) if self.is_index else ()
        return max((int(match[1]) for match in found if match), default=0)


NOTHING_COMMITTED = CommittedSitemap()


def child_date(committed: CommittedFile | None, latest: str, *, unchanged: bool) -> str:
    """The <lastmod> of a file in its index (SM-51): it moves only with the bytes of the file.

    `latest`: of its entries. A date that was never set is not invented; one that was does not go back.
    """
    if committed is None:
        return latest
    if unchanged or not committed.lastmod:
        return committed.lastmod
    return later_date(latest, normal_date(committed.lastmod))
