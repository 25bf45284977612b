"""The report as annotations on a pull request: workflow commands of GitHub, worst first, as many as it shows."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from sitemap_action.model.finding import Severity
from sitemap_action.model.outcome import Outcome
from sitemap_action.model.site import describe_proposals
from sitemap_action.reports.advice import causes, headline
from sitemap_action.reports.item_lists import in_repository
from sitemap_action.reports.items import FACT, Item, ItemKind, items
from sitemap_action.runner.job_log import command, printable_message
from sitemap_action.web.printable import printable

_SHOWN = 10  # of one level and one step; the runner drops the rest without notice
_EXAMPLES = 5  # URLs of one annotation
_FLIPS = "DIFF-11"
_POLICY = "POL-01"  # has an annotation for each key, with its values
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render(outcome: Outcome) -> str:
    """One command a line; "" where there is nothing to report."""
    found: dict[Severity, list[str]] = {severity: [] for severity in _LEVELS}
    if outcome.exit_code:
        first = Item(ItemKind.VERDICT, FACT, Severity.ERROR, fails=True)
        lines = causes(outcome) or (headline(outcome),)
        found[Severity.ERROR].append(_annotation(outcome, first, f"Sitemap: {headline(outcome)}", lines)[1])
    kinds: dict[ItemKind, list[Item]] = {}
    for one in items(outcome):
        kinds.setdefault(ItemKind.FINDING if one.kind is ItemKind.NOTE else one.kind, []).append(one)
    for kind, rows in kinds.items():
        for severity, text in _annotations(outcome, kind, rows):
            found[severity].append(text)
    return "".join(f"{line}\n" for severity, lines in found.items() for line in _limit_lines(severity, lines))


def _limit_lines(severity: Severity, lines: list[str]) -> list[str]:
    if len(lines) <= _SHOWN:
        return lines
    rest = f"and {len(lines) - _SHOWN + 1:,} more: see the job summary, or the JSON report"
    return [*lines[: _SHOWN - 1], command(_LEVELS[severity], rest, title="sitemap-action")]


def _annotations(outcome: Outcome, kind: ItemKind, rows: list[Item]) -> Iterator[tuple[Severity, str]]:
    """Annotations for the items of one kind: a guard, a key of the policy, pages or findings that are alike."""
    config = outcome.run.identity.config
    match kind:
        case ItemKind.GUARD:
            shown = (one for one in rows if one.fails and one.group is not None)
            yield from (_annotation(outcome, one, one.name, [one.detail]) for one in shown)
        case ItemKind.POLICY:
            warnings = (replace(one, severity=Severity.WARNING, path=config) for one in rows)
            yield from (_annotation(outcome, one, _title(one), [one.name]) for one in warnings)
        case ItemKind.FLIP:
            yield from (_annotation(outcome, one, _title(one), [one.name, one.detail, one.repair]) for one in rows)
        case ItemKind.LISTED | ItemKind.REMOVED:
            shown = (one for one in rows if one.is_lost or (one.fails and kind is ItemKind.REMOVED))
            lost = _alike([one for one in shown if one.severity in _LEVELS])
            yield from (_loss(outcome, detail, same) for detail, same in lost)
        case ItemKind.LEDGER:
            yield from (_loss(outcome, detail, same) for detail, same in _alike(rows))
        case ItemKind.MISSING:
            if missing := [one for one in rows if one.fails and one.url]:
                title = _with_count("Missing from the sitemap", len(missing))
                yield _annotation(outcome, missing[0], title, _examples([one.url for one in missing]))
        case ItemKind.FINDING:
            yield from _findings(outcome, rows)
        case ItemKind.ACCEPTED:
            title = f"{_title(rows[0])} ({len(rows):,})"
            where = replace(rows[0], path=outcome.run.baseline.accepted.path, line=0)
            yield _annotation(outcome, where, title, [rows[0].group.tip if rows[0].group else ""])


def _title(one: Item) -> str:
    return one.group.title if one.group is not None else ""


def _loss(outcome: Outcome, shared: str, rows: Sequence[Item]) -> tuple[Severity, str]:
    """Lost pages of one class, or addresses of the ledger: on the line of the first that is still listed, or there.

    `shared`: the reason that all have.
    """
    first = rows[0]
    if first.kind is ItemKind.LEDGER:
        title = _with_count(f"{first.rule.id}: {first.rule.cases['ledger-dead'].message}", len(rows), "addresses")
    else:
        word, _, reason = first.rule.id.partition("-")
        title = _with_count(f"{word.capitalize()}: {reason}", len(rows))
    lines = _examples([row.url if shared or not row.detail else f"{row.url}: {row.detail}" for row in rows])
    place = replace(first, path="") if first.kind is ItemKind.REMOVED else first  # the line is another sitemap's
    return _annotation(outcome, place, title, [shared, *lines, _repair(rows), first.rule.tip])


def _alike(rows: Sequence[Item]) -> Iterable[tuple[str, list[Item]]]:
    """Lost pages by class and the detail that several share; those of a class that share it with no other are one."""
    counts = Counter((row.severity, row.rule.id, row.detail) for row in rows)
    groups: dict[tuple[Severity, str, str], list[Item]] = {}
    for row in rows:
        shared = row.detail if counts[row.severity, row.rule.id, row.detail] > 1 else ""
        groups.setdefault((row.severity, row.rule.id, shared), []).append(row)
    return ((shared, same) for (_, _, shared), same in groups.items())


def _findings(outcome: Outcome, rows: Sequence[Item]) -> Iterator[tuple[Severity, str]]:
    """Findings of a rule with the same words are one; a change of addresses that question 1 shows is not said again."""
    elsewhere = {_POLICY, *([_FLIPS] if outcome.diff.stale_flips and outcome.run.baseline.same else [])}
    groups: dict[tuple[Severity, str, str, str], list[Item]] = {}
    for one in rows:
        if one.rule.id not in elsewhere:
            groups.setdefault((one.severity, one.rule.id, one.detail, one.path), []).append(one)
    for same in groups.values():
        first = same[0]
        subjects = [one.url or one.place for one in same]
        lines = [first.sentence] if len(same) == 1 else [first.detail, *_examples(subjects)]
        yield _annotation(
            outcome,
            first,
            _with_count(first.rule.id, len(same), "times"),
            [*lines, _repair(same), first.rule.tip],
        )


def _annotation(outcome: Outcome, item: Item, title: str, lines: Sequence[str]) -> tuple[Severity, str]:
    """The workflow command, on the line of an item; what is in no file is shown on the sitemap, or on the config."""
    path = item.path or (outcome.run.identity.config if outcome.run.absent else outcome.run.sitemap)
    in_tree = printable(path) == path and in_repository(path)
    text = command(
        _LEVELS[item.severity],
        printable_message(*filter(None, lines)),
        title=printable(title),
        file=path if in_tree else "",
        line=str(item.line) if item.line and item.path and in_tree else "",
    )
    return item.severity, text


def _repair(rows: Sequence[Item]) -> str:
    return describe_proposals([proposal for row in rows for proposal in row.proposals])


def _examples(subjects: Sequence[str]) -> tuple[str, ...]:
    """The first few, and the number of the rest."""
    more = (f"and {len(subjects) - _EXAMPLES:,} more",) if len(subjects) > _EXAMPLES else ()
    return (*subjects[:_EXAMPLES], *more)


def _with_count(title: str, count: int, unit: str = "pages") -> str:
    return title if count == 1 else f"{title} ({count:,} {unit})"
