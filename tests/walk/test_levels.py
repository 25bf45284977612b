"""The crawl: the same site gives the same pages, whatever the latencies, limits and interruptions."""

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

from crawls import (
    HOME,
    FakeWeb,
    Recorder,
    Route,
    Snapshot,
    at,
    crawl,
    document,
    make_filter,
    make_reader,
    new_inventory,
    redirect_to,
    snapshot,
)
from examples import share
from sitemap_action.fetch.base import Answer, Failure, Request, RequestKind, Response, Skip
from sitemap_action.model.observer import Event, EventKind, Progress
from sitemap_action.model.page import Page, PageKind
from sitemap_action.store.codec import Visit
from sitemap_action.store.frontier import Frontier
from sitemap_action.store.inventory import Inventory
from sitemap_action.walk.crawl import CrawlLimits


@pytest.fixture
def inventory(tmp_path: Path) -> Inventory:
    return new_inventory(tmp_path)


# Random sites


@dataclass(frozen=True)
class Node:
    """One URL: its answer, and the numbers of the URLs that it links or redirects to."""

    kind: str
    links: tuple[int, ...]


@dataclass(frozen=True)
class Site:
    nodes: tuple[Node, ...]
    required: frozenset[int]
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
            return redirect_to(path(node.links[0]))
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
    numbers = st.integers(0, size)  # `size` is a link to a missing page
    links = st.lists(numbers, min_size=1, max_size=5).map(tuple)
    first = Node("page", draw(links))
    others = [Node(draw(st.sampled_from(KINDS)), draw(links)) for _ in range(size - 1)]
    some = st.frozensets(numbers, max_size=3)
    limits = CrawlLimits(draw(st.integers(1, size + 1)), draw(st.integers(0, size)), draw(st.integers(1, 5)))
    return Site((first, *others), draw(some), draw(some), limits)


class Reference:
    """The same crawl, one URL after the other, with a dict and a loop."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.known: dict[int, tuple[int, str]] = dict.fromkeys(site.seeds, (1, "the site's sitemap"))
        self.known[0] = (0, "")
        self.fetched: list[int] = []
        self.inlinks: dict[int, int] = {}
        self.spent = 0
        self.redirect_inlinks: dict[int, int] = {}

    def run(self) -> "Reference":
        depth: int | None = 0
        while depth is not None:
            self._level(depth)
            depth = min((place[0] for place in self.known.values() if place[0] > depth), default=None)
            if depth is None and (rest := self.site.required - self.known.keys()):
                depth = max(place[0] for place in self.known.values()) + 1
                self.known |= dict.fromkeys(rest, (depth, ""))
        for number in [number for number in self.fetched if self.kind(number) == "redirect"]:
            self._count_redirect(number)
        self.inlinks = {
            number: self.inlinks.get(number, 0) + self.redirect_inlinks.get(number, 0) for number in self.fetched
        }
        return self

    def kind(self, number: int) -> str:
        return self.site.nodes[number].kind if number < len(self.site.nodes) else "404"

    def _level(self, depth: int) -> None:
        limits, found = self.site.limits, dict[int, str]()
        for number in sorted(number for number, place in self.known.items() if place[0] == depth):
            required = number in self.site.required
            if not required and (depth > limits.depth or self.spent >= limits.pages):
                continue
            self.fetched.append(number)
            if self.kind(number) == "page":
                self.spent += not required
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

    def _count_redirect(self, number: int) -> None:
        """HTML-68: a link to a redirect is a link to each of its targets."""
        links = self.inlinks.get(number, 0)
        linked = {number}
        for _ in range(10):
            if number not in self.fetched or self.kind(number) != "redirect":
                return
            number = self.site.nodes[number].links[0]
            if number in linked:
                return  # a loop
            linked.add(number)
            self.redirect_inlinks[number] = self.redirect_inlinks.get(number, 0) + links


KIND = {"page": "page", "redirect": "redirect", "file": "file", "404": "gone"}
STATUS = {"page": 200, "redirect": 301, "file": 200, "broken": 0}


def expected(site: Site) -> Snapshot:
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
    site: Site, inventory: Inventory, seed: int | None = None, *, cancel_after: int | None = None, **more: object
) -> FakeWeb:
    web = FakeWeb(site.routes(), seed=seed)
    more |= {"required": map(path, site.required), "seeds": map(path, site.seeds), "limits": site.limits}
    crawl(web, inventory, cancel_after=cancel_after, **more)
    return web


def without_a_firewall(site: Site) -> Site:
    """Three consecutive 403 on required pages end a crawl, which has its own tests."""
    nodes = (replace(node, kind="401") if node.kind == "403" else node for node in site.nodes)
    return replace(site, nodes=tuple(nodes))


@given(sites().map(without_a_firewall), st.integers(0, 1_000))
@settings(max_examples=share(80))
def test_NET_16_a_crawl_equals_the_sequential_one(site: Site, seed: int) -> None:
    """NET-09: the page limit cuts the sorted level: the requests are its shortest prefix with enough pages."""
    with tempfile.TemporaryDirectory() as folder, closing(new_inventory(Path(folder))) as inventory:
        web = run(site, inventory, seed)
        Frontier(inventory).finish()
        assert snapshot(inventory) == expected(site)
        assert sorted(web.requested) == sorted(map(path, Reference(site).run().fetched))  # each once, and no others


@given(sites().map(without_a_firewall), st.integers(0, 1_000), st.lists(st.integers(0, 60), min_size=1, max_size=3))
@settings(max_examples=share(80))
def test_a_resumed_crawl_equals_an_uninterrupted_one(site: Site, seed: int, interruptions: list[int]) -> None:
    """Decision 2: cancelled at any moment, with or without storing the visits in memory, at any storing interval."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder, closing(new_inventory(Path(folder), persistent=True)) as inventory:
        for moment in interruptions:
            run(
                site,
                inventory,
                chance.randrange(99),
                cancel_after=moment,
                store=chance.random() < 0.5,
                clock_step=chance.random(),
            )
        run(site, inventory, seed)
        Frontier(inventory).finish()
        assert snapshot(inventory) == expected(site)


