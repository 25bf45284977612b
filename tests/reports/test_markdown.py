"""The report for a job summary or a comment, rendered: nothing that a site says becomes a tag, a link or a mention."""

import re
from html.parser import HTMLParser

import markdown
import pytest
from msgspec.structs import replace

from fakes import at, run_info
from hostile import HOSTILE, everything
from outcomes import OK, removed, run_identity
from sitemap_action.model.outcome import Added, Diff, Outcome, PageRow, PageTable, Removed, ReportDetails, Result
from sitemap_action.reports.markdown import code, inline, render, summary

OURS = {"h3", "ul", "li", "p", "code", "table", "thead", "tbody", "tr", "th", "td", "blockquote", "br", "strong"}
OURS |= {"details", "summary", "b"}
# What GitHub turns into links in text that is no code: addresses, mentions, issues and commits.
LINKS = re.compile(r"https?:|www\.|[\w.+-]+@[\w.-]+\w|(?<!\w)@\w|#\d|\bGH-\d|\b(?=[a-f]*\d)[0-9a-f]{7,40}\b")


class _Reader(HTMLParser):
    """The tags of a document, and its text outside of code."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.comments: list[str] = []
        self.text = ""
        self._code = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self._code += tag == "code"

    def handle_endtag(self, tag: str) -> None:
        self._code -= tag == "code"

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    def handle_data(self, data: str) -> None:
        self.text += data if not self._code else "\0"


def rendered(text: str) -> _Reader:
    """A line of HTML between empty lines is HTML on GitHub, and Markdown goes on behind it (CommonMark §4.6)."""
    reader = _Reader()
    for part in re.split(r"(?m)^(<details.*|</details>)$", text):
        is_html = part.startswith(("<details", "</details>"))
        reader.feed(part if is_html else markdown.markdown(part, extensions=["tables", "fenced_code"]))
    reader.close()
    return reader


@pytest.mark.attack("injection")
@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_becomes_nothing_but_code(text: str) -> None:
    found = rendered(render(everything(text)))
    assert found.tags <= OURS
    assert not found.attributes - {"open"}
    assert not found.comments
    assert not LINKS.search(found.text)
    assert not re.search("evil|onerror|alert", found.text)


@pytest.mark.attack("injection")
@pytest.mark.parametrize("text", HOSTILE)
def test_the_source_contains_no_workflow_command_and_keeps_its_lines(text: str) -> None:
    source = render(everything(text))
    source.encode()
    assert "##[" not in source.replace("##[\\", "")
    assert not any(line.lstrip().startswith("::") for line in source.splitlines())
    assert len(source.splitlines()) == len(render(everything("x")).splitlines())


def test_the_structure_is_as_meant() -> None:
    found = rendered(render(everything("x")))
    assert found.tags == OURS
    assert "### ❌ Sitemap: the sitemap and the site differ" in render(everything("x"))


INLINE = [
    # id, text, Markdown
    ("plain words", "3 pages are missing, at most 20% may be.", "3 pages are missing, at most 20% may be."),
    ("address", "listed as https://x.example/", "listed as `https://x.example/`"),
    ("bare host", "see www.evil.example now", "see `www.evil.example` now"),
    ("file name", "missing from sitemap.xml", "missing from `sitemap.xml`"),
    ("already code", "Run `sitemap-action` now", "Run `sitemap-action` now"),
    ("a run of words that are none", "<b> <i>", "`<b> <i>`"),
    ("full stop after code", "not in a/b.", "not in `a/b`."),
    ("backticks", "a ``b c", "a ``` ``b ``` c"),
    ("issue", "GH-1 and #1", "`GH-1` and `#1`"),
    ("mention", "by @team", "by `@team`"),
    ("commit", "in 0a1b2c3 or 1234567", "in `0a1b2c3` or `1234567`"),
    ("large numbers", "1,234,567 URLs", "1,234,567 URLs"),
    ("rule id", "see SM-40", "see `SM-40`"),
    ("emphasis", "*a* _b_", "`*a* _b_`"),
    ("entity", "&amp; x", "`&amp`; x"),
    (
        "two values in one sentence",
        "by vercel.json; source.host wins, a.b",
        "by `vercel.json`; `source.host` wins, `a.b`",
    ),
    ("nothing", "", ""),
]


@pytest.mark.parametrize(("text", "source"), [pytest.param(*row[1:], id=row[0]) for row in INLINE])
def test_inline(text: str, source: str) -> None:
    assert inline(text) == source


@pytest.mark.attack("injection")
@pytest.mark.parametrize("text", ["a", "`", "``", "a`b", "`a", "a`", "", " ", "a``b`c", "\\", "`\\"])
def test_code_is_one_span(text: str) -> None:
    found = rendered(f"x {code(text)} y")
    assert found.tags == {"p", "code"}
    assert re.fullmatch(r"x \0* y", found.text.strip())


SAFE = Outcome(Result.IN_SYNC, 0, run_info(), Diff(listed=2), ())


@pytest.mark.parametrize(
    ("outcome", "sign"),
    [
        pytest.param(SAFE, "✅", id="in sync"),
        pytest.param(replace(SAFE, result=Result.DRIFT, exit_code=1), "❌", id="drift"),
        pytest.param(replace(SAFE, result=Result.DRIFT, changed=True), "✅", id="repaired"),
        pytest.param(replace(SAFE, result=Result.INCONCLUSIVE, exit_code=3), "❔", id="inconclusive"),
    ],
)
def test_sign(outcome: Outcome, sign: str) -> None:
    assert render(outcome).startswith(f"### {sign} Sitemap: ")


def test_long_lists_are_cut_and_the_rest_is_counted() -> None:
    many = tuple(Added(at(f"/{number}")) for number in range(60))
    assert (
        "- … and 10 more: the full list is in `--report json=FILE`"
        in render(replace(SAFE, diff=Diff(added=many, missing=tuple(row.url for row in many)))).splitlines()
    )


def test_long_text_never_hides_what_follows() -> None:
    """Fifty URLs of two thousand characters leave room for the other sections of a comment."""
    many = tuple(Added(at(f"/{number}/{'x' * 2000}")) for number in range(50))
    source = render(replace(everything("x"), diff=Diff(added=many)))
    assert len(source.encode()) < 65_536
    assert "Errors (2)" in source
    assert "Not checked (1)" in source


def test_omitted_sections_are_counted() -> None:
    long = "x" * 400
    many = tuple(Added(f"{long}{number}", long) for number in range(50))
    outcome = replace(everything(long), diff=Diff(added=many, missing=tuple(row.url for row in many)))
    outcome = replace(outcome, findings=outcome.findings * 40)
    source = render(outcome)
    assert len(source.encode()) < 65_536
    assert re.search(r"… and \d more sections: the full list is in `--report json=FILE`\.", source)


def test_sections_are_cut_at_a_row_when_room_ends() -> None:
    """In bytes, also where a character takes several; what is left out is counted."""
    rows = tuple(Added(at(f"/{'é' * 200}/{number}/")) for number in range(2_000))
    outcome = Outcome(Result.DRIFT, 1, run_info(), Diff(missing=tuple(row.url for row in rows), added=rows), ())
    comment, whole = render(outcome), summary(outcome)
    assert len(comment.encode()) <= 60_000
    assert 60_000 < len(whole.encode()) <= 900 * 1024
    for text in (comment, whole):
        assert text.count("<details") == text.count("</details>")
        assert re.search(r"(?m)^- … and [\d,]+ more: ", text)


def test_a_summary_never_outgrows_the_runner_s_limit() -> None:
    outcome = everything("x`" * 400)
    many = replace(outcome, findings=outcome.findings * 5_000, diff=replace(outcome.diff, skipped=outcome.diff.skipped * 9_000))  # fmt: skip
    assert len(summary(many).encode()) <= 900 * 1024


def test_the_last_line_says_which_run_it_is() -> None:
    known = run_identity("2026-01-31T12:30:59Z", "push", "c" * 40, "`x` @team", 12, "https://x.example/7", "", "a.yml")
    outcome = replace(OK, run=replace(OK.run, identity=known))
    assert render(outcome).splitlines()[-1].rpartition(" · ")[0] == (
        "run `2026-01-31 12:30 UTC, push` · commit `` cccccccccccc, branch `x` @team, pull request 12 `` · "
        "https://x.example/7 · config `a.yml`"
    )


def test_the_picture_has_the_sections_that_differ_alone() -> None:
    def shown(diff: Diff, *sections: tuple[str, int, int]) -> str:
        run = run_info(same_baseline=False)
        return render(
            replace(OK, run=run, diff=diff, details=ReportDetails(PageTable((PageRow(at("/")),), 1, sections=sections)))
        )

    gone = Diff(removed=tuple(removed(f"/blog/a/{number}/", "gone") for number in range(3)))
    text = shown(gone, ("about", 3, 0), ("blog", 9, 3))
    assert "| `/blog/` | 12 | 9 | `■■■■■■■■■■■■■■■■■■------` |" in text
    assert "about" not in text
    assert "pages before" not in shown(Diff(), ("about", 3, 0), ("blog", 9, 0))
    assert "pages before" not in shown(gone, ("blog", 9, 3)), "one section is no picture"


def _rows(*names: str, reason: str = "gone") -> tuple[Removed, ...]:
    return tuple(removed(f"/{name}/", reason) for name in names)


COUNTS = [
    # id, what differs, what the heading counts: each page once, its parts in brackets
    ("both ways", Diff(missing=(at("/n/"),), extra=_rows("a", "b"), removed=_rows("a")), "3 stale (1 missing, 2 extra and 1 of them lost)"),
    ("removed, and the sitemap still lists it", Diff(extra=_rows("a"), removed=_rows("a")), "1 extra and lost"),
    ("added, and the sitemap lacks it", Diff(missing=(at("/n/"),), added=(Added(at("/n/")),)), "1 missing"),
    ("a true sitemap", Diff(added=(Added(at("/n/")),), removed=(*_rows("a"), *_rows("b", reason="moved"))), "1 added, 2 removed and 1 of them lost"),
    ("nothing is lost", Diff(removed=_rows("b", reason="moved")), "1 removed"),
]  # fmt: skip


@pytest.mark.parametrize(("diff", "heading"), [pytest.param(*row[1:], id=row[0]) for row in COUNTS])
def test_U_34_a_heading_counts_each_page_once(diff: Diff, heading: str) -> None:
    outcome = replace(OK, result=Result.DRIFT, exit_code=1, run=run_info(same_baseline=False), diff=diff)
    assert render(outcome).splitlines()[0].endswith(f" ({heading})")
