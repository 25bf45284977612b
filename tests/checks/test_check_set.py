"""The pass over the files of one sitemap: what it counts, groups and redacts, and the entries it passes on."""

from datetime import UTC, datetime

import pytest

from sitemap_action.checks import languages
from sitemap_action.checks.all import check_set
from sitemap_action.checks.base import FileOptions, directory_url
from sitemap_action.model.finding import Finding
from sitemap_action.model.sitemap import ChildSitemap, DocumentKind, Entry, SitemapDocument
from sitemap_action.web.urls import normalize

NS = "http://www.sitemaps.org/schemas/sitemap/0.9"
SITE = "https://www.x.com"
OPTIONS = FileOptions(datetime(2026, 10, 1, tzinfo=UTC))


def urlset(*urls: str, more: str = "") -> bytes:
    rows = "".join(f"<url><loc>{url}</loc>{more}</url>\n" for url in urls)
    return f'<urlset xmlns="{NS}">\n{rows}</urlset>'.encode()


def index(*urls: str) -> bytes:
    rows = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls)
    return f'<sitemapindex xmlns="{NS}">{rows}</sitemapindex>'.encode()


def found(content: bytes, address: str = f"{SITE}/sitemap.xml") -> list[Finding]:
    return list(check_set([SitemapDocument("sitemap.xml", content, address)], OPTIONS).findings)


def ids(findings: list[Finding]) -> list[str]:
    return [finding.rule.id for finding in findings]


def test_a_good_sitemap_has_no_finding_and_every_rule_was_checked() -> None:
    files = [
        SitemapDocument("sitemap.xml", index(f"{SITE}/1.xml"), f"{SITE}/sitemap.xml"),
        SitemapDocument("1.xml", urlset(f"{SITE}/a"), f"{SITE}/1.xml"),
    ]
    result = check_set(files, OPTIONS)
    assert (result.findings, result.not_checked) == ((), ())
    assert [(one.path, one.kind, one.entries, one.children, one.complete) for one in result.files] == [
        ("sitemap.xml", DocumentKind.INDEX, 0, 1, True),
        ("1.xml", DocumentKind.URLSET, 1, 0, True),
    ]


def test_every_entry_and_child_goes_to_the_sink() -> None:
    files = [SitemapDocument("i", index(f"{SITE}/1.xml")), SitemapDocument("u", urlset(f"{SITE}/a", "bad"))]
    received: list[tuple[str, Entry | ChildSitemap]] = []
    check_set(files, OPTIONS, lambda file, item: received.append((file.path, item)))
    assert received == [
        ("i", ChildSitemap(f"{SITE}/1.xml", line=1)),
        ("u", Entry(f"{SITE}/a", line=2)),
        ("u", Entry("bad", line=3)),
    ]


def test_a_damaged_file_keeps_its_entries_and_is_not_complete() -> None:
    result = check_set([SitemapDocument("u", urlset(f"{SITE}/a", f"{SITE}/?a&b"))], OPTIONS)
    assert [(one.entries, one.complete) for one in result.files] == [(1, False)]
    assert ids(list(result.findings)) == ["SM-01"]  # and not SM-09, SM-12


def test_four_findings_are_four_and_five_are_one_with_a_count() -> None:
    four = found(urlset(*(f"{SITE}/#{n}" for n in range(1)), *(f"{SITE}/{n}#" for n in range(3))))
    assert [(one.rule.id, one.url, one.line, one.count, one.examples) for one in four if one.rule.id == "SM-32"] == [
        ("SM-32", f"{SITE}/#0", 2, 1, ()),
        *(("SM-32", f"{SITE}/{n}#", n + 3, 1, ()) for n in range(3)),
    ]
    five = [one for one in found(urlset(*(f"{SITE}/{n}#" for n in range(700)))) if one.rule.id == "SM-32"]
    assert [(one.url, one.path, one.line, one.count) for one in five] == [("", "sitemap.xml", 2, 700)]
    assert five[0].examples == tuple(f"{SITE}/{n}#" for n in range(5))


def test_findings_without_a_URL_have_file_and_line_as_examples() -> None:
    content = urlset(*(f"{SITE}/{n}" for n in range(6))).replace(b"<url>", b"<url/><url>")
    assert [one.examples for one in found(content)] == [tuple(f"sitemap.xml:{n}" for n in range(2, 7))]


