"""Load sitemaps and everything they list: bounded, safe from cycles, and resumable after a kill at any instant.

A document that gives no usable answer, or breaks off, is *unavailable*: its URLs are unknown, never removed.
"""

import asyncio
import json
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import datetime

from xxhash import xxh3_128_hexdigest

from sitemap_action import __version__
from sitemap_action.errors import first
from sitemap_action.fetch.base import Answer, Fetcher, Request, Response, Skip, Want
from sitemap_action.inventory.loading import LoadingState
from sitemap_action.inventory.sitemap_status import Arrival, ResumeState, SitemapState, SitemapStatus
from sitemap_action.loader.intake import NO_SITEMAP, Body, SitemapIntake
from sitemap_action.loader.result import DEFAULTS, Loaded, LoadOptions, Received, loaded
from sitemap_action.sitemap.identity import site
from sitemap_action.web.urls import BadUrl, normal

_AT_ONCE = 4
"""Requests under way; their answers are held in memory until it is their turn."""

_FOUND = (
    SitemapState.PENDING,
    SitemapState.ASKED,
    SitemapState.READ,
    SitemapState.SAME,
    SitemapState.FAILED,
    SitemapState.REFUSED,
)
_DONE = (SitemapState.READ, SitemapState.SAME, SitemapState.ABSENT)


async def load(  # noqa: PLR0913 - what to load, with what, into what
    fetcher: Fetcher,
    seeds: Sequence[str],
    state: LoadingState,
    now: datetime,
    options: LoadOptions = DEFAULTS,
    *,
    usual: Sequence[str] = (),
    observe: Callable[[Received], None] = lambda _: None,
) -> Loaded:
    """Read the sitemaps at the seeds and all that they list.

    `usual`: addresses that are asked one after another until one is a sitemap, when there is no seed; that nothing is
    there is no failure. `observe` gets every document that is read, in order.
    """
    key = json.dumps([__version__, seeds, usual, asdict(options)])
    begun = state.begin(key, [_normal(url) for url in seeds], [_normal(url) for url in usual], now)
    loader = _Loader(fetcher, state, options, observe)
    loader.notes += _begun(begun, state)
    await loader.run()
    state.end()
    return loaded(state, options, tuple(loader.notes))


