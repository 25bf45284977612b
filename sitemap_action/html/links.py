"""Links that a crawler may follow: resolved, normalised, each URL once (HTML-60…65)."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple, cast

from sitemap_action.html.fingerprint import Marks
from sitemap_action.html.tree import HtmlTree
from sitemap_action.web import urls

_QUALIFIERS = frozenset({"nofollow", "ugc", "sponsored"})
_ROUTE = re.compile(r"#(?:/|!.)")
_LONGEST = 512  # characters of a raw href, and of its URL, that are worth remembering
_DIRECTORIES = 64
_ABSOLUTE = ("http://", "https://")
_OF_ONE_PAGE = frozenset({"", "?", "#", *map(chr, range(0x21))})  # what is stripped in front may hide either


class _Site(NamedTuple):
    """What raw hrefs mean on all pages of a site."""

    root: str
    origin: str  # without the slash; "" for one that is not in normal form, or long
    known: dict[str, str]


class Resolver:
    """Resolves raw hrefs, and remembers what they mean on other pages. One per process.

    What begins with `/` or `http` means the same on the whole site, another path in the whole directory. Either memory
    holds `limit` hrefs; when one is full, it begins anew.
    """

    def __init__(self, limit: int = 30_000) -> None:
        self._limit = limit
        self._site = _Site("", "", {})
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
        root = base[: base.find("/", 8) + 1]
        if root != self._site.root or len(self._site.known) >= self._limit:
            normal = len(root) <= _LONGEST and urls.are_normal(f"{root}\n".encode(errors="replace"))
            self._site = _Site(root, root[:-1] if normal else "", {})
            self._near, self._held = {}, 0
        return Links(self, self._site, base, own=base == page)

    def near(self, base: str) -> dict[str, str]:
        """What paths are known to mean in the directory of this base URL."""
        directory = base.partition("?")[0].rpartition("/")[0]
        if self._held >= self._limit or (len(self._near) >= _DIRECTORIES and directory not in self._near):
            self._near, self._held = {}, 0
        return self._near.setdefault(directory, {})

    def resolve(self, base: str, href: str, site: _Site, near: dict[str, str]) -> str:
        """What neither memory knows yet, that of the base's site and of its directory; "" for what leads nowhere."""
        rooted = href[:1] == "/"
        if rooted and site.origin and len(href) <= _LONGEST and urls.is_normal_path(href):
            url = site.origin + href
        else:
            url = urls.resolve(base, href) or ""
        if len(href) > _LONGEST or len(url) > _LONGEST:
            return url
        if rooted or href.startswith(_ABSOLUTE):
            if len(site.known) < self._limit:
                site.known[href] = url
        elif href[:1] not in _OF_ONE_PAGE and self._held < self._limit:
            self._held += 1
            near[href] = url
        return url


class Links:
    """What raw hrefs mean on one page: a URL in normal form, or "" for what leads nowhere that can be followed."""

    __slots__ = ("_base", "_here", "_near", "_own", "_resolver", "_site")

    def __init__(self, resolver: Resolver, site: _Site, base: str, *, own: bool) -> None:
        self._resolver = resolver
        self._site = site
        self._base = base
        self._own = own
        self._near: dict[str, str] | None = None  # not looked for before something is new
        self._here: dict[str, str] = {}  # what was new on this page: not all of it is remembered for others

    def of(self, hrefs: Sequence[str]) -> list[str]:
        found = list(map(self._site.known.get, hrefs))
        if all(found):
            return cast("list[str]", found)
        near = self._near
        if near is None:
            near = self._near = self._resolver.near(self._base)
        return [
            url if url is not None else near[href] if href in near else self._new(href, near)
            for href, url in zip(hrefs, found, strict=True)
        ]

    def _new(self, href: str, near: dict[str, str]) -> str:
        if self._own and href[:1] == "#":
            return ""  # HTML-63: a place on this very page
        if href not in self._here:
            self._here[href] = self._resolver.resolve(self._base, href, self._site, near)
        return self._here[href]


class Anchors(NamedTuple):
    """The anchors of a page."""

    hrefs: Sequence[str]  # as written, in document order
    closed: frozenset[str]  # those of them that no anchor lets be followed


class Followed(NamedTuple):
    """What the anchors of a page come to."""

    links: tuple[str, ...]  # URLs, each once, in document order
    closed: frozenset[str]  # those of them that the page does not let be followed
    nofollow: int  # URLs that are linked with nofollow alone
    hash_routes: int  # URLs that only a script can tell apart


def anchors(trees: Sequence[HtmlTree]) -> Anchors:
    """What the anchors of a document and of its <noscript> elements say (HTML-60, HTML-65)."""
    hrefs: list[str] = []
    for tree in trees:
        if tree.all("area") or any(map(is_qualified, set(tree.rels()))):
            return _told_apart(trees)
        hrefs += tree.hrefs()
    return Anchors(hrefs, frozenset())


def follow(anchors: Anchors, links: Sequence[str], *, page_nofollow: bool, origin: str = "") -> Followed:
    """`links` is what each of the hrefs means."""
    found = dict.fromkeys(links)
    found.pop("", None)
    closed = _closed(anchors, links) if anchors.closed else frozenset()
    return Followed(
        links=tuple(found),
        closed=frozenset(found) if page_nofollow else closed,
        nofollow=len(closed),
        hash_routes=_hash_routes(anchors.hrefs, origin),
    )


def _told_apart(trees: Iterable[HtmlTree]) -> Anchors:
    """Anchors one by one: some may be closed."""
    found: dict[str, bool] = {}
    for tree in trees:
        for anchor in tree.anchors():
            href = anchor.attr("href")
            if href is not None and not found.get(href):
                found[href] = not is_qualified(anchor.attr("rel") or "")
    return Anchors(list(found), frozenset(href for href, followed in found.items() if not followed))


def _closed(anchors: Anchors, links: Iterable[str]) -> frozenset[str]:
    """URLs that no anchor lets be followed."""
    found: dict[bool, set[str]] = {True: set(), False: set()}
    for href, link in zip(anchors.hrefs, links, strict=True):
        found[href in anchors.closed].add(link)
    return frozenset(found[True] - found[False] - {""})


def _hash_routes(hrefs: Sequence[str], origin: str) -> int:
    if _ROUTE.search(" ".join(hrefs)) is None:
        return 0
    return len({href for href in hrefs if "#" in href and _is_route(href, origin)})


def _is_route(href: str, origin: str) -> bool:
    """A fragment that a script of this site turns into a page; what another site does with its own is not ours."""
    place, _, _ = href.partition("#")
    elsewhere = "://" in place or place.startswith("//")
    return _ROUTE.search(href) is not None and (not elsewhere or place.startswith(f"{origin}/"))


def is_qualified(rel: str) -> bool:
    """Whether a rel value says nofollow, ugc or sponsored; tokens stand apart by white space or commas (HTML-65)."""
    return not _QUALIFIERS.isdisjoint(rel.lower().replace(",", " ").split())
