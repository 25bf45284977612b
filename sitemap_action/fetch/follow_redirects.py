"""Redirects of robots.txt and of sitemap documents, followed where they are asked for: a Fetcher round a Fetcher."""

from dataclasses import replace

from sitemap_action.fetch.base import Answer, Asking, Failure, Fetcher, Request, Response, Skip, Want

MAX_HOPS = 5  # RB-19
_FOLLOWED = frozenset({Want.ROBOTS, Want.SITEMAP})


class Follow:
    """Every hop is a request of its own to what stands inside: it meets guard, retries and throttle again."""

    def __init__(self, inner: Fetcher) -> None:
        self._inner = inner

    def fetch(self, request: Request) -> Asking:
        return self._followed(request) if request.want in _FOLLOWED else self._inner.fetch(request)

    async def _followed(self, request: Request) -> Answer:
        answer = await self._inner.fetch(request)
        hops: list[str] = []
        while isinstance(answer, Response) and answer.target:
            if len(hops) == MAX_HOPS:
                return Skip(request.url, f"more than {MAX_HOPS} redirects", failure=Failure.REDIRECTS)
            hops.append(answer.target)
            answer = await self._inner.fetch(replace(request, url=answer.target, etag="", modified=""))
        return _from(request, answer, hops) if hops else answer


def _from(request: Request, answer: Answer, hops: list[str]) -> Answer:
    if isinstance(answer, Response):
        return answer._replace(url=request.url, hops=tuple(hops))
    return answer._replace(url=request.url, reason=f"after {len(hops)} redirects: {answer.reason}")