class _Loader:
    """Asks ahead and reads in order of discovery: the same site gives the same result, whatever its latencies."""

    def __init__(
        self, fetcher: Fetcher, state: LoadingState, options: LoadOptions, observe: Callable[[Received], None]
    ) -> None:
        self._fetcher = fetcher
        self._state = state
        self._options = options
        self._observe = observe
        self._asked = state.count(*_DONE)
        self.notes: list[str] = []

    async def run(self) -> None:
        try:
            await self._run()
        except ExceptionGroup as several:
            raise first(several) from several

    async def _run(self) -> None:
        async with asyncio.TaskGroup() as group:
            waiting: deque[tuple[SitemapStatus, asyncio.Task[Answer]]] = deque()
            while True:
                for sheet in self._next(_AT_ONCE - len(waiting), idle=not waiting):
                    waiting.append((sheet, group.create_task(self._fetcher.fetch(_request(sheet)))))
                if not waiting:
                    return
                sheet, task = waiting.popleft()
                self._receive(sheet, await task)

    def _next(self, room: int, *, idle: bool) -> list[SitemapStatus]:
        room = min(room, self._options.max_documents - self._asked)
        if room <= 0 or self._state.stored() >= self._options.max_entries:
            return []
        sheets = self._state.ask(room)
        if not sheets and idle and not self._state.count(*_FOUND) and self._state.try_usual():
            sheets = self._state.ask(room)
        self._asked += len(sheets)
        return sheets

    def _receive(self, sheet: SitemapStatus, answer: Answer) -> None:
        if self._state.sheet(sheet.id).state is not SitemapState.ASKED:
            return  # while it was under way another document turned out to be this one
        match answer:
            case Skip(reason=reason):
                self._state.mark(sheet, SitemapState.FAILED, reason)
            case Response(status=200, unread=False):
                self._take(sheet, answer)
            case Response(status=304) if sheet.etag or sheet.modified:
                self._state.mark(sheet, SitemapState.READ, address=sheet.address)
            case Response(status=200):
                self._state.mark(sheet, SitemapState.FAILED, "the answer is of a type that no sitemap has")
            case Response(status=status) if sheet.usual and 400 <= status < 500 and status != 429:
                self._state.mark(sheet, SitemapState.ABSENT)
            case Response(status=status):
                self._state.mark(sheet, SitemapState.FAILED, f"answered {status}")

    def _take(self, sheet: SitemapStatus, answer: Response) -> None:
        """Where it answered decides what it is: the same document under two addresses is read once."""
        address = _normal(answer.hops[-1]) if answer.hops else sheet.url
        hosts = self._hosts(sheet, address)
        if hosts and not sheet.usual and sheet.depth and site(address) not in hosts:
            self._state.mark(sheet, SitemapState.FAILED, f"it leads to another host, {address}", address)
            return
        other = self._state.at(address, sheet)
        if other and other.state in {SitemapState.READ, SitemapState.SAME}:
            self._state.mark(sheet, SitemapState.SAME, f"the same as {other.url}", address)
            return
        named = all(name != "content-encoding" for name, _ in answer.headers)
        self._read(sheet, Body(address, answer.body, named), answer, hosts)
        if other:
            self._state.mark(other, SitemapState.SAME, f"the same as {sheet.url}", address)

    def _read(self, sheet: SitemapStatus, body: Body, answer: Response, hosts: frozenset[str]) -> None:
        limit = self._options.max_depth
        deep = f"it is more than {limit} deep (sitemaps.max-depth)" if sheet.depth >= limit else ""
        arrived = SitemapIntake(body, max_inflated=self._options.max_inflated, hosts=hosts, too_deep=deep)
        headers = dict(answer.headers)
        now = xxh3_128_hexdigest(body.data)
        arrival = Arrival(body.address, now, headers.get("etag", ""), headers.get("last-modified", ""))
        self._state.read(sheet, arrival, arrived.batches(), arrived.content)
        if sheet.usual and arrived.code in NO_SITEMAP:
            self._state.mark(sheet, SitemapState.ABSENT)
            return
        if sheet.reason and sheet.digest not in {"", now}:
            self.notes.append(f"{sheet.url} changed since it was first read; what it listed then is dropped")
        self._observe(Received(sheet.url, body))

    def _hosts(self, sheet: SitemapStatus, address: str) -> frozenset[str]:
        """Whose URLs are wanted, all when empty: of the site, and of the seeds wherever they answered."""
        if not self._options.same_host:
            return frozenset()
        seeds = [
            url
            for seed in self._state.sheets(SitemapState.READ, SitemapState.FAILED)
            if not seed.depth
            for url in _places(seed)
        ]
        own = [] if sheet.depth else [sheet.url, address]
        return frozenset(site(url) for url in (self._options.site, *seeds, *own) if url.startswith("http"))


def _places(seed: SitemapStatus) -> tuple[str, str]:
    return seed.url, seed.address


def _request(sheet: SitemapStatus) -> Request:
    return Request(sheet.url, Want.SITEMAP, sheet.etag, sheet.modified)


def _normal(url: str) -> str:
    """As it is when it is no URL of the web: the fetcher knows what to make of it, and a sitemap cannot name it."""
    try:
        return normal(url)
    except BadUrl:
        return url


def _begun(begun: ResumeState, state: LoadingState) -> list[str]:
    match begun:
        case ResumeState.NEW:
            return []
        case ResumeState.RESUMED:
            return [f"resumed: {state.count(SitemapState.READ):,} sitemaps had been read"]
        case ResumeState.OTHER:
            return ["the state is of other sitemaps or options; nothing of it is used"]
        case ResumeState.AGAIN:
            return ["the state is of a run that has ended; what has not changed since is taken from it"]
