"""Severities as the option `checks` sets them."""

import re
from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from sitemap_action.model.finding import Finding, Severity

_FAMILY = re.compile(r"[A-Z]+")


def family(rule: str) -> str:
    """`SM-14` → `SM`."""
    found = _FAMILY.match(rule)
    return found[0] if found else rule


def families(rules: Iterable[str]) -> frozenset[str]:
    return frozenset(map(family, rules))


def adjusted(findings: Iterable[Finding], severities: Mapping[str, Severity], *, strict: bool) -> tuple[Finding, ...]:
    """A setting of a rule beats one of its family, both set all cases of the rule; `strict` makes warnings errors."""
    return tuple(
        replace(finding, severity=severity)
        for finding in findings
        if (severity := _severity(finding, severities, strict=strict)) is not Severity.OFF
    )


def _severity(finding: Finding, severities: Mapping[str, Severity], *, strict: bool) -> Severity:
    rule = finding.rule.id
    severity = severities.get(rule, severities.get(family(rule), finding.severity))
    return Severity.ERROR if strict and severity is Severity.WARNING else severity
