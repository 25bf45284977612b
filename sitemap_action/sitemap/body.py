"""The body of a urlset, an index or a text file: entries, children and their faults, in one pass.

Elements are matched by local name in the namespace of the root (SM-05). Most entries have <loc> and <lastmod> alone;
that path is one branch per callback. Runs of simple entries are matched by a regular expression instead of expat, twice
as fast: an entry is simple when it has nothing but text in order and the parser would report no fault in it; the first
that is not, and everything after it in the same piece, is left to the parser.
"""

from xml.parsers import expat

from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.page import Alternate
from sitemap_action.model.sitemap import ChildSitemap, DocumentKind, Entry, Fault, SitemapEvent
from sitemap_action.sitemap.extensions import ExtensionElements, NamespacePrefixes, unescape
from sitemap_action.sitemap.faults import stop_reading, truncate
from sitemap_action.sitemap.protocol import (
    EXTENSIONS,
    IMAGE,
    MAX_ATTRIBUTES,
    MAX_DEPTH,
    MAX_ENTRIES,
    MAX_INVALID,
    MAX_TEXT,
    NEWS,
    PADDING,
    SEPARATOR,
    VIDEO,
    XHTML,
    XSI,
    is_sitemap,
)


class XmlParser:
    """State of one XML document. Character data is appended to `text`; its reader clears it."""

    def __init__(self, events: list[SitemapEvent], skipped: int) -> None:
        """`skipped`: lines removed before the first byte."""
        self.events = events
        self.skipped = skipped
        self.prefixes = NamespacePrefixes()
        self.text: list[str] = []
        self.expat = expat.ParserCreate("UTF-8", SEPARATOR)
        self.expat.buffer_text = True
        self.expat.buffer_size = MAX_TEXT
        self.expat.ordered_attributes = True
        self.expat.CharacterDataHandler = self.text.append
        self.cdata = False  # a CDATA section is open
        self.expat.StartCdataSectionHandler = self._open_cdata
        self.expat.EndCdataSectionHandler = self._close_cdata

    def _open_cdata(self) -> None:
        self.cdata = True

    def _close_cdata(self) -> None:
        self.cdata = False

    @property
    def line(self) -> int:
        return self.expat.CurrentLineNumber + self.skipped

    def fault(self, code: str, detail: str = "") -> None:
        self.events.append(Fault(code, self.line, truncate(detail)))

    def take_text(self) -> str:
        """Returns the text so far and clears it; "" when it is too long for a value."""
        text = "".join(self.text)
        self.text.clear()
        if len(text) > MAX_TEXT:
            self.fault("text-too-long")
            return ""
        return text

    def truncate_text(self, mark: int = 0) -> None:
        """Bounds memory: keeps of the text from index `mark` on only enough to show that it is too long for a value."""
        if sum(map(len, self.text[mark:])) > MAX_TEXT:
            self.text[mark:] = ["".join(self.text[mark:])[: MAX_TEXT + 1]]

    def pairs(self, attributes: list[str]) -> dict[str, str]:
        """Expat's names, which begin with their namespace → values."""
        if len(attributes) > 2 * MAX_ATTRIBUTES:
            self.fault("attribute", f"more than {MAX_ATTRIBUTES} on one element; the others are ignored")
            del attributes[2 * MAX_ATTRIBUTES :]
        return dict(zip(attributes[::2], attributes[1::2], strict=True))


_CHARACTER = r"[!-%'-;=?-~]"  # printable ASCII but space, & < >
_URL = rf"({_CHARACTER}{{1,4096}}+(?:&(?:amp|lt|gt|quot|apos);{_CHARACTER}{{0,4096}}+){{0,100}}+)"
_WHITE_SPACE = r"[ \t\r\n]*+"
_SIMPLE_FIELDS = "".join(
    rf"(?:<{name}>({_CHARACTER}{{1,100}}+)</{name}>{_WHITE_SPACE})?" for name in ("lastmod", "changefreq", "priority")
)
_SIMPLE_ENTRY = lazy_re(rf"{_WHITE_SPACE}(<)url>{_WHITE_SPACE}<loc>{_URL}</loc>{_WHITE_SPACE}{_SIMPLE_FIELDS}</url>")

