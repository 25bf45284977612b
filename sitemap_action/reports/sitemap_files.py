"""What `validate` and `diff` print: findings on sitemap files, and the URLs and fields in which two sitemaps differ."""

from collections.abc import Iterable, Sequence
from textwrap import indent

from sitemap_action.checks.all import SetResult
from sitemap_action.checks.base import FileResult
from sitemap_action.decide.changes import Difference, RemovedEntry
from sitemap_action.model.finding import Finding, Severity
from sitemap_action.model.outcome import Added, Changed
from sitemap_action.model.sitemap import Block, BlockList, BlockStore, FileBytes
from sitemap_action.model.wording import plural
from sitemap_action.reports.items import describe_fields, group_unchecked
from sitemap_action.sitemap.faults import truncate
from sitemap_action.web.printable import printable, visible_json


def findings_text(results: Iterable[SetResult], code: int = 0) -> str:
    """The verdict and totals, then files with findings; clean ones are counted (U-32). `code`: of the exit."""
    results = [*results]
    lines, few = [_verdict(results, code)], sum(len(result.files) for result in results) <= _FEW
    for result in results:
        faulty = {finding.path for finding in result.findings}
        shown = [file for file in result.files if few or file.path in faulty or not file.complete]
        if (result.findings or result.accepted) and not shown:
            shown = [*result.files[:1]]
        lines += ["", *map(_file, shown)] if shown else []
        lines += [_finding(finding) for finding in result.findings]
        lines += [f"  accepted  {printable(sentence)}" for sentence in result.accepted]
    unchecked = group_unchecked(dict.fromkeys(row for result in results for row in result.not_checked))
    rows = [f"not checked  {rules}: {text}" for rules, text in unchecked]
    return "\n".join([*lines, *(["", *rows] if rows else [])]) + "\n"


_FEW = 5  # files, of which clean ones are named too
_VERDICTS = {0: "valid: no rule that needs the files alone finds an error", 1: "invalid", 3: "not all was read"}


def _verdict(results: Sequence[SetResult], code: int) -> str:
    files = {file.path: file for result in results for file in result.files}
    worst: dict[str, Severity] = {}
    for finding in (finding for result in results for finding in result.findings):
        first = worst.get(finding.path, finding.severity)
        worst[finding.path] = min(first, finding.severity, key=[*Severity].index)
    unread = sum(not file.complete for file in files.values())
    counts = {f"with {one.value}s": sum(found is one for found in worst.values()) for one in Severity}
    counts |= {"damaged or not read": unread}
    counts |= {"clean": sum(file.complete and path not in worst for path, file in files.items())}
    listed = plural(sum(file.entries for file in files.values()), "URL")
    totals = ", ".join(f"{number:,} {what}" for what, number in counts.items() if number)
    return f"{_VERDICTS[code]} (exit {code})\n{plural(len(files), 'file')}, {listed}: {totals}"


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


_KINDS = ("added", "removed", "changed")


def differences_text(found: Iterable[Difference], old: str, new: str) -> FileBytes:
    """Half a million rows are some megabytes, compressed until they are written."""
    counts = dict.fromkeys((Added, RemovedEntry, Changed), 0)
    rows = BlockList(BlockStore())
    for one in found:
        counts[type(one)] += 1
        rows.add(_difference(one))
    head = ", ".join(f"{number:,} {word}" for word, number in zip(_KINDS, counts.values(), strict=True))
    head = head if any(counts.values()) else f"{old} and {new} list the same URLs"
    return rows.frame(f"{head}\n".encode(), b"")


def differences_json(found: Iterable[Difference]) -> FileBytes:
    store = BlockStore()
    lists = {kind: BlockList(store) for kind in _KINDS}
    empty = set(_KINDS)
    for one in found:
        kind, row = _difference_record(one)
        lists[kind].add(",\n" * (kind not in empty) + indent(visible_json(row, indent=2), " " * 4))
        empty.discard(kind)
    blocks: list[Block] = []
    for kind, rows in lists.items():
        head, foot = ("[", "]") if kind in empty else ("[\n", "\n  ]")
        mark = "{" if kind == _KINDS[0] else ","
        end = "\n}\n" if kind == _KINDS[-1] else ""
        blocks += rows.frame(f'{mark}\n  "{kind}": {head}'.encode(), f"{foot}{end}".encode()).blocks
    return FileBytes(tuple(blocks), 0)


def _difference_record(one: Difference) -> tuple[str, dict[str, object]]:
    match one:
        case Added():
            return "added", {"url": one.url}
        case RemovedEntry():
            return "removed", {"url": one.url, "line": one.line}
        case Changed():
            return "changed", {"url": one.url, "fields": {name: [was, now] for name, was, now in one.fields}}


def _difference(one: Difference) -> str:
    match one:
        case Added():
            return f"+ {printable(one.url)}\n"
        case RemovedEntry():
            return f"- {printable(one.url)}  [line {one.line}]\n"
        case Changed():
            return f"~ {printable(one.url)}  {printable(describe_fields(one))}\n"
