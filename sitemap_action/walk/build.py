"""A build as its host serves it: the answer for a URL, what is known without reading a file, and links to nothing."""

import os
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import cache
from html import unescape
from itertools import islice
from pathlib import Path
from typing import TypeAlias
from urllib.parse import unquote, urlsplit

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.decide.redirects import PageLookup, RedirectTable, follow_http, location_url
from sitemap_action.disk.folder import read_head
from sitemap_action.fetch.base import Answer, Request, Response, Skip
from sitemap_action.fetch.page_from_answer import BlockedResources
from sitemap_action.hosts.base import Host, HostResponse, ServedBuild, fallback_documents, is_key_file, why_unlisted
from sitemap_action.hosts.page_spellings import Spelling, StaticHost, encoded_path
from sitemap_action.html.directives import canonical_targets
from sitemap_action.html.document import OptionalFacts
from sitemap_action.model.finding import Place
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.page import DEFAULT_THRESHOLDS, Page, PageKind, ShellThresholds
from sitemap_action.model.site import Site
from sitemap_action.model.source import Hosting, RedirectRule
from sitemap_action.store.inventory import Inventory
from sitemap_action.web import urls
from sitemap_action.web.media import HTML_TYPES, media_type
from sitemap_action.web.patterns import Query
from sitemap_action.web.redirect_walk import ChainEnd
from sitemap_action.web.spellings import NO_RULES, SpellingRules

MAX_BODY = 64 * 1024 * 1024  # bytes; no search engine reads a larger page (HTML-49)
_MAX_DEPTH = 100  # directories above a path


# What a path may have escaped or not (RFC 3986 §3.3: sub-delims, ":" and "@"): no normal form takes the escape away,
# and a server that reads files answers both.
_ESCAPE = lazy_re(r"%(?:2[146-9A-C]|3[ABD]|40)")
_ESCAPABLE = frozenset("!$&'()*+,;=:@")


def has_other_escapes(path: str) -> bool:
    """Whether the address of a file, or a path of a URL, can be written in several ways."""
    return not _ESCAPABLE.isdisjoint(path) or ("%" in path and _ESCAPE.search(path) is not None)


def without_escapes(url: str) -> str:
    """The URL as it is where nothing in its path is escaped that need not be."""
    path, question, query = url.partition("?")
    return _ESCAPE.sub(lambda found: unquote(found[0]), path) + question + query if "%" in path else url


class Build(Struct, frozen=True):
    """All that a process needs to read any of its files."""

    root: str
    base: str  # site-url
    host: Host
    optional_facts: OptionalFacts
    query: Query = Query()
    spellings: SpellingRules = NO_RULES
    blocked_resources: BlockedResources = BlockedResources()
    clicks: bool = False  # are counted, from the start page to each page
    known_host: bool = True  # else the site says which addresses its pages have (HOST-01)
    unread: frozenset[str] = frozenset()  # paths that the walk left out, of a directory with a final slash
    promised: frozenset[str] = frozenset()  # URLs that the deployment adds: those of the sitemap
    thresholds: ShellThresholds = DEFAULT_THRESHOLDS
    renders: bool = False  # a browser will be asked for pages that scripts build

    def url(self, path: str) -> str:
        return urls.normalize(self.base + self.host.address(path)[1:])

    def fetcher(self) -> "BuildFetcher":
        return BuildFetcher(self.root, self.base, self.host)

    def may_have(self, url: str) -> bool:
        """Whether what was not read may have a URL that has no file."""
        path = unquote(url.partition("?")[0][len(self.base) :])
        if url in self.promised or any(part.startswith(".") for part in path.split("/")):
            return True
        return self._is_unread(path)

    def _is_unread(self, path: str) -> bool:
        """Whether the walk left out the path, or a directory above it."""
        if not self.unread:
            return False
        ends = [end for end, character in enumerate(path) if character == "/"][:_MAX_DEPTH]
        return path in self.unread or f"{path}/" in self.unread or any(path[: end + 1] in self.unread for end in ends)


