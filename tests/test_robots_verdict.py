"""What robots.txt says to search engines decides the verdict, whatever this run may fetch: over HTTP and as a folder."""

import json
from pathlib import Path
from typing import Any

import pytest

from servers import Route, serve
from sitemap_action.__main__ import run

SITE = "https://www.example.com/"
EVERYONE, GOOGLE = "User-agent: *\n", "User-agent: Googlebot\n"
OURS = "User-agent: sitemap-action\n"
PATHS = ("", "a/", "b/")


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def page(name: str, *links: str) -> str:
    anchors = "".join(f'<a href="/{link}">{link}</a> ' for link in links)
    text = f"some words about {name} that make a page of its own " * 12
    return f"<!doctype html><title>{name}</title><main><h1>{name}</h1>{anchors}<p>{text}</main>"


def commit(*paths: str, site: str = SITE) -> bytes:
    locs = "".join(f"<url><loc>{site}{path}</loc></url>" for path in paths)
    text = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{locs}</urlset>'
    Path("sitemap.xml").write_text(text)
    return text.encode()


def documents(robots: str, *paths: str) -> dict[str, str]:
    """File of a build → its text."""
    files = {f"{path}index.html": page(path or "home", *paths) for path in paths}
    return {**files, "robots.txt": robots}


def routes(files: dict[str, str]) -> dict[str, Route]:
    return {f"/{name.removesuffix('index.html')}": text for name, text in files.items()}


def judged(*arguments: str, command: str = "check", site: str = SITE) -> tuple[int, dict[str, Any]]:
    quick = ["--set", "http.retries=0", "--set", "sitemaps.use=false", "--quiet"]
    code = run([command, *arguments, "--site-url", site, *quick, "--report", "json=report.json"])
    return code, json.loads(Path("report.json").read_text())


def served(files: dict[str, str], *more: str, command: str = "check") -> tuple[int, dict[str, Any]]:
    """As production: the site is at the address where it is fetched, which becomes SITE in the report."""
    with serve(routes(files)) as server:
        commit(*PATHS, site=server.url)
        code, report = judged("--url", server.url, *more, command=command, site=server.url)
    return code, json.loads(json.dumps(report).replace(server.url, SITE))


