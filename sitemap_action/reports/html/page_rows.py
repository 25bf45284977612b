"""The rows of the table of pages, as short as JSON can be: texts that many rows share are written once."""

from collections.abc import Callable
from typing import Any

from sitemap_action.model.outcome import Diff, PageTable

MISSING, EXTRA, ADDED, REMOVED, CHANGED, UNKNOWN = (1 << bit for bit in range(6))
"""Marks of a row, which the script adds up and tests by the same numbers."""


def page_rows(
    table: PageTable, diff: Diff, site_url: str, shown: Callable[[str], str]
) -> tuple[list[list[Any]], list[str]]:
    """Rows of [URL, marks, status, depth, title, reason, detail, found on, target]; the last four are numbers of texts.

    A URL below site-url begins with a slash that stands for it. Empty values at the end of a row are left out.
    """
    marks, classes = _marks(diff), {row.url: row for row in (*diff.extra, *diff.removed)}
    texts: dict[str, int] = {"": 0}

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


def _marks(diff: Diff) -> dict[str, int]:
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
