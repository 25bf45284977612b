"""The content of every report, in one wording: headline, facts, sections of rows, and what to do."""

from collections.abc import Sequence

from msgspec import Struct

from sitemap_action.compare.common_cause import common_cause
from sitemap_action.model.finding import Finding, Severity
from sitemap_action.model.outcome import Changed, Flip, Outcome, PolicyChange, Removed, Result, Skipped
from sitemap_action.model.site import DeindexedBy, Reason
from sitemap_action.model.wording import option
from sitemap_action.reports.findings import record

_NOTES = 10  # shown to a person
_DEAD_LINK = "HTML-73"
TITLES = {Severity.ERROR: "Errors", Severity.WARNING: "Warnings", Severity.INFO: "Notes"}  # of findings
_GROUPED = frozenset({"DIFF-11", "HTML-40", _DEAD_LINK})  # findings that are shown among the rows they are about
_BASELINE_TIP = "Run again when the site answers, or name the sitemap of an earlier build, such as one from a cache"
_NO_VERDICT = "There is no verdict and nothing was written: see why the run is incomplete, and run again."
_POLICY_TIP = "Everything below is judged by the new values: review them as part of the change."

ADVICE = {
    Reason.MOVED: "Visitors and search engines are redirected.",
    Reason.MOVED_HOME: "Search engines treat a redirect to the start page as a soft 404: redirect each page to its "
    "successor, or answer 410.",
    Reason.MOVED_TEMPORARY: "A temporary redirect passes no signals to the new URL: make it permanent (301 or 308).",
    Reason.MOVED_OFFSITE: "The page moved to another site: if intended, announce it in policy.expected-removals.",
    Reason.REDIRECT_BROKEN: "The redirect does not end at a listed page: point it at one.",
    Reason.GONE: "Visitors and search engines get an error: restore the page, redirect it, answer 410, "
    "or announce it in policy.expected-removals.",
    Reason.DEINDEXED: "The page exists but is not indexable: undo that, or announce it in policy.expected-removals.",
    Reason.DROPPED: "The page exists but no page links to it: link it, or set select.orphans to keep.",
    Reason.EXCLUDED: "Excluded by the config, by the host's own rules, or because no sitemap can list the URL.",
    Reason.OTHER_TYPE: "The page answers 200, but browsers and search engines do not read it as a page: correct its "
    "Content-Type (or the name of its file), or add the type to select.types.",
    Reason.MERGED: "Nothing to do: the same page is listed under another URL.",
    Reason.SOFT_404: "The page answers 200 with an error page: answer 404.",
    Reason.UNDETERMINED: "There was no usable answer, so nothing is known: an existing entry is kept.",
}

UNANSWERED = "Correct the page or the links to it, or leave it out with select.exclude."
_THIS_RUN_ALONE = "blocks sitemap-action: "  # in the reason of a page that robots.txt forbids this run alone
_NET_02 = "Allow it in robots.txt with a group for sitemap-action, or set crawl.robots: ignore for a site of your own."

REDIRECTED = "Every old URL redirects to its new one, or is the same file: keep it so for at least a year."
NOT_REDIRECTED = "Redirect each old URL to its new one with 301 or 308: links and search engines still use it."
_NAME_HOST = "Name the host in source.host, which decides the URLs of these pages (HOST-01), and run again."
OLD_SITE_NOT_READ = " The old site was not fetched: only the paths were compared."


class Row(Struct, frozen=True):
    """One line of a section."""

    mark: str  # "+" added, "-" removed, "~" changes, "?" unknown, " " otherwise
    subject: str  # a URL or a rule; hostile text, to be escaped by the format
    detail: str = ""  # hostile text too
    place: str = ""  # file:line
    tip: str = ""  # what to do about this row alone


class Section(Struct, frozen=True):
    title: str
    rows: tuple[Row, ...]
    tip: str = ""
    open: bool = True  # False: may be folded


def facts(outcome: Outcome) -> tuple[tuple[str, str], ...]:
    """(name, value) pairs: the site, its sitemap, and what they are compared with."""
    run, diff = outcome.run, outcome.diff
    committed = "does not exist yet" if run.first_run else "does not exist" if run.absent else _urls(diff.committed)
    rows = [
        ("site", run.site_url),
        ("source", f"{run.kind} {run.location}, {'no page' if run.no_pages else pages(diff.listed)} to list"),
        (run.judged, f"{run.sitemap} ({committed})"),
    ]
    if run.pull_request:
        rows.append(("change", run.pull_request))
    if run.question_one_alone:
        rows.append(("baseline", run.baseline))
    elif not run.same_baseline:
        rows.append(("baseline", f"{run.baseline} ({_urls(diff.baseline)})"))
    elif run.baseline != f"the committed {run.sitemap}":
        rows.append(("baseline", f"{run.baseline}: the {run.judged} file has the same content"))
    return tuple(rows)


