"""What `validate` prints: the files of each sitemap, and the findings of the rules over them."""

import json
from collections.abc import Iterable

from sitemap_action.checks.all import FileResult, SetResult
from sitemap_action.model.finding import Finding
from sitemap_action.reports.base import group_unchecked
from sitemap_action.sitemap.faults import truncate
from sitemap_action.web.printable import printable


def render_text(results: Iterable[SetResult]) -> str:
    lines = []
    for result in results:
        lines += [_file(file) for file in result.files]
        lines += [_finding(finding) for finding in result.findings]
        lines += [f"  accepted  {printable(sentence)}" for sentence in result.accepted]
        lines += [f"  not checked  {rules}: {text}" for rules, text in group_unchecked(result.not_checked)]
        if not (result.findings or result.accepted) and all(file.complete for file in result.files):
            lines.append("  every rule that needs only the file passes")
    return "\n".join(lines) + "\n"


def render_json(results: Iterable[SetResult]) -> str:
    return json.dumps([_document(result) for result in results], indent=2, ensure_ascii=False) + "\n"


def _file(file: FileResult) -> str:
    if not file.received:
        return f"{printable(truncate(file.path))}: not read"
    listed = _count(file.children, "sitemap") if file.children else _count(file.entries, "URL")
    return f"{printable(file.path)}: {file.kind.value}, {listed}{'' if file.complete else ', damaged'}"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _finding(finding: Finding) -> str:
    about = f"  {printable(truncate(finding.subject))}" if finding.subject else ""
    rule = f"{finding.severity.value:<8} {finding.rule.id:<8}"
    return f"  {rule} {printable(finding.place)}  {printable(finding.counted)}{about}"


def _document(result: SetResult) -> dict[str, object]:
    return {
        "files": [
            {
                "path": file.path,
                "kind": file.kind.value,
                "urls": file.entries,
                "sitemaps": file.children,
                "complete": file.complete,
            }
            for file in result.files
        ],
        "findings": [_finding_document(finding) for finding in result.findings],
        "accepted": list(result.accepted),
        "not_checked": [{"rule": row.rule, "needs": row.needs, "hint": row.hint} for row in result.not_checked],
    }


def _finding_document(finding: Finding) -> dict[str, object]:
    return {
        "rule": finding.rule.id,
        "severity": finding.severity.value,
        "message": finding.message,
        "path": finding.path,
        "line": finding.line,
        "url": finding.url,
        "count": finding.count,
        "examples": list(finding.examples),
        **({"accepted": finding.accepted} if finding.accepted else {}),
    }
