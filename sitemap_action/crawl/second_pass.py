"""Which URLs a crawl requests a second time at its end, and when it gives up: a server that fails for seconds (NET-06).

A retry waits for a second; an overload or a restart takes longer. So before a page counts as one without an answer it
is requested once more, after all others and a pause.
"""

from msgspec import Struct, field

from sitemap_action.fetch.base import Answer, Failure, Skip
from sitemap_action.model.page import Page
from sitemap_action.store.frontier import QueuedUrl

PAUSE = 20
"""Times `http.backoff`, which is 10 seconds."""

_HOPELESS = 20  # requests that failed again, with none that succeeded: the server is down


class SecondPass(Struct):
    """Collects URLs that failed, by depth; each is requested once more. Counts how these requests end."""

    queued: dict[int, list[QueuedUrl]] = field(default_factory=dict)
    _again: set[str] = field(default_factory=set)  # URLs that were handed out
    _failed: int = 0
    _succeeded: bool = False

    def visited(self, row: QueuedUrl, depth: int, answer: Answer, page: Page) -> None:
        """A server that asks for a longer pause than is allowed is not asked again."""
        if row.url in self._again:
            self._failed += page.transient
            self._succeeded = self._succeeded or not page.transient
        elif page.transient and not (isinstance(answer, Skip) and answer.failure is Failure.BUSY):
            self.queued.setdefault(depth, []).append(row)

    @property
    def hopeless(self) -> bool:
        return not self._succeeded and self._failed >= _HOPELESS

    def take(self) -> list[tuple[int, list[QueuedUrl]]]:
        """(depth, its URLs), both sorted as in the crawl (NET-16)."""
        levels = sorted(self.queued.items())
        self.queued = {}
        self._again.update(row.url for _, rows in levels for row in rows)
        return [(depth, sorted(rows, key=lambda row: row.url)) for depth, rows in levels]
