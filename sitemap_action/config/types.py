"""The nodes that YAML is parsed to, and the types of options that read them: text, one of names, list, mapping."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from enum import StrEnum
from functools import partial
from typing import Generic, Protocol, TypeAlias, TypeVar

from msgspec import Struct

from sitemap_action.config.problem import InvalidValue, Mark, Problem, quoted

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
E = TypeVar("E", bound=StrEnum)

MAX_BYTES = 256 * 1024
"""Of a config file."""

MAX_PROBLEMS = 200
"""Found in one list or mapping before the rest of it is left alone: a guess at a name costs time."""

_MAX_GUESSED = 40  # characters; guessing at a longer name costs time


class ScalarNode(Struct, frozen=True):
    """Text; `plain`, as YAML calls it, without quotes."""

    mark: Mark
    text: str
    plain: bool = True

    @property
    def empty(self) -> bool:
        """Nothing is written, as for a key with nothing after its colon."""
        return self.plain and not self.text


class SequenceNode(Struct, frozen=True):
    """A list of nodes."""

    mark: Mark
    items: tuple["Node", ...]


class KeyValue(Struct, frozen=True):
    """One entry of a mapping."""

    key: ScalarNode
    value: "Node"


class MappingNode(Struct, frozen=True):
    """Each key occurs once."""

    mark: Mark
    entries: tuple[KeyValue, ...]


Node: TypeAlias = ScalarNode | SequenceNode | MappingNode


class YamlDocument(Struct, frozen=True):
    """The nodes that could be read, and the problems of the rest."""

    root: Node | None  # None: nothing
    problems: tuple[Problem, ...] = ()


class KnownNames(Struct, frozen=True):
    """Names that a config may use and that other rooms define."""

    rules: frozenset[str] = frozenset()
    families: frozenset[str] = frozenset()
    formats: tuple[str, ...] = ()  # of `output.format`
    hosts: tuple[str, ...] = ()  # of `source.host`, without `auto`


class OptionType(Protocol[T_co]):
    """The values that an option takes."""

    def describe(self, known: KnownNames) -> str:
        """Completes "it takes …"."""
        ...

    def read(self, node: Node, key: str, known: KnownNames) -> T_co:
        """Raises InvalidValue with every problem of the value; `key` names the option in them."""
        ...

    def schema(self, known: KnownNames) -> Mapping[str, Json]: ...


class TextType(Struct, Generic[T], frozen=True):
    """One scalar. `convert` raises ValueError, with a message where the description is not enough."""

    description: str
    example: str
    convert: Callable[[str, KnownNames], T]
    json_schema: Mapping[str, Json]
    unquoted: bool = False  # in quotes it is a text, neither number nor boolean

    def describe(self, _known: KnownNames) -> str:
        return self.description

    def read(self, node: Node, key: str, known: KnownNames) -> T:
        why = ""
        if isinstance(node, ScalarNode) and not node.empty and (node.plain or not self.unquoted):
            try:
                return self.convert(node.text, known)
            except ValueError as error:
                why = str(error)
        why = (
            why
            or f"{describe_node(node, unquoted=self.unquoted)} is not {self.description}; for example {self.example}"
        )
        raise InvalidValue(Problem(node.mark, f"{key}: {why}"))

    def schema(self, _known: KnownNames) -> Mapping[str, Json]:
        return self.json_schema


class OneOf(Struct, Generic[T], frozen=True):
    """One of several names."""

    values: Callable[[KnownNames], Mapping[str, T]]

    def describe(self, known: KnownNames) -> str:
        return f"one of {', '.join(self.values(known))}"

    def read(self, node: Node, key: str, known: KnownNames) -> T:
        values = self.values(known)
        if isinstance(node, ScalarNode) and node.text in values:
            return values[node.text]
        guess = did_you_mean(node.text, values) if isinstance(node, ScalarNode) else ""
        raise InvalidValue(Problem(node.mark, f"{key}: {describe_node(node)} is not {self.describe(known)}{guess}"))

    def schema(self, known: KnownNames) -> Mapping[str, Json]:
        return {"enum": list(self.values(known))}


class ListOf(Struct, Generic[T], frozen=True):
    """A list without repetition; a single value stands for a list of one."""

    item: OptionType[T]
    at_least: int = 0
    commas: bool = False  # in an input, commas separate items as line breaks do; no item holds one

    def describe(self, known: KnownNames) -> str:
        return f"a list, each item {self.item.describe(known)}"

    def read(self, node: Node, key: str, known: KnownNames) -> tuple[T, ...]:
        items = node.items if isinstance(node, SequenceNode) else (node,)
        values = gather(partial(self.item.read, item, key, known) for item in items)
        if len(values) < self.at_least:
            raise InvalidValue(
                Problem(node.mark, f"{key}: an empty list is not enough; it takes at least {self.at_least}")
            )
        seen: set[T] = set()
        repeated: list[Problem] = []
        for item, value in zip(items, values, strict=True):
            if value in seen:
                repeated.append(Problem(item.mark, f"{key}: {describe_node(item)} is listed twice"))
            seen.add(value)
        if repeated:
            raise InvalidValue(*repeated)
        return tuple(values)

    def schema(self, known: KnownNames) -> Mapping[str, Json]:
        item = self.item.schema(known)
        array: Mapping[str, Json] = {"type": "array", "items": item, "minItems": self.at_least, "uniqueItems": True}
        return {"anyOf": [item, array]}


class MapOf(Struct, Generic[T], frozen=True):
    """A mapping with one type of key and one type of value."""

    key: OptionType[str]
    value: OptionType[T]

    def describe(self, known: KnownNames) -> str:
        return f"a mapping, each key {self.key.describe(known)}, each value {self.value.describe(known)}"

    def read(self, node: Node, key: str, known: KnownNames) -> Mapping[str, T]:
        if not isinstance(node, MappingNode):
            raise InvalidValue(Problem(node.mark, f"{key}: {describe_node(node)} is not {self.describe(known)}"))
        return dict(gather(partial(self._read_entry, entry, key, known) for entry in node.entries))

    def _read_entry(self, entry: KeyValue, key: str, known: KnownNames) -> tuple[str, T]:
        return self.key.read(entry.key, key, known), self.value.read(entry.value, key, known)

    def schema(self, known: KnownNames) -> Mapping[str, Json]:
        names, values = self.key.schema(known), self.value.schema(known)
        return {"type": "object", "propertyNames": names, "additionalProperties": values}


class PlainOr(Struct, Generic[T, E], frozen=True):
    """One scalar, or in its place a mapping that says more."""

    plain: OptionType[E]
    mapping: OptionType[T]

    def describe(self, known: KnownNames) -> str:
        return f"{self.plain.describe(known)}, or {self.mapping.describe(known)}"

    def read(self, node: Node, key: str, known: KnownNames) -> T | E:
        if isinstance(node, MappingNode):
            return self.mapping.read(node, key, known)
        return self.plain.read(node, key, known)

    def schema(self, known: KnownNames) -> Mapping[str, Json]:
        return {"anyOf": [self.plain.schema(known), self.mapping.schema(known)]}


def gather(reads: Iterable[Callable[[], T]]) -> list[T]:
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


def choice(names: type[E]) -> OneOf[E]:
    return OneOf(lambda _known: {name.value: name for name in names})


def name_choice(values: Iterable[str]) -> OneOf[str]:
    return OneOf(lambda _known: {value: value for value in values})


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
