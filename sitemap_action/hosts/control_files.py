"""Control files in JSON and TOML as typed values that know their lines; anything wrong with one is a sentence."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias, TypeVar

from msgspec import Struct

from sitemap_action.errors import UsageError
from sitemap_action.hosts.base import BuildFiles, ControlFile
from sitemap_action.model.finding import Place
from sitemap_action.model.lazy_re import lazy_re

MAX_SIZE = 4 << 20  # bytes of a control file
_MAX_YAML, _MAX_DEPTH = 64 << 10, 20  # of one in YAML, whose parser is slow: it is hardly ever longer than a page

# A string that does not end is consumed too: no character is looked at twice.
_BRACES = lazy_re(r'"(?:[^"\\\n]|\\.)*"?|[{}\n]', re.DOTALL)
_COMMENTS = lazy_re(r'"(?:[^"\\\n]|\\.)*"?|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_COMMAS = lazy_re(r'"(?:[^"\\\n]|\\.)*"?|,(?=\s*[}\]])', re.DOTALL)
# A key of many parts: the time and memory that `tomllib` takes for one grow with their square.
_TOML_TEXTS = lazy_re(
    r"""\"{3}.*?(?:\"{3}|\Z)|'{3}.*?(?:'{3}|\Z)|"(?:[^"\\\n]|\\.)*"?|'[^'\n]*'?|\#[^\n]*""", re.DOTALL
)
_MANY_PARTS = lazy_re(r"(?<![\w-])(?:[\w-]++[ \t]*+\.[ \t]*+){50}")
_NOT_BREAK = lazy_re(r"[^\n]")

Value: TypeAlias = Any
_T = TypeVar("_T")
_NOWHERE = Place("")


class Table(dict[str, Value]):
    """A JSON object or TOML table; `where` is its place in its file."""

    def __init__(self, values: Mapping[str, Value] | Iterable[tuple[str, Value]] = (), where: Place = _NOWHERE) -> None:
        super().__init__(values)
        self.where = where

    def wrong(self, key: str, what: str) -> UsageError:
        return _cannot_use(f"{self.where}: {key} is not {what}")

    def text(self, key: str) -> str:
        """Empty where the key is missing."""
        value = self.get(key, "")
        if not isinstance(value, str):
            raise self.wrong(key, "a text")
        return value

    def boolean(self, key: str) -> bool | None:
        value = self.get(key)
        if not isinstance(value, bool | None):
            raise self.wrong(key, "true or false")
        return value

    def number(self, key: str) -> int | None:
        value = self.get(key)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
            raise self.wrong(key, "a number")
        return value

    def table(self, key: str) -> "Table":
        """An empty one where the key is missing."""
        value = self.get(key, Table())
        if not isinstance(value, Table):
            raise self.wrong(key, "an object")
        return value

    def tables(self, key: str) -> list["Table"]:
        value = self.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, Table) for item in value):
            raise self.wrong(key, "a list of objects")
        return value

    def texts(self, key: str) -> list[str]:
        value = self.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.wrong(key, "a list of texts")
        return value


class Ignored(Struct):
    """The rules of a control file that have no effect: the first, with the reason, and their number."""

    file: ControlFile
    first: str = ""
    count: int = 0

    def add(self, where: Place, why: str) -> None:
        self.first = self.first or f"{where} does not count here: {why}"
        self.count += 1

    def notes(self) -> tuple[str, ...]:
        """One sentence about all of them; none where every rule counts."""
        more = f", as {self.count - 1:,} more of its rules" if self.count > 1 else ""
        return (f"{self.first}{more}",) if self.count else ()

    def read_tables(self, tables: Iterable[Table], read: Callable[[Table], Iterable[_T] | str]) -> list[_T]:
        """What `read` makes of each table, in order; a text is the reason why the table does not count."""
        rows: list[_T] = []
        for table in tables:
            found = read(table)
            if isinstance(found, str):
                self.add(table.where, found)
            else:
                rows += found
        return rows


def read_build_file(
    found: BuildFiles, name: str, notes: list[str], read: Callable[[Ignored], Iterable[_T]]
) -> list[_T]:
    """The rules in a file of the build, none without it; what it has beside them goes to the notes."""
    if (content := found.read(name)) is None:
        return []
    ignored = Ignored(ControlFile(name, content))
    rows = list(read(ignored))
    notes += ignored.notes()
    return rows


