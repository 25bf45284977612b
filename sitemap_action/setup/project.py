"""The repository as `init` reads it: bounded files of one folder, and what their configs state, each with its place.

A config is YAML, TOML, JSON, Python or JavaScript, and is read for literals: no code is run. Keys are dotted, as in
`sitemap.hostname`. What only running the config would tell is *computed*, and its value is not known.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from posixpath import normpath
from typing import NamedTuple

from msgspec import Struct, field

from sitemap_action.config.yaml import MappingNode, Node, ScalarNode, SequenceNode, read_file
from sitemap_action.errors import UsageError
from sitemap_action.hosts.base import ControlFile
from sitemap_action.hosts.control_files import read_json, read_toml

MAX_FILE = 256 * 1024
"""Bytes of a file that is looked into."""

_SAFE_PATH = re.compile(r"(?!-)[\w.@+-]+(?:/(?!-)[\w.@+-]+)*", re.ASCII)
_SAFE_WORD = re.compile(r"(?!-)[\w.:@+-]+", re.ASCII)
_CLOSED = frozenset({".git", ".github"})
_DEEPEST, _LONGEST = 10, 200  # names of a key that is looked for; characters of one that is kept
_EMPTY = frozenset({"", "null", "~"})
_ASSIGNMENT = re.compile(
    r"""^(\w+)[ \t]*(?::[ \t]*\w+[ \t]*)?=(?!=)[ \t]*(?:(["'])([^"'\\\n]*)\2[ \t]*(?:\#.*)?$)?""", re.MULTILINE
)


class Fact(NamedTuple):
    """A value, and the place that states it."""

    value: str
    where: str  # file:line, or a file


class SourceFile(NamedTuple):
    path: str  # in the repository
    text: str

    def line(self, offset: int) -> str:
        """The place of a character."""
        return f"{self.path}:{self.text.count(chr(10), 0, offset) + 1}"


class ConfigValues(Struct, frozen=True):
    """Only text, numbers and booleans are values; each as text."""

    file: SourceFile = SourceFile("", "")
    values: Mapping[str, str] = field(default_factory=dict)
    computed: frozenset[str] = frozenset()  # keys whose value only a program knows
    items: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # of lists: texts, and keys of mappings
    problem: str = ""  # why the file is not read

    def get(self, *keys: str) -> Fact | None:
        """The first of the keys with a value that is not empty."""
        return next((Fact(self.values[key], self.place(key)) for key in keys if self.values.get(key)), None)

    def text(self, key: str) -> str:
        return self.values.get(key, "")

    def is_computed(self, key: str) -> str:
        """The place of a key whose value a program computes; "" for other keys."""
        return self.place(key) if key in self.computed else ""

    def place(self, key: str) -> str:
        """The line that has the key and its value, else the first one that has the key, else the file."""
        name, value = key.rpartition(".")[2], self.text(key)
        first = ""
        for found in re.finditer(rf"(?<![\w-]){re.escape(name)}[\"'`]?[ \t]*[:=,}}]", self.file.text, re.IGNORECASE):
            rest = self.file.text[found.end() :].partition("\n")[0] if value else ""
            if value in rest:
                return self.file.line(found.start())
            first = first or self.file.line(found.start())
        return first or self.file.path

    def ignore_case(self) -> "ConfigValues":
        """Values with keys in lower case, for a format that distinguishes none."""
        values = {key.lower(): value for key, value in self.values.items()}
        items = {key.lower(): value for key, value in self.items.items()}
        return ConfigValues(self.file, values, self.computed, items, self.problem)


class Project(Struct, frozen=True):
    """The folder of the repository in which a site's sources are; paths that are passed in are relative to it."""

    folder: str  # "" is the top of the repository
    read: Callable[[str], bytes | None]  # at most one byte more than MAX_FILE; None where there is no regular file
    names: Callable[[str], frozenset[str]]  # of the entries of a folder; none where there is no folder
    tracked: Callable[[str], bool]  # by git, or there is no git to ask
    problems: list[str] = field(default_factory=list)  # sentences on files that could not be used

    def at(self, *names: str) -> str:
        """A path in the repository."""
        path = normpath("/".join(name for name in (self.folder, *names) if name) or ".")
        return "" if path == "." else path

    def has(self, path: str) -> bool:
        parent, _, name = self.at(path).rpartition("/")
        return name in self.names(parent)

    def first(self, *paths: str) -> SourceFile | None:
        """The first of these files that is there."""
        for path in paths:
            if self.has(path) and (data := self.read(self.at(path))) is not None:
                if len(data) > MAX_FILE:
                    self.report(f"{self.at(path)} is not read: it holds more than {MAX_FILE // 1024} KiB")
                    return SourceFile(self.at(path), "")
                return SourceFile(self.at(path), data.decode("utf-8-sig", errors="replace"))
        return None

    def values(self, file: SourceFile | None) -> ConfigValues:
        """The values of a config; a file that cannot be read is reported, and states nothing."""
        values = read_values(file) if file else ConfigValues()
        if values.problem:
            self.report(f"not read: {values.problem}")
        return values

    def workflows(self) -> list[str]:
        """Paths of the repository's workflows, at most a hundred."""
        folder = ".github/workflows"
        names = sorted(name for name in self.names(folder) if name.endswith((".yml", ".yaml")))
        return [f"{folder}/{name}" for name in names[:100]]

    def report(self, sentence: str) -> None:
        if sentence not in self.problems:
            self.problems.append(sentence)

    def top(self) -> "Project":
        """The repository as the project."""
        return Project("", self.read, self.names, self.tracked, self.problems)

    def inside(self, folder: str) -> "Project":
        """One of its folders as the project."""
        return Project(self.at(folder), self.read, self.names, self.tracked, self.problems)

    def output(self, stated: Fact | None, default: str) -> Fact:
        """The folder that a build writes, as a path in the repository: as a file states it, or by default."""
        if stated is None:
            return Fact(self.at(default), "")
        path = self._folder_path(stated.value)
        if path is not None and not _CLOSED & set(path.lower().split("/")):
            return Fact(path, stated.where)
        self.report(f"{stated.where}: the folder of the build cannot be used here; {default} is assumed")
        return Fact(self.at(default), "")

    def _folder_path(self, text: str) -> str | None:
        """A folder as a path in the repository; None outside of it, and for one that needs quotes."""
        if path := safe_path(text):
            return self.at(path)
        above = text.strip().startswith("../")  # as VitePress in docs/ may have ../dist
        return (above and safe_path(self.at(text.strip().rstrip("/")))) or None


def safe_path(text: str) -> str:
    """A relative path that needs no quotes in a shell or in YAML; "" for every other text."""
    path = text.strip().removeprefix("./").rstrip("/")
    if path == ".":
        return "."
    return path if _SAFE_PATH.fullmatch(path) and ".." not in path.split("/") and len(path) < 200 else ""


def safe_branch(text: str) -> str:
    """A branch that stands for itself in the filter of a workflow; "" for every other text."""
    return text if re.fullmatch(r"(?!-)[\w./-]{1,200}", text, re.ASCII) else ""


def safe_word(text: str) -> str:
    """A name that needs no quotes; "" for every other text."""
    return text if _SAFE_WORD.fullmatch(text) and len(text) < 100 else ""


# --- reading configs ---


def read_values(file: SourceFile) -> ConfigValues:
    """The values of a config, whose format its suffix tells."""
    if file.path.endswith((".yml", ".yaml")):
        root, problems = read_file(file.path, file.text.encode(errors="replace"))
        if root is None:
            return ConfigValues(file, problem="; ".join(str(one) for one in problems[:1]))
        return _flat_values(file, _plain_value(root))
    if file.path.endswith((".toml", ".json")):
        control = ControlFile(file.path, file.text.encode(errors="replace"))
        try:
            table = read_toml(control) if file.path.endswith(".toml") else read_json(control, comments=True)
        except UsageError as error:
            return ConfigValues(file, problem=str(error))
        return _flat_values(file, table)
    return _python_values(file) if file.path.endswith(".py") else _javascript_values(file)


def _plain_value(node: Node) -> object:
    """Tags, which generators allow and our own config does not, are passed over."""
    if isinstance(node, MappingNode):
        return {key.text: _plain_value(value) for key, value in node.entries}
    if isinstance(node, SequenceNode):
        return [text for item in node.items for text in _item_texts(item)]
    return node.text if isinstance(node, ScalarNode) and not (node.plain and node.text in _EMPTY) else None


def _item_texts(item: Node) -> Iterable[str]:
    if isinstance(item, MappingNode):
        return [key.text for key, _ in item.entries]
    return [item.text] if isinstance(item, ScalarNode) else []


def _flat_values(file: SourceFile, tree: object) -> ConfigValues:
    """Lists count as computed: `!ENV [NAME, default]` is one."""
    values: dict[str, str] = {}
    items: dict[str, tuple[str, ...]] = {}
    pending: list[tuple[str, object]] = [("", tree)]
    while pending:
        prefix, value = pending.pop()
        if isinstance(value, dict):
            pending += [(key, inner) for name, inner in value.items() if (key := _join_key(prefix, name)) is not None]
        elif isinstance(value, list):
            items[prefix] = tuple(item for item in value if isinstance(item, str))
        elif isinstance(value, str | int | float):
            values[prefix] = str(value).lower() if isinstance(value, bool) else str(value)
    return ConfigValues(file, values, frozenset(items), items)


def _join_key(prefix: str, name: str) -> str | None:
    """The dotted key; None for one that no generator has: its length would be repeated in everything below it."""
    if len(name) > _LONGEST or prefix.count(".") > _DEEPEST or len(prefix) > _LONGEST:
        return None
    return f"{prefix}.{name}" if prefix else name


def _python_values(file: SourceFile) -> ConfigValues:
    """Assignments of one text at the top level; any other is computed. The last one of a name counts."""
    found = {one[1]: one[3] for one in _ASSIGNMENT.finditer(file.text)}
    values = {name: text for name, text in found.items() if text is not None}
    return ConfigValues(file, values, frozenset(found) - frozenset(values))


# --- JavaScript and TypeScript: `key: "text"` in the exported object ---

_TOKEN = re.compile(
    r"""
    //[^\n]*|/\*.*?(?:\*/|\Z)|\s+
    |(?P<token>"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|`(?:[^`\\]|\\.)*`?
    |[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*|=>|.)
    """,
    re.DOTALL | re.VERBOSE,
)
_LITERAL = re.compile(r"""(["'])([^"'`\\\n]*)\1|`([^`\\$\n]*)`""")
_NAME = re.compile(r"[A-Za-z_$\"'`]")
_MAX_BRACKETS, _MAX_KEY = 30, 60  # around a value that is looked for; characters of a key
_DECLARATIONS = frozenset({"const", "let", "var"})
_PAIRS = {"{": "}", "[": "]", "(": ")"}
_ENDS = frozenset({"", ",", "}", "]", ")", ";"})


def _javascript_values(file: SourceFile) -> ConfigValues:
    script = _Script([found[0] for found in _TOKEN.finditer(file.text) if found["token"]])
    script.read()
    values: dict[str, str] = {}
    computed = set()
    for variable, key, value in script.found:
        if not variable or not script.exports or variable in script.exported:
            if value is None:
                computed.add(key)
            else:
                values.setdefault(key, value)
    return ConfigValues(file, values, frozenset(computed) - frozenset(values))


class _Script:
    """One pass over the tokens. Brackets give the path of keys around each value.

    An object without a key, such as the argument of a call, adds nothing to the path. `exported`: every word of the
    export, names of objects among them; `found`: (variable that holds the object, key, its text or None for computed).
    """

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._brackets: list[tuple[str, str]] = []  # that are open, and the key of each
        self._variable = ""  # whose declaration this is; "" in an export
        self._constants: dict[str, str] = {}
        self.exports = False  # the file says what it exports
        self._named = self._named_export()
        self.exported = set(self._named)
        self.found: list[tuple[str, str, str | None]] = []

    def read(self) -> None:
        for at, token in enumerate(self._tokens):
            self._read_declaration(at, token)
            if token in _PAIRS:
                key = self._name(at - 2) if self._token(at - 1) == ":" and self._is_key(at - 2) else ""
                self._brackets.append((token, key))
            elif self._brackets and token == _PAIRS[self._brackets[-1][0]]:
                self._brackets.pop()
            elif self._is_key(at):
                self._add(at)

    def _named_export(self) -> frozenset[str]:
        """`export const config`, as Eleventy has it beside a function."""
        starts = (at for at, one in enumerate(self._tokens) if one == "export")
        found = any(self._tokens[at + 1 : at + 3] == ["const", "config"] for at in starts)
        return frozenset(["config"] if found else [])

    def _read_declaration(self, at: int, word: str) -> None:
        if not self._brackets and word in _DECLARATIONS:
            self._variable = self._token(at + 1)
        elif not self._brackets and (word == "module.exports" or self._tokens[at : at + 2] == ["export", "default"]):
            self._variable, self.exports, self.exported = "", True, set(self._named)
        elif not self._variable and {bracket for bracket, _ in self._brackets[:_MAX_BRACKETS]} <= {"("}:
            self.exported.add(word)  # the name of an object, or an argument of a call
        if self._token(at - 1) in _DECLARATIONS and self._token(at + 1) == "=" and self._is_end(at + 3):
            literal = _literal_text(self._token(at + 2))
            if literal is not None:
                self._constants.setdefault(word, literal)

    def _is_key(self, at: int) -> bool:
        if not self._brackets or self._brackets[-1][0] != "{" or self._token(at - 1) not in ("{", ","):
            return False
        fits = len(self._brackets) <= _MAX_BRACKETS and len(self._token(at)) <= _MAX_KEY
        return fits and bool(_NAME.match(self._token(at))) and self._token(at + 1) in (":", ",", "}")

    def _add(self, at: int) -> None:
        key = ".".join([*(key for _, key in self._brackets if key), self._name(at)])
        place = at + 2 if self._token(at + 1) == ":" else at
        text = self._token(place)
        value: str | None = None
        if text in _PAIRS:
            return
        if self._is_end(place + 1):
            value = _literal_text(text)
            if value is None:
                value = text if text in ("true", "false") else self._constants.get(text)
        elif self._tokens[place + 1 : place + 3] in (["|", "|"], ["?", "?"]) and self._is_end(place + 4):
            value = _literal_text(self._token(place + 3))  # where a variable of the environment is not set
        self.found.append((self._variable, key, value))

    def _is_end(self, at: int) -> bool:
        """Whether a value is over here: no operator, call or property follows it."""
        token = self._token(at)
        return token in _ENDS or token[0].isalpha() or token[0] in "_$"

    def _token(self, at: int) -> str:
        return self._tokens[at] if 0 <= at < len(self._tokens) else ""

    def _name(self, at: int) -> str:
        literal = _literal_text(self._token(at))
        return self._token(at) if literal is None else literal


def _literal_text(token: str) -> str | None:
    found = _LITERAL.fullmatch(token)
    return None if found is None else found[2] if found[3] is None else found[3]
