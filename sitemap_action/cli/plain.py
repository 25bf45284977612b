"""What `validate` and `diff` print."""

import json
from collections.abc import Iterable, Sequence

from sitemap_action.checks.all import SetResult
from sitemap_action.compare.entry_diff import Difference, RemovedEntry
from sitemap_action.model.finding import Finding
from sitemap_action.model.outcome import Added, Changed
from sitemap_action.web.printable import printable


def validation_text(results: Iterable[SetResult]) -> str:
    lines = []
    for result in results:
        for file in result.files:
            listed = _count(file.children, "sitemap") if file.children else _count(file.entries, "URL")
            lines.append(f"{printable(file.path)}: {file.kind.value}, {listed}{'' if file.complete else ', damaged'}")
        lines += [_finding(finding) for finding in result.findings]
        lines += [f"  not checked  {row.rule}: needs {row.needs}. {row.hint}" for row in result.not_checked]
        if not result.findings and all(file.complete for file in result.files):
            lines.append("  every rule holds that needs nothing but the file")
    return "\n".join(lines) + "\n"


def _finding(found: Finding) -> str:
    place = f"{found.path}:{found.line}" if found.line else found.path
    many = f" ({found.count:,} times)" if found.count > 1 else ""
    about = ", ".join(found.examples) or found.url
    tail = f"  {printable(about)}" if about else ""
    return f"  {found.severity.value:<8} {found.rule.id:<8} {printable(place)}  {printable(found.message)}{many}{tail}"


def validation_json(results: Iterable[SetResult]) -> str:
    documents = [
        {
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
            "findings": [
                {
                    "rule": found.rule.id,
                    "severity": found.severity.value,
                    "message": found.message,
                    "path": found.path,
                    "line": found.line,
                    "url": found.url,
                    "count": found.count,
                    "examples": list(found.examples),
                }
                for found in result.findings
            ],
            "not_checked": [{"rule": row.rule, "needs": row.needs, "hint": row.hint} for row in result.not_checked],
        }
        for result in results
    ]
    return json.dumps(documents, indent=2, ensure_ascii=False) + "\n"


def diff_text(found: Sequence[Difference], old: str, new: str) -> str:
    if not found:
        return f"{old} and {new} list the same URLs\n"
    counts = {kind: sum(isinstance(one, kind) for one in found) for kind in (Added, RemovedEntry, Changed)}
    head = f"{counts[Added]:,} added, {counts[RemovedEntry]:,} removed, {counts[Changed]:,} changed\n"
    return head + "".join(_difference(one) for one in found)


def _difference(one: Difference) -> str:
    match one:
        case Added():
            return f"+ {printable(one.url)}\n"
        case RemovedEntry():
            return f"- {printable(one.url)}  [line {one.line}]\n"
        case Changed():
            fields = "; ".join(f"{name}: {before or 'none'} → {after or 'none'}" for name, before, after in one.fields)
            return f"~ {printable(one.url)}  {printable(fields)}\n"


def diff_json(found: Iterable[Difference]) -> str:
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
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
