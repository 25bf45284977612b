"""Rows that somebody has said to be known: removals that the config announces, and the list of accepted rows."""

from collections.abc import Container, Sequence
from collections.abc import Set as AbstractSet
from datetime import date

from msgspec.structs import replace

from sitemap_action.config.lists import MISSING, WHOLE_SITE
from sitemap_action.config.schema import ExpectedRemoval
from sitemap_action.model.finding import NOTHING_ACCEPTED, AcceptedLine, AcceptedList, Needs, Severity
from sitemap_action.model.outcome import Accepted, Acknowledged, BaselineInfo, CauseKind, Diff, Outcome, Removed
from sitemap_action.model.site import Reason
from sitemap_action.model.wording import plural
from sitemap_action.web.patterns import Patterns, compile_patterns
from sitemap_action.web.printable import printable
from sitemap_action.web.urls import BadUrl


class Acknowledgements:
    """Matches removals with announcements, and records which of these were used; rows with accepted lines."""

    def __init__(
        self,
        removals: Sequence[ExpectedRemoval],
        today: date,
        accepted: AcceptedList = NOTHING_ACCEPTED,
        *,
        repairs: bool = False,
    ) -> None:
        """`repairs`: the judged sitemap is about to be written anew, so no row of it is set aside."""
        self._accepted, self._repairs = accepted, repairs
        self._removals = [(removal, compile_patterns([removal.url])) for removal in removals]
        self._today = today
        self._used: set[ExpectedRemoval] = set()

    def acknowledge(self, url: str, reason: Reason) -> str:
        """The announcement's reason for a removal; "" when there is no announcement, or it has expired."""
        for removal, pattern in self._removals:
            if removal.class_ in ("", reason.value) and _matches(pattern, url):
                self._used.add(removal)
                if not self._is_expired(removal):
                    return removal.reason
        return ""

    def list_unused(self) -> tuple[str, ...]:
        """Patterns of announcements that are neither used nor expired."""
        return tuple(
            removal.url for removal, _ in self._removals if removal not in self._used and not self._is_expired(removal)
        )

    def list_expired(self) -> tuple[str, ...]:
        return tuple(removal.url for removal, _ in self._removals if self._is_expired(removal))

    def set_aside(self, diff: Diff) -> Diff:
        """The difference without its accepted rows.

        A lost page of the baseline is set aside only where the target branch's list has it: no change accepts what it
        does itself.
        """
        known = Acknowledged(self.list_unused(), self.list_expired())
        if not self._accepted.rows:
            return replace(diff, acknowledged=known)
        lost = {row.url: self._line_of(row) for row in diff.removed if row.is_lost}
        known_before = self._accepted.known_before
        own = {url for url, line in lost.items() if line is None or not known_before(line.name, printable(url))}
        found: dict[tuple[str, str], Accepted] = {}
        listed = {row.url for row in diff.extra}
        extra = () if self._repairs else diff.extra
        for row in (*extra, *diff.removed):
            if row.url not in own and (line := self._line_of(row)):
                found.setdefault((line.name, row.url), Accepted(line, row, listed=row.url in listed))
        kept = {row.url for row in diff.undetermined}
        for url in () if self._repairs else diff.missing:
            if url not in kept and (line := self._accepted.find(MISSING, url)):
                found[MISSING, url] = Accepted(line, url)
        waiting = [line for url in own if (line := lost[url])]
        return replace(
            diff,
            missing=tuple(url for url in diff.missing if (MISSING, url) not in found),
            extra=diff.extra if self._repairs else _drop(diff.extra, found),
            added=tuple(row for row in diff.added if (MISSING, row.url) not in found),
            removed=_drop(diff.removed, found),
            acknowledged=replace(
                known,
                rows=tuple(found[key] for key in sorted(found)),
                waiting=tuple(sorted(waiting, key=str)),
            ),
        )

    def _line_of(self, row: Removed) -> AcceptedLine | None:
        return self._accepted.find(row.reason.value, printable(row.url))

    def _is_expired(self, removal: ExpectedRemoval) -> bool:
        return removal.until < self._today


def _drop(rows: Sequence[Removed], found: Container[tuple[str, str]]) -> tuple[Removed, ...]:
    return tuple(row for row in rows if (row.reason.value, row.url) not in found)


def _matches(pattern: Patterns, url: str) -> bool:
    """False where the sitemap lists what is no URL."""
    try:
        return pattern.match(url) is not None
    except BadUrl:
        return False


# --- what the list would need, so that a check passes ---

_LOSS = frozenset({"policy.max-removed", "policy.sections"})  # guards that count lost pages, and no accepted one


def failing_lines(outcome: Outcome, day: date, reason: str) -> tuple[tuple[AcceptedLine, ...], tuple[str, ...]]:
    """What fails a check: (lines that would accept it, what no line can as sentences).

    `outcome`: of a check in which each finding stands alone. Nothing that its change does is ever accepted.
    """
    diff, baseline = outcome.diff, outcome.run.baseline
    names: set[tuple[str, str]] = set()
    listed = {row.url for row in diff.extra}
    own = {row.url for row in diff.removed if row.is_lost and not _was_there(row, listed, baseline)}
    for row in (*filter(outcome.listed_fails, diff.extra), *filter(outcome.removed_fails, diff.removed)):
        if row.url not in own:
            names.add((row.reason.value, printable(row.url)))
    kept = {row.url for row in diff.undetermined}
    names |= {(MISSING, url) for url in diff.missing if outcome.stale_fails and url not in kept}
    errors = [one for one in outcome.findings if one.severity is Severity.ERROR]
    old = [one for one in errors if one.rule.needs is not Needs.BASELINE and not one.rule.id.startswith("POL-")]
    names |= {(one.rule.id, printable(one.url or one.path) or WHOLE_SITE) for one in old}
    others = [f"{one.rule.id}: {one.sentence}" for one in errors if one not in old]
    others += [guard.sentence for guard in outcome.guards if own or guard.key not in _LOSS]
    others += [cause.sentence for cause in outcome.causes if cause.kind in {CauseKind.ADDED, CauseKind.CHANGED}]
    lines = tuple(AcceptedLine(name, subject, day, reason) for name, subject in sorted(names))
    return lines, (*_lost_sentences(diff, own, baseline), *others)


def _was_there(row: Removed, listed: Container[str], baseline: BaselineInfo) -> bool:
    """Whether a lost page was lost before: no other sitemap says that it lived, or the base's list has it."""
    if baseline.accepted.base is not None:
        return baseline.accepted.known_before(row.reason.value, printable(row.url))
    return baseline.same or row.url in listed


def _lost_sentences(diff: Diff, own: AbstractSet[str], baseline: BaselineInfo) -> tuple[str, ...]:
    if not own:
        return ()
    first = next(row for row in diff.removed if row.url in own)
    what = f"{plural(len(own), 'lost page')}, such as {first.url} ({first.reason})"
    return (f"{what}: {baseline.description} lists {'it' if len(own) == 1 else 'them'}, and no change accepts its own",)
