"""A text sitemap: one absolute URL per line; blank lines are tolerated (SM-65, SM-66)."""

from sitemap_action.model.sitemap import DocumentKind, Entry, Fault, SitemapEvent
from sitemap_action.sitemap.faults import stop_reading, truncate
from sitemap_action.sitemap.limits import PADDING, ReadLimits

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
