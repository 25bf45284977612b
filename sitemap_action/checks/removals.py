"""Removed and moved URLs (DIFF-09, 10, 11, 42, POL-02), the ledger (LED); a changed policy (POL-01, POL-03, POL-04)."""

from collections import defaultdict
from collections.abc import Sequence

from sitemap_action.checks.base import (
    CRAWLING,
    DESIGN,
    ERROR,
    INFO,
    WARNING,
    Report,
    SiteCheck,
    baseline_rule,
    cases_by_code,
    site_rule,
)
from sitemap_action.checks.severity import Corners
from sitemap_action.model.finding import Finding
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.outcome import Diff, Removed
from sitemap_action.model.site import Reason
from sitemap_action.model.wording import option

_PAGELESS = frozenset(
    (Reason.GONE, Reason.MOVED_TEMPORARY, Reason.MOVED_OFFSITE, Reason.REDIRECT_BROKEN, Reason.SOFT_404)
)
"""Classes whose old address has no page of this site; in all others it has one."""

_POLICY_RULES = (
    baseline_rule(
        "POL-01",
        {"policy-changed": (WARNING, "this pull request changes the policy that it is judged by")},
        summary="A pull request does not change the policy of its target branch.",
        source=DESIGN,
        passes="a pull request that leaves the config as it is, or writes a default down",
        fails="max-removed goes from 20% to none where pages are removed",
        tip="Review the policy as part of the change: it decides what this check accepts.",
    ),
    baseline_rule(
        "POL-02",
        {
            "redirect-missing": (ERROR, "a removed page does not redirect to a listed page, and does not answer 410"),
            "redirect-missing-warned": (
                WARNING,
                "a removed page does not redirect to a listed page, and does not answer 410",
            ),
        },
        summary="A removed page redirects permanently to a listed one, or answers 410 (policy.redirect-required).",
        source=DESIGN,
        passes="/old redirects to /new, which is listed; /retired answers 410",
        fails="/old answers 404, or redirects to a page that does",
        tip="Redirect it permanently (301 or 308) to the page that replaces it, answer 410, or announce it in "
        "policy.expected-removals.",
    ),
)

EXPIRED_RULE = site_rule(
    "POL-03",
    {"setting-expired": (WARNING, "the last day of a setting has passed, and the rule holds again")},
    summary="What the config accepts of a rule (checks) has not come to its last day.",
    source=DESIGN,
    passes="SM-29: {severity: off, paths: [/old/**], until: 2099-12-31}",
    fails="SM-29: {severity: off, paths: [/old/**], until: 2020-12-31}",
    tip="The rule holds again: mend what it finds and remove the setting, or give it a later day.",
)


_OUTLIVED_RULE = site_rule(
    "POL-04",
    {"accepted-outlived": (INFO, "an accepted row no longer occurs")},
    summary="Every line of the list of accepted rows (policy.accepted) stands for a fault that is still there.",
    source=DESIGN,
    passes="gone https://www.example.com/old/ is on the list, and the sitemap still lists that page",
    fails="the sitemap does not list it any more",
    tip="Run `sitemap-action accept --prune`: a line that stays would hide the same fault when it comes back.",
)


class PolicyCheck(SiteCheck):
    """The last family: it knows what all others have found."""

    rules = (_POLICY_RULES[0], EXPIRED_RULE, _OUTLIVED_RULE)

    def on_end(self, diff: Diff, /) -> None:
        if self.options.run.policy:
            keys = dict.fromkeys(change.key for change in self.options.run.policy)
            self.report.add("policy-changed", detail=", ".join(keys))
        report_expired(self.report, self.options.corners)
        unknown, occurring = {row.rule for row in self.report.not_checked()}, self.report.occurring()
        for line in diff.acknowledged.outlived:
            if line not in occurring and line.name not in unknown:
                path = self.options.run.baseline.accepted.path
                self.report.add("accepted-outlived", line.subject, line.line, detail=line.name, path=path)


