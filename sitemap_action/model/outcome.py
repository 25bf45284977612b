"""The outcome of a run: differences, findings, the result and the exit code."""

from enum import StrEnum
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from sitemap_action.model.context import RunIdentity
from sitemap_action.model.finding import (
    NO_LEDGER,
    NOTHING_ACCEPTED,
    AcceptedLine,
    AcceptedList,
    Finding,
    Ledger,
    NotChecked,
    Severity,
)
from sitemap_action.model.page import DocumentSummary
from sitemap_action.model.site import INTENDED, DeindexedBy, ProposedRedirect, Reason
from sitemap_action.model.sitemap import FileVersions, SitemapFile
from sitemap_action.model.source import SourceResult
from sitemap_action.model.step import Published
from sitemap_action.model.wording import plural


class PageRow(NamedTuple):
    """One known URL."""

    url: str
    reason: str = ""  # of the verdict: why it is not listed; "" for a listed page
    detail: str = ""
    status: int = 0  # 0 without an answer
    depth: int = 0
    title: str = ""
    found_on: str = ""
    target: str = ""  # where it leads, or under which URL it is listed
    unverified: bool = False  # listed, and no answer confirms it


RedirectTrail: TypeAlias = tuple[tuple[tuple[str, int], ...], str]
"""The hops of a redirect, (URL, the status that it answers, 0 without one), and why the trail has no end, as text."""


class PageTable(Struct, frozen=True):
    """`rows` are sorted by URL; the counts are those of all `total` URLs."""

    rows: tuple[PageRow, ...]
    total: int
    every: int = 1  # of the pages without a difference or a problem, this one is shown
    clicks: bool = False  # whether a depth counts clicks from the start page; else directories
    statuses: tuple[tuple[int, int], ...] = ()  # (status, number of URLs)
    depths: tuple[tuple[int, int], ...] = ()  # (depth, number of listed pages)
    # (directory, listed pages, absent pages); relative to site-url, "" for the pages that are in no directory
    sections: tuple[tuple[str, int, int], ...] = ()
    trails: tuple[RedirectTrail, ...] = ()
    redirects: int = 0  # of which `trails` are the first
    history: tuple[tuple[str, int], ...] = ()  # (day, number of listed pages) of runs with this state, today the last
    all: tuple[PageRow, ...] = ()  # the rows of every URL, only for a report that asks for them


class RenderedRow(NamedTuple):
    """A page that a browser rendered, and that is another one than what is served, or has a screenshot."""

    url: str
    served: DocumentSummary
    rendered: DocumentSummary
    screenshot: str = ""  # name of its file; "" without one

    def values(self) -> list[tuple[str, str, str]]:
        """(name, as served, as rendered); "" for none."""
        pairs = zip(self.served.values(), self.rendered.values(), strict=True)
        return [(name, before, after) for (name, before), (_, after) in pairs]


class ReportDetails(Struct, frozen=True):
    """What only some reports show."""

    pages: PageTable | None = None
    rendered: tuple[RenderedRow, ...] = ()  # the first by URL
    screenshots: str = ""  # their folder, as a report names it
    patch: tuple[FileVersions, ...] = ()
    notes: tuple[str, ...] = ()  # on the redirects that are proposed
    paste: tuple[str, ...] = ()  # lines with redirects, where no file for them is known


class Result(StrEnum):
    """Decided in this order; the first that holds is the result (DIFF-44)."""

    INVALID = "invalid"
    DRIFT = "drift"
    INCONCLUSIVE = "inconclusive"
    IN_SYNC = "in-sync"


class Links(Struct, frozen=True):
    """Links to a URL where nothing is (HTML-73)."""

    found_on: str  # the first page that has one; "" where the URL is a file of a build
    pages: int
    path: str = ""  # of that page's file
    line: int = 0

    @property
    def place(self) -> str:
        """`path:line`, as far as it is known."""
        return f"{self.path}:{self.line}" if self.line else self.path

    def __str__(self) -> str:
        others = self.pages - bool(self.found_on)
        more = plural(others, "more page" if self.found_on else "page") if others else ""
        return f"linked on {' and '.join(filter(None, (self.found_on, more)))}"


