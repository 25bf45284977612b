"""What every engine is: a Fetcher that holds connections until it is closed."""

from typing import Protocol

from sitemap_action.fetch.base import Fetcher


class Engine(Fetcher, Protocol):
    async def close(self) -> None: ...