ENTRY_END = b"</url>"
"""Where chunks are cut into pieces, so that a piece begins with a run."""


def match_entries(piece: bytes, line: int, events: list[SitemapEvent], limit: int) -> int:
    """Append the entries that a piece of UTF-8 begins with, at most `limit`; returns how many bytes they have.

    The piece begins directly below a urlset whose default namespace is that of the protocol; `line`: of its first byte.
    """
    text = piece.decode("latin-1")  # as many characters as bytes; what is matched is ASCII
    if "\r" in text and text.count("\r") != text.count("\r\n"):
        return 0  # a lone CR ends a line for expat, but not here
    position = counted = 0
    while limit and (found := _SIMPLE_ENTRY.match(text, position)):
        begin, position = found.start(1), found.end()
        line += text.count("\n", counted, begin)
        counted = begin
        loc, lastmod, changefreq, priority = found.group(2, 3, 4, 5)
        if "&" in loc:
            loc = unescape(loc)
        # Positional: made for every entry.
        events.append(Entry(loc, lastmod or "", changefreq or "", priority or "", (), (), (), line))
        limit -= 1
    return position


_FIELDS = ("loc", "lastmod", "changefreq", "priority")
_EMPTY = ("missing-loc", "empty-lastmod", "changefreq", "priority")
_EXTENSION_ELEMENTS = frozenset(
    (f"{IMAGE}{SEPARATOR}image", f"{VIDEO}{SEPARATOR}video", f"{NEWS}{SEPARATOR}news", f"{XHTML}{SEPARATOR}link")
)
_NO_EXTENSIONS: tuple[tuple[Alternate, ...], tuple[str, ...], tuple[str, ...]] = ((), (), ())
_WHITE = " \t\r\n"