def built(files: dict[str, str], *more: str) -> tuple[int, dict[str, Any]]:
    for name, text in files.items():
        path = Path("site", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    commit(*PATHS)
    return judged("--path", "site", *more)


def classes(report: dict[str, Any]) -> dict[str, str]:
    return {row["url"].removeprefix(SITE): row["class"] for row in report["removed"]}


BLOCKED = [
    # id, robots.txt, what is no longer listed, part of its detail
    ("a directory, for everyone", f"{EVERYONE}Disallow: /a/\n", ["a/"], "robots.txt line 2 blocks Googlebot: Disallow: /a/"),
    ("a directory, for Googlebot", f"{GOOGLE}Disallow: /a/\n", ["a/"], "robots.txt line 2 blocks Googlebot: Disallow: /a/"),
    ("a directory, for Bingbot", "User-agent: bingbot\nDisallow: /a/\n", ["a/"], "blocks Bingbot"),
    ("the site, for Googlebot", f"{GOOGLE}Disallow: /\n", list(PATHS), "robots.txt line 2 blocks Googlebot: Disallow: /"),
    ("the site, for everyone", f"{EVERYONE}Disallow: /\n", list(PATHS), "robots.txt line 2 blocks Googlebot: Disallow: /"),
    ("the site, for all but us", f"{EVERYONE}Disallow: /\n\n{OURS}Allow: /\n", list(PATHS), "robots.txt line 2 blocks Googlebot"),
    ("all but the start page", f"{EVERYONE}Disallow: /\nAllow: /$\n", ["a/", "b/"], "robots.txt line 2 blocks Googlebot"),
]  # fmt: skip


@pytest.mark.parametrize("robots_option", ["auto", "ignore"])
@pytest.mark.parametrize(("robots", "lost", "detail"), [pytest.param(*row[1:], id=row[0]) for row in BLOCKED])
def test_V_01_V_02_a_blocked_page_is_deindexed(robots: str, lost: list[str], detail: str, robots_option: str) -> None:
    """RB-30: served and as a folder alike; what is proven is drift, also where nothing may be fetched."""
    option = ("--set", f"crawl.robots={robots_option}")
    for code, report in (served(documents(robots, *PATHS), *option), built(documents(robots, *PATHS), *option)):
        assert (code, report["result"]) == (1, "drift")
        assert classes(report) == dict.fromkeys(lost, "deindexed")
        assert all(detail in row["detail"] for row in report["removed"])
        assert report["undetermined"] == []


@pytest.mark.parametrize("command", ["check", "write"])
@pytest.mark.parametrize("robots_option", ["auto", "ignore"])
def test_V_02_production_that_blocks_everything_never_passes(
    command: str, robots_option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 1, the first line of the report, and a row of the start page, on a first run too; nothing is written."""
    with serve(routes(documents(f"{EVERYONE}Disallow: /\n", *PATHS))) as server:
        option = ("--set", f"crawl.robots={robots_option}")
        for first_run in (True, False):
            before = b"" if first_run else commit(*PATHS, site=server.url)
            code, report = judged("--url", server.url, *option, command=command, site=server.url)
            assert (code, report["result"]) == (1, "drift")
            assert report["causes"][0] == "robots.txt line 2 blocks Googlebot from the start page: Disallow: /"
            assert ("no page can be listed" in report["causes"]) is (first_run and command == "check")
            rows, key = ("skipped", "reason") if first_run else ("removed", "class")
            assert (server.url, "deindexed") in [(row["url"], row[key]) for row in report[rows]]
            first, *rest = capsys.readouterr().out.splitlines()
            assert first == f"drift: {report['causes'][0]} (exit 1)"
            assert not any("from the start page" in line for line in rest if not line.startswith("  ?"))
            assert (Path("sitemap.xml").read_bytes() if Path("sitemap.xml").exists() else b"") == before


def test_V_01_a_link_into_a_blocked_directory_stops_no_write() -> None:
    """As in the robots.txt of WordPress."""
    files = documents(f"{EVERYONE}Disallow: /wp-admin/\n", *PATHS)
    files["index.html"] = page("home", "a/", "b/", "wp-admin/")
    with serve(routes(files)) as server:
        code, report = judged("--url", server.url, command="write", site=server.url)
        assert (code, report["result"], report["complete"]) == (0, "drift", True)
        (row,) = report["skipped"]
        assert (row["url"], row["reason"]) == (f"{server.url}wp-admin/", "deindexed")
        assert "/wp-admin/" not in server.paths


def test_V_01_NET_02_blocked_for_this_run_alone(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is known of the page, and the report says what helps, once."""
    code, report = served(documents(f"{OURS}Disallow: /a/\nDisallow: /b/\n", *PATHS))
    assert (code, report["removed"], report["complete"]) == (3, [], False)
    assert [row["url"] for row in report["undetermined"]] == [f"{SITE}a/", f"{SITE}b/"]
    assert "robots.txt line 2 blocks sitemap-action" in report["undetermined"][0]["reason"]
    assert capsys.readouterr().out.count("crawl.robots: ignore") == 1


def test_V_02_ENV_04_a_preview_that_blocks_everyone_is_policy_of_its_host() -> None:
    with serve(routes(documents(f"{EVERYONE}Disallow: /\n", *PATHS))) as server:
        commit(*PATHS)
        for option in ("auto", "ignore"):
            code, report = judged("--url", server.url, "--set", f"crawl.robots={option}")
            assert (code, report["result"], report["removed"]) == (0, "in-sync", [])
            assert any("ENV-04" in note for note in report["notes"])


def test_V_02_an_unreachable_robots_txt_is_no_permission() -> None:
    """RB-21: with `ignore` the site is crawled, and no verdict in its favour follows."""
    with serve({**routes(documents("", *PATHS)), "/robots.txt": 503}) as server:
        commit(*PATHS, site=server.url)
        code, report = judged("--url", server.url, "--set", "crawl.robots=ignore", site=server.url)
        assert (code, report["result"], report["counts"]["urls"]) == (3, "inconclusive", 3)
        assert "answers 503" in report["incomplete"][0]
        allow = ("--set", "crawl.robots-unreachable=allow")
        assert judged("--url", server.url, "--set", "crawl.robots=ignore", *allow, site=server.url)[0] == 0


def test_V_02_the_robots_txt_of_production_may_be_named() -> None:
    Path("live.txt").write_text(EVERYONE)
    code, _ = built(documents(f"{EVERYONE}Disallow: /\n", *PATHS), "--set", "crawl.robots=file:live.txt")
    assert code == 0
