"""What a rule family over sitemap files offers, and where it puts what it finds.

A family is one class: `rules` (data: each code that can be found, with its severity, is a case of exactly one rule),
`messages` (one sentence per code) and callbacks. One object lives for all files of one sitemap: what it remembers
between files is what a rule over the set needs.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import ClassVar

from sitemap_action.model.finding import Finding, Needs, NotChecked, Rule, Severity
from sitemap_action.model.outcome import Diff, PolicyChange
from sitemap_action.model.site import KnownUrl, Verdict
from sitemap_action.model.sitemap import BrokenSitemap, ChildSitemap, DocumentKind, Entry
from sitemap_action.robots.groups import Robots
from sitemap_action.sitemap.limits import MAX_INFLATED

PROTOCOL = "sitemaps.org protocol, https://www.sitemaps.org/protocol.html"
SCHEMA = "sitemap.xsd and siteindex.xsd, https://www.sitemaps.org/schemas/sitemap/0.9/"
GOOGLE = "Google Search Central, https://developers.google.com/search/docs/crawling-indexing/sitemaps/"
"""A page's name follows."""
SEARCH_CONSOLE = "Search Console Help, sitemaps report, https://support.google.com/webmasters/answer/7451001"
RFC_3986 = "RFC 3986, https://www.rfc-editor.org/rfc/rfc3986"
DESIGN = "a decision of this tool"

ERROR, WARNING, INFO = Severity.ERROR, Severity.WARNING, Severity.INFO
_GRAVEST = (ERROR, WARNING, INFO)

SHARED_BY = 5
"""A finding that this many entries share is one finding with a count (spec section 0)."""

_USERINFO = re.compile(r"(?<=://)[^/?#\s]*@")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def rule(  # noqa: PLR0913 - a row of a table
    id: str,  # noqa: A002 - the field's name
    cases: Mapping[str, Severity],
    *,
    summary: str,
    source: str,
    passes: str,
    fails: str,
    tip: str = "",
    needs: Needs = Needs.FILE,
) -> Rule:
    """A rule whose severity is that of its gravest case."""
    severity = next(one for one in _GRAVEST if one in cases.values())
    return Rule(id, severity, needs, summary, source, passes, fails, tip, cases)


@dataclass(frozen=True, slots=True)
class Options:
    """What the rules must be told."""

    now: datetime  # aware
    built: date | None = None  # the day of build or commit (SM-46); None = today
    search_console_submitted: bool = False  # waives SM-29
    max_inflated: int = MAX_INFLATED  # bytes of a file without compression that are read; more than that is SM-07
    cross_submitted: frozenset[str] | None = None  # origins whose robots.txt names it (SM-30); None = nobody looked