class SitemapBody:
    """Expat's callbacks below the root; depth 1 is an entry, depth 2 its fields."""

    def __init__(self, parser: XmlParser, namespace: str, kind: DocumentKind, *, default: bool) -> None:
        """`default`: elements without prefix are in the root's namespace."""
        self._parser = parser
        self._expat = parser.expat
        self._skipped = parser.skipped
        self._events = parser.events
        self._text = parser.text
        self._item_name = "sitemap" if kind is DocumentKind.INDEX else "url"
        prefix = f"{namespace}{SEPARATOR}" if namespace else ""
        self._prefix = prefix
        self._items = {f"{prefix}url": Entry, f"{prefix}sitemap": ChildSitemap}
        self._fields = {f"{prefix}{name}": field for field, name in enumerate(_FIELDS)}
        self._has_fast_path = default and kind is DocumentKind.URLSET
        self._extensions = ExtensionElements(parser.prefixes)
        self._depth = self._count = 0
        self._item: type[Entry | ChildSitemap] = Entry
        self._field = self._last = -1  # index in _FIELDS: of the open one, of the last in order
        self._line = 0
        self._values: list[str | None] = []
        self._mark = 0  # length of `text` where the open field began
        self._skipped_depth = self._skipped_mark = 0  # of the element that is skipped, the latter as `_mark`
        self._resume()

    def _start(self, name: str, attributes: list[str]) -> None:
        self._depth = depth = self._depth + 1
        if attributes and name.startswith(self._prefix):
            self._attributes(attributes)
        if depth == 2:
            self._mark = len(self._text)
            field = self._fields.get(name, -1)
            if field > self._last:
                self._field = self._last = field
            else:
                self._unexpected_field(name, attributes, field)
        elif depth == 1:
            self._open(name)
        else:
            self._parser.fault("unknown-element", name.rpartition(SEPARATOR)[2])
            self._skip()

    def _end(self, _: str) -> None:
        self._depth = depth = self._depth - 1
        if depth == 1:
            text = self._text
            value = text.pop() if len(text) == self._mark + 1 else self._joined_text()
            size = len(value)
            if 0 < size <= MAX_TEXT and "~" >= value[0] > " " < value[-1] <= "~" and not self._values[self._field]:
                self._values[self._field] = value
            else:
                self._unexpected_value(value)
        elif depth == 0:
            self._close()
        else:
            self._stray()

    def _open(self, name: str) -> None:
        item = self._items.get(name)
        if item is None:
            self._unexpected_item(name)
            return
        self._item = item
        self._last = -1
        self._values = [None, None, None, None]
        self._line = self._expat.CurrentLineNumber + self._skipped
        if (item is ChildSitemap) is (self._item_name == "url"):
            self._parser.fault("mixed")

    def _unexpected_value(self, value: str) -> None:
        """A value that is empty, padded, too long or the second of its field."""
        field = self._field
        if len(value) > MAX_TEXT:
            self._parser.fault("text-too-long", _FIELDS[field])
            value = ""
        stripped = value.strip(_WHITE if field else PADDING)
        if len(stripped) != len(value):
            if field == 0:
                self._parser.fault("padded-loc", stripped)
            elif field == 2:
                self._parser.fault("changefreq", f"white space around {stripped!r}")
        if not stripped:
            self._parser.fault(_EMPTY[field])
        if not self._values[field]:
            self._values[field] = stripped

    def fast_path(self, piece: bytes) -> int:
        """Matches the simple entries that a piece begins with; returns their bytes, 0 where no entry may begin."""
        if self._depth or not self._has_fast_path:
            return 0
        if "".join(self._text).strip(_WHITE):
            return 0  # stray text, which is reported with the next entry
        self._text.clear()  # line ends of earlier matches, which would be joined with every piece
        before = len(self._events)
        matched = match_entries(piece, self._parser.line, self._events, MAX_ENTRIES - self._count)
        self._count += len(self._events) - before
        return matched

    def truncate_text(self) -> None:
        """Called between two pieces of the document."""
        self._parser.truncate_text(self._mark if self._depth == 2 else 0)

    def _joined_text(self) -> str:
        """Text that expat reported in more or fewer than one piece."""
        value = "".join(self._text[self._mark :])
        del self._text[self._mark :]
        return value

    def _close(self) -> None:
        if not "".join(self._text).isspace():
            self._stray()
        self._text.clear()
        loc, lastmod, changefreq, priority = self._values
        self._count += 1
        if self._count > MAX_ENTRIES:
            stop_reading("too-much", self._line, f"more than {MAX_ENTRIES:,} entries")
        if not loc:
            self._extensions.clear()
            if loc is None:
                self._events.append(Fault("missing-loc", self._line))
        elif self._item is ChildSitemap:
            self._events.append(ChildSitemap(loc, lastmod or "", self._line))
        else:
            # Positional: made for every entry.
            extensions = self._extensions.take() if self._extensions.elements else _NO_EXTENSIONS
            self._events.append(Entry(loc, lastmod or "", changefreq or "", priority or "", *extensions, self._line))

    def _stray(self) -> None:
        """Text where only elements are allowed (SM-15)."""
        text = "".join(self._text)
        if stray := text.strip(_WHITE):
            line = self._parser.line - text.count("\n", text.index(stray))
            self._events.append(Fault("stray-text", line, truncate(stray, 60)))

    def _attributes(self, attributes: list[str]) -> None:
        for name in self._parser.pairs(attributes):
            if not name.startswith(f"{XSI}{SEPARATOR}"):
                self._parser.fault("attribute", name.rpartition(SEPARATOR)[2])

    def _unexpected_item(self, name: str) -> None:
        """A child of the root in another namespace: one spelled differently, an extension, or unknown."""
        namespace, _, local = name.rpartition(SEPARATOR)
        if local in {"url", "sitemap"} and is_sitemap(namespace):
            self._parser.fault("namespace", f"<{local}> in {namespace or 'no namespace'}")
            self._items[name] = Entry if local == "url" else ChildSitemap
            self._open(name)
        elif is_sitemap(namespace):
            self._parser.fault("unknown-element", local)
            self._skip()
        else:
            self._skip()

    def _unexpected_field(self, name: str, attributes: list[str], field: int) -> None:
        """A child of an entry that is no field, or a field out of order."""
        namespace, _, local = name.rpartition(SEPARATOR)
        if field >= 0:
            self._repeated_field(field)
        elif not is_sitemap(namespace):
            self._extension(name, attributes)
        elif local in _FIELDS:
            self._parser.fault("namespace", f"<{local}> in {namespace or 'no namespace'}")
            self._field = self._fields[name] = _FIELDS.index(local)
            self._last = max(self._last, self._field)
        else:
            self._parser.fault("unknown-element", local)
            self._skip()

    def _repeated_field(self, field: int) -> None:
        """A field after one that should follow it, or for the second time (SM-14, SM-20)."""
        self._field = field
        if self._values[field] is None:
            self._parser.fault("order", _FIELDS[field])
        else:
            self._parser.fault("duplicate-loc" if field == 0 else "duplicate-child", _FIELDS[field])

    def _skip(self) -> None:
        """Skip the element that just began, with all its content."""
        self._skipped_mark = len(self._text)
        self._skipped_depth = 0
        self._expat.StartElementHandler = self._skip_start
        self._expat.EndElementHandler = self._skip_end

    def _skip_start(self, _name: str, _attributes: list[str]) -> None:
        self._skipped_depth += 1
        if self._skipped_depth > MAX_DEPTH:
            stop_reading("too-much", self._parser.line, f"elements nested more than {MAX_DEPTH} deep")

    def _skip_end(self, _: str) -> None:
        del self._text[self._skipped_mark :]
        self._skipped_depth -= 1
        if self._skipped_depth < 0:
            self._depth -= 1
            self._resume()

    def _resume(self) -> None:
        self._expat.StartElementHandler = self._start
        self._expat.EndElementHandler = self._end

    def _extension(self, name: str, attributes: list[str]) -> None:
        if name not in _EXTENSION_ELEMENTS and name.rpartition(SEPARATOR)[0] in EXTENSIONS.values():
            self._parser.fault("extension-element", name.rpartition(SEPARATOR)[2])
        self._depth -= 1
        self._stray()
        self._text.clear()
        self._extensions.start(name, attributes, "", self._parser.line)
        self._expat.StartElementHandler = self._extension_start
        self._expat.EndElementHandler = self._extension_end

    def _extension_start(self, name: str, attributes: list[str]) -> None:
        self._extensions.start(name, attributes, self._parser.take_text(), self._parser.line)

    def _extension_end(self, name: str) -> None:
        if self._extensions.end(name, self._parser.take_text(), self._parser.line):
            self._resume()


