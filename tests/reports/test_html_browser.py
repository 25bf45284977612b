"""The HTML report in Chromium: what a reader does with it, what a hostile site cannot do, and barriers (axe-core)."""

import json
import re
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from msgspec.structs import replace

from axe import barriers
from browser import Browser, browser
from examples import share
from fakes import HOME, at
from hostile import HOSTILE, everything
from large_reports import large_report, path
from outcomes import run_identity
from sitemap_action.model.outcome import Outcome, PageRow, PageTable, RenderedRow, ReportDetails
from sitemap_action.model.page import DocumentSummary
from sitemap_action.reports.all import render

pytestmark = pytest.mark.xdist_group("browser")
ROWS = "[...document.querySelectorAll('.pages .open')].map(row => row.textContent)"
SAID = "document.querySelector('[role=status]').textContent"
LINKS = [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)//https://x/",
    "data:text/html,<script>alert(1)</script>",
    "https://www.example.com/\njavascript:alert(1)",
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\u202egnp.exe\u2066 \u200f\u061c",
    "\ud800 \udfff",
    "W" * 5_000,
    "https://www.example.com/" + "a" * 5_000,
    "__proto__",
    "constructor",
]


@pytest.fixture(scope="module")
def tab() -> Iterator[Browser]:
    with browser() as found:
        yield found


def opened(
    tab: Browser, folder: Path, outcome: Outcome, link: str = "", *, width: int = 1280, dark: bool = False
) -> None:
    file = folder / "report.html"
    file.write_bytes(render("html", outcome).encode(errors="replace"))
    tab.open(f"{file.as_uri()}{link}", width=width, dark=dark)
    assert tab.requests == [file.as_uri()], "no request but for the file itself"
    assert tab.complaints == []


def test_what_is_typed_filters_the_pages(tab: Browser, tmp_path: Path) -> None:
    opened(tab, tmp_path, large_report(1_000))
    assert len(tab.run(ROWS)) == 100
    assert tab.run(SAID) == "1 to 100 of 1,001 pages"
    tab.run("document.getElementById('filter').focus()")
    tab.type("MIRROR-5")
    rows = tab.run("[...document.querySelectorAll('.pages tbody tr')].map(row => row.textContent)")
    assert 0 < len(rows) <= 100
    assert all("mirror-5" in row for row in rows)
    tab.run("document.getElementById('show').value = 'extra'; document.getElementById('show').dispatchEvent(new Event('change'))")  # fmt: skip
    assert 0 < len(tab.run(ROWS)) < len(rows)
    tab.type("nothing has this")
    assert tab.run(SAID) == "No page fits"
    assert tab.complaints == []


def test_a_heading_sorts_and_sorts_the_other_way(tab: Browser, tmp_path: Path) -> None:
    opened(tab, tmp_path, large_report(1_000))
    status = "[...document.querySelectorAll('.pages .c-status.n')].map(cell => Number(cell.textContent))"
    head = "document.querySelector('th.c-status')"
    for direction, highest in (("ascending", 200), ("descending", 404)):
        tab.run(f"{head}.firstChild.click()")
        found = tab.run(status)
        assert tab.run(f"{head}.getAttribute('aria-sort')") == direction
        assert found == sorted(found, reverse=direction == "descending")
        assert found[0] == highest
    assert tab.run("document.querySelectorAll('th[aria-sort=none]').length") == 4


def test_a_row_opens_by_keyboard_to_all_that_is_known(tab: Browser, tmp_path: Path) -> None:
    opened(tab, tmp_path, large_report(300))
    tab.run("document.querySelector('.pages .open').focus()")
    tab.key("Enter", "\r")
    opened_row = tab.run("document.querySelector('.detail-row').innerText")
    assert "Example: the start page" in opened_row
    assert HOME in opened_row
    assert tab.run("document.querySelector('.pages .open').ariaExpanded") == "true"
    tab.key("Enter", "\r")
    assert tab.run("document.querySelector('.detail-row')") is None


def test_a_redirect_shows_every_hop(tab: Browser, tmp_path: Path) -> None:
    opened(tab, tmp_path, large_report(300), f"#url={quote(at(path(13)), safe='')}")
    trail = tab.run("document.querySelector('.detail-row .trail').innerText.split('\\n')")
    assert trail == [f"{at(path(13))} 302 moved", f"{at(path(33))} 301 moved", f"{at(path(34))} 200 found"]
    assert tab.run("document.querySelectorAll('.trails > li').length") == 9


