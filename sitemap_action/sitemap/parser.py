"""What every reader of XML shares: expat without entities, the events so far, and the line we are at."""

from xml.parsers import expat

from sitemap_action.model.sitemap import Fault, SitemapEvent
from sitemap_action.sitemap.faults import clip, stop
from sitemap_action.sitemap.fragment import Prefixes
from sitemap_action.sitemap.limits import ReadLimits


class Parser:
    """State of one document. Text gathers in `text`; whoever reads it empties it."""

    def __init__(self, events: list[SitemapEvent], limits: ReadLimits, skipped: int) -> None:
        """`skipped`: lines that were left out before the first byte."""
        self.events = events
        self.limits = limits
        self.skipped = skipped
        self.prefixes = Prefixes()
        self.text: list[str] = []
        self.expat = expat.ParserCreate("UTF-8", " ")
        self.expat.buffer_text = True
        self.expat.buffer_size = limits.text
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
        self.events.append(Fault(code, self.line, clip(detail)))

    def take(self) -> str:
        """The text gathered so far, "" when it is too long for a value."""
        text = "".join(self.text)
        self.text.clear()
        if len(text) > self.limits.text:
            self.fault("text-too-long")
            return ""
        return text

    def shorten(self, mark: int = 0) -> None:
        """Keep of the text from a piece on no more than shows that it is too long for a value."""
        longest = self.limits.text
        if sum(map(len, self.text[mark:])) > longest:
            self.text[mark:] = ["".join(self.text[mark:])[: longest + 1]]

    def pairs(self, attributes: list[str]) -> dict[str, str]:
        """Names with their namespaces, and values."""
        if len(attributes) > 2 * self.limits.attributes:
            stop("too-much", self.line, f"more than {self.limits.attributes} attributes on one element")
        return dict(zip(attributes[::2], attributes[1::2], strict=True))
