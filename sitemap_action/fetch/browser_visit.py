"""What happens in a page of the browser while one document is rendered."""

import asyncio
import time

from msgspec import Struct, field

from sitemap_action.fetch.base import Response
from sitemap_action.fetch.browser_requests import LoadedAnswer


class DocumentVisit(Struct):
    """Filled by the events of the page."""

    url: str
    response: Response
    parsed: asyncio.Event = field(default_factory=asyncio.Event)
    over: asyncio.Event = field(default_factory=asyncio.Event)  # it was left, or it crashed
    document_sent: bool = False
    loaded: bool = False
    redirect: str = ""
    open: int = 0  # requests under way
    busy_at: float = 0.0  # clock time of the last moment with too many of them
    used_at: float = 0.0  # clock time of the last moment at which a request began or ended
    count: int = 0
    size: int = 0
    refused: str = ""  # the first request that was not answered, as text
    resources: dict[str, LoadedAnswer] = field(default_factory=dict)
    tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def is_quiet_for(self, seconds: float) -> bool:
        """Whether it is loaded, and no request is or was under way in so many seconds."""
        return self.loaded and not self.open and time.monotonic() - self.used_at >= seconds

    def refuse(self, url: str, why: str) -> None:
        self.refused = self.refused or f"{url[:200]}: {why}"
