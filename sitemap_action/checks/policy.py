"""Changes of the policy of the check (POL-01); removed pages without redirect (POL-02); expired settings (POL-03)."""

from sitemap_action.checks.base import DESIGN, ERROR, WARNING, Report, SiteCheck, cases_by_code, rule
from sitemap_action.checks.severity import Corners
from sitemap_action.model.finding import Finding, Needs
from sitemap_action.model.outcome import Diff, Removed
from sitemap_action.model.site import Reason

_PAGELESS = frozenset(
    (Reason.GONE, Reason.MOVED_TEMPORARY, Reason.MOVED_OFFSITE, Reason.REDIRECT_BROKEN, Reason.SOFT_404)
)
"""Classes whose old address has no page of this site; in all others it has one."""

_RULES = (
    rule(
        "POL-01",
        {"policy-changed": (WARNING, "this pull request changes the policy that it is judged by")},
        needs=Needs.BASELINE,
        summary="A pull request does not change the policy of its target branch.",
        source=DESIGN,
        passes="a pull request that leaves the config as it is, or writes a default down",
        fails="max-removed goes from 20% to none where pages are removed",
        tip="Review the policy as part of the change: it decides what this check accepts.",
    ),
    rule(
        "POL-02",
        {
            "redirect-missing": (ERROR, "a removed page does not redirect to a listed page, and does not answer 410"),
            "redirect-missing-warned": (
                WARNING,
                "a removed page does not redirect to a listed page, and does not answer 410",
            ),
        },
        needs=Needs.BASELINE,
        summary="A removed page redirects permanently to a listed one, or answers 410 (policy.redirect-required).",
        source=DESIGN,
        passes="/old redirects to /new, which is listed; /retired answers 410",
        fails="/old answers 404, or redirects to a page that does",
        tip="Redirect it permanently (301 or 308) to the page that replaces it, answer 410, or announce it in "
        "policy.expected-removals.",
    ),
)

EXPIRED_RULE = rule(
    "POL-03",
    {"setting-expired": (WARNING, "the last day of a setting has passed, and the rule holds again")},
    needs=Needs.SITE,
    summary="What the config accepts of a rule (checks) has not come to its last day.",
    source=DESIGN,
    passes="SM-29: {severity: off, paths: [/old/**], until: 2099-12-31}",
    fails="SM-29: {severity: off, paths: [/old/**], until: 2020-12-31}",
    tip="The rule holds again: mend what it finds and remove the setting, or give it a later day.",
)
_EXPIRED = "the last day of a setting has passed, and the rule holds again"


class PolicyCheck(SiteCheck):
    rules = (_RULES[0], EXPIRED_RULE)

    def on_end(self, _diff: Diff, /) -> None:
        if self.options.policy:
            self.report.add("policy-changed", detail=", ".join(change.key for change in self.options.policy))
        report_expired(self.report, self.options.corners)


class RedirectsCheck(SiteCheck):
    """A removal whose row fails the check by itself is no finding as well."""

    rules = (_RULES[1],)

    def on_end(self, diff: Diff, /) -> None:
        for row in diff.removed if self.options.redirect_required else ():
            if row.reason in _PAGELESS and row.lost and self.options.fail_on.isdisjoint(("lost", row.reason.value)):
                warned = self.options.writing or row.grace
                code = "redirect-missing-warned" if warned else "redirect-missing"
                self.report.add(code, row.url, detail=_class_and_detail(row))


def report_expired(report: Report, corners: Corners) -> None:
    for setting in corners.expired:
        report.add("setting-expired", detail=setting)


def expired_settings(corners: Corners) -> tuple[Finding, ...]:
    """Where no site is judged."""
    report = Report(cases_by_code([EXPIRED_RULE]), corners)
    report_expired(report, corners)
    return report.findings()


def _class_and_detail(row: Removed) -> str:
    return f"{row.reason}, {row.detail}" if row.detail else row.reason.value
