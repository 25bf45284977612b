"""Files of a build become pages: in this process for a small site, in one process per core for a large one.

A page of a file is read like one of a served site (`Reader`). What pages have in common, such as the number of links to
a URL, is put together for a batch of files where they are read, and for all batches here. The cores that a process may
use are not those that the machine has.
"""

import hashlib
import math
import os
import signal
import sys
from array import array
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from sitemap_action.errors import UnreachableError
from sitemap_action.fetch.base import Answer, Request
from sitemap_action.fetch.page_from_answer import targets
from sitemap_action.html.document import ALL_OPTIONAL, OptionalFacts
from sitemap_action.html.links import Resolver
from sitemap_action.model.observer import Event, EventKind, Observer, Progress
from sitemap_action.model.page import Page, PageKind
from sitemap_action.store.codec import Packed, PackedDocument, Visit, decode_page, encode
from sitemap_action.store.frontier import QueuedUrl
from sitemap_action.store.inventory import Inventory, stored_documents
from sitemap_action.walk.build import Build, BuildRules, DeadLinks, Form, HostPages, canonical_form, has_other_escapes
from sitemap_action.walk.folders import FileTree
from sitemap_action.walk.reader import Reader, Scope, stub_of
from sitemap_action.walk.shards import ShardDocuments
from sitemap_action.web.spellings import SiteMapping, other_spellings

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

