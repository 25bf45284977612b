"""Drives the frontier with a fetcher, level by level, until every URL is visited or a limit is reached.

Theory of operation. A level is all URLs of one depth, in clicks from the start page; required URLs without a link to
them are a last level. `concurrency` tasks take the URLs of a level in sorted order from its `LevelScheduler`, fetch
them, and put the answers in a bounded queue; one task reads what has arrived, and adds visits to a batch. New URLs wait
for the next level. So the order of arrival decides nothing: filter, traps and page limit count in sorted order, the
scheduler reserves a page for each request under way and thereby cuts the sorted level at one URL, a firewall is looked
for when a level ends (`Failures`), and the same site gives the same pages (NET-16). Before a level is read its
directories are probed (HTML-46).
Each batch is stored in one transaction with the URLs that it adds: in a persistent inventory after `BATCH` visits or
`_INTERVAL` seconds, in a temporary one when it is large, and at the end of the level. A kill costs the batch in memory,
which the next run fetches again: it restores the counts from stored visits and continues at the first queued level.
At the end, URLs that failed for a reason that may pass are visited a second time, after a pause (`Failures`).
"""

import asyncio
import math
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from msgspec import Struct, field

from sitemap_action.decide.redirects import ends_chain
from sitemap_action.errors import first_leaf
from sitemap_action.fetch.base import Answer, Fetcher, Request, RequestKind, Response
from sitemap_action.fetch.page_from_answer import pages_of
from sitemap_action.html import extract
from sitemap_action.html.document import ALL_OPTIONAL
from sitemap_action.model.observer import Event, EventKind, Observer, Progress
from sitemap_action.model.page import Page, PageKind
from sitemap_action.store.codec import Visit
from sitemap_action.store.frontier import NO_LINKS, TWINS, Frontier, QueuedUrl, VisitBatch
from sitemap_action.walk.frontier import Blocked, Failures, LevelScheduler, UrlFilter
from sitemap_action.walk.reader import (
    FetchedUrl,
    Reader,
    contradicts,
    depends_on_scripts,
    random_name,
    stub_of,
)

MAX_DIRECTORIES = 20  # that are probed
BATCH = 500  # visits of a batch in a persistent inventory
_INTERVAL = 0.2  # seconds after which a smaller batch is stored there; the first answers at once (U-17)
_NOT_MODIFIED = 304  # an answer that a shard has is used like one that has not changed
_LARGE = 5_000  # visits of a batch in a temporary one: pages of a site link to the same URLs again and again
_LINKS = 250_000  # of the visits in memory

_AnswerQueue: TypeAlias = "asyncio.Queue[FetchedUrl]"


class Probes(Struct):
    """What a host answers for a random path in the site and in each top-level directory, as pages (HTML-46)."""

    fetcher: Fetcher
    url_filter: UrlFilter
    site: str
    pages: list[Page] = field(default_factory=list)
    levels: int = 0  # of the crawl whose directories are known
    serves_document: bool = False  # for a page that does not exist: pages are compared with it
    _directories: set[str] = field(default_factory=set)

    async def probe_site(self) -> Page | None:
        """The answer below the site itself; None where the filter blocks it."""
        await self._probe([self.site])
        return self.pages[0] if self.pages else None

    async def probe_directories(self, urls: Iterable[str]) -> None:
        """Probe the directories of these URLs, in order, each once, `MAX_DIRECTORIES` at most.

        After a probe without any answer no other one is sent: waiting for each could take longer than the crawl.
        """
        if any(page.kind is PageKind.UNDETERMINED and not page.status for page in self.pages):
            return
        directories: set[str] = set()
        for url in urls:
            directory = self._directory(url)
            if directory and directory not in directories and not self.url_filter.skips.skip_class(url):
                directories.add(directory)
        new = sorted(directories - self._directories)[: MAX_DIRECTORIES - len(self._directories)]
        self._directories.update(new)
        await self._probe(new)

    def _directory(self, url: str) -> str:
        end = url.find("/", len(self.site)) + 1
        return url[:end] if url.startswith(self.site) and "?" not in url[:end] else ""

    async def _probe(self, directories: Sequence[str]) -> None:
        found = await asyncio.gather(*map(self._answer, directories))
        self.pages += [page for page in found if page is not None]
        self.serves_document = any(
            page.kind is PageKind.PAGE and page.facts is not None and page.facts.fingerprint for page in self.pages
        )

    async def _answer(self, directory: str) -> Page | None:
        """The answer for a random path; None where the filter blocks it."""
        url, mapping = directory + random_name(directory), self.url_filter.mapping
        if self.url_filter.blocks(url, required=True) is not None:
            return None
        answer = await self.fetcher.fetch(Request(mapping.to_served(url), RequestKind.PROBE))
        # As a page of the site is read: links to the host of a preview count alike in both.
        ((page, _),) = pages_of([(answer, url if mapping.same_paths else answer.url, ALL_OPTIONAL)])
        facts = page.facts
        if facts is None and isinstance(answer, Response):
            # Of an error page too: other pages may be the same document (HTML-45).
            facts = extract.read(answer.body, answer.headers, answer.url).facts
        facts = None if facts is None else mapping.map_facts(facts, url)
        return Page(url, page.kind, page.status, mapping.to_site(page.target), media_type=page.media_type, facts=facts)


