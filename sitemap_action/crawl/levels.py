"""Drives the frontier with a fetcher, level by level, until everything is seen or a limit is reached."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from sitemap_action.crawl.firewall import FirewallDetector
from sitemap_action.crawl.probes import Probes
from sitemap_action.crawl.scheduler import LevelScheduler, PageBudget
from sitemap_action.crawl.url_filter import Blocked, Refusal, UrlFilter
from sitemap_action.crawl.visits import SHELL, Answered, Reader, is_shell
from sitemap_action.errors import first_leaf
from sitemap_action.fetch.base import Fetcher, Request
from sitemap_action.inventory.frontier import Frontier, Visit, VisitBatch, Waiting
from sitemap_action.model.observer import Event, EventKind, Observer, Progress
from sitemap_action.model.page import Page, PageKind

BATCH = 500  # visits stored at a time where a kill may come: that many are asked for again
_LARGE = 5_000  # where nothing outlives the run: pages of a site link the same URLs again and again
_LINKS = 250_000  # of the visits that are held in memory
_INTERVAL = 1.0  # seconds after which fewer are stored there

_Arrived: TypeAlias = "asyncio.Queue[Answered]"


@dataclass(frozen=True, slots=True)
class CrawlLimits:
    """Where a crawl ends though there is more."""

    pages: int
    depth: int
    concurrency: int


@dataclass(slots=True)
class Crawl:
    """One crawl. `run` may be cancelled at any moment: `store` then keeps what was seen."""

    fetcher: Fetcher
    frontier: Frontier
    gate: UrlFilter
    reader: Reader
    limits: CrawlLimits
    observer: Observer
    clock: Callable[[], float]  # seconds
    probes: Probes | None = None  # None: nobody needs to know what the host says of pages that are not there
    blocked: str = ""  # why it gave up: the site refuses us
    progress: Progress = field(default_factory=Progress)
    _budget: PageBudget = field(default_factory=lambda: PageBudget(0))
    _batch: VisitBatch = field(default_factory=VisitBatch)
    _depth: int = 0
    _probed: int = 0  # levels
    _stored: float = 0.0
    _firewall: FirewallDetector = field(default_factory=FirewallDetector)

    @property
    def full(self) -> bool:
        return self._budget.over

    async def run(self) -> None:
        """Every level from the first that has URLs waiting; what is named and nothing leads to comes last."""
        self._recount()
        depth = self.frontier.next_level(0)
        while depth is not None and not self.blocked:
            await self._probe(depth)
            try:
                await self._level(depth)
            except ExceptionGroup as several:
                raise first_leaf(several) from several
            depth = self.frontier.next_level(depth + 1)
        if not self.blocked:
            await self._probe(self.frontier.deepest())

    def store(self) -> None:
        """Keep what is not stored yet."""
        self.frontier.store(self._batch, self._depth)
        self._batch = VisitBatch()
        self._stored = self.clock()

    def _recount(self) -> None:
        """What an interrupted run has spent is spent, and its variants are known."""
        self._budget = PageBudget(self.limits.pages)
        self._stored = self.clock()
        for row, kind in self.frontier.visited():
            self.gate.blocks(row.url, named=row.named)
            self._budget.spent += kind is PageKind.PAGE and not row.named
            self.progress.done += 1

    async def _probe(self, depth: int) -> None:
        """HTML-46: before pages are read, so that it is known whether they are to be compared with what is not there.

        A run that goes on asks where the one before it had asked (NET-16).
        """
        if self.probes is not None:
            for level in range(self._probed, depth + 1):
                await self.probes.below(self.frontier.met(level, named=level > self.limits.depth))
            self._probed = depth + 1

    async def _level(self, depth: int) -> None:
        self._depth = depth
        self.progress.queued = self.frontier.waiting(depth)
        turns = LevelScheduler(self._open(self.frontier.level(depth)), self._budget, closed=depth > self.limits.depth)
        arrived: _Arrived = asyncio.Queue(self.limits.concurrency)
        async with asyncio.TaskGroup() as reading:
            reader = reading.create_task(self._read(turns, arrived))
            async with asyncio.TaskGroup() as asking:
                for _ in range(self.limits.concurrency):
                    asking.create_task(self._ask(turns, arrived))
            await arrived.join()
            reader.cancel()
        self.store()

    def _open(self, rows: Iterator[Waiting]) -> Iterator[Waiting]:
        """The rows that are to be asked for; what becomes of the others is noted on the way."""
        for row in rows:
            blocked = self.gate.blocks(row.url, named=row.named)
            if blocked is None:
                yield row
            else:
                self._block(row, blocked)

    async def _ask(self, turns: LevelScheduler, arrived: _Arrived) -> None:
        while (row := await turns.next()) is not None:
            if row.named:
                self._firewall.asked(row.url)
            earlier = self.frontier.earlier(row.url)
            request = Request(
                self.reader.mapping.to_served(row.url),
                etag=earlier.etag if earlier else "",
                modified=earlier.modified if earlier else "",
            )
            self._tell(EventKind.FOUND, row)
            await arrived.put(Answered(row, await self.fetcher.fetch(request), earlier))

    async def _read(self, turns: LevelScheduler, arrived: _Arrived) -> None:
        """All that has arrived at a time, which is faster than one by one; requests are under way meanwhile."""
        while True:
            answered = [await arrived.get()]
            while not arrived.empty():
                answered.append(arrived.get_nowait())
            for (row, _, _), visit in zip(answered, self.reader.visits(self._depth, answered), strict=True):
                turns.done(row, page=visit.page.kind is PageKind.PAGE)
                self._take(row, visit)
                arrived.task_done()
            if self.blocked:
                turns.end()

    def _take(self, row: Waiting, visit: Visit) -> None:
        page = visit.page
        self._batch.add(visit)
        self.progress.done += 1
        self.progress.queued -= 1
        self.progress.errors += page.kind is PageKind.UNDETERMINED
        self.progress.url = page.url
        self.observer.progress(self.progress)
        self._tell(EventKind.FETCHED, row, status=page.status, reason=page.reason)
        if not visit.links and is_shell(page):
            self._batch.set_aside(SHELL, page.url)
        if row.named:
            self.blocked = self.blocked or self._firewall.answered(row.url, page.status)
        self._store_in_time()

    def _store_in_time(self) -> None:
        size = self._batch.size
        late = self.frontier.lasting and (size >= BATCH or self.clock() - self._stored > _INTERVAL)
        if late or size >= _LARGE or self._batch.links >= _LINKS:
            self.store()

    def _block(self, row: Waiting, blocked: Blocked) -> None:
        self.progress.queued -= 1
        self.progress.skipped += 1
        self._tell(EventKind.SKIPPED, row, reason=blocked.reason)
        if blocked.refusal is Refusal.UNKNOWN:
            page = Page(row.url, PageKind.UNDETERMINED, reason=blocked.detail, depth=self._depth, found_on=row.referrer)
            self._batch.add(Visit(row.id, page))
        else:
            self._batch.set_aside(blocked.reason, row.url)
            self._batch.closed.append(row.id)
        self._store_in_time()

    def _tell(self, what: EventKind, row: Waiting, *, status: int = 0, reason: str = "") -> None:
        if self.observer.wants_events:
            self.observer.event(
                Event(what, row.url, status=status, reason=reason, found_on=row.referrer, depth=self._depth)
            )
