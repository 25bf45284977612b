"""The documents of a sitemap that a site serves."""

from pathlib import Path

from sitemap_action.errors import BaselineError, UnreachableError
from sitemap_action.fetch.base import Answer, Fetcher, Request, Response
from sitemap_action.loader.collect import INDEXES_ALONE, NEVER, Collector
from sitemap_action.loader.documents import Documents
from sitemap_action.loader.load import load
from sitemap_action.sitemap.faults import truncate
from sitemap_action.store.loading_state import in_memory

GONE = frozenset({404, 410})


async def collect_served(fetcher: Fetcher, url: str, folder: Path) -> Documents:
    """The sitemap at a URL, with everything that it lists; no documents when it answers 404 or 410.

    Raises UnreachableError when it gives no usable answer, BaselineError when a child does not: there is nothing to
    compare with.
    """
    collector, answers = Collector.into(folder), _Statuses(fetcher)
    with in_memory() as state:
        loaded = await load(answers, [url], state, NEVER, INDEXES_ALONE, observe=collector.received)
    for one in collector.missing(loaded):
        status = answers.of.get(one.url, 0)
        if not one.listed_by and status in GONE:
            return Documents()
        why = f"{one.url} answers {status}" if status else f"{one.url}: {one.reason}"
        if not one.listed_by:
            raise UnreachableError(why, hint="try again, or compare with a file (baseline)")
        what = "which does not exist" if status in GONE else f"which cannot be read: {why}"
        hint = "correct the index on the site, or compare with another sitemap (baseline)"
        raise BaselineError(f"{collector.place(one)}: the index lists {truncate(one.url)}, {what}", hint=hint)
    return collector.documents()


class _Statuses:
    """A fetcher that remembers the status of each answer."""

    def __init__(self, inner: Fetcher) -> None:
        self._inner = inner
        self.of: dict[str, int] = {}

    async def fetch(self, request: Request) -> Answer:
        answer = await self._inner.fetch(request)
        if isinstance(answer, Response):
            self.of[request.url] = answer.status
        return answer
