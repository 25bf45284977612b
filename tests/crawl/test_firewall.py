"""A firewall that answers 403 ends a crawl at one URL, whatever the latencies (HTML-40, NET-16)."""

import asyncio
import random
from functools import partial
from pathlib import Path

import pytest

from crawls import HOME, FakeWeb, Route, crawl, document, make_filter, new_inventory, snapshot
from sitemap_action.crawl.firewall import Firewall
from sitemap_action.crawl.levels import CrawlLimits
from sitemap_action.fetch.base import Answer, Request

PLACES = [
    # statuses of what is requested in this order, "-" for a URL that no sitemap lists; how many of them count
    ("403 403 403 200 -", 3),
    ("200 - 403 - 403 - 403 - 200", 7),
    ("403 403 200 403 403 - 404 403 403 403 403 200", 10),
    ("403 403 200 403 403", None),
    ("401 401 401 - -", None),
    ("- - -", None),
]


@pytest.mark.parametrize(("statuses", "count"), PLACES)
def test_HTML_40_what_is_behind_the_stop_is_void(statuses: str, count: int | None) -> None:
    for seed in range(60):
        chance, firewall, done = random.Random(seed), Firewall(9), list[int]()
        under_way: list[tuple[int, int, str]] = []
        pending = list(enumerate(statuses.split()))
        while pending or under_way:
            if pending and ((len(under_way) < 6 and chance.random() < 0.6) or not under_way):
                number, status = pending.pop(0)
                place = firewall.place if status == "-" else firewall.requested(f"/{number}")
                under_way.append((place, number, status))
            else:
                place, number, status = under_way.pop(chance.randrange(len(under_way)))
                if status != "-":
                    firewall.answered(place, int(status))
                firewall.act(place, partial(done.append, number))
        assert bool(firewall.stopped) == (count is not None)
        assert sorted(done) == list(range(len(statuses.split()) if count is None else count))


def test_one_slow_page_holds_nothing_up() -> None:
    firewall, done = Firewall(9), list[int]()
    places = [firewall.requested(f"/{number}") for number in range(9)]
    for number in (2, 4, 5, 7):
        firewall.answered(places[number], 200)
        firewall.act(places[number], partial(done.append, number))
    assert done == [2, 4, 5, 7]


def test_what_waits_is_bounded() -> None:
    """Nothing more is requested while much waits, and what waits is done when no answer can come any more."""

    async def drive() -> None:
        firewall, done = Firewall(2), list[int]()
        places = [firewall.requested(f"/{number}") for number in range(8)]
        for number in range(3, 8):
            firewall.answered(places[number], 200)
            firewall.act(places[number], partial(done.append, number))
        waiting = asyncio.create_task(firewall.room())
        await asyncio.sleep(0)
        assert (done, waiting.done()) == ([], False)
        firewall.answered(places[0], 200)
        await waiting
        assert done == [3, 4, 5, 6, 7]
        firewall.end()

    asyncio.run(drive())


class SlowWeb(FakeWeb):
    """Some answers take long: those of the listed pages before the stop, or those behind it."""

    def __init__(self, routes: dict[str, Route], slow: frozenset[str], seed: int) -> None:
        super().__init__(routes, seed=seed)
        self.slow = slow

    async def fetch(self, request: Request) -> Answer:
        for _ in range(60 if request.url.removeprefix(HOME[:-1]) in self.slow else 0):
            await asyncio.sleep(0)
        return await super().fetch(request)


@pytest.mark.parametrize("persistent", [False, True])
def test_NET_16_a_stop_is_the_same_whatever_is_slow(persistent: bool, tmp_path: Path) -> None:
    """Pages, links and skipped URLs of what was under way behind the third 403 do not count."""
    listed = [f"/n{number:02}" for number in range(30)]
    others = [f"/n{number:02}-more" for number in range(30)]
    routes: dict[str, Route] = {url: document(f"{url}/below", "/n03") for url in (*listed, *others)}
    routes |= {"/": document(*listed, *others, *(f"/n{number:02}.pdf" for number in range(30)))}
    routes |= dict.fromkeys(listed[8:11], 403)
    found = []
    for seed, slow in enumerate([[], listed[8:9], listed[10:11], listed[:8], listed[11:], others[:9]]):
        web = SlowWeb(routes, frozenset(slow), seed)
        inventory = new_inventory(tmp_path, f"{seed}", persistent=persistent)
        limits = CrawlLimits(1_000, 100, 16)
        done = crawl(
            web, inventory, required=listed, limits=limits, url_filter=make_filter(skip=[".pdf"]), clock_step=0.03
        )
        assert done.blocked.endswith("/n10")
        frontier = done.frontier
        found.append((snapshot(inventory), frontier.skipped(), frontier.unvisited_count(), frontier.unanswered()))
    assert found[1:] == found[:1] * (len(found) - 1)
    pages, skipped, *_ = found[0]
    assert max(pages) == "/n10"
    assert [count for _, count, _ in skipped] == [10]
