"""The one list of options, with type, default and help; a new option is one line here, in crawling.py or writing.py."""

from collections.abc import Mapping
from datetime import date
from enum import StrEnum

from msgspec import Struct

from sitemap_action.config import locations, values
from sitemap_action.config.crawling import CrawlConfig, HttpConfig, SitemapsConfig
from sitemap_action.config.fields import option, required, rest, section
from sitemap_action.config.record import RecordType
from sitemap_action.config.rendering import RenderConfig
from sitemap_action.config.spelling import HtmlExtension, TrailingSlash, spelling_rules
from sitemap_action.config.types import ListOf, MapOf, PlainOr, choice
from sitemap_action.config.values import FailOnType, QuerySetting, QueryType
from sitemap_action.config.writing import OutputConfig
from sitemap_action.model.finding import Severity
from sitemap_action.model.limit import Limit
from sitemap_action.model.site import Reason
from sitemap_action.web.spelling_rules import SpellingRules

DEFAULT_CONFIG = ".github/sitemap.yml"

INPUTS = {
    # input of the action, and flag of the command line → key
    "path": "source.path",
    "url": "source.url",
    "environment": "source.environment",
    "host": "source.host",
    "site-url": "site-url",
    "sitemap": "sitemap",
    "baseline": "baseline",
    "fail-on": "policy.fail-on",
    "max-removed": "policy.max-removed",
    "wait-for": "crawl.wait.for",
    "wait-path": "crawl.wait.path",
    "wait-timeout": "crawl.wait.timeout",
}

FAIL_ON = frozenset({"stale", "lost", "invalid"})
FAIL_ON_WRITING = frozenset({"invalid"})
"""A write repairs a stale sitemap, and removes pages that are lost."""


class Orphans(StrEnum):
    """Pages of the baseline that no page links to any more."""

    KEEP = "keep"
    DROP = "drop"


class Noindex(StrEnum):
    """How the noindex that a preview host adds to every page counts (ENV-03)."""

    AUTO = "auto"
    RESPECT = "respect"
    IGNORE = "ignore"


class BaselineDebt(StrEnum):
    """Findings that the baseline already had."""

    REPORT = "report"
    IGNORE = "ignore"


class SourceConfig(Struct, frozen=True, kw_only=True):
    """Where the pages come from."""

    path: str = option("", values.optional(locations.folder), "Folder of the built site.", default_text="none")
    url: str = option(
        "",
        values.optional(locations.deployment_url),
        "Address of the deployed site; auto, on GitHub, is where the deployment of this commit is served.",
        default_text="none",
    )
    environment: str = option(
        "",
        values.optional(values.environment),
        "Environment of that deployment, where url is auto.",
        default_text="any",
    )
    mount: str = option(
        "",
        values.optional(locations.server_path),
        "Path on the deployed site that serves what production serves below site-url.",
        default_text="the directory of source.url",
    )
    host: str = option("auto", values.host, "Static host whose rules turn files into URLs.")


class SelectConfig(Struct, frozen=True, kw_only=True):
    """Which pages belong in the sitemap."""

    include: tuple[str, ...] = option((), ListOf(values.pattern), "Only pages that match one of these patterns.")
    exclude: tuple[str, ...] = option((), ListOf(values.pattern), "No page that matches one of these patterns.")
    types: tuple[str, ...] = option(
        ("html",),
        ListOf(values.media_type, at_least=1, commas=True),
        "File types to list: html, pdf, another extension or a media type.",
    )
    query: QuerySetting = option(
        QuerySetting(), QueryType(), "URLs with a query: keep them, drop the query, or allow some parameters."
    )
    drop_params: tuple[str, ...] = option(
        (), ListOf(values.parameter, commas=True), "Parameters to take out of every URL, such as utm_*."
    )
    trailing_slash: TrailingSlash = option(
        TrailingSlash.VERIFY,
        choice(TrailingSlash),
        "Final slash of a page's URL: the spelling that answers 200 without redirect (verify), "
        "as in the committed sitemap (keep), or always with (add) or without it (remove).",
    )
    html_extension: HtmlExtension = option(
        HtmlExtension.HOST,
        choice(HtmlExtension),
        "/x.html or /x for a page x.html: as the host serves it, the first (keep) or the second (drop).",
    )
    agents: tuple[str, ...] = option(
        ("Googlebot", "Bingbot"),
        ListOf(values.agent, at_least=1, commas=True),
        "Crawlers whose view counts: a page that one of them may not index is not listed.",
    )
    noindex: Noindex = option(
        Noindex.AUTO,
        choice(Noindex),
        "noindex of a preview host: not counted where it is on every page (auto), respected, or ignored.",
    )
    orphans: Orphans = option(Orphans.KEEP, choice(Orphans), "Pages of the baseline that no page links to any more.")

    @property
    def spelling_rules(self) -> SpellingRules:
        return spelling_rules(self.trailing_slash, self.html_extension)


class SectionPolicy(Struct, frozen=True, kw_only=True):
    """Limits for one part of the site."""

    max_removed: Limit = required(values.limit, "How many pages of this part may be lost.")


