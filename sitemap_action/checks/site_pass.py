"""The registry of rule families over a site, and the one pass that drives them."""

from collections.abc import Mapping
from itertools import chain

from sitemap_action.checks.addresses import AddressesCheck
from sitemap_action.checks.base import Report, SiteCheck, SiteOptions, cases_by_code
from sitemap_action.checks.blocked_content import BlockedContentCheck
from sitemap_action.checks.broken_sitemaps import BrokenSitemapsCheck
from sitemap_action.checks.canonicals import CanonicalsCheck
from sitemap_action.checks.dead_links import DeadLinksCheck
from sitemap_action.checks.flips import FlipsCheck
from sitemap_action.checks.freshness import FreshnessCheck
from sitemap_action.checks.host_answers import HostAnswersCheck
from sitemap_action.checks.hosting import HostingCheck
from sitemap_action.checks.language_versions import LanguageVersionsCheck
from sitemap_action.checks.leaked_hosts import LeakedHostsCheck
from sitemap_action.checks.lost_versions import LostVersionsCheck
from sitemap_action.checks.pages import PagesCheck
from sitemap_action.checks.pings import PingsCheck
from sitemap_action.checks.policy import PolicyCheck, RedirectsCheck
from sitemap_action.checks.removals import RemovalsCheck
from sitemap_action.checks.rendered_heads import RenderedHeadsCheck
from sitemap_action.checks.robots_change import RobotsChangeCheck
from sitemap_action.checks.robots_txt import RobotsTxtCheck
from sitemap_action.checks.shipped import ShippedCheck
from sitemap_action.model.finding import Finding, NotChecked, Rule
from sitemap_action.model.outcome import Diff
from sitemap_action.model.site import KnownUrl, Verdict

SITE_FAMILIES: tuple[type[SiteCheck], ...] = (
    CanonicalsCheck,
    PagesCheck,
    RenderedHeadsCheck,
    DeadLinksCheck,
    AddressesCheck,
    HostAnswersCheck,
    HostingCheck,
    RobotsTxtCheck,
    BlockedContentCheck,
    BrokenSitemapsCheck,
    ShippedCheck,
    LeakedHostsCheck,
    RobotsChangeCheck,
    RemovalsCheck,
    FlipsCheck,
    LanguageVersionsCheck,
    LostVersionsCheck,
    FreshnessCheck,
    PolicyCheck,
    RedirectsCheck,
    PingsCheck,
)

SITE_RULES: Mapping[str, Rule] = {rule.id: rule for rule in chain(*(family.rules for family in SITE_FAMILIES))}
"""Every rule over a site by id."""


class SitePass:
    """Calls the families with every known URL; `findings` ends the pass."""

    def __init__(self, options: SiteOptions) -> None:
        self._report = Report(cases_by_code(SITE_RULES.values()), options.corners)
        self._checks = [family(options, self._report) for family in SITE_FAMILIES]
        self._on_url = [check.on_url for check in self._checks if type(check).on_url is not SiteCheck.on_url]

    def on_url(self, known: KnownUrl, verdict: Verdict) -> None:
        for callback in self._on_url:
            callback(known, verdict)

    def findings(self, diff: Diff) -> tuple[Finding, ...]:
        for check in self._checks:
            check.on_end(diff)
        return self._report.findings()

    def not_checked(self) -> tuple[NotChecked, ...]:
        """After `findings`."""
        return self._report.not_checked()
