"""DIFF-44: four results, decided in order; and the result in a writing mode."""

import pytest
from msgspec.structs import replace

from fakes import at, make_diff, run_info
from outcomes import finding, judge_evidence, limit, removed, skipped
from sitemap_action.decide.judge import Evidence
from sitemap_action.model.outcome import Cause, CauseKind, Outcome, Result

CHECK, WRITE = False, True
ERROR, WARNING = (
    finding("error", "no date", at("/a")),
    finding("warning", "odd date", at("/a")),
)
SAFE = Evidence(
    run=run_info(),
    diff=make_diff(listed=9, baseline=9, committed=9, union=9),
    guards=(),
    committed=(),
    generated=(),
    site=(),
    not_checked=(),
    files=(),
)

STALE = replace(SAFE.diff, missing=(at("/new"),))
LOST = replace(SAFE.diff, removed=(removed("/gone", "gone"),), extra=(removed("/gone", "gone"),))
BASE_ALONE = replace(SAFE.diff, removed=LOST.removed)
KEPT = skipped("/slow", "undetermined", "timed out")
DOUBT = replace(SAFE.diff, undetermined=(KEPT,), counts=replace(SAFE.diff.counts, unverified=1))
DOUBTS = replace(SAFE.diff, undetermined=(KEPT, KEPT), counts=replace(SAFE.diff.counts, unverified=2))
STALE_DOUBT = replace(DOUBT, missing=(at("/new"),))
REWRITTEN = replace(SAFE.diff, rewritten=True)
CUT = run_info(incomplete=("cannot list site/blog/",))
NOTHING = run_info(incomplete=("the folder site has no page",), no_pages=True)
REMOVED, FEW, NEEDED = (Cause(CauseKind.GUARD, key, f"policy.{key}") for key in ("max-removed", "min-urls", "required"))


def evidence(**given: object) -> Evidence:
    return replace(SAFE, **given)


def sentences(outcome: Outcome) -> tuple[str, ...]:
    return tuple(cause.sentence for cause in outcome.causes)


