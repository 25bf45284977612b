"""Links that a crawler may follow, each URL once (HTML-60…65); addresses of images (HTML-67)."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from turbohtml import Element

from sitemap_action.html.head import MetaTag
from sitemap_action.html.resolver import PageResolver
from sitemap_action.html.tree import HtmlTree, hrefs, in_furniture

_QUALIFIERS = frozenset({"nofollow", "ugc", "sponsored"})
_ROUTE = re.compile(r"#(?:/|!.)")
_IMAGE_PROPERTIES = frozenset({"og:image", "og:image:url", "og:image:secure_url"})
_SPACE = "\t\n\f\r "


class Anchors(NamedTuple):
    """The anchors of a page."""

    hrefs: Sequence[str]  # as written, in document order
    nofollow: frozenset[str]  # hrefs with nofollow on every anchor


class Followed(NamedTuple):
    """The links of a page, from its anchors."""

    links: tuple[str, ...]  # URLs, each once, in document order
    nofollow: frozenset[str]  # those of them that nofollow excludes, of the link or of the page
    hash_routes: int  # URLs that differ only for a script


def anchors(trees: Sequence[HtmlTree]) -> Anchors:
    """The anchors of a document and of its <noscript> elements (HTML-60, HTML-65)."""
    hrefs: list[str] = []
    for tree in trees:
        if tree.all("area") or any(map(is_qualified, set(tree.rels()))):
            return _one_by_one(trees)
        hrefs += tree.hrefs()
    return Anchors(hrefs, frozenset())


def follow(anchors: Anchors, links: Sequence[str], *, page_nofollow: bool, origin: str = "") -> Followed:
    """`links` are the resolved hrefs, one each."""
    found = dict.fromkeys(links)
    found.pop("", None)
    nofollow = _nofollow(anchors, links) if anchors.nofollow else frozenset()
    return Followed(
        links=tuple(found),
        nofollow=frozenset(found) if page_nofollow else nofollow,
        hash_routes=_hash_routes(anchors.hrefs, origin),
    )


def _one_by_one(trees: Iterable[HtmlTree]) -> Anchors:
    """Parser path: reads each anchor, because some may have nofollow."""
    found: dict[str, bool] = {}
    for tree in trees:
        for anchor in tree.anchors():
            href = anchor.attr("href")
            if href is not None and not found.get(href):
                found[href] = not is_qualified(anchor.attr("rel") or "")
    return Anchors(list(found), frozenset(href for href, followed in found.items() if not followed))


def _nofollow(anchors: Anchors, links: Iterable[str]) -> frozenset[str]:
    """URLs with nofollow on every anchor."""
    found: dict[bool, set[str]] = {True: set(), False: set()}
    for href, link in zip(anchors.hrefs, links, strict=True):
        found[href in anchors.nofollow].add(link)
    return frozenset(found[True] - found[False] - {""})


def _hash_routes(hrefs: Sequence[str], origin: str) -> int:
    if _ROUTE.search(" ".join(hrefs)) is None:
        return 0
    return len({href for href in hrefs if "#" in href and _is_route(href, origin)})


def _is_route(href: str, origin: str) -> bool:
    """Whether the fragment is a client-side route of this site; those of other sites are not counted."""
    page, _, _ = href.partition("#")
    is_absolute = "://" in page or page.startswith("//")
    return _ROUTE.search(href) is not None and (not is_absolute or page.startswith(f"{origin}/"))


def is_qualified(rel: str) -> bool:
    """Whether a rel value has nofollow, ugc or sponsored, separated by white space or commas (HTML-65)."""
    return not _QUALIFIERS.isdisjoint(rel.lower().replace(",", " ").split())


def content_links(main: Element | None, resolver: PageResolver) -> set[str]:
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
