"""A site as a browser sees it: what its pages may load, and when the browser is asked (HTML-70).

In a crawl, whether a browser has to see a page is known once its facts are read (`LateRendering` in `crawl.py`). In a
build, after every file was read, shells (or all pages: `render.when: always`) are rendered, level by level, by a
browser whose every request the build answers under the rules of its host: there is no server and no port. Links of the
rendered documents that no file answers, and that the host's fallback does, are routes of the application: they are the
next level, beside URLs of the compared sitemaps. What the application shows for a route that does not exist is known
from a random one. Documents of a level are rendered side by side and stored in order, so that the same build gives the
same pages.
"""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.browser.pool import open_rendering
from sitemap_action.config.schema import Config, CrawlConfig, RenderConfig, RenderWhen
from sitemap_action.decide.redirects import ends_chain
from sitemap_action.fetch.base import (
    TOKEN,
    Answer,
    Fetcher,
    HttpOptions,
    Request,
    RequestKind,
    Response,
    Skip,
    why_not_run,
)
from sitemap_action.fetch.page_from_answer import page_of, pages_of, targets
from sitemap_action.fetch.policies import Web, open_web
from sitemap_action.html.document import ALL_OPTIONAL, HtmlDocument
from sitemap_action.model.observer import Screenshots
from sitemap_action.model.page import Page, PageKind
from sitemap_action.model.source import RenderUse, SourceResult
from sitemap_action.robots.groups import Profile, Robots, parse
from sitemap_action.store.inventory import Inventory, documents, shells
from sitemap_action.walk.build import MAX_BODY, Build, BuildRules
from sitemap_action.walk.reader import are_many_shells, random_name, scripted_links_reason
from sitemap_action.web.urls import normalize, origin


class ResourceRules(Struct):
    """What robots.txt lets scripts load: a search engine obeys it there too, and sees the page without the rest.

    A file that forbids the start page itself is policy of a preview's host, or not obeyed: else no page is rendered.
    """

    inner: Fetcher
    start: str
    reads: bool = False  # the site's own robots.txt is the one that counts, and a request of it comes by here
    rules: Robots | None = None

    async def fetch(self, request: Request) -> Answer:
        answer = await self.inner.fetch(request)
        if self.reads and request.kind is RequestKind.ROBOTS and isinstance(answer, Response) and answer.status == 200:
            self.rules = parse(answer.body, Profile.RFC)
        return answer

    def allows(self, url: str) -> bool:
        if self.rules is None or not url.startswith(f"{origin(self.start)}/"):
            return True
        return self.rules.verdict(TOKEN, url).allowed or not self.rules.verdict(TOKEN, self.start).allowed


@asynccontextmanager
async def open_site(
    config: Config, options: HttpOptions, robots: bytes | None, screenshots: Screenshots | None = None
) -> AsyncIterator[Web]:
    """`robots`: that of the repository, where it is the one that counts. Raises UsageError."""
    async with open_web(options) as web:
        if config.render.when is RenderWhen.NEVER:
            yield web
            return
        rules = ResourceRules(
            web.fetcher,
            normalize(config.source.url),
            config.crawl.robots == "auto",
            None if robots is None else parse(robots, Profile.RFC),
        )
        most, allowed = config.crawl.max_body, rules.allows
        async with open_rendering(config.render, rules, most, allowed=allowed, screenshots=screenshots) as rendering:
            later = config.render.when is RenderWhen.AUTO and rendering.browser is not None
            served, seen = (rules, rendering.render) if later else (None, None)
            yield replace(web, fetcher=rendering, rendered=rendering.use, served=served, seen=seen)


_AT_ONCE = 16  # documents that are read together; the browser has fewer pages
_SCRIPTS = {"js": "text/javascript", "mjs": "text/javascript", "wasm": "application/wasm"}


class BuildWeb:
    """Answers what a page of the build asks for, as its host would; of other hosts nothing."""

    def __init__(self, build: Build) -> None:
        self._base = build.base
        self._fetcher = build.fetcher()

    async def fetch(self, request: Request) -> Answer:
        if request.url.startswith(self._base):
            return _with_type(self._fetcher.answer(request))
        if request.url.startswith(f"{origin(self._base)}/"):
            return Response(request.url, 404)  # another deployment of the host (HOST-13)
        return Skip(request.url, "not part of the build")


def _with_type(answer: Answer) -> Answer:
    """Every host serves scripts as such; a browser runs a module of no other type."""
    if not isinstance(answer, Response) or any(name == "content-type" and value for name, value in answer.headers):
        return answer
    suffix = answer.path.rpartition(".")[2].lower()
    return answer._replace(
        headers=(*answer.headers, ("content-type", _SCRIPTS.get(suffix, "application/octet-stream")))
    )


