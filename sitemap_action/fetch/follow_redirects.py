"""Redirects of robots.txt and of sitemap documents are followed inline: a Fetcher around a Fetcher."""

from msgspec.structs import replace

from sitemap_action.fetch.base import Answer, Failure, Fetcher, PendingAnswer, Request, RequestKind, Response, Skip

MAX_HOPS = 5  # RB-19
_FOLLOWED = frozenset({RequestKind.ROBOTS, RequestKind.SITEMAP})


class FollowRedirects:
    """Every hop is a request of its own: it passes guard, retries and throttle again."""

    def __init__(self, inner: Fetcher) -> None:
        self._inner = inner

    def fetch(self, request: Request) -> PendingAnswer:
        return self._follow(request) if request.kind in _FOLLOWED else self._inner.fetch(request)

    async def _follow(self, request: Request) -> Answer:
        answer = await self._inner.fetch(request)
        hops: list[str] = []
        while isinstance(answer, Response) and answer.target:
            if len(hops) == MAX_HOPS:
                return Skip(request.url, f"more than {MAX_HOPS} redirects", failure=Failure.REDIRECTS)
            hops.append(answer.target)
            answer = await self._inner.fetch(replace(request, url=answer.target, etag="", modified=""))
        return _with_hops(request, answer, hops) if hops else answer


def _with_hops(request: Request, answer: Answer, hops: list[str]) -> Answer:
    if isinstance(answer, Response):
        return answer._replace(url=request.url, hops=tuple(hops))
    number = "a redirect" if len(hops) == 1 else f"{len(hops)} redirects"
    return answer._replace(url=request.url, reason=f"after {number}: {answer.reason}")