Seen: TypeAlias = Callable[[Answer], Awaitable[Answer]]  # the answer, with what a browser makes of it where it is asked


def may_be_shell(page: Page) -> bool:
    """Whether scripts may have to build the page: never False where `html.extract.needs_rendering` is True."""
    return page.facts is not None and (page.facts.may_need_scripts or page.facts.script_redirect != "")


class LateRendering:
    """A queue of pages that wait for a browser. A full one stops the reading of pages, and so the crawl.

    Whether a browser has to see a page is known once its facts are read: the page is then read again. To ask before
    would take a second tree of every document, a sixth of what a crawl costs.
    """

    def __init__(self, seen: Seen, most: int) -> None:
        self._seen = seen
        self._waiting: asyncio.Queue[FetchedUrl] = asyncio.Queue(most)

    def wants(self, one: FetchedUrl, visit: Visit) -> bool:
        """Whether a browser is to be asked before the visit counts."""
        if one.seen or not may_be_shell(visit.page):
            return False
        return isinstance(one.answer, Response) and one.answer.rendered is None and not one.is_unchanged

    async def add(self, one: FetchedUrl) -> None:
        await self._waiting.put(one)

    async def next(self) -> FetchedUrl:
        """The page with what a browser has made of it, to be read again."""
        one = await self._waiting.get()
        return one._replace(answer=await self._seen(one.answer), seen=True)


class CrawlLimits(Struct, frozen=True):
    """How far a crawl goes, and how many requests are under way at a time."""

    pages: int
    depth: int
    concurrency: int
    deadline: float = math.inf  # seconds; whoever runs the crawl cancels it then
    pause: float = 0.0  # seconds before the second pass


