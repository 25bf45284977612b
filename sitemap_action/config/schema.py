"""The one list of options: name, type, default, kind and help of each; a new option is one line here."""
# ruff: noqa: RUF009 - the calls make fields, as dataclasses.field does

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from sitemap_action.config import kinds
from sitemap_action.config.crawling import Crawl, Http, Sitemaps
from sitemap_action.config.forms import FailOnKind, Query, QueryKind
from sitemap_action.config.kinds import Limit
from sitemap_action.config.record import Record
from sitemap_action.config.shapes import ListOf, MapOf, choice
from sitemap_action.config.slots import option, required, rest, section
from sitemap_action.model.finding import Severity
from sitemap_action.model.site import Reason
from sitemap_action.sitemap.names import Format

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
"""A writing mode repairs what is stale, and a page that is gone has to leave the file."""


class Orphans(StrEnum):
    """Pages of the baseline that nothing links any more."""

    KEEP = "keep"
    DROP = "drop"


class Noindex(StrEnum):
    """What a preview host says of every page alike (ENV-03)."""

    AUTO = "auto"
    RESPECT = "respect"
    IGNORE = "ignore"


class Debt(StrEnum):
    """Findings that the baseline already had."""

    REPORT = "report"
    IGNORE = "ignore"


class Lastmod(StrEnum):
    """Where the dates in the written sitemap come from."""

    KEEP = "keep"
    OMIT = "omit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where the pages come from."""

    path: str = option("", kinds.optional(kinds.folder), "Folder of the built site.", shown="none")
    url: str = option(
        "",
        kinds.optional(kinds.deployed),
        "Address of the deployed site; auto, on GitHub, is where the deployment of this commit is served.",
        shown="none",
    )
    environment: str = option(
        "",
        kinds.optional(kinds.environment),
        "Environment of that deployment, where url is auto.",
        shown="any",
    )
    mount: str = option(
        "",
        kinds.optional(kinds.server_path),
        "Path on the deployed site that serves what production serves below site-url.",
        shown="the directory of source.url",
    )
    host: str = option("auto", kinds.host, "Static host whose rules turn files into URLs.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Select:
    """Which pages belong in the sitemap."""

    include: tuple[str, ...] = option((), ListOf(kinds.pattern), "Only pages that match one of these patterns.")
    exclude: tuple[str, ...] = option((), ListOf(kinds.pattern), "No page that matches one of these patterns.")
    types: tuple[str, ...] = option(
        ("html",),
        ListOf(kinds.media, at_least=1, commas=True),
        "File types to list: html, pdf, another extension or a media type.",
    )
    query: Query = option(
        Query(), QueryKind(), "URLs with a query: keep them, drop the query, or allow some parameters."
    )
    drop_params: tuple[str, ...] = option(
        (), ListOf(kinds.parameter, commas=True), "Parameters to take out of every URL, such as utm_*."
    )
    agents: tuple[str, ...] = option(
        ("Googlebot", "Bingbot"),
        ListOf(kinds.agent, at_least=1, commas=True),
        "Crawlers whose view counts: a page that one of them may not index is not listed.",
    )
    noindex: Noindex = option(
        Noindex.AUTO,
        choice(Noindex),
        "noindex of a preview host: not counted where it is on every page (auto), respected, or ignored.",
    )
    orphans: Orphans = option(Orphans.KEEP, choice(Orphans), "Pages of the baseline that nothing links any more.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """How the sitemap is written."""

    format: tuple[Format, ...] = option(
        ("xml",),
        ListOf(kinds.output_format, at_least=1, commas=True),
        "Formats to write.",
    )
    gzip: bool = option(False, kinds.flag, "Write a compressed copy (.gz) of each file as well.")
    urls_per_file: int = option(
        50_000, kinds.whole(1, 50_000, 50_000), "URLs in one file before an index with several is written."
    )
    lastmod: Lastmod = option(
        Lastmod.KEEP, choice(Lastmod), "Dates: keep those of the committed sitemap, or omit them."
    )
    keep: tuple[str, ...] = option(
        (), ListOf(kinds.pattern), "Entries of the committed sitemap that are never removed or rewritten."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionPolicy:
    """Limits for one part of the site."""

    max_removed: Limit = required(kinds.limit, "How many pages of this part may be lost.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedRemoval:
    """A removal that was announced (DIFF-42): without an end it would hide every later loss, so `until` is required."""

    url: str = required(kinds.pattern, "Page or pages that go.")
    reason_class: str = option("", choice(Reason), "How they go; any way when left out.", shown="any", key="class")
    reason: str = required(kinds.sentence, "Why, for whoever reads the report.")
    until: date = required(kinds.day, "Last day on which this is expected.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What fails a check, and what stops a write."""

    fail_on: frozenset[str] | None = option(
        None,
        FailOnKind(),
        "Rows of the comparison that fail the check; classes of removal by name; none.",
        shown="[stale, lost, invalid]; [invalid] when writing",
    )
    max_removed: Limit = option(
        Limit(percent=20), kinds.limit, "How many pages may be lost; where both are given, both hold."
    )
    max_added: Limit = option(Limit(), kinds.limit, "How many pages may be new.")
    min_urls: int = option(1, kinds.whole(0, kinds.MAX_COUNT, 1), "How many pages the sitemap lists at least.")
    required: tuple[str, ...] = option((), ListOf(kinds.pattern), "Patterns of which each must match a listed page.")
    sections: Mapping[str, SectionPolicy] = option(
        {}, MapOf(kinds.pattern, Record(SectionPolicy)), "Limits for parts of the site, by pattern."
    )
    expected_removals: tuple[ExpectedRemoval, ...] = option(
        (), ListOf(Record(ExpectedRemoval)), "Removals that are announced and so are not lost, each with its last day."
    )
    redirect_required: bool = option(
        True, kinds.flag, "A removed page leads to a listed one, or answers 410; when writing, a breach is a warning."
    )
    baseline_debt: Debt = option(
        Debt.REPORT, choice(Debt), "Findings on the sitemap that the baseline already had: report or ignore them."
    )
    grace: Mapping[str, int] = option(
        {},
        MapOf(kinds.graced, kinds.whole(1, 366, 14)),
        "Days for which a class of removal, or a rule, is a warning after it was first seen; needs a state.",
    )

    def failing(self, *, writing: bool) -> frozenset[str]:
        """The rows that fail in this kind of run."""
        if self.fail_on is not None:
            return self.fail_on
        return FAIL_ON_WRITING if writing else FAIL_ON


@dataclass(frozen=True, slots=True, kw_only=True)
class Checks:
    """Severities of rules."""

    strict: bool = option(False, kinds.flag, "Warnings count as errors.")
    severities: Mapping[str, Severity] = rest(
        kinds.rule, choice(Severity), "Severity of a rule, or of a family of rules.", key="RULE"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Everything a user can decide."""

    version: int = option(1, kinds.shape, "Version of this file's shape.")
    site_url: str = option(
        "",
        kinds.optional(kinds.site_url),
        "Where the pages live: every listed URL is below it.",
        shown="origin and directory of the committed sitemap",
    )
    sitemap: str = option(
        "",
        kinds.optional(kinds.sitemap_file),
        "The committed sitemap or sitemap index.",
        shown="the first sitemap.xml in public, static, docs or the top folder",
    )
    sitemap_url: str = option(
        "",
        kinds.optional(kinds.address),
        "Address of the sitemap on the site.",
        shown="site-url and the name of the file",
    )
    baseline: str = option(
        "auto", kinds.baseline, "Sitemap to compare with: auto, committed, a path, a URL, or git:REF[:PATH]."
    )
    source: Source = section(Source, "Where the pages come from.")
    crawl: Crawl = section(Crawl, "How pages are looked at.")
    sitemaps: Sitemaps = section(Sitemaps, "The sitemaps that a site declares itself.")
    http: Http = section(Http, "How requests are made.")
    select: Select = section(Select, "Which pages belong in the sitemap.")
    output: Output = section(Output, "How the sitemap is written.")
    policy: Policy = section(Policy, "What fails a check, and what stops a write.")
    checks: Checks = section(Checks, "Severities of rules.")