class RedirectsCheck(SiteCheck):
    """A removal whose row fails the check by itself is no finding as well."""

    rules = (_POLICY_RULES[1],)

    def on_end(self, diff: Diff, /) -> None:
        for row in diff.removed if self.options.config.policy.redirect_required else ():
            if row.reason in _PAGELESS and row.is_lost and self.options.fail_on.isdisjoint(("lost", row.reason.value)):
                warned = self.options.writing or row.grace
                code = "redirect-missing-warned" if warned else "redirect-missing"
                self.report.add(code, row.url, detail=_class_and_detail(row))


_LEDGER_RULES = (
    baseline_rule(
        "LED-01",
        {
            "ledger-dead": (ERROR, "an address that was published is dead"),
            "ledger-dead-warned": (WARNING, "an address that was published is dead"),
        },
        summary="Each address of the ledger (policy.ledger) is listed, redirects permanently to a listed page, answers "
        "410, or is declared gone.",
        source=DESIGN,
        passes="/old redirects to /new, which is listed; /sale gone 2026-11-24 over since May",
        fails="/old redirects to /new, which is gone",
        tip="Redirect it permanently to its successor, answer 410, or declare it: write ` gone DAY REASON` behind it "
        "in the ledger.",
    ),
    baseline_rule(
        "LED-02",
        {"ledger-long-way": (INFO, "an address that was published needs several redirects")},
        summary="Each address of the ledger needs one redirect at most.",
        source=f"{CRAWLING}site-move-with-url-changes",
        passes="/old → /new",
        fails="/old → /newer → /new",
        tip="Point the first redirect at the last page: every hop costs time and can break.",
    ),
    baseline_rule(
        "LED-03",
        {
            "ledger-line": (ERROR, "a line of the ledger is wrong"),
            "ledger-line-warned": (WARNING, "a line of the ledger is wrong"),
        },
        summary="A line of the ledger is a root-relative address, perhaps with ` gone DAY REASON`, and each address "
        "has one declaration.",
        source=DESIGN,
        passes="/old gone 2026-11-24 replaced by nothing",
        fails="https://www.example.com/old, or two declarations of /old with different days",
        tip="Correct the line: of two declarations keep one.",
    ),
    baseline_rule(
        "LED-04",
        {"ledger-returned": (WARNING, "an address that is declared gone is a listed page again")},
        summary="What the ledger declares gone is no listed page.",
        source=DESIGN,
        passes="/sale is declared gone, and answers 404",
        fails="/sale is declared gone, and is a listed page",
        tip="Remove the declaration behind the address: else nobody is told when it vanishes again.",
    ),
)


class LedgerCheck(SiteCheck):
    rules = _LEDGER_RULES

    def on_end(self, diff: Diff, /) -> None:
        found = diff.ledger
        if found.lines and not self.options.found.hosting.known:
            for name in ("LED-01", "LED-02"):
                self.report.add_not_checked(name, "the host, which may redirect", f"name it: {option('host', 'NAME')}")
        warned = "-warned" if self.options.writing else ""  # the site is live, and writing repairs none of it
        for row in found.dead:
            self.report.add(f"ledger-dead{warned}", row.url, row.line, _class_and_detail(row), found.path)
        for row in found.long_ways:
            detail = f"{row.hops} hops to {row.redirect_to}"
            self.report.add("ledger-long-way", row.url, row.line, detail, found.path)
        for line, detail in found.faults:
            self.report.add(f"ledger-line{warned}", "", line, detail, found.path)
        for url, line in found.returned:
            self.report.add("ledger-returned", url, line, path=found.path)


def report_expired(report: Report, corners: Corners) -> None:
    for setting in corners.expired:
        report.add("setting-expired", detail=setting)


def expired_settings(corners: Corners) -> tuple[Finding, ...]:
    """Findings on expired settings, for a run that judges no site."""
    report = Report(cases_by_code([EXPIRED_RULE]), corners)
    report_expired(report, corners)
    return report.findings()


def _class_and_detail(row: Removed) -> str:
    return f"{row.reason}, {row.detail}" if row.detail else row.reason.value


_FEW_HOPS = 5  # HTML-43
_MANY = 3  # removed URLs that redirect to one target (DIFF-09)
_WORDS = lazy_re(r"[a-z0-9]{2,}")
_STOP_WORDS = frozenset(("index", "html", "htm", "php", "page"))
_REDIRECTED = (Reason.MOVED, Reason.MOVED_TEMPORARY)  # permanent redirects to a start page are a class: moved-home

