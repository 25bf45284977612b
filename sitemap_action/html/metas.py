"""What the <meta> elements of a document say, each read once."""

from collections.abc import Sequence
from typing import NamedTuple

from turbohtml import Element

_MOST = 1000  # elements that are looked at


class Meta(NamedTuple):
    """One <meta> that has content; names in lower case, "" where it has none."""

    name: str
    key: str  # property, else name, else itemprop
    pragma: str  # http-equiv
    content: str


def read(elements: Sequence[Element]) -> list[Meta]:
    found = []
    for element in elements[:_MOST]:
        attr = element.attr
        if content := attr("content"):
            name = _lower(attr("name"))
            key = _lower(attr("property")) or name or _lower(attr("itemprop"))
            found.append(Meta(name, key, "" if key else _lower(attr("http-equiv")), content.strip()))
    return found


def _lower(value: str | None) -> str:
    return value.strip().lower() if value else ""
