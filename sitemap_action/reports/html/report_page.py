"""The report as one HTML file: the data of a run as JSON in a page of fixed markup, style and script.

Text of a site stands nowhere but in the JSON, of which the script makes text nodes; the policy of the page allows this
script and this style by their hashes, and nothing from outside.
"""

from base64 import b64encode
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from string import Template
from typing import Any
from urllib.parse import quote

from sitemap_action.decide.page_table import known_pages
from sitemap_action.model.finding import Finding, Severity
from sitemap_action.model.outcome import Diff, Outcome, PageTable, RedirectTrail, RenderedRow, Result
from sitemap_action.reports.advice import ADVICE, advice, causes, facts, headline, identity, notes
from sitemap_action.reports.item_lists import Section, sections
from sitemap_action.reports.items import TITLES, Item, ItemKind, group_unchecked
from sitemap_action.reports.picture import SectionRow, page_history, site_picture
from sitemap_action.web.printable import printable, visible_json

_FILES = Path(__file__).parent
_POLICY = (
    "default-src 'none'; script-src '{script}'; style-src '{style}'; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'$images"
)
_ESCAPED = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
_ESCAPES = str.maketrans(_ESCAPED)


def render(outcome: Outcome) -> str:
    images = "; img-src 'self'" if outcome.details.screenshots else ""
    return _page().substitute(result=outcome.result.value, images=images, data=as_json(document(outcome)))


def as_json(value: object) -> str:
    """JSON that ends no element, starts no comment and holds no workflow command; any encoder accepts it."""
    text = visible_json(value, separators=(",", ":")).translate(_ESCAPES)
    return text.encode(errors="backslashreplace").decode().replace("##[", r"#\u0023[")


@cache
def _page() -> Template:
    """The page with its style and script; what differs from run to run is left open."""
    script, style = _text("report.js"), _text("report.css")
    policy = _POLICY.format(script=_hash(script), style=_hash(style))
    fixed = {"policy": policy, "style": style.replace("$", "$$"), "script": script.replace("$", "$$")}
    return Template(Template(_text("report.html")).safe_substitute(fixed))


