"""A text of so many pieces that joining them one by one, as libxml2 does, would take quadratic time: found before.

Each reference, comment, CDATA section and line of a text ends a piece, and with each the whole is measured again.
Nearly every document is passed by a search for end tags, one of which is in every 64 KiB; only another one is parsed.
"""

from collections.abc import Iterable
from xml.parsers import expat

from sitemap_action.model.sitemap import Fault
from sitemap_action.sitemap.pending_input import MAX_TOKEN, TOO_LONG, PendingInput

_WORK = 2**35
"""Characters that may be measured in one document: half a second, and a hundred times what long descriptions need."""

_FULL = 32_768  # bytes of a chunk that is not the last of a short document
_ROOTS = (b"<urlset", b"<sitemapindex")


def may_have_long_text(chunks: Iterable[bytes]) -> bool:
    """Whether a chunk has no end tag, or holds behind the start of the root anything that may look like one."""
    before, started = b"", False
    for chunk in chunks:
        piece = before + chunk
        if not started:
            started = True
            piece = next((piece[piece.index(root) :] for root in _ROOTS if root in piece), piece)
        if (b"</" not in piece and len(chunk) > _FULL) or b"<!" in piece or b"<?" in piece:
            return True
        before = chunk[-1:]
    return False


def long_text(chunks: Iterable[bytes]) -> Fault | None:
    """Where joining texts becomes too much work, or a token is too long; None where nothing is, or can be parsed."""
    search = _Search()
    pending = PendingInput(search.expat)
    try:
        for chunk in chunks:
            if not pending.add(chunk):
                continue
            search.expat.Parse(pending.take(), False)
            if search.line:
                return Fault("text-too-long", search.line)
            if pending.measure() > MAX_TOKEN:
                return Fault("too-much", search.expat.CurrentLineNumber, TOO_LONG, fatal=True)
    except (expat.ExpatError, LookupError, ValueError):  # the last two: an encoding that is unknown, or has wide codes
        return None  # the validator says it better
    return None


class _Search:
    """Adds up the characters before each piece of a text."""

    def __init__(self) -> None:
        self.line = self._length = self._work = 0
        self._next = 0  # byte after the last piece
        self.expat = expat.ParserCreate()
        self.expat.CharacterDataHandler = self._text
        self.expat.StartElementHandler = self.expat.EndElementHandler = self._tag

    def _text(self, text: str) -> None:
        start = self.expat.CurrentByteIndex
        if start != self._next or not text.isspace():  # blank lines are one piece
            self._work += self._length
        self._next = start + len(text)
        self._length += len(text)
        if self._work > _WORK and not self.line:
            self.line = self.expat.CurrentLineNumber

    def _tag(self, *_: object) -> None:
        self._length = 0