_MAX_KNOWN = 30_000  # URLs that are resolved once, as many as the reader of links caches


class BuildFetcher:
    """Answers for every URL below `base` from the files below `root`, without waiting."""

    def __init__(self, root: str, base: str, host: Host) -> None:
        self._root = root
        self._prefix = len(base) - 1  # characters of a URL before its path within the build
        self._origin = urls.origin(base)
        self._site_path = base[len(self._origin) :]
        self._host = host
        self._known: dict[str, HostResponse] = {}  # by path within the build

    async def fetch(self, request: Request) -> Answer:
        return self.answer(request)

    def resolve(self, url: str) -> HostResponse:
        """The answer of the host, without opening a file."""
        path = url[self._prefix :].partition("?")[0]
        if (found := self._known.get(path)) is None:
            if len(self._known) >= _MAX_KNOWN:
                self._known.clear()
            found = self._host.answer(path)
            if self._site_path != "/":
                found = self._seen_from_outside(path, found)
            self._known[path] = found
        return found

    def _seen_from_outside(self, path: str, found: HostResponse) -> HostResponse:
        """Below a path: rules may have it before the paths that they compare, and targets as a visitor needs them.

        So a proxy in front may hand a site on without that path, or with it. A rule that leads back takes it away.
        """
        answer, whole = self._host.answer, self._site_path[:-1] + path
        none = found.fallback or (found.status == 404 and not found.evidence)
        if none and (ruled := answer(whole)).evidence and not ruled.file:
            found = found if ruled.location.removeprefix(self._origin) == whole else ruled
        to = self._site_path if f"{found.location}/" == self._site_path else found.location
        if to.startswith(self._site_path) and (not (there := answer(to.partition("?")[0])).file or there.fallback):
            return found._replace(location=self._origin + to)
        return found

    def answer(self, request: Request) -> Answer:
        found = self.resolve(request.url)
        if found.file:
            return self._read(request.url, found)
        if found.proxied:
            return Skip(request.url, f"{found.proxied} answers, which is not part of the build ({found.evidence})")
        # A location without scheme is a path below the deployment. As on every host, the query goes along.
        _, question, query = request.url.partition("?")
        more = question + query if found.location and "?" not in found.location else ""
        prefix = request.url[: self._prefix] if found.location.startswith("/") else ""
        target = prefix + found.location + more
        return Response(request.url, found.status, found.headers, target=target, evidence=found.evidence)

    def _read(self, url: str, found: HostResponse) -> Answer:
        path = found.file
        try:
            with open(f"{self._root}/{path}", "rb", buffering=0) as file:  # noqa: PTH123 - a Path per page costs more
                if os.fstat(file.fileno()).st_size > MAX_BODY:
                    return Skip(url, f"{path} is larger than {MAX_BODY >> 20} MiB", path)
                body = file.readall()
        except OSError as error:
            return Skip(url, f"cannot read {path}: {error.strerror or error}", path)
        # Of several types the last counts: one that the host states wins.
        headers = (("content-type", media_type(path)), *found.headers)
        return Response(url, found.status, headers, body, path=path, evidence=found.evidence)