_REMOVAL_RULES = (
    baseline_rule(
        "DIFF-09",
        {
            "many-to-home": (ERROR, "removed pages redirect temporarily to the home page, which replaces none of them"),
            "many-to-one": (ERROR, "removed pages redirect to one page that has no word in common with any of them"),
        },
        summary="Removed pages do not all redirect to the home page, or to one unrelated page.",
        source=f"{CRAWLING}site-move-with-url-changes",
        passes="two pages merged into one",
        fails="30 removed pages redirect to /",
        tip="Search engines treat that as a soft 404: redirect each page to its successor, or answer 410.",
    ),
    baseline_rule(
        "DIFF-10",
        {
            "long-way": (WARNING, "a removed page redirects to its successor in several hops"),
            "longer-way": (
                ERROR,
                "a removed page redirects to its successor in more hops than search engines follow at once",
            ),
        },
        summary="A removed page redirects to its successor in one hop.",
        source=f"{CRAWLING}site-move-with-url-changes",
        passes="/old → /new",
        fails="/old → /newer → /new",
        tip="Point the first redirect at the last page: every hop costs time and can break.",
    ),
    baseline_rule(
        "DIFF-42",
        {
            "removal-unused": (WARNING, "no removal matches the announcement"),
            "removal-expired": (WARNING, "the announcement of a removal has expired"),
        },
        summary="Every announced removal matches a removed page and has not expired.",
        source="a decision of this tool",
        passes="/sale/** until 2027-01-31, and pages below /sale/ are removed",
        fails="an announcement that has expired, or that matches no removal",
        tip="Announce a removal in the change that removes the page; then delete it from policy.expected-removals.",
    ),
)


class RemovalsCheck(SiteCheck):
    rules = _REMOVAL_RULES

    def on_end(self, diff: Diff, /) -> None:
        by_target: dict[str, list[Removed]] = defaultdict(list)
        for row in diff.removed:
            if row.reason in _REDIRECTED:
                by_target[row.redirect_to].append(row)
            if row.hops > 1:
                case = "longer-way" if row.hops > _FEW_HOPS else "long-way"
                self.report.add(case, row.url, detail=f"{row.hops} hops to {row.redirect_to}")
        for target, rows in by_target.items():
            self._check_target(target, rows)
        for pattern in diff.acknowledged.unused:
            self.report.add("removal-unused", detail=pattern)
        for pattern in diff.acknowledged.expired:
            self.report.add("removal-expired", detail=pattern)

    def _check_target(self, target: str, rows: Sequence[Removed]) -> None:
        if len(rows) < _MANY:
            return
        if target == self.options.site_url:
            self.report.add("many-to-home", target, detail=f"{len(rows):,} pages")
        elif not any(_path_words(row.url) & _path_words(target) for row in rows):
            self.report.add("many-to-one", target, detail=f"{len(rows):,} pages, such as {rows[0].url}")


def _path_words(url: str) -> frozenset[str]:
    path = url.partition("://")[2].partition("/")[2]
    return frozenset(_WORDS.findall(path.lower())) - _STOP_WORDS


_FLIP_RULES = (
    baseline_rule(
        "DIFF-11",
        {
            "flip": (INFO, "pages change their URLs together, and every old URL reaches the new one"),
            "flip-uncovered": (WARNING, "pages change their URLs together, and not every old URL reaches the new one"),
        },
        summary="Where pages change their URLs together, every old URL reaches the new one.",
        source="Google Search Central, https://developers.google.com/search/docs/crawling-indexing/site-move-with-url-changes",
        passes="all 2,000 pages lose .html, and each old URL redirects to the new one",
        fails="all 2,000 pages lose .html, and the old URLs are gone",
        tip="Redirect each old URL to its new one with 301 or 308: links and search engines still use it.",
    ),
)


class FlipsCheck(SiteCheck):
    rules = _FLIP_RULES

    def on_end(self, diff: Diff, /) -> None:
        for flip in diff.flips:
            code = "flip" if flip.percent == 100 else "flip-uncovered"
            self.report.add(
                code, flip.pages[0][0], detail=f"{', '.join(flip.change)}: {flip.describe(diff.counts.baseline)}"
            )
