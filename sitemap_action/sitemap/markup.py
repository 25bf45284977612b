"""Comments and processing instructions of a sitemap, which stay where they are when it is written again (R-17)."""

from contextlib import suppress
from xml.parsers import expat

from sitemap_action.model.sitemap import NO_MARKUP, Fault, Markup
from sitemap_action.sitemap.faults import StopReading
from sitemap_action.sitemap.inflate import GZIP, inflate
from sitemap_action.sitemap.limits import MAX_BYTES
from sitemap_action.sitemap.loc import url_key
from sitemap_action.sitemap.write import GENERATOR

_LONGEST = 65_536  # characters of one comment
_MOST = 1_048_576  # characters of all comments of a file
_LONGEST_URL = 65_536


def read_markup(content: bytes) -> Markup:
    """The comments and instructions of a document; those before its first fault, where it has one.

    The comment of the generator is none of them. Few files have others, and only these are parsed.
    """
    plain = _inflated(content) if content.startswith(GZIP) else content
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
        self.expat = expat.ParserCreate("UTF-8", " ")
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
        elif self._depth == 2 and name.rpartition(" ")[2] == "loc":
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


def _inflated(content: bytes) -> bytes:
    try:
        return b"".join(inflate(content, _ignore, limit=MAX_BYTES).chunks)
    except StopReading:
        return b""


def _ignore(_fault: Fault) -> None:
    """Faults of the document are the reader's to report."""
