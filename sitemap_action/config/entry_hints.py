"""The types of `output.changefreq` and `output.priority`: values by pattern, of which each may be empty."""

from collections.abc import Mapping

from msgspec import Struct

from sitemap_action.config import values
from sitemap_action.config.types import Json, KnownNames, MapOf, MappingNode, Node, OptionType, ScalarNode, name_choice

DEPTH = "depth"
"""A priority by clicks from the start page: 1.0, 0.9 … 0.1."""

HOME = "home"
"""A priority of 1.0 for the start page, and 0.5 for any other."""

EVERYWHERE = "/**"


class EmptyOr(Struct, frozen=True):
    """A value, or nothing: "" leaves the field out."""

    inner: OptionType[str]

    def describe(self, known: KnownNames) -> str:
        return f"{self.inner.describe(known)}, or empty"

    def read(self, node: Node, key: str, known: KnownNames) -> str:
        return "" if isinstance(node, ScalarNode) and not node.text else self.inner.read(node, key, known)

    def schema(self, known: KnownNames) -> Mapping[str, Json]:
        return {"anyOf": [self.inner.schema(known), {"enum": ["", None]}]}


class PriorityType:
    """`depth`, `home`, or a value for each pattern."""

    _names = name_choice((DEPTH, HOME))
    _number = values.matching(
        "a number from 0.0 to 1.0, depth or home",
        "0.8",
        rf"0(?:\.[0-9]{{1,3}})?|1(?:\.0{{1,3}})?|{DEPTH}|{HOME}",
        str,
        numeric=True,
    )
    _by_pattern = MapOf(values.pattern, EmptyOr(_number))

    def describe(self, _known: KnownNames) -> str:
        return "depth, home, or a mapping of patterns to numbers from 0.0 to 1.0, depth or home"

    def read(self, node: Node, key: str, known: KnownNames) -> Mapping[str, str]:
        if isinstance(node, MappingNode):
            return self._by_pattern.read(node, key, known)
        return {EVERYWHERE: self._names.read(node, key, known)}

    def schema(self, known: KnownNames) -> Mapping[str, Json]:
        return {"anyOf": [self._names.schema(known), self._by_pattern.schema(known)]}