@dataclass(frozen=True, slots=True)
class LoadedFile:
    """One file of a sitemap, as stored."""

    path: str  # as findings cite it: a path, or a URL
    content: bytes
    address: str = ""  # its URL on the site; "" when unknown
    named: bool = True  # the bytes are what the name promises; False where a server's Content-Encoding was undone


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What is known of a file before its first entry."""

    path: str
    address: str  # in normal form; "" when unknown
    kind: DocumentKind
    namespaces: frozenset[str]  # declared on the root


@dataclass(frozen=True, slots=True)
class Totals:
    """What is known of a file after its last entry."""

    entries: int
    children: int
    complete: bool  # read to its end


@dataclass(frozen=True, slots=True)
class Case:
    """One thing that can be found."""

    rule: Rule
    severity: Severity
    message: str


@dataclass(slots=True)
class _FindingGroup:
    """Findings of one code."""

    first: list[Finding] = field(default_factory=list)
    count: int = 0


class Report:
    """Collects findings; knows the file that is being read."""

    def __init__(self, cases: Mapping[str, Case]) -> None:
        self._cases = cases
        self._groups: dict[str, _FindingGroup] = {}
        self._not_checked: dict[str, NotChecked] = {}
        self.path = ""
        self.rules_in_file: set[str] = set()

    def begin(self, path: str) -> None:
        self.path = path
        self.rules_in_file = set()

    def add(self, code: str, url: str = "", line: int = 0, detail: str = "", path: str | None = None) -> None:
        """`path`: where it is, when that is not the file that is being read."""
        case = self._cases[code]
        self.rules_in_file.add(case.rule.id)
        group = self._groups.setdefault(code, _FindingGroup())
        group.count += 1
        if group.count <= SHARED_BY:
            message = f"{case.message}: {_clean(detail, 300)}" if detail else case.message
            where = self.path if path is None else path
            group.first.append(Finding(case.rule, case.severity, message, _clean(url, 2100), where, line))

    def not_checked(self, rule: str, needs: str, hint: str) -> None:
        self._not_checked.setdefault(rule, NotChecked(rule, needs, hint))

    def findings(self) -> tuple[Finding, ...]:
        """In order of rule, file, line."""
        found = [finding for code, group in self._groups.items() for finding in self._grouped(code, group)]
        return tuple(sorted(found, key=lambda one: (one.rule.id, one.path, one.line, one.url, one.message)))

    def unchecked(self) -> tuple[NotChecked, ...]:
        return tuple(self._not_checked[rule] for rule in sorted(self._not_checked))

    def _grouped(self, code: str, group: _FindingGroup) -> list[Finding]:
        if group.count < SHARED_BY:
            return group.first
        case, first = self._cases[code], group.first[0]
        examples = tuple(dict.fromkeys(one.url or f"{one.path}:{one.line}" for one in group.first))
        return [Finding(case.rule, case.severity, case.message, "", first.path, first.line, group.count, examples)]


class Check:
    """The base of a family; every callback may be left out."""

    rules: ClassVar[tuple[Rule, ...]] = ()
    messages: ClassVar[Mapping[str, str]] = {}

    file: FileFacts  # from `start` on
    totals: Totals  # from `finish` on

    def __init__(self, options: Options, report: Report) -> None:
        self.options = options
        self.report = report

    def start(self) -> None:
        """A file begins."""

    def entry(self, entry: Entry) -> None: ...

    def extended(self, entry: Entry) -> None:
        """An entry with alternates or other extensions; it was handed to `entry` as well."""

    def child(self, child: ChildSitemap) -> None: ...

    def finish(self) -> None:
        """The file ends."""

    def end(self) -> None:
        """All files were read."""


@dataclass(frozen=True, slots=True)
class SiteOptions:
    """What the rules over a site must be told."""

    site_url: str
    robots: Robots | None
    agents: tuple[str, ...]  # whose view counts
    policy: tuple[PolicyChange, ...] = ()  # keys of the config that this pull request changes
    base_robots: Robots | None = None  # of the baseline; None when nobody knows it
    redirect_required: bool = False  # a removed page leads to a listed one, or answers 410
    fail_on: frozenset[str] = frozenset()
    writing: bool = False
    index: bool = False  # the committed sitemap is one
    broken: tuple[BrokenSitemap, ...] | None = (
        None  # sitemaps that production names and does not serve; None = nobody asked
    )


class SiteCheck:
    """The base of a family over the site; every callback may be left out."""

    rules: ClassVar[tuple[Rule, ...]] = ()
    messages: ClassVar[Mapping[str, str]] = {}

    def __init__(self, options: SiteOptions, report: Report) -> None:
        self.options = options
        self.report = report
        self.begin()

    def begin(self) -> None:
        """Before the first URL."""

    def see(self, known: KnownUrl, verdict: Verdict, /) -> None: ...

    def end(self, diff: Diff, /) -> None:
        """All URLs were seen."""


def directory(address: str) -> str:
    """The URL of the directory that an address stands in; "" for none."""
    return address.partition("?")[0].rpartition("/")[0] + "/" if address else ""


def _clean(text: str, length: int) -> str:
    """Without secrets and control characters, and short enough to print."""
    text = text[: length + 100]
    text = _CONTROL.sub(" ", _USERINFO.sub("***@", text) if "@" in text else text)
    return text if len(text) <= length else text[: length - 1] + "…"