# One cause is one finding: the schema gate does not repeat it.
CAUSES = (
    (urlset(f"{SITE}/a", more="<priority>2</priority>"), ["SM-49", "SM-50"]),
    (urlset(f"{SITE}/a", more="<lastmod>2005</lastmod>"), ["SM-41"]),
    (urlset(f"{SITE}/%zz"), ["SM-25"]),
    (urlset("http://a.b/"), ["SM-22", "SM-28"]),
    (urlset(f"{SITE}/a").replace(b"<loc>", b"<loc/><loc>"), ["SM-20", "SM-20"]),
    (urlset(f"{SITE}/a").replace(b"<url>", b"<url><lastmod>2026-01-01</lastmod>"), ["SM-14"]),
    (urlset(f"{SITE}/a", more="<x>y</x>"), ["SM-15"]),
    (urlset(f"{SITE}/a").replace(b"http:", b"https:", 1), ["SM-05"]),
    (b"\n<?xml version='1.0'?>" + urlset(f"{SITE}/a"), ["SM-04"]),
    (urlset(f"{SITE}/a").decode().encode("utf-16"), ["SM-02"]),
    (urlset(f"{SITE}/{'a' * 100_000}"), ["SM-20", "SM-22"]),
)


@pytest.mark.parametrize(("content", "rules"), CAUSES)
def test_one_cause_one_finding(content: bytes, rules: list[str]) -> None:
    assert ids(found(content)) == rules


def test_rules_that_need_the_address_are_not_checked_once() -> None:
    result = check_set([SitemapDocument("a", urlset(f"{SITE}/a")), SitemapDocument("i", index(f"{SITE}/b"))], OPTIONS)
    assert [(one.rule, one.hint) for one in result.not_checked] == [
        ("SM-28", "give --site-url"),
        ("SM-29", "give --site-url"),
        ("SM-62", "give --site-url"),
    ]


def test_SM_30_is_not_checked_when_robots_txt_of_the_other_host_was_not_fetched() -> None:
    result = check_set([SitemapDocument("a", urlset("https://y.com/"), f"{SITE}/s.xml")], OPTIONS)
    assert [one.rule for one in result.not_checked] == ["SM-30"]
    assert ids(list(result.findings)) == ["SM-28"]


@pytest.mark.attack("injection")
def test_a_password_and_control_characters_never_reach_a_report() -> None:
    findings = found(urlset("https://user:secret@www.x.com/", "https://www.x.com/&#10;a", "x&#10;::error::y"))
    shown = "".join(f"{one.message}{one.url}{one.examples}" for one in findings)
    assert "secret" not in shown
    assert shown.isprintable()
    assert "SM-34" in ids(findings)


def test_the_order_of_findings_is_that_of_rule_file_and_line() -> None:
    keys = [(one.rule.id, one.path, one.line) for one in found(urlset("x", f"{SITE}/a#", "y", f"{SITE}/%zz"))]
    assert keys == sorted(keys)


def test_an_address_that_is_no_URL_counts_as_none() -> None:
    result = check_set([SitemapDocument("a", urlset(f"{SITE}/a"), "sitemap.xml")], OPTIONS)
    assert [one.rule for one in result.not_checked] == ["SM-28", "SM-29"]


def test_return_links_are_not_compared_beyond_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    link = '<x:link xmlns:x="http://www.w3.org/1999/xhtml" rel="alternate" hreflang="de" href="https://www.x.com/de"/>'
    content = urlset(f"{SITE}/de", f"{SITE}/en", more=link)
    monkeypatch.setattr(languages, "_MAX_LINKS", 1)
    result = check_set([SitemapDocument("a", content, f"{SITE}/s.xml")], OPTIONS)
    assert [one.rule for one in result.not_checked] == ["HL-03", "HL-04"]
    assert ids(list(result.findings)) == ["HL-02"]


ADDRESSES = (
    ("https://x.com/sitemap.xml", "https://x.com/"),
    ("https://x.com/docs/sitemap.php?of=/a/b", "https://x.com/docs/"),
    ("", ""),
)


@pytest.mark.parametrize(("address", "folder"), ADDRESSES)
def test_directory_of_an_address(address: str, folder: str) -> None:
    assert directory_url(address) == folder


TAILS = ("a", "a/b", "a//b", "~a", "a.b", "a:b@c;d=e,f", "(a)", "a$!*+", "index.html", "", "A-Z_0")


@pytest.mark.parametrize("tail", TAILS)
def test_the_fast_path_accepts_normal_URLs_only(tail: str) -> None:
    assert normalize(f"{SITE}/docs/{tail}") == f"{SITE}/docs/{tail}"
    assert ids(found(urlset(f"{SITE}/docs/{tail}"), f"{SITE}/docs/sitemap.xml")) == []


def test_the_fast_path_is_not_taken_where_the_normal_form_differs() -> None:
    twins = [f"{SITE}/docs/a/./b", f"{SITE}/docs/a/b", f"{SITE}/docs/x/../a/b", f"{SITE}/docs/.", f"{SITE}/docs/"]
    assert ids(found(urlset(*twins), f"{SITE}/docs/sitemap.xml")) == ["SM-31"] * 3
