"""The ledger in whole runs: what a check says of each line, in every format, of a folder, a served site, a change."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from documents import text
from known_faults import CHECK, SITE, files, html, put
from repositories import checkout, pull_request
from runners import SITEMAP, Job, build, listed
from servers import serve
from sitemap_action.__main__ import run
from sitemap_action.config.lists import read_ledger
from sitemap_action.reports.all import FORMATS
from sitemap_action.walk.build import find_moved

LIST = ".github/urls.txt"
PAGES = ("a", "b", "c")
ON = ["--set", f"policy.ledger={LIST}", "--host", "netlify"]
RULES = """/old/ /gone/ 301
/x/ /y/ 301
/y/ /a/ 301
/moved/ /a/ 301
/temporary/ /a/ 302
/elsewhere/ https://other.example/ 301
/loop/ /loop/ 301
/retired/* /404.html 410
"""
LINES = """/a/
/moved/
/x/
/old/
/temporary/
/elsewhere/
/never/
/retired/page/
/left/
/noindex/
/over/ gone 2026-01-01 over since May
/b/ gone 2026-01-01 over since May
a/b
/a/index.html
"""
DEAD = {
    "/old/": ("redirect-broken", 4),
    "/temporary/": ("moved-temporary", 5),
    "/elsewhere/": ("moved-offsite", 6),
    "/never/": ("gone", 7),
    "/noindex/": ("deindexed", 10),
}
NOINDEX = '<!doctype html><title>x</title><meta name="robots" content="noindex"><p>x'


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    more = {"dist/_redirects": RULES, "dist/noindex/index.html": NOINDEX, "dist/404.html": "<p>gone", LIST: LINES}
    put(tmp_path, {**files(PAGES, PAGES, frozenset()), **more})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def report(*flags: str, command: str = "check") -> tuple[int, dict[str, Any]]:
    code = run([command, *CHECK[1:], *ON, "--report", "json=out/report.json", *flags])
    return code, json.loads(Path("out/report.json").read_text())


LEFT_OUT = ["--set", "select.exclude=[/left/**]"]


def test_what_is_said_of_each_line(site: Path) -> None:
    code, found = report(*LEFT_OUT)
    dead = {row["url"].removeprefix(SITE[:-1]): (row["class"], row["line"]) for row in found["ledger"]["dead"]}
    assert (code, found["result"], dead) == (1, "drift", DEAD)
    classes = "1 moved-temporary, 1 moved-offsite, 1 redirect-broken, 1 gone, 1 deindexed"
    assert found["causes"] == [f"5 addresses of {LIST} are dead: {classes}; 1 line is wrong"]
    assert found["ledger"]["addresses"] == 13, "with another address of a page that is listed"
    assert [(row["url"], row["hops"]) for row in found["ledger"]["long_ways"]] == [(f"{SITE}x/", 2)]
    named = {(row["rule"], row["severity"], row.get("line")) for row in found["findings"] if row["rule"][:3] == "LED"}
    assert named == {("LED-01", "error", 6), ("LED-02", "info", 3), ("LED-03", "error", 13), ("LED-04", "warning", 12)}
    urls = {row["url"] for row in found["skipped"]}
    assert not urls & {f"{SITE}moved/", f"{SITE}never/", f"{SITE}x/"}, "what no page links to has no other row"


MOVED = """/m1/ /a/ 301
/m2/ /noindex/ 301
/m3/ /b/ 308
/blocked/m4/ /a/ 301
/left/m5/ /a/ 301
/m6/ /a/ 302
/m7/ /a 301
/m8/ /a/?x=1 301
/m9/* /:splat 301
/a/ /b/ 301!
/m10/ /a/ 301
/m11/ https://www.example.com/b/ 301
/m12/ /404.html 301
"""


@pytest.mark.parametrize("host", ["netlify", "cloudflare-pages"])
def test_an_address_that_a_rule_redirects_at_once_is_judged_as_any_other(
    host: str, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has no row: what is said of it is the same as with one."""
    Path("dist/_redirects").write_text(MOVED)
    Path("dist/robots.txt").write_text("User-agent: *\nDisallow: /blocked/\n")
    more = "/a/\n/m9/b/\n/m9/nowhere/\n/m1/?y=2\n/m%31/\n/b/\n/c\n"
    Path(LIST).write_text(re.sub(r" .*", "", MOVED).replace("*", "") + more)

    def judged(number: int) -> tuple[object, ...]:
        monkeypatch.setattr("sitemap_action.walk.built_site.find_moved", kept if number else aside)
        _, found = report("--host", host, *LEFT_OUT)
        added = run(["ledger", *CHECK[1:], "--host", host, "--set", "policy.ledger=new.txt", "--from", LIST])
        lines = Path("new.txt").read_text()
        Path("new.txt").unlink()
        return found["ledger"], found["causes"], found["undetermined"], added, lines

    asked: list[int] = []
    kept = lambda *given: (asked.append(len((found := find_moved(*given))[0])), found)[1]  # noqa: E731
    aside = lambda _, urls, __: ([], list(urls))  # noqa: E731
    with_rows, without = judged(0), judged(1)
    assert without == with_rows
    assert min(asked) >= 4
    assert {"redirect-broken", "deindexed"} <= {row["class"] for row in without[0]["dead"]}


SILENT = [
    ("every line holds", "/a/\n/moved/\n/retired/x/\n/never/ gone 2026-01-01 x\n", [], 0),
    ("a dead one", "/never/\n", [], 1),
    ("the rule is a warning", "/never/\n", ["--set", "checks.LED-01=warning"], 0),
    ("the rule is off", "/never/\n", ["--set", "checks.LED-01=off"], 0),
    ("fail-on has nothing to say", "/never/\n", ["--fail-on", "none"], 1),
    ("an announcement ends, and the address stays", "/never/\n", ["--set", "policy.expected-removals=[{url: /never/, reason: x, until: 2999-01-01}]"], 1),
    ("the host is not known", "/never/\n", ["--host", "auto"], 0),
    ("there is no ledger yet", None, [], 0),
    ("a line that is none", "x\n", [], 1),
    ("nor of a line that is none", "x\n", ["--fail-on", "none"], 1),
    ("three redirects to the start page", "/h1/\n/h2/\n/h3/\n", [], 0),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "flags", "code"), [row[1:] for row in SILENT], ids=[row[0] for row in SILENT])
def test_what_fails(site: Path, lines: str | None, flags: list[str], code: int) -> None:
    Path("dist/_redirects").write_text(RULES + "/h1/ / 301\n/h2/ / 301\n/h3/ / 301\n")
    if flags == ["--host", "auto"]:
        Path("dist/_redirects").unlink()
    Path(LIST).unlink()
    if lines is not None:
        Path(LIST).write_text(lines)
    got, found = report(*flags)
    assert got == code
    unchecked = {row["rule"] for row in found["not_checked"]} & {"LED-01", "LED-02"}
    assert unchecked == ({"LED-01", "LED-02"} if flags == ["--host", "auto"] else set())
    if lines is None:
        assert any("`sitemap-action ledger` makes it" in note for note in found["notes"])


def test_RT_04_an_address_needs_a_rule_that_is_never_served(site: Path) -> None:
    Path("dist/_redirects").write_text(
        "/a/* / 301\n" + "".join(f"/b{number} / 301\n" for number in range(99)) + "/never/ /a/ 301\n"
    )
    Path(LIST).write_text("/never/\n")
    _, found = report("--host", "cloudflare-pages", "--fail-on", "errors")
    assert [
        (row["rule"], row["severity"], row["url"]) for row in found["findings"] if row["rule"].startswith("RT")
    ] == [("RT-04", "error", f"{SITE}never/")]


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_has_its_rows(site: Path, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*CHECK, *ON, *LEFT_OUT, "--format", form]) == 1
    shown = capsys.readouterr().out
    assert EXPECTED[form](shown), shown[:3_000]


EXPECTED = {
    "text": lambda text: f"drift: 5 addresses of {LIST} are dead" in text and f"[{LIST}:7]" in text,
    "markdown": lambda text: text.count("`.github/urls.txt:") >= 5 and "but gone" in text,
    "json": lambda text: len(json.loads(text)["ledger"]["dead"]) == 5,
    "sarif": lambda text: sum(one["ruleId"] == "LED-01" and one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == LIST for one in json.loads(text)["runs"][0]["results"]) == 5,
    "junit": lambda text: text.count('classname="sitemap-action.LED-01"') == 5,
    "gitlab": lambda text: sum(one["check_name"] == "LED-01" and one["location"]["path"] == LIST for one in json.loads(text)) == 5,
    "annotations": lambda text: f"an address that was published is dead (5 addresses),file={LIST},line=6::" in text,
    "csv": lambda text: text.count(",ledger,") == 5,
    "patch": lambda text: "+++ b/" in text and LIST not in text,
    "badge": lambda text: json.loads(text)["message"] == "drift",
    "html": lambda text: f"In {LIST}, but gone" in text,
}  # fmt: skip


def test_a_writing_mode_warns(site: Path) -> None:
    code, found = report(command="write")
    assert code == 0
    assert {row["severity"] for row in found["findings"] if row["rule"] in {"LED-01", "LED-03"}} == {"warning"}


def test_a_writing_mode_adds_the_pages_that_it_lists(site: Path) -> None:
    put(site, {"dist/new/index.html": html("new"), "dist/index.html": html("", (*PAGES, "new"))})
    before = Path(LIST).read_text()
    assert report(command="write")[0] == 0
    assert Path(LIST).read_text() == "/\n" + before.replace("/moved/", "/c/\n/moved/").replace("/x/", "/new/\n/x/")
    written = Path(LIST).read_bytes()
    assert report(command="write")[1]["changed_files"] is False
    assert Path(LIST).read_bytes() == written
    Path(LIST).unlink()
    assert report(command="write")[1]["changed_files"] is True
    assert Path(LIST).read_text().splitlines()[1:] == ["/", "/a/", "/b/", "/c/", "/new/"]


def test_the_page_of_the_documentation_shows_what_is_printed(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made, lines, attributes, red = re.findall(r"(?s)```text\n(.*?)```", text("docs/ledger.md"))
    put(site, {"old.csv": "URL\n/old/\n/never/\n/loop/\n/over/\n"})
    Path(LIST).unlink()
    assert run(["ledger", *CHECK[1:], "--host", "netlify", "--from", "old.csv"]) == 0
    assert capsys.readouterr().out.startswith(re.sub(r"\d.*\n", "8 addresses added, 4 declared gone\n", made, count=1))
    assert not read_ledger(LIST, lines.encode(), SITE).faults
    assert attributes.startswith(LIST)
    put(site, {LIST: "/a/\n/b/\n/old/\n"})
    assert run([*CHECK, *ON]) == 1
    shown = capsys.readouterr().out.splitlines()
    assert [line for line in red.splitlines() if line not in shown] == []


def test_below_a_path_rules_may_have_it(site: Path) -> None:
    """A proxy in front hands a part of its paths on, with what is in front of them or without; its visitors see all."""
    base = f"{SITE}docs/"
    rules = ("/b1/ /docs/a/", "/docs/b2/ /docs/a/", "/b3/ /a/", "/b4/ /docs/none/", "/b5/ /docs/c/a/", "/docs/b6/* /docs/:splat", "/b7/ /docs")  # fmt: skip
    lines = ("b1/", "b2/", "b3/", "b4/", "b5/", "b6/a/", "b7/", "b8/")
    sitemaps = {name: Path(name).read_text().replace(SITE, base) for name in ("sitemap.xml", "dist/sitemap.xml")}
    more = {
        "dist/_redirects": "".join(f"{rule} 301\n" for rule in rules),
        LIST: "".join(f"/docs/{one}\n" for one in lines),
    }
    put(site, {**sitemaps, **more, "dist/docs/c/a/index.html": html("x")})
    for host in ("netlify", "cloudflare-pages"):
        run(["check", "--path", "dist", "--site-url", base, *CHECK[CHECK.index("--sitemap") :], *ON[:2], "--host", host, "--report", "json=out/report.json"])  # fmt: skip
        dead = json.loads(Path("out/report.json").read_text())["ledger"]["dead"]
        assert [(row["url"], row.get("redirect_to")) for row in dead] == [
            (f"{base}b4/", f"{base}none/"),
            (f"{base}b8/", None),
        ]
        put(
            site, {"dist/_redirects": f"/b1/ /docs/a/ 301\n/docs/* {base}:splat 301\n"}
        )  # as for visitors of the host itself
        run(["check", "--path", "dist", "--site-url", base, *CHECK[CHECK.index("--sitemap") :], *ON[:2], "--host", host, "--report", "json=out/report.json"])  # fmt: skip
        found = json.loads(Path("out/report.json").read_text())["ledger"]
        assert {row["class"] for row in found["dead"]} == {"gone"}
        assert f"{base}b1/" not in {row["url"] for row in (*found["dead"], *found.get("long_ways", ()))}
        put(site, more)


# --- a served site ---


def test_of_a_served_site_each_line_is_requested(site: Path) -> None:
    Path(LIST).write_text("/a/\n/never/\n/b/\n/broken/\n/b/ gone 2026-01-01 x\n")
    built = {name: text for name, text in files(PAGES, PAGES, frozenset()).items() if name.startswith("dist/")}
    routes = {name.removeprefix("dist").removesuffix("index.html"): text for name, text in built.items()}
    with serve({**routes, "/broken/": 500}) as web:
        code = run(["check", "--url", web.url, "--site-url", SITE, "--sitemap", "sitemap.xml", "--no-progress", *ON[:2], "--report", "json=out/report.json"])  # fmt: skip
    found = json.loads(Path("out/report.json").read_text())
    assert {"/never/", "/broken/", "/a/"} <= {*web.paths}
    assert (code, [row["url"] for row in found["ledger"]["dead"]]) == (1, [f"{SITE}never/"])
    assert [row["url"] for row in found["undetermined"]] == [f"{SITE}broken/"]
    assert not found["complete"]


def test_LED_04_what_is_declared_gone_is_requested_of_a_served_site(site: Path) -> None:
    """The newest hundred declarations: one that answers again is seen though no page links to it."""
    lines = [f"/gone{number}/ gone 2026-01-{number % 9 + 1:02} x" for number in range(150)]
    Path(LIST).write_text(
        "\n".join(["/a/", "/b/", "/c/", "/", "/hidden/ gone 2026-02-01 x", "/broken/ gone 2026-02-01 x", *lines])
    )
    built = {name: text for name, text in files(PAGES, PAGES, frozenset()).items() if name.startswith("dist/")}
    routes = {name.removeprefix("dist").removesuffix("index.html"): text for name, text in built.items()}
    with serve({**routes, "/hidden/": html("hidden"), "/broken/": 500}) as web:
        code = run(["check", "--url", web.url, "--site-url", SITE, "--sitemap", "sitemap.xml", "--no-progress", *ON[:2], "--report", "json=out/report.json"])  # fmt: skip
    found = json.loads(Path("out/report.json").read_text())
    assert len({path for path in web.paths if re.fullmatch(r"/(gone\d+|hidden|broken)/", path)}) == 100
    returned = [row["url"] for row in found["findings"] if row["rule"] == "LED-04"]
    assert (code, returned) == (1, [f"{SITE}hidden/"]), "it is a page that the sitemap lacks"
    assert (found["undetermined"], found["complete"]) == ([], True), "what is declared gone needs no answer"
    assert not [row for row in found["skipped"] if "gone" in row["url"]]


# --- commits and pull requests ---

UPDATE = "sitemap-action/update"
CONFIGS = [(LIST, "/\n/old/ gone 2026-01-01 x\n"), ("lists/published.txt", "/\n"), (".github/a/urls.txt", None)]


def changed(job: Job, before: str, after: str) -> set[str]:
    return {*job.site.ask("diff", "--name-only", before, after).split()}


@pytest.mark.parametrize("mode", ["commit", "pull-request"])
@pytest.mark.parametrize(("path", "lines"), CONFIGS, ids=[row[0] for row in CONFIGS])
def test_the_ledger_goes_with_the_sitemap(mode: str, path: str, lines: str | None, job: Job) -> None:
    job.site.commit({} if lines is None else {path: lines})
    job.checkout()
    at, token = "main" if mode == "commit" else UPDATE, job.hub.token()
    config = {".github/sitemap.yml": f"policy: {{ledger: {path}}}\nsource: {{host: netlify}}\n"}
    before = job.site.head()
    ended = job.run(token, {**build("a", "b"), **config}, mode=mode, apart=lines is not None)
    assert ended.code == 0, ended.log
    assert (changed(job, before, job.site.head(at)), listed(job.site, at)) == ({SITEMAP, path}, ["", "a", "b"])
    kept = [line for line in job.site.read(path, at).decode().splitlines() if not line.startswith("#")]
    assert kept == ["/", "/a/", "/b/", *(["/old/ gone 2026-01-01 x"] if lines and "gone" in lines else [])]
    head = job.site.head(at)
    again = job.run(token, {**build("a", "b"), **config}, mode=mode)
    assert (again.code, job.site.head(at)) == (0, head), again.log


def test_a_page_that_the_ledger_alone_lacks_is_committed_too(job: Job) -> None:
    job.site.commit({LIST: "/\n"})
    before = job.site.head()
    config = {".github/sitemap.yml": f"policy: {{ledger: {LIST}}}\nsource: {{host: netlify}}\n"}
    ended = job.run(job.hub.token(), {**build("a"), **config})
    assert LIST in changed(job, before, job.site.head()), ended.log
    assert job.site.read(LIST) == b"/\n/a/\n"


# --- pull requests ---

HERE = {
    **files(PAGES, PAGES, frozenset()),
    "dist/_redirects": "/old/ /b/ 301\n",
    LIST: "/a/\n/b/\n/old/\n",
    ".github/sitemap.yml": f"site-url: {SITE}\nsitemap: sitemap.xml\nsource: {{path: dist, host: netlify}}\npolicy: {{ledger: {LIST}}}\n",
}
FEWER = {**{name: text for name, text in HERE.items() if "dist/b/" not in name}, **{name: files(("a", "c"), ("a", "c"), frozenset())[name] for name in ("sitemap.xml", "dist/sitemap.xml", "dist/index.html")}}  # fmt: skip
STORIES = [
    # id, change, flags, exit code, dead, rows of the policy
    ("a page is removed, and what led there rots", FEWER, [], 1, ["/b/", "/old/"], []),
    ("its line goes with it", {**FEWER, LIST: "/a/\n"}, [], 1, [], ["/b/", "/old/"]),
    ("of a fork, with the target branch's config that hides nothing", {**FEWER, LIST: "/a/\n"}, ["--config-from", "base"], 1, ["/b/", "/old/"], ["/b/", "/old/"]),
    ("it is declared", {**FEWER, LIST: "/a/\n/b/ gone 2026-11-24 x\n/old/ gone 2026-11-24 x\n"}, ["--set", "policy.expected-removals=[{url: /b/, reason: x, until: 2999-01-01}]"], 0, [], ["/b/", "/old/"]),
    ("redirects to what is there", {**FEWER, "dist/_redirects": "/old/ /a/ 301\n/b/ /a/ 301\n"}, [], 0, [], []),
    ("only the order is another", {**HERE, LIST: "/old/\n/b/\n/a/\n/a/\n"}, [], 0, [], []),
]  # fmt: skip


@pytest.mark.attack("policy")
@pytest.mark.parametrize(("head", "flags", "code", "dead", "policy"), [row[1:] for row in STORIES], ids=[row[0] for row in STORIES])  # fmt: skip
def test_a_change_and_the_ledger(
    head: dict[str, str],
    flags: list[str],
    code: int,
    dead: list[str],
    policy: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    origin = pull_request(tmp_path / "origin", HERE, head)
    monkeypatch.chdir(checkout(origin.directory, origin.merge, tmp_path / "clone"))
    fork = {"repo": {"full_name": "mona/site"}} if "--config-from" in flags else {}
    event = {"number": 12, "pull_request": {side: {"ref": side, "sha": getattr(origin, name), **(fork if side == "head" else {})} for side, name in (("base", "main"), ("head", "head"))}}  # fmt: skip
    (tmp_path / "event.json").write_text(json.dumps(event))
    for name, value in (("EVENT_NAME", "pull_request"), ("EVENT_PATH", str(tmp_path / "event.json")), ("SHA", origin.merge), ("BASE_REF", "main")):  # fmt: skip
        monkeypatch.setenv(f"GITHUB_{name}", value)
    got = run(["check", "--no-progress", "--report", "json=out/report.json", *flags])
    found = json.loads(Path("out/report.json").read_text())
    assert [row["url"].removeprefix(SITE[:-1]) for row in found["ledger"]["dead"]] == dead
    assert [row["base"] for row in found["policy"] if row["key"] == LIST] == policy
    assert got == code
