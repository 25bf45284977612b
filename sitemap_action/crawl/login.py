"""Whether a site shows nobody anything but the page that asks for a password (ENV-05)."""

from sitemap_action.crawl.url_filter import UrlFilter
from sitemap_action.fetch.base import Answer, Fetcher, Request, Response, Skip
from sitemap_action.model.page import Page
from sitemap_action.web import blockers
from sitemap_action.web.headers import content_type


async def login(fetcher: Fetcher, gate: UrlFilter, first: Answer, probe: Page) -> str:
    """Why nothing can be seen, "" when something can; `probe` is what an address that does not exist gets."""
    if isinstance(first, Skip):
        return ""
    if not first.target:
        everywhere = probe.status == 200 and _asks(first)
        return "asks for a password, and an address that does not exist answers 200 as well" if everywhere else ""
    target = gate.mapping.to_site(first.target)
    if _path(target) != _path(probe.target) or gate.blocks(target, named=True) is not None:
        return ""
    if not _asks(await fetcher.fetch(Request(first.target))):
        return ""
    return f"redirects to {first.target}, which asks for a password, and so does an address that does not exist"


def _asks(answer: Answer) -> bool:
    return isinstance(answer, Response) and blockers.is_login_page(content_type(answer.headers)[0], answer.body)


def _path(url: str) -> str:
    """A login is told where to lead back to in its query."""
    return url.partition("?")[0]