def test_what_is_served_stands_beside_what_is_rendered(tab: Browser, tmp_path: Path) -> None:
    """In a part of the report, and in the row of the page; what differs is marked by more than its weight."""
    outcome, url = large_report(50), at(path(13))
    served = DocumentSummary("App", url, (), 0, 0)
    pair = RenderedRow(url, served, served._replace(title="Page", robots=("noindex",), links=1_200))
    opened(
        tab,
        tmp_path,
        replace(outcome, details=replace(outcome.details, rendered=(pair,))),
        f"#url={quote(url, safe='')}",
    )
    cells = ["Title ≠ (differs)|App|Page", f"Canonical|{url}|{url}", "Robots ≠ (differs)|none|noindex", "Links ≠ (differs)|0|1,200", "Words|0|0"]  # fmt: skip
    for place in ("#rendered", ".detail-row"):
        rows = f"[...document.querySelectorAll('{place} .documents tbody tr')]"
        assert tab.run(f"{rows}.map(row => [...row.cells].map(cell => cell.textContent).join('|'))") == cells
    assert tab.run("document.querySelector('#nav a[href=\"#rendered\"]').textContent") == "Rendered pages"
    assert barriers(tab) == []
    details = replace(outcome.details, rendered=(pair._replace(screenshot="a b.png"),), screenshots="shots")
    (tmp_path / "shots").mkdir()
    picture = b64decode(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
    )
    (tmp_path / "shots" / "a b.png").write_bytes(picture)
    file = tmp_path / "report.html"
    file.write_text(render("html", replace(outcome, details=details)))
    tab.open(file.as_uri())
    tab.run("document.getElementById('rendered').scrollIntoView()")
    assert tab.run("document.querySelector('#rendered img').decode().then(() => true)") is True
    assert (
        tab.run("document.querySelector('#rendered img').parentElement.href") == f"{tmp_path.as_uri()}/shots/a%20b.png"
    )
    assert (tab.complaints, len(tab.requests)) == ([], 2)
    assert barriers(tab) == []


def test_the_pages_are_turned(tab: Browser, tmp_path: Path) -> None:
    opened(tab, tmp_path, large_report(300))
    first = tab.run(ROWS)
    tab.run("[...document.querySelectorAll('.pager button')].at(-1).click()")
    assert tab.run(SAID) == "101 to 200 of 301 pages"
    assert not {*first} & {*tab.run(ROWS)}


def test_a_section_opens_to_its_pages(tab: Browser, tmp_path: Path) -> None:
    opened(tab, tmp_path, large_report(300))
    section = "[...document.querySelectorAll('.tree details')].find(one => one.innerText.startsWith('team/'))"
    assert "− 5 extra" in tab.run(f"{section}.innerText")
    assert tab.run(f"{section}.querySelectorAll('.leaf, details').length") == 0
    tab.run(f"new Promise(done => {{ const one = {section}; one.addEventListener('toggle', () => setTimeout(done)); one.querySelector('summary').click(); }})")  # fmt: skip
    assert tab.run(f"{section}.querySelectorAll('.leaf, details').length") > 3


def test_a_number_of_the_verdict_shows_its_pages(tab: Browser, tmp_path: Path) -> None:
    opened(tab, tmp_path, large_report(1_000))
    tab.run("[...document.querySelectorAll('.tile')].find(one => one.textContent.includes('missing from it')).click()")
    assert tab.run("document.getElementById('show').value") == "missing"
    assert tab.run("document.querySelectorAll('.pages tbody tr').length") == len(large_report(1_000).diff.missing)


def test_a_link_leads_to_the_row_of_a_page(tab: Browser, tmp_path: Path) -> None:
    outcome = large_report(1_000)
    opened(tab, tmp_path, outcome, f"#url={quote(at(path(876)), safe='')}")
    here = "document.activeElement"
    assert tab.run(f"{here}.textContent") == path(876)
    assert tab.run(f"{here}.getAttribute('aria-expanded')") == "true"
    assert tab.run(f"(({{top, bottom}}) => 0 < top && bottom < innerHeight)({here}.getBoundingClientRect())")
    tab.run("window.draws = 0; new MutationObserver(changes => { draws += changes.filter(one => one.removedNodes.length > 99).length; }).observe(document.querySelector('.pages tbody'), { childList: true })")  # fmt: skip
    tab.run("new Promise(done => { addEventListener('hashchange', () => setTimeout(done)); document.querySelector('#differences a').click(); })")  # fmt: skip
    assert tab.run("draws") == 1
    assert tab.run(f"{here}.textContent") == tab.run("document.querySelector('#differences a').textContent").replace(HOME, "/")  # fmt: skip
    opened(tab, tmp_path, outcome, "#url=https%3A%2F%2Fwww.example.com%2Fno%2F%ZZ")
    assert tab.run(SAID) == "This report has no row for the address of the link."


