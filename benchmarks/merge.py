"""Shards that are merged in one process: time and peak memory of the whole command, report included.

    python benchmarks/merge.py [--urls 1000000] [--shards 8] [--folder KEPT]

The states are those that shards of a site with a committed sitemap write: a page of some 100 words with ten links each.
They are written as a crawl does, without its requests; the merge asks a site that answers nothing but its start page.
In a folder that is kept they are written once.
Target: 1,000,000 URLs in 8 shards under 400 MB.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import nullcontext, redirect_stdout
from datetime import UTC, datetime
from io import StringIO
from itertools import islice
from pathlib import Path
from typing import Any
from unittest import mock

sys.path.remove(str(Path(__file__).parent))  # whose html.py would stand for that of Python

from sitemap_action.__main__ import run
from sitemap_action.config.schema import Config
from sitemap_action.fetch.base import Request, Response, Skip
from sitemap_action.html import extract
from sitemap_action.look.state import inventory, manifest_of
from sitemap_action.model.context import Context, ShardResult
from sitemap_action.model.page import Page, PageKind
from sitemap_action.model.site import SiteShard
from sitemap_action.store.codec import Visit
from sitemap_action.store.frontier import Frontier, VisitBatch
from sitemap_action.store.shards import ShardState
from sitemap_action.walk.shards import OwnedUrls

SITE = "https://www.example.com/"
SERVED = "http://127.0.0.1:9/"
LINKS, BATCH, FILE = 10, 5_000, 50_000
HTML = (("content-type", "text/html"),)
OPTIONS = ("--url", SERVED, "--site-url", SITE, "--baseline", "committed", "--quiet", "--set", "sitemaps.use=false")
OPTIONS += ("--set", "crawl.deadline=86400")
WORDS = "some words that a page of the site has and that people read " * 8


def url(number: int, count: int) -> str:
    number %= count
    return f"{SITE}section-{number % 97:02}/a-page-with-an-address-of-usual-length-{number:07}/" if number else SITE


def body(title: str) -> bytes:
    return f"<!doctype html><title>{title}</title><main><h1>{title}</h1><p>{WORDS}</p></main>".encode()


def sitemaps(count: int) -> None:
    names = []
    for start in range(0, count, FILE):
        names.append(f"sitemap-{start // FILE + 1}.xml")
        locs = "\n".join(f"<url><loc>{url(n, count)}</loc></url>" for n in range(start, min(start + FILE, count)))
        Path(names[-1]).write_text(f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{locs}\n</urlset>')
    locs = "".join(f"<sitemap><loc>{SITE}{name}</loc></sitemap>" for name in names)
    index = f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{locs}</sitemapindex>'
    Path("sitemap.xml").write_text(index)


def shard_written(config: Config, context: Context, shard: SiteShard, count: int) -> ShardResult:
    """In the place of the look: what it stores."""
    facts = extract.read(body("A page"), HTML, SITE).facts
    with inventory(config, context) as found:
        state = found.shard = ShardState(found.database, manifest_of(config, context, str(shard)), shard)
        owns = OwnedUrls(shard, SITE, SITE)
        frontier = Frontier(found, owns)
        frontier.require(url(number, count) for number in range(count))
        numbers = {name: row_id for row_id, name in found.database.execute("SELECT id, url FROM url")}
        visits: Iterator[Visit] = (
            Visit(
                numbers[name],
                Page(name, PageKind.PAGE, 200, media_type="text/html", depth=1, facts=facts),
                links=tuple(url(number * 7 + more * more, count) for more in range(1, LINKS + 1)),
                etag=f'"{number:x}"',
            )
            for number in range(count)
            if (name := url(number, count)) in numbers
        )
        while part := list(islice(visits, BATCH)):
            frontier.store(VisitBatch(visits=part), 1)
        state.end((), "")
        return ShardResult(shard, str(context.state), len(numbers), files=False)


class StartPage:
    async def fetch(self, request: Request) -> Response | Skip:
        status = 200 if request.url == SERVED else 404
        return Response(request.url, status, HTML, body("Home" if status == 200 else "Not found"))

    async def close(self) -> None: ...


def write_shard(shard: str, count: int) -> None:
    def written(config: Config, context: Context, shard: SiteShard, *_: Any) -> ShardResult:
        return shard_written(config, context, shard, count)

    with mock.patch("sitemap_action.cli.check.look_at_shard", written), redirect_stdout(StringIO()):
        code = run(["check", *OPTIONS, "--shard", shard, "--state", f"shards/{shard.replace('/', '-')}"])
    assert code == 0, code


def merge() -> None:
    before, began = time.process_time(), time.perf_counter()
    with mock.patch("sitemap_action.fetch.policies._engine", return_value=StartPage()):
        code = run(["merge", "shards", *OPTIONS, "--report", "json=report.json"])
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    seconds, wall = time.process_time() - before, time.perf_counter() - began
    print(f"exit {code}, {seconds:,.0f} s of CPU, {wall:,.0f} s, {most:,.0f} MB", file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--urls", type=int, default=1_000_000)
    parser.add_argument("--shards", type=int, default=8)
    parser.add_argument("--folder", default="")
    parser.add_argument("--step", default="")
    given = parser.parse_args()
    if given.step:
        merge() if given.step == "merge" else write_shard(given.step, given.urls)
        return
    with nullcontext(given.folder) if given.folder else tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        if not Path("shards").exists():
            write_shards(given.urls, given.shards)
        _step("merge", given.urls)


def write_shards(urls: int, shards: int) -> None:
    Path("shards").mkdir()
    sitemaps(urls)
    began = datetime.now(UTC)
    for number in range(1, shards + 1):
        _step(f"{number}/{shards}", urls)
    size = sum(path.stat().st_size for path in Path("shards").iterdir()) / 2**20
    print(f"{urls:,} URLs in {shards} shards of {size / shards:,.0f} MB each", flush=True)
    print(f"written in {(datetime.now(UTC) - began).total_seconds():,.0f} s", flush=True)


def _step(name: str, count: int) -> None:
    subprocess.run([sys.executable, __file__, "--urls", str(count), "--step", name], check=True)


if __name__ == "__main__":
    main()
