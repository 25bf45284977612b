"""A real move is believed: the build states its new address, or `policy.moved-from` lists the old one (I-01, V-35).

"Redirects" is said of fetched answers only, so that what was not requested counts as lost; the old site is on loopback.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from servers import Reply, Site, redirect, serve, typed
from sitemap_action.__main__ import run
from sitemap_action.fetch.policies import OTHER_HOST_RATE, Throttle
from test_stated_base import NAMES, build, urlset

PAGES = NAMES[:20]
MOVES = {
    "http to https": ("http://acme.io/", "https://acme.io/"),
    "apex to www": ("https://acme.io/", "https://www.acme.io/"),
    "domain to domain": ("https://acme.io/", "https://acme.com/"),
    "root to docs": ("https://acme.io/", "https://acme.io/docs/"),
}


@pytest.mark.parametrize("kind", MOVES)
def test_I_01_what_was_not_requested_is_not_proven(kind: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = MOVES[kind]
    build(here / "dist", PAGES, canonical=new)
    before = urlset(here / "sitemap.xml", old, PAGES)
    for mode, offline in (("check", ["--offline"]), ("write", ["--offline"]), ("write", [])):
        assert run([mode, "--path", "dist", "--site-url", new, *offline]) == 1
        printed = capsys.readouterr().out
        assert "states" not in printed, "the move is believed"
        assert "policy.max-removed" in printed
        assert "policy.moved-from" in printed
        assert "0 of 20 (0%) were seen to redirect" in printed
        assert "Every old URL" not in printed
        assert (here / "sitemap.xml").read_bytes() == before


@pytest.mark.parametrize("kind", MOVES)
def test_I_01_an_announced_move_is_believed(kind: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = MOVES[kind]
    build(here / "dist", PAGES)
    before = urlset(here / "sitemap.xml", old, PAGES)
    given = ["--path", "dist", "--site-url", new, "--offline"]
    assert run(["write", *given]) == 3
    assert run(["write", *given, "--set", f"policy.moved-from={old}"]) == 1
    assert "20 of 20 URLs are lost, or were not seen to redirect to their new address" in capsys.readouterr().out
    assert (here / "sitemap.xml").read_bytes() == before


@pytest.fixture
def old_site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """It is requested a hundred times as fast as any site that is no preview."""
    delay = Throttle.set_delay
    monkeypatch.setattr(Throttle, "set_delay", lambda throttle, origin, wait: delay(throttle, origin, wait / 100))
    monkeypatch.setattr("sitemap_action.fetch.policies.OTHER_HOST_RATE", OTHER_HOST_RATE * 100)
    with serve({}) as site:
        yield site


@pytest.mark.parametrize("new", ["https://acme.io/", "https://www.acme.io/", "https://acme.com/", "{old}docs/"])
@pytest.mark.parametrize("canonical", [True, False])
def test_I_01_redirects_of_the_old_site_are_requested(
    new: str,
    canonical: bool,
    here: Path,
    old_site: Site,
    capsys: pytest.CaptureFixture[str],
) -> None:
    old, new = old_site.url, new.format(old=old_site.url)
    old_site.routes |= {f"/{name}": redirect(f"{new}{name}") for name in PAGES}
    build(here / "dist", PAGES, canonical=new if canonical else "")
    urlset(here / "sitemap.xml", old, PAGES)
    given = ["--path", "dist", "--site-url", new, "--set", f"policy.moved-from={old}"]
    assert run(["write", *given, "--allow-private-hosts", "127.0.0.1"]) == 0
    printed = capsys.readouterr().out
    assert "20 of 20 (100%) were seen to redirect" in printed
    assert f"{new}page-1/" in (here / "sitemap.xml").read_text()
    assert set(old_site.paths) >= {f"/{name}" for name in PAGES}


ANSWERS = {
    "dead": (Reply("", 404), "URLs are lost", 1),
    "still there": (Reply("<title>x</title>", 200), "not seen to redirect", 1),
    "temporary": (302, "URLs are lost", 1),
    "elsewhere": ("https://parking.example/", "URLs are lost", 1),
    "intended": (Reply("", 410), "", 0),
    "silent": (Reply("", 503), "not seen to redirect", 1),
}


@pytest.mark.parametrize("case", ANSWERS)
def test_I_01_an_old_site_without_redirects_stops_the_write(
    case: str, here: Path, old_site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    answer, said, code = ANSWERS[case]
    for name in PAGES:
        there = answer if isinstance(answer, str) else f"https://acme.io/{name}"
        old_site.routes[f"/{name}"] = (
            answer if isinstance(answer, Reply) else redirect(there, answer if isinstance(answer, int) else 301)
        )
    build(here / "dist", PAGES)
    urlset(here / "sitemap.xml", old_site.url, PAGES)
    given = ["--path", "dist", "--site-url", "https://acme.io/", "--set", f"policy.moved-from={old_site.url}"]
    allowed = ["--allow-private-hosts", "127.0.0.1", "--set", "http.backoff=0", "--set", "http.retries=0"]
    assert run(["write", *given, *allowed]) == code
    printed = capsys.readouterr().out
    assert said in printed


def test_where_an_old_site_redirects_to_is_not_requested_elsewhere(here: Path, old_site: Site) -> None:
    with serve({"*": "<title>x</title>"}) as elsewhere:
        old_site.routes |= {f"/{name}": redirect(f"{elsewhere.url}{name}") for name in PAGES}
        build(here / "dist", PAGES)
        urlset(here / "sitemap.xml", old_site.url, PAGES)
        given = ["--path", "dist", "--site-url", "https://acme.io/", "--set", f"policy.moved-from={old_site.url}"]
        assert run(["check", *given, "--allow-private-hosts", "127.0.0.1"]) == 1
        assert (len(old_site.asked) >= len(PAGES), elsewhere.asked) == (True, [])


# robots.txt, more arguments, whether pages are requested, what the report says of the old site
ROBOTS = {
    "disallowed": (typed("text/plain", "User-agent: *\nDisallow: /\n"), [], False, "robots.txt:2 disallows it"),
    "RB-21 unreachable": (503, [], False, "robots.txt: answers 503"),
    "RB-21 unreachable, allowed": (503, ["--set", "crawl.robots-unreachable=allow"], True, "20 answered, 20 of them"),
    "unreachable, ignored": (503, ["--set", "crawl.robots=ignore"], True, "20 answered, 20 of them"),
    "none": (404, [], True, "20 answered, 20 of them"),
    "NET-08": (typed("text/plain", "User-agent: *\nCrawl-delay: 0.01\n"), [], True, "0.01 seconds apart (Crawl-delay)"),
}


@pytest.mark.parametrize("case", ROBOTS)
def test_I_01_robots_txt_of_the_old_site_is_obeyed(
    case: str, here: Path, old_site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    answer, more, asks, said = ROBOTS[case]
    old_site.routes |= {f"/{name}": redirect(f"https://acme.io/{name}") for name in PAGES}
    old_site.routes["/robots.txt"] = answer
    build(here / "dist", PAGES)
    urlset(here / "sitemap.xml", old_site.url, PAGES)
    given = ["--path", "dist", "--site-url", "https://acme.io/", "--set", f"policy.moved-from={old_site.url}"]
    quick = ["--set", "http.backoff=0", "--set", "http.retries=0", "--verbose"]
    assert run(["write", *given, "--allow-private-hosts", "127.0.0.1", *quick, *more]) == (0 if asks else 1)
    assert said in capsys.readouterr().out
    assert set(old_site.paths) - {"/robots.txt"} == ({f"/{name}" for name in PAGES} if asks else set())


def test_V_35_an_entry_of_another_origin_is_not_said_to_redirect(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build(here / "dist", PAGES, canonical="https://acme.io/")
    urlset(here / "sitemap.xml", "http://acme.io/", PAGES)
    run(["check", "--path", "dist", "--site-url", "https://acme.io/", "--offline", "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    assert [flip["covered"] for flip in report["stale"]["flips"]] == [0]