class BuildRules:
    """What a build says of a page beside its document, and which pages are known without one."""

    def __init__(self, build: Build) -> None:
        self._build = build
        self.fetcher = build.fetcher()
        self._fallbacks = fallback_documents(build.host)

    def why_unlisted(self, page: Page, answer: Answer) -> str:
        """Why the file of a page is no page of the site, as text; "" where it may be one (HOST-04, HOST-09)."""
        if isinstance(answer, Response) and is_key_file(page.path, answer.body):
            return "IndexNow key file"
        facts = page.facts if page.path in self._fallbacks else None
        if facts is not None and facts.shell and (facts.needs_scripts or not facts.words):
            return "document of an application for paths without a file"
        return why_unlisted(page.path)

    def spellings(self, page: Page) -> list[str]:
        """The spellings of its URL that the config asks for."""
        if not self._build.spellings.any or page.unlisted:
            return []
        return list(self._build.spellings.spell(page.url, self._build.base, page.path))

    def page_without_file(self, url: str) -> Page | None:
        """The page at a URL that is not the address of a file; None where its answer has to be read.

        A URL with another query is another page, also where a static host serves the same file (URL-23).
        """
        if why := urls.why_unlistable(url):
            return Page(url, PageKind.FOREIGN, reason=why)
        found = self.fetcher.resolve(url)
        if found.fallback:
            why = f"no file for this URL; every such path answers with {found.file}"
            return Page(url, PageKind.GONE, status=404, reason=why, evidence=found.evidence)
        if found.file and found.status == 200:
            twin = self._build.url(found.file)
            # A rule may hide the file under its address; which escapes of it the site uses is known at the end.
            if "?" in url or self.escapes_address(url) or self.fetcher.resolve(twin).file != found.file:
                return None
            return Page(url, PageKind.PAGE, status=200, path=found.file, twin=twin, evidence=found.evidence)
        if 400 <= found.status < 500:
            why = "" if found.evidence else "no file for this URL (404)"
            return Page(url, PageKind.GONE, status=found.status, reason=why, evidence=found.evidence)
        return None

    def escapes_address(self, url: str) -> bool:
        """Whether a URL is the address of a file with other escapes in it, so that both are the page (V-37)."""
        plain = without_escapes(url)
        if plain == url or "?" in url:
            return False
        found = self.fetcher.resolve(url)
        is_file = found.status == 200 and found.file and not found.fallback
        return bool(is_file) and without_escapes(self._build.url(found.file)) == plain

    def counts_for(self, url: str, dead: Container[str]) -> str:
        """The URL that a link to this one counts for, query or not (HTML-68); "" where there is none."""
        build, found = self._build, self.fetcher.resolve(url)
        if found.file and found.status == 200:
            return "" if found.fallback else build.url(found.file)
        if found.location:
            return location_url(build.base, found.location)
        path, question, _ = url.partition("?")
        return path if question and path in dead else ""

    def redirects_to_http(self, url: str) -> bool:
        """HTML-44; other redirects that pages link to are no rows."""
        return self._build.base.startswith("https:") and self.fetcher.resolve(url).location.startswith("http:")


class DeadLinks:
    """Resolves each URL once, however many pages link to it."""

    def __init__(self, build: Build) -> None:
        self._build = build
        self._fetcher = build.fetcher()
        self._files = build.host.files if isinstance(build.host, StaticHost) else frozenset()  # no rule hides one
        self._known: set[str] = set()
        self._dead: set[str] = set()

    def find(self, links: Mapping[str, int], pages: Sequence[tuple[int, str]]) -> dict[str, str]:
        """Dead URL without its query → the first page that links to it.

        `links` in the order of the pages; `pages`: (how many URLs were known after its links, the page's URL).
        """
        if len(self._known) > _MAX_KNOWN:
            self._known, self._dead = set(), set()
        if not self._known.issuperset(links):
            self._resolve(links.keys() - self._known)
        if not self._dead or self._dead.isdisjoint(links):
            return {}
        found: dict[str, str] = {}
        ends = iter(pages)
        end, page_url = next(ends)
        for number, url in enumerate(links):
            while number >= end:
                end, page_url = next(ends)
            if url in self._dead:
                found.setdefault(url.partition("?")[0], page_url)
        return found

    def _resolve(self, urls: set[str]) -> None:
        start, files = len(self._build.base), self._files
        self._known |= urls
        for url in urls:
            path = url[start:]
            is_file = (path or "index.html") in files or (path[-1:] == "/" and f"{path}index.html" in files)
            if not is_file and is_dead(self._build, self._fetcher, url):
                self._dead.add(url)


def is_dead(build: Build, fetcher: BuildFetcher, url: str) -> bool:
    """Whether the host answers with 404 or another error, at once or where its redirects end, if they do."""
    pages = HostPages(build, fetcher)
    return why_no_answer(pages, pages.answer(url)) != ""


