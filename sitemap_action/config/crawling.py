"""Options of a look over HTTP: how far links are followed, how requests are made, which sitemaps are read."""
# ruff: noqa: RUF009 - the calls make fields, as dataclasses.field does

from dataclasses import dataclass
from enum import StrEnum

from sitemap_action.config import values
from sitemap_action.config.fields import option, section
from sitemap_action.config.types import ListOf, choice, names
from sitemap_action.config.values import Limit
from sitemap_action.web.skip_classes import SKIP_CLASSES

USUAL = (
    "/sitemap.xml",
    "/sitemap_index.xml",
    "/sitemap-index.xml",
    "/wp-sitemap.xml",
    "/sitemap.xml.gz",
    "/sitemap.txt",
)
"""Where sitemaps are that no robots.txt names."""


class ScopeOption(StrEnum):
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
class WaitConfig:
    """A deployment is looked at once it serves a text that only the new build has."""

    marker: str = option(
        "",
        values.optional(values.marker),
        "Text that the deployed site serves once it is ready.",
        shown="none",
        key="for",
    )
    path: str = option("/", values.server_path, "Page that serves it.")
    timeout: float | None = option(
        None, values.wait_seconds, "Seconds to wait for it.", shown="auto: 600 where a text is awaited"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlConfig:
    """How pages are looked at."""

    scope: ScopeOption = option(
        ScopeOption.PATH,
        choice(ScopeOption),
        "How far links are followed: below the start page, or on the whole origin.",
    )
    max_pages: int = option(
        5_000,
        values.whole(1, values.MAX_COUNT, 5_000),
        "Pages to look at; those that a sitemap in the repository lists do not count.",
    )
    max_depth: int = option(100, values.whole(0, 10_000, 100), "Clicks from the start page.")
    on_limit: OnLimit = option(
        OnLimit.INCOMPLETE, choice(OnLimit), "A limit that is reached makes the run incomplete, or is the chosen scope."
    )
    concurrency: int = option(8, values.whole(1, 256, 8), "Requests under way at one time.")
    requests_per_second: float | None = option(
        None,
        values.rate,
        "Requests a second, adapted down when the server is slow.",
        shown="auto: no limit on loopback, 50 on a preview, 10 on the host of site-url",
    )
    timeout: float = option(20.0, values.some_seconds, "Seconds that one request may take.", shown="20")
    deadline: float = option(900.0, values.some_seconds, "Seconds that the whole crawl may take.", shown="900")
    max_body: int = option(15 << 20, values.size, "Bytes of one document, unpacked.", shown="15MiB")
    robots_unreachable: Unreachable = option(
        Unreachable.FAIL, choice(Unreachable), "A robots.txt that cannot be read stops the crawl, or allows everything."
    )
    retry_after_max: float = option(60.0, values.seconds, "Seconds to wait where a server asks for it.", shown="60")
    follow_nofollow: bool = option(False, values.flag, "Follow links that say nofollow.")
    skip: tuple[str, ...] = option(
        tuple(SKIP_CLASSES), ListOf(names(SKIP_CLASSES), commas=True), "Kinds of files that are not requested at all."
    )
    seeds: tuple[str, ...] = option((), ListOf(values.server_path), "Further paths to start from.")
    www: Www = option(Www.STRICT, choice(Www), "Whether www. and the bare domain are one site.")
    wait: WaitConfig = section(WaitConfig, "What to wait for before looking.")
    robots: str = option(
        "auto",
        values.robots,
        "robots.txt that decides what may be listed: the site's own (auto), a file (file:PATH), or none (ignore).",
    )
    allow_undetermined: Limit = option(
        Limit(percent=1),
        values.limit,
        "How many URLs of baseline and committed sitemap may stay without an answer; at least 1, at most 50.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SitemapsConfig:
    """The sitemaps that a site declares itself."""

    use: bool = option(True, values.flag, "Start from the sitemaps that robots.txt and the usual paths name.")
    paths: tuple[str, ...] = option(
        USUAL,
        ListOf(values.server_path),
        "The usual paths.",
    )
    max_documents: int = option(500, values.whole(1, 100_000, 500), "Sitemaps to try, each attempt counted.")
    max_depth: int = option(5, values.whole(0, 20, 5), "Indexes inside indexes; 0 is the first document alone.")
    max_bytes: int = option(50 << 20, values.size, "Bytes of one sitemap on the wire.", shown="50MiB")
    max_inflated: int = option(200 << 20, values.size, "Bytes of one sitemap, unpacked.", shown="200MiB")
    search_console_submitted: bool = option(
        False, values.flag, "The sitemap was submitted in Search Console, so it may list what SM-29 forbids."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpConfig:
    """How requests are made."""

    retries: int = option(2, values.whole(0, 10, 2), "Further tries after an answer that may pass.")
    backoff: float = option(0.5, values.seconds, "Seconds before the first of them, doubled each time.", shown="0.5")
    user_agent: str = option(
        "", values.optional(values.header_text), "User-Agent header.", shown="sitemap-action and its version"
    )
    accept_language: str = option("", values.optional(values.header_text), "Accept-Language header.", shown="none")
