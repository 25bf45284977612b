"""Hands documents of a crawl to processes that read them, and what they have read back to the crawl.

Theory of operation. A crawl that fetches and reads in one process uses one core. Here it fetches, keeps the frontier
and stores; documents go to the process with least to do, a few in a message, and visits come back in any order, which
decides nothing (NET-16). What waits for a process is bounded in bytes; without room the crawl waits, and fetches no
more. Answers without a document, and the first `after` documents, are read here: starting a process costs what reading
a hundred pages costs. When a process ends, by a document or for lack of memory, another one takes its place and reads
what was left: documents of the message at hand one by one, so that the one which ends a process twice is known. It is
a page without an answer, with the reason; the others are read as ever. So is one that is not read in `PATIENCE`
seconds. Where no process can be started, documents are read here.
"""

import asyncio
import os
import signal
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TypeAlias

from sitemap_action.crawl.reader_process import Message, ReaderProcess, pack
from sitemap_action.crawl.visits import FetchedUrl, Reader
from sitemap_action.fetch.base import Response
from sitemap_action.inventory.frontier import Visit
from sitemap_action.inventory.store import Inventory
from sitemap_action.model.page import Page, PageKind

_DOCUMENTS = 8  # of a message
_BYTES = 2**20  # of a message with several documents
PATIENCE = 120.0  # seconds
_LINKS = 100_000  # URLs that are kept once, however many pages link to them

_Read: TypeAlias = tuple[FetchedUrl, Visit]


