"""Read one sitemap document: bytes in, events out (one Start, then entries, children and faults in document order).

A document passes four stages, each a generator over chunks of 64 KiB at most, so that memory stays flat:

1. `decode.inflate` decompresses gzip, found by its magic bytes, twice at most.
2. `decode.decode` converts to UTF-8, from the encoding of the byte order mark or the XML declaration.
3. The first byte selects a parser: `DocumentParser` (expat) for `<`, else `TextParser`, one URL a line.
   The root selects the body: `body.SitemapBody` (urlset, sitemapindex) or `feed.FeedBody` (RSS, Atom).
4. A urlset has a fast path: `body.match_entries` matches runs of simple entries with one regular expression, and
   expat is given only the rest. It emits exactly the events that expat's callbacks would.

Events collect in one list, which is drained after every chunk. Nothing in the bytes makes `read` raise. A tolerated
error becomes a Fault, and reading continues (`faults.TOLERATED`; how each is read: `TOLERANCES`). Any other raises
StopReading inside, which becomes one fatal Fault after the entries before it (`faults.FATAL`). Sizes, counts and depths
have bounds (`protocol.MAX_…`), far above the limits of the protocol, whose breaches are findings of the checks.
A document with a prefix that it never declares is read a second time, with that declaration
(`extensions.UndeclaredPrefixes`).
"""

import codecs
from collections.abc import Collection, Iterator
from collections.abc import Set as AbstractSet
from itertools import chain, islice
from xml.parsers import expat

from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.sitemap import DocumentKind, DocumentStart, Entry, EntryBatch, Fault, SitemapEvent
from sitemap_action.sitemap.body import ENTRY_END, SitemapBody, TextParser, XmlParser
from sitemap_action.sitemap.decode import MAX_TOKEN, TOO_LONG, PendingInput, decode, inflate, peek
from sitemap_action.sitemap.extensions import UndeclaredPrefixes
from sitemap_action.sitemap.faults import StopReading, UnboundPrefix, stop_reading, truncate
from sitemap_action.sitemap.feed import FeedBody, base_below
from sitemap_action.sitemap.protocol import (
    ATOM,
    ATOM_03,
    EXTENSIONS,
    MAX_ENTRIES,
    MAX_INFLATED,
    SEPARATOR,
    SITEMAP,
    XSI,
    is_misspelled,
)
from sitemap_action.web.urls import MAX_LENGTH, are_normalized

_ROOTS = {"urlset": DocumentKind.URLSET, "sitemapindex": DocumentKind.INDEX}


