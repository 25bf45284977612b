"""One XML document through expat: the root selects the body's reader; DOCTYPE and oversized tags end the reading."""

import codecs
from collections.abc import Set as AbstractSet
from xml.parsers import expat

from sitemap_action.model.sitemap import DocumentKind, SitemapEvent
from sitemap_action.sitemap.body import SitemapBody
from sitemap_action.sitemap.fast import entries
from sitemap_action.sitemap.faults import StopReading, UnboundPrefix, stop_reading, truncate
from sitemap_action.sitemap.feed import FeedBody
from sitemap_action.sitemap.limits import ReadLimits
from sitemap_action.sitemap.namespaces import ATOM, ATOM_03, EXTENSIONS, SITEMAP, XSI
from sitemap_action.sitemap.parser import XmlParser
from sitemap_action.sitemap.pending_input import MAX_TOKEN, TOO_LONG, PendingInput

_ROOTS = {"urlset": DocumentKind.URLSET, "sitemapindex": DocumentKind.INDEX}


class DocumentParser:
    """Feeds expat; `kind` is None until the root was parsed."""

    def __init__(
        self, events: list[SitemapEvent], limits: ReadLimits, skipped: int, added: AbstractSet[str] = frozenset()
    ) -> None:
        """`added`: namespaces that the document itself does not declare."""
        self.kind: DocumentKind | None = None
        self.namespaces: list[str] = []
        self._added = added
        self._root_at: int | None = None  # byte offset of its tag
        self._default = ""  # the namespace of elements without prefix below the root
        self._parser = XmlParser(events, limits, skipped)
        self._expat = self._parser.expat
        self._expat.StartElementHandler = self._root
        self._expat.StartNamespaceDeclHandler = self._namespace
        self._expat.StartDoctypeDeclHandler = self._doctype
        self._body: SitemapBody | FeedBody | None = None
        self._rest = b""  # after the last entry of the last chunk
        self._pending = PendingInput(self._expat)
        self._before = b""  # the last bytes that expat was given: a character may be cut there

    def feed(self, chunk: bytes) -> None:
        piece = self._rest + chunk
        # Cut after an entry where there is one: the next piece may then begin with entries for the fast path.
        cut = piece.rfind(entries.END) + len(entries.END)
        if cut < len(entries.END):
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
        self._before = piece[-3:] or self._before
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
        if (expected and uri != expected) or (not expected and _looks_like_extension(uri)):
            self._parser.fault("extension-namespace", f"{prefix}: {uri}")

    def _doctype(self, name: str, *_: object) -> None:
        if name.lower() == "html":
            stop_reading("unknown-root", self._parser.line, "an HTML page")
        stop_reading("doctype", self._parser.line)

    def _root(self, name: str, attributes: list[str]) -> None:
        self._root_at = self._expat.CurrentByteIndex
        namespace, _, local = name.rpartition(" ")
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
            self._body = FeedBody(self._parser, namespace, self.kind)
        else:
            stop_reading("unknown-root", self._parser.line, f"the root element is <{truncate(local, 60)}>")

    def _root_attributes(self, attributes: list[str]) -> None:
        for name, value in self._parser.pairs(attributes).items():
            if name == f"{XSI} schemaLocation":
                self._schema_location(value[:10_000].split())
            elif not name.startswith(f"{XSI} "):
                self._parser.fault("attribute", name.rpartition(" ")[2])

    def _schema_location(self, tokens: list[str]) -> None:
        """SM-16."""
        pairs = dict(zip(tokens[::2], tokens[1::2], strict=False))
        target = pairs.get(SITEMAP, "").replace("https://", "http://", 1)
        if len(tokens) % 2 or target not in {f"{SITEMAP}/sitemap.xsd", f"{SITEMAP}/siteindex.xsd"}:
            self._parser.fault("schema-location", " ".join(tokens))


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


def _looks_like_extension(uri: str) -> bool:
    """Whether a namespace is a misspelling of an extension's, under any prefix."""
    bare = uri.removeprefix("https://").removeprefix("http://").rstrip("/").lower()
    return uri not in EXTENSIONS.values() and any(bare == extension[7:] for extension in EXTENSIONS.values())
