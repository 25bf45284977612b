"""The registry of rule families, and the two passes that drive them: over sitemap files, and over a site."""

from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import chain

from msgspec import Struct

from sitemap_action.checks.addresses import AddressesCheck, CanonicalsCheck, ListedAddressesCheck
from sitemap_action.checks.base import (
    Cases,
    FileCheck,
    FileOptions,
    FileResult,
    Report,
    SiteCheck,
    SiteOptions,
    cases_by_code,
)
from sitemap_action.checks.dates import ChangefreqPriorityCheck, DatesCheck, FreshnessCheck
from sitemap_action.checks.document import BrokenSitemapsCheck, DocumentCheck, IndexCheck, TextAndFeedsCheck
from sitemap_action.checks.hosting import HostAnswersCheck, HostingCheck, RedirectRulesCheck
from sitemap_action.checks.languages import HreflangCheck, LanguageVersionsCheck, LostVersionsCheck
from sitemap_action.checks.location import LeakedAddressesCheck, LeakedHostsCheck, LocationCheck, ShippedCheck
from sitemap_action.checks.media import ImagesCheck, NewsCheck, VideosCheck
from sitemap_action.checks.pages import DeadLinksCheck, PagesCheck, RenderedHeadsCheck, VersionsCheck
from sitemap_action.checks.removals import FlipsCheck, LedgerCheck, PolicyCheck, RedirectsCheck, RemovalsCheck
from sitemap_action.checks.robots import (
    AgentFilesCheck,
    BlockedContentCheck,
    ListedTwinsCheck,
    PingsCheck,
    RobotsChangeCheck,
    RobotsTxtCheck,
)
from sitemap_action.checks.served_build import WitnessCheck
from sitemap_action.model.finding import Finding, NotChecked, Rule
from sitemap_action.model.outcome import Diff
from sitemap_action.model.site import KnownUrl, Verdict
from sitemap_action.model.sitemap import (
    ChildSitemap,
    DocumentKind,
    DocumentStart,
    Entry,
    Fault,
    SitemapDocument,
    SitemapEvent,
)
from sitemap_action.sitemap.read import read
from sitemap_action.sitemap.schema import explain_faults, schema_faults
from sitemap_action.web.urls import normal_form

FAMILIES: tuple[type[FileCheck], ...] = (
    DocumentCheck,
    ListedAddressesCheck,  # before what notes the URLs that are listed
    LocationCheck,
    DatesCheck,
    ChangefreqPriorityCheck,
    IndexCheck,
    TextAndFeedsCheck,
    ImagesCheck,
    VideosCheck,
    NewsCheck,
    HreflangCheck,
    LeakedAddressesCheck,
    ListedTwinsCheck,
)

RULES: Mapping[str, Rule] = {rule.id: rule for rule in sorted(chain(*(f.rules for f in FAMILIES)), key=lambda r: r.id)}
"""Every rule over sitemap files, by id."""

_GATED = frozenset((DocumentKind.URLSET, DocumentKind.INDEX))
_READ_DIFFERENTLY = frozenset(("leading-whitespace", "encoding", "encoding-ascii", "unbound-prefix"))
"""Documents that the reader tolerates and the parser of the gate rejects, or the reverse: they skip the gate."""

