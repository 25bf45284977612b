"""The HTML report of up to 100,000 rows: making it, loading it in Chromium, a key in its filter, in processor time.

    python benchmarks/report.py [--rounds 5]

Memory is that of the rows and of the text together (tracemalloc), on top of what the run itself holds.
"""

import argparse
import statistics
import sys
import time
import tracemalloc
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[1] / "tests"), str(Path(__file__).parents[1])]


def main(rounds: int) -> None:
    from large_reports import large_report
    from sitemap_action.decide.page_table import MOST, MOST_OF_ALL

    print(f"{'pages':>9}{'rows':>9}{'file MB':>9}{'made s':>9}{'loaded s':>10}{'key s':>8}")
    for pages, most in ((1_000, MOST), (10_000, MOST), (100_000, MOST), (100_000, MOST_OF_ALL)):
        outcome = large_report(pages, most)
        assert outcome.details.pages is not None
        rows = len(outcome.details.pages.rows)
        text, made = _made(outcome)
        load, key = _shown(text, rounds)
        print(f"{pages:>9,}{rows:>9,}{len(text) / 1e6:>9.1f}{made:>9.2f}{load:>10.2f}{key:>8.2f}")
    print(f"\nof 100,000 pages the rows and the file take {_memory(100_000):,.0f} MiB")


def _made(outcome: Any) -> tuple[str, float]:
    from sitemap_action.reports.all import render

    render("html", outcome)
    start = time.process_time()
    text = render("html", outcome)
    return text, time.process_time() - start


def _shown(text: str, rounds: int) -> tuple[float, float]:
    """Median seconds of processor time of the page's thread: until all is painted, and for a key in the filter."""
    from browser import browser

    loads, keys = [], []
    with TemporaryDirectory() as folder, browser() as tab:
        file = Path(folder, "report.html")
        file.write_text(text, encoding="utf-8")
        for _ in range(rounds):
            seen = tab.loading_time(file.as_uri())
            loads.append(seen)
            keys += [tab.key_time("filter", key) for key in "river"]
    return statistics.median(loads), statistics.median(keys)


def _memory(pages: int) -> float:
    """MiB at the peak of making a report from rows as they come, without the comparison, which a run has anyway."""
    from fakes import HOME, page
    from large_reports import path
    from sitemap_action.config.schema import SelectConfig
    from sitemap_action.decide.page_table import PageCollector
    from sitemap_action.decide.redirects import Redirects
    from sitemap_action.model.outcome import Diff
    from sitemap_action.model.site import KnownUrl, Listed
    from sitemap_action.model.sitemap import Entry
    from sitemap_action.reports.html.report_page import as_json, page_rows

    tracemalloc.start()
    redirects = Redirects(None, SelectConfig(), None)  # type: ignore[arg-type]
    collector = PageCollector(None, HOME, redirects, clicks=True, first_run=False)  # type: ignore[arg-type]
    for number in range(pages):
        entry = Entry(f"{HOME}{path(number)[1:]}")
        one = page(path(number), title=f"Page {number:,}", found_on=HOME)
        collector.add(KnownUrl(one, entry, entry), Listed(one, entry))
    as_json(page_rows(collector.table(Diff()), Diff(), HOME, str))
    return tracemalloc.get_traced_memory()[1] / 2**20


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    main(parser.parse_args().rounds)
