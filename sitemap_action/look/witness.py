"""The deploy witness: what is served where a build is deployed, looked at after the build was read (WIT-01…03).

A deployment arrives later than its forge says, and not everywhere at once: robots.txt and sitemaps are requested until
they have the effect and the URLs of the build's, or time is up. Then each listed page is requested once, or a sample
that is the same in every run, with redirects of the build, addresses that it does not have any more, and paths that do
not exist. It is a crawl that follows no link, so that every policy of a crawl holds: robots.txt, pace, retries,
firewalls, secrets.
"""

import heapq
import time
from collections.abc import Callable, Container, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol, TypeAlias

from msgspec.structs import replace
from xxhash import xxh3_64_intdigest

from sitemap_action.config.schema import Config, CrawlConfig, OnLimit
from sitemap_action.errors import BaselineError
from sitemap_action.look.documents import read_entries, temporary_folder
from sitemap_action.look.web_sitemaps import SiteSitemaps, as_production, crawled_mapping, load_crawled
from sitemap_action.model.context import Context
from sitemap_action.model.observer import Observer
from sitemap_action.model.page import PageKind
from sitemap_action.model.site import Role, Site
from sitemap_action.model.source import ServedSite, SourceResult
from sitemap_action.model.wording import plural
from sitemap_action.robots.changed_rules import RobotsComparison, named_agents
from sitemap_action.robots.groups import Profile, parse
from sitemap_action.store.inventory import Inventory, temporary
from sitemap_action.walk.declared import LoadedSitemaps
from sitemap_action.walk.reader import random_name
from sitemap_action.walk.start import TIMEOUT
from sitemap_action.web.urls import normal_form, origin

_SAMPLE = 500  # listed pages, and of redirects and gone addresses as many; crawl.max-pages may ask for more
_MADE_UP = 5
_GONE = 410
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 30.0  # seconds between two looks at robots.txt and sitemaps


class _Source(Protocol):
    def gather(self, inventory: Inventory, seeds: Iterable[str]) -> SourceResult: ...


_Choose: TypeAlias = Callable[[Config, Context, str, Observer, str, LoadedSitemaps | None], _Source]


class _Expected(NamedTuple):
    """What the build has."""

    listed: frozenset[str]  # by its sitemap; else its pages
    sitemap: bool  # whether there is one
    redirects: frozenset[str]
    gone: frozenset[str]  # of the baseline, the ledger or a rule
    robots: bytes | None


