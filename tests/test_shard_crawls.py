"""Shards of a deployed site: killed, stopped, of different moments, tampered with; and how fast each may ask."""

import random
import signal
import subprocess
import sys
import time
import zlib
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from servers import Reply, Route, Site, serve
from shard_runs import PAUSES, look, merged, quiet, served_by, state, states, whole
from sitemap_action.config.schema import Config, HttpConfig, RatePer
from sitemap_action.fetch.base import HttpOptions
from sitemap_action.model.site import SiteShard, owner, parse_shard
from sitemap_action.store.inventory import temporary
from sitemap_action.store.shards import ShardManifest, ShardState
from sitemap_action.walk.shards import crawl_part
from test_deployed_state import POSIX, routes
from test_differential import SERVED, TableEngine
from test_shard_refusals import forge

HOME = "https://www.example.com/"
OPTIONS = ("--site-url", HOME, "--baseline", "committed", *PAUSES)
WORDS = "some words of a page " * 20


def listing(count: int) -> str:
    locs = "".join(f"<url><loc>{HOME}{number}</loc></url>" for number in range(1, count))
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{locs}</urlset>'


def table(robots: str = "User-agent: *\nDisallow: /3\n") -> dict[str, Route]:
    pages = {
        f"/{number or ''}": f"<title>{number}</title><main>{WORDS}{number}<a href=/{number + 1}>next</a></main>"
        for number in range(12)
    }
    return {path: Reply(body) for path, body in pages.items()} | {"/robots.txt": Reply(robots, type="text/plain")}


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("sitemap.xml").write_text(listing(12))
    return tmp_path


@pytest.fixture
def looked_at(monkeypatch: pytest.MonkeyPatch) -> TableEngine:
    """The states of two shards."""
    engine = TableEngine(table())
    with served_by(engine, monkeypatch):
        for number in (1, 2):
            assert look(number, 2, *OPTIONS, "--url", SERVED)[0] == 0
    return engine


# --- ended early ---


def start(site: Site) -> "subprocess.Popen[bytes]":
    Path("states").mkdir(exist_ok=True)
    command = [
        sys.executable,
        "-m",
        "sitemap_action",
        "check",
        *OPTIONS,
        "--url",
        site.url,
        "--set",
        "sitemaps.use=false",
    ]
    return subprocess.Popen([*command, "--shard", "1/2", "--state", state(1, 2), "--quiet"], stdout=subprocess.DEVNULL)


def stopped(process: "subprocess.Popen[bytes]", site: Site, requests: int, number: int) -> int:
    while len(site.asked) < requests and process.poll() is None:
        time.sleep(0.005)
    process.send_signal(number)
    return process.wait()


@POSIX
def test_a_shard_that_is_killed_gives_no_verdict_until_it_has_ended() -> None:
    Path("sitemap.xml").write_text(listing(300))
    with serve(routes(300, random.Random(3))) as site:
        options = (*OPTIONS, "--url", site.url, "--set", "sitemaps.use=false")
        expected = whole(*options)
        assert look(2, 2, *options)[0] == 0
        site.asked.clear()
        assert stopped(start(site), site, 80, signal.SIGKILL) == -signal.SIGKILL
        code, printed = merged(states(2), *options)
        assert code == 3
        assert "was killed before it ended" in printed.decode()
        asked = len(site.asked)
        assert look(1, 2, *options)[0] == 0
        assert len(site.asked) - asked < 150  # it goes on where it stopped
        assert merged(states(2), *options) == expected


@POSIX
def test_a_shard_that_is_stopped_is_merged_and_the_rest_is_asked_for() -> None:
    Path("sitemap.xml").write_text(listing(300))
    with serve(routes(300, random.Random(4))) as site:
        options = (*OPTIONS, "--url", site.url, "--set", "sitemaps.use=false")
        expected = whole(*options)
        assert look(2, 2, *options)[0] == 0
        assert stopped(start(site), site, len(site.asked) + 60, signal.SIGTERM) == 128 + signal.SIGTERM
        site.asked.clear()
        assert merged(states(2), *options) == expected
        assert site.asked
        assert (
            "joined: shard 1/2 did not see all of its part: stopped by SIGTERM"
            in quiet("merge", *states(2), *options)[1]
        )


