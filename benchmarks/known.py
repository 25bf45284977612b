"""A crawl that knows a million URLs: peak memory, while a thousand pages are read that link to a thousand each.

    python benchmarks/known.py [--urls 1000000]

No network: what grows with the site is the frontier, which is on disk. Target: under 400 MB.
"""

import argparse
import asyncio
import resource
import time

from sitemap_action.fetch.base import Answer, Request, Response
from sitemap_action.html.links import Resolver
from sitemap_action.model.observer import NullObserver
from sitemap_action.store.frontier import Frontier
from sitemap_action.store.inventory import temporary
from sitemap_action.walk.crawl import Crawl, CrawlLimits
from sitemap_action.walk.frontier import Traps, UrlFilter
from sitemap_action.walk.reader import Reader, Scope
from sitemap_action.web.media import SKIP_CLASSES, SkipFilter
from sitemap_action.web.patterns import Query, compile_patterns
from sitemap_action.web.spellings import SiteMapping

HOME = "https://www.example.com/"
LINKS = 1_000  # of each page


class Endless:
    """Every page links to a thousand pages that no other page links to."""

    async def fetch(self, request: Request) -> Answer:
        number = int(request.url.rpartition("-")[2]) if "-" in request.url else 0
        paths = (
            f"/a/path/that/makes/the/address/sixty/characters/page-{number * LINKS + k}" for k in range(1, LINKS + 1)
        )
        body = "<!doctype html><title>Page</title><main>" + "".join(f'<a href="{path}">x</a>' for path in paths)
        return Response(request.url, 200, (("content-type", "text/html"),), body.encode())


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--urls", type=int, default=1_000_000)
    pages = parser.parse_args().urls // LINKS
    mapping = SiteMapping(HOME, HOME)
    before = peak()
    with temporary() as inventory:
        frontier = Frontier(inventory)
        frontier.add_starts([(HOME, "")])
        url_filter = UrlFilter(
            skips=SkipFilter(SKIP_CLASSES), exclude=compile_patterns([]), robots=None, traps=Traps(), mapping=mapping
        )
        reader = Reader(mapping, Scope(mapping, HOME, Query()), resolver=Resolver())
        crawl = Crawl(
            fetcher=Endless(),
            frontier=frontier,
            url_filter=url_filter,
            reader=reader,
            limits=CrawlLimits(pages, 100, 8),
            observer=NullObserver(),
            clock=time.monotonic,
        )
        start = time.process_time()
        asyncio.run(crawl.run())
        spent = time.process_time() - start
        known = frontier.unvisited_count() + pages
    print(f"{known:,} URLs known: {spent / known * 1e6:.1f} us CPU each, peak {peak():.0f} MiB (at first {before:.0f})")


if __name__ == "__main__":
    main()
