"""Waits until a deployment serves what only the new build has: green in the forge is not served yet."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from sitemap_action.errors import UnreachableError
from sitemap_action.fetch.base import Answer, Fetcher, Request, Response, Want

TIMEOUT = 600.0  # seconds, where a marker is awaited and nothing else is said
_HITS = 2  # in a row: one of several servers is not all of them
_PAUSE = 5.0  # seconds between two looks
_SHORT_PAUSE = 1.0  # once it was served


@dataclass(frozen=True, slots=True)
class Marker:
    """A text, the page that serves it, and how long to wait, in seconds."""

    text: str
    url: str
    timeout: float = TIMEOUT


async def served(
    fetcher: Fetcher, marker: Marker, clock: Callable[[], float], sleep: Callable[[float], Awaitable[None]]
) -> float:
    """Seconds that it took. Raises UnreachableError when the time is over: going on would check the old site."""
    began, hits, answer = clock(), 0, None
    sought = marker.text.encode()
    for attempt in range(1_000_000):
        # A cache in between may hold the old page; nothing else than this wait asks with a made-up query.
        query = "&" if "?" in marker.url else "?"
        answer = await fetcher.fetch(Request(f"{marker.url}{query}sitemap-action={attempt}", Want.WAIT))
        hits = hits + 1 if isinstance(answer, Response) and sought in answer.body else 0
        if hits >= _HITS:
            break
        pause = _SHORT_PAUSE if hits else _PAUSE
        left = marker.timeout - (clock() - began)
        if left <= 0:
            raise UnreachableError(
                f"{marker.url} does not serve {marker.text!r} after {clock() - began:.0f} seconds: {_state(answer)}",
                hint="is the deployment done, and the text in the new build only? crawl.wait says what is awaited",
            )
        await sleep(min(pause, left))
    return clock() - began


def _state(answer: Answer) -> str:
    return f"it answers {answer.status}" if isinstance(answer, Response) else answer.reason
