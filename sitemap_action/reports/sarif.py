"""The report as SARIF 2.1.0, which code scanning and editors read; no more than GitHub takes, worst first."""

from typing import Any
from urllib.parse import quote

from sitemap_action import REPOSITORY, __version__
from sitemap_action.checks.severity import consequence, family
from sitemap_action.model.finding import Severity
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.outcome import Outcome
from sitemap_action.reports.item_lists import fitting, identities, left_out, problems
from sitemap_action.reports.items import Item, ItemKind
from sitemap_action.web.printable import printable, visible_json

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_TAGS = {
    ItemKind.VERDICT: "verdict",
    ItemKind.GAP: "verdict",
    ItemKind.GUARD: "guard",
    **dict.fromkeys((ItemKind.FINDING, ItemKind.NOTE, ItemKind.LEDGER), "rule"),
}
_ADDRESS = lazy_re(r"https?://[^\s,;]+")
_LONGEST = 1_000  # characters of a message: GitHub shows no more
_LINK = str.maketrans({"\\": "\\\\", "[": "\\[", "]": "\\]"})


def render(outcome: Outcome) -> str:
    found = problems(outcome)
    marked = zip(found, identities(found), strict=True)
    accepted = bool(outcome.diff.acknowledged.rows)
    results = fitting(visible_json(_result(one, mark, any_accepted=accepted)) for one, mark in marked)
    log = _log(outcome, found[: len(results)], len(found) - len(results))
    text = visible_json(log, indent=1).replace(
        '"results": []', '"results": [' + ",".join(f"\n{one}" for one in results) + "]"
    )
    return text + "\n"


def _log(outcome: Outcome, shown: list[Item], cut: int) -> dict[str, Any]:
    rules = {one.rule.id: one for one in shown}
    invocation: dict[str, Any] = {"executionSuccessful": True, "exitCode": outcome.exit_code}
    if cut:
        invocation["toolExecutionNotifications"] = [{"level": "warning", "message": _message(left_out(cut))}]
    driver = {
        "name": "sitemap-action",
        "semanticVersion": __version__,
        "informationUri": f"https://github.com/{REPOSITORY}",
        "rules": [_rule(rules[name]) for name in sorted(rules)],
    }
    known = outcome.run.identity
    invocation |= {"endTimeUtc": known.date} if known.date else {}
    run = {
        "tool": {"driver": driver},
        **_identity(outcome),
        "invocations": [invocation],
        "columnKind": "unicodeCodePoints",
        "properties": {"result": outcome.result.value, "complete": outcome.complete},
        "results": [],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _identity(outcome: Outcome) -> dict[str, Any]:
    """What is compared in every run, and which run this is: GitHub takes what precedes the last slash as category."""
    known, subject = outcome.run.identity, f"{outcome.run.site_url.partition('://')[2]}{outcome.run.sitemap}"
    details: dict[str, Any] = {"id": f"sitemap-action/{printable(subject).replace(' ', '%20')}/{known.date}"}
    if link := known.shown_link:
        details["description"] = {"text": link}
    values = {"repositoryUri": known.repository, "revisionId": known.commit, "branch": printable(known.branch)}
    provenance: dict[str, Any] = {name: value for name, value in values.items() if value}
    provenance["mappedTo"] = {"uriBaseId": "%SRCROOT%"}
    whole = "repositoryUri" in provenance  # which the schema requires
    return {"automationDetails": details, **({"versionControlProvenance": [provenance]} if whole else {})}


def _rule(one: Item) -> dict[str, Any]:
    rule, tag = one.rule, _TAGS.get(one.kind, "comparison")
    lines = [text for text in (rule.summary, consequence(rule.id), rule.tip) if text]
    described: dict[str, Any] = {
        "id": rule.id,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": " ".join(lines[:2])},
        "help": {"text": "\n\n".join(lines), "markdown": "\n\n".join(lines)},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"tags": ["sitemap", tag, *([family(rule.id)] if tag == "rule" else [])]},
    }
    address = _ADDRESS.search(rule.source)
    return {**described, "helpUri": address[0]} if address else described


def _result(one: Item, identity: str, *, any_accepted: bool) -> dict[str, Any]:
    suppressions = [{"kind": "external", "status": "accepted", "justification": one.acknowledged}]
    artifact = {"uri": _uri(one.path), "uriBaseId": "%SRCROOT%"}
    region = {"startLine": max(one.line, 1)}
    return {
        "ruleId": one.rule.id,
        "level": _LEVELS[one.severity],
        "message": _message("; ".join(filter(None, (one.message, one.repair)))),
        "locations": [{"physicalLocation": {"artifactLocation": artifact, "region": region}}],
        # The first is the one that GitHub compares; it is not that of a line, which holds many results.
        "partialFingerprints": {"primaryLocationLineHash": f"{identity}:1", "sitemapAction/v1": identity},
        # Of all results or of none (SARIF 2.1.0 §3.27.23).
        **({"suppressions": suppressions if one.acknowledged else []} if any_accepted else {}),
        **_fixes(one),
    }


def _fixes(one: Item) -> dict[str, Any]:
    """One fix with the lines for all of its pages, of each file; none where lines are changed, too."""
    found = dict.fromkeys((proposal.file, proposal.above, proposal.text) for proposal in one.proposals)
    changes: dict[str, list[dict[str, Any]]] = {}
    for file, above, text in found:
        replacement = {
            "deletedRegion": {"startLine": above, "startColumn": 1, "endColumn": 1},
            "insertedContent": {"text": text},
        }
        if above:
            changes.setdefault(file, []).append(replacement)
    files = [
        {"artifactLocation": {"uri": _uri(path), "uriBaseId": "%SRCROOT%"}, "replacements": rows}
        for path, rows in changes.items()
    ]
    return {"fixes": [{"description": _message(one.repair), "artifactChanges": files}]} if files else {}


def _uri(path: str) -> str:
    try:
        return quote(path, errors="surrogateescape")  # the bytes of a file name
    except UnicodeEncodeError:
        return quote(path, errors="replace")


def _message(text: str) -> dict[str, str]:
    """Plain text, in which a bracket would begin a link (SARIF 2.1.0 §3.11.6)."""
    cut = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    return {"text": printable(cut).translate(_LINK) or " "}
