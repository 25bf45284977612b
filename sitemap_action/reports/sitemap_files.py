"""What `validate` and `diff` print: findings on sitemap files, and the URLs and fields in which two sitemaps differ.

The patch of files that would be written is here too, a unified diff that `git apply` takes.

Theory of operation. Lines that both versions have once are anchors; the longest run of them in the same order stays,
and between two of them only what is equal at the start and at the end of a gap does. So a diff is not the smallest one,
and takes n log n for any two files.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from textwrap import indent
from typing import NamedTuple

from sitemap_action.checks.all import SetResult
from sitemap_action.checks.base import FileResult
from sitemap_action.decide.changes import Difference, describe_fields
from sitemap_action.model.finding import Finding, Severity
from sitemap_action.model.outcome import Added, Changed, Outcome
from sitemap_action.model.sitemap import Block, BlockList, BlockStore, Entry, FileBytes, FileVersions
from sitemap_action.model.wording import plural
from sitemap_action.reports.items import group_unchecked
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
    unread = sum(not file.complete and path not in worst for path, file in files.items())  # each is counted once
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
    counts = dict.fromkeys((Added, Entry, Changed), 0)
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
        case Entry():
            return "removed", {"url": one.loc, "line": one.line}
        case Changed():
            return "changed", {"url": one.url, "fields": {name: [was, now] for name, was, now in one.fields}}


def _difference(one: Difference) -> str:
    match one:
        case Added():
            return f"+ {printable(one.url)}\n"
        case Entry():
            return f"- {printable(one.loc)}  [line {one.line}]\n"
        case Changed():
            return f"~ {printable(one.url)}  {printable(describe_fields(one))}\n"


_CONTEXT = 3  # lines
_NO_NEWLINE = "\\ No newline at end of file\n"
_SAFE = frozenset(b"/.-_+=@,~%") | frozenset(range(48, 58)) | frozenset(range(65, 91)) | frozenset(range(97, 123))


class Change(NamedTuple):
    """Lines of the old version, and those of the new one in their place; counted from 0, the end excluded."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def render_patch(outcome: Outcome) -> str:
    versions = outcome.details.patch
    binary = [one.path for one in versions if _is_binary(one)]
    notes = "".join(f"# not in this patch, for it is no text: {path}\n" for path in binary)
    if outcome.blocked is not None:
        why = printable(outcome.blocked.sentence)
        notes += f"# not in this patch, for `write` would change nothing: {printable(outcome.run.sitemap)} ({why})\n"
    return notes + "".join(unified_diff(one) for one in versions if not _is_binary(one))


def _is_binary(one: FileVersions) -> bool:
    return any(b"\0" in (content or b"") or not _is_utf8(content or b"") for content in (one.before, one.after))


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def split_lines(content: bytes | None) -> list[str]:
    """The lines with their ends; only a line feed ends one."""
    *lines, last = (content or b"").decode().split("\n")
    return [*(f"{line}\n" for line in lines), *([last] if last else [])]


def find_changes(old: Sequence[str], new: Sequence[str]) -> list[Change]:
    """What differs, in order."""
    found = []
    anchors = [(-1, -1), *_anchors(old, new), (len(old), len(new))]
    for (old_before, new_before), (old_after, new_after) in pairwise(anchors):
        start, end = (old_before + 1, new_before + 1), (old_after, new_after)
        while start[0] < end[0] and start[1] < end[1] and old[start[0]] == new[start[1]]:
            start = (start[0] + 1, start[1] + 1)
        while start[0] < end[0] and start[1] < end[1] and old[end[0] - 1] == new[end[1] - 1]:
            end = (end[0] - 1, end[1] - 1)
        if start != end:
            found.append(Change(start[0], end[0], start[1], end[1]))
    return found


def _anchors(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Positions of lines that both have once, in an order that holds in both (patience)."""
    once = {line for line, count in Counter(old).items() if count == 1}
    once &= {line for line, count in Counter(new).items() if count == 1}
    places = {line: number for number, line in enumerate(new) if line in once}
    tops: list[int] = []  # the smallest end of an increasing run, by its length
    rows: list[tuple[int, int, int]] = []  # (place in old, in new, row before it)
    last: list[int] = []
    for number, line in enumerate(old):
        if line in once:
            place = places[line]
            at = bisect_left(tops, place)
            rows.append((number, place, last[at - 1] if at else -1))
            tops[at : at + 1], last[at : at + 1] = [place], [len(rows) - 1]
    found, row = [], last[-1] if last else -1
    while row >= 0:
        found.append(rows[row][:2])
        row = rows[row][2]
    return found[::-1]


def unified_diff(one: FileVersions) -> str:
    old, new = split_lines(one.before), split_lines(one.after)
    name = one.path
    head = f"diff --git {_quote(f'a/{name}')} {_quote(f'b/{name}')}\n"
    if one.before is None:
        head += "new file mode 100644\n"
    if one.after is None:
        head += "deleted file mode 100644\n"
    before = "/dev/null" if one.before is None else _quote(f"a/{name}")
    after = "/dev/null" if one.after is None else _quote(f"b/{name}")
    hunks = "".join(_hunks(old, new))
    return f"{head}--- {before}\n+++ {after}\n{hunks}" if hunks else head if None in (one.before, one.after) else ""


def _quote(path: str) -> str:
    """A path as git writes it: in quotes, with octal escapes, where it is not plain."""
    name = path.encode(errors="replace")
    if _SAFE.issuperset(name):
        return path
    return '"' + "".join(chr(one) if one in _SAFE or one == 32 else f"\\{one:03o}" for one in name) + '"'


def _hunks(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    group: list[Change] = []
    for change in find_changes(old, new):
        if group and change.old_start - group[-1].old_end > 2 * _CONTEXT:
            yield _hunk(group, old, new)
            group = []
        group.append(change)
    if group:
        yield _hunk(group, old, new)


def _hunk(group: Sequence[Change], old: Sequence[str], new: Sequence[str]) -> str:
    first, last = group[0], group[-1]
    lead, trail = min(_CONTEXT, first.old_start), min(_CONTEXT, len(old) - last.old_end)
    start = Change(first.old_start - lead, last.old_end + trail, first.new_start - lead, last.new_end + trail)
    lines, position = [], start.old_start
    for change in group:
        lines += [f" {line}" for line in old[position : change.old_start]]
        lines += [f"-{line}" for line in old[change.old_start : change.old_end]]
        lines += [f"+{line}" for line in new[change.new_start : change.new_end]]
        position = change.old_end
    lines += [f" {line}" for line in old[position : start.old_end]]
    body = "".join(line if line.endswith("\n") else f"{line}\n{_NO_NEWLINE}" for line in lines)
    return f"@@ -{_range(start.old_start, start.old_end)} +{_range(start.new_start, start.new_end)} @@\n{body}"


def _range(start: int, end: int) -> str:
    return f"{start + (end > start)},{end - start}"
