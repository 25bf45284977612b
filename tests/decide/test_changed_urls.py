"""What search engines are asked to fetch again (IN-06)."""

import pytest

from fakes import at, run_info
from outcomes import REASONS, removed, skipped
from sitemap_action.decide.changes import changed_urls
from sitemap_action.model.outcome import Added, Changed, Diff, Outcome, Result

SUBMITTED = {
    "gone",
    "moved",
    "moved-home",
    "moved-temporary",
    "moved-offsite",
    "redirect-broken",
}


def outcome(diff: Diff, **run: object) -> Outcome:
    return Outcome(Result.DRIFT, 1, run_info(**run), diff, ())


def changed(path: str, *fields: str) -> Changed:
    return Changed(at(path), tuple((name, "old", "new") for name in fields))


FULL = Diff(
    added=(Added(at("/new")), Added(at("/b"))),
    removed=(removed("/old", "moved", redirect_to=at("/new")), removed("/404", "gone", status=404)),
    changed=(changed("/a", "lastmod"), changed("/b", "lastmod")),
    skipped=(skipped("/draft", "deindexed"),),
)


def test_added_changed_removed_and_redirected_sorted_and_once() -> None:
    assert changed_urls(outcome(FULL)) == tuple(map(at, ("/404", "/a", "/b", "/new", "/old")))


@pytest.mark.parametrize("reason", REASONS)
def test_removed_from_the_site_not_only_from_the_sitemap(reason: str) -> None:
    """A live page that is excluded or not indexable must not be advertised."""
    found = changed_urls(outcome(Diff(removed=(removed("/x", reason),))))
    assert bool(found) is (reason in SUBMITTED)


FIELDS = [
    (("lastmod",), True),
    (("alternates",), True),
    (("images", "priority"), True),
    (("changefreq",), False),
    (("priority", "changefreq"), False),
]


@pytest.mark.parametrize(("fields", "submitted"), FIELDS)
def test_changed_in_content(fields: tuple[str, ...], submitted: bool) -> None:
    assert bool(changed_urls(outcome(Diff(changed=(changed("/x", *fields),))))) is submitted


@pytest.mark.parametrize(
    "why",
    [{"incomplete": ("the deadline ended the run",)}, {"no_baseline": True}],
    ids=["not complete", "nothing to compare with"],
)
def test_nothing_where_changes_are_not_known(why: dict[str, object]) -> None:
    assert changed_urls(outcome(FULL, **why)) == ()


def test_nothing_where_a_page_gave_no_answer() -> None:
    unknown = Diff(added=(Added(at("/new")),), undetermined=(skipped("/x", "undetermined"),))
    assert changed_urls(outcome(unknown)) == ()
