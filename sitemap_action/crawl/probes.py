"""What a host says of pages that are not there: random paths in each directory of the site (HTML-46)."""

import asyncio
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sitemap_action.crawl.url_filter import UrlFilter
from sitemap_action.fetch.base import Fetcher, Request, Response, Want
from sitemap_action.fetch.pages import page_of
from sitemap_action.html.head import robots_directives
from sitemap_action.model.page import Facts, Page, PageKind

MAX_DIRECTORIES = 20
_LENGTH = 25  # characters


@dataclass(slots=True)
class Probes:
    """One answer for the site and for each directory right below it, as pages at addresses that nobody ever linked."""

    fetcher: Fetcher
    gate: UrlFilter
    site: str
    pages: list[Page] = field(default_factory=list)
    served: bool = False  # a document for one of them: others are to be compared with it
    _directories: set[str] = field(default_factory=set)

    async def at_site(self) -> Page | None:
        """None where the site is not to be asked."""
        await self._ask([self.site])
        return self.pages[0] if self.pages else None

    async def below(self, urls: Iterable[str]) -> None:
        """Ask in the directories that hold pages, in order and not in too many of them; in none twice.

        A host that left one without any answer is not asked again: to wait for each could take longer than the crawl.
        """
        if any(page.kind is PageKind.UNDETERMINED and not page.status for page in self.pages):
            return
        found: set[str] = set()
        for url in urls:
            directory = self._directory(url)
            if directory and directory not in found and not self.gate.skips.skip_class(url):
                found.add(directory)
        new = sorted(found - self._directories)[: MAX_DIRECTORIES - len(self._directories)]
        self._directories.update(new)
        await self._ask(new)

    def _directory(self, url: str) -> str:
        end = url.find("/", len(self.site)) + 1
        return url[:end] if url.startswith(self.site) and "?" not in url[:end] else ""

    async def _ask(self, directories: Sequence[str]) -> None:
        found = await asyncio.gather(*map(self._one, directories))
        self.pages += [page for page in found if page is not None]
        self.served = any(page.facts is not None and page.facts.fingerprint for page in self.pages)

    async def _one(self, directory: str) -> Page | None:
        """The answer for a random path; None where nobody is to ask."""
        url, mapping = directory + _name(directory), self.gate.mapping
        if self.gate.blocks(url, named=True) is not None:
            return None
        answer = await self.fetcher.fetch(Request(mapping.to_served(url), Want.PROBE))
        page, _ = page_of(answer)
        # Of an error page the headers count: a host that hides previews from search says so there too (ENV-03).
        said = Facts(directives=robots_directives(answer.headers)) if isinstance(answer, Response) else None
        facts = said if page.facts is None else mapping.map_facts(page.facts, url)
        return Page(url, page.kind, page.status, mapping.to_site(page.target), facts=facts)


def _name(directory: str) -> str:
    """Random enough to be nobody's page, and the same in every run (NET-16)."""
    return hashlib.sha256(f"sitemap-action {directory}".encode()).hexdigest()[:_LENGTH]
