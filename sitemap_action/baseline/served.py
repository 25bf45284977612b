"""A sitemap as a live site serves it: index and children by their addresses, one in memory at a time."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from sitemap_action.errors import BaselineError, UnreachableError
from sitemap_action.loader.documents import SitemapDocument, children
from sitemap_action.model.sitemap import Child

Web: TypeAlias = Callable[[str], bytes | None]
"""URL → the body of a 200; None of a 404 or 410. Raises UnreachableError when no usable answer came."""


@dataclass(frozen=True, slots=True)
class Served:
    """The files of one sitemap, in order. Children are asked for anew whenever they are gone through."""

    url: str
    content: bytes | None  # of the file at `url`; None when there is none
    web: Web

    def __bool__(self) -> bool:
        return self.content is not None

    def __len__(self) -> int:
        return 0 if self.content is None else 1 + len(children(self.url, self.content))

    def __iter__(self) -> Iterator[SitemapDocument]:
        if self.content is None:
            return
        yield SitemapDocument(self.url, self.content, self.url)
        for child in children(self.url, self.content):
            yield SitemapDocument(child.loc, self._content(child), child.loc)

    def _content(self, child: Child) -> bytes:
        """Of a child that did not come the URLs are unknown, not removed: there is nothing to compare with."""
        try:
            if (content := self.web(child.loc)) is not None:
                return content
            why = "which is not there"
        except UnreachableError as error:
            why = f"which cannot be read: {error}"
        raise BaselineError(
            f"{self.url}:{child.line}: the index lists {child.loc}, {why}",
            hint="repair the index on the site, or compare with another sitemap (baseline)",
        )


def served(url: str, web: Web) -> Served:
    return Served(url, web(url), web)
