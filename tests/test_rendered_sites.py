"""The program with a real Chromium: an application that is served, or a folder, and what its pages cannot reach."""

import json
import os
import signal
import socket
import struct
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import applications_by_hand as application
from browser import program
from html_reports import html_data
from servers import Answering, Asked, Reply, serve
from sitemap_action.__main__ import run
from sitemap_action.console import streams
from sitemap_action.model.observer import Screenshots
from sitemap_action.sitemap.protocol import USUAL_PATHS
from test_deployed_folder import mkdocs
from test_second_runs import unchanged

__all__ = ["mkdocs"]

SITE = "https://www.example.com/"
SOON = ("--set", "render.wait-for-timeout=0.2")  # for what has no link
PAGES = [SITE, f"{SITE}a", f"{SITE}b"]
TWO_PAGES = application.ROUTER.replace('["/a", "/b", "/missing"]', '["/a"]').replace('["/", "/b", "/old"]', '["/"]')


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SITEMAP_ACTION_BROWSER", program())
    return tmp_path


def check(*arguments: str) -> tuple[int, dict[str, Any]]:
    quick = ["--set", "http.backoff=0.01", "--set", "render.wait-for-timeout=5", "--quiet"]
    code = run(["check", "--site-url", SITE, *quick, *arguments, "--report", "json=report.json"])
    return code, json.loads(Path("report.json").read_text())


