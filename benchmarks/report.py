"""The HTML report of 10,000 pages: making it, the first paint in Chromium, a keystroke in its filter.

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

# Of the verdict and all else: the first contentful paint may show the header alone.
_PAINT = "performance.timing.loadEventEnd - performance.timing.navigationStart"
_KEY = """new Promise(done => {
  const field = document.getElementById('filter');
  const start = performance.now();
  field.value += 'r';
  field.dispatchEvent(new Event('input'));
  requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
})"""


def main(rounds: int) -> None:
    from large_reports import large_report

    print(f"{'pages':>9}{'rows':>9}{'file MB':>9}{'made s':>9}{'paint ms':>10}{'keystroke ms':>14}")
    for pages in (1_000, 10_000, 100_000):
        outcome = large_report(pages)
        assert outcome.pages is not None
        text, made = _made(outcome)
        paint, key = _shown(text, rounds)
        print(f"{pages:>9,}{len(outcome.pages.rows):>9,}{len(text) / 1e6:>9.1f}{made:>9.2f}{paint:>10.0f}{key:>14.0f}")
    print(f"\nof 100,000 pages the rows and the file take {_memory(100_000):,.0f} MiB")


def _made(outcome: Any) -> tuple[str, float]:
    from sitemap_action.reports.all import render

    render("html", outcome)
    start = time.perf_counter()
    text = render("html", outcome)
    return text, time.perf_counter() - start


def _shown(text: str, rounds: int) -> tuple[float, float]:
    """Median milliseconds until all of a new page can be painted, and from a keystroke to the frame with its rows."""
    from browser import browser

    paints, keys = [], []
    with TemporaryDirectory() as folder, browser() as tab:
        file = Path(folder, "report.html")
        file.write_text(text, encoding="utf-8")
        for _ in range(rounds):
            tab.open(file.as_uri())
            paints.append(tab.run(f"new Promise(done => setTimeout(() => done({_PAINT}), 500))"))
            keys += [tab.run(_KEY) for _ in "river"]
    return statistics.median(paints), statistics.median(keys)


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