class Added(Struct, frozen=True):
    """A listed URL that the baseline lacks."""

    url: str
    found_on: str = ""  # the page that links to it, or its file
    path: str = ""  # of the file of an index that alone has its folder


class Removed(Struct, frozen=True):
    """A baseline URL that is not listed any more, with its class (DIFF-03)."""

    url: str
    reason: Reason
    detail: str = ""
    redirect_to: str = ""
    status: int = 0
    line: int = 0  # of its entry in the sitemap file
    acknowledged: str = ""  # the reason given in `expected-removals`
    hops: int = 0  # of the redirect
    grace: str = ""  # last day on which it is only a warning
    by: DeindexedBy | None = None  # only of the reason `deindexed`
    links: Links | None = None  # that lead to it, where it is gone
    path: str = ""  # of the sitemap file, where it is not the judged one but one that this names
    since: str = ""  # day of the commit that added its line to the ledger, where git tells
    broken_by: str = ""  # commit and day of what took its redirect or its page away, where git tells
    proposal: ProposedRedirect | None = None  # where nothing answers

    @property
    def is_lost(self) -> bool:
        """Not moved, excluded, merged or acknowledged; a 410 is a statement of intent (DIFF-06)."""
        return self.reason not in INTENDED and not self.acknowledged and self.status != 410


class Flip(Struct, frozen=True):
    """Pages that still exist at another URL, all changed in the same way (DIFF-11)."""

    change: tuple[str, ...]  # as text, one for each URL component that differs: "http → https", ".html dropped"
    pages: tuple[tuple[str, str], ...]  # (old URL, new URL)
    covered: int  # old URLs that redirect to the new one, or are the same file
    uncovered: tuple[Removed, ...] = ()
    moves_site: bool = False  # the old URLs are not below site-url: only their own site knows whether they redirect

    @property
    def percent(self) -> int:
        """Rounded down: 100 only when every old URL is covered."""
        return self.covered * 100 // len(self.pages)

    def describe(self, listed: int) -> str:
        """`listed`: number of URLs in the sitemap that has the old URLs."""
        count, (old, new) = len(self.pages), self.pages[0]
        share = f"all {count:,} URLs" if count == listed > 1 else f"{count:,} of {plural(listed, 'URL')}"
        does = "were seen to redirect" if self.moves_site else "reach the new URL"
        does = does if self.covered != 1 else "was seen to redirect" if self.moves_site else "reaches the new URL"
        led = f"{self.covered:,} of {count:,} ({self.percent}%) {does}"
        return f"{share}, as in {old} → {new}; {led}{self._uncovered_text()}"

    def _uncovered_text(self) -> str:
        if not self.uncovered:
            return ""
        union = ", ".join(f"{row.url} ({self._why_uncovered(row)})" for row in self.uncovered[:3])
        more = f" and {len(self.uncovered) - 3:,} more" if len(self.uncovered) > 3 else ""
        return f"; these do not: {union}{more}"

    def _why_uncovered(self, row: Removed) -> str:
        if self.moves_site and row.reason in INTENDED:
            return f"answers {row.status}" if row.status else "not requested"
        return row.reason.value


class Changed(Struct, frozen=True):
    """A URL in both sitemaps whose fields differ: (name, old, new) (DIFF-13)."""

    url: str
    fields: tuple[tuple[str, str, str], ...]


class Skipped(Struct, frozen=True):
    """A page that was found and is not listed."""

    url: str
    reason: Reason
    detail: str = ""
    found_on: str = ""
    links: Links | None = None  # that lead to it, where nothing is
    forbidden: bool = False  # by robots.txt to this run alone, and not to search engines


