"""What `diff` prints: the URLs that two sitemaps do not share, and the fields in which they differ."""

import json
from collections.abc import Iterable, Sequence

from sitemap_action.decide.entry_changes import Difference, RemovedEntry
from sitemap_action.model.outcome import Added, Changed
from sitemap_action.reports.comparison_rows import field_changes
from sitemap_action.web.printable import printable


def render_text(found: Sequence[Difference], old: str, new: str) -> str:
    if not found:
        return f"{old} and {new} list the same URLs\n"
    counts = {kind: sum(isinstance(one, kind) for one in found) for kind in (Added, RemovedEntry, Changed)}
    head = f"{counts[Added]:,} added, {counts[RemovedEntry]:,} removed, {counts[Changed]:,} changed\n"
    return head + "".join(_line(one) for one in found)


def render_json(found: Iterable[Difference]) -> str:
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


def _line(one: Difference) -> str:
    match one:
        case Added():
            return f"+ {printable(one.url)}\n"
        case RemovedEntry():
            return f"- {printable(one.url)}  [line {one.line}]\n"
        case Changed():
            return f"~ {printable(one.url)}  {printable(field_changes(one))}\n"
