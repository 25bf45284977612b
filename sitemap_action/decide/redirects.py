"""Follows a redirect to its end; every hop was fetched in the look phase (HTML-41…43, DIFF-04, DIFF-05)."""

from typing import NamedTuple

from sitemap_action.model.page import Page, PageKind
from sitemap_action.model.site import Site

_MAX_HOPS = 10  # HTML-43


class Hop(NamedTuple):
    """One redirect."""

    target: str
    permanent: bool


class RedirectEnd(NamedTuple):
    """Where the redirects of a page end; `page` is None where that is unknown, or they never end."""

    page: Page | None
    url: str  # target of the last redirect that was followed
    hops: int = 0
    permanent: bool = True  # all of them
    endless: str = ""  # as text: "in a loop, back to"


def hop(site: Site, page: Page) -> Hop | None:
    """The redirect of a page: an HTTP redirect, or a refresh of its document (HTML-41).

    A refresh to the same file is a reload, under any URL (HTML-42).
    """
    if page.kind is PageKind.REDIRECT:
        return Hop(page.target, page.permanent)
    if page.facts is None or page.facts.refresh is None:
        return None
    refresh = page.facts.refresh
    to = _read_page(site, refresh.url)
    return None if to is not None and to.url == page.url else Hop(refresh.url, refresh.seconds == 0)


def follow(site: Site, page: Page) -> RedirectEnd:
    target, following = page, hop(site, page)
    permanent, url = True, page.url
    seen = {page.url}
    while following is not None:
        permanent, url = permanent and following.permanent, following.target
        to = _read_page(site, url)
        if to is None or to.kind is PageKind.FOREIGN:
            return RedirectEnd(None, url)
        if to.url in seen or len(seen) > _MAX_HOPS:
            how = "in a loop, back to" if to.url in seen else f"more than {_MAX_HOPS} times, on to"
            return RedirectEnd(None, url, endless=how)
        seen.add(to.url)
        target, following = to, hop(site, to)
    return RedirectEnd(target, url, hops=len(seen) - 1, permanent=permanent)


def _read_page(site: Site, url: str) -> Page | None:
    """The page at a URL; of two URLs for one file the one that was read."""
    page = site.page(url)
    if page is None or not page.twin:
        return page
    twin = site.page(page.twin)
    return page if twin is None or twin.twin else twin