# --- of different moments ---


def test_a_robots_txt_that_changed_is_a_note(looked_at: TableEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    Path(state(2, 2)).unlink()
    with served_by(TableEngine(table("User-agent: *\nDisallow: /5\n")), monkeypatch):
        assert look(2, 2, *OPTIONS, "--url", SERVED)[0] == 0
    with served_by(looked_at, monkeypatch) as asked:
        expected = whole(*OPTIONS, "--url", SERVED)
        asked.clear()
        assert merged(states(2), *OPTIONS, "--url", SERVED) == expected
        printed = quiet("merge", *states(2), *OPTIONS, "--url", SERVED)[1]
    assert "joined: robots.txt was not the same for every shard; what the first one saw counts" in printed
    assert {*asked} <= {f"{SERVED}3", f"{SERVED}5", f"{SERVED}llms.txt"}


def test_a_shard_of_the_day_before_is_refused(looked_at: TableEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    old = (datetime.now(UTC) - timedelta(days=1, hours=2)).isoformat(timespec="seconds")
    forge(state(1, 2), f"""UPDATE metadata SET value = json_set(value, '$.begun', '{old}') WHERE name = 'shard'""")
    with served_by(looked_at, monkeypatch) as asked:
        code, printed = merged(states(2), *OPTIONS, "--url", SERVED)
    assert (code, "more than a day ago" in printed.decode(), asked) == (3, True, [])


# --- hostile ---


def packed(*links: str) -> bytes:
    return zlib.compress("\n".join((*links, "")).encode())


DAMAGED = {
    "a link to another site": "UPDATE visit SET links = ?",
    "links that are none": "UPDATE visit SET links = zeroblob(10)",
    "links that are text": "UPDATE visit SET links = 'text'",
    "a page with another URL": "UPDATE page SET record = (SELECT max(record) FROM page)",
    "a page that is none": "UPDATE page SET record = '[]'",
    "an answer that is none": "UPDATE answer SET packed = zeroblob(10)",
    "an answer that is text": "UPDATE answer SET packed = 'text'",
    "a time that is none": """UPDATE metadata SET value = json_set(value, '$.begun', 'now') WHERE name = 'shard'""",
}


@pytest.mark.attack("state")
@pytest.mark.parametrize("name", DAMAGED)
def test_a_hostile_shard_is_refused(name: str, looked_at: TableEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    parameters = (packed("http://169.254.169.254/latest/"),) if "?" in DAMAGED[name] else ()
    forge(state(1, 2), DAMAGED[name], parameters=parameters)
    with served_by(looked_at, monkeypatch) as asked:
        code, printed = merged(states(2), *OPTIONS, "--url", SERVED)
    assert (code, f"the shard {state(1, 2)} is damaged: " in printed.decode()) == (3, True), printed
    assert not [url for url in asked if "169.254" in url]


@pytest.mark.attack("state")
def test_a_bomb_of_an_answer_is_refused(looked_at: TableEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "sitemap_action.walk.shards._LARGEST", 2**20
    )  # as it is, a worker would grow by half a gigabyte
    bomb = zlib.compress(bytes(2**21), 1)
    forge(state(1, 2), "UPDATE answer SET packed = ?", parameters=(bomb,))
    with served_by(looked_at, monkeypatch):
        code, printed = merged(states(2), *OPTIONS, "--url", SERVED)
    assert (code, "is damaged" in printed.decode()) == (3, True), printed


@pytest.mark.attack("state")
def test_what_a_shard_does_not_own_does_not_count(looked_at: TableEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page of the second shard that the first one has, too."""
    theirs = next(f"{HOME}{number}" for number in range(4, 12) if owner(f"{HOME}{number}", 2) == 2)
    page = msgspec.json.encode(
        [theirs, "gone", 404, "", False, "", "", "", "", "", 1, 0, False, "", "", None, ""]
    ).decode()
    forge(
        state(1, 2),
        f"INSERT INTO url (id, url) VALUES (900, '{theirs}')",
        f"INSERT INTO page VALUES (900, '{page}')",
        "INSERT INTO visit VALUES (900, '', '', (SELECT links FROM visit LIMIT 1))",
    )
    with served_by(looked_at, monkeypatch):
        assert merged(states(2), *OPTIONS, "--url", SERVED) == whole(*OPTIONS, "--url", SERVED)


# --- the rate ---


@pytest.mark.parametrize(
    ("shard", "per", "rate", "delay", "pages"),
    [
        (None, RatePer.SITE, 10, 2, 5000),
        ("1/8", RatePer.SITE, 1.25, 16, 625),
        ("2/3", RatePer.SITE, 10 / 3, 6, 1667),
        ("1/8", RatePer.RUNNER, 10, 2, 625),
    ],
)
def test_a_shard_has_its_part_of_the_rate(
    shard: str | None, per: RatePer, rate: float, delay: float, pages: int
) -> None:
    with temporary() as inventory:
        if shard is not None:
            one = parse_shard(shard)
            assert one is not None
            manifest = ShardManifest(shard=shard, version="", site="", options="", commit="", begun="")
            inventory.shard = ShardState(inventory.database, manifest, one)
        part = crawl_part(inventory, Config(http=HttpConfig(rate_per=per)), HOME, HOME)
        assert part.http_options(HttpOptions(HOME, rate=10)).rate == rate
        assert part.http_options(HttpOptions(HOME, rate=None)).rate is None
        assert (part.delay(2), part.pages) == (delay, pages)


@pytest.mark.parametrize("of", [2, 3, 8, 256])
def test_every_name_has_one_owner_and_parts_are_alike(of: int) -> None:
    shards = [SiteShard(number, of) for number in range(1, of + 1)]
    names = [f"{HOME}blog/post-{number:05}/" for number in range(200 * of if of < 100 else 2_000)]
    owned = [sum(shard.owns(name) for name in names) for shard in shards]
    assert sum(owned) == len(names)
    assert max(owned) < 2 * len(names) / of + 20
    assert owner(f"{HOME}blog/", 8) == 1  # the same on every machine, and in every version


def test_the_first_shard_asks_for_what_belongs_to_no_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """The start page and random paths, and the pages of each are those that it owns; of a preview's host, see ENV-03."""
    Path("sitemap.xml").write_text(listing(12).replace(HOME, SERVED))
    options = ("--site-url", SERVED, "--baseline", "committed", "--set", "sitemaps.use=false", *PAUSES, "--url", SERVED)
    with served_by(TableEngine(table()), monkeypatch) as asked:
        expected = whole(*options)
        for number in (1, 2):
            asked.clear()
            assert look(number, 2, *options)[0] == 0
            pages = [url for url in asked if url.removeprefix(SERVED).isdecimal()]
            assert {owner(url, 2) for url in pages} == {number}
            others = [url.removeprefix(SERVED) for url in asked if url not in pages]
            assert [others.count("robots.txt"), others.count("")] == [1, 2 - number]
            assert len(others) == (3 if number == 1 else 1)  # with a random path
        asked.clear()
        assert merged(states(2), *options) == expected
        assert asked == [f"{SERVED}llms.txt"]  # which no shard asks for


def test_what_no_shard_has_seen_is_asked_for_by_the_merge(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any sitemap a shard knows of nothing but what its own pages link to: a chain has one page for each."""
    Path("sitemap.xml").unlink()
    options = ("--site-url", SERVED, "--set", "sitemaps.use=false", *PAUSES, "--url", SERVED)
    with served_by(TableEngine({**table(), "/robots.txt": 503}), monkeypatch):
        assert look(1, 2, *options)[0] == 3, "it did not see all of its part"
    with served_by(TableEngine(table()), monkeypatch) as asked:
        for number in (1, 2):
            assert look(number, 2, *options)[0] == 0
        asked.clear()
        merged(states(2), *options)
        assert len(asked) > 6
