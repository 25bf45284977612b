"""The rows of `fail-on` one by one: what fulfils each, what does not, and its sentence."""

import pytest

from fakes import HOME, at, make_diff, run_info
from outcomes import FAIL_ON_EVERYTHING, REMOVAL_CLASSES, finding, is_intended, removed
from sitemap_action.decide.causes import drift_causes, ledger_sentence, site_move, witness_sentence
from sitemap_action.model.outcome import Added, Changed, Diff, Flip, LedgerDifference


def removals(reason: str, status: int = 0, acknowledged: str = "", number: int = 1) -> Diff:
    rows = (removed(f"/{one}", reason, status=status, acknowledged=acknowledged) for one in range(number))
    return Diff(removed=tuple(rows))


MISSING, EXTRA = Diff(missing=(at("/a"),)), Diff(extra=(removed("/b", "gone"), removed("/c", "gone")))
BOTH = Diff(missing=(at("/a"), at("/b")), extra=(removed("/c", "gone"),))
MANY = Diff(
    removed=(
        removed("/a", "deindexed"),
        *removals("gone", number=3).removed,
        *removals("moved", number=9).removed,
    )
)
ROWS = [
    # id, what differs, fail-on, sentences
    ("stale: missing", MISSING, {"stale"}, ["1 page is missing from sitemap.xml"]),
    ("stale: extra", EXTRA, {"stale"}, ["2 URLs in sitemap.xml do not belong there"]),
    ("stale: both", BOTH, {"stale"}, ["2 pages are missing from sitemap.xml and 1 URL in sitemap.xml does not belong there"]),
    ("stale: not asked for", BOTH, {"lost", "added", "changed"}, []),
    ("stale: in sync", Diff(listed=3), {"stale"}, []),
    ("lost: counts by class", MANY, {"lost"}, ["4 pages of the baseline are lost: 3 gone, 1 deindexed"]),
    ("lost: one", removals("gone", 404), {"lost"}, ["1 page of the baseline is lost: 1 gone"]),
    ("lost: 410 is a statement of intent (DIFF-06)", removals("gone", 410), {"lost"}, []),
    ("lost: announced (DIFF-42)", removals("gone", 404, "sold"), {"lost"}, []),
    ("added", Diff(added=(Added(at("/a")),)), {"added"}, ["1 page is new"]),
    ("added: two", Diff(added=(Added(at("/a")), Added(at("/b")))), {"added"}, ["2 pages are new"]),
    ("changed", Diff(changed=(Changed(at("/a"), (("lastmod", "", "2026-01-01"),)),)), {"changed"}, ["1 entry changed"]),
    ("a class and lost: both are told", removals("gone"), {"lost", "gone"}, ["1 page of the baseline is lost: 1 gone", "1 page of the baseline is gone"]),
    ("a class by name, 410 too", removals("gone", 410), {"gone"}, ["1 page of the baseline is gone"]),
    ("a class by name, announced", removals("gone", 404, "sold"), {"gone"}, []),
    ("undetermined: entries that were kept", make_diff(unverified=2), {"undetermined"}, ["2 pages of the baseline are undetermined"]),
    ("undetermined: not asked for", make_diff(unverified=2), {"lost", "stale"}, []),
    ("none", MANY, set(), []),
]  # fmt: skip


@pytest.mark.parametrize(("diff", "fail_on", "sentences"), [pytest.param(*row[1:], id=row[0]) for row in ROWS])
def test_drift(diff: Diff, fail_on: set[str], sentences: list[str]) -> None:
    assert [cause.sentence for cause in drift_causes(diff, run_info(), "", frozenset(fail_on))] == sentences


@pytest.mark.parametrize("reason", REMOVAL_CLASSES)
def test_each_class_fails_by_name_and_is_lost_unless_intended(reason: str) -> None:
    diff = removals(reason)
    assert [cause.row for cause in drift_causes(diff, run_info(), "", frozenset({reason}))] == [reason]
    assert bool(drift_causes(diff, run_info(), "", frozenset({"lost"}))) is (not is_intended(reason))


