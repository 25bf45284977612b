"""What a host says of pages that are not there: random paths in each directory of the site (HTML-46)."""

import hashlib
from collections.abc import Iterable

from sitemap_action.crawl import answers
from sitemap_action.crawl.gate import Gate
from sitemap_action.fetch.base import Fetcher, Request, Response, Want
from sitemap_action.model.page import Facts, Page
from sitemap_action.web.head import robots

MAX_DIRECTORIES = 20
_LENGTH = 25  # characters


async def probe(fetcher: Fetcher, gate: Gate, directories: Iterable[str]) -> list[Page]:
    """One answer for each directory of the site, as a page under an address that nobody has ever linked.

    A directory that is not to be asked for has none.
    """
    places, pages = gate.places, []
    for directory in directories:
        url = directory + _name(directory)
        if gate.refusal(url, named=True) is not None:
            continue
        answer = await fetcher.fetch(Request(places.to_served(url), Want.PROBE))
        page, _ = answers.read(answer)
        # Of an error page the headers count: a host that hides previews from search says so there too (ENV-03).
        said = Facts(directives=robots(answer.headers)) if isinstance(answer, Response) else None
        facts = said if page.facts is None else places.facts(page.facts, url)
        pages.append(Page(url, page.kind, page.status, places.to_site(page.target), facts=facts))
    return pages


def directories(site: str, urls: Iterable[str]) -> list[str]:
    """The directories right below the site that hold pages, in order and not too many of them."""
    found = {url[: url.index("/", len(site)) + 1] for url in urls if url.startswith(site) and "/" in url[len(site) :]}
    return sorted(found)[:MAX_DIRECTORIES]


def _name(directory: str) -> str:
    """Random enough to be nobody's page, and the same in every run (NET-16)."""
    return hashlib.sha256(f"sitemap-action {directory}".encode()).hexdigest()[:_LENGTH]
