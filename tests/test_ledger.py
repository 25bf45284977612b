"""The ledger in whole runs: what a check says of each line, in every format, of a folder, a served site, a change."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from documents import text
from known_faults import CHECK, SITE, files, html, put
from repositories import checkout, pull_request
from servers import serve
from sitemap_action.__main__ import run
from sitemap_action.config.ledger import read_ledger
from sitemap_action.reports.all import FORMATS

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
    assert found["ledger"]["addresses"] == 12
    assert [(row["url"], row["hops"]) for row in found["ledger"]["long_ways"]] == [(f"{SITE}x/", 2)]
    named = {(row["rule"], row["severity"], row.get("line")) for row in found["findings"] if row["rule"][:3] == "LED"}
    assert named == {("LED-01", "error", 6), ("LED-02", "info", 3), ("LED-03", "error", 13), ("LED-04", "warning", 12)}
    urls = {row["url"] for row in found["skipped"]}
    assert not urls & {f"{SITE}moved/", f"{SITE}never/", f"{SITE}x/"}, "what no page links to has no other row"


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
    ("with the target branch's config that hides nothing", {**FEWER, LIST: "/a/\n"}, ["--config-from", "base"], 1, ["/b/", "/old/"], ["/b/", "/old/"]),
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
    event = {"number": 12, "pull_request": {side: {"ref": side, "sha": getattr(origin, name)} for side, name in (("base", "main"), ("head", "head"))}}  # fmt: skip
    (tmp_path / "event.json").write_text(json.dumps(event))
    for name, value in (("EVENT_NAME", "pull_request"), ("EVENT_PATH", str(tmp_path / "event.json")), ("SHA", origin.merge), ("BASE_REF", "main")):  # fmt: skip
        monkeypatch.setenv(f"GITHUB_{name}", value)
    got = run(["check", "--no-progress", "--report", "json=out/report.json", *flags])
    found = json.loads(Path("out/report.json").read_text())
    assert [row["url"].removeprefix(SITE[:-1]) for row in found["ledger"]["dead"]] == dead
    assert [row["base"] for row in found["policy"] if row["key"] == LIST] == policy
    assert got == code
