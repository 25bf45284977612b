"""Sitemaps that an index or robots.txt names and that do not answer as sitemaps at that address (SM-63, RB-32)."""

from collections.abc import Iterator

from sitemap_action.inventory.loading_state import LoadingState
from sitemap_action.inventory.sitemap_status import SitemapState, SitemapStatus
from sitemap_action.loader.discover import Declared
from sitemap_action.model.sitemap import BrokenSitemap
from sitemap_action.robots.groups import Profile, parse
from sitemap_action.web.urls import resolve

_ANSWERED = (SitemapState.READ, SitemapState.DUPLICATE, SitemapState.FAILED)


def broken(state: LoadingState, declared: Declared | None = None) -> tuple[BrokenSitemap, ...]:
    """In order of discovery. `declared`: where the seeds are what the robots.txt of a site names."""
    lines = dict(_lines(declared)) if declared is not None else {}
    robots_url = declared.robots_url if declared is not None else ""
    found = []
    for document in state.statuses(*_ANSWERED):
        if document.listed_by and document.state is SitemapState.FAILED:
            found.append(BrokenSitemap(document.url, document.listed_by, document.line, document.reason))
        elif not document.listed_by and document.url in lines and (why := _wrong_answer(document)):
            found.append(BrokenSitemap(document.url, robots_url, lines[document.url], why, declared=True))
    return tuple(found)


def _lines(declared: Declared) -> Iterator[tuple[str, int]]:
    for line, text in reversed(parse(declared.robots or b"", Profile.GOOGLE).sitemaps):
        if url := resolve(declared.robots_url, text):
            yield url, line


def _wrong_answer(document: SitemapStatus) -> str:
    if document.state is SitemapState.FAILED:
        return document.reason
    return f"it redirects to {document.address}" if document.address not in {"", document.url} else ""