def _text(name: str) -> str:
    return (_FILES / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


# What the report shows: the wording of every report, and a row for each page.

_LONGEST = 2_000  # characters of one text
_MOST = 500  # rows of one section
_MOST_FINDINGS = 2_000
MISSING, EXTRA, ADDED, REMOVED, CHANGED, UNKNOWN = 1, 2, 4, 8, 16, 32
"""Marks of a row, which the script adds up and tests by the same numbers."""

_TIPS = {
    ItemKind.GAP: "What was not read proves nothing: mend what stands in its way, and run again.",
    ItemKind.MISSING: "Write the sitemap anew, or correct what writes it.",
    ItemKind.ADDED: "Nothing to do where they are meant for everybody; else leave them out of the build.",
    ItemKind.CHANGED: "Nothing to do: these pages stay, with other values in the sitemap.",
}
"""What to do about a group for which no other report needs a sentence."""
_LABELS = {
    Result.INVALID: "Invalid",
    Result.DRIFT: "Drift",
    Result.INCONCLUSIVE: "Inconclusive",
    Result.IN_SYNC: "In sync",
}


def document(outcome: Outcome) -> dict[str, Any]:
    first = headline(outcome)
    run, table, rows = outcome.run, outcome.details.pages or known_pages(outcome.diff), sections(outcome)
    rendered, shots = outcome.details.rendered, outcome.details.screenshots
    accepted = [_section(one) for one in rows if one.kind is ItemKind.ACCEPTED]
    return {
        "result": outcome.result.value,
        "label": _LABELS[outcome.result],
        "exit": outcome.exit_code,
        "site": make_printable(run.site_url),
        "judged": run.judged,
        "headline": make_printable(first[:1].upper() + first[1:]),
        "causes": _texts(causes(outcome)),
        "advice": make_printable(advice(outcome)),
        "facts": [[name, make_printable(value)] for name, value in facts(outcome)],
        "run": [[name, make_printable(value)] for name, value in identity(outcome)],
        "notes": _texts(notes(outcome)),
        "counts": _counts(outcome),
        "sections": [_section(one) for one in rows if one.open and one.kind is not ItemKind.FINDING],
        **({"accepted": accepted} if accepted else {}),
        "findings": [_finding(one) for one in _worst_first(outcome.findings)[:_MOST_FINDINGS]],
        "findingCount": len(outcome.findings),
        "unchecked": [[rules, make_printable(text)] for rules, text in group_unchecked(outcome.not_checked)],
        "picture": [_section_row(row) for row in site_picture(outcome)],
        **(
            {"history": {"text": make_printable(past), "days": table.history}}
            if (past := page_history(outcome))
            else {}
        ),
        **({"rendered": [_rendered_row(one, shots) for one in rendered]} if rendered else {}),
        "table": _table(table, outcome.diff, run.site_url, complete=outcome.details.pages is not None),
        "reasons": {reason.value: text for reason, text in ADVICE.items()},
    }


def make_printable(text: str) -> str:
    """Text in which every character is visible, and none turns the line around."""
    return printable(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…")


def _texts(texts: Sequence[str]) -> list[str]:
    return [make_printable(text) for text in texts]


def _counts(outcome: Outcome) -> dict[str, int]:
    """The counts of the first view; where one list answers both questions, it is counted once (DIFF-02)."""
    diff = outcome.diff
    both = {} if outcome.run.baseline.same else {"added": len(diff.added), "removed": len(diff.removed)}
    return {
        "listed": diff.listed,
        "missing": len(diff.missing),
        "extra": len(diff.extra),
        **both,
        "changed": len(diff.changed),
        "absent": len(diff.skipped),
        "unknown": len(diff.undetermined) + len(diff.unanswered),
        "errors": outcome.count(Severity.ERROR),
        "warnings": outcome.count(Severity.WARNING),
    }


def _section(section: Section) -> dict[str, Any]:
    return {
        "title": make_printable(": ".join(filter(None, (section.title, section.shared)))),
        "tip": section.tip or _TIPS.get(section.kind, ""),
        "count": len(section.rows),
        "rows": [_row(row) for row in section.rows[:_MOST]],
    }


def _section_row(row: SectionRow) -> list[Any]:
    counts = (row.kept, row.left, row.removed, row.unknown, row.arrived, row.added)
    return [make_printable(row.path), row.level, row.sections, row.pages_before, row.pages_after, *counts]


def _row(row: Item) -> list[str]:
    return [row.mark, make_printable(row.subject), make_printable(row.explanation), make_printable(row.place), row.tip]


def _worst_first(findings: Sequence[Finding]) -> list[Finding]:
    order = list(TITLES)
    return sorted(findings, key=lambda one: order.index(one.severity))


def _finding(found: Finding) -> dict[str, Any]:
    subjects = found.examples or ((found.url,) if found.url else ())
    return {
        "rule": found.rule.id,
        "severity": found.severity.value,
        "message": make_printable(found.explanation),
        "count": found.count,
        "subjects": _texts(subjects),
        "place": make_printable(found.place),
        "tip": found.rule.tip,
        "summary": found.rule.summary,
        "source": found.rule.source,
    }


def _rendered_row(row: RenderedRow, folder: str) -> list[Any]:
    """`folder`: of the screenshots; "" for none."""
    values = [[name, make_printable(before), make_printable(after)] for name, before, after in row.values()]
    link = [quote(f"{folder}/{row.screenshot}", safe="/:")] if folder and row.screenshot else []
    return [make_printable(row.url), values, *link]


def _table(table: PageTable, diff: Diff, site_url: str, *, complete: bool) -> dict[str, Any]:
    rows, texts = page_rows(table, diff, site_url, make_printable)
    return {
        "base": make_printable(site_url),
        "rows": rows,
        "texts": texts,
        "total": table.total,
        "every": table.every,
        "complete": complete,
        "clicks": table.clicks,
        "statuses": table.statuses,
        "depths": table.depths,
        "sections": [(make_printable(path), *counts) for path, *counts in table.sections],
        "trails": [_trail(trail) for trail in table.trails],
        "redirects": table.redirects,
    }


def _trail(trail: RedirectTrail) -> list[Any]:
    hops, end = trail
    return [[[make_printable(url), status] for url, status in hops], end]


def page_rows(
    table: PageTable, diff: Diff, site_url: str, shown: Callable[[str], str]
) -> tuple[list[list[Any]], list[str]]:
    """Rows of [URL, marks, status, depth, title, reason, detail, found on, target]; the last four are numbers of texts.

    A URL below site-url begins with a slash that stands for it. Empty values at the end of a row are left out.
    """
    marks, classes = _page_marks(diff), {row.url: row for row in (*diff.extra, *diff.removed)}
    texts: dict[str, int] = {"": 0}

    @cache
    def number_of(text: str) -> int:
        return texts.setdefault(shown(text), len(texts))

    rows = []
    for page in table.rows:
        removed = classes.get(page.url)
        row: list[Any] = [
            shown(f"/{page.url.removeprefix(site_url)}" if page.url.startswith(site_url) else page.url),
            marks.get(page.url, 0) | (UNKNOWN if page.unverified else 0),
            page.status,
            page.depth,
            shown(page.title),
            number_of(removed.reason.value if removed and page.reason else page.reason),
            number_of(page.detail),
            number_of(page.found_on),
            number_of(page.target),
        ]
        while not row[-1]:
            row.pop()
        rows.append(row)
    return rows, list(texts)


def _page_marks(diff: Diff) -> dict[str, int]:
    found: dict[str, int] = {}
    for mark, urls in (
        (MISSING, diff.missing),
        (EXTRA, (row.url for row in diff.extra)),
        (ADDED, (row.url for row in diff.added)),
        (REMOVED, (row.url for row in diff.removed)),
        (CHANGED, (row.url for row in diff.changed)),
        (UNKNOWN, (row.url for row in (*diff.undetermined, *diff.unanswered))),
    ):
        for url in urls:
            found[url] = found.get(url, 0) | mark
    return found
