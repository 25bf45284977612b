"""The crawl itself: the same site gives the same pages, whatever the latencies, limits and interruptions."""

import asyncio
import random
import tempfile
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawls import HOME, Diary, Route, Seen, Table, at, crawl, document, empty, gate, leads, reader, seen
from sitemap_action.crawl.levels import CrawlLimits
from sitemap_action.fetch.base import Failure, Response, Skip, Want
from sitemap_action.inventory.frontier import Frontier
from sitemap_action.inventory.store import Inventory
from sitemap_action.model.observer import Event, EventKind, Progress


@pytest.fixture
def inventory(tmp_path: Path) -> Inventory:
    return empty(tmp_path)


# A site at random


@dataclass(frozen=True)
class Node:
    """One URL: what it answers, and where it leads."""

    kind: str
    links: tuple[int, ...]


@dataclass(frozen=True)
class Site:
    nodes: tuple[Node, ...]
    named: frozenset[int]
    seeds: frozenset[int]
    limits: CrawlLimits

    def routes(self) -> dict[str, Route]:
        return {path(number): _route(node) for number, node in enumerate(self.nodes)}


def path(number: int) -> str:
    return f"/{number:02}" if number else "/"


def _route(node: Node) -> Route:
    match node.kind:
        case "page":
            return document(*map(path, node.links))
        case "redirect":
            return leads(path(node.links[0]))
        case "file":
            return Response("", 200, (("content-type", "application/pdf"),))
        case "broken":
            return Skip("", "reset", failure=Failure.BROKEN)
        case status:
            return int(status)


KINDS = ("page", "page", "page", "page", "redirect", "file", "broken", "404", "403", "503")


@st.composite
def sites(draw: st.DrawFn) -> Site:
    size = draw(st.integers(1, 14))
    numbers = st.integers(0, size)  # one beyond: a link to nothing
    links = st.lists(numbers, min_size=1, max_size=5).map(tuple)
    first = Node("page", draw(links))
    others = [Node(draw(st.sampled_from(KINDS)), draw(links)) for _ in range(size - 1)]
    some = st.frozensets(numbers, max_size=3)
    limits = CrawlLimits(draw(st.integers(1, size + 1)), draw(st.integers(0, size)), draw(st.integers(1, 5)))
    return Site((first, *others), draw(some), draw(some), limits)


