"""The first line of every report: the result in words, with its main cause or what stands beside it."""

from collections.abc import Iterator

from sitemap_action.model.finding import Severity
from sitemap_action.model.outcome import Outcome, Result

HEADLINES = {
    Result.INVALID: "the sitemap is invalid",
    Result.DRIFT: "the sitemap and the site differ",
    Result.INCONCLUSIVE: "not enough was read for a verdict",
    Result.IN_SYNC: "the sitemap matches the site",
}
_IN_WORDS = {"no answer": "without an answer"}


def headline(outcome: Outcome) -> str:
    """What to read first: may have text of the site. Where nothing fails, with what stands beside the result."""
    return verdict(outcome) if outcome.exit_code else "; ".join((verdict(outcome), *_beside(outcome)))


def verdict(outcome: Outcome) -> str:
    """The result in words, or its main cause; may have text of the site."""
    if outcome.exit_code:
        done = "written" if outcome.run.absent else "repaired"
        failed = outcome.main_cause.sentence if outcome.main_cause else HEADLINES[outcome.result]
        return f"the sitemap was {done}, but the check fails" if outcome.changed else failed
    return _passed(outcome)


def _passed(outcome: Outcome) -> str:
    if outcome.changed:
        return f"the sitemap was {'written' if outcome.run.absent else 'repaired'}"
    if outcome.diff.stale or outcome.diff.removed:
        return "no difference fails the check"
    return HEADLINES[outcome.result]


def causes(outcome: Outcome) -> tuple[str, ...]:
    """Reasons for the result, without the one in the headline."""
    in_headline = outcome.main_cause is not None and outcome.exit_code and not outcome.changed
    return tuple(cause.sentence for cause in outcome.causes[1 if in_headline else 0 :])


def counts(outcome: Outcome) -> tuple[tuple[str, int], ...]:
    """(name, number) of each kind of row."""
    diff = outcome.diff
    return (
        ("listed", diff.listed),
        ("stale", diff.stale),
        ("added", len(diff.added)),
        ("removed", len(diff.removed)),
        ("lost", len(diff.lost)),
        ("changed", len(diff.changed)),
        ("errors", outcome.count(Severity.ERROR)),
        ("warnings", outcome.count(Severity.WARNING)),
        ("no answer", len(diff.undetermined) + len(diff.unanswered)),
    )


def counted(outcome: Outcome) -> str:
    """The counts that are not zero, as text; where every removed page is lost, that is said alone."""
    found = dict(counts(outcome))
    left_out = {"listed", *(["removed"] if found["removed"] == found["lost"] else [])}
    shown = [
        f"{count:,} {_IN_WORDS.get(name) or (name.removesuffix('s') if count == 1 else name)}"
        for name, count in found.items()
        if count and name not in left_out
    ]
    return ", ".join([*shown, *(["incomplete"] if outcome.run.incomplete else [])])


def _beside(outcome: Outcome) -> Iterator[str]:
    """Unanswered pages, errors and warnings of a run that passes."""
    if outcome.run.incomplete:
        yield "the run is incomplete"
    if count := len(outcome.diff.undetermined):
        yield f"{count:,} page{'' if count == 1 else 's'} gave no usable answer"
    for severity in (Severity.ERROR, Severity.WARNING):
        if count := outcome.count(severity):
            yield f"{count:,} {severity.value}{'' if count == 1 else 's'}"
