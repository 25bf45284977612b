"""What the bodies of sitemaps and feeds share: expat without entities, the events so far, and the current line."""

from xml.parsers import expat

from sitemap_action.model.sitemap import Fault, SitemapEvent
from sitemap_action.sitemap.extensions import NamespacePrefixes
from sitemap_action.sitemap.faults import truncate
from sitemap_action.sitemap.limits import ReadLimits


class XmlParser:
    """State of one XML document. Character data is appended to `text`; its reader clears it."""

    def __init__(self, events: list[SitemapEvent], limits: ReadLimits, skipped: int) -> None:
        """`skipped`: lines removed before the first byte."""
        self.events = events
        self.limits = limits
        self.skipped = skipped
        self.prefixes = NamespacePrefixes()
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
        self.events.append(Fault(code, self.line, truncate(detail)))

    def take_text(self) -> str:
        """Returns the text so far and clears it; "" when it is too long for a value."""
        text = "".join(self.text)
        self.text.clear()
        if len(text) > self.limits.text:
            self.fault("text-too-long")
            return ""
        return text

    def truncate_text(self, mark: int = 0) -> None:
        """Bounds memory: keeps of the text from index `mark` on only enough to show that it is too long for a value."""
        longest = self.limits.text
        if sum(map(len, self.text[mark:])) > longest:
            self.text[mark:] = ["".join(self.text[mark:])[: longest + 1]]

    def pairs(self, attributes: list[str]) -> dict[str, str]:
        """Expat's names, which begin with their namespace → values."""
        if len(attributes) > 2 * self.limits.attributes:
            self.fault("attribute", f"more than {self.limits.attributes} on one element; the others are ignored")
            del attributes[2 * self.limits.attributes :]
        return dict(zip(attributes[::2], attributes[1::2], strict=True))