ORDER = [
    # id, evidence, writing, result, exit code, files change
    ("in sync", evidence(), CHECK, Result.IN_SYNC, 0, False),
    ("in sync, writing", evidence(), WRITE, Result.IN_SYNC, 0, False),
    ("stale", evidence(diff=STALE), CHECK, Result.DRIFT, 1, False),
    ("stale, repaired", evidence(diff=STALE), WRITE, Result.DRIFT, 0, True),
    ("lost", evidence(diff=LOST), CHECK, Result.DRIFT, 1, False),
    ("lost, repaired: a page that is gone has to leave the file", evidence(diff=LOST), WRITE, Result.DRIFT, 0, True),
    ("DIFF-22 lost against the baseline, nothing to write", evidence(diff=BASE_ALONE), WRITE, Result.IN_SYNC, 0, False),
    ("fields to rewrite", evidence(diff=REWRITTEN), CHECK, Result.IN_SYNC, 0, False),
    ("fields to rewrite, repaired", evidence(diff=REWRITTEN), WRITE, Result.DRIFT, 0, True),
    ("committed file invalid", evidence(committed=(ERROR,)), CHECK, Result.INVALID, 1, False),
    ("committed file invalid, repaired", evidence(committed=(ERROR,)), WRITE, Result.DRIFT, 0, True),
    ("a warning is no error", evidence(committed=(WARNING,), generated=(WARNING,)), CHECK, Result.IN_SYNC, 0, False),
    ("generated file invalid", evidence(generated=(ERROR,)), CHECK, Result.INVALID, 1, False),
    ("DIFF-46 generated file invalid, never written", evidence(diff=STALE, generated=(ERROR,)), WRITE, Result.INVALID, 1, False),
    ("both invalid, never written", evidence(committed=(ERROR,), generated=(ERROR,)), WRITE, Result.INVALID, 1, False),
    ("site errors do not fail by default", evidence(site=(ERROR,)), CHECK, Result.IN_SYNC, 0, False),
    ("site errors never block a write", evidence(diff=STALE, site=(ERROR,)), WRITE, Result.DRIFT, 0, True),
    ("guard", evidence(diff=LOST, guards=(REMOVED,)), CHECK, Result.DRIFT, 1, False),
    ("guard stops the write", evidence(diff=LOST, guards=(REMOVED,)), WRITE, Result.DRIFT, 1, False),
    ("guard with nothing to write", evidence(guards=(FEW,)), WRITE, Result.DRIFT, 1, False),
    ("invalid comes before drift", evidence(diff=STALE, committed=(ERROR,), guards=(REMOVED,)), CHECK, Result.INVALID, 1, False),
    ("drift comes before inconclusive: an answer proves it", evidence(diff=LOST, run=CUT), CHECK, Result.DRIFT, 1, False),
    ("a guard that answers trip comes before inconclusive", evidence(diff=LOST, run=CUT, guards=(REMOVED,)), CHECK, Result.DRIFT, 1, False),
    ("a page nobody saw may be the required one", evidence(run=CUT, guards=(NEEDED,)), CHECK, Result.INCONCLUSIVE, 3, False),
    ("pages nobody saw may be enough", evidence(run=CUT, guards=(FEW,)), WRITE, Result.INCONCLUSIVE, 3, False),
    ("the required page may be the one that timed out", evidence(diff=DOUBT, guards=(NEEDED,)), CHECK, Result.INCONCLUSIVE, 3, False),
    ("discovery cut", evidence(run=CUT), CHECK, Result.INCONCLUSIVE, 3, False),
    ("discovery cut, writing", evidence(run=CUT), WRITE, Result.INCONCLUSIVE, 3, False),
    ("DIFF-20 discovery cut, something to write", evidence(run=CUT, diff=LOST), WRITE, Result.INCONCLUSIVE, 3, False),
    ("no page at all", evidence(run=NOTHING), CHECK, Result.INCONCLUSIVE, 3, False),
    ("no page at all, writing", evidence(run=NOTHING), WRITE, Result.INCONCLUSIVE, 3, False),
    ("NET-10 one doubt is allowed", evidence(diff=DOUBT), CHECK, Result.IN_SYNC, 0, False),
    ("NET-10 two of nine are not", evidence(diff=DOUBTS), CHECK, Result.INCONCLUSIVE, 3, False),
    ("NET-10 two of nine are not, writing", evidence(diff=DOUBTS), WRITE, Result.INCONCLUSIVE, 3, False),
    ("DIFF-20 a run with a doubt writes nothing", evidence(diff=STALE_DOUBT), WRITE, Result.INCONCLUSIVE, 3, False),
    ("a doubt and nothing to write", evidence(diff=DOUBT), WRITE, Result.IN_SYNC, 0, False),
]  # fmt: skip


@pytest.mark.parametrize(
    ("found", "writing", "result", "code", "changed"), [pytest.param(*row[1:], id=row[0]) for row in ORDER]
)
def test_result(found: Evidence, writing: bool, result: Result, code: int, changed: bool) -> None:
    outcome = judge_evidence(found, writing=writing)
    assert (outcome.result, outcome.exit_code, outcome.changed) == (result, code, changed)
    assert bool(outcome.causes) is (result is not Result.IN_SYNC)