@pytest.mark.parametrize(("errors", "sentences"), [("", []), ("2 errors on the site: X", ["2 errors on the site: X"])])
def test_errors_of_the_site(errors: str, sentences: list[str]) -> None:
    assert [cause.sentence for cause in drift_causes(Diff(), run_info(), errors, frozenset({"errors"}))] == sentences
    assert drift_causes(Diff(), run_info(), errors, frozenset({"stale", "lost", "invalid"})) == []


def test_a_first_run_says_so() -> None:  # DIFF-21
    diff = Diff(missing=(at("/a"), at("/b")), listed=2)
    (cause,) = drift_causes(diff, run_info(first_run=True), "", frozenset({"stale"}))
    assert cause.sentence == "there is no sitemap yet; 2 pages would be listed in sitemap.xml"


def test_U_14_a_file_that_is_not_there_lacks_no_page() -> None:
    diff = Diff(missing=(at("/a"),), listed=1)
    (cause,) = drift_causes(diff, run_info(absent=True), "", frozenset({"stale"}))
    assert cause.sentence == "sitemap.xml does not exist; 1 page would be listed in it"


def test_every_row_of_fail_on_is_read() -> None:
    """`invalid` is read by the verdict."""
    everything = make_diff(
        missing=(at("/a"),),
        added=(Added(at("/a")),),
        changed=(Changed(at("/b"), ()),),
        removed=tuple(removed(f"/{reason}", reason) for reason in REMOVAL_CLASSES),
        unverified=1,
    )
    found = {cause.row for cause in drift_causes(everything, run_info(), "1 error", FAIL_ON_EVERYTHING)}
    assert found == FAIL_ON_EVERYTHING - {"invalid"}


def ledger(dead: int, lines: int) -> str:
    rows, faults = removals("gone", number=dead).removed, tuple((line, "no address") for line in range(lines))
    return ledger_sentence(LedgerDifference("urls.txt", dead=rows, faults=faults), dead + lines)


def moves(pages: int, *, old: str = "https://old.example/", covered: int = 0, moves_site: bool = True) -> str:
    """So many of four pages."""
    pairs = tuple((f"{old}{page}", at(f"/{page}")) for page in range(pages))
    return site_move(make_diff(flips=(Flip(("host",), pairs, covered, moves_site=moves_site),), baseline=4))


FILE, PAGE = finding("error", "x", "", "sitemap.xml"), finding("error", "x", at("/a"))
SENTENCES = [
    # id, what is said, expected
    ("witness: a file", witness_sentence([FILE]), "what is served differs from the build: sitemap.xml"),
    ("witness: a file and an address", witness_sentence([PAGE, FILE]), "what is served differs from the build: sitemap.xml and 1 address"),
    ("witness: addresses", witness_sentence([PAGE, finding("error", "x", count=4)]), "what is served differs from the build: 5 addresses"),
    ("ledger: an address", ledger(1, 0), "1 address of urls.txt is dead: 1 gone"),
    ("ledger: an address and a line", ledger(1, 1), "1 address of urls.txt is dead: 1 gone; 1 line is wrong"),
    ("ledger: two of each", ledger(2, 2), "2 addresses of urls.txt are dead: 2 gone; 2 lines are wrong"),
    ("ledger: a line", ledger(0, 1), "1 line of urls.txt is wrong"),
    ("ledger: two lines", ledger(0, 2), "2 lines of urls.txt are wrong"),
    ("move: of half a site", moves(2), ""),
    ("move: of most of it", moves(3, covered=1), f"the site moves from https://old.example/ to {HOME}: 3 of 4 URLs have their old address, and 1 was seen to redirect"),
    ("move: of all of it", moves(4, covered=2), f"the site moves from https://old.example/ to {HOME}: 4 of 4 URLs have their old address, and 2 were seen to redirect"),
    ("move: to https", moves(4, old="http://www.example.com/"), f"the site moves from http://www.example.com/ to {HOME}: 4 of 4 URLs have their old address, and 0 were seen to redirect"),
    ("move: within it", moves(4, moves_site=False), ""),
]  # fmt: skip


@pytest.mark.parametrize(("said", "expected"), [pytest.param(*row[1:], id=row[0]) for row in SENTENCES])
def test_sentences(said: str, expected: str) -> None:
    assert said == expected
