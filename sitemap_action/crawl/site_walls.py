"""What hides a whole site: a login in place of every page (ENV-05)."""

from sitemap_action.crawl.url_filter import UrlFilter
from sitemap_action.fetch.base import Answer, Fetcher, Request, Response, Skip
from sitemap_action.model.page import Page
from sitemap_action.web import blockers
from sitemap_action.web.headers import content_type


async def login_wall(fetcher: Fetcher, url_filter: UrlFilter, start_page: Answer, probe: Page) -> str:
    """Why no page can be read, "" when pages can; `probe` is the answer for an address that does not exist."""
    if isinstance(start_page, Skip):
        return ""
    if not start_page.target:
        everywhere = probe.status == 200 and _is_login(start_page)
        return "requires a password, and a URL that does not exist also answers 200" if everywhere else ""
    target = url_filter.mapping.to_site(start_page.target)
    if _without_query(target) != _without_query(probe.target) or url_filter.blocks(target, required=True) is not None:
        return ""
    if not _is_login(await fetcher.fetch(Request(start_page.target))):
        return ""
    return f"redirects to {start_page.target}, which requires a password, and so does a URL that does not exist"


def _is_login(answer: Answer) -> bool:
    return isinstance(answer, Response) and blockers.is_login_page(content_type(answer.headers)[0], answer.body)


def _without_query(url: str) -> str:
    """The query of a login URL holds the address to return to."""
    return url.partition("?")[0]
