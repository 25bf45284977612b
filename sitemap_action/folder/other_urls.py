"""What a build answers for URLs that are not the address of one of its files: seeds, links, targets and their ends."""

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import unquote

from sitemap_action.folder.reader import page_at
from sitemap_action.folder.served_build import Build
from sitemap_action.model.page import Page, PageKind
from sitemap_action.store.inventory import Inventory

_MAX_HOPS = 50  # of redirects: a verdict follows 10, and each hop on the way has one of its own


class LinkedSpellings(NamedTuple):
    """How many pages are linked as a host other than the assumed one would serve them (HOST-01)."""

    bare: int = 0  # x.html, as /x
    slash: int = 0  # and as /x/
    folders: int = 0  # x/index.html, as /x


def answer_others(
    inventory: Inventory, build: Build, targets: Mapping[str, str], dead: Mapping[str, str]
) -> LinkedSpellings:
    """Store a page for each target and each dead link; both map a URL to the page that has it.

    A link to another spelling of a page counts for the page (HTML-68).
    """
    bare = slash = folders = 0
    alias_links: Counter[str] = Counter()  # links to redirects and other spellings
    inventory.add_urls({**targets, **dead})
    pages = []
    for url, inlinks in inventory.urls_without_page():
        if url in targets or url in dead or _leads_to_http(build, url):
            pages.append(page_at(build, url)._replace(found_on=dead.get(url) or targets.get(url, "")))
        if url not in targets or "?" not in url:
            alias_links[aliased(build, url, dead)] += inlinks
        path = unquote(url[len(build.base) :])
        if inlinks and f"{path.removesuffix('/')}.html" in build.assumed:
            slash, bare = slash + path.endswith("/"), bare + (not path.endswith("/"))
        folders += bool(inlinks) and f"{path}/index.html" in build.assumed
    pages += _asked(inventory, build, pages)
    pages += _redirect_ends(inventory, build, pages)
    inventory.add_pages(pages)
    inventory.add_indirect_links((url, count) for url, count in sorted(alias_links.items()) if url and count)
    return LinkedSpellings(bare, slash, folders)


def _leads_to_http(build: Build, url: str) -> bool:
    """HTML-44; other redirects that pages link to are no rows."""
    return build.base.startswith("https:") and build.fetcher().resolve(url).location.startswith("http:")


def _asked(inventory: Inventory, build: Build, pages: list[Page]) -> list[Page]:
    """The spellings that the config asks for, of URLs with a query: those of files are among the targets."""
    if not build.spellings.any:
        return []
    own = [page for page in pages if "?" in page.url and page.facts is not None]
    asked = {url for page in own for url in build.spellings.spelled(page.url, build.base, page.path)}
    known = {page.url for page in pages}
    return [page_at(build, url) for url in sorted(asked - known) if inventory.page(url) is None]


def aliased(build: Build, url: str, dead: Mapping[str, str]) -> str:
    """The URL that a link to this one counts for, query or not (HTML-68); "" where there is none."""
    found = build.fetcher().resolve(url)
    if found.file and found.status == 200:
        return "" if found.fallback else build.url(found.file)
    if found.location:
        return build.base + found.location[1:] if found.location.startswith("/") else found.location
    path, question, _ = url.partition("?")
    if path in dead:
        return path if question else ""
    file = build.likely_file(unquote(path[len(build.base) :]))
    return build.url(file) if file else ""


def _redirect_ends(inventory: Inventory, build: Build, pages: list[Page]) -> list[Page]:
    """Where redirects lead, as far as that is not in the inventory yet."""
    ends: list[Page] = []
    known, last = {page.url for page in pages}, pages
    for _ in range(_MAX_HOPS + 1):
        targets = {page.target for page in last if page.kind is PageKind.REDIRECT} - known
        found = sorted(url for url in targets if url.startswith(build.base) and inventory.page(url) is None)
        last = [page_at(build, url) for url in found]
        if not last:
            break
        known.update(found)
        ends += last
    return ends
