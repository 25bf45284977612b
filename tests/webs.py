"""A web as a table: a URL for each document, and a fetcher that answers from it and remembers what it was asked."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

from sitemap_action.fetch.base import Answer, Failure, Request, Response, Skip
from sitemap_action.store.loading_state import LoadingState
from sitemap_action.walk.sitemap_loading import Loaded, LoadOptions, load

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
NS = "http://www.sitemaps.org/schemas/sitemap/0.9"
HOME = "https://www.example.com/"
Route = str | bytes | int | Answer | list["Route"]


def at(path: str) -> str:
    """`/a` on the site; anything with a scheme, and what is no path, stays as it is."""
    return HOME + path[1:] if path.startswith("/") and not path.startswith("//") else path


def urlset(*paths: str) -> str:
    return f'<urlset xmlns="{NS}">{"".join(f"<url><loc>{at(path)}</loc></url>" for path in paths)}</urlset>'


def index(*paths: str) -> str:
    return f'<sitemapindex xmlns="{NS}">{"".join(f"<sitemap><loc>{at(path)}</loc></sitemap>" for path in paths)}</sitemapindex>'


def leads(to: str, body: str | bytes) -> Response:
    """The document that a redirect leads to, followed inline."""
    return Response("", 200, body=body.encode() if isinstance(body, str) else body, hops=(at(to),))


def dead(reason: str = "the connection was reset") -> Skip:
    return Skip("", reason, failure=Failure.BROKEN)


class Web:
    """Routes by path or URL: a body, a status, an answer, or a list of which each request takes the next."""

    def __init__(self, routes: Mapping[str, Route]) -> None:
        self.routes = {at(path): route for path, route in routes.items()}
        self.requests: list[Request] = []
        self.turns: dict[str, int] = {}

    @property
    def asked(self) -> list[str]:
        return [request.url.removeprefix(HOME[:-1]) for request in self.requests]

    async def fetch(self, request: Request) -> Answer:
        self.requests.append(request)
        # Answers come in another order than questions, as on the web.
        for _ in range(len(self.requests) * 7 % 5):
            await asyncio.sleep(0)
        route = self.routes.get(request.url, 404)
        if isinstance(route, list):
            turn = self.turns[request.url] = self.turns.get(request.url, -1) + 1
            route = route[min(turn, len(route) - 1)]
        match route:
            case int():
                return Response(request.url, route)
            case str() | bytes():
                return Response(request.url, 200, body=route.encode() if isinstance(route, str) else route)
            case Response() | Skip():
                return route._replace(url=request.url)
        raise AssertionError(route)


def loaded(
    web: Web,
    state: LoadingState,
    *seeds: str,
    usual: Sequence[str] = (),
    now: datetime = NOW,
    observe: Callable[[str, object], None] = lambda *_: None,
    **options: object,
) -> Loaded:
    """A whole run: what it loads arrives where it is wanted."""
    addresses = [at(path) for path in usual]
    found = asyncio.run(
        load(web, [at(seed) for seed in seeds], state, now, LoadOptions(**options), usual=addresses, observe=observe)
    )
    state.mark_complete()
    return found


def listed(state: LoadingState) -> list[str]:
    """Paths of all that is listed, in order."""
    return [key.removeprefix(HOME[:-1]) for _, key, _ in state.entries()]
