"""The typed config: a record for each section, with the default of every option; `options.py` has the keys."""

from collections.abc import Mapping
from datetime import date
from enum import StrEnum

from msgspec import Struct

from sitemap_action.model.finding import Severity
from sitemap_action.model.page import ShellThresholds
from sitemap_action.model.site import Reason
from sitemap_action.sitemap.protocol import USUAL_PATHS, Format
from sitemap_action.web.media import SKIP_CLASSES
from sitemap_action.web.patterns import Query, Versions
from sitemap_action.web.spellings import SpellingRules

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

AUTO = "auto"
"""Instead of a URL: where the deployment of the commit is served."""

DEPTH = "depth"
"""A priority by clicks from the start page: 1.0, 0.9 … 0.1."""

HOME = "home"
"""A priority of 1.0 for the start page, and 0.5 for any other."""

EVERYWHERE = "/**"
"""The pattern of a priority that is given for all pages at once."""

FAIL_ON_ROWS = ("stale", "lost", "invalid", "added", "changed", "errors", *map(str, Reason))
FAIL_ON = frozenset({"stale", "lost", "invalid"})
FAIL_ON_WRITING = frozenset({"invalid"})
"""A write repairs a stale sitemap, and removes pages that are lost."""

DEFAULT_WAIT_FOR = ("a[href]",)
"""A page without any link need not have one: only this selector is given up early."""


_PERCENT_FROM = 5
"""Fewer URLs than this never pass a percentage: of a small site every page is a large part (DIFF-41)."""


class Limit(Struct, frozen=True):
    """How many URLs may change: a number, a percentage, or both; with neither, any number."""

    count: int | None = None
    percent: float | None = None  # at most two decimals

    def allows(self, amount: int, total: int) -> bool:
        """The stricter of number and percentage holds (DIFF-41)."""
        if self.count is not None and amount > self.count:
            return False
        if self.percent is None or amount < _PERCENT_FROM:
            return True
        return amount * 10_000 <= round(self.percent * 100) * total

    def __str__(self) -> str:
        parts = [] if self.count is None else [str(self.count)]
        parts += [] if self.percent is None else [f"{self.percent:g}%"]
        return " or ".join(parts) or "none"


class SourceConfig(Struct, frozen=True, kw_only=True):
    """Where the pages come from."""

    path: str = ""
    url: str = ""
    environment: str = ""
    mount: str = ""
    host: str = "auto"
    witness: str = ""  # the address where a build is served: that of `url`, where `path` is given too


class ScopeOption(StrEnum):
    """How far links are followed."""

    PATH = "path"
    ORIGIN = "origin"


class OnLimit(StrEnum):
    """Whether a limit that was reached makes the run incomplete."""

    INCOMPLETE = "incomplete"
    ACCEPT = "accept"


class RobotsUnreachable(StrEnum):
    """What a robots.txt that cannot be read does to the crawl."""

    FAIL = "fail"
    ALLOW = "allow"


class Www(StrEnum):
    """Whether www. and the bare domain are one site."""

    STRICT = "strict"
    SAME = "same"


class RatePer(StrEnum):
    """Who shares `crawl.requests-per-second`, where each of several runners looks at a shard."""

    SITE = "site"
    RUNNER = "runner"


class CrawlConfig(Struct, frozen=True, kw_only=True):
    """How pages are crawled."""

    scope: ScopeOption = ScopeOption.PATH
    max_pages: int = 5_000
    max_depth: int = 100
    on_limit: OnLimit = OnLimit.INCOMPLETE
    deadline: float = 900.0
    max_body: int = 15 << 20
    robots_unreachable: RobotsUnreachable = RobotsUnreachable.FAIL
    follow_nofollow: bool = False
    skip: tuple[str, ...] = tuple(SKIP_CLASSES)
    seeds: tuple[str, ...] = ()
    www: Www = Www.STRICT
    wait_for: str = ""  # a text that only the new build has
    wait_path: str = "/"
    wait_timeout: float | None = None
    robots: str = "auto"
    allow_undetermined: Limit = Limit(percent=1)