def read_json(file: ControlFile, *, comments: bool = False) -> Table:
    """Raises UsageError."""
    text = _text(file)
    if comments:
        text = _without_comments(text)
    try:
        lines = _object_lines(text)
        found = json.loads(text, object_pairs_hook=lambda pairs: Table(pairs, Place(file.path, next(lines))))
    except json.JSONDecodeError as error:
        raise _cannot_use(f"{file.path}:{error.lineno}:{error.colno}: this is not JSON: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        why = "it nests too deep" if isinstance(error, RecursionError) else "a number is too long"
        raise _cannot_use(f"{file.path}: this is not JSON that a host reads: {why}") from None
    if not isinstance(found, Table):
        raise _cannot_use(f"{file.path}:1: this is not a JSON object")
    return found


def read_toml(file: ControlFile, lists: tuple[str, ...] = ()) -> Table:
    """`lists`: arrays of tables whose lines are wanted. Raises UsageError."""
    text = _text(file).replace("\r\n", "\n")
    if _MANY_PARTS.search(_TOML_TEXTS.sub("x", text)):
        raise _cannot_use(f"{file.path}: this is not TOML that a host reads: a key has more than 50 parts")
    import tomllib  # noqa: PLC0415 - few builds have such a file

    try:
        found = _with_places(tomllib.loads(text), Place(file.path))
    except (ValueError, RecursionError) as error:
        why = "it nests too deep" if isinstance(error, RecursionError) else " ".join(str(error).split())[:200]
        raise _cannot_use(f"{file.path}: this is not TOML: {why}") from None
    assert isinstance(found, Table)  # noqa: S101 - a TOML document is a table
    for name in lists:
        rows = found.tables(name)
        lines = [number for number, line in enumerate(text.split("\n"), 1) if _is_heading(line, name)]
        for number, row in enumerate(rows):
            row.where = Place(file.path, lines[number] if len(lines) == len(rows) else 0)
    return found


def read_yaml(file: ControlFile) -> Value:
    """Its lists, dicts and texts, an alias as None; None for a file that cannot be read."""
    import yaml  # noqa: PLC0415 - few repositories have such a file

    open_nodes: list[list[Value]] = [[]]
    try:
        for event in yaml.parse(file.content[: _MAX_YAML + 1], Loader=yaml.SafeLoader):
            if isinstance(event, yaml.CollectionStartEvent):
                open_nodes.append([])
            elif isinstance(event, yaml.CollectionEndEvent):
                items = open_nodes.pop()
                pairs = ((items[at], items[at + 1]) for at in range(0, len(items) - 1, 2) if isinstance(items[at], str))
                open_nodes[-1].append(dict(pairs) if isinstance(event, yaml.MappingEndEvent) else items)
            elif isinstance(event, yaml.ScalarEvent | yaml.AliasEvent):
                open_nodes[-1].append(getattr(event, "value", None))
            if len(open_nodes) > _MAX_DEPTH:
                return None
    except yaml.YAMLError:
        return None
    return open_nodes[0][0] if open_nodes[0] and len(file.content) <= _MAX_YAML else None


def _is_heading(line: str, name: str) -> bool:
    head = line.partition("#")[0].strip()
    return head.startswith("[[") and head.endswith("]]") and head[2:-2].strip() == name


def _with_places(value: object, where: Place) -> Value:
    if isinstance(value, dict):
        return Table({key: _with_places(inner, where) for key, inner in value.items()}, where)
    return [_with_places(item, where) for item in value] if isinstance(value, list) else value


def _object_lines(text: str) -> Iterator[int]:
    """The lines on which the objects of a JSON text begin, in the order in which they end: as a parser makes them."""
    line, open_lines = 1, []
    for found in _BRACES.finditer(text):
        match found[0]:
            case "\n":
                line += 1
            case "{":
                open_lines.append(line)
            case "}":
                yield open_lines.pop()


def _without_comments(text: str) -> str:
    """Comments and final commas become spaces, so that lines and columns stay."""
    for pattern in (_COMMENTS, _COMMAS):
        text = pattern.sub(lambda found: found[0] if found[0].startswith('"') else _NOT_BREAK.sub(" ", found[0]), text)
    return text


def _text(file: ControlFile) -> str:
    if len(file.content) > MAX_SIZE:
        raise _cannot_use(f"{file.path} is larger than {MAX_SIZE >> 20} MiB")
    try:
        return file.content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _cannot_use(f"{file.path} is not UTF-8") from None


def _cannot_use(what: str) -> UsageError:
    return UsageError(
        what, hint="correct it: it decides which URLs the host serves; or set source.host to another host"
    )