# Schema error → rules that report the same error: where one of them has a finding in the file, the gate adds none.
_STRUCTURE = ("SM-05", "SM-09", "SM-14", "SM-15", "SM-17", "SM-20")
_DUPLICATES: Mapping[str, tuple[str, ...]] = {
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


def fault_cases(families: Iterable[type[FileCheck]] = FAMILIES) -> Cases:
    """Every fault code with its rule and what it stands for."""
    return cases_by_code(rule for family in families for rule in family.rules)


class SetResult(Struct, frozen=True):
    """Findings on all files of one sitemap."""

    findings: tuple[Finding, ...]
    not_checked: tuple[NotChecked, ...]
    files: tuple[FileResult, ...]
    accepted: tuple[str, ...] = ()  # what the config accepts and turns off, in sentences

    @property
    def paths(self) -> tuple[str, ...]:
        """Paths of the files; an entry names its file by its number here."""
        return tuple(file.path for file in self.files)


def check_set(
    files: Iterable[SitemapDocument],
    options: FileOptions,
    sink: Callable[[SitemapDocument, Entry | ChildSitemap], None] | None = None,
) -> SetResult:
    """Read the files of one sitemap once and check every rule that needs nothing but them.

    `sink` is called with every entry and child as it is read. Memory holds one file at a time, and what rules over the
    set keep of its entries.
    """
    report = Report(fault_cases(), options.corners, whole_file=1)
    file_pass = _FilePass([family(options, report) for family in FAMILIES], report, sink, options.max_inflated)
    results = tuple(file_pass.read_file(file) for file in files)
    for check in file_pass.checks:
        check.on_end()
    return SetResult(report.findings(), report.not_checked(), results)


class _FilePass:
    """Calls the families with each event that they have a callback for."""

    def __init__(
        self,
        checks: list[FileCheck],
        report: Report,
        sink: Callable[[SitemapDocument, Entry | ChildSitemap], None] | None,
        max_inflated: int,
    ) -> None:
        self.checks = checks
        self._max_inflated = max_inflated
        self._index = False  # whether one was read
        self._report = report
        self._sink = sink
        self._on_entry = [check.on_entry for check in checks if type(check).on_entry is not FileCheck.on_entry]
        self._on_extensions = [
            check.on_extensions for check in checks if type(check).on_extensions is not FileCheck.on_extensions
        ]
        self._on_child = [check.on_child for check in checks if type(check).on_child is not FileCheck.on_child]

    def read_file(self, file: SitemapDocument) -> FileResult:
        self._report.begin_file(file.path)
        name = file.path if file.named else ""
        events = read(file.content, name=name, address=file.address, inflated=self._max_inflated)
        start = next(events)
        result = FileResult(file.path, DocumentKind.UNKNOWN, address=normal_form(file.address))
        if isinstance(start, DocumentStart):
            result.kind, result.namespaces = start.kind, frozenset(start.namespaces)
            result.feed_of_index = self._index and start.kind.is_feed
            self._index = self._index or start.kind is DocumentKind.INDEX
        for check in self.checks:
            check.file = result
            check.on_file_start()
        codes = self._drive(file, events, result)
        for check in self.checks:
            check.on_file_end()
        if result.complete and result.kind in _GATED and not codes & _READ_DIFFERENTLY:
            self._gate(file.content)
        return result

    def _drive(self, file: SitemapDocument, events: Iterable[SitemapEvent], result: FileResult) -> set[str]:
        """Counts what the file holds; returns the codes of its faults."""
        entries = 0
        codes = set()
        on_entry, sink = self._on_entry, self._sink
        for event in events:
            if isinstance(event, Entry):
                entries += 1
                for callback in on_entry:
                    callback(event)
                if event.extensions or event.alternates:
                    for callback in self._on_extensions:
                        callback(event)
                if sink:
                    sink(file, event)
            elif isinstance(event, ChildSitemap):
                result.children += 1
                self._drive_child(file, event)
            elif isinstance(event, Fault):
                result.complete = result.complete and not event.fatal
                codes.add(event.code)
                self._report.add(event.code, "", event.line, event.detail)
        result.entries = entries
        return codes

    def _drive_child(self, file: SitemapDocument, child: ChildSitemap) -> None:
        for callback in self._on_child:
            callback(child)
        if self._sink:
            self._sink(file, child)

    def _gate(self, content: bytes) -> None:
        """Validate the same bytes against the schema; what a rule has reported is not reported again."""
        reported = tuple(self._report.rules_in_file)
        found = [fault for fault in schema_faults(content, self._max_inflated) if _is_news(fault, reported)]
        for fault in explain_faults(content, found):
            self._report.add(fault.code, "", fault.line, fault.detail)


def _is_news(fault: Fault, reported: Collection[str]) -> bool:
    """Whether no rule has reported it; whether a file may be empty is SM-09."""
    duplicates = _DUPLICATES.get(fault.code, ())
    return fault.code != "empty" and not any(rule.startswith(duplicates) for rule in reported if duplicates)


SITE_FAMILIES: tuple[type[SiteCheck], ...] = (
    CanonicalsCheck,
    PagesCheck,
    RenderedHeadsCheck,
    DeadLinksCheck,
    AddressesCheck,
    HostAnswersCheck,
    HostingCheck,
    RedirectRulesCheck,
    RobotsTxtCheck,
    BlockedContentCheck,
    BrokenSitemapsCheck,
    ShippedCheck,
    LeakedHostsCheck,
    RobotsChangeCheck,
    RemovalsCheck,
    FlipsCheck,
    LanguageVersionsCheck,
    LostVersionsCheck,
    VersionsCheck,
    AgentFilesCheck,
    FreshnessCheck,
    RedirectsCheck,
    LedgerCheck,
    PingsCheck,
    WitnessCheck,
    PolicyCheck,
)

SITE_RULES: Mapping[str, Rule] = {rule.id: rule for rule in chain(*(family.rules for family in SITE_FAMILIES))}
"""Every rule over a site by id."""


class SitePass:
    """Calls the families with every known URL; `findings` ends the pass."""

    def __init__(self, options: SiteOptions) -> None:
        self._report = Report(cases_by_code(SITE_RULES.values()), options.corners)
        left_out = {WitnessCheck} if options.found.witness is None else set()
        self._checks = [family(options, self._report) for family in SITE_FAMILIES if family not in left_out]
        self._on_url = [check.on_url for check in self._checks if type(check).on_url is not SiteCheck.on_url]

    def on_url(self, known: KnownUrl, verdict: Verdict) -> None:
        for callback in self._on_url:
            callback(known, verdict)

    def findings(self, diff: Diff) -> tuple[Finding, ...]:
        for check in self._checks:
            check.on_end(diff)
        return self._report.findings()

    def not_checked(self) -> tuple[NotChecked, ...]:
        """After `findings`."""
        return self._report.not_checked()
