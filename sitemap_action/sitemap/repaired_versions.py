"""The language versions of one entry, without what makes a sitemap invalid (HL-01, HL-05, HL-06)."""

from collections.abc import Iterable, Mapping

from sitemap_action.model.page import Alternate
from sitemap_action.sitemap.extensions import ExtensionNode, parse_extension
from sitemap_action.sitemap.language_codes import normal_hreflang
from sitemap_action.sitemap.repaired import LINK, canonical
from sitemap_action.web.site_mapping import leaks
from sitemap_action.web.urls import BadUrl, normalize


def is_version(element: str) -> bool:
    """Whether a canonical element is a link with an hreflang."""
    return element.startswith(LINK) and " hreflang=" in element


def named_versions(extensions: Iterable[str], loc: str) -> Mapping[str, str]:
    """Code → address, of the links that are valid alone; of two with one code the first counts.

    A locale's spelling (`en_US`) is normal where it is a code; any other bad code is left out.
    """
    found: dict[str, str] = {}
    seen: set[str] = set()
    for node in map(parse_extension, filter(is_version, extensions)):
        code, href = normal_hreflang(node.get("hreflang") or ""), (node.get("href") or "").strip()
        url = normal_url(href)
        if "alternate" not in (node.get("rel") or "").lower().split() or not url or leaks(url, loc):
            continue
        if code and code.lower() not in seen:
            seen.add(code.lower())
            found[code] = href
    return found


def with_versions(
    extensions: tuple[str, ...], versions: Mapping[str, str]
) -> tuple[tuple[Alternate, ...], tuple[str, ...]]:
    """(alternates, extensions) of an entry with these versions and no other."""
    links = [
        canonical(
            ExtensionNode("xhtml:link", (("href", href), ("hreflang", code), ("rel", "alternate"))),
            "xhtml",
        )
        for code, href in versions.items()
    ]
    alternates = tuple(Alternate(code, href) for code, href in versions.items())
    return alternates, (*links, *(one for one in extensions if not is_version(one)))


def normal_url(text: str) -> str:
    """The normal form of a URL; "" when it has none."""
    try:
        return normalize(text)
    except BadUrl:
        return ""
