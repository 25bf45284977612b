"""The first page of a build that links to a URL, with the line of the link."""

from itertools import islice
from pathlib import Path

from sitemap_action.disk.folder import read_head
from sitemap_action.folder.link_places import MAX_READ, leads_to, links
from sitemap_action.model.page import Page
from sitemap_action.model.site import Site
from sitemap_action.model.source import LinkPlace

_MOST = 5_000  # pages whose files are searched


def first_link(site: Site, root: Path, location: str, url: str) -> tuple[str, LinkPlace]:
    """(URL of the page, file and line), in order of URL; "" where none is found. `location`: as the user wrote it."""
    pages = (page for page in site.pages() if page.facts is not None and page.path and page.url != url)
    for page in islice(pages, _MOST):
        if line := _line(root, page, url):
            return page.url, LinkPlace(f"{location.rstrip('/')}/{page.path}", line)
    return "", LinkPlace("")


def _line(root: Path, page: Page, url: str) -> int:
    assert page.facts is not None  # noqa: S101 - of the pages chosen above
    name = url.rstrip("/").rpartition("/")[2].partition("?")[0].encode()
    try:
        body = read_head(root / page.path, MAX_READ)
    except OSError:
        return 0
    if name.isalnum() and name not in body:  # what no link to the URL can lack, unless it is percent-encoded
        return 0
    base = page.facts.base or page.url
    return next((line for line, href in links(body) if leads_to(url, base, href)), 0)
