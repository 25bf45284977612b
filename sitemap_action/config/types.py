"""What an option takes: its description, its JSON Schema, and how a node becomes its value; and tables of options.

A `ValueType` is data with one function, `read`. The functions here make them: of one text, of one of several names, of
a list or a mapping. `read` raises InvalidValue with every problem of a value, so that all are reported at once.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum, StrEnum
from functools import partial
from types import MappingProxyType
from typing import Any, Generic, TypeAlias, TypeVar

from msgspec import NODEFAULT, Struct
from msgspec.structs import fields

from sitemap_action.config.yaml import (
    InvalidValue,
    MappingNode,
    Node,
    Problem,
    ScalarNode,
    SequenceNode,
    quote,
)

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
RuleNames: TypeAlias = frozenset[str]
"""Ids of rules and names of their families, which a config may use and another room defines."""
T = TypeVar("T")
U = TypeVar("U")
E = TypeVar("E", bound=StrEnum)
R = TypeVar("R", bound=Struct)
_NOTHING: Mapping[str, str] = MappingProxyType({})

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

        def read_entry(name: Node, value: Node) -> tuple[str, T]:
            return key_type.read(name, key, rules), value_type.read(value, key, rules)

        return dict(read_all(partial(read_entry, *entry) for entry in node.entries))

    names, values = key_type.json_schema, value_type.json_schema
    return ValueType(takes, {"type": "object", "propertyNames": names, "additionalProperties": values}, read)


def plain_or_mapping(plain: ValueType[T], mapping: ValueType[U], takes: str = "") -> ValueType[T | U]:
    """One scalar, or in its place a mapping that says more."""

    def read(node: Node, key: str, rules: RuleNames) -> T | U:
        return (mapping if isinstance(node, MappingNode) else plain).read(node, key, rules)

    json_schema = {"anyOf": [plain.json_schema, mapping.json_schema]}
    return ValueType(takes or f"{plain.takes}, or {mapping.takes}", json_schema, read)


def convert_value(value_type: ValueType[T], convert: Callable[[T], U]) -> ValueType[U]:
    return ValueType(
        value_type.takes,
        value_type.json_schema,
        lambda node, key, rules: convert(value_type.read(node, key, rules)),
        value_type.separators,
    )


def record_of(record: type[R], *options: "Option") -> ValueType[R]:
    """A record as the value of one option; a field without a default is a key that has to be there."""
    defaults = {one.name: one.default for one in fields(record)}
    required = [option for option in options if defaults[option.path] is NODEFAULT]
    table = {option.key: option for option in options}

    def read(node: Node, key: str, rules: RuleNames) -> R:
        values = read_section(table, node, "", f"{key}.", rules)
        missing = [
            Problem(node.mark, f"{key}: {option.key} is missing; it takes {option.value.takes}")
            for option in required
            if option.key not in values
        ]
        if missing:
            raise InvalidValue(*missing)
        return record(**{table[name].path: value for name, value in values.items()})

    json_schema = section_schema(table, "", lambda option: defaults[option.path])
    if required:
        json_schema["required"] = [option.key for option in required]
    return ValueType(f"{{{', '.join(table)}}}", json_schema, read)


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


def near_names(text: str, names: Iterable[str], count: int = 1) -> list[str]:
    """The closest names, the best first; none where none is close, or the text is long."""
    if len(text) > _MAX_GUESSED:
        return []
    from difflib import get_close_matches  # noqa: PLC0415 - only a guess needs it

    return get_close_matches(text, names, n=count)


def did_you_mean(text: str, names: Iterable[str]) -> str:
    """The last part of a message, with the closest name; "" where none is close."""
    near = near_names(text, names)
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
            return quote(text) + ("" if plain or not unquoted else " in quotes")


# --- tables of options ---


class Option(Struct, frozen=True):
    """One key of the config file."""

    key: str  # dotted
    value: ValueType[Any]
    help: str
    default_text: str = ""  # where no value describes the default
    field: str = ""  # dotted, of the typed config; "": as the key, with underscores
    names: ValueType[str] | None = None  # the last part of the key stands for any of these
    retired: bool = False  # accepted with a warning, and without effect: the help says what to do

    @property
    def path(self) -> str:
        return self.field or self.key.replace("-", "_")


Options: TypeAlias = Mapping[str, Option]
"""Key → option: a section is the part of a key before a dot."""


def is_section(options: Options, key: str) -> bool:
    return any(name.startswith(f"{key}.") for name in options)


def find_option(options: Options, section: str, name: str) -> Option | None:
    """The option of a name in a section, or the one that stands for every other name there."""
    key = f"{section}.{name}" if section else name
    found = options.get(key)
    if is_section(options, key) or (found is not None and found.names is None):
        return found
    others = (one for one in options.values() if one.names is not None)
    return next((one for one in others if one.key.rpartition(".")[0] == section), None)


def read_section(options: Options, node: Node, section: str, prefix: str, rules: RuleNames) -> dict[str, object]:
    """The typed values in a section by their keys, with a dot before each name; raises InvalidValue.

    `prefix`: what problems put before the names.
    """
    if isinstance(node, ScalarNode) and node.empty:
        return {}
    if not isinstance(node, MappingNode):
        name, what = prefix.removesuffix("."), describe_node(node)
        problem = f"{name}: {what} is not a section; indent its keys below it"
        raise InvalidValue(Problem(node.mark, problem if name else f"a config file holds keys and values, not {what}"))
    start = f"{section}." if section else ""
    known = [key[len(start) :] for key, option in options.items() if key.startswith(start) and option.names is None]
    names = list(dict.fromkeys(name.partition(".")[0] for name in known))

    def read_entry(key: ScalarNode, value: Node) -> dict[str, object]:
        name, path = f"{start}{key.text}", f"{prefix}{key.text}"
        if key.text in names and is_section(options, name):
            return read_section(options, value, name, f"{path}.", rules)
        option = find_option(options, section, key.text)
        guess = "" if key.text in names else did_you_mean(key.text, names)
        if option is not None and option.names is not None and not guess:
            option.names.read(key, section, rules)
        elif option is None or key.text not in names:
            guess = _describe_place(options, key.text) or guess or f"; known here: {', '.join(names)}"
            raise InvalidValue(Problem(key.mark, f"{path} is not a known key{guess}"))
        return {name: option.value.read(value, path, rules)}

    return dict(pair for one in read_all(partial(read_entry, *entry) for entry in node.entries) for pair in one.items())


def _describe_place(options: Options, name: str) -> str:
    """The end of a message on a name that belongs to other sections; "" for one that belongs nowhere."""
    keys = [key.split(".") for key in options]
    top = ["at the top level, not indented"] if any(first == name for first, *_ in keys) else []
    places = dict.fromkeys(top + [f"under {first}" for first, *rest in keys if rest[:1] == [name]])
    return f"; {name} belongs {' or '.join(places)}" if places else ""


def section_schema(
    options: Options, section: str, default_of: Callable[[Option], object], helps: Mapping[str, str] = _NOTHING
) -> dict[str, Json]:
    """JSON Schema of the mapping that holds the keys of a section. `helps`: what each section is about."""
    properties: dict[str, Json] = {}
    result: dict[str, Json] = {"type": "object", "properties": properties, "additionalProperties": False}
    start = f"{section}." if section else ""
    for key, option in options.items():
        name, dot, _ = key[len(start) :].partition(".")
        inner = f"{start}{name}"
        if not key.startswith(start) or name in properties:
            continue
        title: dict[str, Json] = {"title": inner, "description": helps[inner] if dot else option.help}
        if dot:
            below = section_schema(options, inner, default_of, helps)
            properties[name] = title | below | {"type": ["object", "null"]}
        elif option.names is not None:
            result["additionalProperties"] = {"description": option.help, **option.value.json_schema}
            result["propertyNames"] = option.names.json_schema
        else:
            properties[name] = title | dict(option.value.json_schema) | _default_schema(option, default_of(option))
    return result


def _default_schema(option: Option, default: object) -> dict[str, Json]:
    """The default as JSON Schema has it; one that is computed later has no value."""
    known = {} if option.default_text or default is NODEFAULT else {"default": to_json(default)}
    return known | ({"deprecated": True} if option.retired else {})


def to_json(value: object) -> Json:
    """A typed value as the config file would have it."""
    match value:
        case Enum():
            return str(value.value)
        case bool() | int() | str():
            return value
        case tuple():
            return [to_json(item) for item in value]
        case dict():
            return {str(key): to_json(item) for key, item in value.items()}
        case _:
            return str(value)