class DocumentParser:
    """Feeds expat; `kind` is None until the root was parsed."""

    def __init__(self, events: list[SitemapEvent], skipped: int, added: AbstractSet[str], base: str) -> None:
        """`added`: namespaces that the document itself does not declare; `base`: its URL."""
        self._base = base
        self.kind: DocumentKind | None = None
        self.namespaces: list[str] = []
        self._added = added
        self._root_at: int | None = None  # byte offset of its tag
        self._default = ""  # the namespace of elements without prefix below the root
        self._parser = XmlParser(events, skipped)
        self._expat = self._parser.expat
        self._expat.StartElementHandler = self._root
        self._expat.StartNamespaceDeclHandler = self._namespace
        self._expat.StartDoctypeDeclHandler = self._doctype
        self._body: SitemapBody | FeedBody | None = None
        self._rest = b""  # after the last entry of the last chunk
        self._pending = PendingInput(self._expat)
        self._before = b""  # the last bytes that expat was given: what is wrong may begin there

    def feed(self, chunk: bytes) -> None:
        piece = self._rest + chunk
        # Cut after an entry where there is one: the next piece may then begin with entries for the fast path.
        cut = piece.rfind(ENTRY_END) + len(ENTRY_END)
        if cut < len(ENTRY_END):
            cut = len(piece)
        self._rest = piece[cut:]
        self._feed_piece(piece[:cut])

    def close(self) -> None:
        self._feed_piece(self._rest)
        self._parse(final=True)

    def _feed_piece(self, piece: bytes) -> None:
        if self._body and not (self._pending.waiting or self._parser.cdata):
            matched = self._body.fast_path(piece)
            # expat is given the line ends of what it does not parse, so that its line numbers are right.
            piece = b"\n" * piece.count(b"\n", 0, matched) + piece[matched:]
        if self._pending.add(piece):
            self._parse(final=False)

    def _parse(self, *, final: bool) -> None:
        piece = self._pending.take()
        try:
            self._expat.Parse(piece, final)
        except expat.ExpatError as error:
            raise self._failure(error, piece) from None
        self._before = (self._before + piece[-_LOOK_BACK:])[-_LOOK_BACK:]
        if self._pending.measure() > MAX_TOKEN:
            stop_reading("too-much", self._parser.line, TOO_LONG)
        if self._body:
            self._body.truncate_text()

    def _failure(self, error: expat.ExpatError, piece: bytes) -> StopReading:
        line = error.lineno + self._parser.skipped
        message = expat.ErrorString(error.code) or "error"
        if message == expat.errors.XML_ERROR_UNBOUND_PREFIX:
            return UnboundPrefix(line, self._expat.ErrorByteIndex if self._root_at is None else self._root_at)
        if message == expat.errors.XML_ERROR_INVALID_TOKEN:
            seen = self._before + piece
            start = self._expat.ErrorByteIndex - self._pending.parsed + len(seen)
            if start >= 0 and not _is_utf_8(seen[start : start + 4]):
                return StopReading("not-utf-8", line, "a byte that is not UTF-8")
            if bare := _BARE.search(seen, max(0, start - _LOOK_BACK), max(0, start)):
                message = f"a bare {'&, which is written &amp;' if bare[0][:1] == b'&' else '<, which is written &lt;'}"
        return StopReading("malformed", line, message)

    def _namespace(self, prefix: str | None, uri: str | None) -> None:
        prefix, uri = prefix or "", uri or ""
        if self.kind is None and uri not in self._added:
            self.namespaces.append(uri)
        if self.kind is None and not prefix:
            self._default = uri
        if len(self._parser.prefixes.declared) < 1000:
            self._parser.prefixes.declared.setdefault(uri, prefix)
        expected = EXTENSIONS.get(prefix)
        if (expected and uri != expected) or (not expected and is_misspelled(uri)):
            self._parser.fault("extension-namespace", f"{prefix}: {uri}")

    def _doctype(self, name: str, *_: object) -> None:
        if name.lower() == "html":
            stop_reading("unknown-root", self._parser.line, "an HTML page")
        stop_reading("doctype", self._parser.line)

    def _root(self, name: str, attributes: list[str]) -> None:
        self._root_at = self._expat.CurrentByteIndex
        namespace, _, local = name.rpartition(SEPARATOR)
        if local in _ROOTS:
            self.kind = _ROOTS[local]
            if namespace != SITEMAP:
                self._parser.fault("namespace", namespace or "no namespace")
            self._root_attributes(attributes)
            self._body = SitemapBody(self._parser, namespace, self.kind, default=namespace == self._default)
        elif local == "rss" or (local == "feed" and namespace in {ATOM, ATOM_03}):
            self.kind = DocumentKind.RSS if local == "rss" else DocumentKind.ATOM
            version = self._parser.pairs(attributes).get("version")
            if namespace == ATOM_03 or (local == "rss" and version != "2.0"):
                self._parser.fault("feed-version")
            self._body = FeedBody(self._parser, namespace, self.kind, base_below(self._base, attributes))
        else:
            stop_reading("unknown-root", self._parser.line, f"the root element is <{truncate(local, 60)}>")

    def _root_attributes(self, attributes: list[str]) -> None:
        for name, value in self._parser.pairs(attributes).items():
            if name == f"{XSI}{SEPARATOR}schemaLocation":
                self._schema_location(value[:10_000].split())
            elif not name.startswith(f"{XSI}{SEPARATOR}"):
                self._parser.fault("attribute", name.rpartition(SEPARATOR)[2])

    def _schema_location(self, tokens: list[str]) -> None:
        """SM-16."""
        pairs = dict(zip(tokens[::2], tokens[1::2], strict=False))
        target = pairs.get(SITEMAP, "").replace("https://", "http://", 1)
        if len(tokens) % 2 or target not in {f"{SITEMAP}/sitemap.xsd", f"{SITEMAP}/siteindex.xsd"}:
            self._parser.fault("schema-location", " ".join(tokens))


