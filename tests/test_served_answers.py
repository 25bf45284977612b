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
    code = run([command, *quick, *source, "--site-url", site, "--report", "json=report.json"])
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


@pytest.mark.parametrize("media", ["application/octet-stream", "text/plain", "application/json", "image/png"])
def test_V_06_pages_that_are_served_as_another_type_are_lost(media: str) -> None:
    """The config did not choose that: a guard counts them, and nothing is written."""
    sitemap("sitemap.xml", "", *NINE)
    before = Path("sitemap.xml").read_bytes()
    routes: dict[str, Route] = {"/": page("Home", *NINE), "*": 404}
    routes |= {f"/{name}": Reply(page(name), type=media) for name in NINE}
    code, report = served(routes, command="write")
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


@pytest.mark.parametrize("command", ["check", "write"])
def test_V_05_without_an_answer_the_baseline_keeps_its_pages(command: str) -> None:
    """DIFF-20: whatever the committed file says, and whatever crawl.allow-undetermined allows."""
    sitemap("sitemap.xml", "")
    sitemap("base.xml", "", "a/")
    routes: dict[str, Route] = {"/": page("Home"), "/a/": 503, "*": 404}
    more = ["--baseline", "base.xml", "--set", "crawl.allow-undetermined=50"]
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


# V-07: one document for every address


SHORT = '<!doctype html><title>App</title><div id="root"></div><script type="module" src="/app.js"></script>'


def everywhere(report: Mapping[str, Any]) -> None:
    assert (report["result"], report["exit_code"], report["complete"]) == ("inconclusive", 3, False)
    assert "answers as URLs that do not exist do" in report["causes"][0]
    assert "no answer proves that a page exists" in report["incomplete"][0]
    assert (report["removed"], report["stale"]["extra"]) == ([], [])


CHALLENGE = (
    "<!doctype html><title>Just a moment...</title><p>Checking your browser. Ray ID: 8f3b2a1c9d7e5f60<script>x</script>"
)
ONE_BODY: list[tuple[str, dict[str, Route]]] = [
    ("a maintenance page", {"*": page("Back soon")}),
    ("with noindex", {"*": page("Back soon", head='<meta name="robots" content="noindex">')}),
    ("with a header", {"*": Reply(page("Back soon"), headers={"X-Robots-Tag": "noindex"})}),
    ("with a canonical", {"*": page("App", head=f'<link rel="canonical" href="{SITE}">')}),
    ("as text", {"*": Reply("down for maintenance", type="text/plain")}),
    ("a redirect to it", {"/down.html": page("Back soon"), "*": redirect("/down.html", 302)}),
    ("a redirect with the address to return to", {
        "/down.html": page("Back soon"),
        "*": servers.Answering(lambda asked: redirect(f"/down.html?back={asked.path}", 302)),
    }),
    ("a challenge without its header", {
        "*": servers.Answering(lambda asked: CHALLENGE.replace("8f3b", f"{len(asked.path):04x}")),
    }),
    ("an application for every path", {"*": SHORT}),
    ("an application with a start page that redirects", {"/": redirect("/app"), "*": SHORT}),
]  # fmt: skip


@pytest.mark.parametrize("command", ["check", "write"])
@pytest.mark.parametrize("routes", [pytest.param(row[1], id=row[0]) for row in ONE_BODY])
def test_V_07_one_answer_for_every_url_proves_nothing(routes: dict[str, Route], command: str) -> None:
    sitemap("sitemap.xml", "", "a", "b/c", "d")
    before = Path("sitemap.xml").read_bytes()
    _, report = served({"/robots.txt": 404, "/sitemap.xml": 404, **routes}, command=command)
    everywhere(report)
    assert Path("sitemap.xml").read_bytes() == before
    assert len(report["undetermined"]) >= 4


def test_V_07_the_first_line_names_the_cause(capsys: pytest.CaptureFixture[str]) -> None:
    sitemap("sitemap.xml", "", "a")
    served({"*": page("Back soon")})
    first, *rest = capsys.readouterr().out.splitlines()
    assert first.startswith(
        f"inconclusive: {SITE} answers as URLs that do not exist do: with the same document, 'Back soon'"
    )
    assert "answers as URLs that do not exist do" not in "\n".join(rest), "once is enough"


