"""The type of `output.extensions`: `keep`, or the extensions that are made from what the pages state."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from sitemap_action.config import values
from sitemap_action.config.fields import option
from sitemap_action.config.problem import InvalidValue, Problem
from sitemap_action.config.types import Json, KnownNames, ListOf, Node, OneOf, choice

KEEP = "keep"
"""Those of the committed entries, and no other."""


class Extension(StrEnum):
    """What the pages of a site can state about themselves."""

    HREFLANG = "hreflang"
    IMAGE = "image"
    VIDEO = "video"
    NEWS = "news"


class NewsConfig(Struct, frozen=True, kw_only=True):
    """The publication that the articles of a news sitemap belong to."""

    name: str = option(
        "",
        values.optional(values.one_line),
        "Name of the publication, as on news.google.com; needed where output.extensions lists news.",
        default_text="none",
    )
    language: str = option(
        "",
        values.optional(
            values.matching(
                "a language code of two or three letters, zh-cn or zh-tw", "en", "[a-z]{2,3}|zh-cn|zh-tw", str
            )
        ),
        "Language of the publication; needed where output.extensions lists news.",
        default_text="none",
    )


class ExtensionsType:
    """`keep`, which is an empty tuple, or a list of extensions."""

    _names = ListOf(choice(Extension), at_least=1)
    _all: ListOf[Extension | None] = ListOf(
        OneOf(lambda _known: {KEEP: None, **{name.value: name for name in Extension}}), at_least=1
    )
    commas = True

    def describe(self, known: KnownNames) -> str:
        return self._all.describe(known)

    def read(self, node: Node, key: str, known: KnownNames) -> tuple[Extension, ...]:
        names = self._all.read(node, key, known)
        if None in names and len(names) > 1:
            raise InvalidValue(Problem(node.mark, f"{key}: {KEEP} cannot be combined; remove it or the others"))
        return tuple(name for name in names if name is not None)

    def schema(self, known: KnownNames) -> Mapping[str, Json]:
        return {"anyOf": [self._names.schema(known), {"enum": [KEEP, [KEEP]]}]}
