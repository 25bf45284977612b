"""Images of entries as the pages show them (`output.extensions`): content that search engines may fetch."""

import re
from collections.abc import Iterable, Iterator

from sitemap_action.model.mask import Mask
from sitemap_action.robots.image_agents import image_agents
from sitemap_action.select.criteria import SelectPolicy
from sitemap_action.sitemap.extensions import ExtensionNode
from sitemap_action.sitemap.repaired import MAX_IMAGES, canonical
from sitemap_action.web.site_mapping import leaks
from sitemap_action.web.urls import origin

_NO_CONTENT = re.compile(
    r"(?:blank|clear|empty|pixel|placeholder|spacer|transparent|1x1|(?:[^/]*[-_.])?sprites?)(?:\.[a-z]+)?",
    re.IGNORECASE,
)
"""File names of images that show nothing, or many things at once."""


class PageImages:
    """Decides over the images of one page at a time."""

    def __init__(self, policy: SelectPolicy, mask: Mask) -> None:
        self._mask = mask
        self._robots = policy.robots
        self._agents = () if policy.robots is None else image_agents(policy.robots, policy.select.agents)
        self._origin = f"{origin(policy.site_url)}/"

    def of(self, page: str, images: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """(URLs, elements) of at most 1,000 images, each once (IMG-02). `images`: in normal form."""
        found = tuple(url for url, _ in zip(self._shown(page, images), range(MAX_IMAGES), strict=False))
        return found, tuple(map(_element, found))

    def _shown(self, page: str, images: Iterable[str]) -> Iterator[str]:
        for url in dict.fromkeys(images):
            name = url.partition("?")[0].rpartition("/")[2]
            if url == page or _NO_CONTENT.fullmatch(name) or leaks(url, page) or self._mask.hides(url):
                continue
            if not self._blocked(url):
                yield url

    def _blocked(self, url: str) -> bool:
        """IMG-04, as far as one robots.txt says."""
        if self._robots is None or not url.startswith(self._origin):
            return False
        return self._robots.block(self._agents, url) is not None


def _element(url: str) -> str:
    return canonical(ExtensionNode("image:image", children=(ExtensionNode("image:loc", text=url),)), "image")
