"""The registry of rule families, and the one pass that drives those over sitemap files."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain

from sitemap_action.checks.base import Case, Check, FileFacts, LoadedFile, Options, Report, Totals
from sitemap_action.checks.dates import Dates
from sitemap_action.checks.document import Document
from sitemap_action.checks.hints import Hints
from sitemap_action.checks.hreflang import Hreflang
from sitemap_action.checks.images import Images
from sitemap_action.checks.index import Index
from sitemap_action.checks.location import Location
from sitemap_action.checks.news import News
from sitemap_action.checks.text import Text
from sitemap_action.checks.videos import Videos
from sitemap_action.model.finding import Finding, NotChecked, Rule
from sitemap_action.model.sitemap import ChildSitemap, DocumentKind, DocumentStart, Entry, Fault, SitemapEvent
from sitemap_action.sitemap.faults import FATAL, GATE, TOLERATED
from sitemap_action.sitemap.limits import ReadLimits
from sitemap_action.sitemap.read import read
from sitemap_action.sitemap.schema import schema_faults
from sitemap_action.web.urls import BadUrl, normal

FAMILIES: tuple[type[Check], ...] = (
    Document,
    Location,
    Dates,
    Hints,
    Index,
    Text,
    Images,
    Videos,
    News,
    Hreflang,
)

RULES: Mapping[str, Rule] = {rule.id: rule for rule in sorted(chain(*(f.rules for f in FAMILIES)), key=lambda r: r.id)}
"""Every rule by id."""

_GATED = frozenset((DocumentKind.URLSET, DocumentKind.INDEX))
_READ_OTHERWISE = frozenset(("leading-whitespace", "encoding", "encoding-ascii"))
"""Read by us and refused by an XML parser, or the other way round: the gate has nothing to add."""

# What a schema error may be the echo of: when a rule of the group spoke about the file, the gate is silent.
_STRUCTURE = ("SM-05", "SM-09", "SM-14", "SM-15", "SM-17", "SM-20")
_ECHOES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(
        ("namespace", "mixed", "order", "unknown-element", "attribute", "stray-text", "missing-loc"), _STRUCTURE
    ),
    **dict.fromkeys(("loc-short", "loc-long", "loc-escape"), ("SM-2", "SM-32", "SM-34")),
    **dict.fromkeys(("date", "date-short", "date-zone"), ("SM-4",)),
    "changefreq": ("SM-48",),
    "priority": ("SM-49",),
    "image": ("IMG-", "EXT-"),
    "video": ("VID-", "EXT-"),
    "news": ("NEWS-", "EXT-"),
    "hreflang": ("HL-", "EXT-"),
}


def cases(families: Iterable[type[Check]] = FAMILIES) -> dict[str, Case]:
    """Every code that can be found, with its rule, severity and sentence."""
    messages = {**TOLERATED, **FATAL, **GATE}
    for family in families:
        messages |= family.messages
    return {
        code: Case(rule, severity, messages[code])
        for family in families
        for rule in family.rules
        for code, severity in rule.cases.items()
    }


@dataclass(frozen=True, slots=True)
class FileResult:
    """One file after it was read."""

    path: str
    kind: DocumentKind
    entries: int
    children: int
    complete: bool  # False: damaged, entries may be missing


@dataclass(frozen=True, slots=True)
class SetResult:
    """What the rules say about all files of one sitemap."""

    findings: tuple[Finding, ...]
    not_checked: tuple[NotChecked, ...]
    files: tuple[FileResult, ...]


def check_set(
    files: Iterable[LoadedFile],
    options: Options,
    sink: Callable[[LoadedFile, Entry | ChildSitemap], None] | None = None,
) -> SetResult:
    """Read the files of one sitemap once and ask every rule that needs nothing but them.

    `sink` gets every entry and child as it is read. Memory holds one file at a time, and of entries what rules over the
    set remember.
    """
    report = Report(cases())
    run = _Pass([family(options, report) for family in FAMILIES], report, sink, options.max_inflated)
    results = tuple(run.file(file) for file in files)
    for check in run.checks:
        check.end()
    return SetResult(report.findings(), report.unchecked(), results)


class _Pass:
    """Hands each event to the families that want it."""

    def __init__(
        self,
        checks: list[Check],
        report: Report,
        sink: Callable[[LoadedFile, Entry | ChildSitemap], None] | None,
        max_inflated: int,
    ) -> None:
        self.checks = checks
        self._limits = ReadLimits(inflated=max_inflated)
        self._report = report
        self._sink = sink
        self._on_entry = [check.entry for check in checks if type(check).entry is not Check.entry]
        self._on_extended = [check.extended for check in checks if type(check).extended is not Check.extended]
        self._on_child = [check.child for check in checks if type(check).child is not Check.child]

    def file(self, file: LoadedFile) -> FileResult:
        self._report.begin(file.path)
        events = read(file.content, name=file.path if file.named else "", limits=self._limits)
        start = next(events)
        kind = start.kind if isinstance(start, DocumentStart) else DocumentKind.UNKNOWN
        namespaces = frozenset(start.namespaces) if isinstance(start, DocumentStart) else frozenset()
        facts = FileFacts(file.path, _address(file.address), kind, namespaces)
        for check in self.checks:
            check.file = facts
            check.start()
        totals, codes = self._events(file, events)
        for check in self.checks:
            check.totals = totals
            check.finish()
        if totals.complete and kind in _GATED and not codes & _READ_OTHERWISE:
            self._gate(file.content)
        return FileResult(file.path, kind, totals.entries, totals.children, totals.complete)

    def _events(self, file: LoadedFile, events: Iterable[SitemapEvent]) -> tuple[Totals, set[str]]:
        entries = children = 0
        complete = True
        codes = set()
        on_entry, sink = self._on_entry, self._sink
        for event in events:
            if isinstance(event, Entry):
                entries += 1
                for look in on_entry:
                    look(event)
                if event.extensions or event.alternates:
                    for look in self._on_extended:
                        look(event)
                if sink:
                    sink(file, event)
            elif isinstance(event, ChildSitemap):
                children += 1
                self._child(file, event)
            elif isinstance(event, Fault):
                complete = complete and not event.fatal
                codes.add(event.code)
                self._report.add(event.code, "", event.line, event.detail)
        return Totals(entries, children, complete), codes

    def _child(self, file: LoadedFile, child: ChildSitemap) -> None:
        for look in self._on_child:
            look(child)
        if self._sink:
            self._sink(file, child)

    def _gate(self, content: bytes) -> None:
        """A second look at the same bytes; what a rule has already said is not said again."""
        spoken = tuple(self._report.rules_in_file)
        for fault in schema_faults(content, self._limits.inflated):
            echoes = _ECHOES.get(fault.code, ())
            # Whether a file may be empty, SM-09 knows better.
            if fault.code != "empty" and not any(rule.startswith(echoes) for rule in spoken if echoes):
                self._report.add(fault.code, "", fault.line, fault.detail)


def _address(url: str) -> str:
    try:
        return normal(url) if url else ""
    except BadUrl:
        return ""
