"""The site's word is stronger than a setting (URL-35): a wrong site-url is told in the first line, and nothing written.

Command lines in process, over builds and sitemaps of this test; what a real move is, the build or the config says.
"""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

import sitemap_documents
from servers import Route, serve
from sitemap_action.__main__ import run
from sitemap_action.decide.stated_base import Statement

TEXT = "every page of this site has words enough to be taken for one that people read " * 4
TRUE = "https://acme.io/"
WRONG = ("https://www.acme.io/", "http://acme.io/", "https://acme.com/", "https://acme.io/docs/")
NAMES = ("", *(f"page-{number}/" for number in range(100)))


def build(root: Path, names: Sequence[str] = NAMES, *, canonical: str = "", head: str = "", link: str = "") -> None:
    """Pages that link to each other from their root; `canonical`, `link`: the base of canonicals, and of links."""
    for name in names:
        path = root / name / "index.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        own = f'<link rel="canonical" href="{canonical}{name}">' if canonical else ""
        links = "".join(f'<a href="{link}{other}">to</a>' for other in names) if link or not name else ""
        title = f"Page {name}"
        path.write_text(f"<!doctype html><title>{title}</title>{own}{head}<main><p>{TEXT} {name}</p>{links}</main>")


def urlset(path: Path, base: str, names: Sequence[str] = NAMES) -> bytes:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(sitemap_documents.urlset(*(f"{base}{name}" for name in names)))
    return path.read_bytes()