_LOOK_BACK = 40  # bytes before a fault
_BARE = lazy_re(rb"(?:&[\w#]*|<)\Z")


def _is_utf_8(head: bytes) -> bool:
    """Whether up to four bytes begin with a UTF-8 character, or are the beginning of one that is cut off."""
    whole = any(_decodes(head[:length], final=True) for length in range(1, len(head) + 1))
    return whole or (len(head) < 4 and _decodes(head, final=False))


def _decodes(data: bytes, *, final: bool) -> bool:
    try:
        codecs.utf_8_decode(data, "strict", final)
    except UnicodeDecodeError:
        return False
    return True


_HTML = (b"<!doctype html", b"<html")
_HEAD = len(_HTML[0])  # bytes that select the parser
_WHITE = b" \t\r\n"


def read(
    data: bytes | Collection[bytes],
    *,
    name: str = "",
    address: str = "",
    inflated: int = MAX_INFLATED,
) -> Iterator[SitemapEvent]:
    """The events of one document, a Start first; it was read to its end when no fault is fatal.

    `name`: of the file or URL, whose suffix (`.gz`, `.txt`) must fit the content; "" when it need not, as where a
    server's Content-Encoding was decoded. `address`: its URL, which relative links of a feed are resolved against.
    `inflated`: bytes, uncompressed, that are read at most.
    """
    return _Reading(name, inflated, address if address.startswith(("http://", "https://")) else "").read(data)