class CauseKind(StrEnum):
    """What makes a result, or stops a write; code asks for the kind, and only people read the sentence."""

    INVALID = "invalid"
    GUARD = "guard"  # a limit of the policy that was exceeded; it fails the check and blocks every write
    STALE = "stale"
    LOST = "lost"
    LEDGER = "ledger"  # an address of the ledger is dead, or a line of it is none
    WITNESS = "witness"  # what is served is not what was built
    REMOVAL = "removal"  # a class of removal that is a row of fail-on
    ADDED = "added"
    CHANGED = "changed"
    ERRORS = "errors"
    START_BLOCKED = "start-blocked"  # by robots.txt, so that no page can be listed
    MOVED_SITE = "moved-site"  # most URLs have the address of an old site
    COMMON = "common"  # what many pages that leave the index together have in common
    INCOMPLETE = "incomplete"
    UNREAD_BASELINE = "unread-baseline"  # what is removed is not known
    OTHER_BASE = "other-base"  # the site states another base than site-url (URL-35)
    UNKNOWN_HOST = "unknown-host"  # the site does not agree on the addresses of its pages (HOST-01)
    UNREAD_SITEMAP = "unread-sitemap"  # what the site's own sitemap lists is not, or not wholly, known
    SAME_ANSWER = "same-answer"  # no answer proves that a page exists (HTML-46)
    UNDETERMINED = "undetermined"
    NOT_WRITTEN = "not-written"
    SUPERSEDED = "superseded"  # the branch has the sitemap of a newer build
    NOT_PUBLISHED = "not-published"


class Cause(Struct, frozen=True):
    """One reason for a result, or why nothing may be written."""

    kind: CauseKind
    sentence: str
    key: str = ""  # of the config, only of the kind `guard`: "policy.max-removed"
    reason: Reason | None = None  # only of the kind `removal`
    by: DeindexedBy | None = None  # only of the kind `common`
    place: str = ""  # only of the kind `common`: where to look, a sentence without its full stop

    @property
    def row(self) -> str:
        """The row of `fail-on` that holds."""
        return self.reason.value if self.reason is not None else self.kind.value


class Accepted(Struct, frozen=True):
    """A row that the list of accepted rows has, set aside: it fails nothing."""

    line: AcceptedLine
    row: Removed | Finding | str  # a text is the URL of a page that is missing from the sitemap
    listed: bool = False  # whether the judged sitemap still lists a removed page


class Acknowledged(Struct, frozen=True):
    """What became of announcements (policy.expected-removals) and of the list of accepted rows (policy.accepted)."""

    unused: tuple[str, ...] = ()  # patterns of announcements that match no removal (DIFF-42)
    expired: tuple[str, ...] = ()
    rows: tuple[Accepted, ...] = ()  # that occur, sorted by name and URL
    waiting: tuple[AcceptedLine, ...] = ()  # of this change alone, for lost pages: they count with the target branch
    outlived: tuple[AcceptedLine, ...] = ()  # for no row and no finding on a file, where the run is complete (POL-04)


class LedgerDifference(Struct, frozen=True):
    """What became of the addresses of the ledger (policy.ledger); `line` and `path` of a row are the ledger's.

    Where a ledger is made, the line of an address that it lacks is 0.
    """

    path: str = ""  # "" where there is no ledger
    lines: int = 0  # addresses
    dead: tuple[Removed, ...] = ()  # neither listed, redirected permanently to a listed page, 410, nor declared gone
    long_ways: tuple[Removed, ...] = ()  # that need several redirects
    returned: tuple[tuple[str, int], ...] = ()  # declared gone, and a listed page: URL and line
    faults: tuple[tuple[int, str], ...] = ()  # number of a line, and what is wrong with it
    new: tuple[str, ...] = ()  # listed pages that it lacks; where one is made, also what is neither listed nor dead


class UrlCounts(Struct, frozen=True):
    """How many URLs were compared, and of how many nothing is known."""

    baseline: int = 0  # URLs in the baseline
    committed: int = 0  # URLs in the committed file
    union: int = 0  # URLs in the committed file or the baseline
    unverified: int = 0  # of `union`, URLs without a verdict (NET-10)
    kept: int = 0  # missing URLs without a verdict that the baseline lists: no answer proves that they belong there
    seen: int = 0  # URLs of the site that were fetched, or read from a folder
    transient: int = 0  # of `seen`, URLs without a usable answer for a reason that may pass


