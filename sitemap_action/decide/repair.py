"""The extensions of committed entries where the sitemap is invalid: what is valid is carried over (R-09).

Language versions need all entries: a link counts when its target links back (HL-03), and a set without the page itself
gets that link where another page names it, by the same code (HL-02).
"""

from collections.abc import Mapping
from datetime import datetime

from sitemap_action.model.page import Alternate, PageKind
from sitemap_action.model.site import Role, Site
from sitemap_action.model.sitemap import Entry
from sitemap_action.sitemap.dates import parse_date
from sitemap_action.sitemap.extensions import parse_extension
from sitemap_action.sitemap.repaired import (
    named_versions,
    repaired_extensions,
    with_own_namespace,
    with_versions,
)
from sitemap_action.web.urls import normal_form

_MAX_NEWS = 1_000  # of one file (NEWS-02)


class Repair:
    """Reads every committed entry once, before the first is decided."""

    def __init__(self, site: Site, urls_per_file: int) -> None:
        self._site = site
        self._sets: dict[tuple[tuple[str, str], ...], Mapping[str, str]] = {}  # pages of a cluster share one
        self._versions: dict[str, Mapping[str, str]] = {}  # by URL: code → URL, both normal
        self._namers: dict[str, set[str]] = {}  # URL → codes by which other pages name it
        news: list[tuple[datetime, str]] = []
        for key, entry in site.entries(Role.COMMITTED):
            if entry.extensions:
                self._add(key, entry)
                dates = map(_news_date, map(with_own_namespace, entry.extensions))
                news += ((date, key) for date in dates if date is not None)
        fits = urls_per_file <= _MAX_NEWS
        self._old_news = set() if fits else {key for _, key in sorted(news, reverse=True)[_MAX_NEWS:]}
        self._complete_sets()

    def extensions(self, key: str, entry: Entry) -> tuple[tuple[Alternate, ...], tuple[str, ...], tuple[str, ...]]:
        """(alternates, images, extensions) as an `Entry` has them. `key`: the URL that is listed."""
        elements = repaired_extensions(entry.extensions, entry.loc)
        if key in self._old_news:
            elements = tuple(one for one in elements if not one.startswith("<news:"))
        named = named_versions(elements, key)
        known = self._versions.get(key, {})
        kept = {code: named.get(code, url) for code, url in known.items() if self._is_mutual(key, url)}
        if not any(url != key for url in map(normal_form, kept.values())):
            kept = {}  # a set of one page says nothing
        alternates, elements = with_versions(elements, kept)
        images = (parse_extension(one).first("image:loc").text for one in elements if one.startswith("<image:image"))
        return alternates, tuple(images), elements

    def _add(self, key: str, entry: Entry) -> None:
        elements = tuple(map(with_own_namespace, entry.extensions))
        versions = {code: normal_form(href) for code, href in named_versions(elements, key).items()}
        if versions:
            versions = dict(self._sets.setdefault(tuple(versions.items()), versions))
            self._versions[key] = versions

    def _complete_sets(self) -> None:
        for key, versions in self._versions.items():
            for code, url in versions.items():
                if url != key and url in self._versions:
                    self._namers.setdefault(url, set()).add(code)
        for key, versions in list(self._versions.items()):
            if key in versions.values():
                continue
            codes = sorted(self._namers.get(key, set()) - versions.keys())
            self._versions[key] = {**versions, **dict.fromkeys(codes, key)} if codes else {}

    def _is_mutual(self, key: str, url: str) -> bool:
        """Whether nothing shows that the target does not link back."""
        if url == key or url in self._versions:
            return url == key or key in self._versions[url].values()
        page = self._site.page(url)
        return page is None or page.kind is PageKind.FOREIGN


def _news_date(element: str) -> datetime | None:
    if not element.startswith("<news:news"):
        return None
    found = parse_date(parse_extension(element).first("news:publication_date").text)
    return found.instant if found is not None else None
