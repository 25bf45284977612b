"""Images of a page, for the image extension of a sitemap (HTML-67)."""

from collections.abc import Iterable, Iterator

from turbohtml import Element

from sitemap_action.web.metas import Meta

_PROPERTIES = frozenset({"og:image", "og:image:url", "og:image:secure_url"})
_SPACE = "\t\n\f\r "


def sources(images: Iterable[Element], metas: Iterable[Meta]) -> list[str]:
    """Raw addresses of img[src], the first candidate of img[srcset], and og:image, in that order, each once."""
    return list(dict.fromkeys((*_of_images(images), *(meta.content for meta in metas if meta.key in _PROPERTIES))))


def first_candidate(srcset: str) -> str:
    """The URL of the first candidate, "" without one (WHATWG HTML, parse a srcset attribute)."""
    words = srcset.lstrip(_SPACE + ",").split(None, 1)
    return words[0].rstrip(",") if words else ""


def _of_images(images: Iterable[Element]) -> Iterator[str]:
    for image in images:
        if src := image.attr("src"):
            yield src
        if srcset := image.attr("srcset"):
            yield first_candidate(srcset)
