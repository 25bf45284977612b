"""The answer of a run: what differs, what was found, the result and the exit code."""

from dataclasses import dataclass
from enum import StrEnum

from sitemap_action.model.finding import Finding, NotChecked, Severity
from sitemap_action.model.site import INTENDED, Reason
from sitemap_action.model.sitemap import SitemapFile


class Result(StrEnum):
    """Decided in this order; the first that holds is the result (DIFF-44)."""

    INVALID = "invalid"
    DRIFT = "drift"
    INCONCLUSIVE = "inconclusive"
    IN_SYNC = "in-sync"


@dataclass(frozen=True, slots=True)
class Added:
    """A listed URL that the baseline lacks."""

    url: str
    found_on: str = ""  # the page or file that led to it


@dataclass(frozen=True, slots=True)
class Removed:
    """A baseline URL that is not listed any more, with its class (DIFF-03)."""

    url: str
    reason: Reason
    detail: str = ""
    redirect_to: str = ""
    status: int = 0
    line: int = 0  # of the entry in the file it was listed in
    acknowledged: str = ""  # the reason given in `expected-removals`
    hops: int = 0  # of the redirect
    grace: str = ""  # last day on which it is no more than a warning

    @property
    def lost(self) -> bool:
        """Not moved, excluded, merged or acknowledged; a 410 is a statement of intent (DIFF-06)."""
        return self.reason not in INTENDED and not self.acknowledged and self.status != 410


@dataclass(frozen=True, slots=True)
class Flip:
    """Pages that are still there under another address, all changed in one way (DIFF-11)."""

    change: tuple[str, ...]  # in words, one for each thing that is spelled otherwise: "http → https", ".html dropped"
    pages: tuple[tuple[str, str], ...]  # (old URL, new URL)
    covered: int  # of these, how many old URLs lead to the new one, or are the same file
    uncovered: tuple[Removed, ...] = ()

    @property
    def percent(self) -> int:
        """Rounded down: 100 only when every old URL leads on."""
        return self.covered * 100 // len(self.pages)

    @property
    def moves_site(self) -> bool:
        """The old addresses are another site's."""
        old, new = self.pages[0]
        return old.split("/")[:3] != new.split("/")[:3]

    def words(self, listed: int) -> str:
        """`listed`: URLs of the sitemap that has the old spellings."""
        count, (old, new) = len(self.pages), self.pages[0]
        share = f"all {count:,}" if count == listed else f"{count:,} of {listed:,}"
        led = f"{self.covered:,} of {count:,} ({self.percent}%) lead to the new address"
        return f"{share} URLs, as in {old} → {new}; {led}{self._unled()}"

    def _unled(self) -> str:
        if not self.uncovered:
            return ""
        named = ", ".join(f"{row.url} ({row.reason})" for row in self.uncovered[:3])
        more = f" and {len(self.uncovered) - 3:,} more" if len(self.uncovered) > 3 else ""
        return f", not {named}{more}"


@dataclass(frozen=True, slots=True)
class Changed:
    """A URL on both sides whose fields differ: name → (old, new) (DIFF-13)."""

    url: str
    fields: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class Skipped:
    """A page that was seen and is not listed."""

    url: str
    reason: Reason
    detail: str = ""
    found_on: str = ""


@dataclass(frozen=True, slots=True)
class Diff:
    """Both questions: `missing` and `extra` against the committed file, the rest against the baseline."""

    missing: tuple[str, ...] = ()
    extra: tuple[Removed, ...] = ()
    added: tuple[Added, ...] = ()
    removed: tuple[Removed, ...] = ()
    changed: tuple[Changed, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    undetermined: tuple[Skipped, ...] = ()
    listed: int = 0
    baseline: int = 0  # URLs in the baseline
    committed: int = 0  # URLs in the committed file
    named: int = 0  # URLs in either
    doubtful: int = 0  # of those, how many have no verdict (NET-10)
    rewritten: bool = False  # fields of the committed file differ from what would be written
    unused_removals: tuple[str, ...] = ()  # patterns of policy.expected-removals that met no removal (DIFF-42)
    expired_removals: tuple[str, ...] = ()
    respelled: tuple[Flip, ...] = ()  # rows of `missing` and `extra` that belong together
    flips: tuple[Flip, ...] = ()  # rows of `added` and `removed` that belong together

    @property
    def stale(self) -> int:
        return len(self.missing) + len(self.extra)

    @property
    def failing(self) -> tuple[Removed, ...]:
        """What is lost and is no mere warning."""
        return tuple(row for row in self.lost if not row.grace)

    @property
    def lost(self) -> tuple[Removed, ...]:
        return tuple(row for row in self.removed if row.lost)


@dataclass(frozen=True, slots=True)
class TrippedGuard:
    """A limit of the policy that was passed; it fails the check and blocks every write."""

    key: str  # of the config: "policy.max-removed"
    message: str


@dataclass(frozen=True, slots=True)
class PolicyChange:
    """A key of the config whose value a pull request changes, and with it what a check lets pass (POL-01)."""

    key: str  # dotted
    base: str  # the target branch's value, in words
    head: str


@dataclass(frozen=True, slots=True)
class Look:
    """What was looked at, in the words of the report."""

    site_url: str
    kind: str  # of the source: "folder"
    location: str
    sitemap: str  # path of the committed sitemap
    baseline: str  # description
    same_baseline: bool  # both questions have one right-hand side
    first_run: bool  # no sitemap in the tree nor at the base (DIFF-21)
    incomplete: tuple[str, ...] = ()  # why not everything was seen
    nothing_seen: bool = False  # the start page was not reached, or there is no page at all
    notes: tuple[str, ...] = ()  # decisions taken for the user, such as a default that was derived
    no_baseline: bool = False  # there is no file to compare with: nothing to take a percentage of (DIFF-21)
    baseline_name: str = ""  # of the file, where a line of it is cited
    pull_request: str = ""  # which one, and what of it is checked out
    policy: tuple[PolicyChange, ...] = ()
    interrupted: int = 0  # exit code of the signal that ended the look, 0 when none did


@dataclass(frozen=True, slots=True)
class Outcome:
    """Everything a report says."""

    result: Result
    exit_code: int
    look: Look
    diff: Diff
    causes: tuple[str, ...]  # why the result is what it is, one sentence each
    guards: tuple[TrippedGuard, ...] = ()
    findings: tuple[Finding, ...] = ()
    not_checked: tuple[NotChecked, ...] = ()
    files: tuple[SitemapFile, ...] = ()
    changed: bool = False  # files were, or would be, written
    writing: bool = False
    blocked: str = ""  # why nothing may be written, "" when it may

    @property
    def complete(self) -> bool:
        """Everything that was to be seen was seen."""
        return not self.look.incomplete and not self.diff.undetermined

    @property
    def errors(self) -> int:
        return self.count(Severity.ERROR)

    def count(self, severity: Severity) -> int:
        return sum(finding.count for finding in self.findings if finding.severity is severity)
