"""Spellings of one address that answer with the same bytes: /about, /about/, /about.html; /c++ and /c%2B%2B (URL-21).

One is listed: the one that the document names as its canonical, else the one with most links, else the one that other
URLs redirect to, else the one that a compared sitemap lists. Where nothing prefers one, both stay, with a finding.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sitemap_action.html.directives import canonical_targets
from sitemap_action.model.page import Page, PageKind
from sitemap_action.store.frontier import Frontier, escaped_urls, references, spelled_twice
from sitemap_action.store.inventory import Inventory
from sitemap_action.walk.build import without_escapes

_SUFFIXES = (".html", ".htm", "/")


class _Candidate(NamedTuple):
    """One URL of a document, and what speaks for it; the greatest is preferred."""

    canonical: bool
    links: int
    redirects: int
    required: bool
    id: int
    page: Page

    @property
    def preference(self) -> tuple[bool, int, int, bool]:
        return self[:4]


def mark_same_documents(
    inventory: Inventory, frontier: Frontier, suffixes: Sequence[str] = _SUFFIXES
) -> list[tuple[int, Page]]:
    """Other spellings of a document get the preferred one as their twin; returns them with the ids of their rows."""
    preferred: list[tuple[int, Page]] = []
    for spellings in _groups(inventory, suffixes):
        first, second, *_ = spellings
        if first.preference > second.preference:
            preferred += [(one.id, one.page._replace(twin=first.page.url)) for one in spellings[1:]]
        else:
            frontier.store_pages((one.id, one.page._replace(same_document=_other(one, spellings))) for one in spellings)
    frontier.store_duplicates(preferred)
    return preferred


def _other(one: _Candidate, spellings: list[_Candidate]) -> str:
    return next(other.page.url for other in spellings if other is not one)


def _groups(inventory: Inventory, suffixes: Sequence[str]) -> Iterator[list[_Candidate]]:
    """Spellings with the same document, the preferred one first."""
    stems: dict[str, set[str]] = defaultdict(set)
    for url in spelled_twice(inventory.database, suffixes):
        stems[_stem(url)].add(url)
    for url in escaped_urls(inventory.database):
        if (plain := without_escapes(url)) != url:
            stems[_stem(url)].update(one for one in (url, plain) if inventory.page(one) is not None)
    if not stems:
        return
    found = references(inventory.database, set().union(*stems.values()))
    for urls in stems.values():
        documents: dict[str, list[_Candidate]] = defaultdict(list)
        for url in sorted(urls):
            page = inventory.page(url)
            if page is not None and page.kind is PageKind.PAGE and not page.twin and page.facts and page.facts.digest:
                named = canonical_targets(page.facts.head.canonicals) == (url,)
                documents[page.facts.digest].append(_Candidate(named, *found[url], page))
        for spellings in documents.values():
            if len(spellings) > 1:
                yield sorted(spellings, key=lambda one: one.preference, reverse=True)


def _stem(url: str) -> str:
    url = without_escapes(url)
    return next((url.removesuffix(suffix) for suffix in _SUFFIXES if url.endswith(suffix)), url)


_NAMES = ("index.html", "index.htm")
_ENDINGS = ("/", *(f"/{name}" for name in _NAMES))


def directory(url: str) -> str:
    """The directory of an index file, "" for any other URL."""
    parent, _, name = url.rpartition("/")
    return f"{parent}/" if name in _NAMES else ""


def is_directory_or_index(url: str) -> bool:
    return url.endswith(_ENDINGS)


def mark_duplicates(inventory: Inventory, frontier: Frontier) -> None:
    """Index files that are the same document as their directory get it as their twin."""
    frontier.store_duplicates(_duplicates(inventory, frontier))


def _duplicates(inventory: Inventory, frontier: Frontier) -> Iterator[tuple[int, Page]]:
    for row_id, page in frontier.pages_by_file_name(_NAMES):
        other = inventory.page(directory(page.url))
        if other is not None and _same(page, other):
            yield row_id, page._replace(twin=other.twin or other.url)


def _same(page: Page, other: Page) -> bool:
    """Both answered 200, with documents of one fingerprint, size and title."""
    if page.kind is not PageKind.PAGE or other.kind is not PageKind.PAGE or page.facts is None or other.facts is None:
        return False
    return page.facts.fingerprint != "" and (page.facts.fingerprint, page.facts.size, page.facts.head.title) == (
        other.facts.fingerprint,
        other.facts.size,
        other.facts.head.title,
    )
