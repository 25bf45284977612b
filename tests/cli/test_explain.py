"""`explain`: why one URL of a build or of a served site is, or is not, in the sitemap."""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from servers import Reply, Site, redirect, serve
from sitemap_action.__main__ import run

SITE = "https://www.example.com/"
WORDS = "some words of this page, which differ from those of every other one " * 8
SITEMAP = """<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://www.example.com/</loc></url>
<url><loc>https://www.example.com/draft/</loc></url>
<url><loc>https://www.example.com/vanished/</loc></url>
<url><loc>http://www.example.com/about/</loc></url>
</urlset>
"""
CONFIG = """source: {path: dist, host: netlify}
site-url: https://www.example.com/
baseline: committed
select:
  exclude:
    - /x/**
    - /internal/**
  query: {allow: [page]}
"""


def page(name: str, head: str = "", body: str = "") -> str:
    return (
        f"<!doctype html>\n<html><head>\n<title>{name}</title>\n{head}</head><body>{body}{name} {WORDS}</body></html>"
    )


FILES = {
    "index.html": page("Home", body="\n\n<a href='/about/'>About</a> <a href='/draft/'>Draft</a>"),
    "about/index.html": page("About", '<link rel="canonical" href="https://www.example.com/about/">'),
    "draft/index.html": page(
        "Draft", '<!-- <meta name="robots"\ncontent="noindex"> -->\n<meta name=robots content=noindex>\n'
    ),
    "copy/index.html": page("Copy", '<link\nhref="/about/" rel="canonical">'),
    "secret/index.html": page("Secret"),
    "internal/index.html": page("Internal"),
    "stub/index.html": page("Stub", '<meta http-equiv="refresh" content="0; url=/about/">'),
    "robots.txt": "User-agent: *\nDisallow: /secret\n",
    "_redirects": "# moved\n/old/ /about/ 301\n/older/ /old/ 302\n",
    "_headers": "/hidden/*\n  X-Robots-Tag: noindex\n",
    "hidden/index.html": page("Hidden"),
    "sitemap.xml": SITEMAP,
}


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / "dist" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "dist" / name).write_text(text)
    (tmp_path / ".github").mkdir()
    (tmp_path / ".github/sitemap.yml").write_text(CONFIG)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def text(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(["explain", *arguments]) == 0
    return capsys.readouterr().out


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text(capsys, *arguments, "--format", "json"))
    return found


FOLDER = [
    # (URL, first line, what the rows say)
    ("/", "listed", ["found       the file dist/index.html; no page links to it", "sitemap     dist/sitemap.xml:3"]),
    (
        "/about/",
        "listed, and dist/sitemap.xml does not have it yet",
        ["found       linked on https://www.example.com/ (dist/index.html:6)", "file        dist/about/index.html"],
    ),
    (
        f"{SITE}draft/",
        (
            'not listed (deindexed): has <meta name="robots" content="noindex">, in line 6 of dist/draft/index.html; '
            "dist/sitemap.xml still lists it"
        ),
        ["sitemap     dist/sitemap.xml:4"],
    ),
    (
        "copy/",
        "not listed (deindexed): names https://www.example.com/about/ as its canonical, in line 4 of dist/copy/index.html",
        ["canonical   https://www.example.com/about/"],
    ),
    (
        "/secret/",
        "not listed (deindexed): robots.txt line 2 blocks Googlebot: Disallow: /secret",
        ["robots.txt  not allowed for Googlebot, Bingbot (dist/robots.txt:2: Disallow: /secret)"],
    ),
    (
        "/hidden/",
        "not listed (deindexed): has X-Robots-Tag: noindex",
        [],
    ),
    ("/internal/", "not listed (excluded): select.exclude has /internal/**, in .github/sitemap.yml:7", []),
    (
        "/about/?utm=1",
        (
            "not listed (excluded): the query ?utm=1 is not kept whole (select.query, select.drop-params), "
            "in .github/sitemap.yml:8"
        ),
        [],
    ),
    (
        "/older/",
        "not listed (moved-temporary): redirects temporarily in 2 hops to https://www.example.com/about/ (_redirects line 3)",
        ["redirect    302 to https://www.example.com/old/", "redirect    301 to https://www.example.com/about/"],
    ),
    (
        "/stub/",
        "not listed (moved): redirects to https://www.example.com/about/",
        ["redirect    refresh of the document to"],
    ),
    (
        "/vanished/",
        "not listed (gone): no file for this URL (404); dist/sitemap.xml still lists it",
        ["sitemap     dist/sitemap.xml:5"],
    ),
    ("/abuot/", "not listed (gone): no file for this URL (404)", ["near        https://www.example.com/about/"]),
    ("/About.html", "not listed (gone): no file for this URL (404)", ["near        https://www.example.com/about/"]),
    ("/about/index.html", "not listed (", ["https://www.example.com/about/"]),
    (
        "http://www.example.com/about/",
        (
            "not listed (merged): not below https://www.example.com/ (site-url); listed as https://www.example.com/about/; "
            "dist/sitemap.xml still lists it"
        ),
        ["near        https://www.example.com/about/"],
    ),
    (
        "https://other.example.org/nowhere",
        "not listed: not of this site: its host is another than that of https://www.example.com/ (site-url)",
        [],
    ),
    ("www.example.com/about/", "listed, and", ["url         https://www.example.com/about/"]),
]