def committed(*paths: str) -> None:
    locs = "".join(f"<url><loc>{SITE}{path}</loc></url>" for path in paths)
    Path("sitemap.xml").write_text(f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{locs}</urlset>')


def urls(report: dict[str, Any]) -> list[str]:
    return [row["url"] for row in report["added"]]


def classes(report: dict[str, Any]) -> dict[str, str]:
    return {row["url"].removeprefix(SITE): row["reason"] for row in report["skipped"]}


def shells(report: dict[str, Any]) -> dict[str, str]:
    return {row["url"]: row["message"] for row in report["findings"] if row["rule"] == "HTML-70"}


class Crawled(NamedTuple):
    """A check of the served application, with a secret header and every report; /b is a page without scripts."""

    code: int
    report: dict[str, Any]
    files: dict[str, str]  # reports by name
    headers: dict[str, str]  # path → the secret that was sent with its request


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    static = {"/b": "<title>B</title><a href=/>Home</a><p>" + "word " * 60}
    with pytest.MonkeyPatch.context() as patch, serve(application.routes(**static)) as site:
        patch.chdir(tmp_path_factory.mktemp("crawled"))
        patch.setenv("SITEMAP_ACTION_BROWSER", program())
        patch.setenv("SITEMAP_ACTION_HEADERS", "X-Preview: hush-hush")
        code, report = check("--url", site.url, "--report", "html=report.html", "--report", "markdown=report.md")
        files = {one.name: one.read_text() for one in Path().iterdir() if one.is_file()}
        return Crawled(code, report, files, {one.path: one.header("x-preview") for one in site.asked})


def test_HTML_70_the_pages_of_an_application_are_found(crawled: Crawled) -> None:
    """Its router's own view of a missing page is no page, and where it goes elsewhere is a redirect."""
    report = crawled.report
    assert (crawled.code, report["complete"], urls(report)) == (1, True, PAGES)
    assert classes(report) == {"missing": "soft-404", "old": "moved"}
    assert report["rendering"]["pages"] == 5
    assert "5 pages rendered in a browser" in report["notes"]
    assert [row["rule"] for row in report["findings"] if row["rule"] == "HTML-70"] == []


def test_HTML_70_a_folder_is_seen_as_its_host_would_serve_it(workspace: Path) -> None:
    """There is no server: the browser is answered from the folder, with the fallback that its host has."""
    application.build(workspace / "dist")
    committed("", "a", "b", "gone")
    code, report = check("--path", "dist", "--sitemap", "sitemap.xml")
    assert (code, report["complete"], report["stale"]["missing"]) == (1, True, [])
    assert [(row["url"], row["class"]) for row in report["removed"]] == [(f"{SITE}gone", "soft-404")]
    assert classes(report) == {"missing": "soft-404", "old": "moved"}
    told = [row["rule"] for row in report["findings"] if row["rule"] in {"HOST-09", "HTML-46"}]
    assert told == ["HOST-09"]  # its rule is named, and not a second time a random address
    (workspace / "dist/app.js").write_text("throw new Error('broken')")
    code, report = check("--path", "dist", "--sitemap", "sitemap.xml", *SOON)
    assert (code, report["complete"], report["removed"]) == (3, False, [])
    assert (
        "could not be run (its scripts make no text and no link within render.wait-for-timeout; a script: Error: broken)"
        in report["incomplete"][0]
    )
    assert shells(report)[SITE].endswith(
        "; a browser shows no page: its scripts make no text and no link within render.wait-for-timeout; a script: Error: broken"
    )


@pytest.mark.parametrize(
    ("script", "why"),
    [
        (404, "app.js: answers 404"),
        (application.SHELL, "app.js: answers with text/html, which is no script"),  # as a fallback does
        (Reply("throw new Error('broken')", type="text/javascript"), "a script: Error: broken"),
    ],
    ids=["missing", "fallback", "error"],
)
def test_HTML_70_what_stopped_the_scripts_is_named(script: Any, why: str) -> None:
    """In the finding, in the row of each page that nothing tells from a missing one, and in the reason of the run."""
    committed("", "a")
    with serve({**application.routes(), "/app.js": script}) as site:
        code, report = check("--url", site.url, "--sitemap", "sitemap.xml", *SOON)
    assert (code, report["removed"]) == (3, [])
    assert why in shells(report)[f"{SITE}a"]
    assert [why in row["reason"] for row in report["undetermined"]] == [True, True], report["undetermined"]
    assert why in " ".join(report["incomplete"])


UNSEEN = """
const root = document.getElementById("root"), link = (to) => root.insertAdjacentHTML("beforeend", `<a href="${to}">x</a>`);
root.innerHTML = `<a href="/a">a</a><p>${"word ".repeat(70)}</p><button>more</button><div id="closed"></div>`;
document.getElementById("closed").attachShadow({mode: "closed"}).innerHTML = '<a href="/closed">c</a>';
document.body.appendChild(document.createElement("iframe")).srcdoc = '<a href="/framed">f</a>';
document.querySelector("button").addEventListener("click", () => link("/clicked"));
addEventListener("scroll", () => link("/scrolled"));
fetch("/open.json", {method: "POST", body: "{}"}).then(() => link("/posted"), () => {});
fetch("/open.json").then(() => link("/read"), () => {});
fetch("/data.json").then(() => {}, () => link("/blocked"));
fetch("OTHER").then(() => link("/elsewhere"), () => {});
"""


@pytest.mark.parametrize("named", [False, True], ids=["of the site", "of the repository"])
@pytest.mark.parametrize("folder", [False, True], ids=["server", "folder"])
def test_what_a_browser_does_not_see(folder: bool, named: bool, workspace: Path) -> None:
    """No page has a file: each link that was seen leads to nothing."""
    robots = "User-agent: *\nDisallow: /data.json\n"
    application.build(workspace / "dist")
    (workspace / "dist/data.json").rename(workspace / "dist/open.json")
    with serve({"/x": Reply("words", headers={"access-control-allow-origin": "*"})}) as other:
        script = UNSEEN.replace("OTHER", f"{other.url}x")
        (workspace / "named.txt").write_text(robots)
        served = "User-agent: *\nDisallow: /app.js\n" if named else robots  # which does not count
        for name, text in (("app.js", script), ("robots.txt", served), ("_redirects", "")):
            (workspace / "dist" / name).write_text(text)
        with serve({"*": 404}) as site:
            site.routes |= {**application.routes(script), "*": 404, "/": application.SHELL, "/open.json": "words"}
            site.routes["/robots.txt"] = Reply(served, type="text/plain")
            source = ("--path", "dist", "--host", "nginx") if folder else ("--url", site.url)
            rules = ("--set", "crawl.robots=file:named.txt") if named else ()
            _, report = check(*source, *rules, "--allow-private-hosts", "127.0.0.1")
        assert bool(other.asked) is not folder
    assert classes(report) == dict.fromkeys(["a", "blocked", "read", *([] if folder else ["elsewhere"])], "gone")


def test_with_a_state_every_page_is_rendered_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The shell is the same all the time, and its ETag too: what its scripts load decides, and whether a browser is there."""
    static = "<title>Home</title><a href=/a>A</a><p>" + "word " * 60
    with serve(application.routes(TWO_PAGES, **{"/": static, "*": unchanged(application.SHELL)})) as site:
        given = ("--url", site.url, "--state", "state.sqlite")
        with monkeypatch.context() as patch:
            patch.setenv("SITEMAP_ACTION_BROWSER", "none")
            assert check(*given)[1]["complete"] is False
        first = check(*given)[1]
        more = TWO_PAGES.replace('"Page A", ["/"]', '"Page A", ["/", "/c"]')
        site.routes["/app.js"] = Reply(more, type="text/javascript")
        again = check(*given)[1]
    assert [one["rendering"]["pages"] for one in (first, again)] == [2, 3]
    assert urls(first) == urls(again) == PAGES[:2]
    assert (classes(first), classes(again)) == ({}, {"c": "soft-404"})


def test_a_build_with_a_state(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same build is the same report; whether a browser is there decides what counts of it."""
    application.build(workspace / "dist")
    (workspace / "dist/app.js").write_text(TWO_PAGES)
    first, second = (check("--path", "dist", "--state", "state.sqlite")[1] for _ in range(2))
    for one in (first, second):
        one["rendering"].pop("seconds")
    assert second == first
    assert urls(first) == PAGES[:2]
    monkeypatch.setenv("SITEMAP_ACTION_BROWSER", "none")
    without = check("--path", "dist", "--state", "state.sqlite")[1]
    assert (urls(without), without["complete"]) == ([SITE], False)


def test_without_a_browser(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], workspace: Path
) -> None:
    monkeypatch.setenv("SITEMAP_ACTION_BROWSER", "none")
    committed("", "a", "b")
    application.build(workspace / "dist")
    with serve(application.routes()) as site:
        for source in (("--url", site.url), ("--path", "dist")):
            code, report = check(*source, "--sitemap", "sitemap.xml")
            assert (code, report["complete"], report["removed"]) == (3, False, [])
            assert any("install Chromium (Debian: chromium-headless-shell)" in why for why in report["incomplete"])
            assert "rendering" not in report
            code = run(["check", *source, "--site-url", SITE, "--set", "render.when=always"])
            assert code == 2
            assert "browser: true in the action" in capsys.readouterr().err