def render_build(  # noqa: PLR0913 - what is rendered, and how far
    inventory: Inventory,
    build: Build,
    seeds: Iterable[str],
    *,
    options: RenderConfig,
    crawl: CrawlConfig,
    robots: bytes | None,
    result: SourceResult,
    screenshots: Screenshots | None = None,
) -> SourceResult:
    """The result with what was found. Raises UsageError where all is to be rendered, and there is no browser."""
    seeds, routes, use = tuple(seeds), _Routes(inventory, build, crawl, robots), None
    if options.when is not RenderWhen.NEVER:
        use = asyncio.run(routes.render(options, seeds, screenshots))
    why = partial(why_not_run, use=use, never=options.when is RenderWhen.NEVER)
    incomplete = [*routes.incomplete, *(use.incomplete if use else ()), *_unseen_shells(inventory, build, why)]
    inventory.add_pages(_undetermined_pages(inventory, build, seeds, why))
    return replace(
        result,
        probes=(*result.probes, *routes.probes),
        incomplete=(*result.incomplete, *incomplete),
        notes=(*result.notes, *(use.notes if use else ())),
        rendering=use,
    )


class _Routes:
    """Renders level by level; `probes` are what the application shows for routes that do not exist."""

    def __init__(self, inventory: Inventory, build: Build, crawl: CrawlConfig, robots: bytes | None) -> None:
        self.probes: list[Page] = []
        self.incomplete: list[str] = []
        self._inventory, self._build, self._crawl = inventory, build, crawl
        self._fetcher = build.fetcher()
        self._robots = parse(robots, Profile.RFC) if robots is not None and crawl.robots != "ignore" else None
        self._rules = BuildRules(build)
        self._ends = time.monotonic() + crawl.deadline
        self._known: set[str] = set()  # routes, rendered or queued
        self._probed: set[str] = set()  # files of fallbacks
        self._count = 0

    async def render(
        self, options: RenderConfig, seeds: Sequence[str], screenshots: Screenshots | None
    ) -> RenderUse | None:
        rules = ResourceRules(BuildWeb(self._build), self._build.base, rules=self._robots)
        async with open_rendering(
            options, rules, MAX_BODY, allowed=rules.allows, screenshots=screenshots
        ) as self._rendering:
            if self._rendering.browser is not None:
                every = options.when is RenderWhen.ALWAYS
                await self.follow(list(documents(self._inventory)) if every else shells(self._inventory), seeds)
            return self._rendering.use()

    async def follow(self, found: Sequence[Page], seeds: Iterable[str]) -> None:
        level = dict.fromkeys((page.url for page in found), "")
        linked = [url for url, _ in self._inventory.urls_without_page()]
        level |= {url: "" for url in (*seeds, *linked) if self._is_route(url)}
        self._known.update(level)
        while level:
            following: dict[str, str] = {}  # route → the first page that links to it
            urls = iter(sorted(level))
            while batch := list(islice(urls, _AT_ONCE)):
                if self._is_over(len(level) - len(batch)):
                    return
                for url, referrer in (await self._render(batch, level)).items():
                    following.setdefault(url, referrer)
            level = following

    def _is_over(self, left: int) -> bool:
        """Whether a limit ends it, which is then a reason of the result."""
        if self._count >= self._crawl.max_pages:
            why = f"{self._crawl.max_pages:,} rendered pages (crawl.max-pages); raise crawl.max-pages"
        elif time.monotonic() >= self._ends:
            why = f"{self._crawl.deadline:g} seconds (crawl.deadline); raise crawl.deadline"
        else:
            return False
        self.incomplete.append(f"stopped after {why}; {left:,} or more pages were found and not rendered")
        return True

    async def _render(self, urls: Sequence[str], referrers: dict[str, str]) -> dict[str, str]:
        """Stores the pages; returns new routes, each with the page that links to it."""
        for url in urls:
            await self._probe(url)
        self._count += len(urls)
        served = [self._fetcher.answer(Request(url)) for url in urls]
        seen = await asyncio.gather(*map(self._rendering.render, served))
        following: dict[str, str] = {}
        for before, answer in zip(served, seen, strict=True):
            if isinstance(answer, Response) and answer.rendered is not None:
                for link in self._store(before, answer, referrers[answer.url]):
                    following.setdefault(link, answer.url)
        return following

    def _store(self, before: Answer, answer: Response, referrer: str) -> list[str]:
        """The page with what was rendered; returns the routes that it links to and that are new."""
        (_, served), (page, document) = pages_of(
            [(before, answer.url, ALL_OPTIONAL), (answer, answer.url, ALL_OPTIONAL)]
        )
        old = self._inventory.page(answer.url)
        if page.kind is PageKind.UNDETERMINED:
            path, found_on = (old.path, old.found_on) if old is not None else ("", "")
            self._inventory.add_pages([page._replace(path=path, found_on=found_on or referrer)])
        if document is None or served is None or page.facts is None:
            return []
        if old is not None and old.kind is PageKind.PAGE and old.facts is not None and old.path:
            links = page.facts.links._replace(other_spellings=old.facts.links.other_spellings)
            facts = page.facts._replace(links=links, blocked_resources=old.facts.blocked_resources)
            page = old._replace(facts=facts)
        else:
            page = self._route(page, old.found_on if old is not None and old.found_on else referrer)
            served = None
        self._inventory.add_pages([page])
        if ends_chain(self._inventory, page):
            return []
        return list(self._links(page.url, served, document))

    def _route(self, page: Page, referrer: str) -> Page:
        """No file is this page: the application shows it, or nobody knows what it shows."""
        rendering = page.facts.rendering if page.facts is not None else None
        if rendering is not None and rendering.failure:
            why = f"only scripts make a page of it, and they could not be run ({rendering.failure})"
            return Page(page.url, PageKind.UNDETERMINED, status=200, reason=why, found_on=referrer)
        return page._replace(path="", found_on=referrer)

    def _links(self, url: str, served: HtmlDocument | None, document: HtmlDocument) -> Iterator[str]:
        """Counts the links that only the rendered document has, and answers those that are no route."""
        known = set(served.links) - served.nofollow if served is not None else set()
        links = [link for link in document.links if link not in known and link not in document.nofollow]
        counted: Counter[str] = Counter()
        for link in dict.fromkeys((*links, *targets(document.facts))):
            if not link.startswith(self._build.base) or link == url:
                continue
            is_link = link in links
            if self._is_route(link):
                counted[link] += is_link
                if link not in self._known:
                    self._known.add(link)
                    yield link
            elif end := self._rules.counts_for(link, ()):
                counted[end] += is_link
            elif self._inventory.page(link) is None:
                self._inventory.add_pages(
                    [
                        (
                            self._rules.page_without_file(link) or page_of(self._fetcher.answer(Request(link)))[0]
                        )._replace(found_on=url)
                    ]
                )
        self._inventory.add_indirect_links(sorted(counted.items()))

    def _is_route(self, url: str) -> bool:
        """Whether the host answers with the document that it has for every path."""
        found = self._fetcher.resolve(url)
        return found.fallback and found.status == 200

    async def _probe(self, url: str) -> None:
        """A random route beside this one, of each fallback: what the application shows for it is no page (HTML-46)."""
        file = self._fetcher.resolve(url).file
        if not self._is_route(url) or file in self._probed:
            return
        self._probed.add(file)
        directory = url.partition("?")[0].rpartition("/")[0]
        name = random_name(directory)
        probe = f"{directory}/{name}/{name}"
        answer = await self._rendering.render(self._fetcher.answer(Request(probe)), probe=True)
        ((page, _),) = pages_of([(answer, probe, ALL_OPTIONAL)])
        self.probes.append(page._replace(path=""))


