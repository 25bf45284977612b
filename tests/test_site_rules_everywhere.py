"""Rules over a site, from the bytes of a build and from the answers of a server (R-20)."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from servers import Reply, Route, serve
from sitemap_action.__main__ import run

SITE = "https://www.example.com/"
XHTML = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml"'
NOINDEX = '<meta name="robots" content="noindex">'


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def page(name: str, *links: str, head: str = "") -> str:
    anchors = "".join(f'<a href="{link}">{link}</a> ' for link in links)
    text = f"some words about {name} that make a page of its own " * 12
    return f"<!doctype html><title>{name}</title>{head}<main><h1>{name}</h1>{anchors}<p>{text}</main>"


def naming(path: str) -> str:
    return f'<link rel="canonical" href="{SITE}{path}">'


def version(hreflang: str, path: str, tag: str = "link") -> str:
    return f'<{tag} rel="alternate" hreflang="{hreflang}" href="{SITE}{path}"/>'


def committed(entries: Mapping[str, str]) -> str:
    rows = "".join(f"<url><loc>{SITE}{path}</loc>{more}</url>" for path, more in entries.items())
    return f"<urlset {XHTML}>{rows}</urlset>"


def reports(
    files: Mapping[str, str],
    *more: str,
    listed: Mapping[str, str],
    headers: Mapping[str, Mapping[str, str]] = {},
    moved: Mapping[str, str] = {},
    only: int | None = None,
) -> list[dict[str, Any]]:
    """On a folder for Netlify, and over HTTP; `headers` and `moved`: by path, without the first slash."""
    for name, text in files.items():
        path = Path("site", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    if headers:
        rules = (
            f"/{path.rstrip('/')}\n" + "".join(f"  {name}: {value}\n" for name, value in own.items())
            for path, own in headers.items()
        )
        Path("site/_headers").write_text("".join(rules))
    if moved:
        Path("site/_redirects").write_text("".join(f"/{path} {target} 301\n" for path, target in moved.items()))
    Path("sitemap.xml").write_text(committed(listed))
    routes: dict[str, Route] = {f"/{path}": Reply("", 301, {"Location": target}) for path, target in moved.items()}
    for name, text in files.items():
        path = name.removesuffix("index.html")
        if name.endswith(".html"):
            routes[f"/{path}"] = Reply(text, headers=headers.get(path, {}))
        else:
            routes[f"/{name}"] = Reply(text, type="text/plain")
    found = [judged("--path", "site", "--set", "source.host=netlify", *more)] if only != 1 else []
    if only != 0:
        with serve(routes) as site:
            found.append(judged("--url", site.url, *more))
    return found


def judged(*arguments: str) -> dict[str, Any]:
    quick = ["--quiet", "--set", "sitemaps.use=false", "--set", "http.retries=0"]
    run(["check", *arguments, "--site-url", SITE, *quick, "--report", "json=report.json"])
    report: dict[str, Any] = json.loads(Path("report.json").read_text())
    return report


def findings(report: Mapping[str, Any], rule: str) -> list[tuple[str, str]]:
    return [(row["severity"], row["message"]) for row in report["findings"] if row["rule"] == rule]


LANGUAGES = {"en/": version("en", "en/") + version("de", "de/"), "de/": version("en", "en/") + version("de", "de/")}
HOME = page("home", "en/", "de/")


def test_HL_08_HL_09_versions_that_are_right() -> None:
    files = {"index.html": HOME} | {f"{path}index.html": page(path, head=head) for path, head in LANGUAGES.items()}
    entries = {path: head.replace("<link", "<xhtml:link") for path, head in LANGUAGES.items()}
    for report in reports(files, listed={"": "", **entries}):
        assert (findings(report, "HL-08"), findings(report, "HL-09"), report["result"]) == ([], [], "in-sync")


def test_HL_08_a_version_with_noindex() -> None:
    files = {
        "index.html": HOME,
        "en/index.html": page("en", head=LANGUAGES["en/"]),
        "de/index.html": page("de", head=NOINDEX),
    }
    for report in reports(files, listed={"": "", "en/": ""}):
        detail = f'de is {SITE}de/ (deindexed: has <meta name="robots" content="noindex">)'
        assert findings(report, "HL-08") == [("warning", f"a language version is not indexable: {detail}")]


def test_HL_08_five_versions_that_redirect_are_one_finding() -> None:
    pages = {f"p{number}/index.html": page(f"p{number}", head=version("de", f"de/p{number}")) for number in range(5)}
    targets = {f"de/p{number}/index.html": page(f"seite {number}") for number in range(5)}
    files = {
        "index.html": page("home", *(name.removesuffix("index.html") for name in (*pages, *targets))),
        **pages,
        **targets,
    }
    moved = {f"de/p{number}": f"/de/p{number}/" for number in range(5)}
    listed = {"": "", **{name.removesuffix("index.html"): "" for name in (*pages, *targets)}}
    for report in reports(files, listed=listed, moved=moved):
        (row,) = (row for row in report["findings"] if row["rule"] == "HL-08")
        assert (row["count"], row["examples"]) == (5, [f"{SITE}p{number}/" for number in range(5)])
        assert row["message"] == "a language version redirects"


def test_HL_08_a_version_that_the_config_excludes_is_no_error() -> None:
    files = {
        "index.html": HOME,
        "en/index.html": page("en", head=LANGUAGES["en/"]),
        "de/index.html": page("de", head=NOINDEX),
    }
    for report in reports(files, "--set", "select.exclude=/de/", listed={"": "", "en/": ""}):
        assert findings(report, "HL-08") == []


def test_HL_09_a_page_its_header_and_the_sitemap() -> None:
    files = {"index.html": page("home", "en/", "de/", "fr/")}
    files |= {
        f"{code}/index.html": page(code, head=version(code, f"{code}/") if code != "fr" else "")
        for code in ("en", "de", "fr")
    }
    headers = {"en/": {"Link": f'<{SITE}fr/>; rel="alternate"; hreflang="en"'}}
    listed = {"": "", "en/": "", "de/": version("de", "fr/", "xhtml:link"), "fr/": ""}
    for report in reports(files, listed=listed, headers=headers):
        contradiction = "two statements of a page's language versions contradict each other"
        assert findings(report, "HL-09") == [
            ("warning", f"{contradiction}: de is {SITE}de/ on the page and {SITE}fr/ in the sitemap"),
            ("warning", f"{contradiction}: en is {SITE}fr/ in the Link header and {SITE}en/ on the page"),
        ]


def test_HTML_30_a_series_whose_pages_name_the_first() -> None:
    files = {
        "index.html": page("home", "blog/"),
        "blog/index.html": page("blog", "page/2/", head=naming("blog/")),
        "blog/page/2/index.html": page("more", "/blog/", "/", head=naming("blog/")),
    }
    for report in reports(files, listed={"": "", "blog/": ""}):
        assert findings(report, "HTML-30") == [
            ("warning", f"a later page of a series names the first one as its canonical: {SITE}blog/")
        ]
    files["blog/page/2/index.html"] = page("more", "/blog/", "/", head=naming("blog/page/2/"))
    for report in reports(files, listed={"": "", "blog/": "", "blog/page/2/": ""}):
        assert findings(report, "HTML-30") == []


def test_HTML_44_a_redirect_from_https_to_http() -> None:
    files = {"index.html": page("home", "old", "older"), "new/index.html": page("new", "/")}
    moved = {"old": "http://www.example.com/new", "older": "/new/"}
    for report in reports(files, listed={"": "", "new/": ""}, moved=moved):
        (row,) = (row for row in report["findings"] if row["rule"] == "HTML-44")
        assert (row["url"], row["severity"]) == (f"{SITE}old", "warning")
        assert row["message"].endswith(": http://www.example.com/new")


@pytest.mark.parametrize("robots", ["User-agent: *\nDisallow: /a/\n", "User-agent: *\nDisallow: /b/\n"])
def test_RB_33_noindex_on_a_page_that_robots_txt_disallows(robots: str) -> None:
    files = {"index.html": page("home", "a/"), "a/index.html": page("a", head=NOINDEX), "robots.txt": robots}
    expected = ["warning"] if "/a/" in robots else []
    for report in reports(files, "--set", "crawl.robots=ignore", listed={"": ""}):
        assert [severity for severity, _ in findings(report, "RB-33")] == expected


@pytest.mark.parametrize(
    ("robots", "blocked"),
    [
        ("User-agent: *\nDisallow: /_next/\n", ["_next/app.css", "_next/app.js"]),
        ("User-agent: *\nDisallow: /_next/\nAllow: /_next/*.css$\n", ["_next/app.js"]),
        ("User-agent: *\nDisallow: /other/\n", []),
        ("User-agent: duckbot\nDisallow: /\n", []),
        ("User-agent: *\nAllow: /\n", []),
    ],
)
def test_RB_36_files_that_pages_need_and_robots_txt_disallows(robots: str, blocked: list[str]) -> None:
    head = '<script src="/_next/app.js"></script><link rel="preload stylesheet" href="/_next/app.css">'
    head += '<script src="https://cdn.example.org/_next/x.js"></script><link rel="icon" href="/_next/i.png"><script>1</script>'
    files = {
        "index.html": page("home", "a/", head=head),
        "a/index.html": page("a", "/", head=head),
        "robots.txt": robots,
    }
    for report in reports(files, listed={"": "", "a/": ""}):
        rows = [row["message"] for row in report["findings"] if row["rule"] == "RB-36"]
        assert [row.partition(" from ")[2].partition(": ")[0] for row in rows] == [f"{SITE}{path}" for path in blocked]
        assert all(row.endswith("Disallow: /_next/; 2 listed pages need it") for row in rows)


def dated(lastmod: str) -> str:
    return f"<lastmod>{lastmod}</lastmod>"


def own_date(day: str) -> str:
    return f'<script type="application/ld+json">{{"@type": "Article", "dateModified": "{day}T10:00:00Z"}}</script>'


def test_DIFF_33_dates_of_pages_and_of_entries() -> None:
    days = {"a/": "2026-09-30", "b/": "2026-03-02", "c/": "2023-01-01"}
    files = {"index.html": page("home", *days)}
    files |= {f"{path}index.html": page(path, head=own_date(day)) for path, day in days.items()}
    for report in reports(files, listed={"": "", **dict.fromkeys(days, dated("2026-03-01"))}):
        assert findings(report, "DIFF-33") == [
            ("warning", "lastmod is older than the page's own date: 2026-03-01, and the page states 2026-09-30"),
            ("warning", "lastmod is newer than every date of the page: 2026-03-01, and the page states 2023-01-01"),
        ]


def test_DIFF_30_a_date_that_goes_backwards() -> None:
    files = {"index.html": page("home", "a/"), "a/index.html": page("a")}
    Path("before.xml").write_text(committed({"": dated("2026-03-01"), "a/": dated("2026-03-01")}))
    listed = {"": dated("2026-03-02"), "a/": dated("2025-11-01")}
    for report in reports(files, "--baseline", "before.xml", listed=listed):
        message = "lastmod is older than before: 2026-03-01, now 2025-11-01"
        assert findings(report, "DIFF-30") == [("warning", message)]
        assert [row["rule"] for row in report["not_checked"]] == ["DIFF-31", "DIFF-32"]


def rules(report: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [
        (row["rule"], row["url"].removeprefix(SITE)) for row in report["findings"] if row["rule"].startswith("DIFF-3")
    ]


@pytest.mark.parametrize("mode", [0, 1], ids=["folder", "served"])
def test_DIFF_31_DIFF_32_content_since_the_run_before(mode: int) -> None:
    """A served site without a commit is read anew."""
    files = {"index.html": page("home", "a/", "b/", "c/"), **{f"{one}/index.html": page(one) for one in "abc"}}
    old, new = dated("2024-03-01"), dated("2026-11-01")

    def report(more: Mapping[str, str], dates: str) -> list[tuple[str, str]]:
        listed = {"": "", **{f"{one}/": new if date == "n" else old for one, date in zip("abc", dates, strict=True)}}
        found = reports({**files, **more}, "--state", f"{mode}.sqlite", listed=listed, only=mode)
        assert found[0]["not_checked"] == []
        return rules(found[0])

    edited = {f"{one}/index.html": page(f"{one}, rewritten") for one in "ab"}
    assert report({}, "ooo") == []
    for _ in range(2):  # until it is mended
        assert report(edited, "onn") == [("DIFF-31", "c/"), ("DIFF-32", "a/")]
    assert report(edited, "nno") == []
    assert report(edited, "nno") == []


def test_IMG_04_an_image_that_robots_txt_blocks() -> None:
    files = {
        "index.html": page("home", "a/"),
        "a/index.html": page("a"),
        "robots.txt": "User-agent: *\nDisallow: /img/\n",
    }
    images = "".join(
        f'<image:image xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"><image:loc>{url}</image:loc></image:image>'
        for url in (f"{SITE}p.jpg", f"{SITE}img/p.jpg", "https://cdn.example.org/img/p.jpg")
    )
    for report in reports(files, listed={"": "", "a/": images}):
        (found,) = findings(report, "IMG-04")
        assert found == (
            "warning",
            f"robots.txt blocks an image that the sitemap names: line 2 blocks Googlebot from {SITE}img/p.jpg: Disallow: /img/",
        )
