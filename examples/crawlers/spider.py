"""A Scrapy spider that a loader feeds: killed at any moment, it goes on with what it had not acknowledged.

scrapy runspider spider.py -a site=https://www.example.com/ -a state=crawl.state -a output=pages.jsonl
"""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import scrapy
from scrapy.http import Response

from sitemap_action import sitemaps


class PageSpider(scrapy.Spider):
    name = "pages"

    def __init__(self, site: str, state: str, output: str, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.loader = sitemaps.Loader(site, state)
        self.output = Path(output)

    async def start(self) -> AsyncIterator[scrapy.Request]:
        """Scrapy asks for the next one when it has room."""
        while (url := await self.loader.afetch_next()) is not None:
            yield scrapy.Request(url, errback=self.give_up, cb_kwargs={"listed": url}, dont_filter=True)

    def parse(self, response: Response, listed: str) -> None:
        title = response.css("title::text").get("")
        with self.output.open("a") as file:
            file.write(json.dumps({"url": listed, "title": title}) + "\n")
        self.loader.acknowledge(listed)  # it is written: this URL does not come again

    def give_up(self, failure: Any) -> None:
        self.loader.acknowledge(failure.request.cb_kwargs["listed"])

    def closed(self, reason: str) -> None:
        loader = self.loader
        print(f"{reason}: {loader.handled} of {loader.total} URLs are handled, unavailable: {loader.unavailable}")
        loader.close()