def first_line(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out.splitlines()[0]


def says(site_url: str, count: int, total: int, base: str) -> str:
    what = f"site-url is {site_url}, and {count} of {total} addresses that the site states are below {base}"
    return f"inconclusive: {what} (exit 3)"


@pytest.mark.parametrize("mode", ["check", "write"])
@pytest.mark.parametrize("place", ["sitemap.xml", "dist/sitemap.xml"])
@pytest.mark.parametrize("site_url", WRONG)
def test_I_01_the_first_line_names_both_sides_and_nothing_is_written(
    site_url: str, place: str, mode: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build(here / "dist")
    before = urlset(here / place, TRUE)
    assert run([mode, "--path", "dist", "--site-url", site_url, "--offline"]) == 3
    printed = capsys.readouterr().out
    assert printed.splitlines()[0] == says(site_url, 101, 101, TRUE)
    assert (here / place).read_bytes() == before
    assert "redirects" not in printed
    assert "gone" not in printed
    assert f"--site-url {TRUE}" in printed


def test_I_01_a_canonical_is_a_statement(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build(here / "dist", canonical=TRUE)
    assert run(["write", "--path", "dist", "--site-url", "https://www.acme.io/", "--sitemap", "s.xml"]) == 3
    assert first_line(capsys) == says("https://www.acme.io/", 101, 101, TRUE)
    assert not (here / "s.xml").exists()


HEADS = {
    "og-url": '<meta property="og:url" content="{0}">',
    "hreflang": '<link rel="alternate" hreflang="en" href="{0}"><link rel="alternate" hreflang="de" href="{1}">',
}


@pytest.mark.parametrize("kind", HEADS)
def test_I_01_what_a_page_says_of_itself_is_a_statement(
    kind: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in NAMES[:5]:
        build(here / "dist", [name], head=HEADS[kind].format(f"{TRUE}{name}", f"{TRUE}de/{name}"))
    assert run(["check", "--path", "dist", "--site-url", "https://www.acme.io/"]) == 3
    assert first_line(capsys) == says("https://www.acme.io/", 5, 5, TRUE)


def test_I_01_links_with_a_host_are_statements(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build(here / "dist", NAMES[:6], link=TRUE)
    assert run(["check", "--path", "dist", "--site-url", "https://www.acme.io/"]) == 3
    line = first_line(capsys)
    assert line.startswith("inconclusive: site-url is https://www.acme.io/, and 5 of 5 addresses"), line


def test_I_01_links_to_other_sites_are_no_statements(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    others = "".join(f'<a href="https://en.example.org/{name}">in English</a>' for name in NAMES[:6])
    for name in NAMES[:6]:  # each page links to its original, and all to the sites of others
        own = f'<a href="https://en.example.org/{name}">in English</a>'
        build(here / "dist", [name], head=own + '<a href="https://github.com/acme">code</a>')
    assert others
    assert run(["check", "--path", "dist", "--site-url", TRUE, "--sitemap", "s.xml"]) == 1
    assert first_line(capsys).startswith("drift")


def test_I_02_a_project_site_below_the_root_of_its_owner(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base = "https://jane.github.io/mydocs/"
    build(here / "site", NAMES[:5], canonical=base)
    urlset(here / "site/sitemap.xml", base, NAMES[:5])
    assert run(["check", "--path", "site", "--site-url", "https://jane.github.io/", "--offline"]) == 3
    printed = capsys.readouterr().out
    assert printed.splitlines()[0] == says("https://jane.github.io/", 10, 10, base)
    assert f"--site-url {base}" in printed
    assert run(["check", "--path", "site", "--site-url", base, "--offline"]) == 0


def test_I_01_less_than_three_statements_or_nine_tenths_decide_nothing(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build(here / "two", NAMES[1:3], canonical=TRUE)
    assert run(["check", "--path", "two", "--site-url", "https://www.acme.io/", "--sitemap", "s.xml"]) == 1
    assert "states" not in first_line(capsys)
    build(here / "mixed", NAMES[:80], canonical=TRUE)
    build(here / "mixed", NAMES[80:], canonical="https://www.acme.io/")
    assert run(["check", "--path", "mixed", "--site-url", "https://www.acme.io/", "--sitemap", "s.xml"]) == 1
    assert "states" not in first_line(capsys)


@pytest.mark.parametrize("leak", ["http://localhost:4000/", "https://staging.acme.io/", "https://acme-42.vercel.app/"])
def test_I_01_a_leak_is_no_base(leak: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build(here / "dist", NAMES[:5], canonical=leak)
    assert run(["check", "--path", "dist", "--site-url", TRUE, "--sitemap", "s.xml"]) != 3
    assert "states" not in first_line(capsys)


def test_I_01_an_entry_that_is_no_URL_states_nothing(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build(here / "dist", NAMES[:5])
    text = urlset(here / "sitemap.xml", TRUE, NAMES[:5]).decode()
    bad = "".join(f"<url><loc>{loc}</loc></url>" for loc in ("http://[bad", "https://a b"))
    (here / "sitemap.xml").write_text(text.replace("</urlset>", f"{bad}</urlset>"))
    assert run(["check", "--path", "dist", "--site-url", TRUE, "--offline"]) == 1
    assert "2 errors in the sitemap" in capsys.readouterr().out


def test_I_01_the_rule_can_be_turned_down(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build(here / "dist", NAMES[:5], canonical=TRUE)
    given = ["--path", "dist", "--site-url", "https://www.acme.io/", "--set", "checks.URL-35=warning"]
    assert run(["check", *given]) != 3
    assert "URL-35" in capsys.readouterr().out


def test_I_01_the_report_has_the_base_for_programs(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build(here / "dist", NAMES[:5], canonical=TRUE)
    urlset(here / "sitemap.xml", TRUE, NAMES[:5])
    assert run(["check", "--path", "dist", "--site-url", "https://www.acme.io/", "--format", "json"]) == 3
    report = json.loads(capsys.readouterr().out)
    assert (report["result"], report["complete"], report["stale"]["extra"]) == ("inconclusive", False, [])
    (finding,) = report["findings"]
    assert finding["rule"] == "URL-35"
    assert "5 canonicals, 5 of the judged sitemap" in finding["message"]


def test_I_01_each_kind_of_statement_counts(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build(here / "dist", NAMES[:5], canonical=TRUE, link=TRUE)
    for name in NAMES[:5]:
        page = here / "dist" / name / "index.html"
        head = "".join(one.format(f"{TRUE}{name}", f"{TRUE}de/{name}") for one in HEADS.values())
        page.write_text(page.read_text().replace("<main>", f"{head}<main>"))
    (here / "dist/robots.txt").write_text(f"Sitemap: {TRUE}sitemap.xml\n")
    for place, names in (("dist/s.xml", NAMES[:4]), ("s.xml", NAMES[:5])):
        urlset(here / place, TRUE, names)
    given = ["--path", "dist", "--sitemap", "s.xml", "--site-url", "https://www.acme.io/", "--format", "json"]
    assert run(["check", *given]) == 3
    (finding,) = json.loads(capsys.readouterr().out)["findings"]
    assert [kind.value for kind in Statement if kind.value not in finding["message"]] == []


def test_I_01_explain_begins_with_it(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build(here / "dist", NAMES[:5], canonical=TRUE)
    assert run(["explain", "--path", "dist", "--site-url", "https://www.acme.io/", "/page-1/"]) == 0
    line = capsys.readouterr().out.splitlines()[0]
    assert line == f"site-url is https://www.acme.io/, and 5 of 5 addresses that the site states are below {TRUE}"


def test_I_01_an_index_html_is_no_site(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build(here / "dist", NAMES[:5])
    assert run(["check", "--path", "dist", "--site-url", "https://acme.io/docs/index.html"]) == 2
    assert "https://acme.io/docs/" in capsys.readouterr().err


def served(base: str) -> dict[str, Route]:
    links = "".join(f'<a href="/{name}">to</a>' for name in NAMES[:5])
    pages = {
        f"/{name}": f'<title>{name}</title><link rel="canonical" href="{base}{name}"><p>{TEXT} {name}</p>{links}'
        for name in NAMES[:5]
    }
    return {**pages}


def test_I_01_a_served_site_is_believed_too(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    urlset(here / "sitemap.xml", TRUE, NAMES[:5])
    before = (here / "sitemap.xml").read_bytes()
    with serve(served(TRUE)) as site:
        given = ["--url", site.url, "--set", "crawl.requests-per-second=1000", "--site-url"]
        assert run(["write", *given, "https://www.acme.io/"]) == 3
        assert first_line(capsys) == says("https://www.acme.io/", 10, 10, TRUE)
        assert (here / "sitemap.xml").read_bytes() == before
        assert run(["explain", *given, "https://www.acme.io/", "/page-1/"]) == 0
        assert first_line(capsys).startswith("site-url is https://www.acme.io/, and 6 of 6 addresses")
        assert run(["write", *given, TRUE]) == 0


def test_I_01_a_preview_that_names_itself_names_the_site(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    urlset(here / "sitemap.xml", TRUE, NAMES[:5])
    with serve({}) as site:
        site.routes.update(served(site.url))
        assert run(["check", "--url", site.url, "--site-url", TRUE]) == 0
    assert first_line(capsys).startswith("in-sync")