def explained(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    capsys.readouterr()
    assert run(["explain", "--site-url", SITE, "--quiet", "--format", "json", *arguments]) == 0
    return dict(json.loads(capsys.readouterr().out))


@pytest.mark.parametrize("folder", [False, True], ids=["server", "folder"])
def test_explain_judges_what_check_judged(
    folder: bool, workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A page of an application is rendered; where it is not, the answer says so, and why."""
    shell = "<div id=root> and fewer than 5 children of <body>"
    application.build(workspace / "dist")
    with serve(application.routes()) as site:
        source = ("--path", "dist") if folder else ("--url", site.url)
        found = explained(capsys, *source, "/old")
        assert (found["reason"], found["hops"][0]["to"]) == ("moved", f"{SITE}b")
        browser = found["rendering"].pop("browser")
        assert "Chrom" in browser
        assert found["rendering"] == {"shell": shell, "rendered": True, "reason": "", "documents": [], "screenshot": ""}
        served, made = explained(capsys, *source, "/a")["rendering"]["documents"]
        assert served == {"title": "App", "canonical": "", "robots": [], "links": 0, "words": 0}
        assert made == served | {"title": "Page A", "links": 3, "words": made["words"]}
        assert made["words"] > 60
        if not folder:
            assert run(["explain", "--site-url", SITE, "--quiet", *source, "/a"]) == 0
            out = capsys.readouterr().out
            assert "as served   title 'App'; canonical none; robots none; 0 links, 0 words" in out
            assert "by scripts  title 'Page A'; canonical none; robots none; 3 links, " in out
        never = explained(capsys, *source, "/", "--set", "render.when=never")
        assert never["rendering"] == {
            "shell": shell,
            "rendered": False,
            "browser": "",
            "reason": "render.when is never",
            "documents": [],
            "screenshot": "",
        }
        monkeypatch.setenv("SITEMAP_ACTION_BROWSER", "none")
        without = explained(capsys, *source, "/")
        assert without["rendering"]["reason"].startswith("no browser is found here: install Chromium")
        assert run(["explain", "--site-url", SITE, "--quiet", *source, "/"]) == 0
    out = capsys.readouterr().out
    assert f"only scripts make a page of what is served ({shell}), and it is not rendered here: no browser" in out


def test_the_reports_show_what_is_served_beside_what_is_rendered(crawled: Crawled) -> None:
    """The same values as in the answer of `explain`, in JSON, HTML and Markdown; a page that scripts change."""
    served = {"title": "App", "canonical": "", "robots": [], "links": 0, "words": 0}
    found = {row["url"]: row["documents"] for row in crawled.report["rendering"]["differing"]}
    assert [*found] == [SITE, f"{SITE}a", f"{SITE}missing"]  # nothing is rendered of /b
    words = found[f"{SITE}a"][1]["words"]
    assert found[f"{SITE}a"] == [served, served | {"title": "Page A", "links": 3, "words": words}]
    shown = dict(html_data(crawled.files["report.html"])["rendered"])
    pairs = [["title", "App", "Page A"], ["canonical", "", ""], ["robots", "", ""], ["links", "0", "3"]]
    assert shown[f"{SITE}a"] == [*pairs, ["words", "0", str(words)]]
    line = f"- `{SITE}a` title `App` → `Page A`, links `0` → `3`, words `0` → `{words}`"
    assert line in crawled.files["report.md"].splitlines()


STYLE = "body { background: #ff0000 } h1 { color: #ffffff }"


def first_row(content: bytes) -> tuple[int, int, set[bytes]]:
    """(width, height, colours of the first row) of a PNG without a palette."""
    width, height, depth, color = struct.unpack(">8x8xIIBB", content[:26])
    assert (depth, color) in {(8, 2), (8, 6)}
    at, packed, size = 8, b"", 3 if color == 2 else 4
    while at < len(content):
        (length,) = struct.unpack(">I", content[at : at + 4])
        packed += content[at + 8 : at + 8 + length] if content[at + 4 : at + 8] == b"IDAT" else b""
        at += length + 12
    rows = zlib.decompress(packed)
    row = bytearray(rows[1 : 1 + width * size])
    for place in range(size, len(row)) if rows[0] in {1, 4} else ():  # each byte as its difference to the left pixel
        row[place] = (row[place] + row[place - size]) & 255
    return width, height, {bytes(row[place : place + 3]) for place in range(0, len(row), size)}


@pytest.mark.parametrize("folder", [False, True], ids=["server", "folder"])
def test_screenshots_on_request(folder: bool, workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One of each rendered page, with its style sheets, which change no verdict; reports and `explain` name it."""
    shell = f"<link rel=stylesheet href=/a.css>{application.SHELL}"
    application.build(workspace / "dist")
    for name, content in (("index.html", shell), ("a.css", STYLE)):
        (workspace / "dist" / name).write_text(content)
    names = {f"{SITE}": "start-8a5edab2.png", f"{SITE}a": "a-6a50dc85.png", f"{SITE}missing": "missing-f2972211.png"}
    routes = application.routes(**{"/a.css": Reply(STYLE, type="text/css"), "*": shell})
    with serve(routes) as site:
        source = ("--path", "dist") if folder else ("--url", site.url)
        _, plain = check(*source)
        assert not folder or site.asked == []
        assert "/a.css" not in [one.path for one in site.asked]
        _, report = check(*source, "--screenshots", "shots", "--report", "html=out/report.html")
        rows = {row["url"]: row.pop("screenshot") for row in report["rendering"]["differing"]}
        assert rows == {url: f"shots/{name}" for url, name in names.items()} | {f"{SITE}b": "shots/b-9812b0b9.png"}
        assert sorted(f"shots/{one.name}" for one in Path("shots").iterdir()) == sorted(rows.values())
        for one in (plain, report):
            one["rendering"].pop("seconds")
        assert report == plain
        assert first_row(Path(rows[f"{SITE}a"]).read_bytes()) == (640, 480, {b"\xff\x00\x00"})
        if not folder:
            found = explained(capsys, *source, "/a", "--screenshots", "one")
            assert found["rendering"]["screenshot"] == "one/a-6a50dc85.png"
            assert [one.name for one in Path("one").iterdir()] == ["a-6a50dc85.png"]
    page = Path("out/report.html").read_text()
    assert {row[0]: row[2] for row in html_data(page)["rendered"]}[f"{SITE}a"] == "../shots/a-6a50dc85.png"
    assert "; img-src 'self'\"" in page


def test_screenshots_are_bounded_and_fail_no_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], workspace: Path
) -> None:
    """They lie beside the site; what cannot be written is said, and none is made of a page with a secret of the run."""
    application.build(workspace / "dist")
    (workspace / "file").write_text("")
    for name, why in (
        ("dist/shots", "is in the build dist, which is published"),
        (".git/shots", "is in .git"),
        ("file", "is no folder"),
    ):
        assert run(["check", "--path", "dist", "--site-url", SITE, "--screenshots", name]) == 2
        assert f"--screenshots {name} {why}" in capsys.readouterr().err
    shard = ("--shard", "1/2", "--state", "s", "--screenshots", "shots")
    assert run(["check", "--path", "dist", "--site-url", SITE, *shard]) == 2
    capsys.readouterr()
    (workspace / "dist/app.js").write_text(application.ROUTER.replace('["/a", "/b", "/missing"]', "[]"))
    code, report = check("--path", "dist", "--screenshots", "file/shots")
    assert (code, report["rendering"]["pages"]) == (1, 1)
    assert "warning: cannot write file/shots/" in (told := capsys.readouterr().err)
    assert "the report shows no screenshots" in told
    assert not any("screenshot" in row for row in report["rendering"]["differing"])
    assert Screenshots("shots").most == 200
    monkeypatch.setattr(streams, "Screenshots", partial(Screenshots, most=2))
    with serve(application.routes()) as site:
        monkeypatch.setenv("SITEMAP_ACTION_HEADERS", "X-Key: words of Page A")
        assert run(["check", "--url", site.url, "--site-url", SITE, "--screenshots", "few"]) == 1
    assert "2 screenshots in few, of the first 2 pages and none of 1 more" in capsys.readouterr().err
    assert len([*Path("few").iterdir()]) == 2
    assert not [*Path("few").glob("a-*")]


