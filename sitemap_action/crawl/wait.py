"""Waits until a deployment serves the marker of the new build: a forge reports success before it is served."""

from collections.abc import Awaitable, Callable

from msgspec import Struct

from sitemap_action.errors import UnreachableError
from sitemap_action.fetch.base import Answer, Fetcher, Request, RequestKind, Response

DEFAULT_TIMEOUT = 600.0  # seconds
_HITS = 2  # consecutive ones: one of several servers is not all of them
_PAUSE = 5.0  # seconds between two requests
_SHORT_PAUSE = 1.0  # after a hit


class Marker(Struct, frozen=True):
    """A text, the page that contains it, and how long to wait, in seconds."""

    text: str
    url: str
    timeout: float = DEFAULT_TIMEOUT


async def wait_for_marker(
    fetcher: Fetcher, marker: Marker, clock: Callable[[], float], sleep: Callable[[float], Awaitable[None]]
) -> float:
    """Seconds that it took. Raises UnreachableError at the timeout: the old site must not be checked."""
    began, hits, answer = clock(), 0, None
    text = marker.text.encode()
    for attempt in range(1_000_000):
        # A cache may hold the old page; no other request has a made-up query.
        query = "&" if "?" in marker.url else "?"
        answer = await fetcher.fetch(Request(f"{marker.url}{query}sitemap-action={attempt}", RequestKind.WAIT))
        hits = hits + 1 if isinstance(answer, Response) and text in answer.body else 0
        if hits >= _HITS:
            break
        pause = _SHORT_PAUSE if hits else _PAUSE
        remaining = marker.timeout - (clock() - began)
        if remaining <= 0:
            raise UnreachableError(
                f"{marker.url} does not serve {marker.text!r} after {clock() - began:.0f} seconds: {_state(answer)}",
                hint="check that the deployment is done and that only the new build has the text (crawl.wait)",
            )
        await sleep(min(pause, remaining))
    return clock() - began


def _state(answer: Answer) -> str:
    return f"it answers {answer.status}" if isinstance(answer, Response) else answer.reason