def test_V_07_prerendered_pages_beside_a_fallback_are_judged() -> None:
    """The fallback is another document than the start page: shells are unknown, other copies are no pages."""
    routes: dict[str, Route] = {
        "/": page("Home", "a", "noindex"),
        "/a": page("A"),
        "/noindex": page("N", head='<meta name="robots" content="noindex">'),
        "*": SHORT,
    }
    names = [f"p{number:02}" for number in range(30)]
    routes |= {f"/{name}": page(name) for name in names}
    sitemap("sitemap.xml", "", "a", "client-only", "noindex", *names)
    code, report = served(routes)
    assert (code, classes(report)) == (1, {"noindex": "deindexed"})
    assert [row["url"] for row in report["undetermined"]] == [f"{SITE}client-only"]
    assert "HTML-46" in rules(report)


def test_V_07_a_prerendered_page_where_the_start_page_is_the_fallback() -> None:
    routes: dict[str, Route] = {"/about": page("About", head='<meta name="robots" content="noindex">'), "*": SHORT}
    sitemap("sitemap.xml", "", "about", "app")
    code, report = served(routes)
    assert (code, report["complete"], classes(report)) == (1, False, {"about": "deindexed"})


# V-09: titles of error pages


CATALOGUE = {
    "peugeot": "Peugeot 404 Cabriolet",
    "room": "Room 404",
    "module": "Module not found",
    "http": "HTTP 404 in practice | Docs",
}


def few_words(title: str) -> str:
    return f"<!doctype html><title>{title}</title><h1>{title}</h1><p>{'word ' * 40}"


@pytest.mark.parametrize("missing", [404, Reply(few_words("Page not found"), 404), few_words("Page not found")])
def test_V_09_a_phrase_inside_a_title_is_no_error_page(missing: Route) -> None:
    sitemap("sitemap.xml", "", *CATALOGUE)
    routes: dict[str, Route] = {"/": page("Home", *CATALOGUE), "*": missing}
    routes |= {f"/{path}": few_words(title) for path, title in CATALOGUE.items()}
    code, report = served(routes)
    assert (code, report["removed"]) == (0, [])
    assert "HTML-45" not in rules(report)


OWN_404 = (
    "<!doctype html><title>Page Not Found | My Site</title><main><h1>Page Not Found</h1><p>We could not find it.</main>"
)
BROKEN = "<!doctype html><title>Page Not Found | My Site</title><main><h1>Page Not Found</h1><p>Else.</main>"


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        pytest.param(OWN_404, "answers 200 with the text of the site's own 404 page", id="text"),
        pytest.param(BROKEN, "answers 200 with the title of the site's own 404 page", id="title"),
    ],
)
def test_V_09_the_site_s_own_error_page_is_a_proof(body: str, detail: str) -> None:
    """Docusaurus shows its 404 for a broken slug; the same served and as a folder."""
    sitemap("sitemap.xml", "", "slug/")
    routes: dict[str, Route] = {"/": page("Home", "slug/"), "/slug/": body, "*": Reply(OWN_404, 404)}
    code, report = served(routes)
    assert (code, classes(report)) == (1, {"slug/": "soft-404"})
    assert report["removed"][0]["detail"] == detail
    code, report = build({"index.html": page("Home", "slug/"), "slug/index.html": body, "404.html": OWN_404})
    assert (code, classes(report), report["removed"][0]["detail"]) == (1, {"slug/": "soft-404"}, detail)


def test_V_09_signals_without_a_proof_are_a_warning() -> None:
    sitemap("sitemap.xml", "", "slug/")
    other = few_words("Nothing to see")
    routes: dict[str, Route] = {"/": page("Home", "slug/"), "/slug/": BROKEN, "*": Reply(other, 404)}
    for code, report in (
        served(routes),
        build({"index.html": routes["/"], "slug/index.html": BROKEN, "404.html": other}),
    ):
        assert (code, report["removed"]) == (0, [])
        (finding,) = [row for row in report["findings"] if row["rule"] == "HTML-45"]
        assert finding["severity"] == "warning"


def test_V_09_a_canonical_that_is_the_error_page() -> None:
    sitemap("sitemap.xml", "", "a/")
    named = page("A", head=f'<link rel="canonical" href="{SITE}404.html">')
    routes: dict[str, Route] = {
        "/": page("Home", "a/"),
        "/a/": named,
        "/404.html": Reply(OWN_404, 404),
        "*": Reply(OWN_404, 404),
    }
    assert classes(served(routes)[1]) == {"a/": "soft-404"}
    routes["/404.html"] = OWN_404
    assert classes(served(routes)[1]) == {"a/": "soft-404"}
    _, report = build({"index.html": page("Home", "a/"), "a/index.html": named, "404.html": OWN_404})
    assert classes(report) == {"a/": "soft-404"}


