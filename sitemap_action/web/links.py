"""Links that a crawler may follow: resolved, normalised, each URL once (HTML-60…65)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sitemap_action.web import urls
from sitemap_action.web.fingerprint import Marks
from sitemap_action.web.tree import Tree

_QUALIFIERS = frozenset({"nofollow", "ugc", "sponsored"})
_ROUTE = re.compile(r"#(?:/|!.)")
_LONGEST = 512  # characters of a raw href, and of its URL, that are worth remembering
_DIRECTORIES = 64
_ABSOLUTE = ("http://", "https://")
_OF_ONE_PAGE = frozenset({"", "?", "#", *map(chr, range(0x21))})  # what is stripped in front may hide either


class Resolver:
    """Resolves raw hrefs, and remembers what they mean on other pages. One per process.

    What begins with `/` or `http` means the same on the whole site, another path in the whole directory. Either memory
    holds `limit` hrefs; when one is full, it begins anew.
    """

    def __init__(self, limit: int = 30_000) -> None:
        self._limit = limit
        self._site = ""
        self._everywhere: dict[str, str] = {}
        self._near: dict[str, dict[str, str]] = {}
        self._held = 0  # hrefs in all of `_near`
        self._marks = Marks("")

    def marks(self, origin: str) -> Marks:
        """What links of pages at this origin add to their fingerprints."""
        if self._marks.origin != origin:
            self._marks = Marks(origin)
        return self._marks

    def at(self, base: str, page: str) -> "Links":
        """Links as they are meant on a page with this base URL."""
        site = base[: base.find("/", 8) + 1]
        if site != self._site or len(self._everywhere) >= self._limit:
            self._site, self._everywhere, self._near, self._held = site, {}, {}, 0
        directory = base.partition("?")[0].rpartition("/")[0]
        if self._held >= self._limit or (len(self._near) >= _DIRECTORIES and directory not in self._near):
            self._near, self._held = {}, 0
        near = self._near.setdefault(directory, {})
        return Links(self, base, self._everywhere, near, own=base == page)

    def resolve(self, base: str, href: str, near: dict[str, str]) -> str:
        """What neither memory knows yet; "" for what leads nowhere. `near` is that of the base's directory."""
        url = urls.resolve(base, href) or ""
        first = href[:1]
        if first in _OF_ONE_PAGE or len(href) > _LONGEST or len(url) > _LONGEST:
            return url
        if first == "/" or href.startswith(_ABSOLUTE):
            if len(self._everywhere) < self._limit:
                self._everywhere[href] = url
        elif self._held < self._limit:
            self._held += 1
            near[href] = url
        return url


class Links:
    """What raw hrefs mean on one page: a URL in normal form, or "" for what leads nowhere that can be followed."""

    __slots__ = ("_base", "_everywhere", "_near", "_own", "_resolver")

    def __init__(
        self, resolver: Resolver, base: str, everywhere: dict[str, str], near: dict[str, str], *, own: bool
    ) -> None:
        self._resolver = resolver
        self._base = base
        self._everywhere = everywhere
        self._near = near
        self._own = own

    def of(self, hrefs: Iterable[str]) -> list[str]:
        everywhere, near = self._everywhere, self._near
        return [
            everywhere[href] if href in everywhere else near[href] if href in near else self._new(href)
            for href in hrefs
        ]

    def _new(self, href: str) -> str:
        if self._own and href[:1] == "#":
            return ""  # HTML-63: a place on this very page
        return self._resolver.resolve(self._base, href, self._near)


class Followed(NamedTuple):
    """What the anchors of a page come to."""

    links: tuple[str, ...]  # URLs, each once, in document order
    closed: frozenset[str]  # those of them that the page does not let be followed
    nofollow: int  # URLs that are linked with nofollow alone
    hash_routes: int  # URLs that only a script can tell apart


def anchors(trees: Iterable[Tree]) -> dict[str, bool]:
    """Raw hrefs in document order, and whether any of their anchors may be followed (HTML-60, HTML-65)."""
    found: dict[str, bool] = {}
    for tree in trees:
        if not tree.all("area") and not any(map(is_qualified, tree.rels())):
            hrefs = dict.fromkeys(tree.hrefs(), True)
            found = found | hrefs if found else hrefs
            continue
        for anchor in tree.anchors():
            href = anchor.attr("href")
            if href is not None and not found.get(href):
                found[href] = not is_qualified(anchor.attr("rel") or "")
    return found


def follow(anchors: Mapping[str, bool], links: Sequence[str], *, page_nofollow: bool, origin: str = "") -> Followed:
    """`anchors` is raw href → whether any of its anchors may be followed, in document order; `links` what they mean."""
    found = dict.fromkeys(links)
    found.pop("", None)
    closed = frozenset() if all(anchors.values()) else _closed(anchors, links)
    return Followed(
        links=tuple(found),
        closed=frozenset(found) if page_nofollow else closed,
        nofollow=len(closed),
        hash_routes=len([href for href in anchors if "#" in href and _is_route(href, origin)]),
    )


def _closed(anchors: Mapping[str, bool], links: Iterable[str]) -> frozenset[str]:
    """URLs that no anchor lets be followed."""
    found: dict[bool, set[str]] = {True: set(), False: set()}
    for followed, link in zip(anchors.values(), links, strict=True):
        found[followed].add(link)
    return frozenset(found[False] - found[True] - {""})


def _is_route(href: str, origin: str) -> bool:
    """A fragment that a script of this site turns into a page; what another site does with its own is not ours."""
    place, _, _ = href.partition("#")
    elsewhere = "://" in place or place.startswith("//")
    return _ROUTE.search(href) is not None and (not elsewhere or place.startswith(f"{origin}/"))


def is_qualified(rel: str) -> bool:
    """Whether a rel value says nofollow, ugc or sponsored; tokens stand apart by white space or commas (HTML-65)."""
    return not _QUALIFIERS.isdisjoint(rel.lower().replace(",", " ").split())
