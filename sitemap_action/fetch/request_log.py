"""One line for each request that is sent, retries and redirects too (`--verbose`, U-15)."""

from collections.abc import Callable

from sitemap_action.fetch.base import Answer, Engine, Request, Response
from sitemap_action.fetch.clock import Clock


class RequestLog:
    """Around an engine; a line has the status or the reason, the time, the size, and the URL."""

    def __init__(self, inner: Engine, log: Callable[[str], None], clock: Clock) -> None:
        self._inner = inner
        self._log = log
        self._clock = clock

    async def fetch(self, request: Request) -> Answer:
        began = self._clock.monotonic()
        answer = await self._inner.fetch(request)
        milliseconds = (self._clock.monotonic() - began) * 1000
        self._log(f"GET {request.url} ({request.kind}): {_outcome(answer)} after {milliseconds:,.0f} ms")
        return answer

    async def close(self) -> None:
        await self._inner.close()


def _outcome(answer: Answer) -> str:
    if not isinstance(answer, Response):
        return answer.reason
    target = f" to {answer.target}" if answer.target else ""
    size = f", {len(answer.body):,} bytes" if answer.body else ""
    return f"{answer.status}{target}{size}"