def test_the_colours_follow_the_system_or_the_switch(tab: Browser, tmp_path: Path) -> None:
    colour = "getComputedStyle(document.body).backgroundColor"
    seen = {}
    for dark in (False, True):
        opened(tab, tmp_path, large_report(10), dark=dark)
        seen[dark] = tab.run(colour)
    assert seen[False] != seen[True]
    for choice, expected in (("light", False), ("dark", True), ("auto", True)):
        tab.run(f"document.querySelector('[value={choice}]').click()")
        assert tab.run(colour) == seen[expected]


def test_a_hundred_thousand_rows_load_and_filter_at_once(tab: Browser, tmp_path: Path) -> None:
    """As after the loss of as many pages: each is a row, and the document stays small. In processor time, which other work
    beside it does not change.
    """
    count = share(100_000)
    rows = tuple(
        PageRow(at(f"/shop/p{number // 100}/{number}/"), "gone", "no file", 404, 3, f"Shoe {number}")
        for number in range(count)
    )
    outcome = replace(large_report(300), details=ReportDetails(PageTable(rows, len(rows))))
    file = tmp_path / "report.html"
    file.write_text(render("html", outcome))
    assert tab.loading_time(file.as_uri()) <= 0.2 + 1.3 * count / 100_000
    assert tab.run(SAID) == f"1 to 100 of {count:,} pages"
    assert tab.run("document.querySelectorAll('*').length") < 6_000
    last = str(count - 1)
    assert max(tab.key_time("filter", key) for key in last) <= 0.15 + 0.15 * count / 100_000
    assert tab.run(SAID) == "1 to 1 of 1 page"


def test_of_a_large_site_the_report_says_what_it_leaves_out(tab: Browser, tmp_path: Path) -> None:
    outcome = large_report(3_000, most=500)
    assert outcome.details.pages is not None
    opened(tab, tmp_path, outcome)
    text = tab.run("document.querySelector('#pages .lead').textContent")
    assert f"{len(outcome.details.pages.rows)} of 3,001 addresses" in text
    assert f"one in {outcome.details.pages.every} of the others" in text


