"""The redirects of a site: every hop is judged as a URL before it is followed (HTML-41…43, DIFF-04, DIFF-05).

The look phase has stored every answer, and a redirect as an edge: of a build, of a served site and of a document that
refreshes itself alike. Here the target of each hop is put in the form that the config asks for, and a hop that may not
be fetched, or that is left out by choice, ends the chain: it is no way to a page.

The redirect rules of a host: which of them are never served, and what the others lead to (RT-01…RT-04). The host of a
build is asked for the path of each rule, as a visitor asks it. Another answer than that of the rule means that
something comes before it; from the rule's own answer on, its chain is walked over the answers of the host. A rule with
a placeholder has no one path: it is never served only where an earlier rule takes every path that it can match. A
document that redirects at once is a rule too, of which the path is the one of its file. Nothing is said where code, a
proxy, another site or a rule that is not read may answer.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple, Protocol
from urllib.parse import parse_qsl, urlsplit

from msgspec.structs import replace

from sitemap_action.config.schema import SelectConfig
from sitemap_action.hosts.base import HostResponse, PathPattern, Route, ServedBuild
from sitemap_action.hosts.routes import PathIndex, location
from sitemap_action.model.finding import Place
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.page import Page, PageKind
from sitemap_action.model.site import Site
from sitemap_action.model.source import RedirectRule, RuleFate
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


class PageLookup(Protocol):
    """What a chain is walked over: a site that was read, or a host that is asked for each URL."""

    def page(self, url: str, /) -> Page | None: ...


class RedirectChain(RedirectWalk[Page, Hop]):
    """The redirects of a page, none for a page without one, and where they end: walked once it is made."""

    def __init__(
        self,
        site: PageLookup,
        first: Page,
        find_hop: Callable[[Page], Hop | None],
        refuse: Callable[[str], bool] = lambda _: False,
    ) -> None:
        super().__init__(first, find_hop, MAX_HOPS, refuse)
        for hop in self:
            self.found = read_page(site, hop.target)
        self.page = self.found or read_page(site, self.url)  # the last URL, as far as it is known
        if self.page is None or (self.hops and self.page.kind is PageKind.FOREIGN):
            self.end = ChainEnd.UNKNOWN

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
    return RedirectChain(site, page, _http_hop)


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
        return RedirectChain(self._site, page, self.hop, lambda url: bool(self.refusal(url)))

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


# --- the rules of a host ---

_ANY_PATH = PathPattern()  # of a rule that is not read
_SPLAT = lazy_re(r"((?:[\w/-]|\\.)*)(\(\?:/\(\?P<splat>\.\*\)\)\?|\(\?P<splat>\.\*\)|\(?\.\*\)?)")
_SYNTAX = lazy_re(r"(?<!\\)[^\w/\\-]")
_REPEATED = "?*+{"  # what makes the character before it optional
_SLASHES = lazy_re("//+")


def location_url(base: str, target: str) -> str:
    """The URL of a redirect of a host; `target`: a path below the deployment, or an absolute URL."""
    return base + target[1:] if target.startswith("/") else target


class RedirectTable:
    """The rules of one build on its host; `base` is the address of the build."""

    def __init__(self, served: ServedBuild, base: str, stubs: Iterable[Page] = ()) -> None:
        """`stubs`: documents that redirect at once, as generators write them for old addresses: a rule each."""
        self._served, self._base = served, base
        self._stubs = {page.path: page for page in stubs}
        self._rows: dict[tuple[object, ...], list[Route]] = {}  # a host may need two patterns for a rule
        for rule in served.rules:
            self._rows.setdefault((rule.place, rule.source, rule.target, rule.status), []).append(rule)
        self._places = {rule.evidence for rule in served.rules}
        unclear = [rule for rule in served.rules if rule.unclear]
        self._unclear = PathIndex([rule.pattern for rule in unclear])
        self._unknown = served.elsewhere or next(
            (f"{rule.place}: {rule.unclear}" for rule in unclear if rule.pattern == _ANY_PATH), ""
        )

    def judge(self, answers: PageLookup) -> Iterator[RedirectRule]:
        """Every rule with its fate, in the order of the host, then stubs; `answers`: what it has for a URL."""
        covered, pages = self._find_covered(), _WithStubs(self._stubs, answers)
        for rows in self._rows.values():
            first = rows[0]
            row = RedirectRule(first.place, first.source or first.pattern.literal, first.target, first.status)
            if why := first.unserved or covered.get(first, ""):
                yield replace(row, fate=RuleFate.UNSERVED, detail=why)
            elif first.unclear:
                yield replace(row, fate=RuleFate.UNKNOWN, detail=first.unclear)
            elif first.pattern.literal and 300 <= first.status < 400:
                yield self._judge_redirect(row, rows, pages)
            else:
                yield row
        for stub in self._stubs.values():
            to = answers.page(stub.target)
            if to is None or to.path != stub.path:  # else it is a reload (HTML-42)
                yield self._judge_stub(stub, pages)

    def _judge_stub(self, stub: Page, pages: PageLookup) -> RedirectRule:
        path, chain = self._path(stub.url), follow_http(pages, stub)
        row = RedirectRule(Place(stub.path, 1), path, self._path(stub.target) or stub.target, stub.status)
        fate, detail = self._end(chain, path.__eq__)
        if fate is RuleFate.CHAIN and not any(hop.page.path or hop.page.evidence for hop in chain.hops[1:]):
            return row  # the host adds a slash to what the generator wrote
        if fate is not RuleFate.SERVED and (why := self._why_unknown(chain)):
            fate, detail = RuleFate.UNKNOWN, why
        return replace(row, fate=fate, detail=detail)

    def find_needed(self, urls: Iterable[str]) -> dict[str, RedirectRule]:
        """URL that the host has nothing for → the rule that is for it, and that is never served (RT-04)."""
        unserved = [rule for rule in self._served.rules if rule.unserved and rule.pattern != _ANY_PATH]
        index, found = PathIndex([rule.pattern for rule in unserved]), {}
        for url in urls if unserved else ():
            path = self._path(url)
            number = index.first(self._served.key(path)) if path else None
            answer = self._served.host.answer(path) if number is not None else None
            if number is not None and answer is not None and (answer.status == 404 or answer.fallback):
                rule = unserved[number]
                row = RedirectRule(rule.place, rule.source, rule.target, rule.status)
                found[url] = replace(row, fate=RuleFate.UNSERVED, detail=rule.unserved)
        return found

    def find_fault(self, url: str, target: str, answer: HostResponse, pages: PageLookup) -> str:
        """Why an answer does not redirect a URL to a page permanently and at once, as text; "" where it does."""
        if not answer.location:
            needed = self.find_needed([url]).get(url)
            shown = f"{answer.file} is served there" if answer.file and answer.status == 200 else "no rule takes it"
            return needed.detail if needed else shown
        chain = follow_http(pages, Page(url, PageKind.REDIRECT, target=location_url(self._base, answer.location)))
        if chain.arrival is None or chain.arrival.kind is not PageKind.PAGE or chain.url != target:
            return f"{answer.evidence or 'the host'} leads to {chain.url}"
        return "" if answer.status in {301, 308} else f"the host would answer {answer.status}, which is temporary"

    def _path(self, url: str) -> str:
        """The path that the host is asked for; "" for a URL of another site."""
        return f"/{url[len(self._base) :].partition('?')[0]}" if url.startswith(self._base) else ""

    def _find_covered(self) -> dict[Route, str]:
        """Rules with a placeholder, of which an earlier rule takes every path → which one."""
        found: dict[Route, str] = {}
        expressions: dict[str, Route] = {}
        prefixes: dict[str, Route] = {}
        for rule in self._served.rules:
            text = rule.pattern.expression
            if rule.unserved or rule.unclear or not text:
                continue
            earlier = expressions.get(text) or _find_prefix(prefixes, text)
            if earlier is not None and not rule.pattern.literal and 300 <= rule.status < 400:
                found[rule] = f"{earlier.place} takes every path of it"
            may_skip = 300 <= rule.status < 400 and rule.target.startswith(_literal_start(text))  # what leads to itself
            if not rule.pattern.excluded and not may_skip:
                expressions.setdefault(text, rule)
                if splat := _SPLAT.fullmatch(text):
                    prefixes.setdefault(f"{splat[1]}/" if splat[2].startswith("(?:/") else splat[1], rule)
        return found

    def _judge_redirect(self, row: RedirectRule, rows: list[Route], pages: PageLookup) -> RedirectRule:
        if urlsplit(self._base).path != "/":
            why = f"{self._base} is below a path, and whether the rules have it is not known"
            return replace(row, fate=RuleFate.UNKNOWN, detail=why)
        rule, answer = rows[0], self._served.host.answer
        paths = dict.fromkeys(path for one in rows for path in _request_paths(one.pattern.literal))
        start = next(((path, found) for path in paths if _is_answer_of(rule, found := answer(path))), None)
        if start is None:
            path = rule.source if rule.source in paths else next(iter(paths))
            why = self._why_unserved(rule, path, answer(path))
            return replace(row, fate=RuleFate.UNSERVED, detail=why) if why else row
        url, target = (location_url(self._base, one) for one in (start[0], start[1].location))
        chain = follow_http(pages, Page(url, PageKind.REDIRECT, target=target))
        fate, detail = self._end(chain, lambda path: path in paths and _is_answer_of(rule, answer(path)))
        if fate is RuleFate.SERVED:
            return row
        if why := self._why_unknown(chain):
            fate, detail = RuleFate.UNKNOWN, why
        return replace(row, fate=fate, detail=detail)

    def _why_unserved(self, rule: Route, path: str, answer: HostResponse) -> str:
        """Why the host answers the path of a rule otherwise, as text; "" where that leads to the same place."""
        if _leads_to_target(answer, rule):
            return ""
        if answer.evidence in self._places and answer.evidence != rule.evidence:
            return f"{answer.evidence} comes first"
        if answer.file:
            return f"{answer.file} is served in its place"
        if answer.location:
            return f"the host redirects {path} to {answer.location} before"
        return "" if answer.evidence == rule.evidence else "it leads back to its own path, and the host leaves it out"

    def _end(self, chain: RedirectChain, is_own: Callable[[str], bool]) -> tuple[RuleFate, str]:
        """`is_own`: whether the rule redirects a path."""
        urls = [hop.page.url for hop in chain.hops]
        if chain.end is ChainEnd.LOOP:
            loop = urls[urls.index(chain.url) :] if chain.url in urls else urls
            if any(map(is_own, map(self._path, loop))):
                return RuleFate.LOOP, f"comes back{_list_way(loop[1:])}"
            return RuleFate.DEAD_END, f"leads into a loop at {chain.url}"
        if chain.end is ChainEnd.TOO_LONG:
            return RuleFate.DEAD_END, f"leads to more than {len(urls) - 1} redirects, on to {chain.url}"
        if chain.arrival is not None and chain.arrival.kind is PageKind.GONE:
            return RuleFate.DEAD_END, f"leads to {chain.url}, which answers {chain.arrival.status}{_list_way(urls[1:])}"
        if chain.arrival is not None and chain.arrival.kind is PageKind.PAGE and len(urls) > 1:
            return RuleFate.CHAIN, f"takes {len(urls)} redirects to {chain.url}"
        return RuleFate.SERVED, ""

    def _why_unknown(self, chain: RedirectChain) -> str:
        """What may answer otherwise on the way of a chain, as text; "" for nothing."""
        for path in (self._path(hop.target) for hop in chain.hops):
            if path.startswith(self._served.code or ("\0",)):
                return f"code may answer {path}"
            if self._unclear.first(path) is not None or self._unclear.first(self._served.key(path)) is not None:
                return f"another rule may answer {path}"
        return self._unknown


class _WithStubs:
    """What a host answers, where a document that redirects counts as a redirect; `stubs` by their files."""

    def __init__(self, stubs: Mapping[str, Page], answers: PageLookup) -> None:
        self._stubs, self._answers = stubs, answers

    def page(self, url: str, /) -> Page | None:
        page = self._answers.page(url)
        return page if page is None or not page.path else self._stubs.get(page.path, page)


def _request_paths(literal: str) -> tuple[str, ...]:
    """The paths that a host may compare with this one: with or without a final slash, or the name of an index."""
    folder = literal.removesuffix("index.html")
    return literal, f"{literal.removesuffix('/')}/", folder, folder.removesuffix("/") or "/"


def _is_answer_of(rule: Route, answer: HostResponse) -> bool:
    """Several rules may be on one line."""
    return (answer.status, answer.evidence) == (rule.status, rule.evidence) and _leads_to_target(answer, rule)


def _leads_to_target(answer: HostResponse, rule: Route) -> bool:
    """A host may join the slashes of a target."""
    to = answer.location
    return to == rule.target or _SLASHES.sub("/", to) == _SLASHES.sub("/", location(rule.target))


def _find_prefix(prefixes: dict[str, Route], text: str) -> Route | None:
    for end in range(1, len(text)) if prefixes else ():
        if text[:end] in prefixes and text[end] not in _REPEATED:
            return prefixes[text[:end]]
    return None


def _literal_start(expression: str) -> str:
    return _SYNTAX.split(expression, 1)[0].replace("\\", "").rstrip("/") or "/"


def _list_way(urls: list[str]) -> str:
    return f", by {', '.join(urls)}" if urls else ""