# V-21: a section that answers with one error page


ERROR = (
    "<!doctype html><title>Application error</title><h2>Application error: a client-side exception has occurred</h2>"
)
LONG_ERROR = page("502 Bad Gateway")
NOT_FOUND = "<!doctype html><title>Blog</title><h1>Page not found</h1>"
STUB = "<!doctype html><title>Blog</title><main><p>This post could not be loaded.</main>"
POSTS = [f"blog/{number}/" for number in range(6)]


@pytest.mark.parametrize("body", [ERROR, LONG_ERROR, NOT_FOUND])
def test_V_21_a_section_with_one_error_page_is_not_known(body: str) -> None:
    sitemap("sitemap.xml", "", *POSTS)
    routes: dict[str, Route] = {"/": page("Home", *POSTS), **{f"/{post}": body for post in POSTS}, "*": 404}
    code, report = served(routes)
    assert (code, report["complete"], report["removed"]) == (3, False, [])
    assert [row["url"] for row in report["undetermined"]] == [f"{SITE}{post}" for post in POSTS]
    code, report = build({"index.html": page("Home", *POSTS), **{f"{post}index.html": body for post in POSTS}})
    assert (code, report["complete"], len(report["undetermined"])) == (3, False, 6)


@pytest.mark.parametrize("body", [STUB, ""])
@pytest.mark.parametrize("posts", [[], POSTS], ids=["new", "listed"])
def test_V_38_repeated_text_without_an_error_is_a_warning(posts: list[str], body: str) -> None:
    """Listed or not, the pages exist: one verdict."""
    sitemap("sitemap.xml", "", *posts)
    routes: dict[str, Route] = {"/": page("Home", *POSTS), **{f"/{post}": body for post in POSTS}, "*": 404}
    files = {"index.html": page("Home", *POSTS), **{f"{post}index.html": body for post in POSTS}}
    for code, report in (served(routes), build(files)):
        assert (code, len(report["stale"]["missing"])) == ((0, 0) if posts else (1, 6))
        assert (report["undetermined"], report["complete"]) == ([], True)
        assert rules(report).count("HTML-71") == 1


@pytest.mark.parametrize("body", [ERROR, LONG_ERROR, NOT_FOUND])
def test_V_38_a_repeated_error_page_is_not_known_when_it_is_new(body: str) -> None:
    """A run that writes lists what the next one finds to be true."""
    sitemap("sitemap.xml", "")
    files = {"index.html": page("Home", *POSTS), **{f"{post}index.html": body for post in POSTS}}
    code, report = build(files)
    assert (code, report["result"], report["stale"]["missing"]) == (0, "in-sync", [])
    assert len(report["undetermined"]) == 6


def test_V_38_what_was_written_is_in_sync() -> None:
    soon = "<!doctype html><title>Coming soon</title><p>Coming soon."
    build({"index.html": page("Home", *POSTS), **{f"{post}index.html": soon for post in POSTS}})
    assert look("--path", "site", "--sitemap", "site/sitemap.xml", command="write")[0] == 0
    code, report = look("--path", "site", "--sitemap", "site/sitemap.xml", "--baseline", "committed")
    assert (code, report["counts"]["urls"], report["result"]) == (0, 7, "in-sync")


def test_V_21_pages_that_no_sitemap_lists_have_a_warning() -> None:
    sitemap("sitemap.xml", "")
    routes: dict[str, Route] = {"/": page("Home", *POSTS), **{f"/{post}": STUB for post in POSTS}, "*": 404}
    for _, report in (
        served(routes),
        build({"index.html": page("Home", *POSTS), **{f"{post}index.html": STUB for post in POSTS}}),
    ):
        (finding,) = [row for row in report["findings"] if row["rule"] == "HTML-71"]
        assert (finding["severity"], finding["count"], report["complete"]) == ("warning", 6, True)