@given(sites(), st.integers(0, 1_000), st.integers(0, 1_000))
@settings(max_examples=share(30))
def test_HTML_40_the_firewall_detector_does_not_depend_on_latencies(site: Site, one: int, other: int) -> None:
    blocked = []
    for seed in (one, other):
        with tempfile.TemporaryDirectory() as folder, closing(new_inventory(Path(folder))) as inventory:
            web = FakeWeb(site.routes(), seed=seed)
            required, seeds = map(path, site.required), map(path, site.seeds)
            blocked.append(crawl(web, inventory, required=required, seeds=seeds, limits=site.limits).firewall)
    assert blocked[0] == blocked[1]


def big(pages: int) -> dict[str, Route]:
    """A site of many links; some are to redirects, missing pages or files of other types."""
    chance = random.Random(7)
    routes: dict[str, Route] = {}
    for number in range(pages):
        links = [path(chance.randrange(pages)) for _ in range(6)]
        odd: tuple[Route, ...] = (
            redirect_to(links[0]),
            404,
            Skip("", "reset"),
            Response("", 200, (("content-type", "a/b"),)),
        )
        routes[path(number)] = odd[number % 40 // 10] if number % 10 == 9 else document(*links)
    return routes


def test_NET_16_five_runs_with_other_latencies_at_a_page_limit_are_equal(tmp_path: Path) -> None:
    found, requested = [], []
    for seed in range(5):
        with closing(new_inventory(tmp_path, str(seed))) as inventory:
            web = FakeWeb(big(300), seed=seed)
            done = crawl(web, inventory, required=["/250", "/251"], limits=CrawlLimits(100, 100, 8), clock_step=0.2)
            found.append(
                (snapshot(inventory), done.limit_reached, done.frontier.unvisited_count(), done.frontier.skip_counts())
            )
            requested.append(sorted(web.requested))
    assert [one == found[0] for one in found] == [True] * 5
    assert [one == requested[0] for one in requested] == [True] * 5
    kinds = [kind for kind, *_ in found[0][0].values()]
    assert (kinds.count("page"), found[0][1]) == (102, True)  # the two required ones do not count (NET-09)


def test_stored_visits_are_not_requested_again(inventory: Inventory) -> None:
    first = FakeWeb(big(120), seed=1)
    crawl(first, inventory, cancel_after=200)
    second = FakeWeb(big(120), seed=2)
    crawl(second, inventory)
    assert first.requested
    assert second.requested
    both = set(first.requested) & set(second.requested)
    assert len(both) <= 4  # those under way


# Limits, by table

CHAIN: dict[str, Route] = {
    "/": document("/a", "/d"),
    "/a": document("/b"),
    "/b": document("/c"),
    "/c": document(),
    "/d": 404,
}
LIMITS = [
    # id, limits, required, requested, unvisited
    ("no limit is reached", CrawlLimits(9, 9, 2), [], ["/", "/a", "/b", "/c", "/d"], 0),
    ("NET-09 max-pages", CrawlLimits(2, 9, 2), [], ["/", "/a"], 2),
    ("NET-09 only pages count", CrawlLimits(3, 9, 2), [], ["/", "/a", "/b", "/d"], 1),
    ("NET-09 the start page alone", CrawlLimits(1, 9, 2), [], ["/"], 2),
    ("NET-09 max-depth", CrawlLimits(9, 1, 2), [], ["/", "/a", "/d"], 1),
    ("NET-09 max-depth 0", CrawlLimits(9, 0, 2), [], ["/"], 2),
    ("a required page is fetched beyond the page limit", CrawlLimits(1, 9, 2), ["/c"], ["/", "/c"], 2),
    ("a required page is fetched beyond the depth", CrawlLimits(9, 1, 2), ["/c"], ["/", "/a", "/c", "/d"], 1),
    ("a required page does not count", CrawlLimits(2, 9, 2), ["/a"], ["/", "/a", "/b", "/d"], 1),
    ("and its links are followed", CrawlLimits(9, 9, 2), ["/x"], ["/", "/a", "/b", "/c", "/d", "/x", "/y"], 0),
]  # fmt: skip


@pytest.mark.parametrize(
    ("limits", "required", "requested", "unvisited"), [pytest.param(*row[1:], id=row[0]) for row in LIMITS]
)
def test_limits(
    inventory: Inventory, limits: CrawlLimits, required: list[str], requested: list[str], unvisited: int
) -> None:
    web = FakeWeb({**CHAIN, "/x": document("/y"), "/y": document()})
    done = crawl(web, inventory, required=required, limits=limits)
    assert sorted(web.requested) == requested
    assert done.frontier.unvisited_count() == unvisited
    assert done.frontier.unanswered_urls() == []


def test_a_required_page_without_links_to_it_is_fetched_last(inventory: Inventory) -> None:
    """Its links are one click deeper than the last level, and count as links (HTML-66, HTML-68)."""
    web = FakeWeb({"/": document("/a"), "/a": document(), "/orphan": document("/new"), "/new": document()})
    crawl(web, inventory, required=["/orphan"])
    assert web.requested == ["/", "/a", "/orphan", "/new"]
    assert snapshot(inventory)["/orphan"] == ("page", 200, 2, "", 0)
    assert snapshot(inventory)["/new"] == ("page", 200, 3, at("/orphan"), 1)


# Blocked URLs

ROBOTS = "User-agent: *\nDisallow: /all\n\nUser-agent: sitemap-action\nDisallow: /private/\n"
BLOCKED = [
    # id, path that is linked, required, kind and reason of its page ("" for none), reason of a skipped URL
    ("crawl.skip", "/a.PNG", False, "", "crawl.skip has media"),
    ("crawl.skip of a required page", "/a.png", True, "requested", ""),
    ("select.exclude also stops fetching", "/tag/x", False, "", "select.exclude has /tag/**"),
    ("select.exclude of a required page", "/tag/x", True, "undetermined: not fetched", ""),
    ("NET-02 robots.txt for our token", "/private/x", False, "undetermined: robots.txt line 5 blocks sitemap-action: Disallow: /private/", ""),
    ("NET-02 of a required page", "/private/x", True, "undetermined: robots.txt line 5 blocks sitemap-action: Disallow: /private/", ""),
    ("NET-02 the group for our token replaces that for *", "/all", False, "requested", ""),
    ("URL-33 a trap", "/a/b/a/b/a/b", False, "", "endless URLs: paths with /a/ 3 times"),
    ("URL-33 a trap on a required page", "/a/b/a/b/a/b", True, "requested", ""),
    ("URL-28 another site", "https://other.example/", False, "", ""),
    ("URL-28 another port", "https://www.example.com:8443/", False, "", ""),
    ("URL-28 http", "http://www.example.com/a", False, "", ""),
    ("HTML-63 no page", "mailto:a@b.c", False, "", ""),
]  # fmt: skip


@pytest.mark.parametrize(
    ("link", "required", "page", "skipped"), [pytest.param(*row[1:], id=row[0]) for row in BLOCKED]
)
def test_blocked_urls_are_not_requested(
    inventory: Inventory, link: str, required: bool, page: str, skipped: str
) -> None:
    web = FakeWeb({"/": document(link), link: document()})
    url_filter = make_filter(skip=("media", "assets"), exclude=("/tag/**",), robots=ROBOTS)
    recorder = Recorder()
    done = crawl(web, inventory, required=[link] if required else [], url_filter=url_filter, observer=recorder)
    assert web.requested == (["/", link] if page == "requested" else ["/"])
    found = inventory.page(at(link))
    if page.startswith("undetermined"):
        assert found is not None
        assert f"{found.kind}: {found.reason}" == page
    else:
        assert (found is not None) == (page == "requested")
    assert done.frontier.skip_counts() == ([(skipped, 1, at(link))] if skipped else [])
    reasons = [event.reason for event in recorder.events if event.what is EventKind.SKIPPED]
    assert len(reasons) == recorder.last.skipped or len(reasons) == 1
    assert bool(reasons) == bool(skipped or page.startswith("undetermined"))


def test_URL_33_a_calendar_ends_and_is_noted(tmp_path: Path) -> None:
    """Each month links to the next: without the trap detection the crawl would end at max-pages, or never."""
    months = [f"/events/{year}-{month:02}" for year in range(2000, 2030) for month in range(1, 13)]
    routes: dict[str, Route] = {"/": document(*months[:3], "/about")}
    routes |= {one: document(after) for one, after in pairwise(months)}
    found = []
    for seed in (1, 2):
        with closing(new_inventory(tmp_path, str(seed))) as inventory:
            done = crawl(
                FakeWeb(routes, seed=seed), inventory, limits=CrawlLimits(5_000, 1_000, 8), required=[months[-1]]
            )
            found.append((snapshot(inventory), done.frontier.skip_counts()))
    assert found[0] == found[1]
    pages, skipped = found[0]
    assert len([one for one in pages if one.startswith("/events/")]) == 200 + 1  # and the required one
    assert [(reason, count) for reason, count, _ in skipped] == [
        ("endless URLs: https://www.example.com/events/<date>, more than 200 of them", 1)
    ]


def test_URL_33_a_resumed_run_restores_the_counts(tmp_path: Path) -> None:
    routes: dict[str, Route] = {"/": document(*(f"/a?b={number}" for number in range(230)))}
    found = []
    for name, moment in (("whole", None), ("interrupted", 300)):
        with closing(new_inventory(tmp_path, name, persistent=True)) as inventory:
            if moment is not None:
                crawl(FakeWeb(routes, seed=1), inventory, cancel_after=moment)
            done = crawl(FakeWeb(routes, seed=2), inventory)
            found.append((snapshot(inventory), done.frontier.skip_counts()))
    assert found[0] == found[1]
    assert found[0][1][0][1] == 30


# Firewalls

FORBIDDEN = [
    # id, statuses of required pages in order of their URLs, whether the crawl stops
    ("HTML-40 three consecutive ones", [403, 403, 403, 200], True),
    ("HTML-40 two are no firewall", [403, 403, 200, 403], False),
    ("HTML-40 401 says less", [401, 401, 401, 401], False),
    ("HTML-40 later", [200, 404, 403, 403, 403], True),
]


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(("statuses", "blocked"), [pytest.param(*row[1:], id=row[0]) for row in FORBIDDEN])
def test_three_403_on_required_pages_stop_the_crawl(
    inventory: Inventory, statuses: Sequence[int], blocked: bool, seed: int
) -> None:
    """HTML-40, ENV-05, and NET-16: in the order of the requests, not of the answers."""
    listed: dict[str, Route] = {f"/n{number}": status for number, status in enumerate(statuses)}
    web = FakeWeb(
        {"/": document(*listed, "/z"), "/z": document(*(f"/z/{number}" for number in range(99))), **listed}, seed=seed
    )
    done = crawl(web, inventory, required=listed)
    assert bool(done.firewall) == blocked
    if blocked:
        last = statuses.index(403) + 2
        assert (
            done.firewall
            == f"3 pages that the sitemap lists answered 403 one after the other, the last {at(f'/n{last}')}"
        )
        assert not any(url.startswith("/z/") for url in web.requested)
    else:
        assert f"/z/{98}" in web.requested


def test_no_answer_of_a_shard_waits_while_all_others_pass_it(
    inventory: Inventory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """These are there at once: what waits is bounded by what is under way."""

    def seen(_: Frontier, url: str, __: str) -> Visit:
        return Visit(0, Page(url, PageKind.GONE, 404), (), (), "", "")

    monkeypatch.setattr(Frontier, "shard_visit", seen)
    recorder, listed = Recorder(), [f"/n{number:03}" for number in range(500)]
    crawl(FakeWeb({}), inventory, required=listed, limits=CrawlLimits(9, 9, 8), observer=recorder)
    ended = [event.url for event in recorder.events if event.what is EventKind.FETCHED]
    late = [abs(place - number) for number, place in enumerate(map(sorted(ended).index, ended))]
    assert len(ended) == 501
    assert max(late) <= 3 * 8


def test_403_on_other_pages_does_not_stop_the_crawl(inventory: Inventory) -> None:
    web = FakeWeb({"/": document(*(f"/{number}" for number in range(9))), **{f"/{number}": 403 for number in range(9)}})
    assert crawl(web, inventory).firewall == ""
    assert len(web.requested) == 10


def test_a_crawl_that_stops_visits_its_level_within_the_page_budget(inventory: Inventory) -> None:
    """The level is visited to its end, within the page budget, and no other one is."""
    slow: dict[str, Route] = {f"/s{number}": document() for number in range(9)}
    web = FakeWeb({"/": document("/n0", "/n1", "/n2", *slow), "/n0": 403, "/n1": 403, "/n2": 403, **slow}, seed=3)
    done = crawl(web, inventory, required=["/n0", "/n1", "/n2"], limits=CrawlLimits(2, 9, 6))
    assert done.firewall
    assert len(web.requested) > 4
    assert done.frontier.unvisited_count() == 13 - 5


# Progress and events


def test_progress_counts_everything_once(inventory: Inventory) -> None:
    recorder = Recorder()
    web = FakeWeb({"/": document("/a", "/b", "/c.png", "/d"), "/a": document(), "/b": 404, "/d": 503})
    crawl(web, inventory, url_filter=make_filter(skip=("media",)), observer=recorder)
    last = recorder.last
    assert (last.done, last.queued, last.skipped, last.errors) == (4, 0, 1, 1)


def test_events_are_emitted_in_order(inventory: Inventory) -> None:
    recorder = Recorder()
    crawl(
        FakeWeb({"/": document("/a", "/b.png"), "/a": 503}),
        inventory,
        url_filter=make_filter(skip=("media",)),
        observer=recorder,
    )
    events = [(event.what.value, event.url, event.status, event.found_on, event.depth) for event in recorder.events]
    assert events == [
        ("found", HOME, 0, "", 0),
        ("fetched", HOME, 200, "", 0),
        ("found", at("/a"), 0, HOME, 1),
        ("skipped", at("/b.png"), 0, HOME, 1),
        ("fetched", at("/a"), 503, HOME, 1),
    ]
    assert [event.reason for event in recorder.events[-2:]] == ["crawl.skip has media", "answered 503"]


def test_many_blocked_urls_are_stored_on_the_way(inventory: Inventory) -> None:
    """Memory stays flat when robots.txt blocks a whole level."""

    class Counting(Recorder):
        stored = 0

        def event(self, event: Event) -> None:
            if event.url == at("/private/7499"):
                self.stored = sum(1 for _ in inventory.pages())

    links = [f"/private/{number}" for number in range(1_000, 7_500)]
    recorder = Counting()
    web = FakeWeb({"/": document(*links)})
    crawl(web, inventory, url_filter=make_filter(robots=ROBOTS), observer=recorder)
    assert web.requested == ["/"]
    assert recorder.stored > 4_900
    assert sum(1 for _ in inventory.pages()) == 6_501


def test_requests_are_under_way_while_answers_are_read_and_few_answers_wait(inventory: Inventory) -> None:
    """Even of a server that answers at once: answers that are not read yet take memory."""
    recorder, limits = Recorder(), CrawlLimits(1000, 10, 3)
    web = FakeWeb({"/": document(*(f"/{number}" for number in range(100)))}, otherwise=document())
    crawl(web, inventory, observer=recorder, limits=limits)
    unread = list(accumulate({EventKind.FOUND: 1, EventKind.FETCHED: -1}[event.what] for event in recorder.events))
    assert unread[-1] == 0
    assert 2 * limits.concurrency <= max(unread) <= 4 * limits.concurrency


def test_an_exception_of_the_reader_ends_the_crawl(inventory: Inventory) -> None:
    class BrokenSitemap(Recorder):
        def progress(self, _now: Progress) -> None:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        crawl(FakeWeb({"/": document("/a", "/b")}), inventory, observer=BrokenSitemap())


def test_an_exception_of_the_fetcher_ends_the_crawl(inventory: Inventory) -> None:
    """Failures are values; an exception is a bug and is raised."""

    class BrokenSitemap(FakeWeb):
        async def fetch(self, request: object) -> Response:
            await asyncio.sleep(0)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        crawl(BrokenSitemap({}), inventory)


DEEP: dict[str, Route] = {
    "/": document("/a/1", "/b/1", "/img/x.png"),
    "/a/1": document("/a/2", "/c/1"),
    "/c/1": document("/d/1"),
    "/z/1": document(),
}


def probe_paths(web: FakeWeb) -> list[str]:
    return [request.url[len(HOME) :] for request in web.requests if request.kind is RequestKind.PROBE]


def test_HTML_46_a_directory_is_probed_before_its_pages_are_read(inventory: Inventory) -> None:
    web = FakeWeb(DEEP)
    crawl(
        web,
        inventory,
        url_filter=make_filter(skip=("media",)),
        required=["/z/1"],
        probe=True,
        limits=CrawlLimits(99, 2, 2),
    )
    directories = [path[: path.index("/") + 1] if "/" in path else path for path in (url[1:] for url in web.requested)]
    kinds = ["probe" if request.kind is RequestKind.PROBE else "page" for request in web.requests]
    assert list(zip(directories, kinds, strict=True)) == [
        ("", "page"),
        *[("a/", "probe"), ("b/", "probe"), ("a/", "page"), ("b/", "page")],
        *[("c/", "probe"), ("a/", "page"), ("c/", "page")],
        *[("z/", "probe"), ("z/", "page")],  # /d/ is too deep, where only required pages are requested
    ]


def test_HTML_46_a_resumed_run_sends_the_same_probes(tmp_path: Path) -> None:
    with closing(new_inventory(tmp_path, "whole")) as inventory:
        whole = FakeWeb(DEEP)
        crawl(whole, inventory, probe=True)
    for moment in range(4, 40, 5):
        with closing(new_inventory(tmp_path, str(moment), persistent=True)) as inventory:
            crawl(FakeWeb(DEEP), inventory, probe=True, cancel_after=moment)
            again = FakeWeb(DEEP)
            crawl(again, inventory, probe=True)
        assert probe_paths(again) == probe_paths(whole)


def test_nofollow_links_are_followed_only_with_the_option(tmp_path: Path) -> None:  # HTML-65
    routes: dict[str, Route] = {"/": '<a rel="nofollow" href="/a">', "/a": document()}
    for name, nofollow, requested in (("no", False, ["/"]), ("yes", True, ["/", "/a"])):
        with closing(new_inventory(tmp_path, name)) as inventory:
            web = FakeWeb(routes)
            crawl(web, inventory, reader=make_reader(nofollow=nofollow))
            assert web.requested == requested


class Recovering(FakeWeb):
    """Fails with 503 for the first so many requests for each page below the start page."""

    def __init__(self, routes: dict[str, Route], failures: int) -> None:
        super().__init__(routes)
        self.failures = failures

    async def fetch(self, request: Request) -> Answer:
        answer = await super().fetch(request)
        early = request.url != HOME and sum(one.url == request.url for one in self.requests) <= self.failures
        return Response(request.url, 503) if early else answer


CHAIN_OF_FOUR: dict[str, Route] = {
    "/": document("/a", "/b"),
    "/a": document("/c"),
    "/b": document(),
    "/c": document("/d"),
    "/d": document(),
}


def test_V_12_a_second_pass_finds_what_the_first_one_missed(tmp_path: Path) -> None:
    """All is as in a crawl without failures; each URL that fails is requested once more."""
    whole, again = new_inventory(tmp_path, "whole"), new_inventory(tmp_path, "again")
    crawl(FakeWeb(CHAIN_OF_FOUR), whole)
    web = Recovering(CHAIN_OF_FOUR, 1)
    crawl(web, again, second_pass=True)
    assert web.requested == ["/", "/a", "/b", "/a", "/b", "/c", "/c", "/d", "/d"]
    assert snapshot(again) == snapshot(whole)


def test_V_12_no_third_request(tmp_path: Path) -> None:
    web = Recovering(CHAIN_OF_FOUR, 9)
    crawl(web, new_inventory(tmp_path), second_pass=True)
    assert web.requested == ["/", "/a", "/b", "/a", "/b"]


def test_V_12_no_second_pass_without_time(tmp_path: Path) -> None:
    web = Recovering(CHAIN_OF_FOUR, 1)
    crawl(web, new_inventory(tmp_path), limits=CrawlLimits(99, 99, 2, deadline=10, pause=11), second_pass=True)
    assert web.requested == ["/", "/a", "/b"]
