"""What a crawl reaches, and what a verdict says of the rest: other spellings, odd links, unanswered pages, first runs."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from servers import Reply, Route, redirect, serve
from sitemap_action.__main__ import run

SITE = "https://www.example.com/"
TEXT = "<p>" + "some words that make a page of its own " * 12


def page(name: str, *links: str, head: str = "") -> str:
    anchors = "".join(f'<a href="{link}">{name}</a> ' for link in links)
    return f"<!doctype html><title>{name}</title>{head}<main><h1>{name}</h1>{anchors}{TEXT} {name}</main>"


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def committed(*paths: str) -> None:
    locs = "".join(f"<url><loc>{SITE}{path}</loc></url>" for path in paths)
    Path("sitemap.xml").write_text(f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{locs}</urlset>')


def gather(source: str, *more: str, command: str = "check") -> tuple[int, dict[str, Any]]:
    """`source`: an address, or a folder."""
    where = ["--url", source] if "://" in source else ["--path", source]
    quick = ["--set", "http.backoff=0.01", "--set", "crawl.retry-after-max=1", "--quiet"]
    code = run([command, *where, "--site-url", SITE, *quick, *more, "--report", "json=report.json"])
    return code, json.loads(Path("report.json").read_text())


def folder(files: dict[str, str]) -> str:
    for path, text in files.items():
        target = Path("site") / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    return "site"


def test_V_18_an_unanswered_page_stands_in_the_first_line(capsys: pytest.CaptureFixture[str]) -> None:
    committed("", "slow")
    routes: dict[str, Route] = {"/": page("Home", "/slow"), "/slow": 503}
    with serve(routes) as site:
        code, report = gather(site.url)
    assert (code, report["result"], report["complete"]) == (0, "in-sync", False)
    assert report["incomplete"] == [f"1 page gave no usable answer: {SITE}slow (answered 503)"]
    first = capsys.readouterr().out.partition("\n")[0]
    assert first == "in-sync: the sitemap matches the site; 1 page gave no usable answer (exit 0)"


LONG = f"search?q={'x' * 2_100}"
ODD_LINKS = [
    # id, link, how the row shows it, reason
    ("V-14 too long for a sitemap", f"/{LONG}", f"{SITE}{LONG}", "and a sitemap takes fewer than 2,048 (URL-32)"),
    (
        "V-14 too long for anything",
        f"/{'y' * 9_000}",
        f"{SITE}{'y' * (8_193 - len(SITE))}",
        "more than 8,192 characters",
    ),
    ("V-29 a malformed escape", "/90%+of+My+Mind", f"{SITE}90%+of+My+Mind", "not followed by two hexadecimal digits"),
    ("V-29 relative, and malformed", "100%", f"{SITE}100%", "a literal % is written %25 (URL-30)"),
    (
        "V-29 a password",
        "https://me:secret@www.example.com/a",
        "https://***@www.example.com/a",
        "the URL has a user name or password (URL-20)",
    ),
]


@pytest.mark.parametrize("served", [False, True], ids=["folder", "served"])
@pytest.mark.parametrize(("link", "url", "why"), [pytest.param(*row[1:], id=row[0]) for row in ODD_LINKS])
def test_V_14_V_29_a_link_that_no_sitemap_can_list_has_a_row(
    link: str, url: str, why: str, served: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    committed("", "z.html")
    home = page("Home", "/z.html", "mailto:a%20b@example.com", "https://u:p@elsewhere.example/", link, link)
    files = {"index.html": home, "z.html": page("About", link)}
    if served:
        routes: dict[str, Route] = {"/": files["index.html"], "/z.html": files["z.html"], "*": page("Any")}
        with serve(routes) as site:
            code, report = gather(site.url, command="write")
            assert not any("%+" in path or path == "/100%" or len(path) > 500 for path in site.paths)
    else:
        code, report = gather(folder(files), command="write")
    assert (code, report["result"], report["complete"]) == (0, "in-sync", True)
    (row,) = report["skipped"]
    assert (row["url"], row["reason"], row["found_on"]) == (url, "excluded", SITE)
    assert why in row["detail"]
    printed = capsys.readouterr().out
    assert why in printed
    assert "secret" not in printed
    assert max(map(len, printed.splitlines())) < 800


def test_V_14_a_redirect_to_a_URL_that_is_too_long_is_broken() -> None:
    committed("", "old")
    with serve({"/": page("Home"), "/old": redirect(f"/{LONG}")}) as site:
        code, report = gather(site.url)
        assert all(len(path) < 500 for path in site.paths)
    (row,) = report["removed"]
    assert (code, row["class"]) == (1, "redirect-broken")
    assert "a sitemap takes fewer than 2,048" in row["detail"]


@pytest.mark.parametrize("served", [False, True], ids=["folder", "served"])
def test_V_14_a_listed_URL_that_is_too_long_leaves_the_file(served: bool) -> None:
    """SM-22: the committed file is invalid; a write repairs it."""
    committed("", LONG)
    if served:
        with serve({"/": page("Home"), "/search": page("Search")}) as site:
            code, report = gather(site.url, command="write")
    else:
        code, report = gather(folder({"index.html": page("Home")}), command="write")
    assert (code, report["result"], report["changed_files"]) == (0, "drift", True)
    assert [(row["url"], row["class"]) for row in report["removed"]] == [(f"{SITE}{LONG}", "excluded")]
    assert LONG not in Path("sitemap.xml").read_text()


SPELLINGS = [
    # id, start of the links, options, the finding's detail, or "" for none
    ("V-13 another scheme", "http://www.example.com/", (), "30 to http://www.example.com/, of 30 links"),
    ("V-13 the bare domain", "https://example.com/", (), "30 to https://example.com/, of 30 links"),
    ("the bare domain is the same site", "https://example.com/", ("--set", "crawl.www=same"), ""),
    ("another site", "https://elsewhere.example/", (), ""),
    ("the spelling of site-url", SITE, (), ""),
]


@pytest.mark.parametrize(("start", "options", "detail"), [pytest.param(*row[1:], id=row[0]) for row in SPELLINGS])
def test_V_13_links_to_another_spelling_of_the_site(start: str, options: tuple[str, ...], detail: str) -> None:
    home = page("Home", *(f"{start}a{number}" for number in range(30)))
    with serve({"/": home, **{f"/a{number}": page(f"A {number}") for number in range(30)}}) as site:
        _, report = gather(site.url, *options)
    found = [row for row in report["findings"] if row["rule"] == "URL-28"]
    assert [(row["severity"], row["message"].partition(": ")[2]) for row in found] == (
        [("warning", detail)] if detail else []
    )
    assert all("crawl.www" in row["tip"] for row in found)


def test_V_13_in_a_folder_and_two_links_are_too_few() -> None:
    many = {f"a{number}.html": page("A", "http://www.example.com/", "https://example.com/") for number in range(2)}
    _, report = gather(folder({"index.html": page("Home", "a0.html", "a1.html"), **many}))
    (found,) = [row for row in report["findings"] if row["rule"] == "URL-28"]
    assert found["message"].endswith(": 2 to http://www.example.com/, 2 to https://example.com/, of 6 links")
    few = {"a0.html": page("A", "http://www.example.com/", "https://example.com/"), "a1.html": page("A")}
    _, report = gather(folder(few))
    assert [row for row in report["findings"] if row["rule"] == "URL-28"] == []


CANONICAL = '<link rel="canonical" href="https://other.example/{}">'
NOINDEX = '<meta name="robots" content="noindex">'
STUB = '<meta http-equiv="refresh" content="0; url=/">'
FIRST_RUNS = [
    # id, page number → (head, media type), options, guard's message after the share, or "" where the file is written
    ("canonicals", lambda n: (CANONICAL.format(n), "text/html"), (), "30 are deindexed, such as "),
    ("types", lambda n: ("", "application/octet-stream"), (), "30 are other-type, such as "),
    ("switched off", lambda n: (CANONICAL.format(n), "text/html"), ("--set", "policy.min-share=0"), ""),
    ("a small share is enough", lambda n: (CANONICAL.format(n), "text/html"), ("--set", "policy.min-share=3%"), ""),
    ("noindex is meant", lambda n: (NOINDEX, "text/html"), (), ""),
    ("redirect stubs are no pages", lambda n: (STUB, "text/html"), (), ""),
    ("other files are no pages", lambda n: ("", "application/pdf"), (), ""),
]


@pytest.mark.parametrize(("pages", "options", "why"), [pytest.param(*row[1:], id=row[0]) for row in FIRST_RUNS])
def test_V_19_a_first_run_that_lists_next_to_nothing_writes_nothing(
    pages: Callable[[int], tuple[str, str]], options: tuple[str, ...], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    suffix = ".pdf" if pages(0)[1] == "application/pdf" else ""
    links = [f"/a{number}{suffix}" for number in range(30)]
    routes: dict[str, Route] = {"/": page("Home", *links)}
    for number, link in enumerate(links):
        head, media = pages(number)
        routes[link] = Reply(page(f"A {number}", head=head), type=media)
    with serve(routes) as site:
        code, report = gather(site.url, "--set", "crawl.skip=[media]", *options, command="write")
    assert Path("sitemap.xml").exists() is not bool(why)
    assert code == bool(why)
    guards = [(row["key"], row["message"]) for row in report["guards"]]
    share = "1 of 31 pages would be listed; policy.min-share wants 50% on a first run: "
    assert [key for key, _ in guards] == (["policy.min-share"] if why else [])
    assert all(message.startswith(share + why) for _, message in guards)
    assert capsys.readouterr().out.count("1 of 31 pages") == bool(why)


def test_V_19_links_to_another_spelling() -> None:
    with serve({"/": page("Home", *(f"http://www.example.com/a{number}" for number in range(30)))}) as site:
        code, report = gather(site.url, command="write")
    (guard,) = report["guards"]
    assert (code, Path("sitemap.xml").exists()) == (1, False)
    assert guard["message"] == (
        "1 of 31 pages would be listed; policy.min-share wants 50% on a first run: "
        "30 are linked as http://www.example.com/…, another spelling of this site (URL-28)"
    )


def test_V_19_a_later_run_is_judged_by_its_baseline() -> None:
    committed("")
    pages = {f"a{n}.html": page("A", head=CANONICAL.format(n)) for n in range(9)}
    code, report = gather(folder({"index.html": page("Home", *pages), **pages}), command="write")
    assert (code, report["guards"], report["result"]) == (0, [], "in-sync")


TWINS = [
    # id, routes beside those of the start page, links of the start page, listed, rules of the findings
    ("case", {"/About": "x", "/about": "x"}, ["/About", "/about"], ["About", "about"], ["URL-25"]),
    ("a path session", {"/a;jsessionid=1": "x"}, ["/a;jsessionid=1"], ["a;jsessionid=1"], ["URL-24"]),
    ("a query session", {"/a?sid=1": "x", "/a?sid=2": "x"}, ["/a?sid=1", "/a?sid=2"], ["a?sid=1", "a?sid=2"], ["URL-24"] * 2),
    ("an empty segment", {"/a//b": "x"}, ["/a//b"], ["a//b"], ["URL-26"]),
    ("composition", {"/caf%C3%A9": "x", "/cafe%CC%81": "x"}, ["/café", "/cafe\u0301"], ["caf%C3%A9", "cafe%CC%81"], ["URL-29"]),
    ("nothing odd", {"/a/b": "x", "/b": "x"}, ["/a/b", "/b"], ["a/b", "b"], []),
    ("links prefer", {"/about": "x", "/about.html": "x", "/b": "/about"}, ["/about", "/about.html", "/b"], ["about", "b"], []),
    ("the canonical prefers", {"/about": "canonical /about.html", "/about.html": "canonical /about.html"}, ["/about", "/about.html"], ["about.html"], []),
    ("redirects prefer", {"/about": "x", "/about.html": "x", "/old": redirect("/about.html")}, ["/about", "/about.html"], ["about.html"], []),
    ("nothing prefers", {"/about": "x", "/about.html": "x"}, ["/about", "/about.html"], ["about", "about.html"], ["URL-21"]),
    ("a final slash", {"/about": "x", "/about/": "x", "/b": "/about/"}, ["/about", "/about/", "/b"], ["about/", "b"], []),
    ("three spellings", {"/about": "x", "/about/": "x", "/about.html": "x", "/b": "/about/"}, ["/about", "/about.html", "/about/", "/b"], ["about/", "b"], []),
    ("other documents", {"/about": "x", "/about.html": "y"}, ["/about", "/about.html"], ["about", "about.html"], []),
]  # fmt: skip


@pytest.mark.parametrize(("routes", "links", "listed", "rules"), [pytest.param(*row[1:], id=row[0]) for row in TWINS])
def test_V_15_twins(routes: dict[str, Any], links: list[str], listed: list[str], rules: list[str]) -> None:
    bodies: dict[str, Route] = {"/": page("Home", *links)}
    for path, route in routes.items():
        bodies[path] = route if isinstance(route, Reply) else _twin(route)
    committed("old")
    with serve(bodies) as site:
        _, report = gather(site.url, "--set", "policy.max-removed=none")
    assert [row["url"].removeprefix(SITE) for row in report["added"]] == ["", *listed]
    assert [row["rule"] for row in report["findings"] if row["rule"].startswith("URL-")] == rules
    known = {row["url"] for name in ("added", "removed", "skipped") for row in report[name]}
    assert {SITE + path[1:] for path in routes if path.isascii()} <= known  # nothing is dropped without a row


def _twin(route: str) -> str:
    """A page with this text; "/b" links there, "canonical /b" names it."""
    if route.startswith("canonical "):
        return page("Twin", head=f'<link rel="canonical" href="{SITE}{route.partition("/")[2]}">')
    return page("B", route) if route.startswith("/") else page(f"Twin {route}")