_TEXT_WHITE = b" \t\r\n\f\v"


class TextParser:
    """Takes pieces of a text file; `kind` is None until a line was a URL."""

    def __init__(self, events: list[SitemapEvent], skipped: int) -> None:
        self.kind: DocumentKind | None = None
        self.namespaces: list[str] = []
        self._events = events
        self._rest = bytearray()
        self._line = skipped
        self._count = self._invalid = 0
        self._overlong = False

    def feed(self, chunk: bytes) -> None:
        ends = b"\n" in chunk or b"\r" in chunk or self._rest.endswith(b"\r")
        self._rest += chunk
        if ends:
            lines = self._rest.splitlines(keepends=True)
            self._rest = lines.pop() if lines and not lines[-1].endswith(b"\n") else bytearray()
            for line in lines:
                self._parse_line(line)
        if len(self._rest) > MAX_TEXT:
            self._rest = bytearray()
            self._overlong = True

    def close(self) -> None:
        if self._rest or self._overlong:
            self._parse_line(self._rest)
        if self.kind is None:
            stop_reading("unknown-root", detail="neither XML nor a list of URLs")

    def _parse_line(self, raw: bytearray) -> None:
        self._line += 1
        if self._overlong or len(raw) > MAX_TEXT:  # however many pieces it came in
            self._overlong = False
            self._not_a_url("")
            return
        line = raw.strip(_TEXT_WHITE)
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
        if self._count > MAX_ENTRIES:
            stop_reading("too-much", self._line, f"more than {MAX_ENTRIES:,} URLs")
        self.kind = DocumentKind.TEXT
        self._events.append(Entry(url, line=self._line))

    def _not_a_url(self, detail: str) -> None:
        self._events.append(Fault("text-line", self._line, detail))
        self._invalid += 1
        if self.kind is None and self._invalid >= MAX_INVALID:
            stop_reading("unknown-root", self._line, "neither XML nor a list of URLs")
