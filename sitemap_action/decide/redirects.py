"""The redirects of a site: every hop is judged as a URL before it is followed (HTML-41…43, DIFF-04, DIFF-05).

The look phase has stored every answer, and a redirect as an edge: of a build, of a served site and of a document that
refreshes itself alike. Here the target of each hop is put in the form that the config asks for, and a hop that may not
be fetched, or that is left out by choice, ends the chain: it is no way to a page.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol
from urllib.parse import parse_qsl, urlsplit

from sitemap_action.config.schema import SelectConfig
from sitemap_action.model.page import Page, PageKind
from sitemap_action.model.site import Site
from sitemap_action.robots.groups import Robots
from sitemap_action.web.media import SKIP_CLASSES, SkipFilter
from sitemap_action.web.patterns import compile_patterns, filter_query
from sitemap_action.web.redirect_walk import ChainEnd, RedirectWalk
from sitemap_action.web.urls import resolve

MAX_HOPS = 10  # HTML-43
_MOST_FIELDS = 50  # of a query that are looked at


class Hop(NamedTuple):
    """One redirect; `page` is the URL that redirects."""

    page: Page
    target: str
    permanent: bool


class RedirectChain(NamedTuple):
    """The redirects of a page, none for a page without one, and where they end."""

    hops: tuple[Hop, ...]
    end: ChainEnd
    page: Page | None  # the last URL, as far as it is known

    @property
    def url(self) -> str:
        """Target of the last redirect."""
        return self.hops[-1].target

    @property
    def permanent(self) -> bool:
        return all(hop.permanent for hop in self.hops)

    @property
    def arrival(self) -> Page | None:
        """The page at the end; None where that is unknown, or there is no end."""
        return self.page if self.end is ChainEnd.ARRIVED else None


class PageLookup(Protocol):
    """What a chain is walked over: a site that was read, or a host that is asked for each URL."""

    def page(self, url: str, /) -> Page | None: ...


def walk_chain(
    site: PageLookup,
    first: Page,
    find_hop: Callable[[Page], Hop | None],
    refuse: Callable[[str], bool] = lambda _: False,
) -> RedirectChain:
    """`find_hop`: the redirect of a page, None for none; `refuse`: whether a URL may not be on the way."""
    walk = RedirectWalk(first, find_hop, MAX_HOPS, refuse)
    for hop in walk:
        walk.found = read_page(site, hop.target)
    page = walk.found or read_page(site, walk.hops[-1].target)
    unknown = page is None or (walk.hops and page.kind is PageKind.FOREIGN)
    return RedirectChain(tuple(walk.hops), ChainEnd.UNKNOWN if unknown else walk.end, page)


def read_page(site: PageLookup, url: str) -> Page | None:
    """The page at a URL; of two URLs for one file the one that was read."""
    page = site.page(url)
    if page is None or not page.twin:
        return page
    twin = site.page(page.twin)
    return page if twin is None or twin.twin else twin


def trace_back(site: PageLookup, page: Page) -> RedirectWalk[Page, Page]:
    """The redirects by which a redirect was found, backwards: the target of each hop is who redirects to it."""

    def find_before(at: Page) -> Page | None:
        before = site.page(at.found_on) if at.destination and at.found_on else None
        return at._replace(target=at.found_on) if before is not None and before.destination == at.url else None

    walk = RedirectWalk(page, find_before, MAX_HOPS)
    for back in walk:
        walk.found = site.page(back.target)
    return walk


def ends_chain(site: PageLookup, page: Page) -> bool:
    """Whether it is a redirect after so many that where it leads is not asked any more (HTML-43, G-07)."""
    return trace_back(site, page).end is ChainEnd.TOO_LONG


def landing_page(site: PageLookup, url: str) -> Page | None:
    """The page at a URL, or where its HTTP redirects end; None where that is unknown, or they never end."""
    page = site.page(url)
    return None if page is None else follow_http(site, page).arrival


def follow_http(site: PageLookup, page: Page) -> RedirectChain:
    """The HTTP redirects of a page, as a browser follows them: no hop is left out by choice."""
    return walk_chain(site, page, _http_hop)


def _http_hop(page: Page) -> Hop | None:
    return Hop(page, page.target, page.permanent) if page.kind is PageKind.REDIRECT else None


def _urls_in_query(url: str, base: str) -> set[str]:
    """The URLs that the values of a query are, as `/private` in `?next=/private`; paths as they are at `base`."""
    query = urlsplit(url).query
    fields = parse_qsl(query) if query.count("&") < _MOST_FIELDS else []
    return {resolve(base, value) or "" for _, value in fields if "/" in value or ":" in value}


class Redirects:
    """The redirects of a site under one config."""

    def __init__(self, site: Site, select: SelectConfig, robots: Robots | None) -> None:
        self._site = site
        self._agents, self._robots = select.agents, robots
        self._query, self._dropped = select.query.allow, select.drop_params
        self._exclude = compile_patterns(select.exclude)
        self._files = SkipFilter(SKIP_CLASSES, select.types)  # URLs that are no pages by their name

    def hop(self, page: Page) -> Hop | None:
        """The redirect of a page: an HTTP redirect, or a refresh of its document (HTML-41).

        A refresh to the same file is a reload, under any URL (HTML-42).
        """
        if page.kind is PageKind.REDIRECT:
            return Hop(page, self._normal_target(page.target, page.url), page.permanent)
        if page.facts is None or page.facts.refresh is None:
            return None
        refresh = page.facts.refresh
        target = self._normal_target(refresh.url, page.url)
        to = read_page(self._site, target)
        return None if to is not None and to.url == page.url else Hop(page, target, refresh.seconds == 0)

    def follow(self, page: Page) -> RedirectChain:
        """The chain of a page, each hop judged before it is followed."""
        return walk_chain(self._site, page, self.hop, lambda url: bool(self.refusal(url)))

    def is_inner_hop(self, page: Page) -> bool:
        """G-07: whether only an endless chain of redirects leads to it: the first URL of that has the one row."""
        if not (page.found_on and page.destination) or not (hops := trace_back(self._site, page).hops):
            return False
        before, start = self._site.page(hops[0].target), self._site.page(hops[-1].target)
        if before is None or start is None or page.inlinks > before.inlinks:  # a link to a redirect counts for each hop
            return False
        return self.follow(start).end is ChainEnd.TOO_LONG

    def find_wall(self, page: Page) -> Hop | None:
        """G-05: the redirect of a page to one that asks for a login first, and has its address to return to."""
        hop = self.hop(page)
        if hop is None or "?" not in hop.target or (page.kind is PageKind.REDIRECT and page.permanent):
            return None
        return hop if page.url in _urls_in_query(hop.target, page.url) else None

    def find_page_behind(self, page: Page) -> Page | None:
        """The page that redirects to this URL, whose query has its address: of a login that is shown in its place."""
        for url in _urls_in_query(page.url, page.url) if "?" in page.url else ():
            asked = self._site.page(url)
            hop = self.find_wall(asked) if asked is not None else None
            if hop is not None and hop.target == page.url:
                return asked
        return None

    def leads_back(self, target: Page, page: Page) -> bool:
        """Whether the redirects of a canonical's target end at the page that names it, as `/about` at `/about/`."""
        arrival = self.follow(read_page(self._site, target.url) or target).arrival
        return arrival is not None and arrival.url == page.url

    def refusal(self, url: str) -> str:
        """Why a URL may not be on the way to a page, as text; "" where it may."""
        return self.find_exclusion(url) or self.find_block(url) or self.find_skip_class(url)

    def find_exclusion(self, url: str) -> str:
        """The pattern of the config that excludes a URL, as text; "" for none."""
        pattern = self._exclude.match(url)
        return f"select.exclude has {pattern}" if pattern else ""

    def find_skip_class(self, url: str) -> str:
        """What a URL is by its name, where that is no page, as text; "" for a page."""
        kind = self._files.skip_class(url)
        return f"by its name it is one of {kind}, which select.types does not have" if kind else ""

    def find_block(self, url: str, name: str = "") -> str:
        """RB-30: the first agent that may not fetch the URL, with the line that blocks it; "" for none."""
        if self._robots is None:
            return ""
        found = self._robots.block(self._agents, url)
        return "" if found is None else found.sentence(name)

    def _normal_target(self, target: str, url: str) -> str:
        """The target without the parameters that make no page of their own (URL-24), unless it is the page itself."""
        path, question, query = target.partition("?")
        if not question or (self._query is None and not self._dropped):
            return target
        query = filter_query(query, self._query, self._dropped)
        normal = f"{path}?{query}" if query else path
        return target if normal == url else normal
