"""The first requests to a site: which robots.txt counts, and when the site cannot be read (ENV-04, ENV-05)."""

import asyncio
from typing import Any

import pytest
from msgspec.structs import replace

from crawls import HOME, PREVIEW, FakeWeb, Route, document
from sitemap_action.config.schema import Config, Noindex, RobotsUnreachable, SelectConfig, SitemapsConfig
from sitemap_action.fetch.base import Failure, Response, Skip
from sitemap_action.walk.start import StartResult, request_start
from sitemap_action.web.spellings import SiteMapping

BLOCK_ALL = "User-agent: *\nDisallow: /\n"
BLOCK_US = "User-agent: sitemap-action\nDisallow: /\n"
CONFIG = replace(Config(), sitemaps=SitemapsConfig(paths=()))
SITE = {"config": CONFIG, "start": HOME, "mapping": SiteMapping(HOME, HOME), "preview": False, "robots": None}
ON_PREVIEW = SITE | {"start": PREVIEW, "mapping": SiteMapping(HOME, PREVIEW), "preview": True}


def crawl(**options: Any) -> dict[str, Any]:
    return {"config": replace(CONFIG, crawl=replace(CONFIG.crawl, **options))}


def start(options: dict[str, Any], routes: dict[str, Route]) -> tuple[StartResult, list[str]]:
    web = FakeWeb({"/": document(), **routes}, home=options["start"])
    return asyncio.run(request_start(web, **options)), web.requested


ROBOTS = [
    # id, options, robots.txt, (rules that decide, whether they are obeyed), why the site cannot be read
    ("there is none", SITE, 404, (None, False), ""),
    ("RB-20 it is forbidden", SITE, 403, (None, False), ""),
    ("NET-02 it allows us", SITE, "User-agent: *\nDisallow: /a\n", ("User-agent: *\nDisallow: /a\n", True), ""),
    ("NET-02 it blocks all crawlers", SITE, BLOCK_ALL, (BLOCK_ALL, False), f"robots.txt line 2 blocks sitemap-action from {HOME}: Disallow: /"),
    ("NET-02 it blocks our token", SITE, BLOCK_US, (BLOCK_US, False), f"robots.txt line 2 blocks sitemap-action from {HOME}: Disallow: /"),
    ("NET-02 a group for our token allows it", SITE, BLOCK_ALL + "\nUser-agent: sitemap-action\nAllow: /\n", (BLOCK_ALL + "\nUser-agent: sitemap-action\nAllow: /\n", True), ""),
    ("ENV-04 a preview that blocks all crawlers", ON_PREVIEW, BLOCK_ALL, (None, False), ""),
    ("ENV-04 however it is spelt", ON_PREVIEW, "user-agent:*\ndisallow:/ # preview", (None, False), ""),
    ("ENV-04 a preview that blocks our token only", ON_PREVIEW, BLOCK_US, (BLOCK_US, False), f"robots.txt line 2 blocks sitemap-action from {PREVIEW}: Disallow: /"),
    ("ENV-04 a preview with other rules", ON_PREVIEW, "User-agent: *\nDisallow: /a\n", ("User-agent: *\nDisallow: /a\n", True), ""),
    ("ENV-04 select.noindex: respect", ON_PREVIEW | {"config": replace(CONFIG, select=SelectConfig(noindex=Noindex.RESPECT))}, BLOCK_ALL, (BLOCK_ALL, False), f"robots.txt line 2 blocks sitemap-action from {PREVIEW}: Disallow: /"),
    ("crawl.robots: file", ON_PREVIEW | crawl(robots="file:robots.txt") | {"robots": b"User-agent: *\n"}, BLOCK_ALL, ("User-agent: *\n", True), ""),
    ("crawl.robots: file that forbids", SITE | crawl(robots="file:robots.txt") | {"robots": BLOCK_ALL.encode()}, 404, (BLOCK_ALL, False), f"robots.txt line 2 blocks sitemap-action from {HOME}: Disallow: /"),
    ("V-02 crawl.robots: ignore", SITE | crawl(robots="ignore"), BLOCK_ALL, (BLOCK_ALL, False), ""),
    ("V-02 crawl.robots: ignore on a preview", ON_PREVIEW | crawl(robots="ignore"), BLOCK_ALL, (None, False), ""),
    ("crawl.robots: ignore an unreachable one", SITE | crawl(robots="ignore"), 503, (None, False), ""),
    ("RB-21 unreachable", SITE, 503, (None, False), f"{HOME}robots.txt: answers 503; until it can be read, everything is disallowed"),
    ("RB-21 no answer", SITE, Skip("", "timed out", failure=Failure.TIMEOUT), (None, False), f"{HOME}robots.txt: timed out; until it can be read, everything is disallowed"),
    ("U-03 no name", SITE, Skip("", "the host name cannot be resolved", failure=Failure.DNS), (None, False), f"{HOME}: the host name cannot be resolved"),
    ("U-03 no connection", SITE, Skip("", "no connection", failure=Failure.CONNECT), (None, False), f"{HOME}: no connection"),
    ("U-03 no trust", SITE, Skip("", "the certificate is not trusted", failure=Failure.TLS), (None, False), f"{HOME}: the certificate is not trusted"),
    ("crawl.robots-unreachable: allow", SITE | crawl(robots_unreachable=RobotsUnreachable.ALLOW), 503, (None, False), ""),
]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "robots", "rules", "refused"), [pytest.param(*row[1:], id=row[0]) for row in ROBOTS]
)
def test_robots(options: dict[str, Any], robots: Route, rules: tuple[str | None, bool], refused: str) -> None:
    found, requests = start(options, {"/robots.txt": robots})
    assert found.refused == refused
    assert bool(found.hint) == bool(refused)
    assert (None if found.robots is None else found.robots.decode(), found.obeyed is not None) == rules
    # NET-02: a page that robots.txt blocks is not requested, nor is any while robots.txt is unreachable (RB-21).
    assert requests == ["/robots.txt"] + ([] if refused else ["/"])
    assert isinstance(found.start_page, Skip) == bool(refused)


