"""Configs for tests: layers read as a command reads them, with the problems and the changes that it reports."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from sitemap_action.config.layers import File, Layer, parse, policy_changes
from sitemap_action.config.options import TABLE
from sitemap_action.config.schema import Config
from sitemap_action.config.types import ValueType
from sitemap_action.config.yaml import InvalidValue, MappingNode, Mark, Node, ScalarNode, SequenceNode, read_value
from sitemap_action.errors import ConfigError, SitemapActionError
from sitemap_action.hosts.all import HOSTS

KNOWN = frozenset({"SM-14", "SM-15", "SM"})
HOST_NAMES = ", ".join(("auto", *HOSTS))
VALUES = {option.key: option.value for option in TABLE}
KEYS = tuple(VALUES)


def refusal(make: Callable[[], object]) -> SitemapActionError:
    """The error of a call that uses the command line or the config wrongly."""
    with pytest.raises(SitemapActionError) as caught:
        make()
    assert caught.value.exit_code == 2
    return caught.value


def config_of(*layers: Layer) -> Config:
    return parse(layers, KNOWN)


def reported_problems(*layers: Layer) -> list[str]:
    """The lines of the error, none where the layers are a config."""
    try:
        config_of(*layers)
    except ConfigError as error:
        return str(error).splitlines()
    return []


def file_of(text: str) -> File:
    return File("f", text.encode("utf-8", "surrogatepass"))


def changed_keys(base: Config, head: Config) -> list[tuple[str, str, str]]:
    return [(row.key, row.base, row.head) for row in policy_changes(base, head)]


def value_or_problems(value_type: ValueType[Any], text: str, rules: Iterable[str]) -> object:
    """What a text in YAML is to an option, or a list of problems."""
    node, _ = read_value(Mark("x"), text)
    assert node is not None
    try:
        return value_type.read(node, "key", frozenset(rules))
    except InvalidValue as invalid:
        return [str(problem) for problem in invalid.problems]


def plain_tree(node: Node | None, convert: Callable[[ScalarNode], object]) -> object:
    """A tree without its marks."""
    match node:
        case ScalarNode():
            return convert(node)
        case SequenceNode(items=items):
            return [plain_tree(item, convert) for item in items]
        case MappingNode(entries=entries):
            return {key.text: plain_tree(value, convert) for key, value in entries}
    return None