class Reference:
    """The same crawl, one URL after the other, with nothing but a dict and a loop."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.known: dict[int, tuple[int, str]] = dict.fromkeys(site.seeds, (1, "the site's sitemap"))
        self.known[0] = (0, "")
        self.fetched: list[int] = []
        self.inlinks: dict[int, int] = {}
        self.spent = 0
        self.credit: dict[int, int] = {}

    def run(self) -> "Reference":
        depth: int | None = 0
        while depth is not None:
            self._level(depth)
            depth = min((place[0] for place in self.known.values() if place[0] > depth), default=None)
            if depth is None and (rest := self.site.named - self.known.keys()):
                depth = max(place[0] for place in self.known.values()) + 1
                self.known |= dict.fromkeys(rest, (depth, ""))
        for number in [number for number in self.fetched if self.kind(number) == "redirect"]:
            self._credit(number)
        self.inlinks = {number: self.inlinks.get(number, 0) + self.credit.get(number, 0) for number in self.fetched}
        return self

    def kind(self, number: int) -> str:
        return self.site.nodes[number].kind if number < len(self.site.nodes) else "404"

    def _level(self, depth: int) -> None:
        limits, found = self.site.limits, dict[int, str]()
        for number in sorted(number for number, place in self.known.items() if place[0] == depth):
            named = number in self.site.named
            if not named and (depth > limits.depth or self.spent >= limits.pages):
                continue
            self.fetched.append(number)
            if self.kind(number) == "page":
                self.spent += not named
            for link in self._links(number):
                found[link] = min(found.get(link, "~"), at(path(number)))
        for number, by in found.items():
            at_depth, before = self.known.get(number, (depth + 1, "~"))
            if at_depth == depth + 1:
                self.known[number] = (at_depth, min(by, before))

    def _links(self, number: int) -> set[int]:
        kind = self.kind(number)
        if kind not in ("page", "redirect"):
            return set()
        links = set(self.site.nodes[number].links[: None if kind == "page" else 1]) - {number}
        if kind == "page":
            self.inlinks |= {link: self.inlinks.get(link, 0) + 1 for link in links}
        return links

    def _credit(self, number: int) -> None:
        """HTML-68: a link to a redirect is a link to each place that it leads to."""
        links = self.inlinks.get(number, 0)
        for _ in range(10):
            if number not in self.fetched or self.kind(number) != "redirect":
                return
            number = self.site.nodes[number].links[0]
            self.credit[number] = self.credit.get(number, 0) + links


KIND = {"page": "page", "redirect": "redirect", "file": "file", "404": "gone"}
STATUS = {"page": 200, "redirect": 301, "file": 200, "broken": 0}


def expected(site: Site) -> Seen:
    reference = Reference(site).run()
    return {
        path(number): (
            KIND.get(kind := reference.kind(number), "undetermined"),
            STATUS.get(kind) if kind in STATUS else int(kind),
            *reference.known[number],
            reference.inlinks[number],
        )
        for number in reference.fetched
    }


def run(
    site: Site, inventory: Inventory, seed: int | None = None, *, turns: int | None = None, **more: object
) -> Table:
    web = Table(site.routes(), seed=seed)
    more |= {"named": map(path, site.named), "seeds": map(path, site.seeds), "limits": site.limits}
    crawl(web, inventory, turns=turns, **more)
    return web


def without_a_firewall(site: Site) -> Site:
    """Three named 403 in a row end a crawl, which is another story."""
    nodes = (replace(node, kind="401") if node.kind == "403" else node for node in site.nodes)
    return replace(site, nodes=tuple(nodes))


@given(sites().map(without_a_firewall), st.integers(0, 1_000))
@settings(max_examples=80)
def test_NET_16_a_crawl_is_what_one_url_after_the_other_would_be(site: Site, seed: int) -> None:
    """NET-09: the page limit cuts the sorted level, so what is asked for is the shortest beginning that fills it."""
    with tempfile.TemporaryDirectory() as folder, closing(empty(Path(folder))) as inventory:
        web = run(site, inventory, seed)
        Frontier(inventory).finish()
        assert seen(inventory) == expected(site)
        assert sorted(web.asked) == sorted(map(path, Reference(site).run().fetched))  # each once, nothing beyond


@given(sites().map(without_a_firewall), st.integers(0, 1_000), st.lists(st.integers(0, 60), min_size=1, max_size=3))
@settings(max_examples=80)
def test_an_interrupted_crawl_that_goes_on_ends_like_one_that_was_not(
    site: Site, seed: int, interruptions: list[int]
) -> None:
    """Decision 2: cancelled at any moment, with or without storing what it had, at any pace of storing."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder, closing(empty(Path(folder), lasting=True)) as inventory:
        for turns in interruptions:
            run(site, inventory, chance.randrange(99), turns=turns, stored=chance.random() < 0.5, step=chance.random())
        run(site, inventory, seed)
        Frontier(inventory).finish()
        assert seen(inventory) == expected(site)


@given(sites(), st.integers(0, 1_000), st.integers(0, 1_000))
@settings(max_examples=30)
def test_HTML_40_whether_a_site_refuses_us_does_not_depend_on_latencies(site: Site, one: int, other: int) -> None:
    blocked = []
    for seed in (one, other):
        with tempfile.TemporaryDirectory() as folder, closing(empty(Path(folder))) as inventory:
            web = Table(site.routes(), seed=seed)
            named, seeds = map(path, site.named), map(path, site.seeds)
            blocked.append(crawl(web, inventory, named=named, seeds=seeds, limits=site.limits).blocked)
    assert blocked[0] == blocked[1]


