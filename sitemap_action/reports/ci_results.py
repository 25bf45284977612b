"""Reports that CI systems read, worst first: JUnit XML with a suite for each rule, and GitLab Code Quality."""

from collections.abc import Iterator
from html import escape
from typing import Any, TypeAlias

from sitemap_action.model.finding import Severity
from sitemap_action.model.outcome import Outcome
from sitemap_action.reports.advice import headline
from sitemap_action.reports.item_lists import default_place, fitting, identities, left_out, problems
from sitemap_action.reports.items import Item, ItemKind, make_rule
from sitemap_action.web.printable import printable, visible_json

_VERDICT = "the sitemap and the site pass the check"
_LONGEST = 1_000  # characters
_FAILURE, _SKIPPED, _PASSED = "failure", "skipped", ""

TestCase: TypeAlias = tuple[str, str, str]  # suite, state, XML


def render_junit(outcome: Outcome) -> str:
    """The first suite is the verdict, so that a run without a problem has a test that passes."""
    found = [_problem(one) for one in problems(outcome)]
    kept = len(fitting(xml for _, _, xml in found))
    cases = [_verdict(outcome), *found[:kept]]
    if cut := len(found) - kept:
        cases.append(_case("sitemap", left_out(cut), _SKIPPED, _element(_SKIPPED, left_out(cut), "cut")))
    for row in outcome.not_checked:
        body = _element(_SKIPPED, f"needs {row.needs}: {row.hint}", "not checked")
        cases.append(_case("not checked", row.rule, _SKIPPED, body))
    suites: dict[str, list[TestCase]] = {}
    for one in cases:
        suites.setdefault(one[0], []).append(one)
    counts = f'tests="{len(cases)}" failures="{_count(cases, _FAILURE)}" errors="0"'
    opening = f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="sitemap-action" {counts}>\n'
    return opening + "".join(part for name, rows in suites.items() for part in _suite(name, rows)) + "</testsuites>\n"


def _verdict(outcome: Outcome) -> TestCase:
    """The test has one name in every run; the causes are tests of their own."""
    if not outcome.exit_code:
        return _case("sitemap", _VERDICT, _PASSED, "")
    return _case("sitemap", _VERDICT, _FAILURE, _element(_FAILURE, headline(outcome), outcome.result.value))


def _problem(one: Item) -> TestCase:
    """What does not fail the check is a skipped test, which CIs list without failing."""
    state = _FAILURE if one.fails else _SKIPPED
    place = f"{one.path}:{one.line}" if one.line > 1 else one.path
    text = "\n".join(filter(None, (one.message, place, one.repair, one.rule.tip)))
    return _case(one.rule.id, one.message, state, _element(state, one.message, one.severity.value, text))


def _suite(name: str, cases: list[TestCase]) -> Iterator[str]:
    counts = f'tests="{len(cases)}" failures="{_count(cases, _FAILURE)}" errors="0" skipped="{_count(cases, _SKIPPED)}"'
    yield f'<testsuite name="{_text(name)}" {counts}>\n'
    yield from (xml for _, _, xml in cases)
    yield "</testsuite>\n"


def _case(suite: str, name: str, state: str, body: str) -> TestCase:
    opening = f'<testcase name="{_text(name)}" classname="{_text(f"sitemap-action.{suite}")}"'
    return suite, state, f"{opening}>{body}</testcase>\n" if body else f"{opening}/>\n"


def _element(tag: str, message: str, kind: str, text: str = "") -> str:
    """Each line of the text is printable: XML has no way to write a control character."""
    body = "\n".join(map(_text, text.split("\n")))
    return f'<{tag} message="{_text(message)}" type="{_text(kind)}">{body}</{tag}>'


def _text(text: str) -> str:
    return escape(printable(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"))


def _count(cases: list[TestCase], state: str) -> int:
    return sum(one[1] == state for one in cases)


_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}
_REST = make_rule("sitemap-action", summary="The file has no more rows.", severity=Severity.INFO)


def render_gitlab(outcome: Outcome) -> str:
    """GitLab Code Quality: an array of issues (docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format)."""
    found = problems(outcome)
    marked = zip(found, identities(found), strict=True)
    issues = fitting(visible_json(_issue(one, mark)) for one, mark in marked)
    if cut := len(found) - len(issues):
        rest = Item(ItemKind.GAP, _REST, Severity.INFO, name=left_out(cut), path=default_place(outcome))
        issues.append(visible_json(_issue(rest, rest.fingerprint)))
    return "[" + ",".join(f"\n{issue}" for issue in issues) + "\n]\n"


def _issue(one: Item, identity: str) -> dict[str, Any]:
    message = "; ".join(filter(None, (one.message, one.repair)))
    message = message if len(message) <= _LONGEST else f"{message[:_LONGEST]}…"
    return {
        "description": printable(message).strip() or one.rule.summary,
        "check_name": one.rule.id,
        "fingerprint": identity,
        "severity": _SEVERITIES[one.severity],
        "location": {"path": printable(one.path), "lines": {"begin": max(one.line, 1)}},
    }
