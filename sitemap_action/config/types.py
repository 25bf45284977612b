"""What an option takes: its description, its JSON Schema, and how a node becomes its value.

A `ValueType` is data with one function, `read`. The functions here make them: of one text, of one of several names, of
a list or a mapping. `read` raises InvalidValue with every problem of a value, so that all are reported at once.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from enum import StrEnum
from functools import partial
from typing import Generic, TypeAlias, TypeVar

from msgspec import Struct

from sitemap_action.config.yaml import (
    InvalidValue,
    KeyValue,
    MappingNode,
    Node,
    Problem,
    ScalarNode,
    SequenceNode,
    quoted,
)

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
RuleNames: TypeAlias = frozenset[str]
"""Ids of rules and names of their families, which a config may use and another room defines."""
T = TypeVar("T")
U = TypeVar("U")
E = TypeVar("E", bound=StrEnum)

MAX_PROBLEMS = 200
"""Found in one list or mapping before the rest of it is left alone: a guess at a name costs time."""

_MAX_GUESSED = 40  # characters; guessing at a longer name costs time


class ValueType(Struct, Generic[T], frozen=True):
    """The values that an option takes. `read` is given the node, the key that problems name, and the rules."""

    takes: str  # completes "it takes …"
    json_schema: Mapping[str, Json]
    read: Callable[[Node, str, RuleNames], T]
    separators: str = ""  # of the items, where an input gives a list without brackets


def text_type(
    takes: str,
    example: str,
    json_schema: Mapping[str, Json],
    convert: Callable[[str, RuleNames], T],
    *,
    unquoted: bool = False,
) -> ValueType[T]:
    """One scalar. `convert` raises ValueError, with a message where the description is not enough.

    `unquoted`: in quotes it is a text, neither number nor boolean.
    """

    def read(node: Node, key: str, rules: RuleNames) -> T:
        why = ""
        if isinstance(node, ScalarNode) and not node.empty and (node.plain or not unquoted):
            try:
                return convert(node.text, rules)
            except ValueError as error:
                why = str(error)
        why = why or f"{describe_node(node, unquoted=unquoted)} is not {takes}; for example {example}"
        raise InvalidValue(Problem(node.mark, f"{key}: {why}"))

    return ValueType(takes, json_schema, read)


def optional(inner: ValueType[str]) -> ValueType[str]:
    """An empty text is the same as no value."""

    def read(node: Node, key: str, rules: RuleNames) -> str:
        empty = isinstance(node, ScalarNode) and not node.text and not node.plain
        return "" if empty else inner.read(node, key, rules)

    return ValueType(inner.takes, {"anyOf": [inner.json_schema, {"const": ""}]}, read)


def one_of(values: Mapping[str, T]) -> ValueType[T]:
    """One of several names."""
    takes = f"one of {', '.join(values)}"

    def read(node: Node, key: str, _rules: RuleNames) -> T:
        if isinstance(node, ScalarNode) and node.text in values:
            return values[node.text]
        guess = did_you_mean(node.text, values) if isinstance(node, ScalarNode) else ""
        raise InvalidValue(Problem(node.mark, f"{key}: {describe_node(node)} is not {takes}{guess}"))

    return ValueType(takes, {"enum": list(values)}, read)


def choice(names: type[E]) -> ValueType[E]:
    return one_of({name.value: name for name in names})


def name_choice(names: Iterable[str]) -> ValueType[str]:
    return one_of({name: name for name in names})


def list_of(item: ValueType[T], *, at_least: int = 0, commas: bool = False) -> ValueType[tuple[T, ...]]:
    """A list without repetition; a single value stands for a list of one.

    `commas`: in an input, they separate items as line breaks do; no item holds one.
    """

    def read(node: Node, key: str, rules: RuleNames) -> tuple[T, ...]:
        items = node.items if isinstance(node, SequenceNode) else (node,)
        values = read_all(partial(item.read, one, key, rules) for one in items)
        if len(values) < at_least:
            what = f"{key}: an empty list is not enough; it takes at least {at_least}"
            raise InvalidValue(Problem(node.mark, what))
        seen: set[T] = set()
        repeated: list[Problem] = []
        for one, value in zip(items, values, strict=True):
            if value in seen:
                repeated.append(Problem(one.mark, f"{key}: {describe_node(one)} is listed twice"))
            seen.add(value)
        if repeated:
            raise InvalidValue(*repeated)
        return tuple(values)

    array: Json = {"type": "array", "items": item.json_schema, "minItems": at_least, "uniqueItems": True}
    takes, separators = f"a list, each item {item.takes}", ",\n" if commas else "\n"
    return ValueType(takes, {"anyOf": [item.json_schema, array]}, read, separators)


def list_or_word(
    word: str, values: Mapping[str, T | None], *, at_least: int = 0, commas: bool = False
) -> ValueType[tuple[T, ...]]:
    """A list of names, or `word`, whose value is None, alone: it gives an empty list."""
    both = list_of(one_of(values), at_least=at_least, commas=commas)

    def read(node: Node, key: str, rules: RuleNames) -> tuple[T, ...]:
        found = both.read(node, key, rules)
        if None in found and len(found) > 1:
            raise InvalidValue(Problem(node.mark, f"{key}: {word} cannot be combined; remove it or the others"))
        return tuple(value for value in found if value is not None)

    names = list_of(name_choice(name for name in values if name != word), at_least=at_least)
    return ValueType(both.takes, {"anyOf": [names.json_schema, {"enum": [word, [word]]}]}, read, both.separators)


def map_of(key_type: ValueType[str], value_type: ValueType[T]) -> ValueType[Mapping[str, T]]:
    """A mapping with one type of key and one type of value."""
    takes = f"a mapping, each key {key_type.takes}, each value {value_type.takes}"

    def read(node: Node, key: str, rules: RuleNames) -> Mapping[str, T]:
        if not isinstance(node, MappingNode):
            raise InvalidValue(Problem(node.mark, f"{key}: {describe_node(node)} is not {takes}"))

        def read_entry(entry: KeyValue) -> tuple[str, T]:
            return key_type.read(entry.key, key, rules), value_type.read(entry.value, key, rules)

        return dict(read_all(partial(read_entry, entry) for entry in node.entries))

    names, values = key_type.json_schema, value_type.json_schema
    return ValueType(takes, {"type": "object", "propertyNames": names, "additionalProperties": values}, read)


def plain_or_mapping(plain: ValueType[T], mapping: ValueType[U], takes: str = "") -> ValueType[T | U]:
    """One scalar, or in its place a mapping that says more."""

    def read(node: Node, key: str, rules: RuleNames) -> T | U:
        return (mapping if isinstance(node, MappingNode) else plain).read(node, key, rules)

    json_schema = {"anyOf": [plain.json_schema, mapping.json_schema]}
    return ValueType(takes or f"{plain.takes}, or {mapping.takes}", json_schema, read)


def converted(value_type: ValueType[T], convert: Callable[[T], U]) -> ValueType[U]:
    return ValueType(
        value_type.takes,
        value_type.json_schema,
        lambda node, key, rules: convert(value_type.read(node, key, rules)),
        value_type.separators,
    )


def read_all(reads: Iterable[Callable[[], T]]) -> list[T]:
    """All results. Raises one InvalidValue with the problems of what failed; past `MAX_PROBLEMS` it stops."""
    values: list[T] = []
    problems: list[Problem] = []
    for read in reads:
        try:
            values.append(read())
        except InvalidValue as invalid:
            problems += invalid.problems
            if len(problems) >= MAX_PROBLEMS:
                break
    if problems:
        raise InvalidValue(*problems)
    return values


def did_you_mean(text: str, names: Iterable[str]) -> str:
    """The last part of a message, with the closest name; "" where none is close."""
    near = get_close_matches(text, names, n=1) if len(text) <= _MAX_GUESSED else []
    return f"; did you mean {near[0]}?" if near else ""


def describe_node(node: Node, *, unquoted: bool = False) -> str:
    """The start of a message about the node; `unquoted` mentions quotes."""
    match node:
        case MappingNode():
            return "a mapping"
        case SequenceNode():
            return "a list"
        case ScalarNode(text=""):
            return "nothing" if node.empty else "an empty text"
        case ScalarNode(text=text, plain=plain):
            return quoted(text) + ("" if plain or not unquoted else " in quotes")