@pytest.mark.parametrize(("url", "first", "rows"), FOLDER, ids=[url for url, _, _ in FOLDER])
def test_a_url_of_a_build(
    url: str, first: str, rows: list[str], workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = text(capsys, url)
    assert found.splitlines()[0].startswith(first)
    for row in rows:
        assert row in found
    lines = [line for line in found.splitlines() if line]
    assert len(lines) == len(set(lines)), "a fact stands there twice"


def test_the_answer_for_programs_has_the_documented_fields(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "/older/")
    documented = {
        *("url", "listed", "reason", "detail", "found_on", "hops", "status", "robots", "directives", "canonical"),
        *("host", "config", "in", "near"),
    }
    assert documented <= set(found)
    assert found["hops"] == [
        {"url": f"{SITE}older/", "status": 302, "to": f"{SITE}old/"},
        {"url": f"{SITE}old/", "status": 301, "to": f"{SITE}about/"},
    ]
    assert (found["listed"], found["reason"], found["status"]) == (False, "moved-temporary", 200)
    assert found["host"] == "_redirects line 3"
    assert found["in"] == {"committed": None, "baseline": None}
    assert {(row["agent"], row["allowed"], row["line"]) for row in found["robots"]} == {
        ("Googlebot", True, 0),
        ("Bingbot", True, 0),
    }
    draft = answer(capsys, "/draft/")
    assert draft["in"]["committed"] == {"sitemap": "dist/sitemap.xml", "line": 4}
    assert draft["directives"] == [{"agent": "", "rule": "noindex", "value": "", "source": "meta"}]
    assert draft["found_on"] == SITE
    assert answer(capsys, "/copy/")["canonical"] == f"{SITE}about/"
    assert answer(capsys, "/about/")["redirected_from"] == [f"{SITE}stub/"]


def test_the_child_of_an_index_is_named(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listed = Path("dist/sitemap.xml").read_text()
    Path("dist/pages.xml").write_text(f"<!-- one line more -->\n{listed.split('?>')[-1].lstrip()}")
    line = Path("dist/pages.xml").read_text().partition("/draft/")[0].count("\n") + 1
    children = "".join(f"<sitemap><loc>{SITE}{name}.xml</loc></sitemap>" for name in ("more", "pages"))
    Path("dist/more.xml").write_text(listed.replace("/draft/", "/nothing/"))
    Path("dist/sitemap.xml").write_text(
        f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{children}</sitemapindex>'
    )
    assert f"dist/pages.xml:{line}" in text(capsys, "/draft/")
    assert answer(capsys, "/draft/")["in"]["committed"] == {"sitemap": "dist/pages.xml", "line": line}


def test_a_flag_is_named_where_it_excludes(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = text(capsys, "/about/", "--set", "select.include=/blog/**")
    assert found.startswith("not listed (excluded): no pattern of select.include matches, in --set\n")


def test_a_path_counts_from_the_host_or_from_site_url(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in ("/docs/about/", "about/"):
        found = text(capsys, path, "--site-url", f"{SITE}docs/")
        assert f"url         {SITE}docs/about/\n" in found
        assert "dist/about/index.html" in found


def test_the_baseline_is_named_beside_the_sitemap(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("before.xml").write_text(SITEMAP.replace("/vanished/", "/copy/"))
    found = answer(capsys, "/copy/", "--baseline", "before.xml")
    assert found["in"] == {"committed": None, "baseline": {"sitemap": "before.xml", "line": 5}}
    assert "baseline    before.xml:5" in text(capsys, "/copy/", "--baseline", "before.xml")


@pytest.mark.attack("arguments")
@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("https://user:hunter2secret@www.example.com/", "a user name or password"),
        ("/a\x1b[2Jb\r\n::error::x", "a raw control character"),
        (f"/{'x' * 9000}", "longer than 8192 characters"),
        ("mailto:someone@example.com", "neither a path nor an http or https URL"),
        ("http://", "not an absolute http or https URL with a host"),
        ("", "neither a path nor an http or https URL"),
        ("https://www.example.com/%zz", "not followed by two hexadecimal digits"),
        ("/\udcff", "surrogate"),
    ],
)
def test_what_is_no_url_is_a_sentence(url: str, says: str, workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", url]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert says in captured.err
    assert "hint: give an address such as https://www.example.com/about/" in captured.err
    assert not any(mark in captured.err for mark in ("\x1b", "\n::", "hunter2secret", "x" * 600))


@pytest.mark.attack("arguments")
@pytest.mark.parametrize(
    "url", ["/##[add-mask]x", "/ä\u202eb/", "/<script>alert(1)</script>", "/a%0Ab", "/" + "a/" * 900]
)
def test_a_strange_url_is_printed_on_its_line(url: str, workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = text(capsys, url)
    assert found.startswith(("not listed (gone)", "listed"))
    assert not any(mark in found for mark in ("##[add", "\u202e", "\x1b"))
    json.loads(text(capsys, url, "--format", "json"))


def test_a_hostile_page_costs_linear_time(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Tags and comments that never end, thousands of them, before the directive."""
    body = "<!--" * 50_000 + '<meta name="' * 20_000 + "<link rel='" * 20_000
    Path("dist/draft/index.html").write_text(body)
    assert text(capsys, "/draft/").splitlines()[0]


def test_a_folder_that_is_not_there_is_a_usage_error(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "/", "--path", "nowhere"]) == 2
    assert "the folder nowhere does not exist" in capsys.readouterr().err


ROBOTS = Reply(
    "User-agent: bingbot\nDisallow: /secret\n\nUser-agent: sitemap-action\nDisallow: /private\n", type="text/plain"
)
ROUTES = {
    "/": page("Home"),
    "/robots.txt": ROBOTS,
    "/about/": Reply(page("About", '<link rel="canonical" href="/kept/">\n'), headers={"Last-Modified": "Wed, 01 Jan 2025 00:00:00 GMT"}),
    "/kept/": page("Kept"),
    "/old/": redirect("/older/", 302),
    "/older/": redirect("/kept/"),
    "/loop/": redirect("/loop/"),
    "/away/": redirect("https://elsewhere.invalid/x"),
    "/secret/": page("Secret"),
    "/private/": page("Private"),
    "/header/": Reply(page("Header"), headers={"X-Robots-Tag": "noindex"}),
    "/wall/": Reply("Attention", 403, {"CF-Ray": "1", "Server": "cloudflare"}),
    "/busy/": 503,
}  # fmt: skip


@pytest.fixture(scope="module")
def served() -> Iterator[Site]:
    with serve(ROUTES) as site:
        yield site


SERVED = [
    # (path, first line without the origin, what is requested besides the sitemap and robots.txt)
    ("/kept/", "listed", ["/kept/"]),
    ("/about/", "not listed (deindexed): names /kept/ as its canonical, in line 4 of /about/", ["/about/", "/kept/"]),
    (
        "/old/",
        "not listed (moved-temporary): redirects temporarily in 2 hops to /kept/",
        ["/old/", "/older/", "/kept/"],
    ),
    ("/loop/", "not listed (redirect-broken): redirects in a loop, back to /loop/", ["/loop/"]),
    ("/away/", "not listed (moved-offsite): redirects to https://elsewhere.invalid/x", ["/away/"]),
    ("/secret/", "not listed (deindexed): robots.txt line 2 blocks Bingbot: Disallow: /secret", ["/secret/"]),
    ("/private/", "not listed (undetermined): robots.txt line 5 blocks sitemap-action: Disallow: /private", []),
    ("/header/", "not listed (deindexed): has X-Robots-Tag: noindex", ["/header/"]),
    ("/wall/", "not listed (undetermined): answered 403", ["/wall/"]),
    ("/busy/", "not listed (undetermined): answered 503", ["/busy/"]),
    ("/missing/", "not listed (gone): answers 404", ["/missing/"]),
    ("/skipped/", "not listed (excluded): select.exclude has /skipped/**, in --set", []),
]


@pytest.mark.parametrize(("path", "first", "asked"), SERVED, ids=[path for path, _, _ in SERVED])
def test_a_url_of_a_served_site(
    path: str,
    first: str,
    asked: list[str],
    served: Site,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Nothing but the URL, its redirects, its canonical, robots.txt and the sitemap is requested."""
    monkeypatch.chdir(tmp_path)
    before = len(served.asked)
    options = ["--site-url", served.url, "--url", served.url, "--set", "http.retries=0"]
    found = text(capsys, path, *options, "--set", "select.exclude=/skipped/**")
    assert found.splitlines()[0].replace(served.origin, "") == first
    requested = [one for one in served.paths[before:] if one not in {"/robots.txt", "/sitemap.xml"}]
    assert [one for one in requested if "sitemap" not in one] == asked
    assert "not read    other pages" in found


def test_an_absolute_url_names_its_own_site(
    served: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    found = answer(capsys, f"{served.url}about/")
    assert (found["listed"], found["canonical"]) == (False, f"{served.url}kept/")
    assert ["last-modified", "Wed, 01 Jan 2025 00:00:00 GMT"] in found["headers"]
    assert found["links"] is None
    assert "\n  blocked     " in text(capsys, f"{served.url}wall/")
    assert "header      x-robots-tag: noindex" in text(capsys, f"{served.url}header/")


OTHERS = [
    # (URL, whether it is of the site under another address)
    ("https://other.org/kept/", False),
    ("https://kept.invalid/kept/", False),
    ("https://www.127.0.0.1.example/kept/", False),
    ("https://127.0.0.1/kept/", True),
]


@pytest.mark.parametrize(("url", "same"), OTHERS)
def test_I_07_another_host_is_not_of_this_site(
    url: str, same: bool, served: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    """Its path on the site is not requested, and says nothing of it."""
    monkeypatch.chdir(tmp_path)
    before = len(served.asked)
    public = [["--site-url", served.url]] if url == OTHERS[0][0] else []  # where the config names no address of it
    for options in (["--url", served.url, "--site-url", served.url], *public):
        found = answer(capsys, url, *options)
        assert (found["listed"], found["listed_as"]) == (False, f"{served.url}kept/" if same else "")
        assert (found["reason"], found["outside"].startswith("not of this site")) == (
            ("merged", False) if same else ("excluded", True)
        )
        if not same:
            assert text(capsys, url, *options).startswith("not listed: not of this site: ")
    assert ("/kept/" in served.paths[before:]) is same


def test_I_07_another_host_is_not_of_a_build(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "https://other.org/about/")
    assert (found["reason"], found["listed_as"], found["near"]) == ("excluded", "", [])


def test_a_site_that_is_down_is_an_answer_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """RB-21: without robots.txt nothing may be requested."""
    monkeypatch.chdir(tmp_path)
    with serve({"/robots.txt": 503, "/": page("Home")}) as site:
        found = text(capsys, site.url, "--set", "http.retries=0")
        assert found.startswith(f"not listed (undetermined): {site.url}robots.txt: answers 503; until it can be read")
        assert "/" not in site.paths


def test_orphans_are_not_judged_by_one_page(
    served: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert text(capsys, f"{served.url}kept/", "--set", "select.orphans=drop").startswith("listed\n")


def test_the_program_itself(workspace: Path) -> None:
    command = [sys.executable, "-m", "sitemap_action", "explain", "/draft/"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("not listed (deindexed)")


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The options of a run whose site is down by now."""
    monkeypatch.chdir(tmp_path)
    routes = {
        "/": page("Home", body="<a href='/about/'>a</a> <a href='/old/'>o</a>"),
        "/about/": page("About"),
        "/robots.txt": ROBOTS,
    }
    with serve({**routes, "/old/": redirect("/about/")}) as site:
        options = ["--url", site.url, "--site-url", "https://www.example.com/", "--state", "state.sqlite"]
        assert run(["check", *options]) in {0, 1}
    return options


def test_a_state_answers_without_a_request(state: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    before = Path("state.sqlite").read_bytes()
    capsys.readouterr()
    about = answer(capsys, "/about/", *state)
    assert (about["listed"], about["found_on"], about["links"]) == (
        True,
        "https://www.example.com/",
        2,
    )  # a link to a redirect is one to its end
    assert about["redirected_from"] == ["https://www.example.com/old/"]
    printed = text(capsys, "/about/", *state)
    assert "found       linked on https://www.example.com/ and 1 more page\n" in printed
    assert "redirected  from https://www.example.com/old/\n" in printed
    old = text(capsys, "/old/", *state)
    assert old.startswith("not listed (moved): redirects to https://www.example.com/about/\n")
    assert "not read    the site: this is what the state state.sqlite has of it" in old
    unknown = text(capsys, "/abuot/", *state)
    assert unknown.startswith("not listed (undetermined): the state does not have it\n")
    assert "near        https://www.example.com/about/" in unknown
    assert Path("state.sqlite").read_bytes() == before
    assert sorted(path.name for path in Path().iterdir()) == ["state.sqlite"]


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda path: path.unlink(), "there is no state at"),
        (lambda path: path.write_bytes(path.read_bytes()[:5000]), "is damaged"),
        (lambda path: path.write_text("a shopping list"), "is not a state file of sitemap-action"),
        (lambda path: (path.rename("moved"), path.symlink_to("moved")), "is a symbolic link"),
    ],
    ids=["missing", "damaged", "other", "link"],
)
def test_a_state_that_cannot_be_used_is_a_sentence(
    damage: Callable[[Path], object], says: str, state: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path("state.sqlite")
    damage(path)
    before = path.read_bytes() if path.exists() else b""
    capsys.readouterr()
    assert run(["explain", "/about/", *state]) == 2
    assert says in capsys.readouterr().err
    assert (path.read_bytes() if path.exists() else b"") == before


def test_the_help_names_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    assert "explain " in capsys.readouterr().out
    assert run(["explain", "--help"]) == 0
    found = capsys.readouterr().out
    assert "explain [OPTIONS] URL" in found
    assert "--state FILE" in found
    assert "--report" not in found


DOCUMENT = Path(__file__).parents[2] / "docs/commands.md"


def test_the_example_of_the_document_is_what_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    urls = "".join(f"<url><loc>{SITE}{path}</loc></url>\n" for path in ("", "drafts/"))
    for name, content in {
        "index.html": f"<!doctype html>\n<a href='/drafts/'>Drafts</a> {WORDS}",
        "drafts/index.html": "<!doctype html>\n<title>Draft</title>\n\n<meta name=robots content=noindex>\nA draft",
        "robots.txt": "User-agent: *\nDisallow:\n",
        "sitemap.xml": f'<?xml version="1.0"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{urls}</urlset>',
    }.items():
        (tmp_path / "dist" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "dist" / name).write_text(content)
    command, _, printed = (
        DOCUMENT.read_text().partition("```console\n$ sitemap-action ")[2].partition("```")[0].partition("\n")
    )
    assert text(capsys, *command.split()[1:], "--baseline", "committed") == printed


def test_the_document_names_every_row() -> None:
    source = (DOCUMENT.parents[1] / "sitemap_action/reports/answers.py").read_text()
    names = set(re.findall(r'yield (?:from )?\(?\(?"([a-z. ]+)",', source)) - {"url"}
    assert len(names) > 5
    document = DOCUMENT.read_text()
    assert [name for name in sorted(names) if f"`{name}`" not in document and f"\n  {name} " not in document] == []
