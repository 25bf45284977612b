"""The <meta> elements of a document, each read once."""

from collections.abc import Sequence
from typing import NamedTuple

from turbohtml import Element

_MAX_ELEMENTS = 1000  # the rest is ignored


class MetaTag(NamedTuple):
    """One <meta> with content; names in lower case, "" for a missing one."""

    name: str
    key: str  # property, else name, else itemprop
    pragma: str  # http-equiv
    content: str


def read_meta_tags(elements: Sequence[Element]) -> list[MetaTag]:
    found = []
    for element in elements[:_MAX_ELEMENTS]:
        attr = element.attr
        if content := attr("content"):
            name = _lower(attr("name"))
            key = _lower(attr("property")) or name or _lower(attr("itemprop"))
            found.append(MetaTag(name, key, "" if key else _lower(attr("http-equiv")), content.strip()))
    return found


def _lower(value: str | None) -> str:
    return value.strip().lower() if value else ""
