"""A finding in every report: the same parts, laid out by each format."""

import json

import pytest

from hostile import HOSTILE, RULE
from sitemap_action.checks.all import SetResult
from sitemap_action.checks.base import FileResult
from sitemap_action.model.finding import Finding, NotChecked, Severity
from sitemap_action.model.sitemap import DocumentKind
from sitemap_action.reports.items import group_unchecked
from sitemap_action.reports.sitemap_files import findings_json as render_json
from sitemap_action.reports.sitemap_files import findings_text as render_text

WARNING = Severity.WARNING
# finding, place, subject, sentence
ROWS = (
    (Finding(RULE, WARNING, "m"), "", "", "m"),
    (Finding(RULE, WARNING, "m", "https://x.com/", "a.xml", 3), "a.xml:3", "https://x.com/", "m: https://x.com/"),
    (Finding(RULE, WARNING, "m", path="a.xml"), "a.xml", "", "m"),
    (Finding(RULE, WARNING, "m", line=3), "", "", "m"),
    (Finding(RULE, WARNING, "m", "u", count=1_000, examples=("p", "q")), "", "p, q", "m (1,000 times): p, q"),
    (Finding(RULE, WARNING, "m", count=9, examples=("p",), causes=(("why", 9),)), "", "p", "m: why (9 times): p"),
    (
        Finding(RULE, WARNING, "m", count=9, examples=("p",), causes=(("a", 6), ("b", 3))),
        "",
        "p",
        "m: a (6); b (3) (9 times): p",
    ),
    (
        Finding(RULE, WARNING, "m", count=9, examples=("p",), causes=(("a", 6),)),
        "",
        "p",
        "m: a (6); other causes (3) (9 times): p",
    ),
)


@pytest.mark.parametrize(("finding", "place", "subject", "sentence"), ROWS)
def test_parts(finding: Finding, place: str, subject: str, sentence: str) -> None:
    assert (finding.place, finding.subject, finding.sentence) == (place, subject, sentence)


def result(*findings: Finding, path: str = "a.xml", complete: bool = True) -> SetResult:
    file = FileResult(path, DocumentKind.URLSET, 1, 0, complete)
    return SetResult(findings, (NotChecked("SM-30", "robots.txt", "name the site"),), (file,))


def test_U_32_the_verdict_and_totals_come_first() -> None:
    found = Finding(RULE, WARNING, "m", "https://x.com/", "a.xml", 3)
    assert render_text([result(found)]) == (
        "valid: no rule that needs the files alone finds an error (exit 0)\n"
        "1 file, 1 URL: 1 with warnings\n"
        "\n"
        "a.xml: urlset, 1 URL\n"
        "  warning  SM-40    a.xml:3  m  https://x.com/\n"
        "\n"
        "not checked  SM-30: needs robots.txt: name the site\n"
    )
    damaged = render_text([result(complete=False)], 3)
    assert damaged.startswith("not all was read (exit 3)\n1 file, 1 URL: 1 damaged or not read\n")
    assert "a.xml: urlset, 1 URL, damaged\n" in damaged
    assert render_text([result()]).splitlines()[1] == "1 file, 1 URL: 1 clean"


def test_U_32_of_many_files_those_with_findings_are_named_and_clean_ones_counted() -> None:
    """120 files of a client: two lines say how it stands."""
    found = Finding(RULE, WARNING, "m", "https://x.com/", "7.xml", 3)
    results = [result(*([found] if number == 7 else []), path=f"{number}.xml") for number in range(120)]
    lines = render_text(results, 1).splitlines()
    assert lines[:2] == ["invalid (exit 1)", "120 files, 120 URLs: 1 with warnings, 119 clean"]
    assert [line.split(":")[0] for line in lines if "urlset" in line] == ["7.xml"]
    assert len(lines) == 7


@pytest.mark.attack("injection")
@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_on_its_line(text: str) -> None:
    found = Finding(RULE, WARNING, text, text, text, 3, examples=(text,))
    rendered = render_text([result(found, path=text)])
    assert len(rendered.splitlines()) == 7
    assert all(line.isprintable() for line in rendered.splitlines())


def test_the_findings_of_files_as_json() -> None:
    ((document,)) = json.loads(render_json([result(Finding(RULE, WARNING, "m", path="a.xml"))]))
    assert document["findings"] == [
        {"rule": "SM-40", "severity": "warning", "message": "m", "path": "a.xml", "line": 0, "url": "", "count": 1, "examples": []}
    ]  # fmt: skip
    assert document["files"] == [{"path": "a.xml", "kind": "urlset", "urls": 1, "sitemaps": 0, "complete": True}]


def test_U_07_rules_that_need_the_same_are_one_row() -> None:
    rows = [NotChecked("SM-28", "its address", "give it"), NotChecked("RB-35", "a baseline", "name one")]
    rows.append(NotChecked("SM-29", "its address", "give it"))
    assert group_unchecked(rows) == [
        ("SM-28, SM-29", "needs its address: give it"),
        ("RB-35", "needs a baseline: name one"),
    ]
