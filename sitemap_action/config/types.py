"""The tree of nodes that YAML text becomes, and the types that read it: a text, a name, a list, a mapping."""

from collections.abc import Callable, Iterable
from collections.abc import Mapping as Map
from collections.abc import Sequence as Seq
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from functools import partial
from typing import Generic, Protocol, TypeAlias, TypeVar

from sitemap_action.config.problem import Bad, Mark, Problem, quoted

Json: TypeAlias = "bool | int | float | str | Seq[Json] | Map[str, Json] | None"
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
E = TypeVar("E", bound=StrEnum)

_MAX_GUESSED = 40  # characters; guessing at a longer word costs time and helps nobody


@dataclass(frozen=True, slots=True)
class Scalar:
    """Text; `plain` when it was written without quotes."""

    mark: Mark
    text: str
    plain: bool = True

    @property
    def empty(self) -> bool:
        """A key with nothing after its colon."""
        return self.plain and not self.text


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list."""

    mark: Mark
    items: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class KeyValue:
    """One key of a mapping and its value."""

    key: Scalar
    value: "Node"


@dataclass(frozen=True, slots=True)
class Mapping:
    """Keys with values; each key once."""

    mark: Mark
    entries: tuple[KeyValue, ...]


Node: TypeAlias = Scalar | Sequence | Mapping


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """What could be read, and what is wrong with the rest."""

    root: Node | None  # None: nothing
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class KnownNames:
    """The names that other parts of the program give: what a config may refer to."""

    rules: frozenset[str] = frozenset()
    families: frozenset[str] = frozenset()
    formats: tuple[str, ...] = ()  # of `output.format`
    hosts: tuple[str, ...] = ()  # of `source.host`, without `auto`


class OptionType(Protocol[T_co]):
    """What an option takes."""

    def words(self, known: KnownNames) -> str:
        """Completes "it takes …"."""
        ...

    def read(self, node: Node, key: str, known: KnownNames) -> T_co:
        """Raises Bad with every problem of the value; `key` names the option in them."""
        ...

    def schema(self, known: KnownNames) -> Map[str, Json]: ...


@dataclass(frozen=True, slots=True)
class TextType(Generic[T]):
    """One scalar. `convert` raises ValueError: with a sentence, or without when the words say enough."""

    what: str
    example: str
    convert: Callable[[str, KnownNames], T]
    json: Map[str, Json]
    bare: bool = False  # quotes would make it a text, and no number or truth value

    def words(self, _known: KnownNames) -> str:
        return self.what

    def read(self, node: Node, key: str, known: KnownNames) -> T:
        why = ""
        if isinstance(node, Scalar) and not node.empty and (node.plain or not self.bare):
            try:
                return self.convert(node.text, known)
            except ValueError as error:
                why = str(error)
        why = why or f"{found(node, bare=self.bare)} is not {self.what}; for example {self.example}"
        raise Bad(Problem(node.mark, f"{key}: {why}"))

    def schema(self, _known: KnownNames) -> Map[str, Json]:
        return self.json


@dataclass(frozen=True, slots=True)
class OneOf(Generic[T]):
    """One of several names."""

    values: Callable[[KnownNames], Map[str, T]]

    def words(self, known: KnownNames) -> str:
        return f"one of {', '.join(self.values(known))}"

    def read(self, node: Node, key: str, known: KnownNames) -> T:
        values = self.values(known)
        if isinstance(node, Scalar) and node.text in values:
            return values[node.text]
        guess = nearest(node.text, values) if isinstance(node, Scalar) else ""
        raise Bad(Problem(node.mark, f"{key}: {found(node)} is not {self.words(known)}{guess}"))

    def schema(self, known: KnownNames) -> Map[str, Json]:
        return {"enum": list(self.values(known))}


@dataclass(frozen=True, slots=True)
class ListOf(Generic[T]):
    """A list without repetition; a single value stands for a list of one."""

    item: OptionType[T]
    at_least: int = 0
    commas: bool = False  # in an input: an item never holds a comma, so commas part items as line breaks do

    def words(self, known: KnownNames) -> str:
        return f"a list, each item {self.item.words(known)}"

    def read(self, node: Node, key: str, known: KnownNames) -> tuple[T, ...]:
        items = node.items if isinstance(node, Sequence) else (node,)
        values = gather(partial(self.item.read, item, key, known) for item in items)
        if len(values) < self.at_least:
            raise Bad(Problem(node.mark, f"{key}: an empty list is not enough; it takes at least {self.at_least}"))
        seen: set[T] = set()
        twice: list[Problem] = []
        for item, value in zip(items, values, strict=True):
            if value in seen:
                twice.append(Problem(item.mark, f"{key}: {found(item)} is listed twice"))
            seen.add(value)
        if twice:
            raise Bad(*twice)
        return tuple(values)

    def schema(self, known: KnownNames) -> Map[str, Json]:
        item = self.item.schema(known)
        array: Map[str, Json] = {"type": "array", "items": item, "minItems": self.at_least, "uniqueItems": True}
        return {"anyOf": [item, array]}


@dataclass(frozen=True, slots=True)
class MapOf(Generic[T]):
    """Keys of one kind to values of another."""

    key: OptionType[str]
    value: OptionType[T]

    def words(self, known: KnownNames) -> str:
        return f"a mapping, each key {self.key.words(known)}, each value {self.value.words(known)}"

    def read(self, node: Node, key: str, known: KnownNames) -> Map[str, T]:
        if not isinstance(node, Mapping):
            raise Bad(Problem(node.mark, f"{key}: {found(node)} is not {self.words(known)}"))
        return dict(gather(partial(self._pair, entry, key, known) for entry in node.entries))

    def _pair(self, entry: KeyValue, key: str, known: KnownNames) -> tuple[str, T]:
        return self.key.read(entry.key, key, known), self.value.read(entry.value, key, known)

    def schema(self, known: KnownNames) -> Map[str, Json]:
        names, values = self.key.schema(known), self.value.schema(known)
        return {"type": "object", "propertyNames": names, "additionalProperties": values}


def gather(reads: Iterable[Callable[[], T]]) -> list[T]:
    """All results, or one Bad with the problems of all that failed."""
    values: list[T] = []
    problems: list[Problem] = []
    for read in reads:
        try:
            values.append(read())
        except Bad as bad:
            problems += bad.problems
    if problems:
        raise Bad(*problems)
    return values


def choice(names: type[E]) -> OneOf[E]:
    return OneOf(lambda _known: {name.value: name for name in names})


def names(values: Iterable[str]) -> OneOf[str]:
    return OneOf(lambda _known: {value: value for value in values})


def nearest(text: str, names: Iterable[str]) -> str:
    """The end of a sentence that names the near miss, "" without one."""
    near = get_close_matches(text, names, n=1) if len(text) <= _MAX_GUESSED else []
    return f"; did you mean {near[0]}?" if near else ""


def found(node: Node, *, bare: bool = False) -> str:
    """What stands there, as the beginning of a sentence."""
    match node:
        case Mapping():
            return "a mapping"
        case Sequence():
            return "a list"
        case Scalar(text=""):
            return "nothing" if node.empty else "an empty text"
        case Scalar(text=text, plain=plain):
            return quoted(text) + ("" if plain or not bare else " in quotes")