class SitemapsConfig(Struct, frozen=True, kw_only=True):
    """The sitemaps that a site declares itself."""

    use: bool = True
    paths: tuple[str, ...] = USUAL_PATHS
    max_documents: int = 500
    max_depth: int = 5
    max_bytes: int = 50 << 20
    max_inflated: int = 200 << 20
    search_console_submitted: bool = False


class HttpConfig(Struct, frozen=True, kw_only=True):
    """How requests are made, and how fast they follow one another."""

    concurrency: int = 8
    requests_per_second: float | None = None
    rate_per: RatePer = RatePer.SITE
    timeout: float = 20.0
    retry_after_max: float = 60.0
    retries: int = 2
    backoff: float = 0.5
    user_agent: str = ""
    accept_language: str = ""


class RenderWhen(StrEnum):
    """Which pages a browser renders."""

    AUTO = "auto"
    NEVER = "never"
    ALWAYS = "always"


class WaitUntil(StrEnum):
    """When a page counts as loaded."""

    LOAD = "load"
    DOM_CONTENT_LOADED = "domcontentloaded"
    NETWORK_IDLE = "networkidle"


class RenderConfig(Struct, frozen=True, kw_only=True):
    """How pages that scripts build are seen."""

    when: RenderWhen = RenderWhen.AUTO
    wait_until: WaitUntil = WaitUntil.NETWORK_IDLE
    wait_for: tuple[str, ...] = DEFAULT_WAIT_FOR
    wait_for_timeout: float = 10.0
    timeout: float = 60.0
    detect: ShellThresholds = ShellThresholds()


class TrailingSlash(StrEnum):
    """The final slash of a page's path."""

    VERIFY = "verify"
    KEEP = "keep"
    ADD = "add"
    REMOVE = "remove"


class HtmlExtension(StrEnum):
    """The `.html` of a page's file."""

    HOST = "host"
    KEEP = "keep"
    DROP = "drop"


class Noindex(StrEnum):
    """How the noindex that a preview host adds to every page counts (ENV-03)."""

    AUTO = "auto"
    RESPECT = "respect"
    IGNORE = "ignore"


class Orphans(StrEnum):
    """Pages of the baseline that no page links to any more."""

    KEEP = "keep"
    DROP = "drop"


