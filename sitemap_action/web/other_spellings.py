"""Other spellings of a site's host: http for https, www. for the bare domain; each is another site (URL-28)."""

from collections.abc import Collection

from msgspec import Struct

from sitemap_action.web.site_mapping import SiteMapping, is_preview, www_twin
from sitemap_action.web.urls import origin


class OtherSpellings(Struct, frozen=True):
    """Counts the links of a page to each of them."""

    origins: tuple[str, ...]

    def count(self, links: Collection[str]) -> tuple[tuple[str, int], ...]:
        """(origin, links to it), without those that no link names."""
        text = "\n".join(("", *links))  # one search per spelling, however many links a page has
        return tuple((one, count) for one in self.origins if (count := text.count(f"\n{one}/")))


NO_OTHER_SPELLINGS = OtherSpellings(())


def other_spellings(site_url: str, mapping: SiteMapping | None = None) -> OtherSpellings:
    """`mapping`: of a served site, which reaches some spellings of it."""
    site = origin(site_url)
    if is_preview(site_url) or ":" in site.partition("://")[2]:
        return OtherSpellings(())
    other = site.replace("https:", "http:", 1) if site.startswith("https:") else site.replace("http:", "https:", 1)
    found = (other, www_twin(site), www_twin(other))
    path = site_url[len(site) :]
    return OtherSpellings(
        tuple(
            one
            for one in found
            if mapping is None
            or (mapping.to_site(one + path) == one + path and not mapping.served.startswith(f"{one}/"))
        )
    )
