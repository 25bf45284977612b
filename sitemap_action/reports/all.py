"""The registry of report formats."""

from collections.abc import Callable

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


def standing(outcome: Outcome) -> str:
    """The report of what is kept up to date, and is left as it is where only the run is another one."""
    return markdown.render(replace(outcome, run=replace(outcome.run, identity=RunIdentity())))


REPORT_FORMATS = (
    ReportFormat("text", text.render, "report.txt"),
    ReportFormat("json", json.render, "report.json"),
    ReportFormat("markdown", markdown.render, "report.md", details=(Detail.PAGES,)),
    ReportFormat("annotations", annotations.render, "annotations.txt"),
    ReportFormat("sarif", sarif.render, "report.sarif"),
    ReportFormat("junit", ci_results.render_junit, "report.junit.xml"),
    ReportFormat("gitlab", ci_results.render_gitlab, "gl-code-quality-report.json"),
    ReportFormat("csv", csv.render, "pages.csv", details=(Detail.PAGES, Detail.ALL_PAGES)),
    ReportFormat("patch", sitemap_files.render_patch, "sitemap.patch", details=(Detail.PATCH,)),
    ReportFormat("badge", json.render_badge, "badge.json"),
    ReportFormat("html", report_page.render, "report.html", details=(Detail.PAGES,)),
)
FORMATS = tuple(row.name for row in REPORT_FORMATS)
