"""DIFF-41: limits that block a write, one row per way to pass or to trip."""

import pytest

from fakes import at, foreign, make_diff, page
from sitemap_action.config.schema import Limit, PolicyConfig, SectionPolicy
from sitemap_action.decide.causes import GuardCounter
from sitemap_action.model.outcome import Added, Diff, Removed
from sitemap_action.model.page import Page
from sitemap_action.model.site import Absent, KnownUrl, Listed, Reason, Verdict
from sitemap_action.model.sitemap import Entry


def diff(lost: int = 0, baseline: int = 100, added: int = 0, listed: int = 100, moved: int = 0) -> Diff:
    gone = [Removed(at(f"/gone/{number}"), Reason.GONE) for number in range(lost)]
    redirected = [Removed(at(f"/moved/{number}"), Reason.MOVED) for number in range(moved)]
    new = tuple(Added(at(f"/new/{number}")) for number in range(added))
    return make_diff(removed=(*gone, *redirected), added=new, baseline=baseline, listed=listed)


def tripped(policy: PolicyConfig, found: Diff, *, first_run: bool = False) -> list[tuple[str, str]]:
    return [(guard.key, guard.sentence) for guard in GuardCounter(policy).find_tripped(found, first_run=first_run)]


NUMBER, PERCENT, BOTH = Limit(count=5), Limit(percent=2), Limit(count=20, percent=10)
ROWS = [
    # id, policy, what differs, first run, key of the guard that trips or ""
    ("nothing differs", PolicyConfig(), diff(), False, ""),
    ("number held", PolicyConfig(max_removed=NUMBER), diff(5), False, ""),
    ("number passed", PolicyConfig(max_removed=NUMBER), diff(6), False, "policy.max-removed"),
    ("a number counts below five too", PolicyConfig(max_removed=Limit(count=0)), diff(1), False, "policy.max-removed"),
    ("percentage never trips below five", PolicyConfig(max_removed=PERCENT), diff(4), False, ""),
    ("percentage passed", PolicyConfig(max_removed=PERCENT), diff(5), False, "policy.max-removed"),
    ("percentage held", PolicyConfig(max_removed=PERCENT), diff(5, 250), False, ""),
    ("percentage passed by one", PolicyConfig(max_removed=PERCENT), diff(6, 250), False, "policy.max-removed"),
    ("both, the number is stricter", PolicyConfig(max_removed=BOTH), diff(21, 1000), False, "policy.max-removed"),
    ("both, the percentage is stricter", PolicyConfig(max_removed=BOTH), diff(11, 100), False, "policy.max-removed"),
    ("both held", PolicyConfig(max_removed=BOTH), diff(10, 100), False, ""),
    ("no limit", PolicyConfig(max_removed=Limit()), diff(100), False, ""),
    ("the default", PolicyConfig(), diff(21), False, "policy.max-removed"),
    ("moved pages are not lost", PolicyConfig(), diff(moved=90), False, ""),
    ("DIFF-21 first run", PolicyConfig(max_added=PERCENT), diff(0, 0, 40, 40), True, ""),
    ("growth without a limit", PolicyConfig(), diff(added=5000), False, ""),
    ("growth held", PolicyConfig(max_added=Limit(count=40)), diff(added=40), False, ""),
    ("growth passed", PolicyConfig(max_added=Limit(count=40)), diff(added=41), False, "policy.max-added"),
    ("too few", PolicyConfig(min_urls=3), diff(listed=2), False, "policy.min-urls"),
    ("just enough", PolicyConfig(min_urls=3), diff(listed=3), False, ""),
    ("too few on a first run", PolicyConfig(), diff(0, 0, 0, 0), True, "policy.min-urls"),
    ("none is enough", PolicyConfig(min_urls=0), diff(listed=0), False, ""),
]


@pytest.mark.parametrize(("policy", "found", "first_run", "key"), [pytest.param(*row[1:], id=row[0]) for row in ROWS])
def test_tripped(policy: PolicyConfig, found: Diff, first_run: bool, key: str) -> None:
    assert [name for name, _ in tripped(policy, found, first_run=first_run)] == ([key] if key else [])


