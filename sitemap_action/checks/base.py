"""The base classes of rule families, over sitemap files and over a site, and the report that collects their findings.

A family is one class: `rules` (data: each fault code, with its severity and its message, is a case of exactly one
rule) and callbacks (`on_…`). A FileCheck is one object for all files of a sitemap, so a rule over the
set keeps its state between files; a SiteCheck is one object for a site.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from functools import partial
from typing import ClassVar, TypeAlias

from msgspec import Struct, field

from sitemap_action.checks.severity import NO_CORNERS, Corner, Corners
from sitemap_action.config.lists import WHOLE_SITE
from sitemap_action.config.schema import Config, Noindex
from sitemap_action.model.finding import (
    NOTHING_ACCEPTED,
    AcceptedLine,
    AcceptedList,
    Case,
    Finding,
    Needs,
    NotChecked,
    Place,
    Rule,
    Severity,
)
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.outcome import Diff, RunInfo
from sitemap_action.model.site import KnownUrl, Verdict
from sitemap_action.model.sitemap import ChildSitemap, DocumentKind, Entry, ShippedSitemap
from sitemap_action.model.source import HostPolicy, SourceResult
from sitemap_action.model.wording import option
from sitemap_action.robots.groups import Robots
from sitemap_action.sitemap.faults import FAULT_MESSAGES
from sitemap_action.sitemap.protocol import MAX_INFLATED
from sitemap_action.web.printable import printable
from sitemap_action.web.urls import normal_form

GROUP_SIZE = 5
"""From this many on, findings of one code are one finding with a count and as many examples (spec section 0)."""

_NAMED, _COUNTED = 3, 1_000  # causes
_PAIR, _ALONE = 2, 2**60  # findings from which on a group is one


class FindingGroup(Struct):
    """Findings of one code, in one accepted corner or outside of all."""

    first: list[Finding] = field(default_factory=list)
    count: int = 0
    size: int = GROUP_SIZE  # from which on they are one finding
    causes: Counter[str] = field(default_factory=Counter)

    def add_count(self, cause: str, count: int) -> None:
        """`cause`: "" where the finding has none that another page may share."""
        self.count += count
        if cause and (cause in self.causes or len(self.causes) < _COUNTED):
            self.causes[cause] += count

    def commonest_causes(self) -> tuple[tuple[str, int], ...]:
        """The causes of most pages; of equally frequent ones, that which came first."""
        return tuple(sorted(self.causes.items(), key=lambda one: -one[1])[:_NAMED])


PROTOCOL = "sitemaps.org protocol, https://www.sitemaps.org/protocol.html"
SCHEMA = "sitemap.xsd and siteindex.xsd, https://www.sitemaps.org/schemas/sitemap/0.9/"
CRAWLING = "Google Search Central, https://developers.google.com/search/docs/crawling-indexing/"
GOOGLE = f"{CRAWLING}sitemaps/"
"""Both are followed by the name of a page."""
SEARCH_CONSOLE = "Search Console Help, sitemaps report, https://support.google.com/webmasters/answer/7451001"
RFC_3986 = "RFC 3986, https://www.rfc-editor.org/rfc/rfc3986"
DESIGN = "a decision of this tool"

ERROR, WARNING, INFO = Severity.ERROR, Severity.WARNING, Severity.INFO
_MOST_SEVERE_FIRST = (ERROR, WARNING, INFO)

_LONGEST = 300  # characters of a detail

_USERINFO = lazy_re(r"(?<=://)[^/?#\s]*@")
_CONTROL = lazy_re(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def rule(  # noqa: PLR0913 - a row of a table
    id: str,  # noqa: A002 - the field's name
    cases: Mapping[str, Severity | tuple[Severity, str]],
    *,
    summary: str,
    source: str,
    passes: str,
    fails: str,
    tip: str = "",
    needs: Needs = Needs.FILE,
) -> Rule:
    """A rule whose severity is that of its most severe case.

    A case that is a severity alone is a fault of the reader or the schema gate, which have its message.
    """
    full = {
        code: Case(case, FAULT_MESSAGES[code]) if isinstance(case, Severity) else Case(*case)
        for code, case in cases.items()
    }
    severities = {case.severity for case in full.values()}
    return Rule(
        id=id,
        severity=next(severity for severity in _MOST_SEVERE_FIRST if severity in severities),
        needs=needs,
        summary=summary,
        source=source,
        passes=passes,
        fails=fails,
        tip=tip,
        cases=full,
    )


site_rule = partial(rule, needs=Needs.SITE)
baseline_rule = partial(rule, needs=Needs.BASELINE)
live_rule = partial(rule, needs=Needs.LIVE)


class FileOptions(Struct, frozen=True):
    """What the rules over files know besides the files."""

    now: datetime  # aware
    built: date | None = None  # the day of build or commit (SM-46); None = today
    search_console_submitted: bool = False  # waives SM-29
    max_inflated: int = MAX_INFLATED  # uncompressed bytes of a file that are read; more is SM-07
    named: bool = False  # the user named the address of the sitemap, and no site-url is judged beside it (ENV-06)
    cross_submitted: frozenset[str] | None = None  # origins whose robots.txt names it (SM-30); None = not fetched
    corners: Corners = NO_CORNERS


def file_options(
    config: Config, now: datetime, accepted: AcceptedList = NOTHING_ACCEPTED, *, every: bool = False
) -> FileOptions:
    """The options of the rules over files, from the config and the list of accepted rows."""
    return FileOptions(
        now,
        search_console_submitted=config.sitemaps.search_console_submitted,
        corners=Corners(config.severities, now.date(), accepted, every=every),
    )


class FileResult(Struct):
    """One file of a sitemap: what is known before its first entry, then what was counted to its last."""

    path: str
    kind: DocumentKind
    entries: int = 0
    children: int = 0
    complete: bool = True  # False: damaged, entries may be missing
    received: bool = True  # False: nothing is known of it
    address: str = ""  # in normal form; "" when unknown
    namespaces: frozenset[str] = frozenset()  # declared on the root
    feed_of_index: bool = False  # a feed that an index lists: new items of a site, no list of its pages


Cases: TypeAlias = Mapping[str, tuple[Rule, Case]]


def cases_by_code(rules: Iterable[Rule]) -> Cases:
    """Every fault code of these rules, with its rule and what it stands for there."""
    return {code: (rule, case) for rule in rules for code, case in rule.cases.items()}


class Report:
    """Collects findings, grouped by code and accepted corner; `path` is the file that is being read.

    `whole_file`: the line of a finding on a whole file.
    """

    def __init__(self, cases: Cases, corners: Corners = NO_CORNERS, *, whole_file: int = 0) -> None:
        self._whole_file = whole_file
        self._cases = cases
        self._corners = corners
        self._groups: dict[tuple[str, str, Corner | None, AcceptedLine | None], FindingGroup] = {}
        self._not_checked: dict[str, NotChecked] = {}
        self.path = ""
        self.rules_in_file: set[str] = set()
        self.listed: set[int] = set()  # hashes of the URLs of all files, in normal form (SM-31, HL-03)

    def begin_file(self, path: str) -> None:
        self.path = path
        self.rules_in_file = set()

    def add(  # noqa: PLR0913 - the columns of a finding
        self,
        code: str,
        url: str = "",
        line: int = 0,
        detail: str = "",
        path: str | None = None,
        *,
        cause: str = "",
        count: int = 1,
        together: bool = False,
    ) -> None:
        """`path`: of the finding, where it is not the file that is being read; `count`: how many it stands for.

        `cause`: what other pages may share; a group names the commonest. `together`: two with one cause are a group.
        """
        rule, case = self._cases[code]
        self.rules_in_file.add(rule.id)
        path = self.path if path is None else path
        corner = self._corners.find(rule.id, url, path)
        known = self._line(rule, url, path) if self._corners.accepted.rows and corner is None else None
        size = _ALONE if self._corners.every else _PAIR if together else GROUP_SIZE
        group = self._groups.setdefault((code, cause if together else "", corner, known), FindingGroup(size=size))
        group.add_count(_printable(cause, _LONGEST), count)
        detail = detail or cause
        if len(group.first) < max(group.size, GROUP_SIZE):
            message = f"{case.message}: {_printable(detail, _LONGEST)}" if detail else case.message
            group.first.append(
                Finding(
                    rule=rule,
                    severity=corner.severity if corner else case.severity,
                    message=message,
                    url=_printable(url, 2100),
                    path=path,
                    line=line or (self._whole_file if path else 0),
                    count=count,
                    accepted=corner.accepted if corner else "",
                    acknowledged=known,
                )
            )

    def _line(self, rule: Rule, url: str, path: str) -> AcceptedLine | None:
        """The accepted line of a finding; what a change does is never one."""
        if rule.needs is Needs.BASELINE:
            return None
        shown = printable(_printable(url, 2100))
        candidates = (shown, normal_form(url)) if url else (printable(path) or WHOLE_SITE,)
        return next(filter(None, (self._corners.accepted.find(rule.id, one) for one in candidates)), None)

    def add_not_checked(self, rule: str, needs: str, hint: str) -> None:
        self._not_checked.setdefault(rule, NotChecked(rule, needs, hint))

    def add_without_address(self, *rules: str) -> None:
        """Rules that are not checked, because nothing tells where the sitemap will be served."""
        for one in rules:
            self.add_not_checked(one, "the sitemap's address on the site", f"give {option('site-url')}")

    def findings(self) -> tuple[Finding, ...]:
        """All findings, in order of rule, file, line."""
        found = [one for (code, *_), group in self._groups.items() for one in self._merge_group(code, group)]
        return tuple(sorted(found, key=lambda one: (one.rule.id, one.path, one.line, one.url, one.message)))

    def occurring(self) -> frozenset[AcceptedLine]:
        """The lines of the list of accepted rows that a finding was for, so far."""
        return frozenset(line for *_, line in self._groups if line is not None)

    def not_checked(self) -> tuple[NotChecked, ...]:
        return tuple(self._not_checked[rule] for rule in sorted(self._not_checked))

    def _merge_group(self, code: str, group: FindingGroup) -> list[Finding]:
        if group.count < group.size:
            return group.first
        (rule, case), first = self._cases[code], group.first[0]
        finding = Finding(
            rule=rule,
            severity=first.severity,
            message=case.message,
            path=first.path,
            line=first.line,
            count=group.count,
            examples=tuple(dict.fromkeys(one.url or f"{one.path}:{one.line}" for one in group.first)),
            accepted=first.accepted,
            acknowledged=first.acknowledged,
            causes=group.commonest_causes(),
        )
        return [finding]


class FileCheck:
    """A family over sitemap files; every callback is optional."""

    rules: ClassVar[tuple[Rule, ...]] = ()

    file: FileResult  # set before `on_file_start`, and counted before `on_file_end`

    def __init__(self, options: FileOptions, report: Report) -> None:
        self.options = options
        self.report = report

    def on_file_start(self) -> None:
        """Before the first entry of a file."""

    def on_entry(self, entry: Entry) -> None: ...

    def on_extensions(self, entry: Entry) -> None:
        """After `on_entry`, for an entry with alternates or other extensions."""

    def on_child(self, child: ChildSitemap) -> None: ...

    def on_file_end(self) -> None:
        """After the last entry of a file."""

    def on_end(self) -> None:
        """After the last file."""


class SiteOptions(Struct, frozen=True):
    """What the rules over a site know besides its pages: what is wanted, and what was seen."""

    config: Config
    run: RunInfo
    found: SourceResult
    robots: Robots | None
    base_robots: Robots | None = None  # of the baseline; None when it is unknown
    site_url_given: bool = False  # as a flag or an input, not by the config or a sitemap (ENV-06)
    writing: bool = False
    repair: bool = False  # extensions of committed entries are left out where they are invalid
    index: bool = False  # whether the committed sitemap is one
    shipped: ShippedSitemap | None = None  # of the build, where it is not the judged one (ENV-07)
    host: HostPolicy = HostPolicy()
    remembers: bool = False  # a state, or a file beside the sitemap, keeps what the pages of earlier runs had
    today: date | None = None
    fallback: str = ""  # a URL that does not exist and answers 200 (HTML-46)
    pings: tuple[tuple[Place, str], ...] = ()  # of search engines, by the repository's workflows
    corners: Corners = NO_CORNERS

    @property
    def site_url(self) -> str:
        return self.run.site_url

    @property
    def agents(self) -> tuple[str, ...]:
        """User agents whose rules and directives count."""
        return self.config.select.agents

    @property
    def fail_on(self) -> frozenset[str]:
        return self.config.policy.failing(writing=self.writing)

    @property
    def noindex_counts(self) -> bool:
        return self.config.select.noindex is not Noindex.IGNORE


class SiteCheck:
    """A family over a site; every callback is optional."""

    rules: ClassVar[tuple[Rule, ...]] = ()

    def __init__(self, options: SiteOptions, report: Report) -> None:
        self.options = options
        self.report = report
        self.on_start()

    def on_start(self) -> None:
        """Before the first URL."""

    def on_url(self, known: KnownUrl, verdict: Verdict, /) -> None: ...

    def on_end(self, diff: Diff, /) -> None:
        """After the last URL."""


def directory_url(address: str) -> str:
    """The URL of the directory of an address; "" for none."""
    return address.partition("?")[0].rpartition("/")[0] + "/" if address else ""


def _printable(text: str, length: int) -> str:
    """A text without secrets and control characters, short enough to print."""
    text = text[: length + 100]
    text = _CONTROL.sub(" ", _USERINFO.sub("***@", text) if "@" in text else text)
    return text if len(text) <= length else text[: length - 1] + "…"
