"""Every known page as a row of CSV (RFC 4180), for a spreadsheet, which must compute none of its cells."""

import csv
from io import StringIO

from sitemap_action.decide.page_table import known_pages
from sitemap_action.model.outcome import Outcome, PageRow
from sitemap_action.web.printable import spreadsheet_cell

_MARK = "\ufeff"  # without it Excel on Windows reads UTF-8 as the code page of the machine (U-36)


def render(outcome: Outcome) -> str:
    table = outcome.details.pages or known_pages(outcome.diff)
    diff = outcome.diff
    changes, removed = _changes(outcome), (*diff.ledger.dead, *diff.extra, *diff.removed)
    classes = {row.url: row.reason for row in removed}
    proposals = {one.url: one.target for one in diff.proposals}
    rows = table.all or table.rows
    shown = {row.url for row in rows}
    dead = (row for row in diff.ledger.dead if row.url not in shown)
    lines = StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(_columns(PageRow("")))
    for row in (*rows, *(PageRow(one.url, one.reason.value, one.detail, one.status) for one in dead)):
        values = _columns(row, changes.get(row.url, ""), classes.get(row.url, ""), proposals.get(row.url, ""))
        writer.writerow(map(spreadsheet_cell, values.values()))
    if len(rows) < table.total:
        writer.writerow((f"# {len(rows):,} of {table.total:,} URLs are shown",))
    return f"{_MARK}{lines.getvalue()}"


def _columns(row: PageRow, change: str = "", removed: str = "", proposal: str = "") -> dict[str, object]:
    """A row by the names of its columns."""
    return {
        "url": row.url,
        "verdict": "absent" if row.reason else "unverified" if row.unverified else "listed",
        "reason": row.reason,
        "status": row.status or "",
        "change": change,
        "class": removed,
        "found_on": row.found_on,
        "depth": row.depth,
        "title": row.title,
        "target": row.target,
        "detail": row.detail,
        "proposal": proposal,
    }


def _changes(outcome: Outcome) -> dict[str, str]:
    """What the comparison says of a URL, in words of the JSON report."""
    diff = outcome.diff
    found: dict[str, list[str]] = {}
    for word, urls in (
        ("missing", diff.missing),
        ("extra", (row.url for row in diff.extra)),
        ("added", (row.url for row in diff.added)),
        ("removed", (row.url for row in diff.removed)),
        ("changed", (row.url for row in diff.changed)),
        ("ledger", (row.url for row in diff.ledger.dead)),
        ("accepted", (str(getattr(one.row, "url", one.row)) for one in diff.acknowledged.rows)),
    ):
        for url in urls:
            found.setdefault(url, []).append(word)
    return {url: " ".join(words) for url, words in found.items()}
