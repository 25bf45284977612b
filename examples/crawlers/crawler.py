"""A Crawlee crawler that a loader feeds: killed at any moment, it goes on with what it had not acknowledged.

python crawler.py https://www.example.com/ crawl.state pages.jsonl
"""

import asyncio
import json
import sys
from pathlib import Path

from crawlee import ConcurrencySettings, Request
from crawlee.crawlers import HttpCrawler, HttpCrawlingContext
from crawlee.request_loaders import RequestLoader
from crawlee.storages import RequestQueue

from sitemap_action import sitemaps


class SitemapLoader(RequestLoader):
    """Crawlee's port. It moves requests into its own queue, so a page is acknowledged where it is handled."""

    def __init__(self, loader: sitemaps.Loader) -> None:
        self.loader = loader

    async def get_total_count(self) -> int:
        return self.loader.total

    async def get_handled_count(self) -> int:
        return self.loader.handled

    async def is_empty(self) -> bool:
        return self.loader.is_empty

    async def is_finished(self) -> bool:
        return self.loader.is_empty  # what is in progress is in Crawlee's queue

    async def fetch_next_request(self) -> Request | None:
        url = await self.loader.afetch_next()
        return None if url is None else Request.from_url(url, user_data={"listed": url})

    async def mark_request_as_handled(self, request: Request) -> None:
        """It was moved, no more."""


async def crawl(site: str, state: str, output: Path) -> None:
    async with sitemaps.Loader(site, state) as loader:
        tandem = await SitemapLoader(loader).to_tandem(await RequestQueue.open())
        settings = ConcurrencySettings(desired_concurrency=4, max_concurrency=8)
        crawler = HttpCrawler(request_manager=tandem, concurrency_settings=settings)

        @crawler.router.default_handler
        async def handle(context: HttpCrawlingContext) -> None:
            listed = str(context.request.user_data["listed"])
            body = (await context.http_response.read()).decode(errors="replace")
            title = body.partition("<title>")[2].partition("</title>")[0]
            with output.open("a") as file:
                file.write(json.dumps({"url": listed, "title": title}) + "\n")
            loader.acknowledge(listed)

        @crawler.failed_request_handler
        async def give_up(context: HttpCrawlingContext, _error: Exception) -> None:
            loader.acknowledge(str(context.request.user_data["listed"]))

        await crawler.run()
        print(f"{loader.handled} of {loader.total} URLs are handled, unavailable: {loader.unavailable}")


if __name__ == "__main__":
    asyncio.run(crawl(sys.argv[1], sys.argv[2], Path(sys.argv[3])))