def test_a_program_that_is_no_browser(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Where the user demands rendering there is no verdict; else each shell says why it is one still."""
    monkeypatch.setenv("SITEMAP_ACTION_BROWSER", "ls")  # which takes no --headless
    with serve(application.routes()) as site:
        always = ("--set", "render.when=always", "--url", site.url, "--site-url", SITE, "--quiet")
        for command in (("check",), ("explain", "/a")):
            assert run([*command, *always]) == 2
            said = capsys.readouterr().err
            assert "error: render.when is always, and SITEMAP_ACTION_BROWSER names" in said
            assert "ls, which cannot be used: it ended while it started (exit status 2): " in said
            assert "hint: install Chromium" in said
        assert {one.path for one in site.asked} <= {"/robots.txt", *USUAL_PATHS}, "no page"
        code, report = check("--url", site.url)
    assert (code, report["rendering"]["pages"], report["rendering"]["failed"]) == (3, 0, 2)
    why = report["rendering"]["failure"]
    assert f"2 could not be rendered: {why}" in report["notes"]
    assert why in " ".join(report["incomplete"])


def test_HOST_09_an_application_below_a_path_has_its_own_fallback(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its rule is named with its paths, and no random address beside it; without a browser its routes are not known."""
    application.build(workspace / "dist")
    (workspace / "dist/app").mkdir()
    (workspace / "dist/index.html").rename(workspace / "dist/app/index.html")
    (workspace / "dist/_redirects").write_text("/app/* /app/index.html 200\n")
    (workspace / "dist/index.html").write_text("<title>Start</title><a href=/app/>To the application</a>")
    router = application.ROUTER.replace('"/', '"/app/').replace('fetch("/app/', 'fetch("/')
    (workspace / "dist/app.js").write_text(router)
    code, report = check("--path", "dist", "--set", "source.host=netlify")
    found = {row["rule"]: row for row in report["findings"]}
    assert (
        found["HOST-09"]["message"]
        == "the host answers some paths that do not exist with 200: /app/*, by _redirects line 1"
    )
    assert (code, report["complete"], "HTML-46" in found, urls(report)) == (
        1,
        True,
        False,
        [SITE, *(f"{SITE}app/{path}" for path in ("", "a", "b"))],
    )
    monkeypatch.setenv("SITEMAP_ACTION_BROWSER", "none")
    without = check("--path", "dist", "--set", "source.host=netlify")[1]
    assert (without["complete"], urls(without)) == (False, [SITE, f"{SITE}app/"])


def test_HTML_72_a_served_noindex_holds() -> None:
    shell = application.SHELL.replace("<title>", '<meta name="robots" content="noindex"><title>')
    home = application.ROUTER.replace('["/a", "/b", "/missing"]', '["/a", "/b"]').replace('["/", "/b", "/old"]', "[]")
    router = f"{home}\ndocument.querySelector('meta').remove();"
    with serve(application.routes(router, **{"/b": shell})) as site:
        _, report = check("--url", site.url)
    assert urls(report) == PAGES[:2]
    assert classes(report)["b"] == "deindexed"


@contextmanager
def listener() -> Iterator[tuple[int, list[str]]]:
    """A port on loopback that nothing may connect to, and who did."""
    server, found = socket.create_server(("127.0.0.1", 0)), list[str]()

    def accept() -> None:
        while True:
            try:
                connection, address = server.accept()
            except OSError:
                return
            found.append(str(address))
            connection.close()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield server.getsockname()[1], found
    finally:
        server.close()


ATTACKS = """
const tried = [
  "http://127.0.0.1:PORT/", "http://localhost:PORT/", "http://[::1]:PORT/", "http://169.254.169.254/latest/meta-data/",
  "file:///etc/passwd", "http://10.0.0.1/", "ftp://127.0.0.1:PORT/",
];
const got = [];
for (const url of tried) {
  try { const answer = await fetch(url, {mode: "no-cors"}); got.push(url + answer.status) } catch {}
  document.body.append(Object.assign(document.createElement("img"), {src: url}));
  document.body.append(Object.assign(document.createElement("iframe"), {src: url}));
  document.body.append(Object.assign(document.createElement("script"), {src: url}));
}
try { new WebSocket("ws://127.0.0.1:PORT/") } catch {}
try { new EventSource("http://127.0.0.1:PORT/") } catch {}
try { new Worker(URL.createObjectURL(new Blob(["fetch('http://127.0.0.1:PORT/')"]))) } catch {}
try { navigator.sendBeacon("http://127.0.0.1:PORT/", "x") } catch {}
try { await fetch("/write", {method: "POST", body: "x"}) } catch {}
try { await navigator.serviceWorker.register("/app.js") } catch {}
const form = document.body.appendChild(document.createElement("form"));
Object.assign(form, {method: "post", action: "/write"});
document.getElementById("root").innerHTML = "<h1>Done</h1><p>" + location.pathname + " words ".repeat(60) + got.join(" ") + '</p><a href="/">x</a>';
form.submit();
"""


@pytest.mark.attack("addresses")
def test_a_page_reaches_nothing_but_its_site() -> None:
    """Other ports of this machine, the metadata service, files: not by a request, a frame, a socket, a worker."""
    with listener() as (port, found):
        script = Reply(ATTACKS.replace("PORT", str(port)), type="text/javascript")
        with serve({**application.routes(), "/app.js": script, "/write": 404}) as site:
            _, report = check("--url", site.url)
            asked = [(one.method, one.path) for one in site.asked]
    assert urls(report) == [SITE]
    assert found == []
    assert {method for method, _ in asked} == {"GET"}
    assert "/write" not in {path for _, path in asked}


@pytest.mark.attack("secrets")
def test_NET_12_a_secret_header_goes_to_the_site_alone(crawled: Crawled) -> None:
    assert crawled.headers["/app.js"] == crawled.headers["/data.json"] == "hush-hush"
    assert crawled.files.keys() == {"report.json", "report.html", "report.md"}
    assert not any("hush-hush" in text for text in crawled.files.values())


def browsers() -> list[int]:
    """Those that this process has started."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parent = stat.read_text().rpartition(")")[2].split()[1]
            if parent == str(os.getpid()) and "--remote-debugging-pipe" in (stat.parent / "cmdline").read_text():
                found.append(int(stat.parent.name))
    return found


def test_a_browser_that_is_killed_in_the_middle_changes_nothing() -> None:
    killed: list[int] = []

    def answer(_asked: Asked) -> str:
        if not killed:
            killed.extend(browsers())
            for pid in killed:
                os.killpg(pid, signal.SIGKILL)
        return application.SHELL

    with serve(application.routes(**{"/b": Answering(answer)})) as site:
        code, report = check("--url", site.url)
    assert killed
    assert (code, report["incomplete"], urls(report)) == (1, [], PAGES)
    assert classes(report) == {"missing": "soft-404", "old": "moved"}
    assert browsers() == []


def test_a_static_site_is_the_same_as_a_browser_sees_it(mkdocs: Path) -> None:
    """Every page is rendered, and nothing in the report but what that cost is another."""
    common = ["--path", str(mkdocs), "--offline"]
    _, never = check(*common, "--set", "render.when=never")
    _, always = check(*common, "--set", "render.when=always")
    assert always.pop("rendering")["pages"] == 12
    always["notes"].remove("12 pages rendered in a browser")
    assert always == never