_MOST = 8  # one process stores what the others have read: more of them would wait for it, each with its memory
_QUOTAS = (  # files of a control group: microseconds of CPU time, in a period of as many
    ("/sys/fs/cgroup/cpu.max", ""),
    ("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "/sys/fs/cgroup/cpu/cpu.cfs_period_us"),
)


class Clicks:
    """Collects the links of pages; memory holds a number for each link, and only a run that asks for it has one."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._links: dict[int, array[int]] = {}

    def add(self, url: str, links: Iterable[str]) -> None:
        """The links of a page, which is the start of none that is added again."""
        self._links[self._number(url)] = array("l", [self._number(link) for link in links])

    def depths(self, start: str, end_of: Callable[[str], str]) -> Iterator[tuple[str, int]]:
        """(URL, clicks) of every page that can be reached, nearest first.

        `end_of`: the page that a URL without one redirects to, or is another spelling of; "" for none.
        """
        urls = [*self._numbers, start]
        first = self._numbers.get(start, -1)
        level = [first] if first in self._links else self._ends([len(urls) - 1], urls, end_of)
        depth = 0 if first in self._links else 1
        seen: set[int] = set()
        while level:
            level = [number for number in dict.fromkeys(level) if number not in seen]
            seen.update(level)
            yield from ((urls[number], depth) for number in level if number in self._links)
            found = dict.fromkeys(link for number in level for link in self._links.get(number, ()) if link not in seen)
            seen.update(link for link in found if link not in self._links)
            level = [*(link for link in found if link in self._links), *self._ends(found, urls, end_of)]
            depth += 1

    def _ends(self, found: Iterable[int], urls: list[str], end_of: Callable[[str], str]) -> list[int]:
        """The pages behind other spellings and redirects."""
        ends = (self._numbers.get(end_of(urls[number]), -1) for number in found if number not in self._links)
        return [end for end in ends if end in self._links]

    def _number(self, url: str) -> int:
        return self._numbers.setdefault(url, len(self._numbers))


class ReadingObserver:
    """Reports the files of one build while they are read."""

    def __init__(self, observer: Observer, files: int) -> None:
        self._observer = observer
        self._progress = Progress(queued=files)

    def read(self, records: Sequence[tuple[str, str]]) -> None:
        progress = self._progress
        progress.done += len(records)
        progress.queued -= len(records)
        progress.url = records[-1][0] if records else progress.url
        self._observer.progress(progress)
        if self._observer.wants_events:
            for _, record in records:
                page = decode_page(record, 0)
                self._observer.event(Event(EventKind.FOUND, page.url, path=page.path))
                fetched = Event(
                    EventKind.FETCHED, page.url, path=page.path, status=page.status, reason=page.reason or page.unlisted
                )
                self._observer.event(fetched)


def report_skipped(observer: Observer, files: Mapping[str, str]) -> None:
    """Path → why it is not read."""
    if observer.wants_events:
        for path, why in sorted(files.items()):
            observer.event(Event(EventKind.SKIPPED, path=path, reason=why))


KnownDocuments: TypeAlias = Callable[[Sequence[str]], Mapping[str, Packed]]  # URLs → what shards have read there

_POOL_FROM = 400  # pages; below this, starting processes costs more than they save
_AHEAD = 8  # batches that wait
_CHUNK = 100  # pages per task of a process
_IN_MEMORY = 8  # pages of a chunk that are read at a time
_LINKS = 250_000  # URLs with link counts in memory: pages of a site link to the same ones again and again


class PageBatch(Struct):
    """What some files say together, or all of a build: then without records, links and documents, which are stored."""

    records: list[tuple[str, str]] = field(default_factory=list)  # (URL, encoded page)
    links: Counter[str] = field(default_factory=Counter)  # followable links to URLs below site-url, one for each page
    error_pages: list[str] = field(default_factory=list)  # encoded pages of 404.html (HTML-45)
    stubs: Counter[str] = field(default_factory=Counter)  # keys of short documents (HTML-71)
    refreshes: list[Page] = field(default_factory=list)  # documents that redirect at once
    targets: dict[str, str] = field(default_factory=dict)  # URL that needs an answer → the first page that names it
    dead: dict[str, str] = field(default_factory=dict)  # URL of a link to nothing, without query → the first such page
    linked: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)  # (page, its links), where clicks count
    canonicals: Counter[Form] = field(default_factory=Counter)  # how canonicals spell their page, of an unknown host
    twins: dict[str, str] = field(default_factory=dict)  # Markdown twin that is not there → a page that names it
    documents: list[PackedDocument] = field(default_factory=list)  # what a shard has read


def read_build(
    inventory: Inventory, build: Build, paths: Sequence[str], observed: ReadingObserver
) -> tuple[PageBatch, Clicks]:
    """Reads every file, and stores its page."""
    links: Counter[str] = Counter()
    found, clicks = PageBatch(), Clicks()
    for batch in read_all(build, paths, None if inventory.shards is None else inventory.shards.documents):
        observed.read(batch.records)
        for url, linked_urls in batch.linked:
            clicks.add(url, linked_urls)
        inventory.add_records(batch.records)
        links.update(batch.links)
        found.stubs.update(batch.stubs)
        found.canonicals.update(batch.canonicals)
        found.error_pages += batch.error_pages
        found.refreshes += batch.refreshes
        if len(links) > _LINKS:
            inventory.add_links(sorted(links.items()))
            links.clear()
        named = ((found.targets, batch.targets), (found.dead, batch.dead), (found.twins, batch.twins))
        for known, new in named:
            for url, referrer in new.items():
                known.setdefault(url, referrer)
    inventory.add_links(sorted(links.items()))
    return found, clicks


def read_all(build: Build, paths: Sequence[str], known: KnownDocuments | None = None) -> Iterator[PageBatch]:
    """Batches in the order of `paths`, whichever process finishes first (NET-16).

    `known`: what shards have read; None where this run is not one of several.
    """
    chunks = [paths[start : start + _CHUNK] for start in range(0, len(paths), _CHUNK)]
    documents = (lambda _: None) if known is None else (lambda chunk: known([build.url(path) for path in chunk]))
    if len(paths) < _POOL_FROM or (processes := pool_size()) == 1:
        reader = FileReader(build)
        for chunk in chunks:
            yield reader.batch(chunk, documents(chunk))
        return
    with process_pool(processes, _set_reader, build) as pool:
        ahead: deque[Future[PageBatch]] = deque()  # few: batches that wait for this process would fill its memory
        for chunk in chunks:
            ahead.append(pool.submit(_read_in_process, chunk, documents(chunk)))
            if len(ahead) > _AHEAD:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()


def read_part(inventory: Inventory, build: Build, paths: Sequence[str], tree: FileTree, observer: Observer) -> bool:
    """Store what is read of each file of a shard: nothing follows from it before all files are known.

    False where this run is no shard: what a merge is given has to be of the same build.
    """
    state = inventory.shard
    if state is None:
        _require_same_build(inventory, tree)
        return False
    state.set_build(_files_digest(tree))
    documents = stored_documents(inventory)
    own = [path for path in paths if state.shard.owns(path)]
    observed = ReadingObserver(observer, len(own))
    for batch in read_all(build, own, None if documents is None else documents.find):
        observed.read(batch.records)
        if documents is not None:
            documents.store(batch.documents)
    return True


def _require_same_build(inventory: Inventory, tree: FileTree) -> None:
    """Raises UnreachableError where the shards have read another build; what a file has is compared when it is read."""
    if inventory.shards is None:
        return
    first, path = inventory.shards.manifests[0], inventory.shards.paths[0]
    if first.build != _files_digest(tree):
        hint = "build once, and give that build to every shard and to the merge"
        raise UnreachableError(f"the shard {path} is of another build, with other files", hint=hint)


def _files_digest(tree: FileTree) -> str:
    """Digest of the names of all files."""
    return hashlib.sha256("\0".join(sorted(tree.files)).encode()).hexdigest()


def build_reader(build: Build, rules: BuildRules) -> Reader:
    """Reads the answers of a build: its URLs are those of the site."""
    mapping = SiteMapping(build.base, build.base)
    return Reader(
        mapping=mapping,
        scope=Scope(mapping, build.base, build.query),
        resolver=Resolver(),
        optional_facts=lambda _: build.optional_facts,
        blocked_resources=build.blocked_resources,
        other_origins=other_spellings(build.base),
        thresholds=build.thresholds,
        files=rules,
    )


class FileReader:
    """Reads a few files at a time; resolved links are cached from page to page."""

    def __init__(self, build: Build) -> None:
        self._build = build
        self._fetcher = build.fetcher()
        self._rules = BuildRules(build)
        self._reader = build_reader(build, self._rules)
        self._dead = DeadLinks(build)
        self._host = HostPages(build, self._fetcher)
        self._ends: list[tuple[int, str]] = []

    def batch(self, paths: Sequence[str], known: Mapping[str, Packed] | None = None) -> PageBatch:
        batch, reader = PageBatch(), self._reader
        self._ends.clear()
        if known is not None:
            documents = ShardDocuments(known)
            batch.documents = documents.new
            reader = replace(reader, read_pages=documents.pages_of)
        for start in range(0, len(paths), _IN_MEMORY):
            self._read(paths[start : start + _IN_MEMORY], reader, batch)
        batch.dead = self._dead.find(batch.links, self._ends)
        return batch

    def _read(self, paths: Sequence[str], reader: Reader, batch: PageBatch) -> None:
        answers = [(path, self._fetcher.answer(Request(self._build.url(path)))) for path in paths]
        served = [self._queue_file(path, answer) for path, answer in answers if answer.path == path]
        visits = iter(reader.read(0, served))
        for path, answer in answers:
            if answer.path == path:
                self._add(next(visits), batch)
            else:  # a rule of the host decides over this address, or another file has it
                batch.targets.setdefault(answer.url, "")

    def _queue_file(self, path: str, answer: Answer) -> tuple[QueuedUrl, Answer, OptionalFacts]:
        optional = ALL_OPTIONAL if is_error_page(path) else self._build.optional_facts
        if has_other_escapes(path):
            optional = optional._replace(digest=True)
        return QueuedUrl(0, answer.url, "", required=False), answer, optional

    def _add(self, visit: Visit, batch: PageBatch) -> None:
        page = visit.page
        batch.records.append((page.url, encode(page)))
        if not page.unlisted and (stub := stub_of(page)):
            batch.stubs[stub] += 1
        refresh = page.facts.refresh if page.facts is not None else None
        if refresh is not None and refresh.seconds == 0:
            batch.refreshes.append(Page(page.url, PageKind.REDIRECT, page.status, refresh.url, path=page.path))
        if not self._build.known_host and (form := canonical_form(page, self._build.base)):
            batch.canonicals[form] += 1
        if is_error_page(page.path):
            batch.error_pages.append(encode(page._replace(kind=PageKind.GONE, status=404)))
        batch.links.update(visit.links)
        if self._build.clicks:
            batch.linked.append((page.url, visit.links))
        for twin in page.facts.head.markdown if page.facts else ():
            if self._host.why_dead(twin):
                batch.twins.setdefault(twin, page.url)
        self._ends.append((len(batch.links), page.url))
        asked = set(self._rules.spellings(page)).difference(targets(page.facts) if page.facts else ())
        for target in visit.targets:  # what only the config asks for is found on no page
            batch.targets.setdefault(target, "" if target in asked else page.url)


def is_error_page(path: str) -> bool:
    return path.rpartition("/")[2] == "404.html"


_reader: FileReader | None = None  # of this worker process: the build is sent once, not with every chunk


def _set_reader(build: Build) -> None:
    global _reader  # noqa: PLW0603 - the only state that a pool initializer can set
    _reader = FileReader(build)


def _read_in_process(paths: Sequence[str], known: Mapping[str, Packed] | None) -> PageBatch:
    assert _reader is not None  # noqa: S101 - the initializer has run
    return _reader.batch(paths, known)


def available_cores() -> int:
    """The cores of this process's affinity, and no more than its control group pays for."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, math.ceil(min(cores, _quota())))


def pool_size() -> int:
    """Processes that read files; with one, this process reads them itself."""
    return min(available_cores(), _MOST)


@contextmanager
def process_pool(count: int, *begin: Any) -> "Iterator[ProcessPoolExecutor]":
    """Processes that end with the block, also where a signal ends it, and with this process, however that ends.

    `begin`: a function that each of them calls first, and its arguments. Forks on Linux, as Python did before 3.14:
    they import nothing. Raises UnreachableError when one is ended from outside.
    """
    import multiprocessing  # noqa: PLC0415 - a small site starts no process
    from concurrent.futures import BrokenExecutor, ProcessPoolExecutor  # noqa: PLC0415 - as above

    context = multiprocessing.get_context("fork" if sys.platform == "linux" else None)
    pool = ProcessPoolExecutor(count, mp_context=context, initializer=_begin, initargs=begin)
    try:
        with _without_signals():
            pool.submit(_do_nothing)  # starts the processes, and the thread that watches them
        yield pool
    except BrokenExecutor as error:
        for process in multiprocessing.active_children():
            process.kill()  # the pool's own end is SIGTERM
        hint = "give the job more memory, or divide the site between runners (check --shard)"
        why = "a process that reads files was ended from outside, as when memory is short"
        raise UnreachableError(f"no verdict: {why}", hint=hint) from error
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _without_signals() -> "Iterator[None]":
    """A process that starts has the mask of this one, so that no signal meets it half made."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(function: Callable[..., object] | None = None, *arguments: Any) -> None:
    """Prepare a process of a pool. Signals are for its parent, which would wait for the rest of a result for ever."""
    import threading  # noqa: PLC0415 - a small site starts no process

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if sys.platform != "win32":
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if function is not None:
        function(*arguments)


def _do_nothing() -> None:
    """What a pool has to be given before it starts."""


def _end_with_parent() -> None:
    import multiprocessing  # noqa: PLC0415 - as in `process_pool`

    if (parent := multiprocessing.parent_process()) is not None:
        parent.join()
        os._exit(1)


def _quota() -> float:
    for quota, period in _QUOTAS:
        with suppress(OSError, ValueError):
            texts = (Path(quota).read_text() + (f" {Path(period).read_text()}" if period else "")).split()
            given, of = float(texts[0]), float(texts[1])  # "max" is no number
            return given / of if given > 0 < of else math.inf
    return math.inf