class Crawl(Struct):
    """One crawl. `run` may be cancelled at any moment; `store` then stores the visits in memory."""

    fetcher: Fetcher
    frontier: Frontier
    url_filter: UrlFilter
    reader: Reader
    limits: CrawlLimits
    observer: Observer
    clock: Callable[[], float]  # seconds
    wait: Callable[[], float] = lambda: 0.0  # seconds until the host may be requested again (Retry-After)
    probes: Probes | None = None  # None: answers for pages that do not exist are not needed
    rendering: LateRendering | None = None  # None: answers come with what a browser makes of them, or there is none
    stubs: Counter[str] = field(default_factory=Counter)  # keys of short documents → pages that have them (HTML-71)
    progress: Progress = field(default_factory=Progress)
    _failures: Failures = field(default_factory=Failures)
    _scheduler: LevelScheduler = field(default_factory=lambda: LevelScheduler(0))
    _batch: VisitBatch = field(default_factory=VisitBatch)

    @property
    def firewall(self) -> str:
        """Why the crawl gave up, "" where it did not."""
        return self._failures.firewall

    @property
    def limit_reached(self) -> bool:
        return not self._scheduler.pages_left

    async def run(self) -> None:
        """Visit every level from the first one with queued URLs on."""
        began = self.clock()
        self._restore_counts()
        await self._visit_levels()
        failed = self._failures
        while failed.queued and not (failed.firewall or failed.is_hopeless):
            pause = max(self.limits.pause, self.wait())
            if self.clock() - began + pause >= self.limits.deadline:
                break
            await self._visit_again(failed.take(), pause)
        if not self.firewall:
            await self._probe(self.frontier.deepest())

    async def _visit_levels(self) -> None:
        depth = self.frontier.next_level(0)
        while depth is not None and not self.firewall:
            await self._probe(depth)
            self.progress.queued = self.frontier.queued_count(depth)
            await self._visit(depth, self._skip_blocked(self.frontier.level(depth)))
            depth = self.frontier.next_level(depth + 1)

    async def _visit_again(self, levels: Sequence[tuple[int, list[QueuedUrl]]], pause: float) -> None:
        """Stored records are replaced by those of the second answers; then come the levels of links in these."""
        count = sum(len(rows) for _, rows in levels)
        self.progress.done -= count
        self.progress.errors -= count
        self.progress.queued = count
        await asyncio.sleep(pause)
        for depth, rows in levels:
            if not (self.firewall or self._failures.is_hopeless):
                await self._visit(depth, iter(rows))
        await self._visit_levels()

    def store(self) -> None:
        """Store the visits in memory."""
        self.frontier.store(self._batch, self._batch.depth)
        self._batch = VisitBatch(depth=self._batch.depth, began=self.clock())

    def _restore_counts(self) -> None:
        """Spent pages, traps and progress of the interrupted run that this one resumes."""
        self._scheduler = LevelScheduler(self.limits.pages)
        for row, page in self.frontier.visited_pages():
            self.url_filter.blocks(row.url, required=row.required)
            self._scheduler.spent += page.kind is PageKind.PAGE and not row.required
            if stub := stub_of(page):
                self.stubs[stub] += 1
            self.progress.done += 1

    async def _probe(self, depth: int) -> None:
        """HTML-46: before pages are read, so that it is known whether they have to be compared with a missing one.

        A resumed run sends the probes of the run before it (NET-16).
        """
        if self.probes is not None:
            for level in range(self.probes.levels, depth + 1):
                urls = self.frontier.urls_at(level, required_only=level > self.limits.depth)
                await self.probes.probe_directories(urls)
            self.probes.levels = depth + 1

    async def _visit(self, depth: int, rows: Iterator[QueuedUrl]) -> None:
        self._batch.depth = depth
        self._scheduler.begin_level(rows, too_deep=depth > self.limits.depth)
        answers: _AnswerQueue = asyncio.Queue(self.limits.concurrency)
        try:
            await self._fetch_all(answers)
        except ExceptionGroup as several:
            raise first_leaf(several) from several
        self._failures.end_level()
        self.store()

    async def _fetch_all(self, answers: _AnswerQueue) -> None:
        async with asyncio.TaskGroup() as reading:
            readers = [reading.create_task(self._read(answers))]
            if self.rendering is not None:
                again = (self._read_again(self.rendering, answers) for _ in range(self.limits.concurrency))
                readers += map(reading.create_task, again)
            async with asyncio.TaskGroup() as fetching:
                for _ in range(self.limits.concurrency):
                    fetching.create_task(self._fetch(answers))
            await answers.join()
            for reader in readers:
                reader.cancel()

    def _skip_blocked(self, rows: Iterator[QueuedUrl]) -> Iterator[QueuedUrl]:
        """Yields the URLs to request; each blocked one is stored on the way."""
        for row in rows:
            blocked = self.url_filter.blocks(row.url, required=row.required)
            if blocked is None:
                yield row
            else:
                self._handle_blocked(row, blocked)

    async def _fetch(self, answers: _AnswerQueue) -> None:
        while (row := await self._scheduler.next()) is not None:
            self._emit(EventKind.FOUND, row)
            if (seen := self.frontier.shard_visit(row.url, self.reader.mapping.site)) is not None:
                await answers.put(FetchedUrl(row, Response(row.url, _NOT_MODIFIED), seen, asked=False))
                await asyncio.sleep(0)  # nothing else waits here: one task would fill the queue before all others
                continue
            previous = self.frontier.previous_visit(row.url)
            if previous is not None and depends_on_scripts(previous.page):
                previous = None
            request = Request(
                self.reader.mapping.to_served(row.url),
                etag=previous.etag if previous else "",
                modified=previous.modified if previous else "",
            )
            answer = await self.fetcher.fetch(request)
            if previous is not None and contradicts(answer, previous):
                previous, answer = None, await self.fetcher.fetch(Request(request.url))
            await answers.put(FetchedUrl(row, answer, previous))

    async def _read(self, answers: _AnswerQueue) -> None:
        """Reads all answers that have arrived at a time, which is faster than one by one."""
        while True:
            fetched = [await answers.get()]
            while not answers.empty():
                fetched.append(answers.get_nowait())
            await self._handle(self._visits(fetched), answers)

    async def _read_again(self, rendering: LateRendering, answers: _AnswerQueue) -> None:
        while True:
            await self._handle(self._visits([await rendering.next()]), answers)

    def _visits(self, fetched: Sequence[FetchedUrl]) -> Iterable[tuple[FetchedUrl, Visit]]:
        return zip(fetched, self.reader.visits(self._batch.depth, fetched), strict=True)

    async def _handle(self, visits: Iterable[tuple[FetchedUrl, Visit]], answers: _AnswerQueue) -> None:
        for one, visit in visits:
            if self.rendering is not None and self.rendering.wants(one, visit):
                await self.rendering.add(one)
                continue
            self._scheduler.release(one.queued, page=visit.page.kind is PageKind.PAGE)
            if one.queued.required:
                self._failures.add_required(one.queued.url, visit.page.status)
            self._handle_visit(one, visit)
            answers.task_done()
        if self._failures.is_hopeless:
            self._scheduler.stop()

    def _handle_visit(self, one: FetchedUrl, visit: Visit) -> None:
        row, page = one.queued, visit.page
        if one.asked:  # a shard has asked a second time itself
            self._failures.add(row, self._batch.depth, one.answer, page)
            self._batch.unchanged += one.is_unchanged
        self._batch.add(visit._replace(targets=()) if ends_chain(self.frontier, page) else visit)
        self.progress.done += 1
        self.progress.queued -= 1
        self.progress.errors += page.kind is PageKind.UNDETERMINED
        self.progress.url = page.url
        self.progress.left = self._scheduler.pages_left
        self.observer.progress(self.progress)
        self._emit(EventKind.FETCHED, row, status=page.status, reason=page.reason)
        if not visit.links and page.needs_scripts:
            self._batch.skip(NO_LINKS, page.url)
        if stub := stub_of(page):
            self.stubs[stub] += 1
        if page.facts is not None and page.facts.head.markdown:
            self._batch.skip(TWINS, page.url)
        self._store_when_due()

    def _handle_blocked(self, row: QueuedUrl, blocked: Blocked) -> None:
        self.progress.queued -= 1
        self.progress.skipped += 1
        self._emit(EventKind.SKIPPED, row, reason=blocked.reason)
        if blocked.kind is None:
            self._batch.skip(blocked.reason, row.url)
            self._batch.blocked.append(row.id)
        else:
            page = Page(row.url, blocked.kind, reason=blocked.detail, depth=self._batch.depth, found_on=row.referrer)
            self._batch.add(Visit(row.id, page))
        self._store_when_due()

    def _store_when_due(self) -> None:
        size = self._batch.size
        due = self.frontier.persistent and (size >= BATCH or self.clock() - self._batch.began >= _INTERVAL)
        if due or size >= _LARGE or self._batch.links >= _LINKS:
            self.store()

    def _emit(self, what: EventKind, row: QueuedUrl, *, status: int = 0, reason: str = "") -> None:
        if self.observer.wants_events:
            self.observer.event(
                Event(what, row.url, status=status, reason=reason, found_on=row.referrer, depth=self._batch.depth)
            )
