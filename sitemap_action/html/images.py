"""Images of a page, for the image extension of a sitemap (HTML-67)."""

from collections.abc import Iterable

from sitemap_action.html.metas import Meta
from sitemap_action.html.tree import HtmlTree

_PROPERTIES = frozenset({"og:image", "og:image:url", "og:image:secure_url"})
_SPACE = "\t\n\f\r "


def sources(trees: Iterable[HtmlTree], metas: Iterable[Meta]) -> list[str]:
    """Raw addresses of img[src], the first candidate of img[srcset], and og:image, in that order."""
    found = []
    for tree in trees:
        for image in tree.all("img"):
            if src := image.attr("src"):
                found.append(src)
            if srcset := image.attr("srcset"):
                found.append(first_candidate(srcset))
    return found + [meta.content for meta in metas if meta.key in _PROPERTIES]


def first_candidate(srcset: str) -> str:
    """The URL of the first candidate, "" without one (WHATWG HTML, parse a srcset attribute)."""
    words = srcset.lstrip(_SPACE + ",").split(None, 1)
    return words[0].rstrip(",") if words else ""