DIFFERENT: list[tuple[str, list[str]]] = [
    ("other titles", [STUB.replace("Blog", f"Blog {number}") for number in range(6)]),
    ("other texts", [STUB.replace("post", f"post {chr(97 + number)}") for number in range(6)]),
    ("four", [STUB, STUB, STUB, STUB, page("5"), page("6")]),
    ("long pages", [page("Same")] * 6),
    ("images without text", [f'<!doctype html><title>Photo</title><img src="/{number}.jpg">' for number in range(6)]),
    (
        "redirect stubs",
        ['<!doctype html><title>R</title><meta http-equiv="refresh" content="0; url=/">Redirecting'] * 2,
    ),
]


@pytest.mark.parametrize("bodies", [pytest.param(row[1], id=row[0]) for row in DIFFERENT])
def test_V_21_other_short_pages_stay(bodies: list[str]) -> None:
    sitemap("sitemap.xml", "", *POSTS)
    routes: dict[str, Route] = {f"/{post}": body for post, body in zip(POSTS, bodies, strict=False)}
    _, report = served({"/": page("Home", *POSTS), **routes, "*": 404})
    assert (report["undetermined"], "HTML-71" in rules(report)) == ([], False)


# V-08: short shells


def test_V_08_a_short_shell_hides_its_links() -> None:
    """Its structure says that scripts build it, whatever its length: as the start page it hides the whole site."""
    assert len(SHORT) < 200
    sitemap("sitemap.xml", "", "about")
    routes: dict[str, Route] = {"/": SHORT, "/about": page("About"), "*": 404}
    code, report = served(routes, command="check")
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


