"""The one list of options: name, type, default, kind and help of each; a new option is one line here."""
# ruff: noqa: RUF009 - the calls make fields, as dataclasses.field does

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from sitemap_action.config import kinds
from sitemap_action.config.forms import FailOnKind, Query, QueryKind
from sitemap_action.config.kinds import Limit
from sitemap_action.config.record import Record
from sitemap_action.config.shapes import ListOf, MapOf, choice, names
from sitemap_action.config.slots import option, required, rest, section
from sitemap_action.model.finding import Severity
from sitemap_action.model.site import Reason
from sitemap_action.sitemap.split import Format
from sitemap_action.web.skips import SKIPS

INPUTS = {
    # input of the action, and flag of the command line → key
    "path": "source.path",
    "url": "source.url",
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


class Lastmod(StrEnum):
    """Where the dates in the written sitemap come from."""

    KEEP = "keep"
    OMIT = "omit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where the pages come from."""

    path: str = option("", kinds.optional(kinds.folder), "Folder of the built site.", shown="none")
    url: str = option("", kinds.optional(kinds.address), "Address of the deployed site.", shown="none")
    mount: str = option(
        "",
        kinds.optional(kinds.server_path),
        "Path on the deployed site that serves what production serves below site-url.",
        shown="the directory of source.url",
    )
    host: str = option("auto", kinds.host, "Static host whose rules turn files into URLs.")


class Scope(StrEnum):
    """How far links are followed."""

    PATH = "path"
    ORIGIN = "origin"


class OnLimit(StrEnum):
    """What a limit that was reached says about the run."""

    INCOMPLETE = "incomplete"
    ACCEPT = "accept"


class Unreachable(StrEnum):
    """What a robots.txt that nobody can read does to the crawl."""

    FAIL = "fail"
    ALLOW = "allow"


class Www(StrEnum):
    """Whether www. and the bare domain are one site."""

    STRICT = "strict"
    SAME = "same"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """A deployment is looked at once it serves a text that only the new build has."""

    marker: str = option(
        "",
        kinds.optional(kinds.marker),
        "Text that the deployed site serves once it is ready.",
        shown="none",
        key="for",
    )
    path: str = option("/", kinds.server_path, "Page that serves it.")
    timeout: float | None = option(
        None, kinds.wait_seconds, "Seconds to wait for it.", shown="auto: 600 where a text is awaited"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Crawl:
    """How pages are looked at."""

    scope: Scope = option(
        Scope.PATH, choice(Scope), "How far links are followed: below the start page, or on the whole origin."
    )
    max_pages: int = option(
        5_000,
        kinds.whole(1, kinds.MAX_COUNT, 5_000),
        "Pages to look at; those that a sitemap in the repository lists do not count.",
    )
    max_depth: int = option(100, kinds.whole(0, 10_000, 100), "Clicks from the start page.")
    on_limit: OnLimit = option(
        OnLimit.INCOMPLETE, choice(OnLimit), "A limit that is reached makes the run incomplete, or is the chosen scope."
    )
    concurrency: int = option(8, kinds.whole(1, 256, 8), "Requests under way at one time.")
    requests_per_second: float | None = option(
        None,
        kinds.rate,
        "Requests a second, adapted down when the server is slow.",
        shown="auto: no limit on loopback, 50 on a preview, 10 on the host of site-url",
    )
    timeout: float = option(20.0, kinds.seconds, "Seconds that one request may take.", shown="20")
    deadline: float = option(900.0, kinds.seconds, "Seconds that the whole crawl may take.", shown="900")
    max_body: int = option(15 << 20, kinds.size, "Bytes of one document, unpacked.", shown="15MiB")
    robots_unreachable: Unreachable = option(
        Unreachable.FAIL, choice(Unreachable), "A robots.txt that cannot be read stops the crawl, or allows everything."
    )
    retry_after_max: float = option(60.0, kinds.seconds, "Seconds to wait where a server asks for it.", shown="60")
    follow_nofollow: bool = option(False, kinds.flag, "Follow links that say nofollow.")
    skip: tuple[str, ...] = option(
        tuple(SKIPS), ListOf(names(SKIPS), commas=True), "Kinds of files that are not requested at all."
    )
    seeds: tuple[str, ...] = option((), ListOf(kinds.server_path), "Further paths to start from.")
    www: Www = option(Www.STRICT, choice(Www), "Whether www. and the bare domain are one site.")
    wait: Wait = section(Wait, "What to wait for before looking.")
    robots: str = option(
        "auto",
        kinds.robots,
        "robots.txt that decides what may be listed: the site's own (auto), a file (file:PATH), or none (ignore).",
    )
    allow_undetermined: Limit = option(
        Limit(percent=1),
        kinds.limit,
        "How many URLs of baseline and committed sitemap may stay without an answer; at least 1, at most 50.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitemaps:
    """The sitemaps that a site declares itself."""

    use: bool = option(True, kinds.flag, "Start from the sitemaps that robots.txt and the usual paths name.")
    paths: tuple[str, ...] = option(
        (
            "/sitemap.xml",
            "/sitemap_index.xml",
            "/sitemap-index.xml",
            "/wp-sitemap.xml",
            "/sitemap.xml.gz",
            "/sitemap.txt",
        ),
        ListOf(kinds.server_path),
        "The usual paths.",
    )
    max_documents: int = option(500, kinds.whole(1, 100_000, 500), "Sitemaps to try, each attempt counted.")
    max_depth: int = option(5, kinds.whole(0, 20, 5), "Indexes inside indexes; 0 is the first document alone.")
    max_bytes: int = option(50 << 20, kinds.size, "Bytes of one sitemap on the wire.", shown="50MiB")
    max_inflated: int = option(200 << 20, kinds.size, "Bytes of one sitemap, unpacked.", shown="200MiB")
    search_console_submitted: bool = option(
        False, kinds.flag, "The sitemap was submitted in Search Console, so it may list what SM-29 forbids."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Http:
    """How requests are made."""

    retries: int = option(2, kinds.whole(0, 10, 2), "Further tries after an answer that may pass.")
    backoff: float = option(0.5, kinds.seconds, "Seconds before the first of them, doubled each time.", shown="0.5")
    user_agent: str = option(
        "", kinds.optional(kinds.header_text), "User-Agent header.", shown="sitemap-action and its version"
    )
    accept_language: str = option("", kinds.optional(kinds.header_text), "Accept-Language header.", shown="none")


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
        "auto", kinds.baseline, "Sitemap to compare with: auto, committed, a path, or git:REF[:PATH]."
    )
    source: Source = section(Source, "Where the pages come from.")
    crawl: Crawl = section(Crawl, "How pages are looked at.")
    sitemaps: Sitemaps = section(Sitemaps, "The sitemaps that a site declares itself.")
    http: Http = section(Http, "How requests are made.")
    select: Select = section(Select, "Which pages belong in the sitemap.")
    output: Output = section(Output, "How the sitemap is written.")
    policy: Policy = section(Policy, "What fails a check, and what stops a write.")
    checks: Checks = section(Checks, "Severities of rules.")
