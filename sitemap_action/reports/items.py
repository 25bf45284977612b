"""The one list of every report: what an outcome has to say, an item each, which knows whether it fails the run.

Formats choose items by kind and severity, order them and lay them out; nothing is decided in a format.
`item_lists.py` has the order for people, and that for programs.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum, auto
from functools import cache, partial
from hashlib import sha256

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.decide.causes import common_cause
from sitemap_action.decide.changes import FLIPS_RULE, describe_fields, find_rows, proposed_rows
from sitemap_action.model.finding import Finding, Needs, NotChecked, Rule, Severity
from sitemap_action.model.outcome import (
    CauseKind,
    Flip,
    Outcome,
    Removed,
    Skipped,
)
from sitemap_action.model.site import INTENDED, DeindexedBy, ProposedRedirect, Reason, describe_proposals
from sitemap_action.model.wording import plural
from sitemap_action.reports.advice import (
    ADVICE,
    HEADLINES,
    MOVED_SITE,
    NET_02,
    NOT_REDIRECTED,
    OLD_SITE_NOT_READ,
    REDIRECTED,
    UNANSWERED,
    guard_remedy,
    then_write,
)
from sitemap_action.web.printable import printable

_DEAD_LINK, _LEDGER = "HTML-73", "LED-01"
_GROUPED = frozenset({FLIPS_RULE, "HTML-40", _DEAD_LINK})  # findings whose rows are shown as items of another kind
RANK = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}
TITLES = {Severity.ERROR: "Errors", Severity.WARNING: "Warnings", Severity.INFO: "Notes"}  # of findings


class ItemKind(IntEnum):
    """What an item is about, in the order of the sections."""

    VERDICT = auto()  # a cause of the result; has no section, for it stands in the headline
    POLICY = auto()
    GUARD = auto()
    GAP = auto()  # why pages may be missing
    FLIP = auto()  # pages under another URL than in the sitemap
    LISTED = auto()  # in the sitemap, where it does not belong
    MISSING = auto()
    MOVED = auto()  # this, and REMOVED, ADDED and CHANGED, are of the change: under another URL than in the baseline
    REMOVED = auto()
    LEDGER = auto()  # an address of the ledger that is dead
    ADDED = auto()
    CHANGED = auto()
    UNDETERMINED = auto()  # a listed page without an answer
    UNANSWERED = auto()  # another one
    FINDING = auto()  # an error or a warning
    DEAD_LINK = auto()
    NOTE = auto()  # a finding that is neither
    NOT_LISTED = auto()
    ACCEPTED = auto()  # by the list of accepted rows
    NOT_CHECKED = auto()


_MARKS = {
    **dict.fromkeys((ItemKind.GUARD, ItemKind.FINDING, ItemKind.NOTE, ItemKind.DEAD_LINK), "!"),
    **dict.fromkeys((ItemKind.GAP, ItemKind.UNDETERMINED, ItemKind.UNANSWERED), "?"),
    **dict.fromkeys((ItemKind.LISTED, ItemKind.REMOVED, ItemKind.LEDGER), "-"),
    **dict.fromkeys((ItemKind.MISSING, ItemKind.ADDED), "+"),
    **dict.fromkeys((ItemKind.POLICY, ItemKind.FLIP, ItemKind.MOVED, ItemKind.CHANGED), "~"),
}


class Group(Struct, frozen=True):
    """The section that an item is shown in."""

    title: str
    tip: str = ""
    order: int = 0  # among the groups of one kind


class Item(Struct, frozen=True):
    """One row. Name, URL, detail and `more` may be hostile text, to be escaped by the format."""

    kind: ItemKind
    rule: Rule  # what the item is an instance of
    severity: Severity = Severity.OFF  # `off`: it is no problem, and only people read it
    fails: bool = False
    group: Group | None = None  # None where other items, or the headline, show it to people
    name: str = ""  # of what is no URL: a rule, the key of a guard
    url: str = ""  # pages that it is about
    verb: str = ""  # what the URL does, as in "is missing from sitemap.xml"
    detail: str = ""
    path: str = ""  # as far as the place is known
    line: int = 0
    tip: str = ""  # what to do about this row alone
    more: str = ""  # what is known of this row besides
    identity: str = ""  # what makes it the same problem in the next run, beside rule and path
    acknowledged: str = ""  # why it is accepted, and since when
    rows: tuple[Removed, ...] = ()  # pages of a sitemap that it is about, and that are not there any more

    @property
    def mark(self) -> str:
        """What a line begins with: "+" added, "-" removed, "~" changes, "?" unknown, "!" wrong."""
        return _MARKS.get(self.kind, " ")

    @property
    def subject(self) -> str:
        return self.name or self.url

    @property
    def sentence(self) -> str:
        """The detail, with the pages that a finding is about."""
        known = self.kind is ItemKind.ACCEPTED and self.name
        about = self.url if known or self.kind in {ItemKind.FINDING, ItemKind.NOTE} else ""
        return f"{self.detail}: {about}" if about else self.detail

    @property
    def explanation(self) -> str:
        """Why it is here, with what is known besides."""
        accepted = f"accepted {self.acknowledged}" if self.acknowledged else ""
        repair = "" if self.kind in {ItemKind.FINDING, ItemKind.NOTE} else self.repair  # the row of the page has it
        return "; ".join(filter(None, (self.sentence, self.more, repair, accepted)))

    @property
    def is_lost(self) -> bool:
        """Whether a page is not there any more, and not on purpose."""
        return any(row.is_lost for row in self.rows)

    @property
    def proposals(self) -> list[ProposedRedirect]:
        """Where its pages are now, as far as that is known."""
        return [row.proposal for row in self.rows if row.proposal is not None and row.proposal.target]

    @property
    def repair(self) -> str:
        return describe_proposals(self.proposals)

    @property
    def message(self) -> str:
        """The whole item in one sentence."""
        text = f"{self.name}: {self.detail}" if self.kind is ItemKind.FLIP else self.sentence or self.name
        if self.verb:
            text = f"{self.url} {self.verb}{f': {self.detail}' if self.detail else ''}"
        return f"{text} (accepted {self.acknowledged})" if self.acknowledged else text

    @property
    def place(self) -> str:
        """`path:line`, as far as it is known."""
        return f"{self.path}:{self.line}" if self.path and self.line else self.path

    @property
    def fingerprint(self) -> str:
        """What is the same in the next run: neither the line nor a count is in it, which another change moves."""
        text = json.dumps((self.rule.id, self.path, self.identity))
        return sha256(text.encode()).hexdigest()[:32]


def items(outcome: Outcome) -> Iterator[Item]:
    """The verdict, what it was judged by, what is lost, what is missing, findings, and what is only told."""
    yield from _verdict_items(outcome)
    yield from _committed_items(outcome)
    if not outcome.run.baseline.same:
        yield from _change_items(outcome)
    yield from _ledger_items(outcome)
    yield from _unanswered_items(outcome)
    checked = next((one.rule for one in outcome.findings if one.rule.id == _DEAD_LINK), None)
    findings = [one for one in outcome.findings if one.severity in RANK and one.rule.id != _LEDGER]
    rows = find_rows(outcome.diff)
    yield from (_finding_item(outcome, one, rows(one)) for one in findings)
    yield from _skipped_items(outcome, checked)
    yield from _accepted_items(outcome)
    for rules, text in group_unchecked(outcome.not_checked):
        yield Item(ItemKind.NOT_CHECKED, FACT, group=Group("Not checked"), name=rules, detail=text)


make_rule = partial(Rule, needs=Needs.SITE, severity=Severity.ERROR, source="", passes="", fails="")
"""A rule of the comparison, which the list of rules does not have."""

FACT = make_rule("fact", summary="", severity=Severity.OFF)
_FLIP = make_rule("other-url", summary="The sitemap lists pages under their URL.", tip=NOT_REDIRECTED)
_GAP = make_rule("incomplete", summary="Every page that is required is read.", severity=Severity.WARNING)
_MISSING = make_rule(
    "missing-page",
    summary="The sitemap lists every page.",
    tip="Write the sitemap anew, or correct what writes it.",
)
_NO_ANSWER = make_rule(
    "no-answer",
    summary="Every listed page gives a usable answer.",
    tip=ADVICE[Reason.UNDETERMINED],
    severity=Severity.WARNING,
)
_POLICY = Group(
    "Policy that this change sets", "Everything below is judged by the new values: review them as part of the change."
)


def _verdict_items(outcome: Outcome) -> Iterator[Item]:
    """Why the check fails, an item for each cause; guards, by their own names; and what was not read."""
    fails, headline = bool(outcome.exit_code), HEADLINES[outcome.result]
    rule = make_rule(outcome.result.value, summary=f"Result: {headline}")
    for cause in outcome.causes if fails else ():
        if cause.kind is CauseKind.GUARD:
            yield Item(ItemKind.GUARD, _guard(cause.key), Severity.ERROR, fails, detail=cause.sentence)
        else:
            yield Item(ItemKind.VERDICT, rule, Severity.ERROR, fails, detail=cause.sentence)
    if fails and not outcome.causes:
        yield Item(ItemKind.VERDICT, rule, Severity.ERROR, fails, detail=headline)
    others, severity = outcome.other_guards, Severity.ERROR if fails else Severity.WARNING
    for guard in others if fails else outcome.guards:
        group = Group("Guards", _guard(guard.key).tip) if guard in others else None
        rule = _guard(guard.key)
        yield Item(ItemKind.GUARD, rule, severity, fails, group, name=guard.key, detail=guard.sentence)
    for reason in outcome.other_gaps:
        group = Group("Incomplete")
        yield Item(ItemKind.GAP, _GAP, Severity.WARNING, group=group, name=reason, identity=reason)
    for row in outcome.run.policy:
        yield Item(ItemKind.POLICY, FACT, group=_POLICY, name=f"{row.key}: {row.base} → {row.head}")


def _guard(key: str) -> Rule:
    tip = f"{guard_remedy(key).capitalize()}. Nothing is written until then."
    return make_rule(key, summary=f"The limit {key} of the policy holds.", tip=tip)


def _committed_items(outcome: Outcome) -> Iterator[Item]:
    """Question 1, each URL once; a page that only the baseline lists is a problem too, whoever shows it."""
    run, diff, fails = outcome.run, outcome.diff, outcome.stale_fails
    yield from _flip_items(ItemKind.FLIP, f"Under another URL than in {run.sitemap}", diff.stale_flips, outcome)
    old, new = grouped_urls(diff.stale_flips)
    extra = [row for row in diff.extra if row.url not in old]
    known = frozenset[str]() if run.baseline.same else {row.url for row in diff.removed}
    when = "before this change, or with it" if run.pull_request else "before this change"
    for stale, suffix in ((known, f" ({when})"), ({row.url for row in extra} - known, "")):
        rows = [row for row in extra if row.url in stale]
        groups = _removal_groups(f"Listed in {run.sitemap}, but", rows, outcome, suffix)
        for row in rows:
            verb = f"is listed in {run.sitemap}, but {row.reason}{suffix}"
            failing = outcome.listed_fails(row)
            yield _removal_item(ItemKind.LISTED, row, verb, groups[row.reason], run.sitemap, failing=failing)
    yield from _removed_items(outcome)
    severity = Severity.ERROR if fails else Severity.INFO if outcome.changed else Severity.WARNING
    if run.absent and diff.missing:
        belong = f"{plural(len(diff.missing), 'page')} {'belongs' if len(diff.missing) == 1 else 'belong'}"
        detail = f"{run.sitemap} does not exist: {belong} in it"
        yield Item(ItemKind.MISSING, _MISSING, severity, fails, detail=detail)
    group = Group(f"Pages for {run.sitemap}" if run.absent else f"Missing from {run.sitemap}")
    found = {row.url: f"found in {row.found_on}" for row in diff.added if row.found_on} if run.baseline.same else {}
    kept = {row.url for row in diff.undetermined} if diff.counts.kept else frozenset()  # have an item of their own
    verb = f"is missing from {run.sitemap}"
    files = {row.url: row.path for row in diff.added} if run.judged == "served" and run.baseline.same else {}
    for url in diff.missing:
        if url not in new:
            yield Item(
                kind=ItemKind.MISSING,
                rule=_MISSING,
                severity=Severity.OFF if run.absent else severity,
                fails=fails and not run.absent,
                group=None if url in kept else group,
                url=url,
                verb=verb,
                more=found.get(url, ""),
                path=files.get(url, ""),
                identity=url,
            )


def _removed_items(outcome: Outcome) -> Iterator[Item]:
    """Pages of the baseline: shown where it is another sitemap, and a problem where the committed one lacks them."""
    run, diff = outcome.run, outcome.diff
    sitemap = run.baseline.name or run.baseline.description
    seen, old = {row.url for row in diff.extra}, grouped_urls(diff.flips)[0]  # DIFF-11 is a finding
    rows = [row for row in diff.removed if row.url not in old]
    new = [row for row in rows if row.url not in seen]  # what both sitemaps list was stale already
    groups = {} if run.baseline.same else _removal_groups("Removed with this change:", new, outcome)
    for row in rows:
        group = None if row.url in seen else groups.get(row.reason)
        verb = f"is not listed any more: {row.reason}"
        failing = outcome.removed_fails(row)
        item = _removal_item(ItemKind.REMOVED, row, verb, group, sitemap, failing=failing)
        yield replace(item, severity=Severity.OFF, fails=False) if row.url in seen else item


def _removal_item(kind: ItemKind, row: Removed, verb: str, group: Group | None, sitemap: str, *, failing: bool) -> Item:  # noqa: PLR0913
    detail = f"{row.detail} (expected: {row.acknowledged})" if row.acknowledged else row.detail
    detail += f" (a warning until {row.grace}: policy.grace)" if row.grace else ""
    return Item(
        kind=kind,
        rule=_removal_rule(kind, row.reason),
        severity=Severity.ERROR if failing else Severity.WARNING if row.is_lost else Severity.INFO,
        fails=failing,
        group=group,
        url=row.url,
        verb=verb,
        detail=detail,
        path=(row.path or sitemap) if row.line else "",
        line=row.line,
        more=f"still {row.links}" if row.links else "",
        identity=row.url,
        rows=(row,),
    )


def _ledger_items(outcome: Outcome) -> Iterator[Item]:
    """LED-01: the finding as its rows. One that fails as a removed page too is shown there."""
    diff, found = outcome.diff, [one for one in outcome.findings if one.rule.id == _LEDGER]
    alone, shared = {one.url: one for one in found}, next((one for one in found if one.count > 1), None)
    shown = {row.url for row in diff.extra if outcome.listed_fails(row)}
    shown |= {row.url for row in diff.removed if outcome.removed_fails(row)}
    groups = _removal_groups(f"In {diff.ledger.path}, but", diff.ledger.dead, outcome)
    for row in diff.ledger.dead:
        if (finding := alone.get(printable(row.url), shared)) is None:
            continue  # the rule is off there
        failing, verb = finding.severity is Severity.ERROR and bool(outcome.exit_code), f"was published: {row.reason}"
        item = _removal_item(ItemKind.LEDGER, row, verb, None, "", failing=failing)
        more = "; ".join(filter(None, (f"listed since {row.since}" if row.since else "", row.broken_by, item.more)))
        group = None if row.url in shown else replace(groups[row.reason], tip=finding.rule.tip)
        yield replace(item, rule=finding.rule, severity=finding.severity, group=group, more=more)


@cache
def _removal_rule(kind: ItemKind, reason: Reason) -> Rule:
    if kind is ItemKind.LISTED:
        return make_rule(f"listed-{reason}", summary=f"No listed page is {reason}.", tip=ADVICE[reason])
    return make_rule(f"removed-{reason}", summary=f"No page that was listed is {reason}.", tip=ADVICE[reason])


def _removal_groups(title: str, rows: Sequence[Removed], outcome: Outcome, suffix: str = "") -> dict[Reason, Group]:
    """A section for each class of removal, what is lost first; `suffix`: of its title, which shorter ones precede."""
    found = {}
    for order, reason in enumerate(sorted(Reason, key=INTENDED.__contains__)):
        if same := [row for row in rows if row.reason is reason]:
            announced = all(row.acknowledged for row in same)
            ends = then_write(outcome) if any(map(outcome.listed_fails, same)) and not outcome.changed else ""
            tip = "Announced." if announced else f"{ADVICE[reason]}{_common_cause(same, outcome)}{ends}"
            found[reason] = Group(f"{title} {reason}{suffix}", tip, order)
    return found


def _common_cause(rows: Sequence[Removed], outcome: Outcome) -> str:
    """Many pages that leave the index for one reason point at one place, not at a page (DIFF-07)."""
    found = common_cause(rows)
    if found is None:
        return ""
    main = outcome.main_cause
    by_robots = main is not None and (main.kind is CauseKind.START_BLOCKED or main.by is DeindexedBy.ROBOTS)
    known = found == main or (found.by is DeindexedBy.ROBOTS and by_robots)
    return f" {found.place}." if known else f" One cause: {found.sentence}. {found.place}."


def grouped_urls(flips: Sequence[Flip]) -> tuple[set[str], set[str]]:
    """Old and new URLs that are part of a group and get no item of their own."""
    pages = [pair for flip in flips for pair in flip.pages]
    return {old for old, _ in pages}, {new for _, new in pages}


def _flip_items(kind: ItemKind, title: str, flips: Sequence[Flip], outcome: Outcome) -> Iterator[Item]:
    """DIFF-11: pages that all change in one way are one item."""
    listed = outcome.diff.counts.committed if kind is ItemKind.FLIP else outcome.diff.counts.baseline
    reached, moved = all(flip.percent == 100 for flip in flips), any(flip.moves_site for flip in flips)
    covered = MOVED_SITE if moved else REDIRECTED
    tip = covered if reached else NOT_REDIRECTED
    ends = then_write(outcome) if kind is ItemKind.FLIP and outcome.stale_fails and not outcome.changed else ""
    group = Group(title, f"{tip}{OLD_SITE_NOT_READ if moved and not reached else ''}{ends}")
    severity = Severity.ERROR if outcome.stale_fails else Severity.WARNING
    severity = severity if kind is ItemKind.FLIP else Severity.OFF  # else the finding is the problem
    known = proposed_rows(outcome.diff) if flips else {}
    for flip in flips:
        change, text = ", ".join(flip.change), flip.describe(listed)
        rows = tuple(known[row.url] for row in flip.uncovered if row.url in known)
        yield Item(kind, _FLIP, severity, severity is Severity.ERROR, group, name=change, detail=text, rows=rows)


def _change_items(outcome: Outcome) -> Iterator[Item]:
    """Question 2: what this change does to the site, beside the pages that it removes."""
    diff = outcome.diff
    yield from _flip_items(ItemKind.MOVED, "Under another URL with this change", diff.flips, outcome)
    added, changed, new = Group("Added with this change"), Group("Changed"), grouped_urls(diff.flips)[1]
    for row in diff.added:
        if row.url not in new:
            found = f"found in {row.found_on}" if row.found_on else ""
            yield Item(ItemKind.ADDED, FACT, group=added, url=row.url, detail=found)
    for one in diff.changed:
        yield Item(ItemKind.CHANGED, FACT, group=changed, url=one.url, detail=describe_fields(one))


def _unanswered_items(outcome: Outcome) -> Iterator[Item]:
    """Pages without a usable answer: of those that no sitemap lists none is a problem."""
    listed = Group("No usable answer", ADVICE[Reason.UNDETERMINED])
    for row in outcome.diff.undetermined:
        yield Item(
            kind=ItemKind.UNDETERMINED,
            rule=_NO_ANSWER,
            severity=Severity.WARNING,
            group=listed,
            url=row.url,
            verb="gave no usable answer",
            detail=row.detail or row.reason.value,
            tip=_access_tip(row),
            identity=row.url,
        )
    others = Group("Without an answer, in no sitemap", UNANSWERED)
    for row in outcome.diff.unanswered:
        found, tip = f"found in {row.found_on}" if row.found_on else "", _access_tip(row)
        yield Item(ItemKind.UNANSWERED, FACT, group=others, url=row.url, detail=row.detail, tip=tip, more=found)


def _access_tip(row: Skipped) -> str:
    return NET_02 if row.forbidden else ""


def _finding_item(outcome: Outcome, found: Finding, rows: tuple[Removed, ...] = ()) -> Item:
    note = found.severity is Severity.INFO
    group = Group(TITLES[found.severity], order=RANK[found.severity])
    return Item(
        kind=ItemKind.NOTE if note else ItemKind.FINDING,
        rule=found.rule,
        severity=found.severity,
        fails=found.severity is Severity.ERROR and bool(outcome.exit_code),
        group=None if found.rule.id in _GROUPED else group,
        name=found.rule.id,
        url=found.subject,
        detail=found.full_message,
        path=found.path,
        line=found.line,
        tip=found.rule.tip,
        identity=f"{found.message} {found.url}",
        rows=rows,
    )


def _skipped_items(outcome: Outcome, checked: Rule | None) -> Iterator[Item]:
    """Pages that are found and not listed; `checked`: the rule on links to nothing, where it reports some."""
    others = Group("Found, not listed")
    for row in outcome.diff.skipped:
        if row.links and checked:
            dead, links = Group("Links to nothing", checked.tip), row.links
            yield Item(
                kind=ItemKind.DEAD_LINK,
                rule=checked,
                group=dead,
                url=row.url,
                detail=row.detail,
                path=links.path,
                line=links.line,
                more=str(links),
            )
        else:
            why = ": ".join(filter(None, (row.reason.value, row.detail)))
            yield Item(ItemKind.NOT_LISTED, FACT, group=others, url=row.url, detail=why, tip=_access_tip(row))


def _accepted_items(outcome: Outcome) -> Iterator[Item]:
    """What would fail, or be a problem, were it not on the list of accepted rows."""
    found, run = outcome.diff.acknowledged.rows, outcome.run
    counts = Counter(one.line.name for one in found)
    by_name = ", ".join(f"{count:,} {name}" for name, count in sorted(counts.items()))
    group = Group(f"Accepted in {run.baseline.accepted.path}", f"{by_name}: known, and they fail nothing.")
    for one in found:
        match one.row:
            case Removed():
                kind = ItemKind.LISTED if one.listed else ItemKind.REMOVED
                verb = f"is listed in {run.sitemap}, but" if one.listed else "is not listed any more:"
                item = _removal_item(kind, one.row, f"{verb} {one.row.reason}", group, run.sitemap, failing=False)
            case Finding():
                item = _finding_item(outcome, one.row)
            case url:
                item = Item(ItemKind.MISSING, _MISSING, url=url, verb=f"is missing from {run.sitemap}", identity=url)
        yield replace(
            item,
            kind=ItemKind.ACCEPTED,
            severity=Severity.INFO,
            fails=False,
            group=group,
            acknowledged=f"{one.line.day}: {one.line.reason}",
            tip="",
            rows=(),
        )


def group_unchecked(rows: Iterable[NotChecked]) -> list[tuple[str, str]]:
    """(rules, what they need and how to give it): rules that need the same are one row."""
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(f"needs {row.needs}: {row.hint}", []).append(row.rule)
    return [(", ".join(rules), text) for text, rules in found.items()]