class HostPages:
    """What a host answers, as far as it is known without reading a file."""

    def __init__(self, build: Build, fetcher: BuildFetcher, code: tuple[str, ...] = ()) -> None:
        """`code`: paths below which code answers."""
        self._build, self._fetcher, self._code = build, fetcher, code

    def page(self, url: str, /) -> Page | None:
        """None for a redirect to what the deployment adds."""
        return None if url in self._build.promised else self.answer(url)

    def answer(self, url: str) -> Page:
        if not url.startswith(self._build.base):
            return Page(url, PageKind.FOREIGN)
        found = self._fetcher.resolve(url)
        if 400 <= found.status < 500 and not self._build.may_have(url):
            return Page(url, PageKind.GONE, status=found.status)
        if found.location:
            target = location_url(self._build.base, found.location)
            return Page(url, PageKind.REDIRECT, target=target, evidence=found.evidence)
        return Page(url, PageKind.PAGE if found.file else PageKind.UNDETERMINED, path=found.file)

    def why_dead(self, url: str) -> str:
        """Why nothing is served at a URL, as text; "" where something is, or where that is not known."""
        start = len(self._build.base) - 1
        if not url.startswith(self._build.base) or url[start:].startswith(self._code or ("\0",)):
            return ""
        page = self.answer(url)
        if why := why_no_answer(self, page):
            return why
        end = follow_http(self, page).arrival
        found = self._fetcher.resolve(end.url) if end is not None and end.url.startswith(self._build.base) else None
        return FALLBACK if found is not None and found.fallback and end is not None and names_file(end.url) else ""


FALLBACK = "no file is there, and the host answers every such path with an HTML page"


def why_no_answer(pages: PageLookup, page: Page) -> str:
    chain = follow_http(pages, page)
    if chain.end in (ChainEnd.LOOP, ChainEnd.TOO_LONG):
        return "its redirects never end"
    if chain.arrival is None or chain.arrival.kind is not PageKind.GONE:
        return ""
    answer = f"answers {chain.arrival.status or 404}"
    return f"redirects to {chain.arrival.url}, which {answer}" if chain.hops else answer


def names_file(url: str) -> bool:
    """Whether the path ends as that of a file which is no HTML page."""
    name = urlsplit(url).path.rpartition("/")[2]
    return "." in name and media_type(name) not in HTML_TYPES


_INDEX = "index.html"
Form: TypeAlias = tuple[bool, Spelling]
"""Whether a page is the index of a folder, and a spelling of it."""


def canonical_form(page: Page, base: str) -> Form | None:
    """How the canonical of a page spells its address; None where it names another page, and for the start page."""
    targets = canonical_targets(page.facts.head.canonicals) if page.facts is not None else ()
    if len(targets) != 1 or not page.path.endswith(".html") or page.path == _INDEX or page.unlisted:
        return None
    file = encoded_path(page.path)
    index = file.endswith(f"/{_INDEX}")
    stem = file.removesuffix(f"/{_INDEX}" if index else ".html")
    path = targets[0].removeprefix(base.removesuffix("/"))
    form = {stem: Spelling.BARE, f"{stem}/": Spelling.SLASH, file: Spelling.FILE}.get(path)
    return (index, form) if form else None


def judge_redirects(  # noqa: PLR0913, PLR0917 - the host, its build, and what is asked
    build: Build,
    served: ServedBuild,
    seeds: Iterable[str],
    files: Container[str],
    location: str,
    stubs: Sequence[Page] = (),
) -> Hosting:
    """The rules of the host, and those that seeds need; `files`: of the build, `location`: as the user wrote it.

    `stubs`: documents that redirect at once.
    """
    table = RedirectTable(served._replace(host=build.host), build.base, stubs if served.known else ())

    def name_file(rule: RedirectRule) -> RedirectRule:
        path, line = rule.place
        return replace(rule, place=Place(f"{location.rstrip('/')}/{path}", line)) if path in files else rule

    return Hosting(
        redirects=tuple(map(name_file, table.judge(HostPages(build, build.fetcher())))),
        needed={url: name_file(rule) for url, rule in table.find_needed(seeds).items()},
    )


