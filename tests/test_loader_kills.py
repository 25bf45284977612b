"""A consumer that acknowledges is killed at random moments: every URL is handled, and twice at most what it had in hand.

`SITEMAP_ACTION_KILLS=200` sets the number of kills.
"""

import os
import random
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import forked
from examples import share
from servers import Site, serve, typed
from webs import index, urlset

DOCUMENTS, URLS, SHARED = 12, 150, 5
KILLS = int(os.environ.get("SITEMAP_ACTION_KILLS") or share(200))
HANDS = 7  # URLs that the consumer has in hand at once
CONSUMER = f"""
import os, sys
from sitemap_action.sitemaps import Loader
log = os.open("log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
with Loader(sys.argv[1], "state") as loader:
    hands = []
    while True:
        while len(hands) < {HANDS} and (url := loader.fetch_next()) is not None:
            hands.append(url)
        if not hands:
            break
        url = hands.pop(len(hands) // 2)
        os.write(log, f"\\nhandled {{url}} .".encode())
        loader.acknowledge(url)
        os.write(log, f"\\nacknowledged {{url}} .".encode())
    assert loader.is_finished, loader.documents
    assert loader.total == loader.handled
"""


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serve({}) as found:
        url = found.url
        found.routes["/sitemap.xml"] = typed("application/xml", index(*(f"{url}{n}.xml" for n in range(DOCUMENTS))))
        for n in range(DOCUMENTS):
            pages = [*(f"{url}shared/{m}" for m in range(SHARED)), *(f"{url}{n}/{m}" for m in range(URLS))]
            found.routes[f"/{n}.xml"] = typed("application/xml", urlset(*pages))
        yield found


def run_and_kill(site: Site, folder: Path, chance: random.Random) -> bool:
    """Whether it came to its end before."""
    process = forked.start(site.url, code=CONSUMER, folder=folder)
    log, wanted = folder / "log", chance.randrange(400)  # lines more, of which two are a URL
    before, deadline = _size(log), time.monotonic() + 60
    while _size(log) - before < 40 * wanted and not process.has_ended() and time.monotonic() < deadline:
        time.sleep(0.0005)
    time.sleep(chance.uniform(0, 0.02))
    process.kill()
    code, said = process.end()
    assert code in {0, -9}, said
    return code == 0


def _size(log: Path) -> int:
    return log.stat().st_size if log.exists() else 0


def judge(site: Site, folder: Path, kills: int) -> int:
    """Every URL is handled; what was acknowledged is not handled again. Returns how many were handled twice."""
    handled: Counter[str] = Counter()
    acknowledged: set[str] = set()
    for line in (folder / "log").read_text().splitlines():
        match line.split(" "):  # a kill may come in the middle of a line, between two pages of the file
            case "acknowledged", url, ".":
                acknowledged.add(url)
            case "handled", url, ".":
                assert url not in acknowledged, f"{url} was acknowledged, and came again"
                handled[url] += 1
    expected = {f"{site.url}shared/{m}" for m in range(SHARED)}
    expected |= {f"{site.url}{n}/{m}" for n in range(DOCUMENTS) for m in range(URLS)}
    assert set(handled) == expected >= acknowledged  # a kill may come between the acknowledgement and its line
    again = handled.total() - len(handled)
    assert again <= kills, "one at most is written and not yet acknowledged at a kill"
    return again


def test_nothing_is_lost_and_only_what_was_in_hand_comes_twice(site: Site, tmp_path: Path) -> None:
    chance = random.Random(os.environ.get("SITEMAP_ACTION_KILL_SEED", "7"))
    done, loadings, again = 0, 0, 0
    while done < KILLS:
        folder = tmp_path / str(loadings)
        folder.mkdir()
        kills, loadings = 0, loadings + 1
        while not run_and_kill(site, folder, chance):
            kills += 1
        size = _size(folder / "log")
        assert forked.start(site.url, code=CONSUMER, folder=folder).end() == (0, "")
        assert _size(folder / "log") == size, "a finished state hands out nothing"
        again += judge(site, folder, kills)
        done += kills
    documents = Counter(asked.path for asked in site.asked if asked.path.endswith(".xml"))
    said = f"{done} kills in {loadings} loadings: no URL lost, {again} handled twice, {documents.total()} sitemaps requested"
    if name := os.environ.get("SITEMAP_ACTION_KILL_LOG"):
        Path(name).write_text(f"{said}\n")