def _unseen_shells(inventory: Inventory, build: Build, why: Callable[[Page], str]) -> Iterator[str]:
    """HTML-70: with a shell as start page, or with many, the routes of the application are not known."""
    left = [page for page in shells(inventory) if page.needs_scripts]
    fetcher = build.fetcher()
    beside = (f"{page.url.partition('?')[0].rpartition('/')[0]}/{random_name('')}" for page in left)
    if not any(fetcher.resolve(url).fallback for url in beside):
        return
    if build.base in {page.url for page in left} or are_many_shells(len(left), sum(1 for _ in documents(inventory))):
        yield scripted_links_reason(len(left), left[0].url, why(left[0]))


def _undetermined_pages(
    inventory: Inventory, build: Build, seeds: Iterable[str], why: Callable[[Page], str]
) -> Iterator[Page]:
    """Where the host answers a listed URL with a shell that no one has seen, it may be a page (V-07)."""
    fetcher, unseen = build.fetcher(), {page.path: page for page in shells(inventory) if page.needs_scripts}
    for url in seeds if unseen else ():
        page, found = inventory.page(url), fetcher.resolve(url)
        if page is not None and page.kind is PageKind.GONE and found.fallback and found.file in unseen:
            reason = f"answers with {found.file}, and only scripts make a page of it, {why(unseen[found.file])}"
            yield Page(url, PageKind.UNDETERMINED, status=200, reason=reason, evidence=page.evidence)
