"""The body of a feed: items of RSS and entries of Atom, with the address and the date of each."""

import re

from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.sitemap import DocumentKind, Entry, Fault
from sitemap_action.sitemap.body import XmlParser
from sitemap_action.sitemap.faults import stop_reading
from sitemap_action.sitemap.protocol import MAX_DEPTH, MAX_ENTRIES, PADDING, SEPARATOR
from sitemap_action.web.urls import resolve

_WHITE = " \t\r\n"
_XML_BASE = f"http://www.w3.org/XML/1998/namespace{SEPARATOR}base"
_SCHEME = lazy_re(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def base_below(base: str, attributes: list[str]) -> str:
    """What links inside an element are relative to (xml:base); `base`: outside of it, "" where it is not known."""
    pairs = zip(attributes[::2], attributes[1::2], strict=True)
    stated = next((value for key, value in pairs if key == _XML_BASE), "").strip(_WHITE)
    return (resolve(base or stated, stated) or "") if stated else base


_RSS = {"link": "link", "guid": "guid", "pubDate": "date"}
_ATOM = {"link": "link", "updated": "date", "modified": "date"}


class FeedBody:
    """Expat's callbacks below the root."""

    def __init__(self, parser: XmlParser, namespace: str, kind: DocumentKind, base: str) -> None:
        """`base`: URL that links of an Atom feed are relative to, "" where it is not known (RFC 4287 §2, xml:base)."""
        prefix = f"{namespace}{SEPARATOR}" if namespace else ""
        self._parser = parser
        self._bases = [(0, base)]  # of open elements that state one, with their depth
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
        if self._depth > MAX_DEPTH:
            stop_reading("too-much", self._parser.line, f"elements nested more than {MAX_DEPTH} deep")
        if attributes and self._atom and (base := base_below(self._bases[-1][1], attributes)) != self._bases[-1][1]:
            self._bases.append((self._depth, base))
        if name == self._item and not self._item_depth:
            self._item_depth, self._line = self._depth, self._parser.line
            self._values = {}
        elif (
            self._atom and self._depth == self._item_depth + 1 and self._fields.get(name) == "link" and self._item_depth
        ):
            self._link(self._parser.pairs(attributes))
        elif attributes and self._depth == self._item_depth + 1 and self._fields.get(name) == "guid":
            self._permalink = self._parser.pairs(attributes).get("isPermaLink", "").strip(_WHITE).lower() != "false"

    def _end(self, name: str) -> None:
        if self._item_depth and self._depth == self._item_depth + 1 and name in self._fields:
            field, value = self._fields[name], self._parser.take_text().strip(_WHITE)
            if value and (field != "guid" or self._permalink):
                self._values.setdefault(field, value)
            self._permalink = True
        elif self._item_depth and self._depth == self._item_depth:
            self._close()
            self._item_depth = 0
        self._parser.text.clear()
        if self._bases[-1][0] == self._depth:
            self._bases.pop()
        self._depth -= 1

    def fast_path(self, _piece: bytes) -> int:
        """There is none for items of a feed."""
        return 0

    def truncate_text(self) -> None:
        """Called between two pieces of the document."""
        self._parser.truncate_text()

    def _link(self, attributes: dict[str, str]) -> None:
        """The page itself is the first link with rel `alternate`, or without rel (RFC 4287 §4.2.7.2)."""
        href = attributes.get("href", "").strip(_WHITE)
        if href and attributes.get("rel", "alternate").strip(_WHITE) == "alternate":
            relative = "link" not in self._values and not _SCHEME.match(href)
            self._values.setdefault("link", (relative and resolve(self._bases[-1][1], href)) or href)

    def _close(self) -> None:
        link = self._values.get("link") or self._values.get("guid")
        if not link:
            self._parser.events.append(Fault("feed-link", self._line))
            return
        self._count += 1
        if self._count > MAX_ENTRIES:
            stop_reading("too-much", self._line, f"more than {MAX_ENTRIES:,} items")
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