class Diff(Struct, frozen=True):
    """`missing` and `extra` compare with the committed file, the rest with the baseline."""

    missing: tuple[str, ...] = ()
    extra: tuple[Removed, ...] = ()
    added: tuple[Added, ...] = ()
    removed: tuple[Removed, ...] = ()
    changed: tuple[Changed, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    undetermined: tuple[Skipped, ...] = ()  # the start page, and URLs of a compared sitemap
    unanswered: tuple[Skipped, ...] = ()  # pages that no compared sitemap lists, also without a verdict
    listed: int = 0
    counts: UrlCounts = UrlCounts()
    rewritten: bool = False  # fields of the committed file differ from what would be written
    acknowledged: Acknowledged = Acknowledged()
    stale_flips: tuple[Flip, ...] = ()  # pairs of rows in `missing` and `extra`
    flips: tuple[Flip, ...] = ()  # pairs of rows in `added` and `removed`
    common_cause: Cause | None = None  # that all rows of `lost` share
    ledger: LedgerDifference = LedgerDifference()

    @property
    def stale(self) -> int:
        return len(self.missing) + len(self.extra)

    @property
    def proposals(self) -> tuple[ProposedRedirect, ...]:
        """A redirect for each lost page at which nothing answers, in order of URL."""
        rows = (*self.removed, *self.extra, *self.ledger.dead)
        found = {row.url: row.proposal for row in rows if row.proposal is not None}
        return tuple(found[url] for url in sorted(found))

    @property
    def failing(self) -> tuple[Removed, ...]:
        """Lost pages outside of their grace period."""
        return tuple(row for row in self.lost_pages if not row.grace)

    @property
    def unproven(self) -> tuple[Removed, ...]:
        """Old URLs of a site that moves, which are not lost by their class and were not seen to redirect."""
        moves = (flip for flip in self.flips if flip.moves_site)
        rows = (row for flip in moves for row in flip.uncovered)
        return tuple(row for row in rows if not (row.is_lost or row.acknowledged or row.status == 410))

    @property
    def lost_pages(self) -> tuple[Removed, ...]:
        return tuple(row for row in self.removed if row.is_lost)


class PolicyChange(Struct, frozen=True):
    """A config key that decides what a check lets pass, with a value that the pull request changes (POL-01)."""

    key: str  # dotted
    base: str  # the target branch's value, as text
    head: str


class BaselineInfo(Struct, frozen=True):
    """What the site is compared with, to tell what is added, removed and changed."""

    description: str
    same: bool  # the committed sitemap is the baseline
    name: str = ""  # path of the file, for citing its lines
    missing: bool = False  # no file to compare with, so percentages have no base (DIFF-21)
    alone: bool = False  # nothing says what is removed: the sitemap is no baseline for itself
    unasked: str = ""  # description where no page is removed: a hand edit may have removed the entry too
    accepted: AcceptedList = NOTHING_ACCEPTED  # rows that are known, whatever the site is compared with
    ledger: Ledger = NO_LEDGER  # until its lines are compared
    commit: str = ""  # object id of the commit that a change began at; "" where it is not known


class StatedBase(Struct, frozen=True):
    """The base that a site states for its pages, where that is another one than site-url (URL-35)."""

    base: str = ""  # "" where it states site-url, or too little
    count: int = 0  # addresses below it
    total: int = 0  # addresses that the site states
    kinds: tuple[tuple[str, int], ...] = ()  # what states it, as text, with a number of addresses

    def sentence(self, site_url: str) -> str:
        stated = f"{self.count:,} of {self.total:,} addresses that the site states are below {self.base}"
        return f"site-url is {site_url}, and {stated}"


class RunInfo(Struct, frozen=True):
    """What the run compared, and how complete its data is, for the report."""

    site_url: str
    source: SourceResult
    sitemap: str  # path of the committed sitemap
    baseline: BaselineInfo
    first_run: bool  # no sitemap in the tree nor at the base (DIFF-21)
    absent: bool = False  # no sitemap in the tree; there may be one at the base
    incomplete: tuple[Cause, ...] = ()  # reasons why pages may be missing
    no_pages: bool = False  # the start page was not reached, or there is no page
    notes: tuple[str, ...] = ()  # decisions taken for the user, such as a derived default
    pull_request: str = ""  # its number, and which of its commits is checked out
    policy: tuple[PolicyChange, ...] = ()
    judged: str = "committed"  # or built: by a generator, and git does not track it; or served: there is no file
    identity: RunIdentity = RunIdentity()
    stated: StatedBase = StatedBase()  # in place of site-url
    start_blocked: str = ""  # by which line of robots.txt, as text, where no page can be listed

    def lacks(self, kind: CauseKind) -> Cause | None:
        """The reason of this kind why pages may be missing."""
        return next((one for one in self.incomplete if one.kind is kind), None)


class Outcome(Struct, frozen=True):
    """Everything that a report states."""

    result: Result
    exit_code: int
    run: RunInfo
    diff: Diff
    causes: tuple[Cause, ...]  # reasons for the result
    guards: tuple[Cause, ...] = ()  # that tripped
    findings: tuple[Finding, ...] = ()
    not_checked: tuple[NotChecked, ...] = ()
    files: tuple[SitemapFile, ...] = ()
    changed: bool = False  # files were, or would be, written
    writing: bool = False
    blocked: Cause | None = None  # why nothing may be written; None when it may
    fail_on: frozenset[str] = frozenset()  # rows of the comparison that fail this run
    main_cause: Cause | None = None  # the first of `causes`, where it explains all others
    details: ReportDetails = ReportDetails()  # only where a report that is asked for shows them
    published: Published = Published()  # what each step did; `pending` of an earlier run with this state

    @property
    def other_guards(self) -> tuple[Cause, ...]:
        """Guards that tripped, and are no cause of the result."""
        return tuple(guard for guard in self.guards if guard not in self.causes)

    @property
    def other_gaps(self) -> tuple[str, ...]:
        """Reasons why pages may be missing that are no cause of the result, as text."""
        return tuple(one.sentence for one in self.run.incomplete if one not in self.causes)

    @property
    def complete(self) -> bool:
        """Whether every page was fetched and has a verdict."""
        return not self.incomplete

    @property
    def incomplete(self) -> tuple[str, ...]:
        """Why the run is not complete, as text; each reason once."""
        known = tuple(one.sentence for one in self.run.incomplete)
        rows = () if self.run.no_pages else tuple(row for row in self.diff.undetermined if row.detail not in known)
        return (*known, *_describe_unanswered(rows))

    @property
    def would_write(self) -> bool:
        """Whether `write` would change files, and this run does not."""
        outdated = self.diff.stale or self.diff.rewritten or self.result is Result.INVALID
        return bool(outdated and self.files) and not self.blocked and not self.changed

    @property
    def in_issue(self) -> bool:
        """Whether the run ends well for no other reason than that an issue has its report."""
        return bool(self.published.issue) and self.result is not Result.IN_SYNC and not (self.exit_code or self.changed)

    @property
    def stale_fails(self) -> bool:
        """Whether a difference from the committed file is a cause of the result."""
        return bool(self.exit_code) and "stale" in self.fail_on

    def listed_fails(self, row: Removed) -> bool:
        """Whether a URL that the committed file should not list is a cause of the result."""
        return (self.stale_fails and not row.grace) or self.removed_fails(row)

    def removed_fails(self, row: Removed) -> bool:
        """Whether a page that the baseline lists is a cause of the result."""
        fails = row.reason.value in self.fail_on or ("lost" in self.fail_on and row.is_lost)
        return bool(self.exit_code) and fails and not (row.grace or row.acknowledged)

    @property
    def errors(self) -> int:
        return self.count(Severity.ERROR)

    def count(self, severity: Severity) -> int:
        return sum(finding.count for finding in self.findings if finding.severity is severity)


def _describe_unanswered(rows: tuple[Skipped, ...]) -> tuple[str, ...]:
    """How many pages gave no usable answer, with the first of them; empty for none."""
    if not rows:
        return ()
    first, count = rows[0], len(rows)
    why = f" ({first.detail})" if first.detail else ""
    such = "" if count == 1 else "such as "
    return (f"{plural(count, 'page')} gave no usable answer: {such}{first.url}{why}",)
