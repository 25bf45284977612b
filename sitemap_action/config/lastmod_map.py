"""The type of `output.lastmod-map`: globs of source files, each with the glob of the pages that they make."""

from collections.abc import Mapping

from sitemap_action.config.problem import InvalidValue, Problem
from sitemap_action.config.types import Json, KnownNames, MapOf, MappingNode, Node, TextType
from sitemap_action.web.source_pages import BadSourceMap, SourcePages, SourceRule


class LastmodMapType:
    """`content/**.md: /blog/**`, in the order of the file: of several the first that matches a source counts."""

    _source = TextType(
        "a path from the top of the repository, with * and **",
        "content/**.md",
        lambda text, _known: text,
        {"type": "string", "pattern": r"^[^/\\]"},
    )
    _page = TextType(
        "the path of a page, with * and **",
        "/blog/**",
        lambda text, _known: text,
        {"type": "string", "pattern": r"^/[^?#{}\\]*$"},
    )
    _pairs = MapOf(_source, _page)

    def describe(self, _known: KnownNames) -> str:
        return "a mapping of source files to pages, such as content/**.md: /blog/**"

    def read(self, node: Node, key: str, known: KnownNames) -> Mapping[str, str]:
        pairs = self._pairs.read(node, key, known)
        problems = []
        for entry in node.entries if isinstance(node, MappingNode) else ():
            try:
                SourcePages([SourceRule(entry.key.text, pairs[entry.key.text])])
            except BadSourceMap as error:
                problems.append(Problem(entry.key.mark, f"{key}: {error}"))
        if problems:
            raise InvalidValue(*problems)
        return pairs

    def schema(self, known: KnownNames) -> Mapping[str, Json]:
        return self._pairs.schema(known)
