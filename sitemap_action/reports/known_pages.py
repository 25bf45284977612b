"""The pages that the comparison alone knows, for an outcome without a table of all pages."""

from collections import Counter

from sitemap_action.model.outcome import Diff, PageRow, PageTable, Skipped


def known_pages(diff: Diff) -> PageTable:
    """The pages that stay listed are not in it."""
    rows = {row.url: PageRow(row.url, row.reason.value, row.detail, found_on=row.found_on) for row in _absent(diff)}
    gone = (*diff.extra, *diff.removed)
    rows |= {
        row.url: PageRow(row.url, row.reason.value, row.detail, row.status, target=row.redirect_to) for row in gone
    }
    listed = {**dict.fromkeys(diff.missing, ""), **{row.url: row.found_on for row in diff.added}}
    listed |= {row.url: "" for row in diff.changed if row.url not in listed}
    rows |= {url: PageRow(url, found_on=found_on) for url, found_on in listed.items()}
    statuses = Counter(row.status for row in rows.values())
    return PageTable(tuple(rows[url] for url in sorted(rows)), len(rows), statuses=tuple(sorted(statuses.items())))


def _absent(diff: Diff) -> list[Skipped]:
    return [*diff.skipped, *diff.undetermined, *diff.unanswered]