class _Reading:
    """One document between inflate, decode and its parser."""

    def __init__(self, name: str, inflated: int, address: str) -> None:
        self._name, self._inflated, self._address = name, inflated, address
        self._events: list[SitemapEvent] = []
        self._yielded = 0
        self._started = False
        self._undeclared: UndeclaredPrefixes | None = None
        self._document: DocumentParser | TextParser | None = None
        self._encoding = "utf-8"
        self._compressed = False

    def read(self, data: bytes | Collection[bytes]) -> Iterator[SitemapEvent]:
        try:
            for document in self._feed(data):
                if document.kind is not None and self._events:
                    yield from self._drain()
        except UnboundPrefix as unbound:
            if self._undeclared is None:
                yield from self._read_again(data, unbound)
                return
            what = "a prefix that is not declared"  # one that cannot be declared ends the reading
            self._events.append(Fault("malformed", unbound.fault.line, what, fatal=True))
        except StopReading as end:
            self._events.append(end.fault)
        yield from self._drain()

    def _read_again(self, data: bytes | Collection[bytes], unbound: UnboundPrefix) -> Iterator[SitemapEvent]:
        """Read with every prefix declared. What was read before is equal, and is not repeated."""
        again = _Reading(self._name, self._inflated, self._address)
        _, chunks = _Reading(self._name, self._inflated, self._address).stages(data)
        again._undeclared = UndeclaredPrefixes(_before_end(chunks), unbound.root)
        events = again.read(data)
        yield from islice(events, self._yielded, self._yielded + len(self._events) + (not self._started))
        yield Fault(unbound.fault.code, unbound.fault.line, again._undeclared.names)
        yield from events

    def _feed(self, data: bytes | Collection[bytes]) -> Iterator[DocumentParser | TextParser]:
        """Yields after each chunk."""
        document, chunks = self.stages(data)
        self._document = document
        for chunk in chunks:
            document.feed(chunk)
            yield document
        document.close()
        yield document

    def stages(self, data: bytes | Collection[bytes]) -> tuple[DocumentParser | TextParser, Iterator[bytes]]:
        raw, self._compressed = inflate(data, self._events.append, self._name, self._inflated)
        decoded, self._encoding = decode(raw, self._events.append)
        document, chunks = self._skip_white_space(decoded)
        return document, chunks if self._undeclared is None else self._undeclared.declare(chunks)

    def _skip_white_space(self, chunks: Iterator[bytes]) -> tuple[DocumentParser | TextParser, Iterator[bytes]]:
        """White space before the XML declaration is tolerated (SM-04)."""
        skipped = 0
        padded = False
        for chunk in chunks:
            head = chunk.lstrip(_WHITE)
            skipped += chunk[: len(chunk) - len(head)].count(b"\n")
            padded = padded or len(head) < len(chunk)
            if head:
                head, rest = peek(chain((head,), chunks), _HEAD)
                return self._select_parser(head, skipped, padded=padded, chunks=rest)
        return stop_reading("empty-document")

    def _select_parser(
        self, head: bytes, skipped: int, *, padded: bool, chunks: Iterator[bytes]
    ) -> tuple[DocumentParser | TextParser, Iterator[bytes]]:
        def rest() -> Iterator[bytes]:
            yield head
            yield from chunks

        if head[:_HEAD].lower().startswith(_HTML):
            stop_reading("unknown-root", skipped + 1, "an HTML page")
        if not head.startswith(b"<"):
            return TextParser(self._events, skipped), rest()
        if padded and head.startswith(b"<?xml"):
            self._events.append(Fault("leading-whitespace", 1))
        added = self._undeclared.added if self._undeclared is not None else frozenset[str]()
        return DocumentParser(self._events, skipped, added, self._address), rest()

    def _drain(self) -> Iterator[SitemapEvent]:
        if not self._started:
            self._started = True
            self._yielded += 1
            yield self._start()
        self._yielded += len(self._events)
        yield from self._events
        self._events.clear()

    def _start(self) -> DocumentStart:
        document = self._document
        kind = (document and document.kind) or DocumentKind.UNKNOWN
        if kind is DocumentKind.TEXT and not self._name.lower().removesuffix(".gz").endswith(".txt") and self._name:
            self._events.insert(0, Fault("text-name"))
        return DocumentStart(kind, self._encoding, self._compressed, tuple(document.namespaces) if document else ())


