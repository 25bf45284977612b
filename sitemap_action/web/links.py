"""Links that a crawler may follow: resolved, normalised, each URL once (HTML-60…65)."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sitemap_action.model.page import Link
from sitemap_action.web import urls
from sitemap_action.web.tree import Tree

_QUALIFIERS = frozenset({"nofollow", "ugc", "sponsored"})
_ROUTE = re.compile(r"#(?:/|!.)")
_LONGEST = 256  # characters of a raw href that is worth remembering
_DIRECTORIES = 64
_ABSOLUTE = ("http://", "https://")
_OF_ONE_PAGE = frozenset({"", "?", "#", *map(chr, range(0x21))})  # what is stripped in front may hide either


class Resolver:
    """Resolves raw hrefs, and remembers those that mean the same on other pages. One per process.

    What begins with `/` or `http` means the same on the whole site, another path in the whole directory.
    """

    def __init__(self, limit: int = 20_000) -> None:
        self._limit = limit
        self._site = ""
        self._known: dict[str, Link | None] = {}
        self._near: dict[str, dict[str, Link | None]] = {}

    def at(self, base: str, page: str) -> "Links":
        """Links as they are meant on a page with this base URL."""
        site = base[: base.find("/", 8) + 1]
        if site != self._site or len(self._known) >= self._limit:
            self._site, self._known, self._near = site, {}, {}
        path = base.partition("?")[0].rpartition("/")[0]
        near = self._near.get(path)
        if near is None or len(near) >= self._limit * 4 // _DIRECTORIES:
            if len(self._near) >= _DIRECTORIES:
                self._near.clear()
            near = self._near[path] = {}
        return Links(base, page, self._known, near, self._limit)


class Links:
    """What raw hrefs mean on one page: a link, or None for what leads nowhere that can be followed."""

    __slots__ = ("_base", "_known", "_most", "_near", "_own")

    def __init__(
        self, base: str, page: str, known: dict[str, Link | None], near: dict[str, Link | None], limit: int
    ) -> None:
        self._base = base
        self._own = base == page
        self._known = known  # what means the same on the whole site
        self._near = near  # and in the whole directory
        self._most = limit

    def of(self, hrefs: Iterable[str]) -> list[Link | None]:
        known, near, resolve = self._known, self._near, self._resolve
        return [known[href] if href in known else near[href] if href in near else resolve(href) for href in hrefs]

    def __getitem__(self, href: str) -> Link | None:
        return self.of([href])[0]

    def _resolve(self, href: str) -> Link | None:
        first = href[:1]
        if first == "#" and self._own:
            return None  # HTML-63: a place on this very page
        url = urls.resolve(self._base, href)
        link = None if url is None else Link(url)
        if first not in _OF_ONE_PAGE and len(href) <= _LONGEST:
            everywhere = first == "/" or href.startswith(_ABSOLUTE)
            memory, most = (self._known, self._most) if everywhere else (self._near, self._most * 4 // _DIRECTORIES)
            if len(memory) < most:
                memory[href] = link
        return link


@dataclass(frozen=True, slots=True)
class Followed:
    """What the anchors of a page come to."""

    links: tuple[Link, ...]  # in document order; a URL linked with and without nofollow is followed
    nofollow: int  # URLs that are linked with nofollow alone
    hash_routes: int  # URLs that only a script can tell apart


def anchors(trees: Iterable[Tree]) -> dict[str, bool]:
    """Raw hrefs in document order, and whether any of their anchors may be followed (HTML-60, HTML-65)."""
    found: dict[str, bool] = {}
    for tree in trees:
        if not tree.all("area") and not any(map(is_qualified, tree.rels())):
            found |= dict.fromkeys(tree.hrefs(), True)
            continue
        for anchor in tree.anchors():
            href = anchor.attr("href")
            if href is not None and not found.get(href):
                found[href] = not is_qualified(anchor.attr("rel") or "")
    return found


def follow(
    anchors: Mapping[str, bool], links: Iterable[Link | None], *, page_nofollow: bool, origin: str = ""
) -> Followed:
    """`anchors` is raw href → whether any of its anchors may be followed, in document order; `links` what they mean."""
    links = list(links)
    found = {link.url: link for link in links if link is not None}
    closed = set() if all(anchors.values()) else _closed(anchors, links)
    found |= {url: Link(url, nofollow=True) for url in (found if page_nofollow else closed)}
    return Followed(
        links=tuple(found.values()),
        nofollow=len(closed),
        hash_routes=sum(_is_route(href, origin) for href in anchors if "#" in href),
    )


def _closed(anchors: Mapping[str, bool], links: Iterable[Link | None]) -> set[str]:
    """URLs that no anchor lets be followed."""
    found: dict[bool, set[str]] = {True: set(), False: set()}
    for followed, link in zip(anchors.values(), links, strict=True):
        if link is not None:
            found[followed].add(link.url)
    return found[False] - found[True]


def _is_route(href: str, origin: str) -> bool:
    """A fragment that a script of this site turns into a page; what another site does with its own is not ours."""
    place, _, _ = href.partition("#")
    elsewhere = "://" in place or place.startswith("//")
    return _ROUTE.search(href) is not None and (not elsewhere or place.startswith(f"{origin}/"))


def is_qualified(rel: str) -> bool:
    """Whether a rel value says nofollow, ugc or sponsored; tokens stand apart by white space or commas (HTML-65)."""
    return not _QUALIFIERS.isdisjoint(rel.lower().replace(",", " ").split())