def test_U_03_the_remedy_is_that_of_the_failure() -> None:
    found, _ = start(SITE, {"/robots.txt": Skip("", "the certificate is not trusted", failure=Failure.TLS)})
    assert "--tls-verify false" in found.hint


def test_ENV_04_is_noted() -> None:
    found, _ = start(ON_PREVIEW, {"/robots.txt": BLOCK_ALL})
    assert found.notes == (
        f"{PREVIEW}robots.txt blocks every crawler on this preview; treated as policy of its host (ENV-04)",
    )


DELAYS = [
    # id, options, Crawl-delay, seconds
    ("NET-08 none", SITE, "", 0.0),
    ("NET-08 two seconds", SITE, "2", 2.0),
    ("NET-08 ten at most", SITE, "86400", 10.0),
    ("NET-08 not with crawl.robots: ignore", SITE | crawl(robots="ignore"), "2", 0.0),
]


@pytest.mark.parametrize(("options", "delay", "seconds"), [pytest.param(*row[1:], id=row[0]) for row in DELAYS])
def test_crawl_delay(options: dict[str, Any], delay: str, seconds: float) -> None:
    found, _ = start(options, {"/robots.txt": f"User-agent: *\nCrawl-delay: {delay}\nDisallow: /x\n"})
    assert found.delay == seconds
    notes = (f"robots.txt requires {float(delay):g} seconds between requests (Crawl-delay)",) if seconds else ()
    assert found.notes == notes


def to(target: str, status: int = 302) -> Response:
    return Response("", status, target=target)


WWW = SITE | {"mapping": SiteMapping(HOME, HOME, www=True)}
FIRST = [
    # id, options, start page, why the site cannot be read, part of the hint
    ("a page", SITE, document(), "", ""),
    ("ENV-05 401", SITE, 401, f"{HOME} answers 401", "HEADERS"),
    ("ENV-05 403", ON_PREVIEW, 403, f"{PREVIEW} answers 403", "HEADERS"),
    ("ENV-05 Vercel", ON_PREVIEW, Response("", 401, (("server", "Vercel"),)), f"{PREVIEW} answers 401", "x-vercel-protection-bypass"),
    ("ENV-05 a bot challenge", SITE, Response("", 200, (("cf-mitigated", "challenge"),)), f"{HOME} answers with a bot challenge of Cloudflare", "firewall"),
    ("ENV-05 a login elsewhere", ON_PREVIEW, to("https://x.cloudflareaccess.com/login"), f"{PREVIEW} redirects to https://x.cloudflareaccess.com/login, which is another site", "CF-Access-Client-Id"),
    ("a redirect on the site", SITE, to(f"{HOME}en/"), "", ""),
    ("a redirect out of the directory, on its server", SITE, to(f"{HOME}docs/"), "", ""),
    ("ENV-02 a preview that redirects to a page of production", ON_PREVIEW, to(f"{HOME}en/"), "", ""),
    ("U-04 a preview that redirects to production itself", ON_PREVIEW, to(HOME), f"{PREVIEW} redirects to {HOME}, which is another site", "correct --url or --site-url: the site leads to"),
    ("U-04 www. is another site", SITE, to("https://example.com/en/"), f"{HOME} redirects to https://example.com/en/, which is another site", "correct --url or --site-url: the site leads to"),
    ("crawl.www: same", WWW, to("https://example.com/en/"), "", ""),
    ("404", SITE, 404, f"{HOME} answers 404", "source.url"),
    ("500", SITE, 500, f"{HOME} answers 500", "deployed"),
    ("no answer", SITE, Skip("", "no connection", failure=Failure.CONNECT), f"{HOME}: no connection", "server is up"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "first", "refused", "hint"), [pytest.param(*row[1:], id=row[0]) for row in FIRST])
def test_the_start_page(options: dict[str, Any], first: Route, refused: str, hint: str) -> None:
    found, _ = start(options, {"/": first})
    assert found.refused == refused
    assert hint in found.hint
    assert bool(found.hint) == bool(refused)
