"""Which URLs belong to a crawl, and which URL of the site each one is."""

from collections.abc import Iterable
from dataclasses import dataclass

from sitemap_action.web.query_filter import filter_query
from sitemap_action.web.site_mapping import SiteMapping

_REMEMBERED = 100_000  # URLs whose place on the site is not worked out again


@dataclass(frozen=True, slots=True)
class Query:
    """Which parameters belong to a URL: `allow` None for all of them (`select.query`, `select.drop-params`)."""

    allow: tuple[str, ...] | None = None
    drop: tuple[str, ...] = ()

    def cleaned(self, url: str) -> str:
        """URL-23, URL-24: a parameter that belongs to no page's URL makes no page of its own."""
        path, question, query = url.partition("?")
        if not question or (self.allow is None and not self.drop):
            return url
        query = filter_query(query, self.allow, self.drop)
        return f"{path}?{query}" if query else path


class Scope(dict[str, str]):
    """URL as met → the URL of the site that it is to the crawl, "" when it leads elsewhere; most are met often."""

    def __init__(self, mapping: SiteMapping, prefix: str, query: Query) -> None:
        super().__init__()
        self._mapping = mapping
        self._prefix = prefix
        self._query = query

    def __missing__(self, url: str) -> str:
        if len(self) >= _REMEMBERED:
            self.clear()
        on_site = self._mapping.to_site(url)
        found = self._query.cleaned(on_site) if on_site.startswith(self._prefix) else ""
        self[url] = found
        return found

    def inside(self, found: Iterable[str], own: str) -> tuple[str, ...]:
        """Each once, without what leads elsewhere or to the page itself."""
        inside = dict.fromkeys(map(self.__getitem__, found))
        inside.pop("", None)
        inside.pop(own, None)
        return tuple(inside)
