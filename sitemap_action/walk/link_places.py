"""File and line of the first link to a URL, looked for in the page that has it."""

import re
from collections.abc import Iterator, Mapping
from html import unescape
from itertools import islice
from pathlib import Path

from sitemap_action.disk.folder import read_head
from sitemap_action.model.page import Page
from sitemap_action.model.site import Site
from sitemap_action.model.source import LinkPlace
from sitemap_action.store.inventory import Inventory
from sitemap_action.walk.build import Build
from sitemap_action.web import urls

_MOST_PAGES = 5_000  # whose files are searched
_MOST = 20  # as many as a report shows
MAX_READ = 2 * 2**20  # bytes of a page
_MAX_LINKS = 5_000  # of a page
_HREF = re.compile(
    rb"""\bhref\s{0,9}=\s{0,9}(?:"([^"<>]{1,2100})"|'([^'<>]{1,2100})'|([^\s"'<>]{1,2100}))""", re.IGNORECASE
)


def link_places(inventory: Inventory, build: Build, dead: Mapping[str, str], location: str) -> dict[str, LinkPlace]:
    """URL → place, for the first dead links in order of URL; `location`: the folder as the user wrote it."""
    places = {}
    for url in sorted(dead)[:_MOST]:
        page = inventory.page(dead[url])
        if page is None or page.facts is None or not page.path:
            continue
        try:
            body = read_head(Path(build.root) / page.path, MAX_READ)
        except OSError:
            continue
        line = next((line for line, href in links(body) if leads_to(url, page.facts.base or page.url, href)), 0)
        places[url] = LinkPlace(f"{location.rstrip('/')}/{page.path}", line)
    return places


def links(body: bytes) -> Iterator[tuple[int, str]]:
    """(line, href) of what looks like a link."""
    line, end = 1, 0
    for found in islice(_HREF.finditer(body), _MAX_LINKS):
        line += body.count(b"\n", end, found.start())
        end = found.start()
        yield line, unescape(found[found.lastindex or 0].decode(errors="replace"))


def leads_to(url: str, base: str, href: str) -> bool:
    found = urls.resolve(base, href)
    return found is not None and found.partition("?")[0] == url


def first_link(site: Site, root: Path, location: str, url: str) -> tuple[str, LinkPlace]:
    """(URL of the page, file and line), in order of URL; "" where none is found. `location`: as the user wrote it."""
    pages = (page for page in site.pages() if page.facts is not None and page.path and page.url != url)
    for page in islice(pages, _MOST_PAGES):
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