def find_moved(build: Build, published: Iterable[str], is_page: Callable[[str], bool]) -> tuple[list[Page], list[str]]:
    """What the host answers for addresses of the ledger, without a row for each in the inventory.

    Addresses that a rule redirects at once and for good to the file of a page, and those that need an answer of their
    own; an address of such a file has a row. `is_page`: whether a file is read as a page.
    """
    moved, others = [], []
    resolve = build.fetcher().resolve

    @cache
    def is_listed(url: str) -> bool:
        found = resolve(url)
        is_file = found.status == 200 and found.file and not found.fallback and is_page(found.file)
        return bool(is_file) and build.url(found.file) == url

    for url in published:
        if "?" in url or has_other_escapes(url[len(build.base) :]):
            others.append(url)
            continue
        found = resolve(url)
        target = location_url(build.base, found.location)
        own = target.startswith(build.base)
        if own and found.evidence and found.status in {301, 308} and is_listed(target):
            moved.append(Page(url, PageKind.REDIRECT, found.status, target, evidence=found.evidence))
        elif not (found.file and is_listed(url)):
            others.append(url)
    return moved, others


_MOST_PAGES = 5_000  # whose files are searched
_MOST = 20  # as many as a report shows
MAX_READ = 2 * 2**20  # bytes of a page
_MAX_LINKS = 5_000  # of a page
_HREF = lazy_re(
    rb"""\bhref\s{0,9}=\s{0,9}(?:"([^"<>]{1,2100})"|'([^'<>]{1,2100})'|([^\s"'<>]{1,2100}))""", re.IGNORECASE
)


def link_places(inventory: Inventory, build: Build, dead: Mapping[str, str], location: str) -> dict[str, Place]:
    """URL → place, for the first dead links in order of URL; `location`: the folder as the user wrote it."""
    places = {}
    for url in sorted(dead)[:_MOST]:
        page = inventory.page(dead[url])
        if page is not None and page.facts is not None and page.path:
            places[url] = Place(f"{location.rstrip('/')}/{page.path}", _line(Path(build.root), page, url))
    return places


def links(body: bytes) -> Iterator[tuple[int, str]]:
    """(line, href) of what looks like a link."""
    line, end = 1, 0
    for found in islice(_HREF.finditer(body), _MAX_LINKS):
        line += body.count(b"\n", end, found.start())
        end = found.start()
        yield line, unescape(found[found.lastindex or 0].decode(errors="replace"))


def leads_to(url: str, base: str, href: str) -> bool:
    found = urls.resolve(base, href)
    return found is not None and found.partition("?")[0] == url


def first_link(site: Site, root: Path, location: str, url: str) -> tuple[str, Place]:
    """(URL of the page, file and line), in order of URL; "" where none is found. `location`: as the user wrote it."""
    pages = (page for page in site.pages() if page.facts is not None and page.path and page.url != url)
    name = url.rstrip("/").rpartition("/")[2].partition("?")[0].encode()
    needed = name if name.isalnum() else b""  # what no link to the URL can lack, unless it is percent-encoded
    for page in islice(pages, _MOST_PAGES):
        if line := _line(root, page, url, needed):
            return page.url, Place(f"{location.rstrip('/')}/{page.path}", line)
    return "", Place("")


def _line(root: Path, page: Page, url: str, needed: bytes = b"") -> int:
    """The line of the first link to a URL, 0 without one; a file without the `needed` bytes is not searched."""
    assert page.facts is not None  # noqa: S101 - of the pages chosen above
    try:
        body = read_head(root / page.path, MAX_READ)
    except OSError:
        return 0
    if needed not in body:
        return 0
    base = page.facts.base or page.url
    return next((line for line, href in links(body) if leads_to(url, base, href)), 0)
