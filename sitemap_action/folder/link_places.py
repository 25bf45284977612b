"""File and line of the first link to a URL, looked for in the page that has it."""

import re
from collections.abc import Iterator, Mapping
from html import unescape
from itertools import islice
from pathlib import Path

from sitemap_action.disk.folder import read_head
from sitemap_action.folder.served_build import Build
from sitemap_action.model.source import LinkPlace
from sitemap_action.store.inventory import Inventory
from sitemap_action.web import urls

_MOST = 20  # as many as a report shows
MAX_READ = 2 * 2**20  # bytes of a page
_MAX_LINKS = 5_000  # of a page
_HREF = re.compile(
    rb"""\bhref\s{0,9}=\s{0,9}(?:"([^"<>]{1,2100})"|'([^'<>]{1,2100})'|([^\s"'<>]{1,2100}))""", re.IGNORECASE
)


def link_places(inventory: Inventory, build: Build, dead: Mapping[str, str], location: str) -> dict[str, LinkPlace]:
    """Of the first dead links in order of URL; `location`: the folder as the user wrote it."""
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
