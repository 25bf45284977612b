"""Retries where the next answer may be a better one: a Fetcher around a Fetcher (NET-05, NET-06)."""

from math import isfinite

from sitemap_action.fetch.base import Answer, Failure, Fetcher, Request, Response, Skip
from sitemap_action.fetch.clock import Clock
from sitemap_action.fetch.retry_after import retry_after

_STATUSES = frozenset({408, 429, 502, 503, 504})
_STATUSES_ONCE = frozenset({500})  # a page that fails the same way each time costs a server the most
_FAILURES = frozenset({Failure.DNS, Failure.CONNECT, Failure.TIMEOUT, Failure.BROKEN})


class Retry:
    """Each retry waits for `backoff` seconds, twice as long as the one before, or for the server's Retry-After.

    No jitter: requests that failed together are spread out by the throttle, which each retry enters (NET-16). A
    Retry-After of more than `max_wait` seconds ends the retries.
    """

    def __init__(self, inner: Fetcher, retries: int, backoff: float, max_wait: float, clock: Clock) -> None:
        self._inner = inner
        self._retries, self._backoff, self._max_wait, self._clock = retries, backoff, max_wait, clock

    async def fetch(self, request: Request) -> Answer:
        answer = await self._inner.fetch(request)
        tried = 0
        while retries := _retries(answer, self._retries):
            wait = retry_after(answer, self._clock.now()) if isinstance(answer, Response) else None
            if wait is not None and wait > self._max_wait:
                return self._too_long(answer, wait)
            if tried >= retries:
                break
            await self._clock.sleep(max(self._backoff * 2**tried, wait or 0))
            answer = await self._inner.fetch(request)
            tried += 1
        return answer

    def _too_long(self, answer: Answer, wait: float) -> Skip:
        status = answer.status if isinstance(answer, Response) else 0
        asked = f"{wait:.0f} s" if isfinite(wait) else "for years"
        reason = (
            f"answers {status} and asks to wait {asked}, "
            f"longer than crawl.retry-after-max allows ({self._max_wait:.0f} s)"
        )
        return Skip(answer.url, reason, failure=Failure.BUSY)


def _retries(answer: Answer, limit: int) -> int:
    """How many retries an answer is worth."""
    if isinstance(answer, Skip):
        return limit if answer.failure in _FAILURES else 0
    if answer.status in _STATUSES:
        return limit
    return min(limit, 1) if answer.status in _STATUSES_ONCE else 0
