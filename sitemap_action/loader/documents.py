"""The documents of one sitemap, in the order in which the loader received them, without their bytes."""

from collections.abc import Iterator
from typing import NamedTuple

from msgspec import Struct
from xxhash import xxh3_128_hexdigest

from sitemap_action.errors import BaselineError
from sitemap_action.loader.stores import Store
from sitemap_action.model.sitemap import DocumentKind, DocumentStart, SitemapDocument
from sitemap_action.sitemap.read import read


class DocumentRow(NamedTuple):
    """One document, without its bytes."""

    path: str  # as findings cite it: a path, or a URL
    key: str  # its path in the store
    url: str  # that its index states, in normal form; of a seed the name that was given
    address: str = ""  # the URL that answered, or the one that its index states; "" of a file that was named
    named: bool = True  # the suffix of the name must fit; False where a Content-Encoding was decoded


def _no_file(_path: str) -> None:
    return None


class Documents(Struct, frozen=True):
    """An index with everything below it, one file, or nothing. Each iteration reads again: one document is in memory.

    Raises BaselineError on the way for a document that was removed since.
    """

    rows: tuple[DocumentRow, ...] = ()
    store: Store = _no_file

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[SitemapDocument]:
        for row in self.rows:
            if (content := self.store(row.key)) is None:
                raise BaselineError(f"{row.path} was removed while it was read", hint="run again")
            yield SitemapDocument(row.path, content, row.address, row.named)


def digest(content: bytes) -> str:
    """Of one document, to compare it with another."""
    return xxh3_128_hexdigest(content)


def same_bytes(one: Documents, other: Documents) -> bool:
    """Whether both hold the same bytes, document by document."""
    return len(one) == len(other) and all(
        mine.content == theirs.content for mine, theirs in zip(one, other, strict=True)
    )


def is_sitemap(content: bytes) -> bool:
    """Whatever is wrong with it."""
    start = next(read(content))
    return isinstance(start, DocumentStart) and start.kind is not DocumentKind.UNKNOWN