class DeployWitness:
    """Compares what is served with what the build has."""

    def __init__(self, config: Config, context: Context, observer: Observer, address: str, choose: _Choose) -> None:
        """`config`: of what is served, with the site-url of the build; `address`: where its sitemap is to be served.

        `choose`: gives the source that a config names.
        """
        paths = dict.fromkeys((address.removeprefix(origin(address)).lstrip("/"), *config.sitemaps.paths))
        self._config, self._context, self._observer, self._address = config, context, observer, address
        self._choose = choose
        self._declaring = replace(config, sitemaps=replace(config.sitemaps, paths=tuple(paths)))

    def observe(self, built: Inventory, found: SourceResult, ledger: Container[str]) -> ServedSite:
        """`found`: of the build; `ledger`: URLs that were published. Raises UsageError and UnreachableError."""
        config, limit = self._config, self._config.crawl.max_pages
        expected = _read_build(built, found, config.site_url, ledger)
        sample = _sample(expected, _SAMPLE if limit == CrawlConfig().max_pages else limit)
        other, missing = _other_case(built, expected.listed), _make_up(sample)
        with temporary() as served, temporary_folder() as folder:
            loaded, listed, notes = self._wait(served, folder, expected)
            crawl = replace(config.crawl, max_depth=0, on_limit=OnLimit.ACCEPT, wait_for="")
            crawled = replace(config, crawl=crawl)
            source = self._choose(crawled, self._context, config.site_url, self._observer, self._address, loaded)
            result = source.gather(served, filter(None, [*sample, *missing, other[1]]))
            pages = {page.url: page for page in served.pages()}
        answered = sum(url in pages and pages[url].kind is not PageKind.UNDETERMINED for url in sample)
        total = f"{len(expected.listed | expected.redirects | expected.gone):,} addresses of the build"
        note = f"deploy witness: {answered:,} of {total} gave an answer at {config.source.url}"
        unread = [loaded.unread] if loaded.unread and not result.incomplete else []
        why = tuple(f"deploy witness: {one}" for one in (*result.incomplete, *unread))
        earlier = frozenset(url for url, _ in built.contents())
        result = replace(result, incomplete=why, notes=(*notes, note))
        return ServedSite(result, pages, listed, earlier, missing, other)

    def _wait(
        self, served: Inventory, folder: Path, expected: _Expected
    ) -> tuple[SiteSitemaps, frozenset[str] | None, list[str]]:
        """What the site declares once it is what the build has, or at the end of the time; the URLs of its sitemaps."""
        config, access = self._declaring, self._context.access
        began, pause, notes = time.monotonic(), _FIRST_PAUSE, list[str]()
        timeout = TIMEOUT if config.crawl.wait_timeout is None else config.crawl.wait_timeout
        while True:
            loaded, waited = load_crawled(config, access, served, folder, self._observer)
            notes += waited
            listed = self._read_urls(loaded)
            seconds = time.monotonic() - began
            same = self._has_effect(expected, loaded) and (not expected.sitemap or listed == expected.listed)
            if same or seconds >= timeout:
                break
            config = replace(config, crawl=replace(config.crawl, wait_for=""))
            time.sleep(min(pause, timeout - seconds))
            pause = min(2 * pause, _LONGEST_PAUSE)
        if pause > _FIRST_PAUSE:
            waited_for = f"robots.txt and sitemap of the build at {config.source.url}"
            notes.append(f"waited {plural(round(seconds), 'second')} for {waited_for}")
        return loaded, listed if expected.sitemap else None, notes

    def _has_effect(self, expected: _Expected, loaded: SiteSitemaps) -> bool:
        """Whether robots.txt allows what that of the build allows."""
        if loaded.declared.unreachable:
            return False
        built, found = expected.robots or b"", loaded.declared.robots or b""
        before, after = (parse(text, Profile.GOOGLE) for text in (built, found))
        changes = RobotsComparison(before, after, named_agents(self._config.select.agents, before, after))
        return built == found or not any(map(changes.add, expected.listed))

    def _read_urls(self, loaded: SiteSitemaps) -> frozenset[str] | None:
        if loaded.unread:
            return None
        documents = as_production(loaded.documents, crawled_mapping(self._config, self._config.site_url))
        try:
            urls = (normal_form(entry.loc) for document in documents for entry in read_entries(document))
            return frozenset(filter(None, urls))
        except BaselineError:
            return None


def _read_build(built: Site, found: SourceResult, site_url: str, ledger: Container[str]) -> _Expected:
    listed, before = (frozenset(url for url, _ in built.entries(role)) for role in (Role.COMMITTED, Role.BASELINE))
    by_rule = found.hosting.plain_answers(origin(site_url))
    pages, redirects, gone = set(), set(), set()
    for page in (*by_rule, *built.pages()):
        if page.destination:
            redirects.add(page.url)
        elif page.kind is PageKind.GONE and (page.status == _GONE or page.url in before or page.url in ledger):
            gone.add(page.url)
        elif page.kind is PageKind.PAGE and not (page.twin or page.unlisted):
            pages.add(page.url)
    expected = listed or frozenset(pages)
    return _Expected(expected, bool(listed), frozenset(redirects), frozenset(gone - listed), found.robots)


def _sample(expected: _Expected, size: int) -> list[str]:
    """URLs with the smallest hashes: the same ones in every run, whatever was added."""
    listed, redirects, gone = expected.listed, expected.redirects, expected.gone
    parts = (listed, redirects - listed, gone - redirects)
    return [
        url for part in parts for url in heapq.nsmallest(size, part, key=lambda url: xxh3_64_intdigest(url.encode()))
    ]


def _make_up(sample: Sequence[str]) -> tuple[str, ...]:
    """Addresses that no site has, in folders of pages and in their form."""
    folders = {url[: url.rindex("/") + 1]: url.endswith("/") for url in sample[:_MADE_UP]}
    return tuple(f"{folder}{random_name(folder)}{'/' if slash else ''}" for folder, slash in folders.items())


def _other_case(built: Site, listed: Iterable[str]) -> tuple[str, str]:
    """A listed URL, and the same one in letters of the other case, which the build does not have."""
    for url in sorted(listed):
        swapped = origin(url) + url.removeprefix(origin(url)).swapcase()
        if "%" not in url and swapped != url and built.page(swapped) is None:
            return url, swapped
    return "", ""
