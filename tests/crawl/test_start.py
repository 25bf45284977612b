"""The first requests to a site: which robots.txt counts, and when nothing at all can be seen (ENV-04, ENV-05)."""

import asyncio
from dataclasses import replace

import pytest

from crawls import HOME, PREVIEW, Route, Table, document, gate
from sitemap_action.crawl.login import login
from sitemap_action.crawl.probes import Probes
from sitemap_action.crawl.start import RulesSource, StartOptions, StartResult, begin
from sitemap_action.fetch.base import Failure, Response, Skip
from sitemap_action.model.page import Page
from sitemap_action.web.site_mapping import SiteMapping

SHUT = "User-agent: *\nDisallow: /\n"
SITE = StartOptions(HOME, False, RulesSource.SITE, SiteMapping(HOME, HOME), None, False, (), host_policy=True)
ON_PREVIEW = replace(SITE, start=PREVIEW, preview=True, mapping=SiteMapping(HOME, PREVIEW))


def begun(asked: StartOptions, routes: dict[str, Route]) -> tuple[StartResult, list[str]]:
    web = Table({"/": document(), **routes}, home=asked.start)
    return asyncio.run(begin(web, asked)), web.asked


ROBOTS = [
    # id, how to begin, robots.txt, (rules that decide, whether they are obeyed), why nothing can be seen
    ("there is none", SITE, 404, (None, False), ""),
    ("RB-20 it is forbidden", SITE, 403, (None, False), ""),
    ("NET-02 it allows us", SITE, "User-agent: *\nDisallow: /a\n", ("User-agent: *\nDisallow: /a\n", True), ""),
    ("NET-02 it keeps everybody out", SITE, SHUT, (None, False), f"robots.txt line 2 keeps sitemap-action out of {HOME}: Disallow: /"),
    ("NET-02 it keeps us out", SITE, "User-agent: sitemap-action\nDisallow: /\n", (None, False), f"robots.txt line 2 keeps sitemap-action out of {HOME}: Disallow: /"),
    ("NET-02 a group of our own lets us in", SITE, SHUT + "\nUser-agent: sitemap-action\nAllow: /\n", (SHUT + "\nUser-agent: sitemap-action\nAllow: /\n", True), ""),
    ("ENV-04 a preview that keeps everybody out", ON_PREVIEW, SHUT, (None, False), ""),
    ("ENV-04 however it is spelt", ON_PREVIEW, "user-agent:*\ndisallow:/ # preview", (None, False), ""),
    ("ENV-04 a preview that keeps us alone out", ON_PREVIEW, "User-agent: sitemap-action\nDisallow: /\n", (None, False), f"robots.txt line 2 keeps sitemap-action out of {PREVIEW}: Disallow: /"),
    ("ENV-04 a preview with rules of its own", ON_PREVIEW, "User-agent: *\nDisallow: /a\n", ("User-agent: *\nDisallow: /a\n", True), ""),
    ("ENV-04 select.noindex: respect", replace(ON_PREVIEW, host_policy=False), SHUT, (None, False), f"robots.txt line 2 keeps sitemap-action out of {PREVIEW}: Disallow: /"),
    ("crawl.robots: file", replace(ON_PREVIEW, rules=RulesSource.FILE, robots=b"User-agent: *\n"), SHUT, ("User-agent: *\n", True), ""),
    ("crawl.robots: file that forbids", replace(SITE, rules=RulesSource.FILE, robots=SHUT.encode()), 404, (None, False), f"robots.txt line 2 keeps sitemap-action out of {HOME}: Disallow: /"),
    ("crawl.robots: ignore", replace(SITE, rules=RulesSource.NONE), SHUT, (None, False), ""),
    ("crawl.robots: ignore what nobody can read", replace(SITE, rules=RulesSource.NONE), 503, (None, False), ""),
    ("RB-21 nobody can read it", SITE, 503, (None, False), f"{HOME}robots.txt: answers 503; until it can be read it forbids everything"),
    ("RB-21 no answer", SITE, Skip("", "timed out", failure=Failure.TIMEOUT), (None, False), f"{HOME}robots.txt: timed out; until it can be read it forbids everything"),
    ("crawl.robots-unreachable: allow", replace(SITE, unreachable_allows=True), 503, (None, False), ""),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "robots", "rules", "refused"), [pytest.param(*row[1:], id=row[0]) for row in ROBOTS])
def test_robots(asked: StartOptions, robots: Route, rules: tuple[str | None, bool], refused: str) -> None:
    found, requests = begun(asked, {"/robots.txt": robots})
    assert found.refused == refused
    assert bool(found.hint) == bool(refused)
    assert (None if found.robots is None else found.robots.decode(), found.obeyed is not None) == rules
    # NET-02: a page that robots.txt keeps us out of is not asked for, and neither is one while nobody knows (RB-21).
    assert requests == ["/robots.txt"] + ([] if refused else ["/"])
    assert isinstance(found.first, Skip) == bool(refused)


def test_ENV_04_is_said() -> None:
    found, _ = begun(ON_PREVIEW, {"/robots.txt": SHUT})
    assert found.notes == (
        f"{PREVIEW}robots.txt keeps everybody out of this preview; taken for its host's doing (ENV-04)",
    )


