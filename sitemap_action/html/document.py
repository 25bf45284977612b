"""A document before and after it is read, and what a run asks for: without the parser, which takes time to load."""

from typing import NamedTuple

from msgspec import Struct

from sitemap_action.model.page import Facts
from sitemap_action.web.headers import Headers


class HtmlDocument(Struct, frozen=True):
    """The facts and URLs of one document."""

    facts: Facts
    media_type: str
    links: tuple[str, ...] = ()  # URLs of pages, each once, in document order; those in <noscript> come last
    nofollow: frozenset[str] = frozenset()  # those of them that nofollow excludes (HTML-65)
    unlistable: tuple[str, ...] = ()  # addresses of links that no sitemap can list, as text (URL-30, URL-32)
    resources: tuple[str, ...] = ()  # URLs of scripts and style sheets, where they are requested
    related: tuple[str, ...] = ()  # URLs to fetch that are no internal links: canonical, hreflang, next, prev (HTML-66)


class OptionalFacts(NamedTuple):
    """Facts that few runs need, and a third of the time for a page. Those not requested stay empty."""

    fingerprint: bool = True
    images: bool = True
    videos: bool = True
    articles: bool = True
    dates: bool = True
    digest: bool = True
    resources: bool = False  # scripts and style sheets, which `fetch.blocked_resources` judges

    def union(self, other: "OptionalFacts") -> "OptionalFacts":
        return OptionalFacts(*(one or two for one, two in zip(self, other, strict=True)))


ALL_OPTIONAL = OptionalFacts()
NO_OPTIONAL = OptionalFacts(*[False] * len(OptionalFacts._fields))


class RawDocument(NamedTuple):
    """A response body that has not been parsed. `url` is in normal form."""

    body: bytes
    headers: Headers
    url: str
    optional: OptionalFacts = ALL_OPTIONAL
    rendered: bool = False  # its scripts have run
