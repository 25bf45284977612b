"""The registry of report formats; only the requested one is imported, because a short run is mostly start-up."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from sitemap_action.model.outcome import Outcome


class ReportFormat(Struct, frozen=True):
    """One format; the file name is the one it has where none is given."""

    name: str
    render: Callable[[Outcome], str]
    media_type: str
    file: str
    pages: bool = False  # whether it shows every page, which a run collects only where it is asked to
    all_pages: bool = False  # whether it shows every page of a large site too


def render(name: str, outcome: Outcome) -> str:
    """Raises ValueError for a name that is not in FORMATS."""
    return report_format(name).render(outcome)


def report_format(name: str) -> ReportFormat:
    for row in REPORT_FORMATS:
        if row.name == name:
            return row
    raise ValueError(f"{name} is not a report format: use one of {', '.join(FORMATS)}")


def summary(outcome: Outcome, kept: str = "", action: str = "", reports: Sequence[str] = ()) -> str:
    """The report of a job: Markdown as a comment has it, with room for more rows.

    `kept`: folder of the sitemap as it should be; `action`: owner/name of the repository of this program; `reports`:
    paths of the files that leave nothing out.
    """
    from sitemap_action.reports import markdown  # noqa: PLC0415

    return markdown.summary(outcome, kept, action, reports)


def failure(message: str, hint: str) -> str:
    """The summary of a job whose run reached no verdict."""
    from sitemap_action.reports import markdown  # noqa: PLC0415

    return markdown.failure(message, hint)


def _text(outcome: Outcome) -> str:
    from sitemap_action.reports import text  # noqa: PLC0415

    return text.render(outcome)


def _json(outcome: Outcome) -> str:
    from sitemap_action.reports import json  # noqa: PLC0415

    return json.render(outcome)


def _markdown(outcome: Outcome) -> str:
    from sitemap_action.reports import markdown  # noqa: PLC0415

    return markdown.render(outcome)


def _annotations(outcome: Outcome) -> str:
    from sitemap_action.reports import annotations  # noqa: PLC0415

    return annotations.render(outcome)


def _html(outcome: Outcome) -> str:
    from sitemap_action.reports.html import report_page  # noqa: PLC0415

    return report_page.render(outcome)


def _sarif(outcome: Outcome) -> str:
    from sitemap_action.reports import sarif  # noqa: PLC0415

    return sarif.render(outcome)


def _junit(outcome: Outcome) -> str:
    from sitemap_action.reports import junit  # noqa: PLC0415

    return junit.render(outcome)


def _gitlab(outcome: Outcome) -> str:
    from sitemap_action.reports import gitlab  # noqa: PLC0415

    return gitlab.render(outcome)


def _csv(outcome: Outcome) -> str:
    from sitemap_action.reports import csv  # noqa: PLC0415

    return csv.render(outcome)


REPORT_FORMATS = (
    ReportFormat("text", _text, media_type="text/plain", file="report.txt"),
    ReportFormat("json", _json, media_type="application/json", file="report.json"),
    ReportFormat("markdown", _markdown, media_type="text/markdown", file="report.md"),
    ReportFormat("annotations", _annotations, media_type="text/plain", file="annotations.txt"),
    ReportFormat("sarif", _sarif, media_type="application/sarif+json", file="report.sarif"),
    ReportFormat("junit", _junit, media_type="application/xml", file="report.junit.xml"),
    ReportFormat("gitlab", _gitlab, media_type="application/json", file="gl-code-quality-report.json"),
    ReportFormat("csv", _csv, media_type="text/csv", file="pages.csv", pages=True, all_pages=True),
    ReportFormat("html", _html, media_type="text/html", file="report.html", pages=True),
)
FORMATS = tuple(row.name for row in REPORT_FORMATS)
