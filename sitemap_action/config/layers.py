"""The layers of the config, file, inputs and flags, the one typed `Config` that they make, and how two of them differ.

Each layer becomes a tree of nodes and then typed values by dotted key; the later layer wins key by key. Problems of all
layers are reported in one error, each with its place.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum, auto
from operator import attrgetter
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.config.options import DEFAULTS, OPTIONS, TABLE, flow_text
from sitemap_action.config.schema import INPUTS, Config, Extension
from sitemap_action.config.types import MAX_PROBLEMS, R, RuleNames, find_option, is_section, read_section
from sitemap_action.config.yaml import (
    Document,
    InvalidValue,
    MappingNode,
    Mark,
    Node,
    Problem,
    ScalarNode,
    SequenceNode,
    find_node,
    read_file,
    read_value,
)
from sitemap_action.errors import ConfigError, UsageError
from sitemap_action.model.outcome import PolicyChange

_MAX_SHOWN = 50  # problems; a file that is no config has one in every line


class Origin(Enum):
    """Where a value comes from."""

    FILE = auto()
    INPUT = auto()  # of the action, or another variable of the environment
    COMMAND_LINE = auto()


PRECEDENCE = (Origin.FILE, Origin.INPUT, Origin.COMMAND_LINE)
"""Later wins; the built-in defaults come before all of them."""


class File(Struct, frozen=True):
    """The config file, as bytes; `name` is the path that errors show."""

    name: str
    data: bytes

    origin = Origin.FILE


class Setting(Struct, frozen=True):
    """One key from an input or a flag; errors show `name`, such as `input max-removed` or `--set`."""

    origin: Origin
    name: str
    key: str
    text: str


Layer: TypeAlias = File | Setting


class ConfigReader(Struct, frozen=True):
    """Reads each copy of the config file, such as the target branch's, under the same inputs and flags."""

    path: str  # of the file, as the user wrote it or by default
    settings: tuple[Layer, ...]  # inputs and flags
    rules: RuleNames
    folder: str = ""  # --path, which may lie anywhere: it replaces the source of every copy
    checkout: Callable[[], bytes | None] | None = None  # reads the copy of the change; None where that one holds
    holder: Callable[[str], bytes | None] | None = None  # reads files where the copy that holds is from; None: here

    def gives(self, key: str) -> bool:
        """Whether an input or a flag sets a key."""
        return any(isinstance(layer, Setting) and layer.key == key for layer in self.settings)

    def config(self, data: bytes | None) -> Config:
        """`data` is the content of the file, None without one. Raises ConfigError."""
        file = () if data is None else (File(self.path, data),)
        found = parse((*file, *self.settings), self.rules)
        if not self.folder:
            return found
        served = (found.source.url or found.source.witness) if self.gives("source.url") else ""
        return replace(found, source=replace(found.source, path=self.folder, url="", witness=served))


def inputs(values: Mapping[str, str]) -> tuple[Setting, ...]:
    """The action's inputs that are options; an empty one counts as absent."""
    return tuple(
        Setting(Origin.INPUT, f"input {name}", key, values[name])
        for name, key in INPUTS.items()
        if values.get(name, "").strip()
    )


def flag(name: str, text: str) -> Setting:
    """A flag that is an option: `--path dist`."""
    return Setting(Origin.COMMAND_LINE, f"--{name}", INPUTS[name], text)


