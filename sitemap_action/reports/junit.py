"""The report as JUnit XML, the form that every CI reads: a suite for each rule, a failure for what fails the check."""

from collections.abc import Iterable, Iterator
from html import escape

from msgspec import Struct

from sitemap_action.model.finding import Severity
from sitemap_action.model.outcome import Outcome
from sitemap_action.reports.headline import headline
from sitemap_action.reports.problems import ProblemRow, fitting, left_out, problems
from sitemap_action.web.printable import printable

_VERDICT = "the sitemap and the site pass the check"
_LONGEST = 1_000  # characters


class _Case(Struct, frozen=True):
    suite: str
    name: str
    body: str = ""  # XML
    state: str = ""  # failure or skipped; "" where it passes


def render(outcome: Outcome) -> str:
    """The first suite is the verdict, so that a run without a problem has a test that passes."""
    found = [_problem(one, failing=bool(outcome.exit_code)) for one in problems(outcome)]
    kept = len(fitting(map(_case, found)))
    cases = [_verdict(outcome), *found[:kept]]
    if cut := len(found) - kept:
        cases.append(_Case("sitemap", left_out(cut), state="skipped", body=_element("skipped", left_out(cut), "cut")))
    for row in outcome.not_checked:
        body = _element("skipped", f"needs {row.needs}: {row.hint}", "not checked")
        cases.append(_Case("not checked", row.rule, body, "skipped"))
    suites: dict[str, list[_Case]] = {}
    for one in cases:
        suites.setdefault(one.suite, []).append(one)
    counts = f'tests="{len(cases)}" failures="{_count(cases, "failure")}" errors="0"'
    opening = f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="sitemap-action" {counts}>\n'
    return opening + "".join(part for name, rows in suites.items() for part in _suite(name, rows)) + "</testsuites>\n"


def _verdict(outcome: Outcome) -> _Case:
    """By the same name in every run; the causes are tests of their own."""
    if not outcome.exit_code:
        return _Case("sitemap", _VERDICT)
    return _Case("sitemap", _VERDICT, _element("failure", headline(outcome), outcome.result.value), "failure")


def _problem(one: ProblemRow, *, failing: bool) -> _Case:
    """What does not fail the check is a skipped test, which CIs list without failing."""
    state = "failure" if failing and one.severity is Severity.ERROR else "skipped"
    place = f"{one.path}:{one.line}" if one.line > 1 else one.path
    text = "\n".join(filter(None, (one.message, place, one.kind.tip)))
    return _Case(one.kind.id, one.message, _element(state, one.message, one.severity.value, text), state)


def _suite(name: str, cases: list[_Case]) -> Iterator[str]:
    failures, skipped = _count(cases, "failure"), _count(cases, "skipped")
    counts = f'tests="{len(cases)}" failures="{failures}" errors="0" skipped="{skipped}"'
    yield f'<testsuite name="{_text(name)}" {counts}>\n'
    yield from map(_case, cases)
    yield "</testsuite>\n"


def _case(one: _Case) -> str:
    opening = f'<testcase name="{_text(one.name)}" classname="{_text(f"sitemap-action.{one.suite}")}"'
    return f"{opening}>{one.body}</testcase>\n" if one.body else f"{opening}/>\n"


def _element(tag: str, message: str, kind: str, text: str = "") -> str:
    """Each line of the text is printable: XML has no way to write a control character."""
    body = "\n".join(map(_text, text.split("\n")))
    return f'<{tag} message="{_text(message)}" type="{_text(kind)}">{body}</{tag}>'


def _text(text: str) -> str:
    return escape(printable(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"))


def _count(cases: Iterable[_Case], state: str) -> int:
    return sum(one.state == state for one in cases)
