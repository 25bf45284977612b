"""What a ledger costs a check: a build of a few pages, with and without 50,000 lines.

    python benchmarks/ledger.py [--lines 50000]

A tenth of the addresses is redirected, which the host is asked for; the others are declared gone. The time is that of
the processor. Target: 0.3 s.
"""

import argparse
import os
import tempfile
import time
from contextlib import redirect_stdout
from datetime import date
from io import StringIO
from pathlib import Path

from sitemap_action.__main__ import run
from sitemap_action.config.lists import with_addresses
from sitemap_action.model.finding import LedgerLine

SITE = "https://www.example.com/"
RUNS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=50_000)
    count = parser.parse_args().lines
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        Path("dist").mkdir()
        Path("dist/index.html").write_text("<!doctype html><title>Home</title><p>" + "words " * 50)
        Path("dist/_redirects").write_text("/old/* / 301\n")
        urlset = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>{SITE}</loc></url></urlset>'
        Path("sitemap.xml").write_text(urlset)
        gone = [LedgerLine(f"/blog/page-{number}/", date(2026, 1, 1), "over") for number in range(count * 9 // 10)]
        lines = [*gone, *(LedgerLine(f"/old/page-{number}/") for number in range(count // 10))]
        Path("urls.txt").write_bytes(with_addresses(None, lines))
        command = ["check", "--path", "dist", "--site-url", SITE, "--sitemap", "sitemap.xml", "--host", "netlify"]
        command += ["--no-progress", "--report", "json=out.json", "--quiet"]
        without = min(_seconds(command) for _ in range(RUNS))
        whole = min(_seconds([*command, "--set", "policy.ledger=urls.txt"]) for _ in range(RUNS))
        print(f"{count:,} lines: {whole - without:.2f} s more than {without:.2f} s")


def _seconds(command: list[str]) -> float:
    begin = time.process_time()
    with redirect_stdout(StringIO()):
        assert run(command) == 0
    return time.process_time() - begin


if __name__ == "__main__":
    main()
