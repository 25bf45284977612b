"""The HTML report as a file: fixed markup, one script and one style that the policy names, and data that ends no element."""

import re
from base64 import b64encode
from hashlib import sha256

import html5lib
import pytest
from msgspec.structs import replace

from hostile import HOSTILE, everything
from html_reports import html_data
from large_reports import large_report
from outcomes import skipped
from sitemap_action.model.context import Detail
from sitemap_action.model.outcome import Diff, Outcome, PageRow, PageTable, ReportDetails
from sitemap_action.reports.all import render, report_format


def hostile_report(text: str) -> Outcome:
    """With this text in every place of the table of pages too."""
    row = PageRow(text, reason="gone", detail=text, status=404, title=text, found_on=text, target=text)
    trail = ((text, 301), (text, 0)), "was not fetched"
    below = PageRow(f"https://www.example.com/{text}", title=text)
    return replace(
        everything(text),
        details=ReportDetails(pages=PageTable((row, below), total=2, statuses=((200, 2),), trails=(trail,))),
    )


def elements(page: str) -> list[str]:
    return [element.tag for element in html5lib.parse(page, namespaceHTMLElements=False).iter() if isinstance(element.tag, str)]  # fmt: skip


PLAIN = elements(render("html", everything("x")))


@pytest.mark.attack("injection")
@pytest.mark.parametrize("text", [*HOSTILE, "</script><script>alert(1)</script>", "<!--<script>", "]]>", "\u2028\u2029", "\ud800\udfff", "x" * 100_000, "$data ${script}", "javascript:alert(1)"])  # fmt: skip
def test_no_text_of_a_site_becomes_markup(text: str) -> None:
    page = render("html", hostile_report(text))
    assert elements(page) == PLAIN
    page.encode()
    if len(text) > 3 and text.strip() == text and re.search(r"[<>]", text):
        assert text not in page


def test_the_policy_allows_the_script_and_the_style_of_the_file_and_nothing_else() -> None:
    page = render("html", everything("x"))
    (policy,) = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page)
    allowed = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    for kind, pattern in (("script-src", r"<script>(.*?)</script>"), ("style-src", r"<style>(.*?)</style>")):
        (content,) = re.findall(pattern, page, re.DOTALL)
        assert allowed[kind] == f"'sha256-{b64encode(sha256(content.encode()).digest()).decode()}'"
    assert allowed["default-src"] == "'none'"
    assert not re.search(r"unsafe|http|\*|data:", policy)
    assert not re.search(r'\b(?:src|href|style|on\w+)="(?!#)', page.partition('<script type="application/json"')[0])


def test_the_script_makes_no_markup_of_text() -> None:
    (script,) = re.findall(r"<script>(.*?)</script>", render("html", everything("x")), re.DOTALL)
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|eval\(|Function\(", script)


def test_the_same_outcome_gives_the_same_bytes() -> None:
    assert render("html", large_report(500)) == render("html", large_report(500))


def test_the_data_has_a_row_for_every_page() -> None:
    outcome = large_report(1_000)
    found = html_data(render("html", outcome))
    table = found["table"]
    assert len(table["rows"]) == table["total"] == 1_001
    assert table["complete"] is True
    assert table["rows"][0][:2] == ["/", 1 | 4]  # missing from the committed sitemap, which is the baseline
    assert found["headline"] == "The sitemap and the site differ"


def test_an_outcome_without_a_table_has_the_rows_of_its_difference() -> None:
    """Such as one of a program that uses the package; a run collects the pages where a report shows them."""
    diff = Diff(missing=("https://www.example.com/a",), skipped=(skipped("/b", "gone", "no file"),))  # fmt: skip
    found = html_data(render("html", replace(everything("x"), diff=diff)))
    table = found["table"]
    assert [row[0] for row in table["rows"]] == ["/a", "/b"]
    assert table["complete"] is False


def test_long_lists_are_cut_and_counted() -> None:
    many = tuple(f"https://www.example.com/{number:06}" for number in range(3_000))
    found = html_data(render("html", replace(everything("x"), diff=Diff(missing=many))))
    sections = found["sections"]
    (missing,) = [one for one in sections if one["title"].startswith("Missing from")]
    assert (missing["count"], len(missing["rows"])) == (3_000, 500)


def test_it_is_one_of_the_formats_that_show_every_page() -> None:
    assert report_format("html").details == (Detail.PAGES,)
    assert report_format("html").file == "report.html"
    assert not report_format("json").details
