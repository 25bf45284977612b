"""Options of a crawl: how far links are followed, how requests are made, which sitemaps are read."""

from enum import StrEnum

from msgspec import Struct

from sitemap_action.config import locations, values
from sitemap_action.config.fields import option, section
from sitemap_action.config.types import ListOf, choice
from sitemap_action.model.limit import Limit
from sitemap_action.web.skip_classes import SKIP_CLASSES

DEFAULT_SITEMAP_PATHS = (
    "/sitemap.xml",
    "/sitemap_index.xml",
    "/sitemap-index.xml",
    "/wp-sitemap.xml",
    "/sitemap.xml.gz",
    "/sitemap.txt",
)
"""Tried where robots.txt names no sitemap."""


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


class HttpEngine(StrEnum):
    """Values that `http.engine` still accepts: libcurl sends every request."""

    AUTO = "auto"
    LIBCURL = "libcurl"
    HTTPX = "httpx"


class WaitConfig(Struct, frozen=True, kw_only=True):
    """The crawl starts once the site serves a text that only the new build has."""

    marker: str = option(
        "",
        values.optional(values.marker),
        "Text that the deployed site serves once it is ready.",
        default_text="none",
        key="for",
    )
    path: str = option("/", locations.server_path, "Page that serves it.")
    timeout: float | None = option(
        None, values.wait_seconds, "Seconds to wait for it.", default_text="auto: 600 where crawl.wait.for is set"
    )


class CrawlConfig(Struct, frozen=True, kw_only=True):
    """How pages are crawled."""

    scope: ScopeOption = option(
        ScopeOption.PATH,
        choice(ScopeOption),
        "How far links are followed: below the start page, or on the whole origin.",
    )
    max_pages: int = option(
        5_000,
        values.whole_number(1, values.MAX_COUNT, 5_000),
        "Pages to fetch; those that a sitemap in the repository lists do not count.",
    )
    max_depth: int = option(100, values.whole_number(0, 10_000, 100), "Clicks from the start page.")
    on_limit: OnLimit = option(
        OnLimit.INCOMPLETE,
        choice(OnLimit),
        "Whether a reached limit makes the run incomplete, or is accepted as its scope.",
    )
    concurrency: int = option(8, values.whole_number(1, 256, 8), "Requests under way at one time.")
    processes: int | None = option(
        None,
        values.processes,
        "Has no effect any more, and may be left out: one process fetches the pages of a crawl and reads them.",
        default_text="auto",
    )
    requests_per_second: float | None = option(
        None,
        values.rate,
        "Requests a second, adapted down when the server is slow.",
        default_text="auto: no limit on loopback, 50 on a preview, 10 on the host of site-url",
    )
    rate_per: RatePer = option(
        RatePer.SITE,
        choice(RatePer),
        "Whether all shards of a run share requests-per-second, or each runner may use it whole.",
    )
    timeout: float = option(20.0, values.positive_seconds, "Seconds that one request may take.", default_text="20")
    deadline: float = option(
        900.0, values.positive_seconds, "Seconds that the whole crawl may take.", default_text="900"
    )
    max_body: int = option(15 << 20, values.size, "Bytes of one document, unpacked.", default_text="15MiB")
    robots_unreachable: RobotsUnreachable = option(
        RobotsUnreachable.FAIL,
        choice(RobotsUnreachable),
        "A robots.txt that cannot be read stops the crawl, or allows everything.",
    )
    retry_after_max: float = option(
        60.0, values.seconds, "Longest Retry-After that is waited for, in seconds.", default_text="60"
    )
    follow_nofollow: bool = option(False, values.boolean, "Follow links that have nofollow.")
    skip: tuple[str, ...] = option(
        tuple(SKIP_CLASSES),
        ListOf(values.skipped, commas=True),
        "Kinds of files that are not requested at all: classes, extensions (.dwg) and media types.",
    )
    seeds: tuple[str, ...] = option((), ListOf(locations.server_path), "Further paths to start from.")
    www: Www = option(Www.STRICT, choice(Www), "Whether www. and the bare domain are one site.")
    wait: WaitConfig = section(WaitConfig, "What to wait for before the crawl.")
    robots: str = option(
        "auto",
        locations.robots,
        "robots.txt that is obeyed, and decides what may be listed: the site's own (auto), or a file (file:PATH). "
        "ignore also fetches what the site's own forbids; the verdict still reads it.",
    )
    allow_undetermined: Limit = option(
        Limit(percent=1),
        values.limit,
        "How many URLs of baseline and committed sitemap may stay without an answer: 1 to 50, or 0 for none.",
    )


class SitemapsConfig(Struct, frozen=True, kw_only=True):
    """The sitemaps that a site declares itself."""

    use: bool = option(True, values.boolean, "Start from the sitemaps that robots.txt and the usual paths name.")
    paths: tuple[str, ...] = option(
        DEFAULT_SITEMAP_PATHS,
        ListOf(locations.server_path),
        "The usual paths, tried beside the sitemaps that robots.txt names.",
    )
    max_documents: int = option(500, values.whole_number(1, 100_000, 500), "Sitemaps to try, each attempt counted.")
    max_depth: int = option(5, values.whole_number(0, 20, 5), "Indexes inside indexes; 0 is the first document alone.")
    max_bytes: int = option(50 << 20, values.size, "Bytes of one sitemap on the wire.", default_text="50MiB")
    max_inflated: int = option(200 << 20, values.size, "Bytes of one sitemap, unpacked.", default_text="200MiB")
    search_console_submitted: bool = option(
        False, values.boolean, "The sitemap was submitted in Search Console, so it may list what SM-29 forbids."
    )


class HttpConfig(Struct, frozen=True, kw_only=True):
    """How requests are made."""

    retries: int = option(2, values.whole_number(0, 10, 2), "Retries after a transient failure.")
    backoff: float = option(
        0.5, values.seconds, "Seconds before the first retry, doubled each time.", default_text="0.5"
    )
    user_agent: str = option(
        "", values.optional(values.header_text), "User-Agent header.", default_text="sitemap-action and its version"
    )
    accept_language: str = option(
        "", values.optional(values.header_text), "Accept-Language header.", default_text="none"
    )
    engine: HttpEngine = option(
        HttpEngine.AUTO,
        choice(HttpEngine),
        "Accepted and without effect: libcurl sends every request.",
    )
