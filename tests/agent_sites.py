"""Served sites with an llms.txt, as tables of answers, and what is found to lead to nothing there."""

import asyncio

from fakes import HOME, at
from sitemap_action.fetch.base import Answer, Failure, PendingAnswer, Request, Response, Skip
from sitemap_action.model.page import Page, PageKind
from sitemap_action.model.source import DeadReference
from sitemap_action.robots.groups import Profile, parse
from sitemap_action.walk.agent_files import SiteAnswers
from sitemap_action.walk.frontier import Traps, UrlFilter
from sitemap_action.web.media import SkipFilter
from sitemap_action.web.patterns import compile_patterns
from sitemap_action.web.spellings import SiteMapping

Answers = dict[str, Answer | bytes | int]


class Site:
    """A fetcher with the answers of a table, and the log of what was requested."""

    def __init__(self, answers: Answers) -> None:
        self.answers = answers
        self.requested: list[str] = []

    def fetch(self, request: Request) -> PendingAnswer:
        return self._answer(request.url)

    async def _answer(self, url: str) -> Answer:
        path = url.removeprefix(HOME[:-1])
        self.requested.append(path)
        found = self.answers.get(path, 404)
        if isinstance(found, bytes):
            return Response(url, 200, (("content-type", "text/plain"),), found)
        return Response(url, found) if isinstance(found, int) else found

    def page(self, url: str, /) -> Page | None:
        """What the crawl has seen."""
        return {
            at("/seen/"): Page(at("/seen/"), PageKind.PAGE, 200),
            at("/lost/"): Page(at("/lost/"), PageKind.GONE, 404),
            at("/moved"): Page(at("/moved"), PageKind.REDIRECT, 301, at("/lost/")),
            at("/unread"): Page(at("/unread"), PageKind.UNDETERMINED, reason="not fetched"),
        }.get(url)


def redirect(path: str, to: str) -> Response:
    return Response(at(path), 301, target=to if "://" in to else at(to))


def ask(
    site: Site, robots: str = "", twins: tuple[tuple[str, str], ...] = (), *, fallback: bool = False
) -> tuple[tuple[DeadReference, ...], tuple[str, ...]]:
    rules = parse(robots.encode(), Profile.RFC) if robots else None
    mapping = SiteMapping(HOME, HOME)
    url_filter = UrlFilter(SkipFilter((), ("html",)), compile_patterns(()), rules, Traps(), mapping)

    async def find() -> tuple[tuple[DeadReference, ...], tuple[str, ...]]:
        return await SiteAnswers(site, site, url_filter, 4).find_dead(twins, fallback=fallback)

    return asyncio.run(find())


def html_page(path: str, body: bytes) -> Response:
    return Response(at(path), 200, (("content-type", "text/html"),), body)


def time_out(path: str) -> Skip:
    return Skip(at(path), "timed out", failure=Failure.TIMEOUT)


def dead_twin(path: str, page: str) -> DeadReference:
    return DeadReference(at(path), at(page), 0, "answers 404", twin=True)
