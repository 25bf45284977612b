"""An answer becomes a visit: the page as it will live on the site, and where it leads."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sitemap_action.crawl.scope import Scope
from sitemap_action.crawl.twins import directory
from sitemap_action.fetch.base import Answer, Response, Skip
from sitemap_action.fetch.pages import pages_of, targets
from sitemap_action.html.extract import ALL_OPTIONAL, HtmlDocument, OptionalFacts
from sitemap_action.html.links import Resolver
from sitemap_action.inventory.frontier import Earlier, Visit, Waiting
from sitemap_action.model.page import Page
from sitemap_action.web import urls
from sitemap_action.web.site_mapping import SiteMapping

SHELL = "links that only scripts make"


class Answered(NamedTuple):
    """A URL, what it answers now, and what an earlier run had there."""

    waiting: Waiting
    answer: Answer
    earlier: Earlier | None

    @property
    def unchanged(self) -> bool:
        """Whether the server says so, to a question about what the earlier run had."""
        return self.earlier is not None and isinstance(self.answer, Response) and self.answer.status == 304


@dataclass(frozen=True, slots=True)
class Reader:
    """What every visit of one crawl shares."""

    mapping: SiteMapping
    scope: Scope
    nofollow: bool = False  # follow what says nofollow
    resolver: Resolver | None = None
    optional: Callable[[str], OptionalFacts] = lambda _: ALL_OPTIONAL  # for a URL

    def visit(self, waiting: Waiting, depth: int, answer: Answer, earlier: Earlier | None) -> Visit:
        (visit,) = self.visits(depth, [Answered(waiting, answer, earlier)])
        return visit

    def visits(self, depth: int, answered: Sequence[Answered]) -> list[Visit]:
        """In the same order."""
        same_paths = self.mapping.same_paths
        fresh = [
            (one.answer, one.waiting.url if same_paths else one.answer.url, self.optional(one.waiting.url))
            for one in answered
            if not one.unchanged
        ]
        read = iter(pages_of(fresh, self.resolver))
        return [_again(one, depth) if one.unchanged else self._visit(one, depth, *next(read)) for one in answered]

    def _visit(self, answered: Answered, depth: int, page: Page, document: HtmlDocument | None) -> Visit:
        waiting, answer, _ = answered
        url = waiting.url
        facts = None if page.facts is None else self.mapping.map_facts(page.facts, url)
        target = page.target and self._led(page.target, url)
        page = Page(
            url,
            page.kind,
            page.status,
            target,
            page.permanent,
            page.media_type,
            page.reason,
            depth=depth,
            found_on=waiting.referrer,
            facts=facts,
        )
        if target:
            return Visit(waiting.id, page, targets=self.scope.inside([target], url))
        if document is None or facts is None or isinstance(answer, Skip):
            return Visit(waiting.id, page)
        links: Iterable[str] = document.links
        if document.nofollow and not self.nofollow:
            links = [link for link in links if link not in document.nofollow]
        named = dict(answer.headers)
        return Visit(
            waiting.id,
            page,
            self.scope.inside(links, url),
            self.scope.inside((*targets(facts), *document.related, directory(url)), url),
            named.get("etag", ""),
            named.get("last-modified", ""),
        )

    def _led(self, target: str, own: str) -> str:
        """Where a redirect leads, as the crawl knows it: without parameters that make no page of their own (URL-24)."""
        target = _normal(self.mapping.to_site(target))
        known = self.scope[target]
        return known if known and known != own else target


def is_shell(page: Page) -> bool:
    """Its structure says that scripts build it; a page that is merely short is whole (HTML-70)."""
    return page.facts is not None and bool(page.facts.shell) and not page.facts.shell.startswith("under ")


def _again(answered: Answered, depth: int) -> Visit:
    """What an earlier run found, where nothing has changed since."""
    waiting, _, earlier = answered
    assert earlier is not None  # noqa: S101 - it is `unchanged`
    page = earlier.page._replace(depth=depth, found_on=waiting.referrer, twin="")  # its twin may differ now
    return Visit(waiting.id, page, earlier.links, earlier.targets, earlier.etag, earlier.modified)


def _normal(url: str) -> str:
    try:
        return urls.normal(url)
    except urls.BadUrl:
        return url
