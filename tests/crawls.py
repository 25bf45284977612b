"""A crawl as one call: a fake web with random latencies, and what the inventory contains at the end."""

import asyncio
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import TypeAlias

from msgspec.structs import replace

from sitemap_action.fetch.base import Answer, Request, Response, Skip
from sitemap_action.model.observer import Event, NullObserver, Observer, Progress
from sitemap_action.robots.groups import Profile, parse
from sitemap_action.store.frontier import Frontier
from sitemap_action.store.inventory import Inventory, create_inventory
from sitemap_action.walk.crawl import Crawl, CrawlLimits, LateRendering, Probes, Seen
from sitemap_action.walk.frontier import Traps, UrlFilter
from sitemap_action.walk.reader import Reader, Scope
from sitemap_action.web.media import SkipFilter
from sitemap_action.web.patterns import Query, compile_patterns
from sitemap_action.web.spellings import SiteMapping

HOME = "https://www.example.com/"
PREVIEW = "https://pr-7.preview.example/"
Route: TypeAlias = str | int | Answer
LIMITS = CrawlLimits(1_000, 100, 4)
Snapshot: TypeAlias = dict[str, tuple[object, ...]]


def at(path: str, home: str = HOME) -> str:
    """`/a` on the site; a URL with a scheme is not changed."""
    return home + path[1:] if path.startswith("/") and not path.startswith("//") else path


def document(*links: str, head: str = "", text: str = "") -> str:
    anchors = "".join(f'<a href="{link}">to</a>' for link in links)
    return f"<!doctype html><title>A page</title>{head}<body>{anchors}{text}"


def redirect_to(to: str, status: int = 301) -> Response:
    return Response("", status, target=at(to))


class FakeWeb:
    """Routes by path or URL: a document, a status or an answer. Records the requests in order."""

    def __init__(
        self, routes: Mapping[str, Route], home: str = HOME, seed: int | None = None, otherwise: Route = 404
    ) -> None:
        self.routes = {at(path, home): route for path, route in routes.items()}
        self.home = home
        self.otherwise = otherwise
        self.requests: list[Request] = []
        self._random = None if seed is None else random.Random(seed)

    @property
    def requested(self) -> list[str]:
        return [request.url.removeprefix(self.home[:-1]) for request in self.requests]

    async def fetch(self, request: Request) -> Answer:
        self.requests.append(request)
        for _ in range(self._random.randrange(12) if self._random else 0):
            await asyncio.sleep(0)
        match self.routes.get(request.url, self.otherwise):
            case int() as status:
                return Response(request.url, status)
            case str() as text:
                return Response(request.url, 200, (("content-type", "text/html"),), text.encode())
            case Response() | Skip() as answer:
                if isinstance(answer, Response) and (("etag", request.etag) in answer.headers and request.etag):
                    return Response(request.url, 304)
                return answer._replace(url=request.url)


class Recorder(NullObserver):
    """Records every event and the last progress."""

    wants_events = True

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.last = Progress()

    def progress(self, progress: Progress) -> None:
        self.last = replace(progress)

    def event(self, event: Event) -> None:
        self.events.append(event)


def make_filter(
    *,
    skip: Sequence[str] = (),
    exclude: Sequence[str] = (),
    robots: str | None = None,
    mapping: SiteMapping | None = None,
) -> UrlFilter:
    rules = None if robots is None else parse(robots.encode(), Profile.RFC)
    return UrlFilter(
        skips=SkipFilter(skip),
        exclude=compile_patterns(exclude),
        robots=rules,
        traps=Traps(),
        mapping=mapping or SiteMapping(HOME, HOME),
    )


def make_reader(mapping: SiteMapping | None = None, *, nofollow: bool = False, query: Query | None = None) -> Reader:
    mapping = mapping or SiteMapping(HOME, HOME)
    return Reader(mapping, Scope(mapping, mapping.site, query or Query()), nofollow)


def stepping_clock(step: float) -> Callable[[], float]:
    """A clock that each reading advances by `step` seconds."""
    ticks = count()
    return lambda: next(ticks) * step


def crawl(
    web: FakeWeb,
    inventory: Inventory,
    *,
    start: str = HOME,
    required: Iterable[str] = (),
    seeds: Iterable[str] = (),
    limits: CrawlLimits = LIMITS,
    url_filter: UrlFilter | None = None,
    reader: Reader | None = None,
    observer: Observer | None = None,
    cancel_after: int | None = None,
    store: bool = True,
    clock_step: float = 0.0,
    probe: bool = False,
    second_pass: bool = False,
    seen: Seen | None = None,
) -> Crawl:
    """`cancel_after`: iterations of the event loop; `store`: whether visits in memory are stored at the end.

    `clock_step`: seconds between two readings of the clock, which decide when visits are stored.
    """
    frontier = Frontier(inventory)
    frontier.require(map(at, required))
    frontier.add_starts([(start, "")])
    frontier.add_starts([(at(url), "the site's sitemap") for url in seeds], depth=1)
    url_filter = url_filter or make_filter()
    crawl = Crawl(
        fetcher=web,
        frontier=frontier,
        url_filter=url_filter,
        reader=reader or make_reader(),
        limits=limits if second_pass else replace(limits, deadline=0.0),
        observer=observer or NullObserver(),
        clock=stepping_clock(clock_step),
        probes=Probes(web, url_filter, HOME) if probe else None,
        rendering=None if seen is None else LateRendering(seen, limits.concurrency),
    )

    async def drive() -> None:
        task = asyncio.create_task(crawl.run())
        if cancel_after is not None:
            for _ in range(cancel_after):
                await asyncio.sleep(0)
            task.cancel()
        await asyncio.wait([task])
        if cancel_after is None or not task.cancelled():
            task.result()

    asyncio.run(drive())
    if store:
        crawl.store()
    return crawl


def snapshot(inventory: Inventory) -> Snapshot:
    """(kind, status, depth, referrer, in-links) of each page by path."""
    return {
        page.url.removeprefix(HOME[:-1]): (page.kind.value, page.status, page.depth, page.found_on, page.inlinks)
        for page in inventory.pages()
    }


def new_inventory(folder: Path, name: str = "inventory", *, persistent: bool = False) -> Inventory:
    return create_inventory(folder / name, persistent=persistent)