def pages(count: int) -> str:
    return f"{count:,} page{'' if count == 1 else 's'}"


def _urls(count: int) -> str:
    return f"{count:,} URL{'' if count == 1 else 's'}"


def notes(outcome: Outcome) -> tuple[str, ...]:
    """The first ones and the number of the rest; the JSON report has them all."""
    found = outcome.run.notes
    more = (f"and {len(found) - _NOTES:,} more notes",) if len(found) > _NOTES else ()
    return (*found[:_NOTES], *more)


def sections(outcome: Outcome) -> tuple[Section, ...]:
    """Every row of the outcome, gravest first; empty sections are left out."""
    run, diff = outcome.run, outcome.diff
    *problems, remarks = _finding_sections(outcome.findings)
    checked = next((one.rule.tip for one in outcome.findings if one.rule.id == _DEAD_LINK), "")
    dead = [row for row in diff.skipped if row.links and checked]
    others = [row for row in diff.skipped if not (row.links and checked)]
    found = [
        Section("Policy that this change sets", tuple(map(_policy, run.policy)), _POLICY_TIP),
        Section(
            "Guards",
            tuple(
                Row("!", guard.key, guard.message) for guard in outcome.guards if guard.message not in outcome.causes
            ),
            "Nothing is written while a guard is tripped. If intended, change the policy in the same pull request.",
        ),
        Section("Incomplete", tuple(Row("?", reason) for reason in run.incomplete if reason not in outcome.causes)),
        *_stale_sections(outcome),
        *([] if run.same_baseline else _change_sections(outcome)),
        Section("No usable answer", tuple(map(_skipped, diff.undetermined)), ADVICE[Reason.UNDETERMINED]),
        Section("Without an answer, in no sitemap", tuple(map(_unanswered, diff.unanswered)), UNANSWERED),
        *problems,
        Section("Links to nothing", tuple(map(_dead_link, dead)), checked),
        remarks,
        Section("Found, not listed", tuple(map(_skipped, others)), open=False),
        Section(
            "Not checked",
            tuple(Row(" ", row.rule, f"needs {row.needs}: {row.hint}") for row in outcome.not_checked),
            open=False,
        ),
    ]
    return tuple(section for section in found if section.rows)


def advice(outcome: Outcome) -> str:
    """One sentence: what to do now; "" when there is nothing to do."""
    blocked = _block(outcome)
    if blocked and outcome.writing:
        return f"Nothing was written: {blocked}."
    if outcome.changed or outcome.result is Result.IN_SYNC:
        return ""
    if outcome.result is Result.INCONCLUSIVE:
        return _baseline_tip() if outcome.run.unread_baseline else _NO_VERDICT
    if outcome.diff.stale and outcome.names_other_host:
        return _NAME_HOST
    if outcome.diff.stale and not outcome.blocked:
        choices = outcome.run.choices
        return _first(*choices) if choices else f"Run `sitemap-action write` {_then(outcome)}."
    return f"`sitemap-action write` would refuse: {blocked}." if blocked else ""


def _baseline_tip() -> str:
    another, none = option("baseline", "PATH"), option("baseline", "committed")
    return f"{_BASELINE_TIP} ({another}). With {none} only the truth of the sitemap is checked."


def _first(copied: str, other: str, built: str) -> str:
    """Where a first sitemap may go."""
    committed = f"commit it as {copied} or {other}, if the generator copies that folder into the build"
    return f"Run `sitemap-action write --sitemap FILE` and {committed}; or write {built} after each build."


def _then(outcome: Outcome) -> str:
    """What to do with the written file; nobody commits what a generator writes."""
    restore = ", or restore the removed pages" if any(row.lost for row in outcome.diff.extra) else ""
    if outcome.run.judged == "built":
        return f"after the build, or correct what writes {outcome.run.sitemap}{restore}"
    return f"and commit {outcome.run.sitemap}{restore}"


def _block(outcome: Outcome) -> str:
    """What stops a write; a guard whose message is a cause of the result already is only named."""
    keys = [guard.key for guard in outcome.guards if guard.message in outcome.causes]
    if not keys or not any(guard.message in outcome.blocked for guard in outcome.guards):
        return outcome.blocked
    return f"{' and '.join(keys)} tripped; if this is intended, change the policy in the same pull request"


def field_changes(row: Changed) -> str:
    return "; ".join(f"{name}: {old or 'none'} → {new or 'none'}" for name, old, new in row.fields)


def _policy(change: PolicyChange) -> Row:
    return Row("~", f"{change.key}: {change.base} → {change.head}")


