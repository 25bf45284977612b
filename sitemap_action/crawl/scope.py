"""Which URLs belong to a crawl, and which URL of the site each one is."""

from collections.abc import Iterable

from msgspec import Struct

from sitemap_action.web.query_filter import filter_query
from sitemap_action.web.site_mapping import SiteMapping

_CACHE_SIZE = 100_000  # URLs


class Query(Struct, frozen=True):
    """Which parameters belong to a URL: `allow` None for all of them (`select.query`, `select.drop-params`)."""

    allow: tuple[str, ...] | None = None
    drop: tuple[str, ...] = ()

    def clean(self, url: str) -> str:
        """URL-23, URL-24: the URL without parameters that do not make a page of their own."""
        path, question, query = url.partition("?")
        if not question or (self.allow is None and not self.drop):
            return url
        query = filter_query(query, self.allow, self.drop)
        return f"{path}?{query}" if query else path


class Scope(dict[str, str]):
    """URL as found → its URL on the site, "" for one outside the crawl; a cache, because most URLs are found often."""

    def __init__(self, mapping: SiteMapping, prefix: str, query: Query) -> None:
        super().__init__()
        self._mapping = mapping
        self._prefix = prefix
        self._query = query

    def __missing__(self, url: str) -> str:
        if len(self) >= _CACHE_SIZE:
            self.clear()
        on_site = self._mapping.to_site(url)
        in_scope = self._query.clean(on_site) if on_site.startswith(self._prefix) else ""
        self[url] = in_scope
        return in_scope

    def filter(self, urls: Iterable[str], page_url: str) -> tuple[str, ...]:
        """URLs of the crawl, each once, without that of the page itself."""
        inside = dict.fromkeys(map(self.__getitem__, urls))
        inside.pop("", None)
        inside.pop(page_url, None)
        return tuple(inside)
