"""A login in place of every page (ENV-05)."""

import asyncio

import pytest

from crawls import HOME, FakeWeb, Route, document, make_filter, redirect_to
from sitemap_action.fetch.base import Request, Skip
from sitemap_action.model.page import Page
from sitemap_action.walk.crawl import Probes
from sitemap_action.walk.start import login_wall

FORM = '<title>Log in</title><form><input type="password"></form>'
LOGINS: list[tuple[str, dict[str, Route], Route, str]] = [
    # id, routes, answer for any other URL, why the site cannot be read
    ("a site", {"/": document()}, 404, ""),
    ("a site with a login on its home page", {"/": FORM}, 404, ""),
    ("ENV-05 a login for every URL", {"/": FORM}, FORM, "requires a password, and a URL that does not exist also answers 200"),
    ("HTML-46 a home page for every URL", {"/": document()}, document(), ""),
    ("ENV-05 every URL redirects to a login", {"/": redirect_to(f"{HOME}login?next=/"), "/login?next=/": FORM}, redirect_to(f"{HOME}login?next=/x"), f"redirects to {HOME}login?next=/, which requires a password, and so does a URL that does not exist"),
    ("every URL redirects to a language", {"/": redirect_to(f"{HOME}en/"), "/en/": document()}, redirect_to(f"{HOME}en/"), ""),
    ("only the start page redirects to a login", {"/": redirect_to(f"{HOME}login"), "/login": FORM}, 404, ""),
    ("other targets for missing pages", {"/": redirect_to(f"{HOME}a"), "/a": FORM}, redirect_to(f"{HOME}b"), ""),
]  # fmt: skip


async def missing_page(web: FakeWeb) -> Page:
    page = await Probes(web, make_filter(), HOME).probe_site()
    assert page is not None
    return page


@pytest.mark.parametrize(("routes", "otherwise", "why"), [pytest.param(*row[1:], id=row[0]) for row in LOGINS])
def test_logins(routes: dict[str, Route], otherwise: Route, why: str) -> None:
    async def found() -> str:
        web = FakeWeb({**routes, "/robots.txt": 404}, otherwise=otherwise)
        first = await web.fetch(Request(HOME))
        return await login_wall(web, make_filter(), first, await missing_page(web))

    assert asyncio.run(found()) == why


def test_a_start_page_without_an_answer_is_no_login() -> None:
    async def found() -> str:
        web = FakeWeb({})
        return await login_wall(web, make_filter(), Skip(HOME, "reset"), await missing_page(web))

    assert asyncio.run(found()) == ""
