"""The repository as `init` reads it: bounded files of one folder, and what their configs state, each with its place.

A config is YAML, TOML, JSON, INI, Python or JavaScript, and is read for literals: no code is run. Keys are dotted, as
in `sitemap.hostname`. What only running the config would tell is *computed*, and its value is not known.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from posixpath import normpath
from typing import NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from sitemap_action.config.yaml import MappingNode, Node, ScalarNode, SequenceNode, read_file
from sitemap_action.errors import UsageError
from sitemap_action.hosts.base import ControlFile
from sitemap_action.hosts.control_files import read_json, read_toml
from sitemap_action.model.lazy_re import lazy_re

MAX_FILE = 256 * 1024
"""Bytes of a file that is looked into."""

_SAFE_PATH = lazy_re(r"(?!-)[\w.@+-]+(?:/(?!-)[\w.@+-]+)*", re.ASCII)
_SAFE_WORD = lazy_re(r"(?!-)[\w.:@+-]+", re.ASCII)
_CLOSED = frozenset({".git", ".github"})
_DEEPEST, _LONGEST = 10, 200  # names of a key that is looked for; characters of one that is kept
_EMPTY = frozenset({"", "null", "~"})
_ASSIGNMENT = lazy_re(
    r"""^(\w+)[ \t]*(?::[ \t]*\w+[ \t]*)?=(?!=)[ \t]*(?:(["'])([^"'\\\n]*)\2[ \t]*(?:\#.*)?$)?""", re.MULTILINE
)


class Fact(NamedTuple):
    """A value, and the place that states it."""

    value: str
    where: str  # file:line, or a file


def join_address(address: Fact | None, path: Fact | None) -> tuple[Fact, ...]:
    """The address of a site that is below a path of its host."""
    if address is None:
        return ()
    if path is None or not path.value.strip("/."):
        return (address,)
    where = address.where if path.where == address.where else f"{address.where} and {path.where}"
    return (Fact(f"{address.value.rstrip('/')}/{path.value.strip('/')}/", where),)


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

    def describe_computed(self, keys: Iterable[str]) -> tuple[str, ...]:
        """Sentences on the keys that only running the config would tell."""
        places = ((key, self.is_computed(key)) for key in keys)
        return tuple(f"{place}: {key} is computed, and a config is not run" for key, place in places if place)

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

    def join(self, *names: str) -> str:
        """A path in the repository."""
        path = normpath("/".join(name for name in (self.folder, *names) if name) or ".")
        return "" if path == "." else path

    def has(self, path: str) -> bool:
        parent, _, name = self.join(path).rpartition("/")
        return name in self.names(parent)

    def first(self, *paths: str) -> SourceFile | None:
        """The first of these files that is there."""
        for path in paths:
            if self.has(path) and (data := self.read(self.join(path))) is not None:
                if len(data) > MAX_FILE:
                    self.report(f"{self.join(path)} is not read: it holds more than {MAX_FILE // 1024} KiB")
                    return SourceFile(self.join(path), "")
                return SourceFile(self.join(path), data.decode("utf-8-sig", errors="replace"))
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
        return replace(self, folder="")

    def inside(self, folder: str) -> "Project":
        """One of its folders as the project."""
        return replace(self, folder=self.join(folder))

    def output(self, stated: Fact | None, default: str) -> Fact:
        """The folder that a build writes, as a path in the repository: as a file states it, or by default."""
        if stated is None:
            return Fact(self.join(default), "")
        path = self._folder_path(stated.value)
        if path is not None and not _CLOSED & set(path.lower().split("/")):
            return Fact(path, stated.where)
        self.report(f"{stated.where}: the folder of the build cannot be used here; {default} is assumed")
        return Fact(self.join(default), "")

    def _folder_path(self, text: str) -> str | None:
        """A folder as a path in the repository; None outside of it, and for one that needs quotes."""
        if path := safe_path(text):
            return self.join(path)
        above = text.strip().startswith("../")  # as VitePress in docs/ may have ../dist
        return (above and safe_path(self.join(text.strip().rstrip("/")))) or None


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
    if file.path.endswith(".lektorproject"):
        return _ini_values(file)
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


def _ini_values(file: SourceFile) -> ConfigValues:
    """`[project]` and its `url = …`: the key `project.url`. Any other line is passed over."""
    values: dict[str, str] = {}
    section = ""
    for line in file.text.splitlines():
        name, equals, value = line.partition("=")
        if line.startswith("[") and line.rstrip().endswith("]"):
            section = line.strip()[1:-1]
        elif equals and (key := _join_key(section, name.strip())):
            values.setdefault(key, value.strip())
    return ConfigValues(file, values)


def _python_values(file: SourceFile) -> ConfigValues:
    """Assignments of one text at the top level; any other is computed. The last one of a name counts."""
    found = {one[1]: one[3] for one in _ASSIGNMENT.finditer(file.text)}
    values = {name: text for name, text in found.items() if text is not None}
    return ConfigValues(file, values, frozenset(found) - frozenset(values))


# --- JavaScript and TypeScript: `key: "text"` in the exported object ---

_TOKEN = lazy_re(
    r"""
    //[^\n]*|/\*.*?(?:\*/|\Z)|\s+
    |(?P<token>"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|`(?:[^`\\]|\\.)*`?
    |[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*|=>|.)
    """,
    re.DOTALL | re.VERBOSE,
)
_LITERAL = lazy_re(r"""(["'])([^"'`\\\n]*)\1|`([^`\\$\n]*)`""")
_NAME = lazy_re(r"[A-Za-z_$\"'`]")
_MAX_BRACKETS, _MAX_KEY = 30, 60  # around a value that is looked for; characters of a key
_DECLARATIONS = frozenset({"const", "let", "var"})
_PAIRS = {"{": "}", "[": "]", "(": ")"}
_ENDS = frozenset({"", ",", "}", "]", ")", ";"})


def _javascript_values(file: SourceFile) -> ConfigValues:
    """The keys of the exported object, in one pass over the tokens: brackets give the path of keys round each value.

    An object without a key, such as the argument of a call, adds nothing to the path; one that a variable holds counts
    where the export names the variable.
    """
    tokens = [*(found[0] for found in _TOKEN.finditer(file.text) if found["token"]), *[""] * 5]
    exported, constants = _exported_names(tokens), _text_constants(tokens)
    values: dict[str, str] = {}
    computed: set[str] = set()
    brackets: list[tuple[str, str]] = []  # that are open, and the key of each
    variable = ""  # whose declaration this is; "" in an export
    for at, token in enumerate(tokens):
        if not brackets and token in _DECLARATIONS:
            variable = tokens[at + 1]
        elif not brackets and _is_export(tokens, at):
            variable = ""
        if token in _PAIRS:
            named = tokens[at - 1] == ":" and _is_key(tokens, at - 2, brackets)
            brackets.append((token, _key_name(tokens[at - 2]) if named else ""))
        elif brackets and token == _PAIRS[brackets[-1][0]]:
            brackets.pop()
        elif _is_key(tokens, at, brackets) and (not variable or exported is None or variable in exported):
            place = at + 2 if tokens[at + 1] == ":" else at
            if tokens[place] not in _PAIRS:
                key = ".".join([*(outer for _, outer in brackets if outer), _key_name(token)])
                if (value := _read_value(tokens, place, constants)) is None:
                    computed.add(key)
                else:
                    values.setdefault(key, value)
    return ConfigValues(file, values, frozenset(computed) - frozenset(values))


def _is_export(tokens: list[str], at: int) -> bool:
    return tokens[at] == "module.exports" or tokens[at : at + 2] == ["export", "default"]


def _exported_names(tokens: list[str]) -> set[str] | None:
    """Words of the export before its object, names of objects among them; None where the file says no export."""
    names, naming, exports = set[str](), False, False
    for at, token in enumerate(tokens):
        if _is_export(tokens, at):
            naming = exports = True
        elif tokens[at : at + 3] == ["export", "const", "config"]:  # as Eleventy has it beside a function
            names.add("config")
        elif token in ("{", ";") or token in _DECLARATIONS:
            naming = False
        elif naming:
            names.add(token)
    return names if exports else None


def _text_constants(tokens: list[str]) -> dict[str, str]:
    """Name → text of each variable that is declared with a text."""
    constants: dict[str, str] = {}
    for at, token in enumerate(tokens[:-4]):
        literal = _literal_text(tokens[at + 2]) if tokens[at - 1] in _DECLARATIONS else None
        if literal is not None and tokens[at + 1] == "=" and _is_end(tokens[at + 3]):
            constants.setdefault(token, literal)
    return constants


def _is_key(tokens: list[str], at: int, brackets: list[tuple[str, str]]) -> bool:
    if not brackets or brackets[-1][0] != "{" or tokens[at - 1] not in ("{", ","):
        return False
    fits = len(brackets) <= _MAX_BRACKETS and len(tokens[at]) <= _MAX_KEY
    return fits and bool(_NAME.match(tokens[at])) and tokens[at + 1] in (":", ",", "}")


def _read_value(tokens: list[str], place: int, constants: Mapping[str, str]) -> str | None:
    """None for what only a program knows."""
    text, after = tokens[place], tokens[place + 1 : place + 5]
    if _is_end(after[0]):
        literal = _literal_text(text)
        return literal if literal is not None else text if text in ("true", "false") else constants.get(text)
    if after[:2] in (["|", "|"], ["?", "?"]) and _is_end(after[3]):
        return _literal_text(after[2])  # where a variable of the environment is not set
    return None


def _is_end(token: str) -> bool:
    """Whether a value is over before this token: it is no operator, call or property."""
    return token in _ENDS or token[0].isalpha() or token[0] in "_$"


def _key_name(token: str) -> str:
    literal = _literal_text(token)
    return token if literal is None else literal


def _literal_text(token: str) -> str | None:
    found = _LITERAL.fullmatch(token)
    return None if found is None else found[2] if found[3] is None else found[3]
