"""The extensions of committed entries where the sitemap is invalid: an element that is not valid is left out (R-09).

Language versions need all entries: a page that its own versions leave out has none (HL-02), and a link counts when its
target links back (HL-03).
"""

from sitemap_action.model.page import Alternate, PageKind
from sitemap_action.model.site import Role, Site
from sitemap_action.model.sitemap import Entry
from sitemap_action.sitemap.extension_faults import valid_extensions
from sitemap_action.sitemap.extensions import is_version_link, parse_extension, replace_versions
from sitemap_action.web.urls import normal_form


class Repair:
    """Reads every committed entry once, before the first is decided."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._shared: dict[frozenset[str], frozenset[str]] = {}  # pages of a cluster share one set
        self._named: dict[str, frozenset[str]] = {}  # URL → the versions that the page names, itself included
        for key, entry in site.entries(Role.COMMITTED):
            if entry.alternates:
                named = frozenset(map(normal_form, _versions(valid_extensions(entry.extensions, key)).values()))
                self._named[key] = self._shared.setdefault(named, named) if key in named else frozenset()

    def extensions(self, key: str, entry: Entry) -> tuple[tuple[Alternate, ...], tuple[str, ...], tuple[str, ...]]:
        """(alternates, images, extensions) as an `Entry` has them. `key`: the URL that is listed."""
        elements = valid_extensions(entry.extensions, key)
        kept = {code: url for code, url in _versions(elements).items() if self._is_mutual(key, normal_form(url))}
        if all(normal_form(url) == key for url in kept.values()):
            kept = {}  # a set of one page says nothing
        alternates, elements = replace_versions(elements, kept)
        images = (parse_extension(one).first("image:loc").text for one in elements if one.startswith("<image:image"))
        return alternates, tuple(images), elements

    def _is_mutual(self, key: str, url: str) -> bool:
        """Whether nothing shows that the target does not link back."""
        if key not in self._named.get(key, ()):
            return False
        if url in self._named:
            return key in self._named[url]
        page = self._site.page(url)
        return url == key or page is None or page.kind is PageKind.FOREIGN


def _versions(elements: tuple[str, ...]) -> dict[str, str]:
    """Hreflang → URL, of the links that are valid alone."""
    links = map(parse_extension, filter(is_version_link, elements))
    return {(one.get("hreflang") or "").strip(): (one.get("href") or "").strip() for one in links}
