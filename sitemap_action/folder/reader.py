"""Files of a build become pages: in this process for a small site, in one process per core for a large one."""

from collections import Counter, deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from sitemap_action.fetch.base import Request, Response
from sitemap_action.fetch.page_from_answer import page_of, pages_of, targets
from sitemap_action.folder.cpu import pool_size, process_pool
from sitemap_action.folder.fetcher import FolderFetcher
from sitemap_action.folder.link_ends import DeadLinks, PageEnd
from sitemap_action.folder.served_build import Build
from sitemap_action.hosts.base import HostResponse, fallback_documents, is_key_file, unlisted
from sitemap_action.html.document import ALL_OPTIONAL, HtmlDocument
from sitemap_action.html.resolver import Resolver
from sitemap_action.html.shell_clauses import needs_scripts
from sitemap_action.html.soft404 import stub_key
from sitemap_action.model.packed import Packed, PackedDocument
from sitemap_action.model.page import Page, PageKind
from sitemap_action.store.codec import encode
from sitemap_action.web import unlistable
from sitemap_action.web.other_spellings import other_spellings

if TYPE_CHECKING:
    from concurrent.futures import Future

    from sitemap_action.folder.remembered import Memory

Remembered: TypeAlias = Callable[[Sequence[str]], Mapping[str, Packed]]

_POOL_FROM = 400  # pages; below this, starting processes costs more than they save
_AHEAD = 8  # batches that wait
_CHUNK = 100  # pages per task of a process
_IN_MEMORY = 8  # pages of a chunk that are read at a time


class PageBatch(Struct):
    """Result of reading some files."""

    records: list[tuple[str, str]]  # (URL, encoded page)
    links: Counter[str]  # followable links to URLs below site-url; each page counts once
    error_pages: list[str]  # encoded pages of 404.html (HTML-45)
    stubs: Counter[str]  # keys of short documents (HTML-71)
    targets: dict[str, str]  # URL of a canonical, refresh or alternate → the first page that has it
    dead: dict[str, str]  # URL of a link that leads nowhere, without its query → the first page that has it
    linked: list[tuple[str, list[str]]]  # (page, URLs that it links to), where clicks are counted
    documents: list[PackedDocument] = []  # what a shard has read


def read_all(build: Build, paths: Sequence[str], remembered: Remembered | None = None) -> Iterator[PageBatch]:
    """Batches in the order of `paths`, whichever process finishes first (NET-16).

    `remembered`: what shards have read of the pages at some URLs; None where this run is not one of several.
    """
    chunks = [paths[start : start + _CHUNK] for start in range(0, len(paths), _CHUNK)]
    known = (lambda _: None) if remembered is None else (lambda chunk: remembered([build.url(path) for path in chunk]))
    if len(paths) < _POOL_FROM or (processes := pool_size()) == 1:
        reader = _FileReader(build)
        for chunk in chunks:
            yield reader.batch(chunk, known(chunk))
        return
    with process_pool(processes, _set_reader, build) as pool:
        ahead: deque[Future[PageBatch]] = deque()  # few: batches that wait for this process would fill its memory
        for chunk in chunks:
            ahead.append(pool.submit(_read_in_process, chunk, known(chunk)))
            if len(ahead) > _AHEAD:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()


def page_at(build: Build, url: str) -> Page:
    """The page at a URL that is not the address of a file that was read; without a query its document is not parsed."""
    if why := unlistable.why_unlistable(url):
        return Page(url, PageKind.FOREIGN, reason=why)
    fetcher = build.fetcher()
    found = fetcher.resolve(url)
    if found.file and found.status == 200 and not found.fallback:
        twin = build.url(found.file)
        if "?" in url or fetcher.resolve(twin).file != found.file:  # a rule hides the file under its own address
            return _own_page(build, url)
        return Page(url, PageKind.PAGE, status=200, path=found.file, twin=twin, evidence=found.evidence)
    return _without_file(url, found, fetcher)


def _without_file(url: str, found: HostResponse, fetcher: FolderFetcher) -> Page:
    """A rule of the host answers, or nothing does; one document for every path proves no page (HTML-46)."""
    if found.fallback:
        why = f"no file for this URL; every such path answers with {found.file}"
        return Page(url, PageKind.GONE, status=404, reason=why, evidence=found.evidence)
    if 400 <= found.status < 500:
        why = "" if found.evidence else "no file for this URL (404)"
        return Page(url, PageKind.GONE, status=found.status, reason=why, evidence=found.evidence)
    page, _ = page_of(fetcher.answer(Request(url)))
    return page


def _own_page(build: Build, url: str) -> Page:
    """A URL with another query is another page, also where a static host serves the same file (URL-23)."""
    fetcher = build.fetcher()
    ((page, _),) = pages_of([(fetcher.answer(Request(url)), url, build.optional_facts)])
    return page._replace(unlisted=_unlisted(page, fallback_documents(build.host)))


