"""The body of an RSS or Atom feed: one entry for each item, with its own kind of date (SM-67)."""

from sitemap_action.model.sitemap import DocumentKind, Entry, Fault
from sitemap_action.sitemap.faults import stop
from sitemap_action.sitemap.parser import Parser

_WHITE = " \t\r\n"
_RSS = {"link": "link", "pubDate": "date"}
_ATOM = {"link": "link", "updated": "date", "modified": "date"}


class Feed:
    """Expat's callbacks below the root."""

    def __init__(self, parser: Parser, namespace: str, kind: DocumentKind) -> None:
        own = f"{namespace} " if namespace else ""
        self._parser = parser
        self._atom = kind is DocumentKind.ATOM
        self._item = f"{own}entry" if self._atom else f"{own}item"
        self._fields = {f"{own}{name}": field for name, field in (_ATOM if self._atom else _RSS).items()}
        self._depth = self._count = self._line = 0
        self._at = 0  # depth of the open item, 0 when none is open
        self._values: dict[str, str] = {}
        parser.expat.StartElementHandler = self._start
        parser.expat.EndElementHandler = self._end

    def _start(self, name: str, attributes: list[str]) -> None:
        self._depth += 1
        self._parser.text.clear()
        if self._depth > self._parser.limits.depth:
            stop("too-much", self._parser.line, f"elements nested more than {self._parser.limits.depth} deep")
        if name == self._item and not self._at:
            self._at, self._line = self._depth, self._parser.line
            self._values = {}
        elif self._atom and self._depth == self._at + 1 and self._fields.get(name) == "link" and self._at:
            self._link(self._parser.pairs(attributes))

    def _end(self, name: str) -> None:
        if self._at and self._depth == self._at + 1 and name in self._fields:
            value = self._parser.take().strip(_WHITE)
            if value:
                self._values.setdefault(self._fields[name], value)
        elif self._at and self._depth == self._at:
            self._close()
            self._at = 0
        self._parser.text.clear()
        self._depth -= 1

    def run(self, _piece: bytes) -> int:
        """Items of a feed go the long way."""
        return 0

    def shorten(self) -> None:
        """Between two pieces of the document."""
        self._parser.shorten()

    def _link(self, attributes: dict[str, str]) -> None:
        """The page itself is the first link that says `alternate`, or says nothing (RFC 4287 §4.2.7.2)."""
        href = attributes.get("href", "").strip(_WHITE)
        if href and attributes.get("rel", "alternate").strip(_WHITE) == "alternate":
            self._values.setdefault("link", href)

    def _close(self) -> None:
        link = self._values.get("link")
        if not link:
            self._parser.events.append(Fault("feed-link", self._line))
            return
        self._count += 1
        if self._count > self._parser.limits.entries:
            stop("too-much", self._line, f"more than {self._parser.limits.entries:,} items")
        date = self._values.get("date", "")
        lastmod = date if self._atom else _rfc_822(date)
        if date and not lastmod:
            self._parser.events.append(Fault("feed-date", self._line, date[:60]))
        self._parser.events.append(Entry(link, lastmod, line=self._line))


def _rfc_822(date: str) -> str:
    """An RSS date in the form that <lastmod> has; "" when it is none or names no zone."""
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 - only a feed has such dates

    try:
        found = parsedate_to_datetime(date[:60])
    except (ValueError, IndexError, TypeError, OverflowError):
        return ""
    return found.isoformat() if found.tzinfo else ""
