"""The report for programs: version 1 of the published schema beside this module, complete and sorted."""

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import structs

from sitemap_action import __version__
from sitemap_action.decide.changes import find_rows
from sitemap_action.model.finding import Finding, Severity
from sitemap_action.model.outcome import (
    Accepted,
    Changed,
    Diff,
    Flip,
    LedgerDifference,
    Links,
    Outcome,
    Removed,
    RenderedRow,
    Result,
    Skipped,
)
from sitemap_action.model.site import ProposedRedirect
from sitemap_action.model.wording import plural
from sitemap_action.web.printable import visible_json

VERSION = 1
_BADGE_COLORS = {Result.IN_SYNC: "green", Result.DRIFT: "red", Result.INVALID: "red", Result.INCONCLUSIVE: "grey"}


def render(outcome: Outcome) -> str:
    """Text that any encoder accepts (a file name may not be UTF-8) and that contains no workflow command."""
    return visible_json(document(outcome), indent=2) + "\n"


def render_badge(outcome: Outcome) -> str:
    """What shields' endpoint badge reads (https://shields.io/badges/endpoint-badge), of a file that is served."""
    result = outcome.result
    message = plural(outcome.diff.listed, "page") if result is Result.IN_SYNC else result.value
    badge = {"schemaVersion": 1, "label": "sitemap", "message": message, "color": _BADGE_COLORS[result]}
    return visible_json(badge, indent=2) + "\n"


def document(outcome: Outcome) -> dict[str, Any]:
    run, source, diff = outcome.run, outcome.run.source, outcome.diff
    return {
        "version": VERSION,
        "tool": {"name": "sitemap-action", "version": __version__},
        "run": _present(structs.asdict(run.identity)),
        "result": outcome.result.value,
        "exit_code": outcome.exit_code,
        "causes": [cause.sentence for cause in outcome.causes],
        "complete": outcome.complete,
        "incomplete": list(outcome.incomplete),
        "site_url": run.site_url,
        "source": {"kind": source.kind, "location": source.location},
        "sitemap": run.sitemap,
        "judged": run.judged,
        "baseline": run.baseline.description,
        "first_run": run.first_run,
        "changed_files": outcome.changed,
        "notes": list(run.notes),
        **_use(outcome),
        "counts": _counts(outcome),
        "guards": [{"key": guard.key, "message": guard.sentence} for guard in outcome.guards],
        "stale": {
            "missing": list(diff.missing),
            "extra": [row.url for row in diff.extra],
            "flips": [_flip(flip) for flip in diff.stale_flips],
        },
        "added": [{"url": row.url, "found_on": row.found_on} for row in diff.added],
        "removed": [_removed_row(row) for row in diff.removed],
        "changed": [{"url": row.url, "fields": _changed_fields(row)} for row in diff.changed],
        "flips": [_flip(flip) for flip in diff.flips],
        "findings": _findings(outcome),
        "not_checked": [{"rule": row.rule, "needs": row.needs, "hint": row.hint} for row in outcome.not_checked],
        **_lists(diff),
        "skipped": [_skipped_row(row) for row in diff.skipped],
        "undetermined": [{"url": row.url, "reason": row.detail} for row in _unanswered_rows(diff)],
        "policy": [{"key": row.key, "base": row.base, "head": row.head} for row in run.policy],
        "steps": [structs.asdict(one) for one in outcome.published.steps],
        "files": [{"path": file.path, "urls": file.urls, "bytes": file.size} for file in outcome.files],
    }


def _use(outcome: Outcome) -> dict[str, Any]:
    """What a state and a browser did, where there were any; both documents of a page are as `explain` has them."""
    source, rows = outcome.run.source, outcome.details.rendered
    documents = [
        {"url": one.url, "documents": [one.served._asdict(), one.rendered._asdict()], **_screenshot(outcome, one)}
        for one in rows
    ]
    state = None if source.state is None else structs.asdict(source.state)
    rendering = None if source.rendering is None else {**structs.asdict(source.rendering), "differing": documents}
    return {name: one for name, one in (("state", state), ("rendering", rendering)) if one is not None}


def _screenshot(outcome: Outcome, row: RenderedRow) -> dict[str, str]:
    folder = outcome.details.screenshots
    return {"screenshot": f"{folder}/{row.screenshot}"} if folder and row.screenshot else {}


def _changed_fields(row: Changed) -> dict[str, list[str]]:
    return {name: [old, new] for name, old, new in row.fields}


