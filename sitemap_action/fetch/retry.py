"""Asking again where the next answer may be a better one: a Fetcher round a Fetcher (NET-05, NET-06)."""

from sitemap_action.fetch.base import Answer, Failure, Fetcher, Request, Response, Skip
from sitemap_action.fetch.clock import Clock
from sitemap_action.fetch.retry_after import retry_after

_STATUSES = frozenset({408, 429, 502, 503, 504})
_ONCE = frozenset({500})  # a page that fails the same way each time costs a server the most
_FAILURES = frozenset({Failure.DNS, Failure.CONNECT, Failure.TIMEOUT, Failure.BROKEN})


class Retry:
    """Each retry waits for `backoff` seconds, twice as long as the one before, or as long as the server asks.

    No chance is in it: requests that failed together are spread out again by the throttle that each of them meets
    (NET-16). A server that asks for more than `longest` seconds is not asked again.
    """

    def __init__(self, inner: Fetcher, retries: int, backoff: float, longest: float, clock: Clock) -> None:
        self._inner = inner
        self._retries, self._backoff, self._longest, self._clock = retries, backoff, longest, clock

    async def fetch(self, request: Request) -> Answer:
        answer = await self._inner.fetch(request)
        tried = 0
        while most := _retries(answer, self._retries):
            asked = retry_after(answer, self._clock.now()) if isinstance(answer, Response) else None
            if asked is not None and asked > self._longest:
                return self._given_up(answer, asked)
            if tried >= most:
                break
            await self._clock.sleep(max(self._backoff * 2**tried, asked or 0))
            answer = await self._inner.fetch(request)
            tried += 1
        return answer

    def _given_up(self, answer: Answer, asked: float) -> Skip:
        status = answer.status if isinstance(answer, Response) else 0
        reason = (
            f"answers {status} and asks to wait {asked:.0f} s, "
            f"longer than crawl.retry-after-max allows ({self._longest:.0f} s)"
        )
        return Skip(answer.url, reason, failure=Failure.BUSY)


def _retries(answer: Answer, most: int) -> int:
    """How often an answer may be asked for again."""
    if isinstance(answer, Skip):
        return most if answer.failure in _FAILURES else 0
    if answer.status in _STATUSES:
        return most
    return min(most, 1) if answer.status in _ONCE else 0