def _before_end(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Until the document ends, or cannot be read further."""
    try:
        yield from chunks
    except StopReading:
        return


# The fast path for a whole urlset whose entries have one layout, as programs write them: split into columns. A few
# calls for thousands of entries, half the time of `read`, and as exact: where one byte is not as expected, the file is
# left to `read`, which always parses the bytes before the first entry.

START = b"<url>"
"""The start tag of an entry."""

_BLOCK = 131_072  # bytes, about a thousand entries: they must have one layout, the file may have several
_END = b"</urlset>"
_SPACES = rb"(?:[ \t\n]|\r\n)*+"  # a lone CR ends a line for expat
_GAP = lazy_re(rb"/url>%s" % _SPACES)
_OPTIONAL = b"".join(
    rb"(?:<%s>[^<>]*+</%s>%s)?+" % (name, name, _SPACES) for name in (b"lastmod", b"changefreq", b"priority")
)
_ENTRY = lazy_re(rb"<url>%s<loc>[^<>]*+</loc>%s%s</url>%s" % (_SPACES, _SPACES, _OPTIONAL, _SPACES))
_LOC = b"loc>"
_FIELDS = (b"lastmod>", b"changefreq>", b"priority>")
_MAX_FIELD = 100  # bytes
_CHARACTERS = bytes(byte for byte in range(0x21, 0x7F) if byte not in b"&<>\\")


def columns(data: bytes) -> list[EntryBatch] | None:
    """None where the file is not such a urlset, uncompressed, with all URLs in normal form."""
    start, end = data.find(START), data.rfind(_END)
    if not 0 <= start < end or data[end + len(_END) :].strip(b" \t\r\n"):
        return None
    head = data[:start]
    if head.count(b"\r") != head.count(b"\r\n") or not opens_urlset(head):
        return None
    found = []
    line, entries = 1 + head.count(b"\n"), 0
    for block in _blocks(data, start, end):
        if (parsed := _parse_block(block, line)) is None:
            return None
        found.append(parsed)
        line += block.count(b"\n")
        entries += parsed.count
    return found if entries <= MAX_ENTRIES else None


def opens_urlset(head: bytes) -> bool:
    """Whether a document that begins with these bytes is in a urlset before its first entry, without fatal fault."""
    events = read(head + b"</urlset>")
    start = next(events)
    if not isinstance(start, DocumentStart) or start.kind is not DocumentKind.URLSET or start.encoding != "utf-8":
        return False
    return not any(isinstance(event, Entry) or (isinstance(event, Fault) and event.fatal) for event in events)


def _blocks(data: bytes, start: int, end: int) -> Iterator[bytes]:
    while start < end:
        following = data.find(START, start + _BLOCK, end)
        following = end if following < 0 else following
        yield data[start:following]
        start = following


def _parse_block(block: bytes, line: int) -> EntryBatch | None:
    """Split at every `<`, a block has the same tag in every piece that is a multiple of the pieces of an entry away."""
    first = block[: max(block.find(START, 1), 0) or len(block)]
    if not _ENTRY.fullmatch(first):
        return None
    pieces = block.split(b"<")
    stride = first.count(b"<")
    number, rest = divmod(len(pieces) - 1, stride)
    if rest or not _have_one_layout(pieces, stride, number):
        return None
    locs = _column(pieces[2::stride], _LOC, MAX_LENGTH)
    if b"&" in locs:
        if locs.count(b"&") != locs.count(b"&amp;"):
            return None
        locs = locs.replace(b"&amp;", b"&")
    if locs.count(b"\n") != number - 1 or not are_normalized(locs + b"\n"):
        return None
    fields = {}
    for at in range(4, stride, 2):
        name = pieces[at][: pieces[at].index(b">") + 1]
        fields[name] = _column(pieces[at::stride], name, _MAX_FIELD)
        if not _are_values(fields[name], number):
            return None
    dates, frequencies, priorities = (fields.get(name, b"").decode() for name in _FIELDS)
    step = first.count(b"\n") if number > 1 else 0
    return EntryBatch(number, locs.decode(), (dates, frequencies, priorities), f"{line}+{step}")


def _have_one_layout(pieces: list[bytes], stride: int, number: int) -> bool:
    """Whether entries differ in their values alone, the white space after the last one excepted."""
    for at in (1, *range(3, stride, 2)):
        column = pieces[at::stride]
        if column.count(column[0]) != number:
            return False
    *ends, last = pieces[stride::stride]
    return bool(_GAP.fullmatch(last)) and (not ends or ends.count(ends[0]) == len(ends))


def _column(pieces: list[bytes], name: bytes, longest: int) -> bytes:
    """The values, one line each, unchecked; empty when any piece has another name, or is longer."""
    text = b"\n".join(pieces)
    values = text.replace(b"\n" + name, b"\n")
    named = len(text) - len(values) == (len(pieces) - 1) * len(name) and text.startswith(name)
    return values[len(name) :] if named and max(map(len, pieces)) <= longest + len(name) else b""


def _are_values(lines: bytes, number: int) -> bool:
    """Whether each line is printable ASCII without space and markup, and not empty."""
    return lines.translate(None, _CHARACTERS) == b"\n" * (number - 1) and b"\n\n" not in b"\n" + lines + b"\n"