def _stale_sections(outcome: Outcome) -> list[Section]:
    """Question 1, what vanishes first; where the committed file is the baseline, the answer to question 2 as well."""
    run, diff = outcome.run, outcome.diff
    old, new = _grouped_urls(diff.stale_flips)
    found = {row.url: f"found in {row.found_on}" for row in diff.added if row.found_on} if run.same_baseline else {}
    kept = {row.url for row in diff.undetermined} if diff.kept else frozenset()  # have a row of their own
    shown = (url for url in diff.missing if url not in new and url not in kept)
    missing = tuple(Row("+", url, found.get(url, "")) for url in shown)
    extra = [row for row in diff.extra if row.url not in old]
    return [
        _flips(f"Under another URL than in {run.sitemap}", diff.stale_flips, outcome, diff.committed),
        *_removal_sections(f"Listed in {run.sitemap}, but", extra, run.sitemap, outcome.main_cause),
        Section(f"Pages for {run.sitemap}" if run.absent else f"Missing from {run.sitemap}", missing),
    ]


def _change_sections(outcome: Outcome) -> list[Section]:
    """Question 2: what this change does to the site."""
    run, diff = outcome.run, outcome.diff
    old, new = _grouped_urls(diff.flips)
    changed = tuple(Row("~", row.url, field_changes(row)) for row in diff.changed)
    added = tuple(
        Row("+", row.url, f"found in {row.found_on}" if row.found_on else "")
        for row in diff.added
        if row.url not in new
    )
    removed = [row for row in diff.removed if row.url not in old]
    return [
        _flips("Under another URL with this change", diff.flips, outcome, diff.baseline),
        *_removal_sections("Removed with this change:", removed, run.baseline_name or run.baseline, outcome.main_cause),
        Section("Added with this change", added),
        Section("Changed", changed),
    ]


def _grouped_urls(flips: Sequence[Flip]) -> tuple[set[str], set[str]]:
    """Old and new URLs that are part of a group and get no row of their own."""
    pages = [pair for flip in flips for pair in flip.pages]
    return {old for old, _ in pages}, {new for _, new in pages}


def _flips(title: str, flips: Sequence[Flip], outcome: Outcome, listed: int) -> Section:
    """DIFF-11: pages that all change in one way are one row."""
    rows = tuple(Row("~", ", ".join(flip.change), flip.describe(listed)) for flip in flips)
    led = all(flip.percent == 100 for flip in flips)
    tip = REDIRECTED if led else "" if outcome.names_other_host else NOT_REDIRECTED
    return Section(title, rows, tip + (OLD_SITE_NOT_READ if any(flip.moves_site for flip in flips) else ""))


def _removal_sections(title: str, removed: Sequence[Removed], sitemap: str, headline: str) -> list[Section]:
    """One section per class of removal, in the order of the classes; `headline` is said already."""
    found = []
    for reason in Reason:
        rows = [row for row in removed if row.reason is reason]
        tip = (
            "Announced."
            if rows and all(row.acknowledged for row in rows)
            else ADVICE[reason] + _common_cause(rows, headline)
        )
        found.append(Section(f"{title} {reason}", tuple(_removal(row, sitemap) for row in rows), tip))
    return found


def _common_cause(rows: Sequence[Removed], headline: str) -> str:
    """Many pages that leave the index for one reason point at one place, not at a page (DIFF-07)."""
    found = common_cause(rows)
    if found is None:
        return ""
    known = found.sentence == headline or (rows[0].by is DeindexedBy.ROBOTS and headline.startswith("robots.txt "))
    return f" {found.place}." if known else f" One cause: {found.sentence}. {found.place}."


def _removal(row: Removed, sitemap: str) -> Row:
    detail = f"{row.detail} (expected: {row.acknowledged})" if row.acknowledged else row.detail
    detail += f"; still {row.links}" if row.links else ""
    detail += f" (a warning until {row.grace}: policy.grace)" if row.grace else ""
    return Row("-", row.url, detail, f"{sitemap}:{row.line}" if row.line else "")


def _skipped(row: Skipped) -> Row:
    mark = "?" if row.reason is Reason.UNDETERMINED else " "
    detail = f"{row.reason}: {row.detail}" if row.detail else row.reason.value
    return Row(mark, row.url, detail, tip=_access_tip(row))


def _dead_link(row: Skipped) -> Row:
    return Row("!", row.url, f"{row.detail}; {row.links}", row.links.place if row.links else "")


def _unanswered(row: Skipped) -> Row:
    found = f"; found in {row.found_on}" if row.found_on else ""
    return Row("?", row.url, f"{row.detail}{found}", tip=_access_tip(row))


def _access_tip(row: Skipped) -> str:
    return _NET_02 if row.reason is Reason.UNDETERMINED and _THIS_RUN_ALONE in row.detail else ""


def _finding_sections(findings: Sequence[Finding]) -> list[Section]:
    return [
        Section(
            title,
            tuple(_finding(one) for one in findings if one.severity is severity and one.rule.id not in _GROUPED),
            open=severity is not Severity.INFO,
        )
        for severity, title in TITLES.items()
    ]


def _finding(found: Finding) -> Row:
    row = record(found)
    return Row(mark="!", subject=row.rule, detail=row.sentence, place=row.place, tip=row.tip)
