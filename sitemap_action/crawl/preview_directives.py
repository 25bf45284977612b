"""Directives of a preview host that would stop the discovery of its pages (ENV-03)."""

from collections.abc import Sequence

from sitemap_action.fetch.base import Answer, Fetcher, Request, Response
from sitemap_action.fetch.page_from_answer import page_of
from sitemap_action.html import directives
from sitemap_action.model.page import Directive, Page, PageKind
from sitemap_action.web.site_mapping import SiteMapping

_MAX_HOPS = 5


async def start_documents(fetcher: Fetcher, start: Answer, mapping: SiteMapping) -> dict[str, Answer]:
    """The start page and the pages that it redirects to on the site, by their URLs where they are served."""
    answers = {start.url: start}
    while isinstance(start, Response) and start.target and len(answers) <= _MAX_HOPS:
        url = mapping.to_served(mapping.to_site(start.target))
        if url in answers or not mapping.to_site(url).startswith(mapping.site):
            break
        start = answers[url] = await fetcher.fetch(Request(url))
    return answers


def preview_directives(start: Answer, probe: Page | None, agents: Sequence[str]) -> frozenset[Directive]:
    """Directives beside the noindex of the start page, unless a random path answers 200 without them.

    They do not stop a crawl. Whether they count is decided when all pages are known.
    """
    page, _ = page_of(start)
    found = directives.beside_noindex(() if page.facts is None else page.facts.directives, agents)
    if probe is not None and probe.kind is PageKind.PAGE and probe.facts is not None:
        found &= frozenset(probe.facts.directives)
    return found
