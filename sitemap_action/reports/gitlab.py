"""The report as GitLab Code Quality: an array of issues, worst first.

https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
"""

from typing import Any

from sitemap_action.model.finding import Severity
from sitemap_action.model.outcome import Outcome
from sitemap_action.reports.item_lists import default_place, fitting, identities, left_out, problems
from sitemap_action.reports.items import Item, ItemKind, make_rule
from sitemap_action.web.printable import printable, visible_json

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}
_LONGEST = 1_000  # characters
_REST = make_rule("sitemap-action", summary="The file has no more rows.", severity=Severity.INFO)


def render(outcome: Outcome) -> str:
    found = problems(outcome)
    marked = zip(found, identities(found), strict=True)
    issues = fitting(visible_json(_issue(one, mark)) for one, mark in marked)
    if cut := len(found) - len(issues):
        rest = Item(ItemKind.GAP, _REST, Severity.INFO, name=left_out(cut), path=default_place(outcome))
        issues.append(visible_json(_issue(rest, rest.fingerprint)))
    return "[" + ",".join(f"\n{issue}" for issue in issues) + "\n]\n"


def _issue(one: Item, identity: str) -> dict[str, Any]:
    message = one.message if len(one.message) <= _LONGEST else f"{one.message[:_LONGEST]}…"
    return {
        "description": printable(message).strip() or one.rule.summary,
        "check_name": one.rule.id,
        "fingerprint": identity,
        "severity": _SEVERITIES[one.severity],
        "location": {"path": printable(one.path), "lines": {"begin": max(one.line, 1)}},
    }
