"""Text files, RSS and Atom feeds as sitemaps: what they have of URLs and dates."""

from sitemap_action.model.sitemap import DocumentKind, Entry, Fault, SitemapEvent
from sitemap_action.sitemap.body import XmlParser
from sitemap_action.sitemap.faults import stop_reading, truncate
from sitemap_action.sitemap.protocol import PADDING, ReadLimits

_WHITE = b" \t\r\n\f\v"


class TextParser:
    """Takes pieces of a text file; `kind` is None until a line was a URL."""

    def __init__(self, events: list[SitemapEvent], limits: ReadLimits, skipped: int) -> None:
        self.kind: DocumentKind | None = None
        self.namespaces: list[str] = []
        self._events = events
        self._limits = limits
        self._rest = b""
        self._line = skipped
        self._count = self._invalid = 0
        self._overlong = False

    def feed(self, chunk: bytes) -> None:
        lines = (self._rest + chunk).splitlines(keepends=True)
        self._rest = lines.pop() if lines and not lines[-1].endswith(b"\n") else b""
        for line in lines:
            self._parse_line(line)
        if len(self._rest) > self._limits.text:
            self._rest = b""
            self._overlong = True

    def close(self) -> None:
        if self._rest or self._overlong:
            self._parse_line(self._rest)
        if self.kind is None:
            stop_reading("unknown-root", detail="neither XML nor a list of URLs")

    def _parse_line(self, raw: bytes) -> None:
        self._line += 1
        if self._overlong or len(raw) > self._limits.text:  # however many pieces it came in
            self._overlong = False
            self._not_a_url("")
            return
        line = raw.strip(_WHITE)
        if not line:
            return
        try:
            text = line.decode()
        except UnicodeDecodeError:
            self._events.append(Fault("encoding", self._line, "the line is not UTF-8; it is left out"))
            return
        if (url := text.strip(PADDING)) != text:
            self._events.append(Fault("padded-loc", self._line, truncate(url, 80)))
        if url[:8].lower().partition("//")[0] not in {"http:", "https:"} or len(url.split()) != 1:
            self._not_a_url(truncate(url, 80))
            return
        self._count += 1
        if self._count > self._limits.entries:
            stop_reading("too-much", self._line, f"more than {self._limits.entries:,} URLs")
        self.kind = DocumentKind.TEXT
        self._events.append(Entry(url, line=self._line))

    def _not_a_url(self, detail: str) -> None:
        self._events.append(Fault("text-line", self._line, detail))
        self._invalid += 1
        if self.kind is None and self._invalid >= self._limits.faults:
            stop_reading("unknown-root", self._line, "neither XML nor a list of URLs")


_XML_WHITE = " \t\r\n"
_RSS = {"link": "link", "guid": "guid", "pubDate": "date"}
_ATOM = {"link": "link", "updated": "date", "modified": "date"}


class FeedBody:
    """Expat's callbacks below the root."""

    def __init__(self, parser: XmlParser, namespace: str, kind: DocumentKind) -> None:
        prefix = f"{namespace} " if namespace else ""
        self._parser = parser
        self._atom = kind is DocumentKind.ATOM
        self._item = f"{prefix}entry" if self._atom else f"{prefix}item"
        self._fields = {f"{prefix}{name}": field for name, field in (_ATOM if self._atom else _RSS).items()}
        self._depth = self._count = self._line = 0
        self._item_depth = 0  # of the open item, 0 when none is open
        self._values: dict[str, str] = {}
        self._permalink = True  # the open <guid> is the URL of the page, unless it says otherwise (RSS 2.0)
        parser.expat.StartElementHandler = self._start
        parser.expat.EndElementHandler = self._end

    def _start(self, name: str, attributes: list[str]) -> None:
        self._depth += 1
        self._parser.text.clear()
        if self._depth > self._parser.limits.depth:
            stop_reading("too-much", self._parser.line, f"elements nested more than {self._parser.limits.depth} deep")
        if name == self._item and not self._item_depth:
            self._item_depth, self._line = self._depth, self._parser.line
            self._values = {}
        elif (
            self._atom and self._depth == self._item_depth + 1 and self._fields.get(name) == "link" and self._item_depth
        ):
            self._link(self._parser.pairs(attributes))
        elif attributes and self._depth == self._item_depth + 1 and self._fields.get(name) == "guid":
            self._permalink = self._parser.pairs(attributes).get("isPermaLink", "").strip(_XML_WHITE).lower() != "false"

    def _end(self, name: str) -> None:
        if self._item_depth and self._depth == self._item_depth + 1 and name in self._fields:
            field, value = self._fields[name], self._parser.take_text().strip(_XML_WHITE)
            if value and (field != "guid" or self._permalink):
                self._values.setdefault(field, value)
            self._permalink = True
        elif self._item_depth and self._depth == self._item_depth:
            self._close()
            self._item_depth = 0
        self._parser.text.clear()
        self._depth -= 1

    def fast_path(self, _piece: bytes) -> int:
        """There is none for items of a feed."""
        return 0

    def truncate_text(self) -> None:
        """Called between two pieces of the document."""
        self._parser.truncate_text()

    def _link(self, attributes: dict[str, str]) -> None:
        """The page itself is the first link with rel `alternate`, or without rel (RFC 4287 §4.2.7.2)."""
        href = attributes.get("href", "").strip(_XML_WHITE)
        if href and attributes.get("rel", "alternate").strip(_XML_WHITE) == "alternate":
            self._values.setdefault("link", href)

    def _close(self) -> None:
        link = self._values.get("link") or self._values.get("guid")
        if not link:
            self._parser.events.append(Fault("feed-link", self._line))
            return
        self._count += 1
        if self._count > self._parser.limits.entries:
            stop_reading("too-much", self._line, f"more than {self._parser.limits.entries:,} items")
        if (page := link.strip(PADDING)) != link:
            self._parser.events.append(Fault("padded-loc", self._line, page))
        date = self._values.get("date", "")
        lastmod = date if self._atom else _rfc_822(date)
        if date and not lastmod:
            self._parser.events.append(Fault("feed-date", self._line, date[:60]))
        self._parser.events.append(Entry(page, lastmod, line=self._line))


def _rfc_822(date: str) -> str:
    """An RSS date in the format of <lastmod>; "" when it is invalid or has no zone."""
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 - only a feed has such dates

    try:
        found = parsedate_to_datetime(date[:60])
    except (ValueError, IndexError, TypeError, OverflowError):
        return ""
    return found.isoformat() if found.tzinfo else ""