def big(pages: int) -> dict[str, Route]:
    """A site of many links, of which some lead to a redirect, to nothing, or to another kind of file."""
    chance = random.Random(7)
    routes: dict[str, Route] = {}
    for number in range(pages):
        links = [path(chance.randrange(pages)) for _ in range(6)]
        odd: tuple[Route, ...] = (
            leads(links[0]),
            404,
            Skip("", "reset"),
            Response("", 200, (("content-type", "a/b"),)),
        )
        routes[path(number)] = odd[number % 40 // 10] if number % 10 == 9 else document(*links)
    return routes


def test_NET_16_five_runs_with_other_latencies_at_a_page_limit_are_one(tmp_path: Path) -> None:
    found, asked = [], []
    for seed in range(5):
        with closing(empty(tmp_path, str(seed))) as inventory:
            web = Table(big(300), seed=seed)
            done = crawl(web, inventory, named=["/250", "/251"], limits=CrawlLimits(100, 100, 8), step=0.2)
            found.append((seen(inventory), done.full, done.frontier.left(), done.frontier.asides()))
            asked.append(sorted(web.asked))
    assert [one == found[0] for one in found] == [True] * 5
    assert [one == asked[0] for one in asked] == [True] * 5
    kinds = [kind for kind, *_ in found[0][0].values()]
    assert (kinds.count("page"), found[0][1]) == (102, True)  # the two named ones do not count (NET-09)


def test_what_was_stored_is_not_asked_for_again(inventory: Inventory) -> None:
    first = Table(big(120), seed=1)
    crawl(first, inventory, turns=200)
    second = Table(big(120), seed=2)
    crawl(second, inventory)
    assert first.asked
    assert second.asked
    both = set(first.asked) & set(second.asked)
    assert len(both) <= 4  # what was under way


# Limits, by table

CHAIN: dict[str, Route] = {
    "/": document("/a", "/d"),
    "/a": document("/b"),
    "/b": document("/c"),
    "/c": document(),
    "/d": 404,
}
LIMITS = [
    # id, limits, named, asked, left
    ("no limit is met", CrawlLimits(9, 9, 2), [], ["/", "/a", "/b", "/c", "/d"], 0),
    ("NET-09 max-pages", CrawlLimits(2, 9, 2), [], ["/", "/a"], 2),
    ("NET-09 what is no page does not count", CrawlLimits(3, 9, 2), [], ["/", "/a", "/b", "/d"], 1),
    ("NET-09 the start page alone", CrawlLimits(1, 9, 2), [], ["/"], 2),
    ("NET-09 max-depth", CrawlLimits(9, 1, 2), [], ["/", "/a", "/d"], 1),
    ("NET-09 max-depth 0", CrawlLimits(9, 0, 2), [], ["/"], 2),
    ("a named page gets its answer beyond the page limit", CrawlLimits(1, 9, 2), ["/c"], ["/", "/c"], 2),
    ("a named page gets its answer beyond the depth", CrawlLimits(9, 1, 2), ["/c"], ["/", "/a", "/c", "/d"], 1),
    ("a named page does not count", CrawlLimits(2, 9, 2), ["/a"], ["/", "/a", "/b", "/d"], 1),
    ("and what it leads to is followed in its turn", CrawlLimits(9, 9, 2), ["/x"], ["/", "/a", "/b", "/c", "/d", "/x", "/y"], 0),
]  # fmt: skip


@pytest.mark.parametrize(("limits", "named", "asked", "left"), [pytest.param(*row[1:], id=row[0]) for row in LIMITS])
def test_limits(inventory: Inventory, limits: CrawlLimits, named: list[str], asked: list[str], left: int) -> None:
    web = Table({**CHAIN, "/x": document("/y"), "/y": document()})
    done = crawl(web, inventory, named=named, limits=limits)
    assert sorted(web.asked) == asked
    assert done.frontier.left() == left
    assert done.frontier.unanswered() == []


def test_a_named_page_that_nothing_links_is_looked_at_last(inventory: Inventory) -> None:
    """Its links are one click further than the last page, and nothing but links count (HTML-66, HTML-68)."""
    web = Table({"/": document("/a"), "/a": document(), "/orphan": document("/new"), "/new": document()})
    crawl(web, inventory, named=["/orphan"])
    assert web.asked == ["/", "/a", "/orphan", "/new"]
    assert seen(inventory)["/orphan"] == ("page", 200, 2, "", 0)
    assert seen(inventory)["/new"] == ("page", 200, 3, at("/orphan"), 1)


# What is not asked for

ROBOTS = "User-agent: *\nDisallow: /all\n\nUser-agent: sitemap-action\nDisallow: /private/\n"
BARRED = [
    # id, path that is linked, named, kind and reason of its page ("" for none), words about what was left aside
    ("crawl.skip", "/a.PNG", False, "", "crawl.skip has media"),
    ("crawl.skip and a page that a sitemap names", "/a.png", True, "asked", ""),
    ("select.exclude also stops fetching", "/tag/x", False, "", "select.exclude has /tag/**"),
    ("select.exclude of a named page", "/tag/x", True, "undetermined: not asked for", ""),
    ("NET-02 robots.txt for our token", "/private/x", False, "undetermined: robots.txt line 5 keeps sitemap-action out: Disallow: /private/", ""),
    ("NET-02 of a named page", "/private/x", True, "undetermined: robots.txt line 5 keeps sitemap-action out: Disallow: /private/", ""),
    ("NET-02 our own group stands in the place of everybody's", "/all", False, "asked", ""),
    ("URL-33 a trap", "/a/b/a/b/a/b", False, "", "no end in sight: paths with /a/ 3 times"),
    ("URL-33 a trap, but a sitemap names it", "/a/b/a/b/a/b", True, "asked", ""),
    ("URL-28 another site", "https://other.example/", False, "", ""),
    ("URL-28 another port", "https://www.example.com:8443/", False, "", ""),
    ("URL-28 http", "http://www.example.com/a", False, "", ""),
    ("HTML-63 no page", "mailto:a@b.c", False, "", ""),
]  # fmt: skip


@pytest.mark.parametrize(("link", "named", "page", "aside"), [pytest.param(*row[1:], id=row[0]) for row in BARRED])
def test_nothing_is_requested_that_is_kept_out(
    inventory: Inventory, link: str, named: bool, page: str, aside: str
) -> None:
    web = Table({"/": document(link), link: document()})
    at_gate = gate(skip=("media", "assets"), exclude=("/tag/**",), robots=ROBOTS)
    diary = Diary()
    done = crawl(web, inventory, named=[link] if named else [], at_gate=at_gate, observer=diary)
    assert web.asked == (["/", link] if page == "asked" else ["/"])
    found = inventory.page(at(link))
    if page.startswith("undetermined"):
        assert found is not None
        assert f"{found.kind}: {found.reason}" == page
    else:
        assert (found is not None) == (page == "asked")
    assert done.frontier.asides() == ([(aside, 1, at(link))] if aside else [])
    told = [event.reason for event in diary.events if event.what is EventKind.SKIPPED]
    assert len(told) == diary.last.skipped or len(told) == 1
    assert bool(told) == bool(aside or page.startswith("undetermined"))


def test_URL_33_a_calendar_ends_and_is_said(tmp_path: Path) -> None:
    """Each month links the next: without the guard it would end at max-pages, or never."""
    months = [f"/events/{year}-{month:02}" for year in range(2000, 2030) for month in range(1, 13)]
    routes: dict[str, Route] = {"/": document(*months[:3], "/about")}
    routes |= {one: document(after) for one, after in pairwise(months)}
    found = []
    for seed in (1, 2):
        with closing(empty(tmp_path, str(seed))) as inventory:
            done = crawl(Table(routes, seed=seed), inventory, limits=CrawlLimits(5_000, 1_000, 8), named=[months[-1]])
            found.append((seen(inventory), done.frontier.asides()))
    assert found[0] == found[1]
    pages, asides = found[0]
    assert len([one for one in pages if one.startswith("/events/")]) == 200 + 1  # and the one that a sitemap names
    assert [(reason, count) for reason, count, _ in asides] == [
        ("no end in sight: https://www.example.com/events/<date>, more than 200 of them", 1)
    ]


def test_URL_33_a_run_that_goes_on_knows_what_it_has_counted(tmp_path: Path) -> None:
    routes: dict[str, Route] = {"/": document(*(f"/a?b={number}" for number in range(230)))}
    found = []
    for name, turns in (("whole", None), ("interrupted", 300)):
        with closing(empty(tmp_path, name, lasting=True)) as inventory:
            if turns is not None:
                crawl(Table(routes, seed=1), inventory, turns=turns)
            done = crawl(Table(routes, seed=2), inventory)
            found.append((seen(inventory), done.frontier.asides()))
    assert found[0] == found[1]
    assert found[0][1][0][1] == 30


# A site that refuses us

FORBIDDEN = [
    # id, statuses of named pages in order of their URLs, whether it gives up
    ("HTML-40 three in a row", [403, 403, 403, 200], True),
    ("HTML-40 two are no firewall", [403, 403, 200, 403], False),
    ("HTML-40 401 says less", [401, 401, 401, 401], False),
    ("HTML-40 later", [200, 404, 403, 403, 403], True),
]


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(("statuses", "blocked"), [pytest.param(*row[1:], id=row[0]) for row in FORBIDDEN])
def test_three_403_on_listed_pages_stop_the_crawl(
    inventory: Inventory, statuses: Sequence[int], blocked: bool, seed: int
) -> None:
    """HTML-40, ENV-05, and NET-16: in the order in which they were asked for, not the one in which they arrived."""
    listed: dict[str, Route] = {f"/n{number}": status for number, status in enumerate(statuses)}
    web = Table(
        {"/": document(*listed, "/z"), "/z": document(*(f"/z/{number}" for number in range(99))), **listed}, seed=seed
    )
    done = crawl(web, inventory, named=listed)
    assert bool(done.blocked) == blocked
    if blocked:
        last = statuses.index(403) + 2
        assert (
            done.blocked
            == f"3 pages that the sitemap lists answered 403 one after the other, the last {at(f'/n{last}')}"
        )
        assert len(web.asked) < 20
    else:
        assert f"/z/{98}" in web.asked


def test_403_on_pages_that_no_sitemap_lists_says_nothing(inventory: Inventory) -> None:
    web = Table({"/": document(*(f"/{number}" for number in range(9))), **{f"/{number}": 403 for number in range(9)}})
    assert crawl(web, inventory).blocked == ""
    assert len(web.asked) == 10


def test_when_it_gives_up_nobody_waits_for_ever(inventory: Inventory) -> None:
    """LevelScheduler that were waiting for the page limit end too, and what they were given is not lost."""
    slow: dict[str, Route] = {f"/s{number}": document() for number in range(9)}
    web = Table({"/": document("/n0", "/n1", "/n2", *slow), "/n0": 403, "/n1": 403, "/n2": 403, **slow}, seed=3)
    done = crawl(web, inventory, named=["/n0", "/n1", "/n2"], limits=CrawlLimits(2, 9, 6))
    assert done.blocked
    assert done.frontier.left() == 13 - len(web.asked)


# What is watched


def test_progress_counts_everything_once(inventory: Inventory) -> None:
    diary = Diary()
    web = Table({"/": document("/a", "/b", "/c.png", "/d"), "/a": document(), "/b": 404, "/d": 503})
    crawl(web, inventory, at_gate=gate(skip=("media",)), observer=diary)
    last = diary.last
    assert (last.done, last.queued, last.skipped, last.errors) == (4, 0, 1, 1)


def test_events_tell_what_happens_as_it_happens(inventory: Inventory) -> None:
    diary = Diary()
    crawl(Table({"/": document("/a", "/b.png"), "/a": 503}), inventory, at_gate=gate(skip=("media",)), observer=diary)
    told = [(event.what.value, event.url, event.status, event.found_on, event.depth) for event in diary.events]
    assert told == [
        ("found", HOME, 0, "", 0),
        ("fetched", HOME, 200, "", 0),
        ("found", at("/a"), 0, HOME, 1),
        ("skipped", at("/b.png"), 0, HOME, 1),
        ("fetched", at("/a"), 503, HOME, 1),
    ]
    assert [event.reason for event in diary.events[-2:]] == ["crawl.skip has media", "answered 503"]


def test_what_is_kept_out_by_the_thousand_is_stored_on_the_way(inventory: Inventory) -> None:
    """Memory stays flat: a level that robots.txt forbids is no list of pages in memory."""

    class Counting(Diary):
        stored = 0

        def event(self, event: Event) -> None:
            if event.url == at("/private/7499"):
                self.stored = sum(1 for _ in inventory.pages())

    links = [f"/private/{number}" for number in range(1_000, 7_500)]
    diary = Counting()
    web = Table({"/": document(*links)})
    crawl(web, inventory, at_gate=gate(robots=ROBOTS), observer=diary)
    assert web.asked == ["/"]
    assert diary.stored > 4_900
    assert sum(1 for _ in inventory.pages()) == 6_501


def test_requests_are_under_way_while_answers_are_read_but_few_wait_to_be(inventory: Inventory) -> None:
    """Though this server answers at once: what has arrived and is not read yet takes memory."""
    diary, limits = Diary(), CrawlLimits(1000, 10, 3)
    web = Table({"/": document(*(f"/{number}" for number in range(100)))}, otherwise=document())
    crawl(web, inventory, observer=diary, limits=limits)
    unread = list(accumulate({EventKind.FOUND: 1, EventKind.FETCHED: -1}[event.what] for event in diary.events))
    assert unread[-1] == 0
    assert 2 * limits.concurrency <= max(unread) <= 4 * limits.concurrency


def test_a_reader_that_breaks_ends_the_crawl(inventory: Inventory) -> None:
    class Broken(Diary):
        def progress(self, _now: Progress) -> None:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        crawl(Table({"/": document("/a", "/b")}), inventory, observer=Broken())


def test_a_fetcher_that_breaks_ends_the_crawl(inventory: Inventory) -> None:
    """Failures are values; an exception is a bug, which is told and not waited for."""

    class Broken(Table):
        async def fetch(self, request: object) -> Response:
            await asyncio.sleep(0)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        crawl(Broken({}), inventory)


DEEP: dict[str, Route] = {
    "/": document("/a/1", "/b/1", "/img/x.png"),
    "/a/1": document("/a/2", "/c/1"),
    "/c/1": document("/d/1"),
    "/z/1": document(),
}


def _of_probes(web: Table) -> list[str]:
    return [request.url[len(HOME) :] for request in web.requests if request.want is Want.PROBE]


def test_HTML_46_a_directory_is_probed_before_its_pages_are_read(inventory: Inventory) -> None:
    web = Table(DEEP)
    crawl(web, inventory, at_gate=gate(skip=("media",)), named=["/z/1"], probing=True, limits=CrawlLimits(99, 2, 2))
    asked = [path[: path.index("/") + 1] if "/" in path else path for path in (url[1:] for url in web.asked)]
    kinds = ["probe" if request.want is Want.PROBE else "page" for request in web.requests]
    assert list(zip(asked, kinds, strict=True)) == [
        ("", "page"),
        *[("a/", "probe"), ("b/", "probe"), ("a/", "page"), ("b/", "page")],
        *[("c/", "probe"), ("a/", "page"), ("c/", "page")],
        *[("z/", "probe"), ("z/", "page")],  # /d/ is too deep, and only named pages are asked for there
    ]


def test_HTML_46_a_run_that_goes_on_probes_where_the_one_before_it_did(tmp_path: Path) -> None:
    with closing(empty(tmp_path, "whole")) as inventory:
        whole = Table(DEEP)
        crawl(whole, inventory, probing=True)
    for turns in range(4, 40, 5):
        with closing(empty(tmp_path, str(turns), lasting=True)) as inventory:
            crawl(Table(DEEP), inventory, probing=True, turns=turns)
            again = Table(DEEP)
            crawl(again, inventory, probing=True)
        assert _of_probes(again) == _of_probes(whole)


def test_nofollow_links_are_followed_only_when_asked(tmp_path: Path) -> None:  # HTML-65
    routes: dict[str, Route] = {"/": '<a rel="nofollow" href="/a">', "/a": document()}
    for name, nofollow, asked in (("no", False, ["/"]), ("yes", True, ["/", "/a"])):
        with closing(empty(tmp_path, name)) as inventory:
            web = Table(routes)
            crawl(web, inventory, reads=reader(nofollow=nofollow))
            assert web.asked == asked
