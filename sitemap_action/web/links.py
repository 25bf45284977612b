"""Links that a crawler may follow: resolved, normalised, each URL once (HTML-60…65)."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sitemap_action.model.page import Link
from sitemap_action.web import urls

_QUALIFIERS = frozenset({"nofollow", "ugc", "sponsored"})
_ROUTE = re.compile(r"#(?:/|!.)")
_LONGEST = 256  # characters of a raw href that is worth remembering
_DIRECTORIES = 64


class Resolver:
    """Resolves raw hrefs, and remembers those that mean the same on other pages. One per process.

    What begins with `/` or `http` means the same on the whole site, another path in the whole directory.
    """

    def __init__(self, limit: int = 20_000) -> None:
        self._limit = limit
        self._site = ""
        self._known: dict[str, Link | None] = {}
        self._near: dict[str, dict[str, Link | None]] = {}  # by directory

    def resolve(self, base: str, hrefs: Iterable[str]) -> dict[str, Link | None]:
        """Each raw href with its link, None when it leads nowhere that can be followed."""
        known, near = self._memory(base)
        found: dict[str, Link | None] = {}
        for href in hrefs:
            if href in known:
                found[href] = known[href]
            elif href in near:
                found[href] = near[href]
            else:
                url = urls.resolve(base, href)
                found[href] = link = None if url is None else Link(url)
                if href.startswith(("/", "http://", "https://")):
                    if len(href) <= _LONGEST:
                        known[href] = link
                elif len(href) <= _LONGEST and not href.startswith(("?", "#")):
                    near[href] = link
        return found

    def _memory(self, base: str) -> tuple[dict[str, Link | None], dict[str, Link | None]]:
        site = base[: base.find("/", 8) + 1]
        if site != self._site or len(self._known) > self._limit:
            self._site, self._known = site, {}
        directory = base.partition("?")[0].rpartition("/")[0]
        if directory not in self._near and len(self._near) >= _DIRECTORIES:
            self._near.clear()
        near = self._near.setdefault(directory, {})
        if len(near) * _DIRECTORIES > self._limit * 4:
            near.clear()
        return self._known, near


@dataclass(frozen=True, slots=True)
class Followed:
    """What the anchors of a page come to."""

    links: tuple[Link, ...]  # in document order; a URL linked with and without nofollow is followed
    nofollow: int  # URLs that are linked with nofollow alone
    hash_routes: int  # URLs that only a script can tell apart


def follow(
    anchors: Mapping[str, bool], resolved: Mapping[str, Link | None], *, page_nofollow: bool, origin: str = ""
) -> Followed:
    """`anchors` is raw href → whether any of its anchors may be followed, in document order.

    What `resolved` does not have is no link.
    """
    links: dict[str, Link] = {}
    closed: list[str] = []
    for href, followed in anchors.items():
        if (link := resolved.get(href)) is not None:
            if followed:
                links[link.url] = link
            elif link.url not in links:
                links[link.url] = Link(link.url, nofollow=True)
                closed.append(link.url)
    return Followed(
        links=tuple(Link(url, nofollow=True) for url in links) if page_nofollow else tuple(links.values()),
        nofollow=sum(links[url].nofollow for url in closed),
        hash_routes=sum(1 for href in anchors if "#" in href and _is_route(href, origin)),
    )


def _is_route(href: str, origin: str) -> bool:
    """A fragment that a script of this site turns into a page; what another site does with its own is not ours."""
    place, _, _ = href.partition("#")
    elsewhere = "://" in place or place.startswith("//")
    return _ROUTE.search(href) is not None and (not elsewhere or place.startswith(f"{origin}/"))


def is_qualified(rel: str) -> bool:
    """Whether a rel value says nofollow, ugc or sponsored; tokens stand apart by white space or commas (HTML-65)."""
    return not _QUALIFIERS.isdisjoint(rel.lower().replace(",", " ").split())
