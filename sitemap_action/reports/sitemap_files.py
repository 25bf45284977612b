"""What `validate` and `diff` print: findings on sitemap files, and the URLs and fields in which two sitemaps differ."""

from collections.abc import Iterable, Sequence

from sitemap_action.checks.all import SetResult
from sitemap_action.checks.base import FileResult
from sitemap_action.decide.changes import Difference, RemovedEntry
from sitemap_action.model.finding import Finding
from sitemap_action.model.outcome import Added, Changed
from sitemap_action.model.wording import plural
from sitemap_action.reports.items import describe_fields, group_unchecked
from sitemap_action.sitemap.faults import truncate
from sitemap_action.web.printable import printable, visible_json


def findings_text(results: Iterable[SetResult]) -> str:
    lines = []
    for result in results:
        lines += [_file(file) for file in result.files]
        lines += [_finding(finding) for finding in result.findings]
        lines += [f"  accepted  {printable(sentence)}" for sentence in result.accepted]
        lines += [f"  not checked  {rules}: {text}" for rules, text in group_unchecked(result.not_checked)]
        if not (result.findings or result.accepted) and all(file.complete for file in result.files):
            lines.append("  every rule that needs only the file passes")
    return "\n".join(lines) + "\n"


def findings_json(results: Iterable[SetResult]) -> str:
    return visible_json([_document(result) for result in results], indent=2) + "\n"


def _file(file: FileResult) -> str:
    if not file.received:
        return f"{printable(truncate(file.path))}: not read"
    listed = plural(file.children, "sitemap") if file.children else plural(file.entries, "URL")
    return f"{printable(file.path)}: {file.kind.value}, {listed}{'' if file.complete else ', damaged'}"


def _finding(finding: Finding) -> str:
    about = f"  {printable(truncate(finding.subject))}" if finding.subject else ""
    rule = f"{finding.severity.value:<8} {finding.rule.id:<8}"
    return f"  {rule} {printable(finding.place)}  {printable(finding.full_message)}{about}"


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


def differences_text(found: Sequence[Difference], old: str, new: str) -> str:
    if not found:
        return f"{old} and {new} list the same URLs\n"
    counts = {kind: sum(isinstance(one, kind) for one in found) for kind in (Added, RemovedEntry, Changed)}
    head = f"{counts[Added]:,} added, {counts[RemovedEntry]:,} removed, {counts[Changed]:,} changed\n"
    return head + "".join(_difference(one) for one in found)


def differences_json(found: Iterable[Difference]) -> str:
    document: dict[str, list[object]] = {"added": [], "removed": [], "changed": []}
    for one in found:
        match one:
            case Added():
                document["added"].append({"url": one.url})
            case RemovedEntry():
                document["removed"].append({"url": one.url, "line": one.line})
            case Changed():
                fields = {name: [before, after] for name, before, after in one.fields}
                document["changed"].append({"url": one.url, "fields": fields})
    return visible_json(document, indent=2) + "\n"


def _difference(one: Difference) -> str:
    match one:
        case Added():
            return f"+ {printable(one.url)}\n"
        case RemovedEntry():
            return f"- {printable(one.url)}  [line {one.line}]\n"
        case Changed():
            return f"~ {printable(one.url)}  {printable(describe_fields(one))}\n"