def test_without_scripts_it_says_the_result_and_where_the_rows_are(tab: Browser, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(render("html", large_report(10)))
    tab.send("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        tab.open(file.as_uri())
        assert "The result is drift." in tab.run("document.querySelector('main').innerText")
    finally:
        tab.send("Emulation.setScriptExecutionDisabled", {"value": False})


def test_on_paper_there_are_no_controls(tab: Browser, tmp_path: Path) -> None:
    opened(tab, tmp_path, large_report(300), dark=True)
    tab.send("Emulation.setEmulatedMedia", {"media": "print"})
    shown = "[...document.querySelectorAll('nav, .theme, .tools, .more')].filter(one => one.checkVisibility()).length"
    assert tab.run(shown) == 0
    assert tab.send("Page.printToPDF", {})["data"]
    tab.send("Emulation.setEmulatedMedia", {"media": ""})


SCRIPTS = ["/%E6%97%A5%E6%9C%AC/%E5%AF%BA/", "/%D9%85%D8%AF%D9%8A%D9%86%D8%A9/", "/stra%C3%9Fe/m%C3%BCnchen%20ost/"]
SHOWN = ["/日本/寺/", "/مدينة/", "/straße/münchen%20ost/"]


def of_scripts() -> Outcome:
    rows = tuple(PageRow(at(path), title="=1+1") for path in (*SCRIPTS, "/safe/%E2%80%AEgnp/", "/bad/%ff/"))
    return replace(large_report(10), details=ReportDetails(PageTable(tuple(sorted(rows)), total=len(rows))))


@pytest.mark.parametrize(("path", "shown"), [*zip(SCRIPTS, SHOWN, strict=True)])
def test_an_address_is_shown_decoded_and_found_by_either_form(
    path: str, shown: str, tab: Browser, tmp_path: Path
) -> None:
    opened(tab, tmp_path, of_scripts())
    rows = tab.run(ROWS)
    assert shown in rows
    assert {"/safe/%E2%80%AEgnp/", "/bad/%ff/"} <= {*rows}, "what is invisible, or no text, stays encoded"
    for typed in (path, shown, path.lower(), shown.replace("m", "M")):
        tab.run(f"((text) => {{ const one = document.getElementById('filter'); one.value = text; one.dispatchEvent(new Event('input')); }})({json.dumps(typed)})")  # fmt: skip
        assert tab.run(ROWS) == [shown]


def test_the_address_holds_what_is_shown_and_back_goes_back(tab: Browser, tmp_path: Path) -> None:
    opened(tab, tmp_path, large_report(1_000))
    show = "(name) => { const one = document.getElementById('show'); one.value = name; one.dispatchEvent(new Event('change')) }"
    tab.run(f"({show})('extra')")
    tab.run("document.querySelector('th.c-status button').click()")
    assert tab.run("location.hash") == "#show=extra&sort=status"
    rows = tab.run(ROWS)
    tab.run(f"({show})('missing')")
    assert tab.run(ROWS) != rows
    tab.run("new Promise(done => { addEventListener('popstate', () => setTimeout(done)); history.back(); })")
    assert tab.run(ROWS) == rows
    assert tab.run("document.getElementById('show').value") == "extra"
    opened(tab, tmp_path, large_report(1_000), "#show=extra&sort=status")
    assert tab.run(ROWS) == rows
    opened(tab, tmp_path, large_report(1_000), "#show=nothing&sort=x&from=-7&status=999&down=2")
    assert tab.run(SAID) == "1 to 100 of 1,001 pages"


def test_what_is_typed_is_one_entry_of_the_address(tab: Browser, tmp_path: Path) -> None:
    opened(tab, tmp_path, large_report(300))
    entries = tab.run("history.length")
    tab.run("document.getElementById('filter').focus()")
    tab.type("mirror")
    tab.run("new Promise(done => setTimeout(done, 500))")
    assert (tab.run("location.hash"), tab.run("history.length")) == ("#text=mirror", entries)


def test_what_is_filtered_is_copied_and_downloaded(tab: Browser, tmp_path: Path) -> None:
    opened(tab, tmp_path, of_scripts(), "#text=safe")
    tab.run("Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { window.copied = text; } } }); URL.createObjectURL = (blob) => { window.saved = blob; return '#'; }; HTMLAnchorElement.prototype.click = function () { window.file = this.download; }")  # fmt: skip
    click = "(label) => [...document.querySelectorAll('.pager button')].find(one => one.textContent === label).click()"
    tab.run(f"({click})('Copy addresses')")
    assert tab.run("copied") == at("/safe/%E2%80%AEgnp/")
    tab.run(f"({click})('Download CSV')")
    assert tab.run("file") == "pages.csv"
    assert tab.run("saved.arrayBuffer().then(data => [...new Uint8Array(data)].slice(0, 3))") == [0xEF, 0xBB, 0xBF]
    assert tab.run("saved.text()").splitlines() == [
        "url,verdict,reason,status,change,found_on,depth,title,target,detail",
        f"{at('/safe/%E2%80%AEgnp/')},listed,,,,,0,'=1+1,,",
    ]
    tab.run(f"({click})('Copy link')")
    assert tab.run("copied").endswith("report.html#text=safe")


VERDICT, DIFFERENCES = (
    "document.querySelector('.verdict').innerText",
    "document.getElementById('differences').innerText",
)
TASKS = {
    # question: what is clicked, where the answer is then, and what it says
    "which page vanished?": ([], DIFFERENCES, at(path(3))),
    "what do I do?": ([], VERDICT, "What to do"),
    "was it this pull request?": ([], VERDICT, "cccccccccccc, branch topic, pull request 12"),
    "is it safe to merge?": ([], VERDICT, "The check fails, exit code 1"),
    "send these pages to a colleague": (["extra in it", "Copy addresses"], "copied", at(path(3))),
    "send a link to these pages": (["extra in it", "Copy link"], "copied", "#show=extra"),
}


def test_what_people_ask_first_takes_two_clicks_at_most(tab: Browser, tmp_path: Path) -> None:
    known = run_identity("2026-01-31T12:30:59Z", "pull_request", "c" * 40, "topic", 12)
    outcome = large_report(1_000)
    opened(tab, tmp_path, replace(outcome, run=replace(outcome.run, identity=known)), width=1024)
    assert tab.run("document.querySelector('.verdict').getBoundingClientRect().bottom < innerHeight")
    tab.run("Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { window.copied = text; } } })")  # fmt: skip
    for question, (clicks, where, answer) in TASKS.items():
        for label in clicks:
            tab.run(
                f"[...document.querySelectorAll('button')].find(one => one.textContent.includes({label!r})).click()"
            )
        assert answer in tab.run(where), question
        if "Copy addresses" in clicks:
            assert sorted(tab.run("copied").splitlines()) == sorted(row.url for row in outcome.diff.extra)


def test_the_picture_is_told_without_colour(tab: Browser, tmp_path: Path) -> None:
    opened(tab, tmp_path, large_report(1_000), width=390)
    text = tab.run("document.getElementById('picture').innerText")
    assert "− 10 removed" in text
    charts = tab.run("document.getElementById('charts').innerText")
    titles = ("Pages by section", "Listed pages by clicks", "Addresses by status")
    assert [one for one in titles if one not in charts] == []
    assert tab.run("new Set([...document.querySelectorAll('#picture .areas rect')].map(one => one.getAttribute('fill'))).size") == 4  # fmt: skip


def hostile_report(text: str) -> Outcome:
    row = PageRow(text, reason="gone", detail=text, status=404, title=text, found_on=text, target=text)
    below = PageRow(f"{HOME}{text}/{text}", title=text)
    trail = ((text, 301), (text, 0)), "was not fetched"
    return replace(
        everything(text),
        details=ReportDetails(
            pages=PageTable(
                (row, below),
                total=2,
                statuses=((200, 2),),
                trails=(trail,),
                sections=((text, 2, 1), (f"{text}/{text}", 1, 1)),
            )
        ),
    )


ALONE = re.compile(r"[<>&`\"|\\]|[^ -~]|https?:")  # what is markup, an address or no plain text in a document of ours
PLAIN = "\n".join(text for text in HOSTILE if not ALONE.search(text))


@pytest.mark.attack("injection")
@pytest.mark.parametrize("text", [*filter(ALONE.search, HOSTILE), PLAIN, "", *LINKS])
def test_no_text_of_a_site_is_executed_or_breaks_the_layout(text: str, tab: Browser, tmp_path: Path) -> None:
    opened(tab, tmp_path, hostile_report(text))
    tab.run("document.querySelectorAll('details').forEach(one => { one.open = true }); [...document.querySelectorAll('.pages .open[aria-expanded=false]')].forEach(one => one.click())")  # fmt: skip
    for width in (1280, 390):
        tab.resize(width)
        assert tab.run("document.documentElement.scrollWidth - innerWidth") == 0
        right = "Math.max(...[...document.querySelectorAll('main *')].filter(one => one.checkVisibility() && !one.closest('svg, .hidden')).map(one => one.getBoundingClientRect().right))"  # fmt: skip
        assert tab.run(right) <= width
    tab.run("[...document.querySelectorAll('a[href^=\"#\"]')].filter((one, place, all) => all.findIndex(other => other.hash === one.hash) === place).forEach(one => one.click())")  # fmt: skip
    assert tab.run("document.querySelectorAll('main script, main style, img, iframe, object, [onerror], [style]').length") == 0  # fmt: skip
    targets = tab.run("[...document.querySelectorAll('a')].map(one => one.getAttribute('href'))")
    assert all(one.startswith(("#", "https://", "http://")) for one in targets)
    assert tab.complaints == []
    assert len(tab.requests) == 1


# pages of a large site, 0 for a report with something in every place; width; dark or light
AXES = [(300, 1280, False), (50, 1280, True), (50, 390, False), (300, 390, True), (0, 1280, True), (0, 390, False)]


@pytest.mark.parametrize(("pages", "width", "dark"), AXES)
def test_axe_finds_no_barrier(pages: int, width: int, dark: bool, tab: Browser, tmp_path: Path) -> None:
    opened(tab, tmp_path, large_report(pages) if pages else everything("x"), width=width, dark=dark)
    tab.run("document.querySelectorAll('details').forEach((one, place) => { one.open = place < 9 }); document.querySelector('.pages .open').click()")  # fmt: skip
    assert barriers(tab) == []


def test_axe_finds_one_that_is_there(tab: Browser, tmp_path: Path) -> None:
    opened(tab, tmp_path, large_report(50))
    tab.run("document.getElementById('filter').removeAttribute('id'); document.querySelector('.tools label').replaceWith(document.querySelector('.tools input')); document.querySelector('.muted').style.color = '#ccc'")  # fmt: skip
    found = str(barriers(tab))
    assert "label" in found
    assert "color-contrast" in found
