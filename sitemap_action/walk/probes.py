"""What a host answers for pages that do not exist: random paths in each directory of the site (HTML-46)."""

import asyncio
import hashlib
from collections.abc import Iterable, Sequence

from msgspec import Struct, field

from sitemap_action.fetch.base import Fetcher, Request, RequestKind, Response
from sitemap_action.fetch.page_from_answer import page_of
from sitemap_action.html import extract
from sitemap_action.model.page import Page, PageKind
from sitemap_action.walk.url_filter import UrlFilter

MAX_DIRECTORIES = 20
_LENGTH = 25  # characters


class Probes(Struct):
    """One answer for the site and for each top-level directory, as pages at URLs that are not linked."""

    fetcher: Fetcher
    url_filter: UrlFilter
    site: str
    pages: list[Page] = field(default_factory=list)
    levels: int = 0  # of the crawl whose directories are known
    serves_document: bool = False  # for a page that does not exist: pages are compared with it
    _directories: set[str] = field(default_factory=set)

    async def probe_site(self) -> Page | None:
        """The answer below the site itself; None where the filter blocks it."""
        await self._probe([self.site])
        return self.pages[0] if self.pages else None

    async def probe_directories(self, urls: Iterable[str]) -> None:
        """Probe the directories of these URLs, in order, each once, `MAX_DIRECTORIES` at most.

        After a probe without any answer no other one is sent: waiting for each could take longer than the crawl.
        """
        if any(page.kind is PageKind.UNDETERMINED and not page.status for page in self.pages):
            return
        directories: set[str] = set()
        for url in urls:
            directory = self._directory(url)
            if directory and directory not in directories and not self.url_filter.skips.skip_class(url):
                directories.add(directory)
        new = sorted(directories - self._directories)[: MAX_DIRECTORIES - len(self._directories)]
        self._directories.update(new)
        await self._probe(new)

    def _directory(self, url: str) -> str:
        end = url.find("/", len(self.site)) + 1
        return url[:end] if url.startswith(self.site) and "?" not in url[:end] else ""

    async def _probe(self, directories: Sequence[str]) -> None:
        found = await asyncio.gather(*map(self._answer, directories))
        self.pages += [page for page in found if page is not None]
        self.serves_document = any(
            page.kind is PageKind.PAGE and page.facts is not None and page.facts.fingerprint for page in self.pages
        )

    async def _answer(self, directory: str) -> Page | None:
        """The answer for a random path; None where the filter blocks it."""
        url, mapping = directory + random_name(directory), self.url_filter.mapping
        if self.url_filter.blocks(url, required=True) is not None:
            return None
        answer = await self.fetcher.fetch(Request(mapping.to_served(url), RequestKind.PROBE))
        page, _ = page_of(answer)
        facts = page.facts
        if facts is None and isinstance(answer, Response):
            # Of an error page too: other pages may be the same document (HTML-45).
            facts = extract.read(answer.body, answer.headers, answer.url).facts
        facts = None if facts is None else mapping.map_facts(facts, url)
        return Page(url, page.kind, page.status, mapping.to_site(page.target), media_type=page.media_type, facts=facts)


def random_name(directory: str) -> str:
    """Unlike the name of any page, and the same in every run (NET-16)."""
    return hashlib.sha256(f"sitemap-action {directory}".encode()).hexdigest()[:_LENGTH]
