"""One document, parsed: batches of entries with identity, the sitemaps it lists, counts of what was skipped."""

import re
from collections.abc import Iterator

from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.sitemap import (
    ChildSitemap,
    DocumentKind,
    DocumentStart,
    Entry,
    EntryBatch,
    Fault,
    SitemapDocument,
    SitemapEvent,
)
from sitemap_action.sitemap.decode import GZIP
from sitemap_action.sitemap.faults import FATAL, truncate
from sitemap_action.sitemap.protocol import (
    FREQUENCIES,
    MAX_URLS,
    are_dates,
    is_priority,
    normalize_loc,
    original_spelling,
    parse_date,
    site_host,
)
from sitemap_action.sitemap.read import START, columns, opens_urlset, read
from sitemap_action.store.entries import make_batch
from sitemap_action.store.loading_state import ParsedContent
from sitemap_action.web.urls import MAX_LENGTH, BadUrl, are_normalized


def value_faults(part: EntryBatch) -> dict[str, int]:
    """Fault code -> number of entries; one pass over each column, and a second one only where that finds a fault."""
    found = {}
    dates, frequencies, priorities = part.fields
    if dates and not are_dates(dates):
        found["date"] = sum(1 for text in dates.split("\n") if text and parse_date(text) is None)
    if frequencies:
        words = frequencies.split("\n")
        unknown = set(words).difference(FREQUENCIES, ("",))
        found["changefreq"] = sum(1 for text in words if text in unknown) if unknown else 0
    if priorities:
        numbers = priorities.split("\n")
        wrong = {text for text in set(numbers) if text and not is_priority(text)}
        found["priority"] = sum(1 for text in numbers if text in wrong) if wrong else 0
    return {code: many for code, many in found.items() if many}


_NO_ROOT = "unknown-root"
NO_SITEMAP = frozenset({_NO_ROOT, "empty-document"})
"""Fault codes of a document that is no sitemap at all."""

_LEFT_OUT = frozenset({"missing-loc", "text-line", "feed-link"})
"""Tolerated faults of what names no page: an entry, a line, an item."""

_PAGE = lazy_re(rb"\s*+(?:<\?xml[^>]*+>\s*+)?+<(?:!doctype\s++)?+html\b", re.IGNORECASE)
_BATCH = 500  # entries
_HEAD = 4096  # bytes, in which a urlset of one plain layout has its first entry
_FAST = 16 * 2**20  # bytes of a document that the fast path takes whole: twice what 50,000 usual entries need


