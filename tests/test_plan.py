"""The steps of each mode; and, for any small site, properties of every outcome."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from fakes import (
    HOME,
    NOW,
    FakeSite,
    canonical,
    foreign,
    gone,
    noindex,
    page,
    redirect,
    refresh,
    run_info,
    twin,
    undetermined,
)
from sitemap_action.config.schema import FAIL_ON, FAIL_ON_WRITING, Limit, Orphans, OutputConfig, SelectConfig
from sitemap_action.config.schema import PolicyConfig as Limits
from sitemap_action.decide.acknowledged import Acknowledgements
from sitemap_action.decide.causes import GuardCounter
from sitemap_action.decide.compare import Comparison, join_urls
from sitemap_action.decide.entries import SitemapGenerator
from sitemap_action.decide.judge import Evidence, judge
from sitemap_action.decide.policy import SelectPolicy
from sitemap_action.decide.verdict import Selector
from sitemap_action.model.context import Mode
from sitemap_action.model.outcome import Diff, Flip, Outcome, Result
from sitemap_action.model.page import Page, PageKind
from sitemap_action.model.site import Listed, Reason
from sitemap_action.model.sitemap import SitemapFile
from sitemap_action.model.step import FileChange
from sitemap_action.plan import plan

SHARDS = ("sitemap-1.xml", "sitemap-2.xml")
FILES = tuple(SitemapFile(path, path.encode(), 1) for path in ("sitemap-1.xml", "sitemap.xml"))
CHANGED = Outcome(Result.DRIFT, 0, run_info(), Diff(), (), files=FILES, changed=True, writing=True)
WRITES = (FileChange("sitemap-1.xml", b"sitemap-1.xml"), FileChange("sitemap.xml", b"sitemap.xml"))
ROWS = [
    # id, outcome, mode, shards of earlier runs, steps
    ("check writes nothing", CHANGED, Mode.CHECK, SHARDS, ()),
    ("nothing to change", replace(CHANGED, changed=False), Mode.WRITE, SHARDS, ()),
    (
        "SM-08 children, index, then what is stale",
        CHANGED,
        Mode.WRITE,
        SHARDS,
        (*WRITES, FileChange("sitemap-2.xml", None)),
    ),
    ("nothing stale", CHANGED, Mode.WRITE, (), WRITES),
]


@pytest.mark.parametrize(("outcome", "mode", "shards", "steps"), [pytest.param(*row[1:], id=row[0]) for row in ROWS])
def test_steps(outcome: Outcome, mode: Mode, shards: tuple[str, ...], steps: tuple[object, ...]) -> None:
    assert plan(outcome, mode, shards) == steps


def test_steps_as_text() -> None:
    assert [str(step) for step in plan(CHANGED, Mode.WRITE, SHARDS)] == [
        "write sitemap-1.xml (13 bytes)",
        "write sitemap.xml (11 bytes)",
        "delete sitemap-2.xml",
    ]


PATHS = [*(f"/{letter}" for letter in "abcdef"), "/a/", "/b/", "/g.html"]
path = st.sampled_from(PATHS)


def a_page(where: str) -> st.SearchStrategy[Page]:
    """Anything that can stand at a path."""
    return st.one_of(
        st.builds(page, st.just(where), inlinks=st.integers(0, 1)),
        st.builds(noindex, st.just(where)),
        st.builds(canonical, st.just(where), path),
        st.builds(canonical, st.just(where), path, path),
        st.builds(redirect, st.just(where), path | st.just("https://shop.example/"), st.sampled_from((301, 302))),
        st.builds(refresh, st.just(where), path, st.integers(0, 1)),
        st.builds(gone, st.just(where), st.sampled_from((404, 410))),
        st.just(gone(where)._replace(found_on=HOME)),
        st.builds(undetermined, st.just(where)),
        st.builds(twin, st.just(where), path),
        st.just(page(where)._replace(unlisted="error page of the host")),
    )


@st.composite
def sites(draw: st.DrawFn) -> tuple[list[Page], list[str], list[str] | None]:
    """Pages, URLs of the committed file, URLs of the baseline or None; as in the look phase, each has a page."""
    chosen = draw(st.lists(path, unique=True))
    pages = [draw(a_page(where)) for where in chosen]
    others = [foreign(f"http://example.com{where}", where) for where in chosen]
    others.append(foreign("about us", reason="not the URL of a page"))
    named = st.lists(st.sampled_from([one.url for one in (*pages, *others)]), unique=True)
    return [*pages, *others], draw(named), draw(st.none() | named)


def decide(
    pages: list[Page],
    committed: list[str],
    baseline: list[str] | None,
    options: tuple[SelectConfig, OutputConfig, Limits],
    *,
    writing: bool,
    cut: bool,
) -> Outcome:
    """The wiring of a run, without a world round it."""
    select, output, limits = options
    same = baseline is None
    run = run_info(same_baseline=same, first_run=not committed and not baseline, incomplete=("cut off",) if cut else ())
    site = FakeSite(pages, committed=committed, baseline=baseline or ())
    selector = Selector(site, SelectPolicy(HOME, select, output, None, NOW))
    comparison = Comparison(Acknowledgements((), NOW.date()), HOME, same=same)
    guards = GuardCounter(limits)
    generator = SitemapGenerator(output, run.sitemap, f"{HOME}sitemap.xml")
    for row in join_urls(site, same=same):
        verdict = selector.verdict(row.page, row.committed, row.baseline)
        comparison.add(row, verdict)
        guards.on_url(row, verdict)
        if isinstance(verdict, Listed):
            generator.add(verdict.entry)
    diff = comparison.diff()
    evidence = Evidence(
        run=run,
        diff=diff,
        guards=guards.find_tripped(diff, first_run=run.first_run),
        committed=(),
        generated=(),
        site=(),
        not_checked=(),
        files=generator.finish(),
    )
    return judge(evidence, FAIL_ON_WRITING if writing else FAIL_ON, Limit(percent=1), writing=writing)


options = st.tuples(
    st.builds(
        SelectConfig,
        exclude=st.sampled_from([(), ("/a",), ("/{a,b}",)]),
        include=st.sampled_from([(), ("/{a,b,c,d}",)]),
        orphans=st.sampled_from(list(Orphans)),
    ),
    st.builds(OutputConfig, keep=st.sampled_from([(), ("/h",), ("/**",)])),
    st.builds(
        Limits,
        max_removed=st.sampled_from([Limit(), Limit(count=1), Limit(percent=20)]),
        min_urls=st.integers(0, 2),
        required=st.sampled_from([(), ("/a",)]),
    ),
)


@given(sites(), options, st.booleans(), st.booleans())
def test_any_site(
    site: tuple[list[Page], list[str], list[str] | None],
    chosen: tuple[SelectConfig, OutputConfig, Limits],
    writing: bool,
    cut: bool,
) -> None:
    outcome = decide(*site, chosen, writing=writing, cut=cut)
    assert outcome == decide(*site, chosen, writing=writing, cut=cut)
    each_url_stands_in_one_place(outcome.diff, *site)
    nothing_is_written_unless_it_may_be(outcome, writing=writing)
    assert (outcome.exit_code == 0) is (outcome.result is Result.IN_SYNC or (outcome.changed and not outcome.guards))
    assert (outcome.exit_code == 3) is (outcome.result is Result.INCONCLUSIVE)


def each_url_stands_in_one_place(
    diff: Diff, pages: list[Page], committed: list[str], baseline: list[str] | None
) -> None:
    before = set(committed if baseline is None else baseline)
    unasked = {
        one.url for one in pages if one.kind is PageKind.GONE and not one.found_on
    }  # stands in for a foreign URL
    known = {one.url for one in pages} - (unasked - before - set(committed))
    added, removed = {row.url for row in diff.added}, {row.url for row in diff.removed}
    skipped, unknown = {row.url for row in diff.skipped}, {row.url for row in (*diff.undetermined, *diff.unanswered)}
    stayed = before - removed - unknown  # listed on both sides, changed or not
    assert removed <= before
    assert not added & before
    assert not skipped & (before | added | unknown)
    assert not removed & unknown
    assert {row.url for row in diff.changed} <= stayed | unknown
    listed_unknown = diff.listed - len(stayed) - len(added - unknown)  # entries kept without an answer
    assert 0 <= listed_unknown <= len(unknown)
    assert len(known) == diff.listed + len(skipped) + len(removed) + len(unknown) - listed_unknown
    led = [
        row
        for row in diff.removed
        if row.reason in {Reason.MOVED, Reason.MOVED_HOME, Reason.MOVED_TEMPORARY, Reason.MERGED}
    ]
    assert {row.redirect_to for row in led} <= stayed | added  # DIFF-04: what counts as moved leads to a listed page
    assert {row.url for row in diff.extra} <= set(committed)
    assert not set(diff.missing) & set(committed)
    assert len(committed) - len(diff.extra) + len(diff.missing) == diff.listed  # question 1 adds up as well
    each_group_has_rows(diff.stale_flips, {row.url for row in diff.extra}, set(diff.missing))
    each_group_has_rows(diff.flips, removed, added)
    if baseline is None:
        assert diff.missing == tuple(row.url for row in diff.added)
        assert diff.extra == diff.removed


def each_group_has_rows(flips: tuple[Flip, ...], old: set[str], new: set[str]) -> None:
    """DIFF-11: a group gathers rows of both sides, an old URL in one group at most, and counts who leads on."""
    pages = [pair for flip in flips for pair in flip.pages]
    assert len({before for before, _ in pages}) == len(pages)
    assert {before for before, _ in pages} <= old
    assert {after for _, after in pages} <= new
    assert all(flip.covered + len(flip.uncovered) == len(flip.pages) > 1 for flip in flips)


def nothing_is_written_unless_it_may_be(outcome: Outcome, *, writing: bool) -> None:
    steps = plan(outcome, Mode.WRITE if writing else Mode.CHECK, ())
    assert bool(steps) is outcome.changed
    if not writing or not outcome.complete or outcome.guards:
        assert not steps
    elif outcome.diff.stale:
        assert steps
