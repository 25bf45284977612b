"""What an answer of a real site proves, served and as a folder: both give the same classes for the same site."""

import gzip
import json
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import servers
from servers import Reply, Route, redirect, serve
from sitemap_action.__main__ import run

SITE = "https://www.example.com/"
TEXT = "<p>" + "some words that make a page of its own " * 12
ENGINES = pytest.mark.parametrize("engine", ["libcurl", "httpx"])


def page(name: str, *links: str, head: str = "") -> str:
    anchors = "".join(f'<a href="{link}">{link}</a> ' for link in links)
    return f"<!doctype html><title>{name}</title>{head}<main><h1>{name}</h1>{anchors}{TEXT} {name}</main>"


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def sitemap(file: str, *paths: str) -> None:
    locs = "".join(f"<url><loc>{SITE}{path}</loc></url>" for path in paths)
    Path(file).write_text(f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{locs}</urlset>')


def look(*source: str, command: str = "check", site: str = SITE) -> tuple[int, dict[str, Any]]:
    quick = ["--set", "http.backoff=0.01", "--set", "crawl.retry-after-max=1", "--quiet"]
    code = run([command, *source, "--site-url", site, *quick, "--report", "json=report.json"])
    return code, json.loads(Path("report.json").read_text())


def served(routes: Mapping[str, Route], *more: str, command: str = "check") -> tuple[int, dict[str, Any]]:
    with serve(routes) as site:
        return look("--url", site.url, *more, command=command)


def build(files: Mapping[str, str | bytes]) -> tuple[int, dict[str, Any]]:
    for name, content in files.items():
        path = Path("site", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return look("--path", "site")


def classes(report: Mapping[str, Any]) -> dict[str, str]:
    """Class of each removed URL, by path."""
    return {row["url"].removeprefix(SITE): row["class"] for row in report["removed"]}


def rules(report: Mapping[str, Any]) -> list[str]:
    return [row["rule"] for row in report["findings"]]


# V-06: the type of an answer


NINE = [f"p{number}" for number in range(9)]


@ENGINES
@pytest.mark.parametrize("media", ["application/octet-stream", "text/plain", "application/json", "image/png"])
def test_V_06_pages_that_are_served_as_another_type_are_lost(media: str, engine: str) -> None:
    """The config did not choose that: a guard counts them, and nothing is written."""
    sitemap("sitemap.xml", "", *NINE)
    before = Path("sitemap.xml").read_bytes()
    routes: dict[str, Route] = {"/": page("Home", *NINE), "*": 404}
    routes |= {f"/{name}": Reply(page(name), type=media) for name in NINE}
    code, report = served(routes, "--set", f"http.engine={engine}", command="write")
    assert (code, classes(report)) == (1, dict.fromkeys(NINE, "other-type"))
    assert [guard["key"] for guard in report["guards"]] == ["policy.max-removed"]
    assert Path("sitemap.xml").read_bytes() == before
    assert report["removed"][0]["detail"] == f"answers with {media}, which select.types does not have"


TYPES = [
    # path, Content-Type, class; "" for a page
    ("page", "application/xhtml+xml", ""),
    ("page.html", "application/octet-stream", "other-type"),
    ("page.html", "text/plain; charset=utf-8", "other-type"),
    ("page.php", "application/x-httpd-php", "other-type"),
    ("manual.pdf", "application/pdf", "excluded"),
    ("manual.pdf", "application/octet-stream", "excluded"),
    ("app.css", "text/css", "excluded"),
    ("tool.exe", "application/octet-stream", "excluded"),
    ("manual.pdf", "text/html", ""),
]


@pytest.mark.parametrize(("path", "media", "found"), TYPES)
def test_V_06_a_url_that_is_no_page_by_its_name_is_excluded(path: str, media: str, found: str) -> None:
    sitemap("sitemap.xml", "", path)
    _, report = served({"/": page("Home"), f"/{path}": Reply(page("A"), type=media), "*": 404})
    assert classes(report) == ({path: found} if found else {})


def test_V_06_in_a_folder() -> None:
    """A page that became a file without extension, which a server sends as no page."""
    sitemap("sitemap.xml", "", "about", "manual.pdf")
    files = {"index.html": page("Home"), "about": page("About"), "manual.pdf": b"%PDF-1.7"}
    code, report = build(files)
    assert (code, classes(report)) == (1, {"about": "other-type", "manual.pdf": "excluded"})


# V-05: a hand edit beside a page that gives no answer


@ENGINES
@pytest.mark.parametrize("command", ["check", "write"])
def test_V_05_without_an_answer_the_baseline_keeps_its_pages(command: str, engine: str) -> None:
    """DIFF-20: whatever the committed file says, and whatever crawl.allow-undetermined allows."""
    sitemap("sitemap.xml", "")
    sitemap("base.xml", "", "a/")
    routes: dict[str, Route] = {"/": page("Home"), "/a/": 503, "*": 404}
    more = ["--baseline", "base.xml", "--set", f"http.engine={engine}", "--set", "crawl.allow-undetermined=50"]
    code, report = served(routes, *more, command=command)
    assert (code, report["result"], report["complete"]) == (3, "inconclusive", False)
    assert (report["stale"]["missing"], report["removed"]) == ([f"{SITE}a/"], [])
    assert "a/" not in Path("sitemap.xml").read_text()
    if command == "check":
        (cause,) = report["causes"]
        assert cause.startswith("1 page of the baseline is not in sitemap.xml and gave no usable answer")


def test_V_05_an_answer_still_proves_what_it_proves() -> None:
    """A page that is gone beside it: drift, with the page that gave no answer kept."""
    sitemap("sitemap.xml", "")
    sitemap("base.xml", "", "a/", "b/")
    code, report = served({"/": page("Home"), "/a/": 503, "*": 404}, "--baseline", "base.xml")
    assert (code, classes(report), report["complete"]) == (1, {"b/": "gone"}, False)


# V-08: short shells


SHORT = '<!doctype html><title>App</title><div id="root"></div><script type="module" src="/app.js"></script>'


@ENGINES
def test_V_08_a_short_shell_hides_its_links(engine: str) -> None:
    """Its structure says that scripts build it, whatever its length: as the start page it hides the whole site."""
    assert len(SHORT) < 200
    sitemap("sitemap.xml", "", "about")
    routes: dict[str, Route] = {"/": SHORT, "/about": page("About"), "*": 404}
    code, report = served(routes, "--set", f"http.engine={engine}", command="check")
    assert (code, report["result"], report["complete"]) == (3, "inconclusive", False)
    assert "creates its links with scripts" in report["incomplete"][0]


def test_V_08_few_shells_are_named_and_hide_nothing() -> None:
    """interface.md, render: only a shell as start page, or 5 % of the pages, make a run inconclusive."""
    names = [f"p{number:02}" for number in range(20)]
    routes: dict[str, Route] = {"/": page("Home", "app", *names), "/app": SHORT, "*": 404}
    routes |= {f"/{name}": page(name) for name in names}
    sitemap("sitemap.xml", "", "app", *names)
    code, report = served(routes)
    assert (code, report["complete"], rules(report)) == (0, True, ["HTML-70"])
    routes |= {"/p00": SHORT}
    assert served(routes)[0] == 3


@pytest.mark.parametrize(
    ("body", "found"),
    [
        pytest.param("<title>x</title><script src=/a.js></script><p>Short.", ["HTML-70"], id="a hint alone"),
        pytest.param("<title>x</title><p>Short.", [], id="a page that no script builds"),
    ],
)
def test_V_08_a_short_page_is_complete(body: str, found: list[str]) -> None:
    sitemap("sitemap.xml", "", "a")
    code, report = served({"/": page("Home", "a"), "/a": body, "*": 404})
    assert (code, report["complete"], rules(report)) == (0, True, found)


# V-11: pages without an answer that no sitemap lists


@ENGINES
@pytest.mark.parametrize("status", [401, 403, 500, 503])
def test_V_11_a_page_without_an_answer_in_no_sitemap_is_a_row(
    status: int, engine: str, capsys: pytest.CaptureFixture[str]
) -> None:
    sitemap("sitemap.xml", "")
    routes: dict[str, Route] = {"/": page("Home", "/account", "/new"), "/account": status, "/new": page("New")}
    for command, code in (("check", 1), ("write", 0)):
        found, report = served({**routes, "*": 404}, "--set", f"http.engine={engine}", command=command)
        assert (found, report["complete"], report["incomplete"]) == (code, True, [])
        assert [row["url"] for row in report["undetermined"]] == [f"{SITE}account"]
        (finding,) = [row for row in report["findings"] if row["rule"] == "HTML-40"]
        assert finding["severity"] == "warning"
        assert "select.exclude" in finding["tip"]
    assert f"{SITE}new" in Path("sitemap.xml").read_text()
    shown = capsys.readouterr().out
    assert shown.count(f"? {SITE}account") == 2, "once for each run"
    assert "HTML-40" not in shown


@pytest.mark.parametrize(
    ("failing", "route", "complete"),
    [
        pytest.param(1, 503, True, id="one page is a row, however small the site"),
        pytest.param(2, 503, True, id="10 %"),
        pytest.param(3, 503, False, id="more than 10 %"),
        pytest.param(3, 401, True, id="a login does not pass"),
        pytest.param(3, servers.reset(), False, id="resets"),
        pytest.param(3, servers.busy(86_400), False, id="busy for longer than allowed"),
    ],
)
def test_V_11_a_site_of_which_many_pages_fail_was_not_seen(failing: int, route: Route, complete: bool) -> None:
    names = [f"p{number:02}" for number in range(19)]
    sitemap("sitemap.xml", "", *names[failing:])
    routes: dict[str, Route] = {"/": page("Home", *names), "*": 404}
    routes |= {f"/{name}": route if number < failing else page(name) for number, name in enumerate(names)}
    code, report = served(routes)
    assert (code, report["result"], report["complete"]) == (
        (0, "in-sync", True) if complete else (3, "inconclusive", False)
    )
    if not complete:
        assert report["incomplete"] == [
            "3 of 20 pages gave no usable answer for reasons that may pass (5xx, time-outs, resets): more than 10 %"
        ]


# V-17: a coded body that ends early


@ENGINES
@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_V_17_a_page_whose_coding_ends_early_has_no_answer(coding: str, engine: str) -> None:
    """Content-Length is right, and the last links are missing: nothing may be removed for that."""
    names = [f"p{number}" for number in range(40)]
    sitemap("sitemap.xml", "", "list", *names)
    whole = page("List", *names)
    packed = gzip.compress(whole.encode()) if coding == "gzip" else zlib.compress(whole.encode())
    cut = Reply(packed[: len(packed) * 6 // 10], headers={"Content-Encoding": coding})
    routes: dict[str, Route] = {"/": page("Home", "list"), "/list": cut, "*": 404}
    routes |= {f"/{name}": page(name) for name in names}
    code, report = served(routes, "--set", f"http.engine={engine}", command="write")
    assert (code, report["complete"], report["removed"]) == (0, False, [])
    (row,) = report["undetermined"]
    assert (row["url"], row["reason"]) == (f"{SITE}list", "the compressed body is broken")


# V-22: redirects to a start page


def redirects(targets: Mapping[str, str], status: int = 301) -> dict[str, Route]:
    homes = {f"/{target}": page(f"Home {target}") for target in ("", "de/", "fr/", "pt-br/")}
    return {**homes, **{f"/{path}": redirect(f"/{target}", status) for path, target in targets.items()}, "*": 404}


HOMES = [
    # name, redirects, status, class
    ("three to the start page", {"a": "", "b": "", "c/d": ""}, 301, "moved-home"),
    ("308", {"a": "", "b": "", "c/d": ""}, 308, "moved-home"),
    ("per language", {"de/a": "de/", "fr/b": "fr/", "pt-br/c": "pt-br/"}, 301, "moved-home"),
    ("two may be replaced by it", {"a": "", "b": ""}, 301, "moved"),
    ("temporarily", {"a": "", "b": "", "c": ""}, 302, "moved-temporary"),
]


@pytest.mark.parametrize(("targets", "status", "found"), [pytest.param(*row[1:], id=row[0]) for row in HOMES])
def test_V_22_redirects_to_a_start_page(targets: dict[str, str], status: int, found: str) -> None:
    sitemap("sitemap.xml", "", "de/", "fr/", "pt-br/", *targets)
    code, report = served(redirects(targets, status))
    assert classes(report) == dict.fromkeys(targets, found)
    lost = "pages of the baseline are lost" in " ".join(report["causes"])
    assert (code, lost) == (1, found != "moved")


def test_V_22_they_are_lost_in_a_writing_mode_too() -> None:
    targets = {f"old/{number}": "" for number in range(6)}
    sitemap("sitemap.xml", "", *targets)
    code, report = served(redirects(targets), command="write")
    assert (code, [guard["key"] for guard in report["guards"]]) == (1, ["policy.max-removed"])
    assert "DIFF-09" not in rules(report)  # the class says it


def spellings(paths: Sequence[str]) -> dict[str, str]:
    return dict.fromkeys(paths, "")


def test_V_22_other_spellings_of_a_start_page_are_no_loss() -> None:
    targets = spellings(["index.html", "index.php", "de/index.html", "en"])
    sitemap("sitemap.xml", "", "de/", "fr/", "pt-br/", *targets)
    assert classes(served(redirects(targets))[1]) == dict.fromkeys(targets, "moved")


def test_V_22_in_a_folder() -> None:
    sitemap("sitemap.xml", "", "a/", "b/", "c/")
    stub = '<!doctype html><meta http-equiv="refresh" content="0; url=/">'
    _, report = build({"index.html": page("Home"), **{f"{name}/index.html": stub for name in "abc"}})
    assert classes(report) == dict.fromkeys(["a/", "b/", "c/"], "moved-home")