@pytest.mark.parametrize("status", [401, 403, 500, 503])
def test_V_11_a_page_without_an_answer_in_no_sitemap_is_a_row(status: int, capsys: pytest.CaptureFixture[str]) -> None:
    sitemap("sitemap.xml", "")
    routes: dict[str, Route] = {"/": page("Home", "/account", "/new"), "/account": status, "/new": page("New")}
    for command, code in (("check", 1), ("write", 0)):
        found, report = served({**routes, "*": 404}, command=command)
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


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_V_17_a_page_whose_coding_ends_early_has_no_answer(coding: str) -> None:
    """Content-Length is right, and the last links are missing: nothing may be removed for that."""
    names = [f"p{number}" for number in range(40)]
    sitemap("sitemap.xml", "", "list", *names)
    whole = page("List", *names)
    packed = gzip.compress(whole.encode()) if coding == "gzip" else zlib.compress(whole.encode())
    cut = Reply(packed[: len(packed) * 6 // 10], headers={"Content-Encoding": coding})
    routes: dict[str, Route] = {"/": page("Home", "list"), "/list": cut, "*": 404}
    routes |= {f"/{name}": page(name) for name in names}
    code, report = served(routes, command="write")
    assert (code, report["complete"], report["removed"]) == (0, False, [])
    (row,) = report["undetermined"]
    assert (row["url"], row["reason"]) == (f"{SITE}list", "the compressed body is broken")


# V-12: a server that fails for seconds


ONCE = ["--set", "http.retries=0"]


@pytest.mark.parametrize("fault", [503, 502, 500, 429, servers.cut(), servers.busy(1, 503)])
def test_V_12_what_fails_for_a_while_is_requested_a_second_time(fault: servers.One) -> None:
    """After everything else; links of the pages that answer then are followed too."""
    names = [f"p{number}" for number in range(9)]
    sitemap("sitemap.xml", "", "deep", *names)
    routes: dict[str, Route] = {"/": page("Home", *names), "/deep": page("Deep"), "*": 404}
    routes |= {f"/{name}": [fault, page(name, "deep")] for name in names}
    with serve(routes) as site:
        code, report = look("--url", site.url, *ONCE)
        assert (code, report["result"], report["complete"]) == (0, "in-sync", True)
        assert all(site.paths.count(f"/{name}") == 2 for name in names)
        last = max(site.paths.index(f"/{name}") for name in names)
        assert "/p0" in site.paths[last + 1 :], "the second requests come after all others"


def test_V_12_a_server_that_stays_down_is_left_alone() -> None:
    names = [f"p{number:02}" for number in range(60)]
    sitemap("sitemap.xml", "", *names)
    with serve({"/": page("Home", *names), "/robots.txt": 404, "/sitemap.xml": 404, "*": 503}) as site:
        code, report = look("--url", site.url, *ONCE, "--set", "sitemaps.use=false")
        again = sum(path.startswith("/p") for path in site.paths) - len(names)
    assert (code, len(report["undetermined"])) == (3, 60)
    assert 20 <= again < 40


@pytest.mark.parametrize(
    ("fault", "options"),
    [
        pytest.param(503, ["--set", "http.backoff=800"], id="a pause beyond the deadline"),
        pytest.param(servers.busy(8, 503), ["--set", "crawl.retry-after-max=60"], id="Retry-After beyond the deadline"),
        pytest.param(
            servers.busy(86_400, 503), ["--set", "http.retries=1"], id="Retry-After beyond crawl.retry-after-max"
        ),
    ],
)
def test_V_12_no_second_pass_where_there_is_no_time(fault: servers.One, options: list[str]) -> None:
    """The reason is that of the page, and not the deadline."""
    sitemap("sitemap.xml", "", "a")
    with serve({"/": page("Home", "a"), "/a": fault, "*": 404}) as site:
        _, report = look("--url", site.url, *ONCE, "--set", "crawl.deadline=5", *options)
        assert site.paths.count("/a") == 1
    (row,) = report["undetermined"]
    assert "503" in row["reason"]
    assert not any("crawl.deadline" in reason for reason in report["incomplete"])


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


# --- what a start address means ---


def test_a_query_is_no_part_of_the_address_of_a_site(capsys: pytest.CaptureFixture[str]) -> None:
    """It would be listed as the start page's, with what is secret in it."""
    assert run(["check", "--url", "https://www.example.com/?token=x"]) == 2
    assert "without user name, query and fragment" in capsys.readouterr().err


def test_a_directory_may_be_named_without_its_slash() -> None:
    routes = {"/docs": redirect("/docs/"), "/docs/": page("Docs", "a"), "/docs/a": page("A", "/docs/")}
    with serve(routes) as web:
        for url in (f"{web.url}docs", f"{web.url}docs/"):
            _, report = look("--url", url, site=f"{SITE}docs/")
            assert [row["url"] for row in report["added"]] == [f"{SITE}docs/", f"{SITE}docs/a"]


def test_HTML_68_where_the_start_page_leads_is_no_orphan() -> None:
    routes = {
        "/": redirect("/en/", 302),
        "/en/": page("Home", "/en/a", "/en/b"),
        "/en/a": page("A", "/en/b"),
        "/en/b": page("B"),
    }
    _, report = served(routes)
    assert "HTML-68" not in [row["rule"] for row in report["findings"]]


# --- what was not read to its end ---


@pytest.mark.parametrize("committed", [True, False])
def test_crawl_deadline_counts_from_the_first_request_on(committed: bool) -> None:
    """With the sitemaps of the site, which are read before its pages, be they judged or not."""
    if committed:
        sitemap("sitemap.xml", "")
    children = {f"/{number}.xml": Reply("<urlset/>", delay=0.5) for number in range(40)}
    rows = "".join(f"<sitemap><loc>{SITE}{number}.xml</loc></sitemap>" for number in range(40))
    index = f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</sitemapindex>'
    code, report = served({"/": page("Home"), "/sitemap.xml": index} | children, "--set", "crawl.deadline=1")
    assert code in {1, 3}
    assert not report["complete"]
    assert any(row.startswith("stopped after 1 seconds (crawl.deadline)") for row in report["incomplete"])
    if committed:
        assert any("were not read to their end: crawl.deadline came first" in note for note in report["notes"])
    else:
        why = "not all that the sitemap of the site lists is known: crawl.deadline came before its end"
        assert why in report["incomplete"]


def test_RB_18_a_served_robots_txt_that_is_too_long() -> None:
    robots = "User-agent: *\n" + "#" * 600_000 + "\nDisallow: /private/\n"
    _, report = served({"/": page("Home"), "/robots.txt": Reply(robots, type="text/plain")})
    assert [row["rule"] for row in report["findings"] if row["rule"] == "RB-18"] == ["RB-18"]


# --- what a missing page looks like ---


def test_HTML_45_the_title_that_every_missing_page_has_with_200() -> None:
    """Its text names the path, so that no two are the same document."""

    def missing(asked: servers.Asked) -> Reply:
        return Reply(f"<!doctype html><title>Page not found</title><h1>Page not found</h1><p>Nothing at {asked.path}.")

    sitemap("sitemap.xml", "", "a", "gone")
    robots = Reply("User-agent: *\n", type="text/plain")
    routes = {"/": page("Home", "/a", "/gone"), "/a": page("A", "/"), "/robots.txt": robots}
    code, report = served({**routes, "*": servers.Answering(missing)}, "--set", "sitemaps.use=false")
    assert (code, classes(report)) == (1, {"gone": "soft-404"})


def test_a_content_type_that_a_proxy_has_joined() -> None:
    sitemap("sitemap.xml", "", "b")
    joined = Reply(page("B", "/"), type="text/html, text/html; charset=utf-8")
    assert classes(served({"/": page("Home", "/b"), "/b": joined})[1]) == {}


# --- a build ---


def test_HTML_43_every_hop_of_a_long_chain_has_an_answer() -> None:
    hops = "".join(f"/o{number} /o{number + 1}\n" for number in range(14)) + "/o14 /new\n"
    sitemap("sitemap.xml", "", "new", "o0")
    files = {"index.html": page("Home", "/new"), "new.html": page("New", "/"), "404.html": "", "_redirects": hops}
    _, report = build(files)
    assert report["undetermined"] == []
    assert "HTML-40" not in [row["rule"] for row in report["findings"]]
    assert classes(report) == {"o0": "redirect-broken"}


@pytest.mark.parametrize(("url", "listed"), [("a?x=1", False), ("a?y=1", False), ("a?z=1", True), ("b?page=2", True)])
def test_explain_of_a_file_with_a_query(url: str, listed: bool, capsys: pytest.CaptureFixture[str]) -> None:
    """As a run lists it: where a canonical or a sitemap names the URL, and not where a link does."""
    sitemap("sitemap.xml", "b?page=2")
    canonical = f'<link rel="canonical" href="{SITE}a?z=1">'
    build({"index.html": page("Home", "/a?y=1"), "a.html": page("A", head=canonical), "b.html": page("B")})
    capsys.readouterr()
    run(["explain", f"/{url}", "--path", "site", "--site-url", SITE, "--offline", "--host", "netlify"])
    assert capsys.readouterr().out.startswith("listed") is listed


@pytest.mark.parametrize(
    "script",
    [
        'window.location.replace("new/" + window.location.search)',  # mike
        'var target = "new/"; window.location.replace(target)',  # sphinx-reredirects
    ],
)
def test_HTML_42_a_stub_that_goes_on_with_scripts_and_without(script: str) -> None:
    refresh = '<noscript><meta http-equiv="refresh" content="1; url=new/"></noscript>'
    stub = f"<!doctype html><html><head><title>Redirecting</title>{refresh}</head><body>Redirecting to <a href='new/'>new/</a>...<script>{script}</script>"
    no_page = f"<!doctype html><title>Menu</title>{refresh}<main>{TEXT}</main><script>{script}</script>"
    sitemap("sitemap.xml", "", "old.html", "menu.html")
    files = {"index.html": page("Home", "/new/", "/menu.html"), "new/index.html": page("New", "/"), "old.html": stub, "menu.html": no_page}  # fmt: skip
    _, report = build(files)
    assert classes(report) == {"old.html": "moved"}
    assert report["notes"] == [note for note in report["notes"] if "rendered" not in note]


def test_the_home_page_of_a_directory_without_its_slash() -> None:
    """As Next.js with a basePath and Nuxt with a baseURL list it."""
    sitemap("sitemap.xml", "app", "app/a/")
    Path("site/a").mkdir(parents=True)
    Path("site/index.html").write_text(page("Home", "/app/a/"))
    Path("site/a/index.html").write_text(page("A", "/app/"))
    _, report = look("--path", "site", site=f"{SITE}app/")
    assert report["stale"]["missing"] == [f"{SITE}app/"]
    assert classes(report) == {"app": "merged"}


IGNORED = (
    ("in the body", "<p>text<link rel=canonical href=/other/>"),
    ("with media", '<link rel=canonical media=print href="/other/">'),
    ("with a fragment", '<link rel=canonical href="/other/#part">'),
)


@pytest.mark.parametrize("link", [pytest.param(row[1], id=row[0]) for row in IGNORED])
def test_V_36_a_canonical_that_does_not_count_is_no_seed(link: str) -> None:
    sitemap("sitemap.xml", "")
    with serve({"/": page("Home", head=link), "/other/": page("Other"), "*": 404}) as site:
        code, report = look("--url", site.url)
        assert "/other/" not in site.paths
    assert (code, report["stale"]["missing"]) == (0, [])
