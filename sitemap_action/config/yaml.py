"""YAML to nodes: every scalar is still text, with its line and column.

`off`, `1:30`, `1.10` and dates stay as written until the type of an option reads them. Only the data part of YAML is
supported: tags, merge keys and several documents are problems. PyYAML is imported when there is a file to read: a run
with flags alone starts without it.
"""

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NoReturn, TypeAlias

from msgspec import Struct

from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.web.printable import printable

if TYPE_CHECKING:
    import yaml
    from yaml.reader import ReaderError

MAX_BYTES = 256 * 1024
"""Of a config file."""

MAX_EXPANSIONS = 100
MAX_DEPTH = 20
"""More than any option needs, and few enough for recursion over the nodes."""

_MAX_TEXT = 400
_MAX_QUOTED = 60
_AUTHORITY = lazy_re(r"//\S++")

_MESSAGES = (
    # a part of the parser's message, our message
    ("'\\t' that cannot start", "a tab cannot indent; use spaces"),
    (
        "mapping values are not allowed",
        "a colon where no key can be; put the value in quotes, or end the line above in a colon",
    ),
    ("expected <block end>", "the indentation does not fit the lines above, or a value in quotes goes on after them"),
    ("expected '<document start>'", "the indentation does not fit the lines above"),
    ("unexpected end of stream", "a quote is never closed"),
    ("document separator", "a quote is never closed"),
    ("expected ',' or ']'", "a comma or the closing ] is missing; a value with braces or brackets goes in quotes"),
    ("expected ',' or '}'", "a comma or the closing } is missing; a value with braces or brackets goes in quotes"),
    ("could not find expected ':'", "a key has no colon and space after it"),
    ("expected alphabetic or numeric", "a value that starts with * or & needs quotes"),
    ("that cannot start any token", "this character cannot start a value; put the value in quotes"),
    ("expected the node content", "a value is missing"),
)


class Mark(Struct, frozen=True):
    """A place: `name:line:column` in a file, counted from 1; for an input or a flag its name alone."""

    name: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.name}:{self.line}:{self.column}" if self.line else self.name


class Problem(Struct, frozen=True):
    """A sentence about one place, safe to print."""

    mark: Mark
    text: str

    def __str__(self) -> str:
        return printable(f"{self.mark}: {_shorten(_remove_userinfo(self.text), _MAX_TEXT)}")


