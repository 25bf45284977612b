"""Links that a crawler may follow, each URL once (HTML-60…65), and addresses of images (HTML-67).

`Resolver` makes URLs in normal form of raw hrefs. Pages of a site repeat their links, so what an href resolves to is
remembered: one that starts with `/` or `http` for the whole site, another path for its directory.
"""

from collections.abc import Iterable, Sequence
from typing import cast

from turbohtml import Element

from sitemap_action.html.fingerprint import LinkHashes
from sitemap_action.html.head import MetaTag
from sitemap_action.html.tree import HtmlTree, hrefs, in_furniture
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.web import urls
from sitemap_action.web.urls import MAX_LISTED, unlistable_link

_QUALIFIERS = frozenset({"nofollow", "ugc", "sponsored"})
_ROUTE = lazy_re(r"#(?:/|!.)")
_IMAGE_PROPERTIES = frozenset({"og:image", "og:image:url", "og:image:secure_url"})
_SPACE = "\t\n\f\r "
_MAX_CACHED = 512  # characters of a raw href, and of its URL; longer ones are not cached
_MAX_DIRECTORIES = 64
_ABSOLUTE = ("http://", "https://")
_WITH_HOST = (*_ABSOLUTE, "//")
# First characters of hrefs that depend on the page; white space is stripped, so ? or # may follow it.
_OF_ONE_PAGE = frozenset({"", "?", "#", *map(chr, range(0x21))})


def read_anchors(trees: Sequence[HtmlTree]) -> tuple[Sequence[str], frozenset[str]]:
    """The hrefs of a document and its <noscript> elements, and those with nofollow on every anchor (HTML-60, HTML-65).

    They are as written, in document order.
    """
    found: list[str] = []
    for tree in trees:
        if tree.all("area") or any(map(is_qualified, set(tree.rels()))):
            return _read_one_by_one(trees)
        found += tree.hrefs()
    return found, frozenset()


def follow_links(
    hrefs: Sequence[str], qualified: frozenset[str], links: Sequence[str], *, page_nofollow: bool
) -> tuple[tuple[str, ...], frozenset[str]]:
    """The URLs that a page links to, each once in document order, and those of them that nofollow excludes.

    `hrefs` and `qualified` are of `read_anchors`; `links` are the resolved hrefs, one each.
    """
    found = dict.fromkeys(links)
    found.pop("", None)
    if page_nofollow:
        return tuple(found), frozenset(found)
    pairs = [*zip(hrefs, links, strict=True)] if qualified else []
    followed = {link for href, link in pairs if href not in qualified}
    return tuple(found), frozenset(link for _, link in pairs if link and link not in followed)


def absolute_links(hrefs: Sequence[str], links: Sequence[str]) -> tuple[str, ...]:
    """The URLs of links that are written with their host, each once; `links` are the resolved hrefs, one each."""
    found = (link for href, link in zip(hrefs, links, strict=True) if href.startswith(_WITH_HOST))
    return tuple(dict.fromkeys(filter(None, found)))


def count_hash_routes(hrefs: Sequence[str], origin: str = "") -> int:
    """The number of addresses of this site that differ only for a script (HTML-64)."""
    if _ROUTE.search(" ".join(hrefs)) is None:
        return 0
    return len({href for href in hrefs if "#" in href and _is_route(href, origin)})


def _read_one_by_one(trees: Iterable[HtmlTree]) -> tuple[Sequence[str], frozenset[str]]:
    """Each anchor by itself, because some may have nofollow."""
    found: dict[str, bool] = {}
    for tree in trees:
        for anchor in tree.anchors():
            href = anchor.attr("href")
            if href is not None and not found.get(href):
                found[href] = not is_qualified(anchor.attr("rel") or "")
    return list(found), frozenset(href for href, followed in found.items() if not followed)


def _is_route(href: str, origin: str) -> bool:
    """Whether the fragment is a client-side route of this site; those of other sites are not counted."""
    page, _, _ = href.partition("#")
    is_absolute = "://" in page or page.startswith("//")
    return _ROUTE.search(href) is not None and (not is_absolute or page.startswith(f"{origin}/"))


def is_qualified(rel: str) -> bool:
    """Whether a rel value has nofollow, ugc or sponsored, separated by white space or commas (HTML-65)."""
    return not _QUALIFIERS.isdisjoint(rel.lower().replace(",", " ").split())


def content_links(main: Element | None, resolver: "PageResolver") -> set[str]:
    """Links of the main content: URLs, and mailto: and tel: as written."""
    found = [] if main is None else hrefs(main)
    links = set(resolver.resolve(found))
    if "" in links:
        links.remove("")
        links.update(href for href in found if href.startswith(("mailto:", "tel:")))
    return links


def image_sources(trees: Iterable[HtmlTree], metas: Iterable[MetaTag]) -> list[str]:
    """Raw addresses of img[src], the first candidate of img[srcset], and og:image, in that order (HTML-67).

    An image of the page's furniture, or of one pixel, is no content.
    """
    found = []
    for tree in trees:
        for image in tree.all("img"):
            if _is_pixel(image.attr("width")) or _is_pixel(image.attr("height")) or in_furniture(image):
                continue
            if src := image.attr("src"):
                found.append(src)
            if srcset := image.attr("srcset"):
                found.append(_first_candidate(srcset))
    return found + [meta.content for meta in metas if meta.key in _IMAGE_PROPERTIES]


