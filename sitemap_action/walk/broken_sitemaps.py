"""Sitemaps that do not answer as sitemaps at the address that names them (SM-11, SM-63, RB-32)."""

from collections.abc import Iterator

from sitemap_action.model.sitemap import BrokenSitemap
from sitemap_action.robots.groups import Profile, parse
from sitemap_action.store.loading_state import LoadingState, SitemapState, SitemapStatus
from sitemap_action.web.urls import resolve

_ANSWERED = (SitemapState.READ, SitemapState.DUPLICATE, SitemapState.FAILED)


def find_broken(state: LoadingState, robots_url: str = "", robots: bytes | None = None) -> tuple[BrokenSitemap, ...]:
    """Broken sitemaps in order of discovery. `robots_url`: where the seeds are what the robots.txt of a site names."""
    lines = dict(_addresses_with_lines(robots_url, robots or b""))
    found = []
    for document in state.statuses(*_ANSWERED):
        if document.listed_by and document.state is SitemapState.FAILED:
            found.append(BrokenSitemap(document.url, document.listed_by, document.line, document.reason))
        elif not document.listed_by and document.url in lines and (why := _wrong_answer(document)):
            found.append(BrokenSitemap(document.url, robots_url, lines[document.url], why, declared=True))
        elif document.state is not SitemapState.FAILED and (why := _served_otherwise(document, state)):
            line = document.line or lines.get(document.url, 0)
            by = document.listed_by or (robots_url if line else document.url)
            found.append(BrokenSitemap(document.url, by, line, why, served=True))
    return tuple(found)


def _addresses_with_lines(robots_url: str, robots: bytes) -> Iterator[tuple[str, int]]:
    for line, text in reversed(parse(robots, Profile.GOOGLE).sitemaps):
        if url := resolve(robots_url, text):
            yield url, line


def _wrong_answer(document: SitemapStatus) -> str:
    if document.state is SitemapState.FAILED:
        return document.reason
    return _redirect(document)


def _served_otherwise(document: SitemapStatus, state: LoadingState) -> str:
    """Nothing names a usual path, so it may redirect to the sitemap."""
    return ("" if document.usual else _redirect(document)) or state.media_types.get(document.url, "")


def _redirect(document: SitemapStatus) -> str:
    """A file has the path at which it was found for an address, and nothing redirects to it."""
    served = document.address.startswith(("http://", "https://"))
    return f"it redirects to {document.address}" if served and document.address != document.url else ""