def assignment(text: str) -> Setting:
    """The KEY=VALUE of `--set`."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise UsageError(f"--set {text} gives no value", hint="write --set KEY=VALUE, as in --set policy.max-removed=5")
    return Setting(Origin.COMMAND_LINE, "--set", key.strip(), value)


def parse(layers: Iterable[Layer], rules: RuleNames) -> Config:
    """Layers of one origin keep their order, so of two `--set` the later wins. Raises ConfigError."""
    values: dict[str, object] = {}
    origins: dict[str, Origin] = {}
    problems: list[Problem] = []
    warnings: list[str] = []
    for layer in _by_precedence(layers):
        root, found = read_layer(layer)
        try:
            new = read_section(OPTIONS, root, "", "", rules) if root else {}
            _replace_location(values, new, {**origins, **dict.fromkeys(new, layer.origin)})
            values |= new
            origins |= dict.fromkeys(new, layer.origin)
            warnings += _warn_of_retired_keys(root)
        except InvalidValue as invalid:
            found += invalid.problems
        problems += sorted(found, key=lambda problem: (problem.mark.line, problem.mark.column))
    if problems:
        raise ConfigError(_message(problems))
    config = replace(_make_config(values), warnings=tuple(warnings))
    if config.source.path and config.source.url:
        config = replace(config, source=replace(config.source, url="", witness=config.source.url))
    output = config.output
    if Extension.NEWS in output.extensions and not (output.news_name and output.news_language):
        raise ConfigError("output.extensions lists news, which needs output.news.name and output.news.language")
    return config


def option_place(layers: Sequence[Layer], key: str, item: str = "") -> str:
    """File and line, flag or input that decides a key, at `item` of its list; "" where no layer has the key."""
    for layer in reversed(_by_precedence(layers)):
        if (found := find_node(read_layer(layer)[0], key)) is not None:
            nodes = found.items if isinstance(found, SequenceNode) else (found,)
            named = (one.mark for one in nodes if isinstance(one, ScalarNode) and one.text == item)
            mark = next(named, found.mark)
            return f"{mark.name}:{mark.line}" if mark.line else mark.name
    return ""


def _by_precedence(layers: Iterable[Layer]) -> list[Layer]:
    return sorted(layers, key=lambda layer: PRECEDENCE.index(layer.origin))


def read_layer(layer: Layer) -> Document:
    """A layer as the tree that a config file with its keys gives."""
    if isinstance(layer, File):
        return read_file(layer.name, layer.data)
    mark, names = Mark(layer.name), _split_key(layer.key)
    option = find_option(OPTIONS, ".".join(names[:-1]), names[-1])
    node, problems = _parse_value(mark, layer.text.strip(), option.value.separators if option else "")
    for name in reversed(names):
        node = node and MappingNode(mark, ((ScalarNode(mark, name), node),))
    return node, problems


def _parse_value(mark: Mark, text: str, separators: str) -> Document:
    """YAML in flow style, or text as it is, so that `*.pdf` needs no quotes; a list may have one item a line."""
    if text.startswith(("[", "{", '"', "'")):
        return read_value(mark, text)
    if separators:
        parts = text.replace(separators[0], "\n").splitlines()
        return SequenceNode(mark, tuple(ScalarNode(mark, part.strip()) for part in parts if part.strip())), ()
    return ScalarNode(mark, text, plain=bool(text)), ()


def _split_key(key: str) -> list[str]:
    """The parts of a dotted key. Behind the last section everything is one part: a pattern may hold dots."""
    section, dot, rest = key.partition(".")
    names = [section]
    while "." in rest and is_section(OPTIONS, f"{section}.{rest.partition('.')[0]}"):
        name, _, rest = rest.partition(".")
        names.append(name)
        section = f"{section}.{name}"
    return [*names, rest] if dot else names


def _make_config(values: Mapping[str, object]) -> Config:
    """The defaults with these values by dotted key."""
    changes: dict[str, Any] = {}
    for key, value in values.items():
        option = find_option(OPTIONS, *key.rpartition(".")[::2])
        if option is None or option.retired:
            continue
        *parents, name = option.path.split(".")
        record = changes
        for parent in parents:
            record = record.setdefault(parent, {})
        if option.names is None:
            record[name] = value
        else:
            record.setdefault(name, {})[key.rpartition(".")[2]] = value
    return _change_record(DEFAULTS, changes)


def _change_record(record: R, changes: Mapping[str, Any]) -> R:
    """A record with these values of its fields; for a field that is a section, the changes of its record."""
    new = dict(changes)
    for name, value in changes.items():
        if isinstance(value, dict) and isinstance(section := getattr(record, name), Struct):
            new[name] = _change_record(section, value)
    return replace(record, **new)


def _warn_of_retired_keys(root: Node | None) -> Iterator[str]:
    """A sentence for each key of a layer that is accepted and has no effect any more."""
    for option in TABLE:
        if option.retired and (node := find_node(root, option.key)) is not None:
            yield str(Problem(node.mark, f"{option.key} {option.help[0].lower()}{option.help[1:].rstrip('.')}"))


def _replace_location(values: dict[str, object], new: Mapping[str, object], origins: Mapping[str, Origin]) -> None:
    """A folder and an address of one origin are the deploy witness; one alone replaces the other of an earlier one."""
    for one, other in (("source.path", "source.url"), ("source.url", "source.path")):
        if new.get(one) and origins.get(other) is not origins[one]:
            values.pop(other, None)


def _message(problems: Sequence[Problem]) -> str:
    more = len(problems) - _MAX_SHOWN
    lines = [str(problem) for problem in problems[:_MAX_SHOWN]]
    counted = "at least " if len(problems) >= MAX_PROBLEMS else ""
    return "\n".join([*lines, f"and {counted}{more} more problems"] if more > 0 else lines)


# --- differences between two configs in the keys that decide what is seen, compared or tolerated (POL-01) ---

_UNSET = "not set"


def policy_changes(base: Config, head: Config) -> tuple[PolicyChange, ...]:
    """Keys whose value differs, in the order of the table of options."""
    before, after = dict(_values(base)), dict(_values(head))
    return tuple(
        PolicyChange(key, before.get(key, _UNSET), after.get(key, _UNSET))
        for key in dict.fromkeys((*before, *after))
        if before.get(key) != after.get(key)
    )


def _values(config: Config) -> Iterator[tuple[str, str]]:
    """(dotted key, value as text) of every key that has a value; that of the version decides nothing."""
    for option in TABLE:
        if option.key == "version" or option.retired:
            continue
        value = attrgetter(option.path)(config)
        if option.names is not None:
            section = option.key.rpartition(".")[0]
            yield from ((f"{section}.{name}", flow_text(value[name])) for name in sorted(value))
        elif option.default_text and value == attrgetter(option.path)(DEFAULTS):
            yield option.key, option.default_text
        else:
            yield option.key, flow_text(value)