def _is_pixel(size: str | None) -> bool:
    """Whether a width or height is that of an image which nobody sees."""
    return size is not None and size.strip().removesuffix("px") in {"0", "1"}


def _first_candidate(srcset: str) -> str:
    """The URL of the first candidate, "" without one (WHATWG HTML, parse a srcset attribute)."""
    parts = srcset.lstrip(_SPACE + ",").split(None, 1)
    return parts[0].rstrip(",") if parts else ""


class Resolver:
    """Resolves raw hrefs, with caches that all pages of a process share.

    An href that starts with `/` or `http` resolves to the same URL on the whole site, another path in the whole
    directory. Each of the two caches holds `limit` hrefs; a full one is cleared.
    """

    def __init__(self, limit: int = 30_000) -> None:
        self._limit = limit
        self._root = ""  # of the site whose hrefs are cached
        self._origin = ""  # it without the slash; "" for one that is not in normal form, or long
        self._urls: dict[str, str] = {}  # hrefs that resolve to the same URL on all pages of the site
        self._directories: dict[str, dict[str, str]] = {}
        self._cached = 0  # hrefs in all of `_directories`
        self._hashes = LinkHashes("")

    def link_hashes(self, origin: str) -> LinkHashes:
        """The cached hashes of links, for fingerprints of pages at this origin."""
        if self._hashes.origin != origin:
            self._hashes = LinkHashes(origin)
        return self._hashes

    def for_page(self, base: str, page: str) -> "PageResolver":
        """Resolves the links of a page with this base URL."""
        root = base[: base.find("/", 8) + 1]
        if root != self._root or len(self._urls) >= self._limit:
            normal = len(root) <= _MAX_CACHED and urls.are_normalized(f"{root}\n".encode(errors="replace"))
            self._root, self._origin, self._urls = root, root[:-1] if normal else "", {}
            self._directories, self._cached = {}, 0
        return PageResolver(self, self._origin, self._urls, base, is_own_base=base == page)

    def in_directory(self, base: str) -> dict[str, str]:
        """The cache for relative paths in the directory of this base URL: href → URL."""
        directory = base.partition("?")[0].rpartition("/")[0]
        if self._cached >= self._limit or (
            len(self._directories) >= _MAX_DIRECTORIES and directory not in self._directories
        ):
            self._directories, self._cached = {}, 0
        return self._directories.setdefault(directory, {})

    def resolve(self, base: str, href: str, origin: str, site: dict[str, str], directory: dict[str, str]) -> str:
        """Resolves and caches an href that neither cache, `site` or `directory`, has; "" if it leads nowhere."""
        is_path = href[:1] == "/"
        if is_path and origin and len(href) <= _MAX_CACHED and urls.is_normal_path(href):
            url = origin + href
        else:
            url = urls.resolve(base, href) or ""
        if len(href) > _MAX_CACHED or len(url) > _MAX_CACHED or (not url and _may_be_malformed(href)):
            return url
        if is_path or href.startswith(_ABSOLUTE):
            if len(site) < self._limit:
                site[href] = url
        elif href[:1] not in _OF_ONE_PAGE and self._cached < self._limit:
            self._cached += 1
            directory[href] = url
        return url


class PageResolver:
    """Resolves the raw hrefs of one page to URLs in normal form, or "" for those that cannot be followed."""

    __slots__ = ("_base", "_directory", "_is_own_base", "_origin", "_page", "_resolver", "_site", "unlistable")

    def __init__(self, resolver: Resolver, origin: str, site: dict[str, str], base: str, *, is_own_base: bool) -> None:
        self._resolver = resolver
        self._origin = origin
        self._site = site
        self._base = base
        self._is_own_base = is_own_base
        self._directory: dict[str, str] | None = None  # loaded with the first href that the site's cache lacks
        self._page: dict[str, str] = {}  # hrefs resolved for this page: the caches do not take all of them
        self.unlistable: dict[str, str] = {}  # href → address that no sitemap can list, which no cache takes

    def resolve(self, hrefs: Sequence[str]) -> list[str]:
        found = list(map(self._site.get, hrefs))
        if all(found):
            return cast("list[str]", found)
        directory = self._directory
        if directory is None:
            directory = self._directory = self._resolver.in_directory(self._base)
        return [
            url if url is not None else directory[href] if href in directory else self._resolve(href, directory)
            for href, url in zip(hrefs, found, strict=True)
        ]

    def _resolve(self, href: str, directory: dict[str, str]) -> str:
        if self._is_own_base and href[:1] == "#":
            return ""  # HTML-63: a fragment of this page
        if href not in self._page:
            url = self._page[href] = self._resolver.resolve(self._base, href, self._origin, self._site, directory)
            if (not url or len(url) >= MAX_LISTED) and (address := unlistable_link(self._base, href)):
                self.unlistable[href] = address
        return self._page[href]


def _may_be_malformed(href: str) -> bool:
    """Whether an href without a URL may be the address of a page of this site."""
    return ("%" in href or "@" in href) and href[:7] != "mailto:"