FAIL = [
    # id, evidence, writing, fail-on, result, exit code, files change
    ("nothing fails", evidence(diff=LOST, committed=(ERROR,)), CHECK, set(), Result.IN_SYNC, 0, False),
    ("nothing fails, but a guard does", evidence(diff=LOST, guards=(REMOVED,)), CHECK, set(), Result.DRIFT, 1, False),
    ("nothing fails, but an invalid file is never written", evidence(diff=STALE, generated=(ERROR,)), WRITE, set(), Result.DRIFT, 1, False),
    ("errors", evidence(site=(ERROR,)), CHECK, {"errors"}, Result.DRIFT, 1, False),
    ("errors are not mended by writing", evidence(diff=STALE, site=(ERROR,)), WRITE, {"stale", "errors"}, Result.DRIFT, 1, True),
    ("a page nobody saw changes nothing for lost", evidence(run=CUT), CHECK, {"lost"}, Result.IN_SYNC, 0, False),
    ("a page nobody saw could be an added one", evidence(run=CUT), CHECK, {"added"}, Result.INCONCLUSIVE, 3, False),
    ("no page at all matters for every row", evidence(run=NOTHING), CHECK, {"lost"}, Result.INCONCLUSIVE, 3, False),
    ("stale, asked for, is repaired", evidence(diff=STALE), WRITE, {"stale"}, Result.DRIFT, 0, True),
    ("lost, asked for, fails although the file is repaired", evidence(diff=LOST), WRITE, {"stale", "lost"}, Result.DRIFT, 1, True),
    ("DIFF-20 undetermined by name", evidence(diff=DOUBT), CHECK, {"undetermined"}, Result.DRIFT, 1, False),
]  # fmt: skip


@pytest.mark.parametrize(
    ("found", "writing", "fail_on", "result", "code", "changed"), [pytest.param(*row[1:], id=row[0]) for row in FAIL]
)
def test_fail_on(found: Evidence, writing: bool, fail_on: set[str], result: Result, code: int, changed: bool) -> None:
    outcome = judge_evidence(found, writing=writing, fail_on=frozenset(fail_on))
    assert (outcome.result, outcome.exit_code, outcome.changed) == (result, code, changed)


ALLOWED = [
    # id, crawl.allow-undetermined, URLs that the sitemaps name, how many may be undetermined
    ("one in a hundred", limit(percent=1), 1000, 10),
    ("at least one", limit(percent=1), 3, 1),
    ("V-23 0 is 0", limit(count=0), 3, 0),
    ("V-23 0% is 0", limit(percent=0.0), 1000, 0),
    ("V-23 0 of a number and a percentage", limit(7, 0.0), 1000, 0),
    ("at least one of a small share", limit(percent=0.01), 1000, 1),
    ("at most fifty", limit(percent=1), 50_000, 50),
    ("at most fifty, whatever is asked for", limit(), 50_000, 50),
    ("a number", limit(count=7), 50_000, 7),
    ("both: the stricter", limit(count=7, percent=10), 20, 2),
    ("hundredths of a percent", limit(percent=0.57), 1000, 5),
]


@pytest.mark.parametrize(("allowed", "named", "most"), [pytest.param(*row[1:], id=row[0]) for row in ALLOWED])
def test_NET_10_how_many_may_be_undetermined(allowed: object, named: int, most: int) -> None:
    counts = replace(SAFE.diff.counts, union=named)
    results = [
        judge_evidence(
            evidence(diff=replace(SAFE.diff, counts=replace(counts, unverified=count))), writing=CHECK, allow=allowed
        )
        for count in (most, most + 1)
    ]
    assert [outcome.result for outcome in results] == [Result.IN_SYNC, Result.INCONCLUSIVE]
    may = f"at most {most}" if most else "none"
    noun = "URLs" if most else "URL"
    expected = f"{most + 1} listed {noun} gave no usable answer; {may} may (crawl.allow-undetermined)"
    assert sentences(results[1]) == (expected,)


def test_an_error_of_both_files_is_one_finding() -> None:
    elsewhere = replace(ERROR, line=99)
    outcome = judge_evidence(evidence(committed=(ERROR, WARNING), generated=(elsewhere, WARNING)), writing=CHECK)
    assert outcome.findings == (ERROR, WARNING)
    assert sentences(outcome) == ("1 error in the sitemap: SM-40, no date",)


