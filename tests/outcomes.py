"""What a run found and how it ended, in short: findings, rows of a difference, verdicts, and a site compared."""

from typing import Any

from msgspec.structs import replace

from fakes import HOME, NOW, FakeSite, at, caused, run_info
from hostile import RULE
from sitemap_action.config.schema import (
    FAIL_ON,
    FAIL_ON_ROWS,
    FAIL_ON_WRITING,
    ExpectedRemoval,
    Limit,
    OutputConfig,
    SelectConfig,
)
from sitemap_action.decide.acknowledged import Acknowledgements
from sitemap_action.decide.compare import Comparison, join_urls
from sitemap_action.decide.judge import Evidence, judge
from sitemap_action.decide.page_table import PageCollector
from sitemap_action.decide.policy import SelectPolicy
from sitemap_action.decide.redirects import Redirects
from sitemap_action.decide.verdict import Selector
from sitemap_action.model.context import RunIdentity
from sitemap_action.model.finding import Finding, Rule, Severity
from sitemap_action.model.outcome import Diff, Outcome, PageTable, Removed, Result, Skipped
from sitemap_action.model.site import INTENDED, DeindexedBy, Reason
from sitemap_action.model.sitemap import Entry
from sitemap_action.model.source import RenderUse, StateUse

REASONS = tuple(Reason)
REMOVAL_CLASSES = tuple(reason for reason in Reason if reason is not Reason.UNDETERMINED)
FAIL_ON_EVERYTHING = frozenset(map(str, FAIL_ON_ROWS))
FAILING = frozenset({"stale", "lost", "invalid"})


def finding(severity: str, message: str, *where: Any, rule: Rule = RULE, **given: Any) -> Finding:
    """`where`: URL, path, line."""
    return Finding(rule, Severity(severity), message, *where, **given)


def removed(path: str, reason: str, *rest: Any, by: str = "", **given: Any) -> Removed:
    """`rest`: the detail and what follows it in the record."""
    return Removed(at(path), Reason(reason), *rest, by=DeindexedBy(by) if by else None, **given)


def skipped(path: str, reason: str, *rest: Any) -> Skipped:
    """`rest`: the detail and the page that links to it."""
    return Skipped(at(path), Reason(reason), *rest)


def entry(path: str, *rest: str) -> Entry:
    """`rest`: lastmod, changefreq, priority."""
    return Entry(at(path), *rest)


def run_identity(*parts: Any, **named: Any) -> RunIdentity:
    """Parts in the order of the record: date, event, commit, branch, number of the pull request, link, repository."""
    return RunIdentity(*parts, **named)


def is_intended(reason: str) -> bool:
    return reason in INTENDED


GONE = removed("/gone/", "gone", "no file for this URL (404)", line=7)
OK = Outcome(Result.IN_SYNC, 0, run_info(), Diff(), ())
DRIFT = Outcome(
    Result.DRIFT, 1, run_info(), Diff(extra=(GONE,), removed=(GONE,)), caused("1 page is lost"), fail_on=FAILING
)


def with_use(outcome: Outcome) -> Outcome:
    """Of a crawl that took pages from a state and rendered some."""
    state = StateUse(unchanged=2, pages=3, since="2026-01-01T00:00:00+00:00", resumed=0, begun="")
    rendering = RenderUse(pages=2, failed=0, seconds=0.5, browser="Chromium 1", sandboxed=True)
    source = replace(outcome.run.source, state=state, rendering=rendering)
    return replace(outcome, run=replace(outcome.run, source=source))


def limit(count: int | None = None, percent: float | None = None) -> Limit:
    return Limit(count=count, percent=percent)


def judge_evidence(
    found: Evidence, *, writing: bool, fail_on: frozenset[str] | None = None, allow: Limit | None = None
) -> Outcome:
    """`fail_on`: None for the default of the mode."""
    rows = (FAIL_ON_WRITING if writing else FAIL_ON) if fail_on is None else fail_on
    return judge(found, rows, allow or Limit(percent=1), writing=writing)


def compare(site: FakeSite, *, same: bool, expected: tuple[str, ...] = (), **output: Any) -> Diff:
    """`same`: the committed file is the baseline; `expected`: removals announced as sold; the rest is of `output`."""
    return _compare(site, same=same, expected=expected, output=OutputConfig(**output))


def compare_pages(site: FakeSite, **given: Any) -> tuple[PageTable, Diff]:
    """Keywords are those of the collector of rows; the committed file is the baseline."""
    collector = PageCollector(site, HOME, Redirects(site, SelectConfig(), None), **given)
    diff = _compare(site, same=True, collector=collector)
    return collector.table(diff), diff


def _compare(
    site: FakeSite,
    *,
    same: bool,
    expected: tuple[str, ...] = (),
    output: OutputConfig | None = None,
    collector: PageCollector | None = None,
) -> Diff:
    today = NOW.date()
    selector = Selector(site, SelectPolicy(HOME, SelectConfig(), output or OutputConfig(), None, NOW))
    announced = [ExpectedRemoval(url=path, reason="sold", until=today) for path in expected]
    comparison = Comparison(Acknowledgements(announced, today), HOME, same=same)
    for row in join_urls(site, same=same):
        verdict = selector.verdict(row.page, row.committed, row.baseline)
        comparison.add(row, verdict)
        if collector is not None:
            collector.add(row, verdict)
    return comparison.diff()