class SitemapIntake:
    """Parses a document once: `batches` to their end, and beside them `content`."""

    def __init__(
        self,
        document: SitemapDocument,
        *,
        max_inflated: int,
        hosts: frozenset[str],
        too_deep: str,
        entries: bool = True,
    ) -> None:
        """`hosts`: whose URLs are wanted, all when empty; `too_deep`: why children are not requested, "" when they are.

        `entries`: False when only the children of an index are wanted, whatever their names are.
        """
        self._document = document
        self._base = document.address if document.address.startswith("http") else "https:"  # of what has no scheme
        self._max_inflated = max_inflated
        self._hosts = hosts
        self._too_deep = too_deep
        self._entries = entries
        self._sites: dict[str, bool] = {}  # by origin: wanted or not
        self.content = ParsedContent()  # complete once `batches` is exhausted

    def batches(self) -> Iterator[EntryBatch]:
        for part in self._parts():
            self.content.faults.update(value_faults(part))
            yield part

    def _parts(self) -> Iterator[EntryBatch]:
        data = self._document.content
        if not self._entries:
            self._index_alone(data)
            return
        if (fast := self._fast_batches()) is not None:
            before = data[: data.index(START)]
            for event in self._events(before + b"</urlset>"):
                self._handle(event)
            yield from fast
            return
        entries: list[Entry] = []
        for event in self._events(data):
            if isinstance(event, Entry):
                entries.append(event)
                if len(entries) >= _BATCH:
                    yield from self._batch(entries)
                    entries = []
            else:
                self._handle(event)
        if entries:
            yield from self._batch(entries)

    def _index_alone(self, data: bytes) -> None:
        """Stops behind the root element of anything but an index; what is no sitemap has its fault behind that."""
        head = data.find(START, 0, _HEAD)
        if head >= 0 and opens_urlset(data[:head]):
            self.content.kind = DocumentKind.URLSET
            return
        for event in self._events(data):
            self._handle(event)
            if self.content.kind not in {DocumentKind.INDEX, DocumentKind.UNKNOWN}:
                return

    def _events(self, data: bytes) -> Iterator[SitemapEvent]:
        name = self._document.address.partition("?")[0] if self._document.named else ""
        return read(data, name=name, address=self._document.address, inflated=self._max_inflated)

    def _handle(self, event: SitemapEvent) -> None:
        match event:
            case ChildSitemap():
                self._child(event)
            case Fault():
                self._fault(event)
            case DocumentStart(kind=kind):
                self.content.kind = kind

    def _fast_batches(self) -> Iterator[EntryBatch] | None:
        """The fast path: entries without extensions, all URLs in normal form; None where the parser is needed."""
        data = self._document.content
        if len(data) > min(_FAST, self._max_inflated) or data.startswith(GZIP) or self._hosts:
            return None
        parts = columns(data)
        return None if parts is None else iter(parts)

    def _batch(self, entries: list[Entry]) -> Iterator[EntryBatch]:
        """One test for all URLs, which nearly every batch passes; else each is identified. No batch is empty."""
        locs = [entry.loc for entry in entries]
        text = "\n".join(locs)
        lines = text.count("\n") == len(locs) - 1 and max(map(len, locs)) <= MAX_LENGTH
        if lines and not self._hosts and are_normalized(f"{text}\n".encode()):
            yield make_batch(locs, entries)
        elif found := [pair for entry in entries if (pair := self._identify(entry))]:
            yield make_batch([key for key, _ in found], [entry for _, entry in found])

    def _identify(self, entry: Entry) -> tuple[str, Entry] | None:
        try:
            key, corrected = normalize_loc(entry.loc, self._base)
        except BadUrl as bad:
            self.content.skipped[bad.code] += 1
            return None
        if corrected:
            self.content.faults[corrected] += 1
        if self._hosts and not self._is_wanted(key):
            self.content.skipped["other-host"] += 1
            return None
        return key, entry if key == entry.loc else entry._replace(loc=original_spelling(entry.loc, key))

    def _child(self, child: ChildSitemap) -> None:
        try:
            key, corrected = normalize_loc(child.loc, self._base)
        except BadUrl as bad:
            if self._entries or self._document.address.startswith("http"):
                self.content.refused.append((truncate(child.loc), child, str(bad)))
                return
            key, corrected = child.loc, ""  # a file beside its index needs no URL
        if corrected:
            self.content.faults[corrected] += 1
        if len(self.content.children) + len(self.content.refused) >= MAX_URLS:
            self.content.damage = f"it lists more than {MAX_URLS:,} sitemaps"
        elif self._hosts and not self._is_wanted(key):
            self.content.skipped["other-host"] += 1
        elif self._too_deep:
            self.content.refused.append((key, child, self._too_deep))
        else:
            self.content.children.append((key, child))

    def _fault(self, fault: Fault) -> None:
        if not fault.fatal:
            self.content.faults[fault.code] += 1
            if fault.code in _LEFT_OUT:
                self.content.skipped[fault.code] += 1
            elif fault.code == "text-too-long" and fault.detail == "loc":
                self.content.skipped["too-long"] += 1
        else:
            where = f"line {fault.line}: " if fault.line else ""
            detail = f": {fault.detail}" if fault.detail else ""
            self.content.damage = f"{where}{FATAL[fault.code]}{detail}"
            self.content.fault = fault.code
            self.content.page = fault.code == _NO_ROOT and bool(_PAGE.match(self._document.content))

    def _is_wanted(self, key: str) -> bool:
        origin = key[: key.index("/", 8)]
        if origin not in self._sites:
            self._sites[origin] = site_host(key) in self._hosts
        return self._sites[origin]
