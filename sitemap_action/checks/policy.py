"""A pull request that changes what a check lets pass (POL-01)."""

from sitemap_action.checks.base import DESIGN, WARNING, SiteCheck, rule
from sitemap_action.model.finding import Needs
from sitemap_action.model.outcome import Diff

_RULES = (
    rule(
        "POL-01",
        {"policy-changed": WARNING},
        needs=Needs.BASELINE,
        summary="A pull request leaves the policy as its target branch has it.",
        source=DESIGN,
        passes="a pull request that leaves the config as it is, or changes where the build is",
        fails="max-removed goes from 20% to none where pages vanish",
        tip="Review the policy as part of the change: it decides what this very check lets pass.",
    ),
)


class PolicyKeys(SiteCheck):
    rules = _RULES
    messages = {"policy-changed": "this pull request changes the policy that it is judged by"}  # noqa: RUF012 - as in base

    def end(self, _diff: Diff, /) -> None:
        if self.options.policy:
            self.report.add("policy-changed", detail=", ".join(change.key for change in self.options.policy))
