"""Why a check fails: the rows of `fail-on` that hold, each with a sentence."""

from collections import Counter

from msgspec import Struct

from sitemap_action.model.outcome import Diff, RunInfo
from sitemap_action.model.site import Reason

_BLOCKING = frozenset({"stale", "lost", Reason.DEINDEXED.value})  # rows of fail-on that a blocked site is


class Cause(Struct, frozen=True):
    """One row of `fail-on` that holds."""

    row: str  # "stale", "lost", a class, "added", "changed", "errors"
    sentence: str


def drift_causes(diff: Diff, run: RunInfo, errors: int, fail_on: frozenset[str]) -> list[Cause]:
    """`errors`: error findings about the site."""
    causes = []
    if "stale" in fail_on and (_missing_count(diff) or _extra_count(diff)):
        causes.append(Cause("stale", _stale_sentence(diff, run)))
    if run.start_blocked and not causes and not fail_on.isdisjoint(_BLOCKING):
        causes.append(Cause("lost", "no page can be listed"))
    if "lost" in fail_on and diff.failing:
        causes.append(Cause("lost", f"{_pages(len(diff.failing), run)} lost: {_class_counts(diff)}"))
    classes = Counter(row.reason for row in diff.removed if not row.acknowledged and not row.grace)
    classes[Reason.UNDETERMINED] = diff.unverified
    causes += [
        Cause(reason.value, f"{_pages(classes[reason], run)} {reason}")
        for reason in Reason
        if reason.value in fail_on and classes[reason]
    ]
    for row, count, nouns in (
        ("added", len(diff.added), "page is new|pages are new"),
        ("changed", len(diff.changed), "entry changed|entries changed"),
        ("errors", errors, "error on the site|errors on the site"),
    ):
        if row in fail_on and count:
            singular, plurals = nouns.split("|")
            causes.append(Cause(row, f"{count} {singular if count == 1 else plurals}"))
    return causes


def _stale_sentence(diff: Diff, run: RunInfo) -> str:
    if run.first_run:
        return f"there is no sitemap yet; {plural(diff.listed, 'page')} would be listed in {run.sitemap}"
    if run.absent:
        return f"{run.sitemap} does not exist; {plural(diff.listed, 'page')} would be listed in it"
    parts = []
    if missing := _missing_count(diff):
        verb = "is" if missing == 1 else "are"
        parts.append(f"{plural(missing, 'page')} {verb} missing from {run.sitemap}")
    if extra := _extra_count(diff):
        verb = "does" if extra == 1 else "do"
        parts.append(f"{plural(extra, 'URL')} in {run.sitemap} {verb} not belong there")
    return " and ".join(parts)


def _missing_count(diff: Diff) -> int:
    """Pages that the committed file should list; without an answer a missing row proves nothing (DIFF-20)."""
    return len(diff.missing) - diff.kept


def _extra_count(diff: Diff) -> int:
    """URLs that the committed file should not list any more, without those in grace."""
    return sum(1 for row in diff.extra if not row.grace)


def _pages(count: int, run: RunInfo) -> str:
    """Where nothing says what is removed, there is no baseline to speak of."""
    pages = plural(count, "listed page") if run.question_one_alone else f"{plural(count, 'page')} of the baseline"
    return f"{pages} {'is' if count == 1 else 'are'}"


def _class_counts(diff: Diff) -> str:
    """As in "3 gone, 1 deindexed", in the order of the classes."""
    counts = Counter(row.reason for row in diff.failing)
    return ", ".join(f"{counts[reason]} {reason}" for reason in Reason if counts[reason])


def plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