class InvalidValue(Exception):  # noqa: N818  about the configuration; the program did not fail
    """A value that cannot be used, with all of its problems."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__(*problems)
        self.problems = problems


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


class MappingNode(Struct, frozen=True):
    """Keys, of which each occurs once, and their values."""

    mark: Mark
    entries: tuple[tuple[ScalarNode, "Node"], ...]

    def find(self, name: str) -> "Node | None":
        return next((value for key, value in self.entries if key.text == name), None)


Node: TypeAlias = ScalarNode | SequenceNode | MappingNode
Document: TypeAlias = tuple[Node | None, tuple[Problem, ...]]
"""What could be read, None for nothing, and the problems of the rest."""
_Place: TypeAlias = Callable[[int, int], Mark]  # of a line and a column, both from 0


def quote(text: str) -> str:
    return f'"{_shorten(_remove_userinfo(text), _MAX_QUOTED)}"'


def find_node(root: Node | None, key: str) -> Node | None:
    """The value of a dotted key; None where the tree has no such key."""
    for name in key.split("."):
        root = root.find(name) if isinstance(root, MappingNode) else None
    return root


def read_file(name: str, data: bytes) -> Document:
    """An empty file is an empty mapping."""
    try:
        return _read(_decode(name, data), lambda line, column: Mark(name, line + 1, column + 1))
    except InvalidValue as invalid:
        return None, invalid.problems


def read_value(mark: Mark, text: str) -> Document:
    """The value of an input or a flag; every node has the same mark."""
    try:
        return _read(text, lambda _line, _column: mark)
    except InvalidValue as invalid:
        return None, invalid.problems


def _decode(name: str, data: bytes) -> str:
    if len(data) > MAX_BYTES:
        raise InvalidValue(Problem(Mark(name), f"the file holds {len(data):,} bytes; at most {MAX_BYTES:,} are read"))
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start].decode().split("\n")
        mark = Mark(name, len(before), len(before[-1]) + 1)
        raise InvalidValue(
            Problem(mark, f"byte 0x{data[error.start]:02X} is not UTF-8; save the file as UTF-8")
        ) from None


def _read(text: str, place: _Place) -> Document:
    import yaml  # noqa: PLC0415 - flags alone need no YAML parser
    from yaml.reader import ReaderError  # noqa: PLC0415

    reader = _NodeReader(place)
    try:
        # Never the faster parser in C: its error messages and places differ.
        root = reader.read_document(yaml.parse(text, Loader=yaml.SafeLoader))
    except (yaml.MarkedYAMLError, ReaderError) as error:
        line, column, what = _explain(error, text)
        raise InvalidValue(*reader.problems, Problem(place(line, column), f"not valid YAML: {what}")) from None
    except (ValueError, OverflowError):  # PyYAML on \UFFFFFFFF, and on a version of 5,000 digits
        what = "not valid YAML: an escape or a number after this place is out of range"
        raise InvalidValue(*reader.problems, Problem(reader.last, what)) from None
    return root, tuple(reader.problems)


def _explain(error: "yaml.MarkedYAMLError | ReaderError", text: str) -> tuple[int, int, str]:
    """Line and column, from 0, and the message."""
    import yaml  # noqa: PLC0415 - as in _read

    if not isinstance(error, yaml.MarkedYAMLError):
        before = text[: error.position].split("\n")
        return len(before) - 1, len(before[-1]), f"the character U+{error.character:04X} is not allowed"
    mark, problem = error.problem_mark, error.problem or ""
    what = next((message for part, message in _MESSAGES if part in problem), problem)
    return mark.line if mark else 0, mark.column if mark else 0, what


class _NodeReader:
    """Events to nodes. An alias shares the node of its anchor, so that a tree needs no more memory than its text."""

    def __init__(self, place: _Place) -> None:
        self._place = place
        self._anchors: dict[str, tuple[Node, int]] = {}  # with the number of expansions inside
        self._expansions = 0
        self.last = place(0, 0)
        self.problems: list[Problem] = []

    def read_document(self, events: "Iterator[yaml.Event]") -> Node:
        import yaml  # noqa: PLC0415 - as in _read

        root: Node | None = None
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                if root is not None:
                    self._stop(self._mark(event), "a second document starts here; one file holds one")
                root = self._read_node(next(events), events, 0)
        return root or MappingNode(self.last, ())

    def _mark(self, event: "yaml.Event") -> Mark:
        """An event of this parser always has a place."""
        start = event.start_mark
        self.last = self._place(start.line, start.column) if start else self.last
        return self.last

    def _read_node(self, event: "yaml.Event", events: "Iterator[yaml.Event]", depth: int) -> Node:
        import yaml  # noqa: PLC0415 - as in _read

        mark = self._mark(event)
        if depth > MAX_DEPTH:
            self._stop(mark, f"more than {MAX_DEPTH} levels are nested here")
        before = self._expansions
        node: Node
        match event:
            case yaml.AliasEvent(anchor=str(name)):
                return self._expand_alias(mark, name)
            case yaml.ScalarEvent(value=text, style=style):
                if any("\ud800" <= character <= "\udfff" for character in text):
                    what = r"half a surrogate pair is not a character; write one escape, such as \U0001F600"
                    self._stop(mark, what)
                node = ScalarNode(mark, text, plain=not style)
            case yaml.SequenceStartEvent():
                node = SequenceNode(mark, tuple(self._read_items(events, depth + 1)))
            case _:
                node = MappingNode(mark, tuple(self._read_entries(events, depth + 1)))
        if isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent):
            if event.tag:
                readable = event.tag.replace("tag:yaml.org,2002:", "!!")
                self.problems.append(Problem(mark, f"the tag {readable} is not supported; remove it"))
            if event.anchor:
                self._anchors[event.anchor] = (node, self._expansions - before)
        return node

    def _read_items(self, events: "Iterator[yaml.Event]", depth: int) -> Iterator[Node]:
        import yaml  # noqa: PLC0415 - as in _read

        while not isinstance(event := next(events), yaml.CollectionEndEvent):
            yield self._read_node(event, events, depth)

    def _read_entries(self, events: "Iterator[yaml.Event]", depth: int) -> Iterator[tuple[ScalarNode, Node]]:
        seen: dict[str, Mark] = {}
        nodes = self._read_items(events, depth)  # key, value, key, value …
        for key, value in zip(nodes, nodes, strict=True):
            if not isinstance(key, ScalarNode):
                self.problems.append(Problem(key.mark, "a key has to be text; this is a list or a mapping"))
            elif key.plain and key.text == "<<":
                self.problems.append(Problem(key.mark, "merge keys (<<) are not supported; write the keys out"))
            elif first := seen.get(key.text):
                where = f"; the first is in line {first.line}" if first.line else ""
                self.problems.append(Problem(key.mark, f"the key {quote(key.text)} occurs twice{where}"))
            else:
                seen[key.text] = key.mark
                yield key, value

    def _expand_alias(self, mark: Mark, name: str) -> Node:
        if name not in self._anchors:
            self._stop(mark, f"*{name} has no anchor above it; quote a value that starts with *")
        node, inside = self._anchors[name]
        self._expansions += 1 + inside
        if self._expansions > MAX_EXPANSIONS:
            self._stop(mark, f"aliases such as *{name} expand more than {MAX_EXPANSIONS} times; write the values out")
        return node

    def _stop(self, mark: Mark, what: str) -> NoReturn:
        raise InvalidValue(*self.problems, Problem(mark, what))


def _remove_userinfo(text: str) -> str:
    """Takes the userinfo out of URLs: it may hold a password (URL-20)."""
    return _AUTHORITY.sub(_without_userinfo, text)


def _without_userinfo(found: re.Match[str]) -> str:
    _, sign, rest = found[0].rpartition("@")
    return f"//…@{rest}" if sign else found[0]


def _shorten(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"
