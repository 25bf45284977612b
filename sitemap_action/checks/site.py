"""The registry of rule families over a site, and the one pass that drives them."""

from collections.abc import Mapping
from itertools import chain

from sitemap_action.checks.answers import Answers
from sitemap_action.checks.base import Case, Report, SiteCheck, SiteOptions
from sitemap_action.checks.canonicals import Canonicals
from sitemap_action.checks.flips import Flips
from sitemap_action.checks.pages import Pages
from sitemap_action.checks.policy import PolicyKeys, Redirects
from sitemap_action.checks.removals import Removals
from sitemap_action.checks.robotschange import RobotsChange
from sitemap_action.checks.robotstxt import RobotsTxt
from sitemap_action.model.finding import Finding, NotChecked, Rule
from sitemap_action.model.outcome import Diff
from sitemap_action.model.site import KnownUrl, Verdict

SITE_FAMILIES: tuple[type[SiteCheck], ...] = (
    Canonicals,
    Pages,
    RobotsTxt,
    Answers,
    RobotsChange,
    Removals,
    Flips,
    PolicyKeys,
    Redirects,
)

SITE_RULES: Mapping[str, Rule] = {rule.id: rule for rule in chain(*(family.rules for family in SITE_FAMILIES))}
"""Every rule over a site by id."""


class SitePass:
    """Hands every known URL to the families that want it; `findings` ends the pass."""

    def __init__(self, options: SiteOptions) -> None:
        self._report = Report(_cases())
        self._checks = [family(options, self._report) for family in SITE_FAMILIES]
        self._on_url = [check.see for check in self._checks if type(check).see is not SiteCheck.see]

    def see(self, known: KnownUrl, verdict: Verdict) -> None:
        for look in self._on_url:
            look(known, verdict)

    def findings(self, diff: Diff) -> tuple[Finding, ...]:
        for check in self._checks:
            check.end(diff)
        return self._report.findings()

    def not_checked(self) -> tuple[NotChecked, ...]:
        """After `findings`."""
        return self._report.unchecked()


def _cases() -> dict[str, Case]:
    return {
        code: Case(rule, severity, family.messages[code])
        for family in SITE_FAMILIES
        for rule in family.rules
        for code, severity in rule.cases.items()
    }
