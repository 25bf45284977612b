"""The pass over the files of one sitemap: what it counts, groups and redacts, and the entries it passes on."""

import pytest

from checked_files import SITE, check_content, check_documents, document, ids, pass_on
from sitemap_action.checks import languages

NS = "http://www.sitemaps.org/schemas/sitemap/0.9"


def urlset(*urls: str, more: str = "") -> bytes:
    rows = "".join(f"<url><loc>{url}</loc>{more}</url>\n" for url in urls)
    return f'<urlset xmlns="{NS}">\n{rows}</urlset>'.encode()


def index(*urls: str) -> bytes:
    rows = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls)
    return f'<sitemapindex xmlns="{NS}">{rows}</sitemapindex>'.encode()


def test_a_good_sitemap_has_no_finding_and_every_rule_was_checked() -> None:
    result = check_documents(document(index(f"{SITE}/1.xml")), document(urlset(f"{SITE}/a"), f"{SITE}/1.xml", "1.xml"))
    assert (result.findings, result.not_checked) == ((), ())
    assert [(one.path, one.kind, one.entries, one.children, one.complete) for one in result.files] == [
        ("sitemap.xml", "sitemapindex", 0, 1, True),
        ("1.xml", "urlset", 1, 0, True),
    ]


def test_every_entry_and_child_goes_to_the_sink() -> None:
    files = document(index(f"{SITE}/1.xml"), "", "i"), document(urlset(f"{SITE}/a", "bad"), "", "u")
    assert pass_on(*files) == [("i", f"{SITE}/1.xml", 1), ("u", f"{SITE}/a", 2), ("u", "bad", 3)]


def test_a_damaged_file_keeps_its_entries_and_is_not_complete() -> None:
    result = check_documents(document(urlset(f"{SITE}/a", f"{SITE}/?a&b"), ""))
    assert [(one.entries, one.complete) for one in result.files] == [(1, False)]
    assert ids(result.findings) == ["SM-01"]  # and not SM-09, SM-12


def test_four_findings_are_four_and_five_are_one_with_a_count() -> None:
    four = check_content(urlset(*(f"{SITE}/#{n}" for n in range(1)), *(f"{SITE}/{n}#" for n in range(3))))
    assert [(one.rule.id, one.url, one.line, one.count, one.examples) for one in four if one.rule.id == "SM-32"] == [
        ("SM-32", f"{SITE}/#0", 2, 1, ()),
        *(("SM-32", f"{SITE}/{n}#", n + 3, 1, ()) for n in range(3)),
    ]
    five = [one for one in check_content(urlset(*(f"{SITE}/{n}#" for n in range(700)))) if one.rule.id == "SM-32"]
    assert [(one.url, one.path, one.line, one.count) for one in five] == [("", "sitemap.xml", 2, 700)]
    assert five[0].examples == tuple(f"{SITE}/{n}#" for n in range(5))


def test_findings_without_a_URL_have_file_and_line_as_examples() -> None:
    content = urlset(*(f"{SITE}/{n}" for n in range(6))).replace(b"<url>", b"<url/><url>")
    assert [one.examples for one in check_content(content)] == [tuple(f"sitemap.xml:{n}" for n in range(2, 7))]


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
    assert ids(check_content(content)) == rules


def test_rules_that_need_the_address_are_not_checked_once() -> None:
    result = check_documents(document(urlset(f"{SITE}/a"), ""), document(index(f"{SITE}/b"), "", "i"))
    assert [(one.rule, one.hint) for one in result.not_checked] == [
        ("SM-28", "give --site-url"),
        ("SM-29", "give --site-url"),
        ("SM-62", "give --site-url"),
    ]


def test_SM_30_is_not_checked_when_robots_txt_of_the_other_host_was_not_fetched() -> None:
    result = check_documents(document(urlset("https://y.com/")))
    assert [one.rule for one in result.not_checked] == ["SM-30"]
    assert ids(result.findings) == ["SM-28"]


@pytest.mark.attack("injection")
def test_a_password_and_control_characters_never_reach_a_report() -> None:
    findings = check_content(urlset("https://user:secret@www.x.com/", "https://www.x.com/&#10;a", "x&#10;::error::y"))
    shown = "".join(f"{one.message}{one.url}{one.examples}" for one in findings)
    assert "secret" not in shown
    assert shown.isprintable()
    assert "SM-34" in ids(findings)


def test_the_order_of_findings_is_that_of_rule_file_and_line() -> None:
    keys = [(one.rule.id, one.path, one.line) for one in check_content(urlset("x", f"{SITE}/a#", "y", f"{SITE}/%zz"))]
    assert keys == sorted(keys)


def test_an_address_that_is_no_URL_counts_as_none() -> None:
    result = check_documents(document(urlset(f"{SITE}/a"), "sitemap.xml"))
    assert [one.rule for one in result.not_checked] == ["SM-28", "SM-29"]


def test_return_links_are_not_compared_beyond_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    link = '<x:link xmlns:x="http://www.w3.org/1999/xhtml" rel="alternate" hreflang="de" href="https://www.x.com/de"/>'
    content = urlset(f"{SITE}/de", f"{SITE}/en", more=link)
    monkeypatch.setattr(languages, "_MAX_LINKS", 1)
    result = check_documents(document(content))
    assert [one.rule for one in result.not_checked] == ["HL-03", "HL-04"]
    assert ids(result.findings) == ["HL-02"]


def test_SM_29_the_directory_of_an_address_ends_before_its_query() -> None:
    address = f"{SITE}/docs/sitemap.php?of=/a/b"
    assert check_content(urlset(f"{SITE}/docs/a"), address) == []
    assert ids(check_content(urlset(f"{SITE}/a"), address)) == ["SM-29"]


TAILS = ("a", "a/b", "a//b", "~a", "a.b", "a:b@c;d=e,f", "(a)", "a$!*+", "index.html", "", "A-Z_0")


@pytest.mark.parametrize("tail", TAILS)
def test_the_fast_path_accepts_normal_URLs_only(tail: str) -> None:
    assert ids(check_content(urlset(f"{SITE}/docs/{tail}"), f"{SITE}/docs/sitemap.xml")) == []


def test_the_fast_path_is_not_taken_where_the_normal_form_differs() -> None:
    twins = [f"{SITE}/docs/a/./b", f"{SITE}/docs/a/b", f"{SITE}/docs/x/../a/b", f"{SITE}/docs/.", f"{SITE}/docs/"]
    assert ids(check_content(urlset(*twins), f"{SITE}/docs/sitemap.xml")) == ["SM-31"] * 3
