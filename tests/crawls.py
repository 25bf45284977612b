"""A crawl as a call: a web as a table that answers after waits of any length, and what the inventory holds in the end."""

import asyncio
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TypeAlias

from sitemap_action.crawl.levels import Crawl, CrawlLimits
from sitemap_action.crawl.probes import Probes
from sitemap_action.crawl.scope import Query, Scope
from sitemap_action.crawl.traps import Traps
from sitemap_action.crawl.url_filter import UrlFilter
from sitemap_action.crawl.visits import Reader
from sitemap_action.fetch.base import Answer, Request, Response, Skip
from sitemap_action.inventory.frontier import Frontier
from sitemap_action.inventory.store import Inventory
from sitemap_action.model.observer import Event, NullObserver, Observer, Progress
from sitemap_action.robots.groups import Profile, parse
from sitemap_action.web.patterns import compile_patterns
from sitemap_action.web.site_mapping import SiteMapping
from sitemap_action.web.skip_classes import SkipFilter

HOME = "https://www.example.com/"
PREVIEW = "https://pr-7.preview.example/"
Route: TypeAlias = str | int | Answer
LIMITS = CrawlLimits(1_000, 100, 4)
Seen: TypeAlias = dict[str, tuple[object, ...]]


def at(path: str, home: str = HOME) -> str:
    """`/a` on the site; anything with a scheme stays as it is."""
    return home + path[1:] if path.startswith("/") and not path.startswith("//") else path


def document(*links: str, head: str = "", text: str = "") -> str:
    anchors = "".join(f'<a href="{link}">to</a>' for link in links)
    return f"<!doctype html><title>A page</title>{head}<body>{anchors}{text}"


def leads(to: str, status: int = 301) -> Response:
    return Response("", status, target=at(to))


class Table:
    """Routes by path or URL: a document, a status, an answer. Remembers what was asked, in order."""

    def __init__(
        self, routes: Mapping[str, Route], home: str = HOME, seed: int | None = None, otherwise: Route = 404
    ) -> None:
        self.routes = {at(path, home): route for path, route in routes.items()}
        self.home = home
        self.otherwise = otherwise
        self.requests: list[Request] = []
        self._random = None if seed is None else random.Random(seed)

    @property
    def asked(self) -> list[str]:
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


class Diary(NullObserver):
    """Keeps every event, and the last state of the progress."""

    wants_events = True

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.last = Progress()

    def progress(self, progress: Progress) -> None:
        self.last = replace(progress)

    def event(self, event: Event) -> None:
        self.events.append(event)


def gate(
    *,
    skip: Sequence[str] = (),
    exclude: Sequence[str] = (),
    robots: str | None = None,
    mapping: SiteMapping | None = None,
) -> UrlFilter:
    rules = None if robots is None else parse(robots.encode(), Profile.RFC)
    return UrlFilter(SkipFilter(skip), compile_patterns(exclude), rules, Traps(), mapping or SiteMapping(HOME, HOME))


def reader(mapping: SiteMapping | None = None, *, nofollow: bool = False, query: Query | None = None) -> Reader:
    mapping = mapping or SiteMapping(HOME, HOME)
    return Reader(mapping, Scope(mapping, mapping.site, query or Query()), nofollow)


def ticking(step: float) -> Callable[[], float]:
    """A clock that every look at it moves on."""
    ticks = count()
    return lambda: next(ticks) * step


def crawl(
    web: Table,
    inventory: Inventory,
    *,
    start: str = HOME,
    named: Iterable[str] = (),
    seeds: Iterable[str] = (),
    limits: CrawlLimits = LIMITS,
    at_gate: UrlFilter | None = None,
    reads: Reader | None = None,
    observer: Observer | None = None,
    turns: int | None = None,
    stored: bool = True,
    step: float = 0.0,
    probing: bool = False,
) -> Crawl:
    """`turns`: of the event loop, after which it is cancelled; `stored`: whether it then keeps what it has seen.

    `step`: seconds between two looks at the clock, which decide when visits are stored.
    """
    frontier = Frontier(inventory)
    frontier.name(map(at, named))
    frontier.begin([(start, "")])
    frontier.begin([(at(url), "the site's sitemap") for url in seeds], depth=1)
    at_gate, reads, observer = at_gate or gate(), reads or reader(), observer or NullObserver()
    probes = Probes(web, at_gate, HOME) if probing else None
    crawl = Crawl(web, frontier, at_gate, reads, limits, observer, ticking(step), probes)

    async def drive() -> None:
        task = asyncio.create_task(crawl.run())
        if turns is not None:
            for _ in range(turns):
                await asyncio.sleep(0)
            task.cancel()
        await asyncio.wait([task])
        if turns is None or not task.cancelled():
            task.result()

    asyncio.run(drive())
    if stored:
        crawl.store()
    return crawl


def seen(inventory: Inventory) -> Seen:
    """Everything that a report could tell of each page."""
    return {
        page.url.removeprefix(HOME[:-1]): (page.kind.value, page.status, page.depth, page.found_on, page.inlinks)
        for page in inventory.pages()
    }


def empty(folder: Path, name: str = "inventory", *, lasting: bool = False) -> Inventory:
    return Inventory(folder / name, lasting=lasting)
