"""The sitemaps that a user names: a URL, a site, a file, a folder, git:REF:PATH or standard input."""

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.config.schema import DEFAULT_SITEMAP_PATHS
from sitemap_action.errors import UsageError
from sitemap_action.fetch.base import HOST_FAILURES, Fetcher, remedy
from sitemap_action.look.documents import user_named
from sitemap_action.store.loading_state import LoadingState
from sitemap_action.walk.broken_sitemaps import find_broken
from sitemap_action.walk.declared import Declared, ObedientFetcher, SiteRobots, discover
from sitemap_action.walk.sitemap_loading import (
    Enough,
    Loaded,
    LoadOptions,
    Received,
    SiteRobotsTxt,
    Unavailable,
    load,
    load_local,
    never,
)
from sitemap_action.web.urls import BadUrl, normalize, origin


def address(source: str) -> str:
    """The URL in normal form. Raises UsageError."""
    try:
        return normalize(source)
    except BadUrl as error:
        raise UsageError(
            f"{source} cannot be read: {error}", hint="give a URL such as https://www.example.com/"
        ) from None


class LoadRequest(Struct, frozen=True):
    """What to load, and within which limits."""

    source: str
    now: datetime
    options: LoadOptions
    paths: Sequence[str] = DEFAULT_SITEMAP_PATHS  # that are tried beside what a site declares
    observe: Callable[[Received], None] = lambda _: None
    enough: Enough = never


async def load_url(fetcher: Fetcher, request: LoadRequest, state: LoadingState) -> Loaded:
    """A sitemap, or all that a site declares when the URL ends in a slash or names its robots.txt."""
    url = address(request.source)
    if not urlsplit(url).path.endswith(("/", "/robots.txt")):
        found = await load(
            fetcher, [url], state, request.now, request.options, observe=request.observe, enough=request.enough
        )
        return replace(found, notes=(*found.notes, *_hint(url, found)), broken=find_broken(state))
    declared = await discover(fetcher, url, request.paths)
    if declared.unreachable:
        return _unreachable(declared)
    options = replace(request.options, site=url)
    robots = SiteRobots(declared)
    found = await load(
        ObedientFetcher(fetcher, robots),
        (*declared.seeds, *declared.disallowed),
        state,
        request.now,
        options,
        usual=declared.usual,
        observe=request.observe,
        enough=request.enough,
    )
    disallowed = robots.findings(state)
    known = {one.url for one in disallowed}
    others = [one for one in find_broken(state, declared.robots_url, declared.robots) if one.url not in known]
    site = SiteRobotsTxt(declared.robots_url, declared.robots)
    return replace(found, notes=(*declared.notes, *found.notes), broken=(*others, *disallowed), site=site)


def load_named(request: LoadRequest, state: LoadingState) -> Loaded:
    """A file, a folder of a site, git:REF:PATH, or `-`; nothing is fetched."""
    source = user_named(request.source, tuple(request.paths))
    answer, options = source.answer_or_skip, request.options
    return load_local(answer, source.seeds, state, request.now, options, observe=request.observe, enough=request.enough)


def _unreachable(declared: Declared) -> Loaded:
    """RB-21: what the site declares is not known, so nothing is requested."""
    return Loaded(0, 0, (Unavailable(declared.robots_url, _why(declared)),), missing=1)


def _why(declared: Declared) -> str:
    advice = f"; {remedy(declared.failure)}" if declared.failure in HOST_FAILURES else ""
    return f"{declared.unreachable}{advice}"


def _hint(url: str, found: Loaded) -> list[str]:
    page = found.documents == 0 and any("an HTML page" in one.reason for one in found.unavailable)
    return [f"{url} is a page; to read what its site declares, give {origin(url)}/"] if page else []


_HOSTS = 20
"""Requested at most; a sitemap that lists URLs of more is no cross-submission."""


async def cross_submitted(fetcher: Fetcher, keys: Iterable[str], sitemaps: Collection[str]) -> frozenset[str]:
    """Origins of `keys` beside the sitemaps' own whose robots.txt names one of the `sitemaps`."""
    own = {origin(url) for url in sitemaps}
    others = sorted({key[: key.index("/", 8)] for key in keys} - own)[:_HOSTS]
    return frozenset([other for other in others if await _names(fetcher, other, sitemaps)])


async def _names(fetcher: Fetcher, other: str, sitemaps: Collection[str]) -> bool:
    declared = await discover(fetcher, f"{other}/", paths=())
    return not set(declared.seeds).isdisjoint(sitemaps)
