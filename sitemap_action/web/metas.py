"""What the <meta> elements of a document say, each read once."""

from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from turbohtml import Element

_MOST = 1000  # elements that are looked at


class Meta(NamedTuple):
    """One <meta> that has content; names in lower case, "" where it has none."""

    name: str
    key: str  # property, else name, else itemprop
    pragma: str  # http-equiv
    content: str


def read(elements: Iterable[Element]) -> list[Meta]:
    found = []
    for element in islice(elements, _MOST):
        content = element.attr("content")
        if content:
            name = _lower(element, "name")
            key = _lower(element, "property") or name or _lower(element, "itemprop")
            found.append(Meta(name, key, "" if key else _lower(element, "http-equiv"), content.strip()))
    return found


def _lower(element: Element, name: str) -> str:
    value = element.attr(name)
    return value.strip().lower() if value else ""
