"""Severities as the option `checks` sets them: of a rule, of a family, or of a rule in one corner of the site."""

import re
from collections.abc import Iterable, Mapping
from datetime import date

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.config.schema import RuleSetting
from sitemap_action.model.finding import Finding, Severity
from sitemap_action.web.patterns import Patterns, compile_patterns
from sitemap_action.web.urls import BadUrl

_FAMILY = re.compile(r"[A-Z]+")
_NO_HOST = "https://path.invalid/"  # of a file, so that a pattern over paths can be compared with its path


class Corner(Struct, frozen=True):
    """A part of the site in which a rule has another severity, and what the report says about it."""

    severity: Severity
    accepted: str  # the reason and the last day, as text
    paths: Patterns  # of pages or of sitemap files; none: everywhere

    def holds(self, url: str, path: str) -> bool:
        """`url`: of the page; `path`: of the sitemap file, which is a URL where it was fetched."""
        file = path if path.startswith(("http://", "https://")) else _NO_HOST + path.removeprefix("./").lstrip("/")
        return not self.paths.patterns or self._matches(url) or (bool(path) and self._matches(file))

    def _matches(self, url: str) -> bool:
        try:
            return bool(url) and self.paths.match(url) is not None
        except BadUrl:
            return False


class Corners:
    """The corners that the config accepts, by rule or family; `expired`: the settings whose last day has passed."""

    def __init__(self, settings: Mapping[str, Severity | RuleSetting], today: date) -> None:
        found = {name: setting for name, setting in settings.items() if isinstance(setting, RuleSetting)}
        self.expired = tuple(
            f"checks.{name}, until {setting.until}"
            for name, setting in sorted(found.items())
            if setting.until and setting.until < today
        )
        self._plain = settings.keys() - found.keys()
        self._corners = {
            name: Corner(setting.severity, _accepted_text(name, setting), compile_patterns(setting.paths))
            for name, setting in found.items()
            if not setting.until or setting.until >= today
        }

    def find(self, rule: str, url: str, path: str) -> Corner | None:
        """The corner that a finding is in: one of the rule, else one of its family, unless the rule has a severity."""
        for name in (rule, family(rule)) if self._corners else ():
            corner = self._corners.get(name)
            if corner and corner.holds(url, path):
                return corner
            if name in self._plain:
                break
        return None


NO_CORNERS = Corners({}, date.min)


def _accepted_text(name: str, setting: RuleSetting) -> str:
    until = f", until {setting.until}" if setting.until else ""
    return f"{setting.reason or f'checks.{name}'}{until}"


def family(rule: str) -> str:
    """`SM-14` → `SM`."""
    found = _FAMILY.match(rule)
    return found[0] if found else rule


def families(rules: Iterable[str]) -> frozenset[str]:
    return frozenset(map(family, rules))


def adjust_severities(
    findings: Iterable[Finding], settings: Mapping[str, Severity | RuleSetting], *, strict: bool
) -> tuple[Finding, ...]:
    """A setting of a rule beats one of its family, both set all cases of the rule; `strict` makes warnings errors.

    A finding in an accepted corner has its severity from there already (`Report`).
    """
    return tuple(
        replace(finding, severity=severity)
        for finding in findings
        if (severity := _severity(finding, settings, strict=strict)) is not Severity.OFF
    )


def accepted_notes(findings: Iterable[Finding]) -> tuple[str, ...]:
    """One sentence for each rule that is off in an accepted corner where it has findings."""
    counts: dict[tuple[str, str], int] = {}
    for one in findings:
        if one.accepted and one.severity is Severity.OFF:
            counts[one.rule.id, one.accepted] = counts.get((one.rule.id, one.accepted), 0) + one.count
    return tuple(
        f"{rule}: {count:,} finding{'' if count == 1 else 's'} accepted ({accepted})"
        for (rule, accepted), count in sorted(counts.items())
    )


def _severity(finding: Finding, settings: Mapping[str, Severity | RuleSetting], *, strict: bool) -> Severity:
    severity = finding.severity
    if not finding.accepted:
        rule = finding.rule.id
        plain = (settings.get(name) for name in (rule, family(rule)))
        severity = next((setting for setting in plain if isinstance(setting, Severity)), severity)
    return Severity.ERROR if strict and severity is Severity.WARNING else severity
