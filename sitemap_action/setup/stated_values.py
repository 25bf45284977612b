"""What a config file states, by dotted key and with its line: YAML, TOML, JSON, and the top level of Python."""

import re
from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct, field

from sitemap_action.config.yaml import MappingNode, Node, ScalarNode, SequenceNode, read_file
from sitemap_action.errors import UsageError
from sitemap_action.hosts.base import ControlFile
from sitemap_action.hosts.control_files import read_json, read_toml
from sitemap_action.setup.project import SourceFile, Stated

_ASSIGNED = re.compile(
    r"""^(\w+)[ \t]*(?::[ \t]*\w+[ \t]*)?=(?!=)[ \t]*(?:(["'])([^"'\\\n]*)\2[ \t]*(?:\#.*)?$)?""", re.MULTILINE
)
_DEEPEST, _LONGEST = 10, 200  # names of a key that is looked for; characters of one that is kept
_EMPTY = frozenset({"", "null", "~"})


def _nowhere(_key: str) -> str:
    return ""


class StatedValues(Struct, frozen=True):
    """Only text, numbers and booleans are values; each as text."""

    path: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    computed: frozenset[str] = frozenset()  # keys whose value only a program knows
    items: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # of lists: texts, and keys of mappings
    place: Callable[[str], str] = _nowhere  # of a key: file:line
    problem: str = ""  # why the file is not read

    def get(self, *keys: str) -> Stated | None:
        """The first of the keys with a value that is not empty."""
        return next((Stated(self.values[key], self.place(key)) for key in keys if self.values.get(key)), None)

    def is_computed(self, key: str) -> str:
        """Where a program computes it; "" where none does."""
        return self.place(key) if key in self.computed else ""

    def in_any_case(self) -> "StatedValues":
        """With keys in lower case, for a format that distinguishes none."""
        written = {key.lower(): key for key in (*self.values, *self.items)}
        return StatedValues(
            path=self.path,
            values={key.lower(): value for key, value in self.values.items()},
            items={key.lower(): value for key, value in self.items.items()},
            place=lambda key: self.place(written.get(key, key)),
            problem=self.problem,
        )


def yaml_values(file: SourceFile) -> StatedValues:
    """Tags, which generators allow and our own config does not, are passed over."""
    document = read_file(file.path, file.text.encode(errors="replace"))
    if document.root is None:
        return StatedValues(file.path, problem="; ".join(str(one) for one in document.problems[:1]))
    nodes = dict(_flat_nodes("", document.root))
    texts = {key: node.text for key, node in nodes.items() if isinstance(node, ScalarNode) and not _is_null(node)}
    lists = {key: node for key, node in nodes.items() if isinstance(node, SequenceNode)}
    return StatedValues(
        path=file.path,
        values=texts,
        computed=frozenset(lists),  # `!ENV [NAME, default]`
        items={key: tuple(_texts(node)) for key, node in lists.items()},
        place=lambda key: f"{file.path}:{nodes[key].mark.line}",
    )


def _is_null(node: ScalarNode) -> bool:
    return node.plain and node.text in _EMPTY


def _flat_nodes(prefix: str, node: Node) -> Iterator[tuple[str, Node]]:
    if isinstance(node, MappingNode):
        for entry in node.entries:
            if (key := _joined(prefix, entry.key.text)) is not None:
                yield from _flat_nodes(key, entry.value)
    else:
        yield prefix, node


def _joined(prefix: str, name: str) -> str | None:
    """None for a key that no generator has: its length would be repeated in everything below it."""
    if len(name) > _LONGEST or prefix.count(".") > _DEEPEST or len(prefix) > _LONGEST:
        return None
    return f"{prefix}.{name}" if prefix else name


def _texts(node: SequenceNode) -> Iterator[str]:
    for item in node.items:
        if isinstance(item, ScalarNode):
            yield item.text
        elif isinstance(item, MappingNode):
            yield from (entry.key.text for entry in item.entries)


def toml_values(file: SourceFile) -> StatedValues:
    return _structured(file, lambda key: _toml_place(file, key))


def json_values(file: SourceFile) -> StatedValues:
    return _structured(file, lambda key: _json_place(file, key))


def _structured(file: SourceFile, place: Callable[[str], str]) -> StatedValues:
    control = ControlFile(file.path, file.text.encode(errors="replace"))
    try:
        table = read_toml(control) if file.path.endswith(".toml") else read_json(control, comments=True)
    except UsageError as error:
        return StatedValues(file.path, problem=str(error))
    values: dict[str, str] = {}
    items: dict[str, tuple[str, ...]] = {}
    pending: list[tuple[str, object]] = [("", table)]
    while pending:
        prefix, value = pending.pop()
        if isinstance(value, dict):
            pending += [(key, inner) for name, inner in value.items() if (key := _joined(prefix, name)) is not None]
        elif isinstance(value, list):
            items[prefix] = tuple(item for item in value if isinstance(item, str))
        elif isinstance(value, str | bool | int | float):
            values[prefix] = str(value).lower() if isinstance(value, bool) else str(value)
    return StatedValues(file.path, values, items=items, place=place)


def _toml_place(file: SourceFile, key: str) -> str:
    """The line of a key at the top, or of the first one of that name behind a heading."""
    section, _, name = key.rpartition(".")
    heading = re.search(r"^[ \t]*\[", file.text, re.MULTILINE)
    start = heading.start() if section and heading else 0
    found = re.compile(rf"""^[ \t]*["']?{re.escape(name)}["']?[ \t]*=""", re.MULTILINE).search(file.text, start)
    return file.line(found.end()) if found else file.path


def _json_place(file: SourceFile, key: str) -> str:
    """Behind the line of the key that it is in."""
    start = 0
    for name in key.split("."):
        found = re.compile(rf'"{re.escape(name)}"\s*:').search(file.text, start)
        if found is None:
            return file.path
        start = found.start()
    return file.line(start)


def python_values(file: SourceFile) -> StatedValues:
    """Assignments of one text at the top level; any other is computed. The last one of a name counts."""
    values: dict[str, str] = {}
    offsets: dict[str, int] = {}
    for found in _ASSIGNED.finditer(file.text):
        name, text = found[1], found[3]
        values.pop(name, None)
        offsets[name] = found.start()
        if text is not None:
            values[name] = text
    computed = frozenset(offsets) - frozenset(values)
    return StatedValues(file.path, values, computed, place=lambda key: file.line(offsets[key]))
