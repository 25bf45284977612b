"""The registry of report formats."""

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.model.context import Detail, RunIdentity
from sitemap_action.model.outcome import Outcome
from sitemap_action.reports import annotations, ci_results, csv, json, markdown, sarif, sitemap_files, text
from sitemap_action.reports.html import report_page


class ReportFormat(Struct, frozen=True):
    """One format; the file name is the one it has where none is given."""

    name: str
    render: Callable[[Outcome], str]
    media_type: str
    file: str
    details: tuple[Detail, ...] = ()  # that a run collects only where it is asked to


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
    return markdown.summary(outcome, kept, action, reports)


def standing(outcome: Outcome) -> str:
    """The report of what is kept up to date, and is left as it is where only the run is another one."""
    return markdown.render(replace(outcome, run=replace(outcome.run, identity=RunIdentity())))


def failure(message: str, hint: str) -> str:
    """The summary of a job whose run reached no verdict."""
    return markdown.failure(message, hint)


REPORT_FORMATS = (
    ReportFormat("text", text.render, media_type="text/plain", file="report.txt"),
    ReportFormat("json", json.render, media_type="application/json", file="report.json"),
    ReportFormat("markdown", markdown.render, media_type="text/markdown", file="report.md", details=(Detail.PAGES,)),
    ReportFormat("annotations", annotations.render, media_type="text/plain", file="annotations.txt"),
    ReportFormat("sarif", sarif.render, media_type="application/sarif+json", file="report.sarif"),
    ReportFormat("junit", ci_results.render_junit, media_type="application/xml", file="report.junit.xml"),
    ReportFormat("gitlab", ci_results.render_gitlab, media_type="application/json", file="gl-code-quality-report.json"),
    ReportFormat("csv", csv.render, media_type="text/csv", file="pages.csv", details=(Detail.PAGES, Detail.ALL_PAGES)),
    ReportFormat(
        "patch", sitemap_files.render_patch, media_type="text/x-diff", file="sitemap.patch", details=(Detail.PATCH,)
    ),
    ReportFormat("badge", json.render_badge, media_type="application/json", file="badge.json"),
    ReportFormat("html", report_page.render, media_type="text/html", file="report.html", details=(Detail.PAGES,)),
)
FORMATS = tuple(row.name for row in REPORT_FORMATS)