class ReaderPool:
    """`close` ends its processes."""

    def __init__(self, reader: Reader, inventory: Inventory, processes: int, *, largest: int, after: int) -> None:
        self._reader, self._inventory, self._count = reader, inventory, processes
        self._largest, self._left, self._patience = largest, after, PATIENCE
        self._processes: list[ReaderProcess] = []
        self._busy_since: dict[ReaderProcess, float] = {}
        self._again: deque[Message] = deque()  # of processes that have ended
        self._finished: deque[_Read] = deque()
        self._changed = asyncio.Event()  # something was read, or there is room
        self._freed = asyncio.Event()
        self._links: dict[str, str] = {}
        self._ends: Counter[str] = Counter()  # how processes ended
        self._refused = ""  # why a process could not be started
        self._error: Exception | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        ended = (
            f"{count} {'process that reads' if count == 1 else 'processes that read'} pages ended ({why}); "
            "what was left was read by another one"
            for why, count in sorted(self._ends.items())
        )
        refused = f"a process that reads pages could not be started ({self._refused}): fewer read them, or this one"
        return (*ended, *((refused,) if self._refused else ()))

    @property
    def pids(self) -> list[int]:
        return [process.pid for process in self._processes]

    async def read(self, depth: int, fetched: Sequence[FetchedUrl]) -> list[_Read]:
        """What was read at once; the rest comes from `finished`."""
        apart = [one for one in fetched if _has_document(one)]
        here: Sequence[FetchedUrl] = [one for one in fetched if not _has_document(one)]
        if self._left > 0 or not self._started():
            self._left -= len(apart)
            apart, here = [], fetched
        for message in self._messages(depth, apart):
            while self._again or not self._handed_over(message):
                self._freed.clear()
                await self._freed.wait()
        return list(zip(here, self._reader.visits(depth, here), strict=True))

    async def finished(self) -> list[_Read]:
        """What processes have read since the last call, at least one."""
        while not self._finished:
            self._changed.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(min(1.0, self._patience)):
                    await self._changed.wait()
            self._end_late()
            if self._error is not None:
                raise self._error
        found = list(self._finished)
        self._finished.clear()
        return found

    def close(self) -> None:
        for process in self._processes:
            self._forget(process)
            process.stop()
        self._processes.clear()

    def _messages(self, depth: int, fetched: Iterable[FetchedUrl]) -> Iterator[Message]:
        part: list[FetchedUrl] = []
        size = 0
        for one in fetched:
            length = len(one.answer.body) if isinstance(one.answer, Response) else 0
            if part and (len(part) == _DOCUMENTS or size + length > _BYTES):
                yield from self._packed(depth, part)
                part, size = [], 0
            part.append(one)
            size += length
        if part:
            yield from self._packed(depth, part)

    def _packed(self, depth: int, fetched: list[FetchedUrl]) -> Iterator[Message]:
        try:
            packed = pack(depth, [self._reader.unread(one) for one in fetched])
        except UnicodeEncodeError:
            self._finish(fetched, self._reader.visits(depth, fetched))
            return
        yield Message(depth, [_without_body(one) for one in fetched], packed)

    def _started(self) -> bool:
        """Whether there is a process to read with; starts as many as are missing."""
        while len(self._processes) < self._count:
            try:
                process = ReaderProcess(self._reader, self._inventory, self._largest)
            except OSError as error:
                self._count = len(self._processes)
                self._refused = error.strerror or str(error)
                break
            self._processes.append(process)
            asyncio.get_running_loop().add_reader(process.end, self._receive, process)
        return bool(self._processes)

    def _handed_over(self, message: Message) -> bool:
        if not self._processes or not self._processes[0].fits(message):
            self._read_here(message)
            return True
        for process in sorted(self._processes, key=lambda one: one.bytes_waiting):
            if process.takes(message):
                self._busy_since.setdefault(process, time.monotonic())
                return True
        return False

    def _read_here(self, message: Message) -> None:
        self._finish(message.fetched, self._reader.read(*message.unpacked()))

    def _receive(self, process: ReaderProcess) -> None:
        """A callback of the event loop, so what is wrong is raised by `finished`."""
        try:
            self._take(process)
            self._hand_over_again()
        except Exception as error:  # noqa: BLE001 - a bug, which ends the run as any other
            self._error = error
            self._changed.set()
        self._freed.set()

    def _take(self, process: ReaderProcess) -> None:
        try:
            if len(self._links) > _LINKS:
                self._links.clear()
            for message, visits in process.receive(self._links):
                self._busy_since[process] = time.monotonic()
                if visits is None:
                    self._read_here(message)
                else:
                    self._finish(message.whole(), visits)
            if not process.waiting:
                self._busy_since.pop(process, None)
        except EOFError:
            self._replace(process)

    def _hand_over_again(self) -> None:
        while self._again and self._handed_over(self._again[0]):
            self._again.popleft()

    def _finish(self, fetched: Iterable[FetchedUrl], visits: Iterable[Visit]) -> None:
        self._finished.extend(zip(fetched, visits, strict=True))
        self._changed.set()

    def _end_late(self) -> None:
        late = time.monotonic() - self._patience
        for process, since in self._busy_since.items():
            if since < late:
                os.kill(process.pid, signal.SIGKILL)  # it is collected when its connection has ended

    def _replace(self, process: ReaderProcess) -> None:
        since = self._busy_since.get(process, time.monotonic())
        late = time.monotonic() - since > self._patience
        self._forget(process)
        self._processes.remove(process)
        how = process.stop()
        why = f"not done in {self._patience:g} seconds" if late else how
        self._ends[why] += 1
        unread = process.unread()
        for message in unread[:1]:  # what it was reading
            if message.suspect:
                self._finish(message.fetched, [_unread(one, message.depth, why) for one in message.fetched])
            else:
                self._again.extend(message.split())
        self._again.extend(unread[1:])
        self._started()

    def _forget(self, process: ReaderProcess) -> None:
        self._busy_since.pop(process, None)
        asyncio.get_running_loop().remove_reader(process.end)


def _has_document(one: FetchedUrl) -> bool:
    answer = one.answer
    return isinstance(answer, Response) and answer.status == 200 and not answer.target and bool(answer.body)


def _without_body(one: FetchedUrl) -> FetchedUrl:
    assert isinstance(one.answer, Response)  # noqa: S101 - it has a document
    return one._replace(answer=one.answer._replace(body=b"", rendered=None))


def _unread(one: FetchedUrl, depth: int, why: str) -> Visit:
    queued = one.queued
    reason = f"it cannot be read: two processes ended while they read it ({why})"
    page = Page(queued.url, PageKind.UNDETERMINED, status=200, reason=reason, depth=depth, found_on=queued.referrer)
    return Visit(queued.id, page)