def test_a_writing_mode_reports_the_generated_file() -> None:
    outcome = judge_evidence(evidence(diff=STALE, committed=(ERROR,), generated=(WARNING,)), writing=WRITE)
    assert outcome.findings == (WARNING,)


WORST = [
    # id, evidence, writing, fail-on, severities of the findings
    ("an invalid file fails the check", evidence(committed=(ERROR,)), CHECK, None, ["error"]),
    ("nothing fails the check", evidence(committed=(ERROR,), site=(ERROR,)), CHECK, frozenset(), ["warning", "warning"]),
    ("site errors fail where they are named", evidence(site=(ERROR,)), CHECK, frozenset({"errors"}), ["error"]),
    ("site errors do not fail by default", evidence(site=(ERROR,)), CHECK, None, ["warning"]),
    ("an invalid file stops the write, whatever fails", evidence(diff=STALE, generated=(ERROR,)), WRITE, frozenset(), ["error"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("found", "writing", "fail_on", "severities"), [pytest.param(*row[1:], id=row[0]) for row in WORST]
)
def test_V_24_what_cannot_fail_the_run_is_at_most_a_warning(
    found: Evidence, writing: bool, fail_on: frozenset[str] | None, severities: list[str]
) -> None:
    outcome = judge_evidence(found, writing=writing, fail_on=fail_on)
    assert [one.severity for one in outcome.findings] == severities
    assert outcome.errors == severities.count("error")
    assert bool(outcome.errors) is bool(outcome.exit_code)


def test_findings_are_in_order_of_severity_then_rule() -> None:
    first = replace(ERROR, rule=replace(ERROR.rule, id="AA-01"), severity=WARNING.severity)
    outcome = judge_evidence(evidence(committed=(WARNING, ERROR), site=(first,)), writing=CHECK)
    assert outcome.findings == (ERROR, first, WARNING)


BLOCKED = [
    ("nothing to write", evidence(guards=(REMOVED,)), ""),
    ("free to write", evidence(diff=STALE), ""),
    ("invalid", evidence(diff=STALE, generated=(ERROR,), guards=(REMOVED,), run=CUT), "the generated sitemap is invalid"),
    ("guard", evidence(diff=STALE, guards=(REMOVED, FEW), run=CUT), "a guard of the policy tripped: max-removed"),
    ("not everything seen", evidence(diff=STALE, run=CUT), "the run is incomplete: cannot list site/blog/"),
    ("a doubt", evidence(diff=STALE_DOUBT), "the run is incomplete: 1 page gave no usable answer"),
]  # fmt: skip


@pytest.mark.parametrize(("found", "why"), [pytest.param(*row[1:], id=row[0]) for row in BLOCKED])
def test_what_blocks_a_write(found: Evidence, why: str) -> None:
    for writing in (CHECK, WRITE):
        blocked = judge_evidence(found, writing=writing).blocked
        assert (blocked.sentence if blocked else "") == why


CAUSES = [
    # id, evidence, cause in a writing mode
    ("repaired", evidence(diff=STALE), "1 page is missing from sitemap.xml"),
    ("rewritten", evidence(diff=REWRITTEN), "sitemap.xml differed from the generated file"),
    ("valid again", evidence(committed=(ERROR,)), "1 error in sitemap.xml"),
    ("first run", evidence(diff=STALE, run=run_info(first_run=True)), "sitemap.xml is new and lists 9 pages"),
    ("left", evidence(diff=STALE_DOUBT), "sitemap.xml was not changed: the run is incomplete: 1 page gave no usable answer"),
]  # fmt: skip


@pytest.mark.parametrize(("found", "sentence"), [pytest.param(*row[1:], id=row[0]) for row in CAUSES])
def test_causes_in_a_writing_mode(found: Evidence, sentence: str) -> None:
    assert sentences(judge_evidence(found, writing=WRITE)) == (sentence,)