class SelectConfig(Struct, frozen=True, kw_only=True):
    """Which pages belong in the sitemap."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    types: tuple[str, ...] = ("html",)
    query: Query = Query()
    drop_params: tuple[str, ...] = ()
    trailing_slash: TrailingSlash = TrailingSlash.VERIFY
    html_extension: HtmlExtension = HtmlExtension.HOST
    agents: tuple[str, ...] = ("Googlebot", "Bingbot")
    noindex: Noindex = Noindex.AUTO
    orphans: Orphans = Orphans.KEEP
    current_version: str = ""  # folders of the versions of a documentation, below site-url
    old_versions: tuple[str, ...] = ()
    draft_versions: tuple[str, ...] = ()

    def versions(self, site_url: str) -> Versions | None:
        """None where no version is named whose pages are not listed."""
        old, drafts = self.old_versions, self.draft_versions
        return Versions(site_url, self.current_version, old, drafts) if old or drafts else None

    @property
    def asks_for_spelling(self) -> bool:
        """Whether it says which spelling of an address is listed, whatever the host and the site prefer."""
        return self.spelling_rules.any or self.trailing_slash is TrailingSlash.KEEP

    @property
    def spelling_rules(self) -> SpellingRules:
        """What can be said of a URL alone (URL-21): `keep` depends on the committed sitemap."""
        slash = {TrailingSlash.ADD: True, TrailingSlash.REMOVE: False}.get(self.trailing_slash)
        return SpellingRules(slash, {HtmlExtension.KEEP: True, HtmlExtension.DROP: False}.get(self.html_extension))


class Lastmod(StrEnum):
    """Where the dates in the written sitemap come from."""

    KEEP = "keep"  # the committed sitemap
    AUTO = "auto"  # metadata of the page, fingerprint, git
    GIT = "git"  # the newest commit of the page's sources
    PAGE = "page"  # what the page states about itself
    HTTP = "http"  # Last-Modified of its answer
    FINGERPRINT = "fingerprint"  # the day on which its content was seen to change
    OMIT = "omit"


class Extension(StrEnum):
    """What the pages of a site can state about themselves."""

    HREFLANG = "hreflang"
    IMAGE = "image"
    VIDEO = "video"
    NEWS = "news"


class OutputConfig(Struct, frozen=True, kw_only=True):
    """How the sitemap is written."""

    format: tuple[Format, ...] = ("xml",)
    gzip: bool = False
    urls_per_file: int = 50_000
    lastmod: tuple[Lastmod, ...] = (Lastmod.KEEP,)
    lastmod_map: Mapping[str, str] = {}
    fingerprints: str = ""
    redirects: str = "off"  # auto, or the file that certain redirects are added to
    date_only: bool = False
    extensions: tuple[Extension, ...] = ()  # none: those of the committed entries, and no other
    news_name: str = ""  # of the publication that the articles of a news sitemap belong to
    news_language: str = ""
    changefreq: Mapping[str, str] = {}
    priority: Mapping[str, str] = {}
    keep: tuple[str, ...] = ()

    def takes_from(self, *sources: Lastmod) -> bool:
        return not {*self.lastmod}.isdisjoint(sources)

    @property
    def needs_dates(self) -> bool:
        """Whether dates of pages, and of their answers, are needed."""
        return self.takes_from(Lastmod.PAGE, Lastmod.HTTP, Lastmod.AUTO)


class SectionPolicy(Struct, frozen=True, kw_only=True):
    """Limits for one part of the site."""

    max_removed: Limit


class ExpectedRemoval(Struct, frozen=True, kw_only=True):
    """An announced removal (DIFF-42). `until` is required: without an end it would hide every later loss."""

    url: str
    class_: str = ""  # any
    reason: str
    until: date


class BaselineDebt(StrEnum):
    """Findings that the baseline already had."""

    REPORT = "report"
    IGNORE = "ignore"


class PolicyConfig(Struct, frozen=True, kw_only=True):
    """What fails a check, and what stops a write."""

    fail_on: frozenset[str] | None = None
    max_removed: Limit = Limit(percent=20)
    max_added: Limit = Limit()
    min_urls: int = 1
    min_share: float = 50.0
    required: tuple[str, ...] = ()
    sections: Mapping[str, SectionPolicy] = {}
    expected_removals: tuple[ExpectedRemoval, ...] = ()
    redirect_required: bool = True
    baseline_debt: BaselineDebt = BaselineDebt.REPORT
    grace: Mapping[str, int] = {}
    moved_from: tuple[str, ...] = ()
    accepted: str = ".github/sitemap-accepted.txt"
    ledger: str = ""

    def failing(self, *, writing: bool) -> frozenset[str]:
        """The rows of the comparison that fail the run."""
        if self.fail_on is not None:
            return self.fail_on
        return FAIL_ON_WRITING if writing else FAIL_ON


class RuleSetting(Struct, frozen=True, kw_only=True):
    """The severity of a rule in one corner of the site; elsewhere, and after the last day, the rule holds unchanged."""

    severity: Severity
    paths: tuple[str, ...] = ()
    reason: str = ""
    until: date | None = None


class Config(Struct, frozen=True, kw_only=True):
    """All options."""

    version: int = 1
    site_url: str = ""
    sitemap: str = ""
    sitemap_url: str = ""
    baseline: str = "auto"
    source: SourceConfig = SourceConfig()
    crawl: CrawlConfig = CrawlConfig()
    sitemaps: SitemapsConfig = SitemapsConfig()
    http: HttpConfig = HttpConfig()
    render: RenderConfig = RenderConfig()
    select: SelectConfig = SelectConfig()
    output: OutputConfig = OutputConfig()
    policy: PolicyConfig = PolicyConfig()
    strict: bool = False  # warnings count as errors
    severities: Mapping[str, Severity | RuleSetting] = {}  # of rules, and of families of rules
    warnings: tuple[str, ...] = ()  # about keys that are accepted and have no effect