class ExpectedRemoval(Struct, frozen=True, kw_only=True):
    """An announced removal (DIFF-42). `until` is required: without an end it would hide every later loss."""

    url: str = required(values.pattern, "Page or pages that are removed.")
    reason_class: str = option(
        "", choice(Reason), "Class of the removal; any when omitted.", default_text="any", key="class"
    )
    reason: str = required(values.one_line, "Why, for the readers of the report.")
    until: date = required(values.iso_date, "Last day on which this is expected.")


class PolicyConfig(Struct, frozen=True, kw_only=True):
    """What fails a check, and what stops a write."""

    fail_on: frozenset[str] | None = option(
        None,
        FailOnType(),
        "Rows of the comparison that fail the check; classes of removal by name; none.",
        default_text="[stale, lost, invalid]; [invalid] when writing",
    )
    max_removed: Limit = option(
        Limit(percent=20), values.limit, "How many pages may be lost; a number and a percentage both apply."
    )
    max_added: Limit = option(Limit(), values.limit, "How many pages may be new.")
    min_urls: int = option(1, values.whole_number(0, values.MAX_COUNT, 1), "How many pages the sitemap lists at least.")
    min_share: float = option(
        50.0,
        values.share,
        "First run: listed pages among those that answer 200 with a wanted type and no noindex; 0 = off.",
        default_text="50%",
    )
    required: tuple[str, ...] = option((), ListOf(values.pattern), "Patterns of which each must match a listed page.")
    sections: Mapping[str, SectionPolicy] = option(
        {}, MapOf(values.pattern, RecordType(SectionPolicy)), "Limits for parts of the site, by pattern."
    )
    expected_removals: tuple[ExpectedRemoval, ...] = option(
        (),
        ListOf(RecordType(ExpectedRemoval)),
        "Announced removals, which do not count as lost, each with its last day.",
    )
    redirect_required: bool = option(
        True,
        values.boolean,
        "A removed page redirects to a listed one, or answers 410; when writing, a breach is a warning.",
    )
    baseline_debt: BaselineDebt = option(
        BaselineDebt.REPORT,
        choice(BaselineDebt),
        "Findings on the sitemap that the baseline already had: report or ignore them.",
    )
    grace: Mapping[str, int] = option(
        {},
        MapOf(values.grace_key, values.whole_number(1, 366, 14)),
        "Days for which a class of removal, or a rule, is a warning after it was first seen; needs a state.",
    )

    def failing(self, *, writing: bool) -> frozenset[str]:
        """The rows of the comparison that fail the run."""
        if self.fail_on is not None:
            return self.fail_on
        return FAIL_ON_WRITING if writing else FAIL_ON


class RuleSetting(Struct, frozen=True, kw_only=True):
    """The severity of a rule in one corner of the site; elsewhere, and after the last day, the rule holds unchanged."""

    severity: Severity = required(choice(Severity), "Severity of the findings there.")
    paths: tuple[str, ...] = option(
        (), ListOf(values.pattern), "Pages, or sitemap files by their path; everywhere when omitted."
    )
    reason: str = option("", values.optional(values.one_line), "Why, for the readers of the report.")
    until: date | None = option(None, values.iso_date, "Last day on which this holds.", default_text="no end")


class ChecksConfig(Struct, frozen=True, kw_only=True):
    """Severities of rules."""

    strict: bool = option(False, values.boolean, "Warnings count as errors.")
    severities: Mapping[str, Severity | RuleSetting] = rest(
        values.rule_id,
        PlainOr(choice(Severity), RecordType(RuleSetting)),
        "Severity of a rule, or of a family of rules; everywhere, or at some paths until a day.",
        placeholder="RULE",
    )


class Config(Struct, frozen=True, kw_only=True):
    """All options."""

    version: int = option(1, values.version, "Version of the format of this file.")
    site_url: str = option(
        "",
        values.optional(locations.site_url),
        "Where the pages live: every listed URL is below it.",
        default_text="of the directories that the sitemap's URLs share the one that fits the build",
    )
    sitemap: str = option(
        "",
        values.optional(locations.sitemap_file),
        "The sitemap or sitemap index that is judged, committed or built.",
        default_text="the committed one nearest to the build, else the one in the build",
    )
    sitemap_url: str = option(
        "",
        values.optional(locations.url),
        "Address of the sitemap on the site.",
        default_text="site-url and the name of the file",
    )
    baseline: str = option(
        "auto", locations.baseline, "Sitemap to compare with: auto, committed, a path, a URL, or git:REF[:PATH]."
    )
    source: SourceConfig = section(SourceConfig, "Where the pages come from.")
    crawl: CrawlConfig = section(CrawlConfig, "How pages are crawled.")
    sitemaps: SitemapsConfig = section(SitemapsConfig, "The sitemaps that a site declares itself.")
    http: HttpConfig = section(HttpConfig, "How requests are made.")
    render: RenderConfig = section(RenderConfig, "How pages that scripts build are seen.")
    select: SelectConfig = section(SelectConfig, "Which pages belong in the sitemap.")
    output: OutputConfig = section(OutputConfig, "How the sitemap is written.")
    policy: PolicyConfig = section(PolicyConfig, "What fails a check, and what stops a write.")
    checks: ChecksConfig = section(ChecksConfig, "Severities of rules.")