def _unlisted(page: Page, fallbacks: Container[str]) -> str:
    """Why the file of a page is no page of the site, as text; "" where it may be one (HOST-04, HOST-09)."""
    facts = page.facts if page.path in fallbacks else None
    if facts is not None and facts.shell and (needs_scripts(facts) or not facts.words):
        return "document of an application for paths without a file"
    return unlisted(page.path)


class _FileReader:
    """Reads a few files at a time; resolved links are cached from page to page."""

    def __init__(self, build: Build) -> None:
        self._build = build
        self._fetcher = build.fetcher()
        self._fallbacks = fallback_documents(build.host)
        self._resolver = Resolver()
        self._spellings = other_spellings(build.base)
        self._dead = DeadLinks(build)
        self._ends: list[PageEnd] = []
        self._memory: Memory | None = None

    def batch(self, paths: Sequence[str], known: Mapping[str, Packed] | None = None) -> PageBatch:
        batch = PageBatch([], Counter(), [], Counter(), {}, {}, [])
        self._ends.clear()
        if known is not None:
            from sitemap_action.folder.remembered import Memory  # noqa: PLC0415 - few runs are one of several

            self._memory = Memory(known)
            batch.documents = self._memory.new
        for start in range(0, len(paths), _IN_MEMORY):
            self._read(paths[start : start + _IN_MEMORY], batch)
        batch.dead = self._dead.find(batch.links, self._ends)
        return batch

    def _read(self, paths: Sequence[str], batch: PageBatch) -> None:
        answers = [(path, self._fetcher.answer(Request(self._build.url(path)))) for path in paths]
        # Another file of the same address may be served instead of one of these.
        served = [
            (answer, answer.url, ALL_OPTIONAL if is_error_page(path) else self._build.optional_facts)
            for path, answer in answers
            if answer.path == path
        ]
        read_pages = pages_of if self._memory is None else self._memory.pages_of
        read = iter(read_pages(served, self._resolver, thresholds=self._build.thresholds))
        for path, answer in answers:
            if answer.path == path:
                page, document = next(read)
                if isinstance(answer, Response) and is_key_file(path, answer.body):
                    page = page._replace(unlisted="IndexNow key file")
                targets = self._add(page, document, batch)
            else:  # a rule of the host decides over this address, or another file has it
                targets = {answer.url: ""}
            for target, referrer in targets.items():
                batch.targets.setdefault(target, referrer)

    def _add(self, page: Page, document: HtmlDocument | None, batch: PageBatch) -> dict[str, str]:
        """Returns targets with their page."""
        url, base = page.url, self._build.base
        if why := page.unlisted or _unlisted(page, self._fallbacks):
            page = page._replace(unlisted=why)
        if document is not None and (others := self._spellings.count(document.links)):
            page = page._replace(facts=document.facts._replace(other_spellings=others))
        if page.facts is not None and document is not None and document.resources:
            page = page._replace(facts=self._build.blocked_resources.judged(page.facts, document.resources))
        batch.records.append((url, encode(page)))
        if page.facts is not None and not why and (stub := stub_key(page.facts)):
            batch.stubs[stub] += 1
        if is_error_page(page.path):
            batch.error_pages.append(encode(page._replace(kind=PageKind.GONE, status=404)))
        if document is None:
            return {}
        links: Iterable[str] = document.links
        if document.nofollow:
            links = [link for link in links if link not in document.nofollow]
        followed = [link for link in links if link.startswith(base) and link != url]
        batch.links.update(followed)
        if self._build.clicks:
            batch.linked.append((url, followed))
        self._ends.append(PageEnd(len(batch.links), url))
        return self._targets(page, document)

    def _targets(self, page: Page, document: HtmlDocument) -> dict[str, str]:
        """What needs an answer of its own: as written, as a verdict depends on it, as the config asks for the page.

        What only the config asks for is found on no page.
        """
        url, base = page.url, self._build.base
        named = [link for link in document.unlistable if unlistable.is_below(link, base)]
        named += [target for target in targets(document.facts) if target != url and target.startswith(base)]
        if not self._build.spellings.any or page.unlisted:
            return dict.fromkeys(named, url)
        return dict.fromkeys(self._build.spellings.spelled(url, base, page.path), "") | dict.fromkeys(named, url)


def is_error_page(path: str) -> bool:
    return path.rpartition("/")[2] == "404.html"


_reader: _FileReader | None = None  # of this worker process: the build is sent once, not with every chunk


def _set_reader(build: Build) -> None:
    global _reader  # noqa: PLW0603 - the only state that a pool initializer can set
    _reader = _FileReader(build)


def _read_in_process(paths: Sequence[str], known: Mapping[str, Packed] | None) -> PageBatch:
    assert _reader is not None  # noqa: S101 - the initializer has run
    return _reader.batch(paths, known)