def _counts(outcome: Outcome) -> dict[str, int]:
    diff = outcome.diff
    return {
        "urls": diff.listed,
        "stale": diff.stale,
        "added": len(diff.added),
        "removed": len(diff.removed),
        "changed": len(diff.changed),
        "skipped": len(diff.skipped),
        "undetermined": len(_unanswered_rows(diff)),
        "errors": outcome.count(Severity.ERROR),
        "warnings": outcome.count(Severity.WARNING),
    }


def _unanswered_rows(diff: Diff) -> list[Skipped]:
    return sorted((*diff.undetermined, *diff.unanswered), key=lambda row: row.url)


def _removed_row(row: Removed) -> dict[str, Any]:
    optional = {
        "redirect_to": row.redirect_to,
        "hops": row.hops,
        "line": row.line,
        "path": row.path,
        "acknowledged": row.acknowledged,
        "grace": row.grace,
        "since": row.since,
        "broken_by": row.broken_by,
        "links": _links(row.links),
        "proposal": proposal_row(row.proposal) if row.proposal is not None and row.proposal.target else {},
        "fixes": _fixes([row]),
    }
    return {"url": row.url, "class": row.reason.value, "detail": row.detail, **_present(optional)}


def proposal_row(found: ProposedRedirect) -> dict[str, Any]:
    """What the command `redirects` prints of a lost page."""
    row = {"url": found.url, "target": found.target, "kind": found.kind.value, "share": round(found.share, 2)}
    others = [{"target": url, "share": round(share, 2)} for url, share in found.others]
    more = {"line": found.line, "text": found.text, "others": others}
    return {**row, "file": found.file, "why": found.why, **_present(more)}


def _fixes(rows: Iterable[Removed]) -> list[dict[str, Any]]:
    found = (row.proposal for row in rows if row.proposal is not None and row.proposal.line)
    added = dict.fromkeys((one.file, one.line, one.text) for one in found)  # a folder has one line for all its pages
    return [{"path": file, "line": line, "replacement": text} for file, line, text in added]


def _lists(diff: Diff) -> dict[str, Any]:
    """What the list of accepted rows and the ledger have, where there are any."""
    accepted = [_accepted_row(one) for one in diff.acknowledged.rows]
    return _present({"accepted": accepted, "ledger": _ledger(diff.ledger) if diff.ledger.path else {}})


def _ledger(found: LedgerDifference) -> dict[str, Any]:
    dead, long_ways = [_removed_row(row) for row in found.dead], [_removed_row(row) for row in found.long_ways]
    return {"path": found.path, "addresses": found.lines, "dead": dead, "long_ways": long_ways}


def _accepted_row(one: Accepted) -> dict[str, Any]:
    line = one.line
    what = one.row.full_message if isinstance(one.row, Finding) else getattr(one.row, "detail", "")
    found = {"name": line.name, "subject": line.subject, "day": line.day.isoformat(), "acknowledged": line.reason}
    return {**found, "line": line.line, **_present({"detail": what})}


def _flip(flip: Flip) -> dict[str, Any]:
    return {
        "change": list(flip.change),
        "count": len(flip.pages),
        "covered": flip.covered,
        "percent": flip.percent,
        "pages": [{"old": old, "new": new} for old, new in flip.pages],
    }


def _skipped_row(row: Skipped) -> dict[str, Any]:
    found = {"url": row.url, "reason": row.reason.value, "detail": row.detail, "found_on": row.found_on}
    return {**found, **_present({"links": _links(row.links)})}


def _links(links: Links | None) -> dict[str, Any]:
    if links is None:
        return {}
    return {"found_on": links.found_on, "pages": links.pages, **_present({"path": links.path, "line": links.line})}


def _findings(outcome: Outcome) -> list[dict[str, Any]]:
    rows = find_rows(outcome.diff)
    return [_finding(finding, rows(finding)) for finding in outcome.findings]


def _finding(finding: Finding, rows: Sequence[Removed]) -> dict[str, Any]:
    optional = {
        "url": finding.url,
        "path": finding.path,
        "line": finding.line,
        "count": finding.count if finding.count > 1 else 0,
        "examples": list(finding.examples),
        "causes": [{"cause": cause, "count": count} for cause, count in finding.causes],
        "tip": finding.rule.tip,
        "accepted": finding.accepted,
        "fixes": _fixes(rows),
    }
    return {
        "rule": finding.rule.id,
        "severity": finding.severity.value,
        "message": finding.message,
        **_present(optional),
    }


def _present(values: dict[str, Any]) -> dict[str, Any]:
    """Optional fields are left out rather than empty."""
    return {name: value for name, value in values.items() if value}
