"""One XML document through expat: the root decides who reads on; everything hostile ends here."""

from xml.parsers import expat

from sitemap_action.model.sitemap import DocumentKind, SitemapEvent
from sitemap_action.sitemap.fast import entries
from sitemap_action.sitemap.faults import StopReading, clip, stop
from sitemap_action.sitemap.feed import Feed
from sitemap_action.sitemap.limits import ReadLimits
from sitemap_action.sitemap.listing import Listing
from sitemap_action.sitemap.names import ATOM, ATOM_03, EXTENSIONS, SITEMAP, XSI
from sitemap_action.sitemap.parser import Parser

_LISTINGS = {"urlset": DocumentKind.URLSET, "sitemapindex": DocumentKind.INDEX}
_MAX_TOKEN = 8_388_608
"""Bytes of one tag or comment."""


class DocumentParser:
    """Feeds expat; `kind` is None until the root was seen."""

    def __init__(self, events: list[SitemapEvent], limits: ReadLimits, skipped: int) -> None:
        self.kind: DocumentKind | None = None
        self.namespaces: list[str] = []
        self._default = ""  # the namespace of elements without prefix below the root
        self._parser = Parser(events, limits, skipped)
        self._expat = self._parser.expat
        self._expat.StartElementHandler = self._root
        self._expat.StartNamespaceDeclHandler = self._namespace
        self._expat.StartDoctypeDeclHandler = self._doctype
        self._body: Listing | Feed | None = None
        self._rest = b""
        self._held: list[bytes] = []
        self._fed = self._size = self._pending = 0

    def feed(self, chunk: bytes) -> None:
        piece = self._rest + chunk
        # Cut behind an entry where there is one: the next piece may then begin with a run of plain entries.
        cut = piece.rfind(entries.END) + len(entries.END)
        if cut < len(entries.END):
            cut = len(piece)
        self._rest = piece[cut:]
        self._take(piece[:cut])

    def close(self) -> None:
        self._take(self._rest)
        self._parse(final=True)

    def _take(self, piece: bytes) -> None:
        if self._body and not (self._held or self._pending or self._parser.cdata):
            taken = self._body.run(piece)
            # expat sees the line ends of what it did not read, and so knows its line.
            piece = b"\n" * piece.count(b"\n", 0, taken) + piece[taken:]
        # expat before 2.6 scans an unfinished tag or comment again with every piece; waiting until the piece is as long
        # as what is unfinished keeps that linear.
        self._held.append(piece)
        self._size += len(piece)
        if self._size >= self._pending:
            self._parse(final=False)

    def _parse(self, *, final: bool) -> None:
        piece = b"".join(self._held)
        self._held.clear()
        self._fed += len(piece)
        self._size = 0
        try:
            self._expat.Parse(piece, final)
        except expat.ExpatError as error:
            raise self._failure(error, piece) from None
        self._pending = self._fed - max(self._expat.CurrentByteIndex, 0)
        if self._pending > _MAX_TOKEN:
            stop("too-much", self._parser.line, f"a tag or comment of more than {_MAX_TOKEN:,} bytes")
        if self._body:
            self._body.shorten()

    def _failure(self, error: expat.ExpatError, piece: bytes) -> StopReading:
        line = error.lineno + self._parser.skipped
        words = expat.ErrorString(error.code) or "error"
        if words == expat.errors.XML_ERROR_UNBOUND_PREFIX:
            return StopReading("unbound-prefix", line)
        if words == expat.errors.XML_ERROR_INVALID_TOKEN:
            start = self._expat.ErrorByteIndex - self._fed + len(piece)
            if start >= 0 and not _is_utf_8(piece[start : start + 4]):
                return StopReading("not-utf-8", line, "a byte that is not UTF-8")
        return StopReading("malformed", line, words)

    def _namespace(self, prefix: str | None, uri: str | None) -> None:
        prefix, uri = prefix or "", uri or ""
        if self.kind is None:
            self.namespaces.append(uri)
            self._default = self._default if prefix else uri
        if len(self._parser.prefixes.declared) < 1000:
            self._parser.prefixes.declared.setdefault(uri, prefix)
        usual = EXTENSIONS.get(prefix)
        if (usual and uri != usual) or (not usual and _looks_like_extension(uri)):
            self._parser.fault("extension-namespace", f"{prefix}: {uri}")

    def _doctype(self, name: str, *_: object) -> None:
        if name.lower() == "html":
            stop("unknown-root", self._parser.line, "an HTML page")
        stop("doctype", self._parser.line)

    def _root(self, name: str, attributes: list[str]) -> None:
        namespace, _, local = name.rpartition(" ")
        if local in _LISTINGS:
            self.kind = _LISTINGS[local]
            if namespace != SITEMAP:
                self._parser.fault("namespace", namespace or "no namespace")
            self._root_attributes(attributes)
            self._body = Listing(self._parser, namespace, self.kind, default=namespace == self._default)
        elif local == "rss" or (local == "feed" and namespace in {ATOM, ATOM_03}):
            self.kind = DocumentKind.RSS if local == "rss" else DocumentKind.ATOM
            version = self._parser.pairs(attributes).get("version")
            if namespace == ATOM_03 or (local == "rss" and version != "2.0"):
                self._parser.fault("feed-version")
            self._body = Feed(self._parser, namespace, self.kind)
        else:
            stop("unknown-root", self._parser.line, f"the root element is <{clip(local, 60)}>")

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
    """Whether the bytes begin with a whole UTF-8 character."""
    return any(_decodes(head[:length]) for length in range(1, 5))


def _decodes(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return bool(data)


def _looks_like_extension(uri: str) -> bool:
    """Another spelling of an extension's namespace, under any prefix."""
    bare = uri.removeprefix("https://").removeprefix("http://").rstrip("/").lower()
    return uri not in EXTENSIONS.values() and any(bare == usual[7:] for usual in EXTENSIONS.values())