DELAYS = [
    # id, how to begin, Crawl-delay, seconds
    ("NET-08 none", SITE, "", 0.0),
    ("NET-08 two seconds", SITE, "2", 2.0),
    ("NET-08 ten at most", SITE, "86400", 10.0),
    ("NET-08 not with crawl.robots: ignore", replace(SITE, rules=RulesSource.NONE), "2", 0.0),
]


@pytest.mark.parametrize(("asked", "delay", "seconds"), [pytest.param(*row[1:], id=row[0]) for row in DELAYS])
def test_crawl_delay(asked: StartOptions, delay: str, seconds: float) -> None:
    found, _ = begun(asked, {"/robots.txt": f"User-agent: *\nCrawl-delay: {delay}\nDisallow: /x\n"})
    assert found.delay == seconds
    said = (f"robots.txt asks for {float(delay):g} seconds between requests (Crawl-delay)",) if seconds else ()
    assert found.notes == said


def to(target: str, status: int = 302) -> Response:
    return Response("", status, target=target)


WWW = replace(SITE, mapping=SiteMapping(HOME, HOME, www=True))
FIRST = [
    # id, how to begin, start page, why nothing can be seen, part of the hint
    ("a page", SITE, document(), "", ""),
    ("ENV-05 401", SITE, 401, f"{HOME} answers 401", "headers"),
    ("ENV-05 403", ON_PREVIEW, 403, f"{PREVIEW} answers 403", "headers"),
    ("ENV-05 Vercel", ON_PREVIEW, Response("", 401, (("server", "Vercel"),)), f"{PREVIEW} answers 401", "x-vercel-protection-bypass"),
    ("ENV-05 a bot challenge", SITE, Response("", 200, (("cf-mitigated", "challenge"),)), f"{HOME} answers with a bot challenge of Cloudflare", "firewall"),
    ("ENV-05 a login elsewhere", ON_PREVIEW, to("https://x.cloudflareaccess.com/login"), f"{PREVIEW} redirects to https://x.cloudflareaccess.com/login, which is another site", "CF-Access-Client-Id"),
    ("a redirect on the site", SITE, to(f"{HOME}en/"), "", ""),
    ("a redirect out of the directory, on its server", SITE, to(f"{HOME}docs/"), "", ""),
    ("ENV-02 a preview that leads to a page of production", ON_PREVIEW, to(f"{HOME}en/"), "", ""),
    ("ENV-05 a preview that leads to production itself", ON_PREVIEW, to(HOME), f"{PREVIEW} redirects to {HOME}, which is another site", "headers"),
    ("www. is another site", SITE, to("https://example.com/en/"), f"{HOME} redirects to https://example.com/en/, which is another site", "headers"),
    ("crawl.www: same", WWW, to("https://example.com/en/"), "", ""),
    ("404", SITE, 404, f"{HOME} answers 404", "source.url"),
    ("500", SITE, 500, f"{HOME} answers 500", "deployed"),
    ("no answer", SITE, Skip("", "no connection", failure=Failure.CONNECT), f"{HOME}: no connection", "server up"),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "first", "refused", "hint"), [pytest.param(*row[1:], id=row[0]) for row in FIRST])
def test_the_start_page(asked: StartOptions, first: Route, refused: str, hint: str) -> None:
    found, _ = begun(asked, {"/": first})
    assert found.refused == refused
    assert hint in found.hint
    assert bool(found.hint) == bool(refused)


# A login on the site itself

FORM = '<title>Log in</title><form><input type="password"></form>'
LOGINS: list[tuple[str, dict[str, Route], Route, str]] = [
    # id, routes, what any other address gets, why nothing can be seen
    ("a site", {"/": document()}, 404, ""),
    ("a site with a login on its home page", {"/": FORM}, 404, ""),
    ("ENV-05 nothing but a login", {"/": FORM}, FORM, "asks for a password, and an address that does not exist answers 200 as well"),
    ("HTML-46 a home page for every address", {"/": document()}, document(), ""),
    ("ENV-05 everything leads to a login", {"/": to(f"{HOME}login?next=/"), "/login?next=/": FORM}, to(f"{HOME}login?next=/x"), f"redirects to {HOME}login?next=/, which asks for a password, and so does an address that does not exist"),
    ("everything leads to a language", {"/": to(f"{HOME}en/"), "/en/": document()}, to(f"{HOME}en/"), ""),
    ("the start page alone leads to a login", {"/": to(f"{HOME}login"), "/login": FORM}, 404, ""),
    ("a login elsewhere for what does not exist", {"/": to(f"{HOME}a"), "/a": FORM}, to(f"{HOME}b"), ""),
]  # fmt: skip


async def missing(web: Table) -> Page:
    page = await Probes(web, gate(), HOME).at_site()
    assert page is not None
    return page


@pytest.mark.parametrize(("routes", "otherwise", "why"), [pytest.param(*row[1:], id=row[0]) for row in LOGINS])
def test_logins(routes: dict[str, Route], otherwise: Route, why: str) -> None:
    async def found() -> str:
        web = Table({**routes, "/robots.txt": 404}, otherwise=otherwise)
        first = (await begin(web, SITE)).first
        return await login(web, gate(), first, await missing(web))

    assert asyncio.run(found()) == why


def test_a_start_page_without_an_answer_is_no_login() -> None:
    async def found() -> str:
        web = Table({})
        return await login(web, gate(), Skip(HOME, "reset"), await missing(web))

    assert asyncio.run(found()) == ""
