"""An answer becomes a visit: the page as it will live on the site, and where it leads."""

from collections.abc import Iterable
from dataclasses import dataclass

from sitemap_action.crawl import answers
from sitemap_action.crawl.scope import Scope
from sitemap_action.crawl.twins import directory
from sitemap_action.fetch.base import Answer, Response, Skip
from sitemap_action.inventory.frontier import Earlier, Visit, Waiting
from sitemap_action.model.page import Facts, Kind, Page
from sitemap_action.web import urls
from sitemap_action.web.html import Document
from sitemap_action.web.links import Resolver
from sitemap_action.web.places import Places
from sitemap_action.web.walls import challenged

SHELL = "links that only scripts make"


@dataclass(frozen=True, slots=True)
class Reader:
    """What every visit of one crawl shares."""

    places: Places
    scope: Scope
    nofollow: bool = False  # follow what says nofollow
    resolver: Resolver | None = None

    def visit(self, waiting: Waiting, depth: int, answer: Answer, earlier: Earlier | None) -> Visit:
        url = waiting.url
        if isinstance(answer, Response) and answer.status == 304 and earlier is not None:
            page = earlier.page._replace(depth=depth, found_on=waiting.referrer, twin="")  # its twin may differ now
            return Visit(waiting.id, page, earlier.links, earlier.targets, earlier.etag, earlier.modified)
        page, document = self._read(url, answer)
        facts = None if page.facts is None else self.places.facts(page.facts, url)
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
        if document.closed and not self.nofollow:
            links = [link for link in links if link not in document.closed]
        named = dict(answer.headers)
        return Visit(
            waiting.id,
            page,
            self.scope.inside(links, url),
            self.scope.inside((*_targets(facts), *document.seeds, directory(url)), url),
            named.get("etag", ""),
            named.get("last-modified", ""),
        )

    def _led(self, target: str, own: str) -> str:
        """Where a redirect leads, as the crawl knows it: without parameters that make no page of their own (URL-24)."""
        target = _normal(self.places.to_site(target))
        known = self.scope[target]
        return known if known and known != own else target

    def _read(self, url: str, answer: Answer) -> tuple[Page, Document | None]:
        if isinstance(answer, Response) and (whose := challenged(answer.headers)):
            reason = f"answers {answer.status} with a bot challenge of {whose}"
            return Page(url, Kind.UNDETERMINED, status=answer.status, reason=reason), None
        return answers.read(answer, self.resolver, url if self.places.aligned else "")


def is_shell(page: Page) -> bool:
    """Its structure says that scripts build it; a page that is merely short is whole (HTML-70)."""
    return page.facts is not None and bool(page.facts.shell) and not page.facts.shell.startswith("under ")


def _targets(facts: Facts) -> list[str]:
    """URLs whose answer decides over the page, though they are no links."""
    found = [canonical.url for canonical in facts.canonicals if not canonical.ignored]
    found += [alternate.url for alternate in facts.alternates]
    return [*found, facts.refresh.url] if facts.refresh is not None else found


def _normal(url: str) -> str:
    try:
        return urls.normal(url)
    except urls.BadUrl:
        return url