def listed(found: Page) -> tuple[KnownUrl, Verdict]:
    return KnownUrl(found, None, Entry(found.url)), Listed(found, Entry(found.url))


def gone(found: Page) -> tuple[KnownUrl, Verdict]:
    return KnownUrl(found, None, Entry(found.url)), Absent(found, Reason.GONE)


REQUIRED = [
    ("listed", ("/pricing/",), [listed(page("/pricing/"))], []),
    ("known but not listed", ("/pricing/",), [gone(page("/pricing/"))], ["/pricing/"]),
    ("unknown", ("/pricing/",), [], ["/pricing/"]),
    ("one of a pattern is enough", ("/blog/**",), [gone(page("/blog/a")), listed(page("/blog/b"))], []),
    ("each pattern on its own", ("/a", "/b", "/c"), [listed(page("/b"))], ["/a", "/c"]),
    ("one page for two patterns", ("/a", "/**"), [listed(page("/a"))], []),
]


@pytest.mark.parametrize(("patterns", "rows", "absent"), [pytest.param(*row[1:], id=row[0]) for row in REQUIRED])
def test_required(patterns: tuple[str, ...], rows: list[tuple[KnownUrl, Verdict]], absent: list[str]) -> None:
    guards = GuardCounter(PolicyConfig(required=patterns))
    for known, verdict in rows:
        guards.on_url(known, verdict)
    found = [guard.sentence for guard in guards.find_tripped(diff(), first_run=False)]
    assert found == [f"no listed page matches {pattern} of policy.required" for pattern in absent]


def blog(host: str = "") -> list[Page]:
    paths = [f"/blog/{number}" for number in range(10)]
    return [foreign(f"{host}{path}", path) for path in paths] if host else [page(path) for path in paths]


SECTIONS = [
    # id, limit, pages of the baseline, how many of them are lost, message or ""
    ("held", Limit(count=2), blog(), 2, ""),
    ("number passed", Limit(count=2), blog(), 3, "3 of 10 URLs in /blog/** are lost; policy.sections allows 2"),
    ("percentage of the section, not of the site", Limit(percent=50), blog(), 6, "6 of 10 URLs in /blog/** are lost; policy.sections allows 50%"),
    ("DIFF-11 the baseline spells the site otherwise", Limit(percent=50), blog("http://example.com"), 5, ""),
    ("what is listed is no URL", Limit(count=0), [foreign("about us", reason="not the URL of a page")], 0, ""),
    ("an empty section", Limit(count=0), [], 0, ""),
]  # fmt: skip


@pytest.mark.parametrize(("limit", "pages", "lost", "message"), [pytest.param(*row[1:], id=row[0]) for row in SECTIONS])
def test_sections(limit: Limit, pages: list[Page], lost: int, message: str) -> None:
    guards = GuardCounter(PolicyConfig(max_removed=Limit(), sections={"/blog/**": SectionPolicy(max_removed=limit)}))
    for one in [*pages, page("/elsewhere")]:
        guards.on_url(*gone(one))
    removed = tuple(Removed(one.url, Reason.GONE) for one in [*pages[:lost], page("/elsewhere")])
    found = guards.find_tripped(make_diff(removed=removed, baseline=len(pages) + 1, listed=9), first_run=False)
    assert [guard.sentence for guard in found] == ([message] if message else [])


def test_messages_have_the_numbers() -> None:
    policy = PolicyConfig(max_removed=BOTH, max_added=Limit(count=1), min_urls=9)
    assert tripped(policy, diff(30, 200, 2, 8)) == [
        ("policy.max-removed", "30 of 200 URLs are lost; policy.max-removed allows 20 or 10%"),
        ("policy.max-added", "2 URLs would be added to 200; policy.max-added allows 1"),
        ("policy.min-urls", "8 URLs would be listed; policy.min-urls wants 9"),
    ]
