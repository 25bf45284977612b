"""A large site as the outcome of a run: sections, titles, redirects, lost pages, in any number."""

from collections.abc import Iterator
from functools import cache

from fakes import HOME, NOW, FakeSite, at, caused, gone, noindex, page, redirect, run_info
from sitemap_action.checks.all import SITE_RULES
from sitemap_action.config.schema import OutputConfig, SelectConfig
from sitemap_action.decide.acknowledged import Acknowledgements
from sitemap_action.decide.compare import Comparison, join_urls
from sitemap_action.decide.page_table import MOST, PageCollector
from sitemap_action.decide.policy import SelectPolicy
from sitemap_action.decide.redirects import Redirects
from sitemap_action.decide.verdict import Selector
from sitemap_action.model.finding import Finding, Severity
from sitemap_action.model.outcome import Outcome, ReportDetails, Result
from sitemap_action.model.page import Page

_SECTIONS = ("blog", "docs/en", "docs/de", "shop/shoes", "shop/hats", "team")
_WORDS = ("harbour", "kitchen", "letter", "mirror", "orange", "paper", "river", "silver", "tower", "window")


def path(number: int) -> str:
    """Of one page: its section, a folder, a name."""
    return f"/{_SECTIONS[number % 6]}/{_WORDS[number % 10]}-{number // 600}/{_WORDS[number // 10 % 10]}-{number}/"


@cache
def large_report(pages: int, most: int = MOST) -> Outcome:
    """Of a crawled site with so many pages and a committed sitemap that is some days old."""
    site = FakeSite(_pages(pages), committed=[path(number) for number in range(pages) if number % 50], baseline=[])
    selector = Selector(site, SelectPolicy(HOME, SelectConfig(), OutputConfig(), None, NOW))
    comparison = Comparison(Acknowledgements([], NOW.date()), HOME, same=True)
    table = PageCollector(site, HOME, Redirects(site, SelectConfig(), None), clicks=True, first_run=False, most=most)
    for row in join_urls(site, same=True):
        verdict = selector.verdict(row.page, row.committed, row.baseline)
        comparison.add(row, verdict)
        table.add(row, verdict)
    diff = comparison.diff()
    missing = len(diff.missing)
    rule = SITE_RULES["HTML-73"]
    return Outcome(
        result=Result.DRIFT,
        exit_code=1,
        run=run_info(same_baseline=True),
        diff=diff,
        causes=caused(
            f"{missing:,} pages are missing from sitemap.xml",
            f"{len(diff.lost_pages):,} pages of the baseline are lost",
        ),
        findings=(
            Finding(rule, Severity.WARNING, "a link leads to nothing", count=9, examples=(at(path(7)), at(path(8)))),
            Finding(rule, Severity.ERROR, "a link leads to nothing", at(path(9)), "blog/index.html", 7),
        ),
        fail_on=frozenset({"stale", "lost"}),
        details=ReportDetails(pages=table.table(diff)),
    )


def _pages(count: int) -> Iterator[Page]:
    yield page("/", title="Example: the start page")
    for number in range(count):
        here, depth = path(number), 1 + number % 5
        match number % 100:
            case 3:
                yield redirect(here, path(number + 1))
            case 13:
                yield redirect(here, path(number + 20), 302)
            case 23:
                yield gone(here)
            case 33:
                yield redirect(here, path(number + 1))
            case 43:
                yield noindex(here)
            case _:
                yield page(here, title=f"The {_WORDS[number % 10]} of page {number:,}", depth=depth, found_on=HOME)
