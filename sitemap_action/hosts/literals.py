"""Literal values of a config with their places, and insertions into them: JSON, JavaScript, YAML and Python.

Theory of operation. A value is read as a tree whose nodes know where they begin and end; what only running the config
would tell is *computed*. An insertion is text at a place: a new item stands behind its neighbour, in the neighbour's
layout, so that everything else of the text stays as it is.
"""

import ast
import re
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from sitemap_action.hosts.redirect_edits import UNSAFE, CannotEditError, Row, line_end
from sitemap_action.model.lazy_re import lazy_re

MAX_SIZE, _MAX_DEPTH = 512 << 10, 60  # characters of a config, brackets around a value

_TOKEN = lazy_re(
    r"""
    (?P<space>\s+|//[^\n]*|\#![^\n]*|/\*.*?(?:\*/|\Z))
    |(?P<text>"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+'|`(?:[^`\\$]|\\.|\$(?!\{))*+`)
    |(?P<word>[A-Za-z_$][\w$]*)
    |(?P<expression>/(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.){0,200}+\]){1,500}+/[a-z]*)
    |(?P<other>=>|\.\.\.|\d[\w.]*|.)
    """,
    re.DOTALL | re.VERBOSE,
)
_ESCAPE = lazy_re(r"\\(?:u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}
_OPEN = {"{": "}", "[": "]", "(": ")"}
_NAME = lazy_re(r"[A-Za-z_$][\w$]*", re.ASCII)
# A slash behind one of these divides; behind anything else it begins an expression.
_VALUE_ENDS = lazy_re(r"[\w$)\]}\"'`]\Z")


Node: TypeAlias = Any  # of PyYAML


class Token(NamedTuple):
    """A word, a text in quotes or a character of JavaScript."""

    text: str
    start: int
    kind: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)


class Literal(NamedTuple):
    """A value and its place; `text` is None for what is no text, and a list or mapping has items."""

    start: int
    end: int
    text: str | None = None
    pairs: tuple[tuple["Literal", "Literal"], ...] | None = None  # of a mapping
    items: tuple["Literal", ...] | None = None  # of a list
    computed: bool = False  # it, or a part of it, is no literal
    block: bool = False  # of YAML: without brackets

    def find(self, *keys: str) -> "Literal | None":
        """The value of the first of these keys that a mapping has."""
        pairs = self.pairs or ()
        return next((value for key in keys for name, value in pairs if name.text == key), None)

    def text_of(self, *keys: str) -> str | None:
        value = self.find(*keys)
        return value.text if value else None

    @property
    def parts(self) -> tuple["Literal", ...]:
        """The items of a list, or the entries of a mapping, each as one place."""
        if self.items is not None:
            return self.items
        return tuple(Literal(key.start, value.end) for key, value in self.pairs or ())


def pair_row(text: str, key: Literal, value: Literal) -> Row:
    """A redirect that is the entry of a mapping."""
    return Row(key.text or "", value.text or "", text.count("\n", 0, key.start) + 1, value.start, value.end)


def read_tokens(text: str) -> list[Token]:
    """The tokens of a JSON or JavaScript text without spaces and comments. Raises CannotEditError."""
    if len(text) > MAX_SIZE:
        raise CannotEditError(f"it has more than {MAX_SIZE >> 10} KiB")
    tokens: list[Token] = []
    position = 0
    while position < len(text):
        found = _TOKEN.match(text, position)
        assert found is not None  # noqa: S101 - the last alternative is any character
        kind = str(found.lastgroup)
        if kind == "expression" and tokens and _VALUE_ENDS.search(tokens[-1].text) and tokens[-1].text != "return":
            kind, end = "other", position + 1
        else:
            end = found.end()
        if kind == "other" and text[position] in "\"'`":
            raise CannotEditError("a text in quotes is not read: it does not end, or is computed")
        if kind != "space":
            tokens.append(Token(text[position:end], position, kind))
        position = end
    return tokens


class ScriptReader:
    """Literals of JSON and JavaScript."""

    def __init__(self, text: str) -> None:
        self.tokens = read_tokens(text.removeprefix("\ufeff"))
        self._shift = text.startswith("\ufeff")

    def value(self, at: int, depth: int = 0) -> tuple[Literal, int]:
        """The value that begins with this token, and the number of the token behind it. Raises CannotEditError."""
        token = self._token(at)
        if depth > _MAX_DEPTH:
            raise CannotEditError("it nests too deep")
        if token.text in ("[", "{"):
            literal, after = (self._list if token.text == "[" else self._mapping)(at, depth)
        elif token.kind == "text":
            literal, after = self._place(token.start, token.end, unquote_text(token.text)), at + 1
        else:
            literal, after = self._place(token.start, token.end), at + 1
        if self._token(after).text in (",", "]", "}", ")", ";", ""):
            plain = token.kind == "text" or literal.items is not None or literal.pairs is not None
            known = plain or token.text in ("true", "false", "null") or token.text[:1].isdigit()
            return literal if known else literal._replace(computed=True), after
        after = self._skip(at)
        return self._place(token.start, self._token(after - 1).end)._replace(computed=True), after

    def _place(self, start: int, end: int, text: str | None = None) -> Literal:
        return Literal(start + self._shift, end + self._shift, text)

    def _token(self, at: int) -> Token:
        return self.tokens[at] if at < len(self.tokens) else Token("", self.tokens[-1].end if self.tokens else 0, "")

    def _skip(self, at: int) -> int:
        """The number of the token behind an expression: a comma, or the bracket that closes what is round it."""
        brackets: list[str] = []
        while at < len(self.tokens):
            text = self.tokens[at].text
            if not brackets and text in (",", "]", "}", ")", ";"):
                return at
            if text in _OPEN:
                brackets.append(_OPEN[text])
            elif text in _OPEN.values() and (not brackets or brackets.pop() != text):
                break
            at += 1
        raise CannotEditError("its brackets do not match")

    def _list(self, at: int, depth: int) -> tuple[Literal, int]:
        items, computed, start = [], False, self._token(at)
        at += 1
        while self._token(at).text != "]":
            item, at = self.value(at, depth + 1)
            items.append(item)
            computed = computed or item.computed
            at = self._comma(at, "]")
        place = self._place(start.start, self._token(at).end)
        return place._replace(items=tuple(items), computed=computed), at + 1

    def _mapping(self, at: int, depth: int) -> tuple[Literal, int]:
        pairs, computed, start = [], False, self._token(at)
        at += 1
        while self._token(at).text != "}":
            key = self._token(at)
            if key.kind in ("text", "word") and self._token(at + 1).text == ":":
                text = unquote_text(key.text) if key.kind == "text" else key.text
                value, at = self.value(at + 2, depth + 1)
                pairs.append((self._place(key.start, key.end, text), value))
                computed = computed or value.computed
            else:  # a method, a spread, a name alone
                computed, at = True, self._skip(at)
            at = self._comma(at, "}")
        place = self._place(start.start, self._token(at).end)
        return place._replace(pairs=tuple(pairs), computed=computed), at + 1

    def _comma(self, at: int, closing: str) -> int:
        token = self._token(at)
        if token.text == ",":
            return at + 1
        if token.text != closing:
            raise CannotEditError("its brackets do not match")
        return at


def unquote_text(token: str) -> str:
    """The text of a token in quotes."""
    if "\\" not in token:
        return token[1:-1]
    return _ESCAPE.sub(
        lambda found: (
            chr(int(code, 16) % 0x110000)
            if (code := found[1] or found[2] or found[3])
            else _ESCAPED.get(found[4], found[4])
        ),
        token[1:-1],
    )


def quote_text(text: str, like: str) -> str:
    """ASCII text in the quotes that another token has; it has no line end."""
    mark = like[:1] if like[:1] in ("'", '"') else "'" if like[:1] == "`" else '"'
    return mark + text.replace("\\", "\\\\").replace(mark, f"\\{mark}") + mark


def read_python(text: str, name: str) -> Literal | None:
    """The value that a Python text assigns to a name at its top level; None where there is not one such assignment."""
    if len(text) > MAX_SIZE:
        raise CannotEditError(f"it has more than {MAX_SIZE >> 10} KiB")
    try:
        module = ast.parse(text.removeprefix("\ufeff"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise CannotEditError("it is not Python that can be read here") from None
    names = [one for one in ast.walk(module) if isinstance(one, ast.Name) and one.id == name]
    values = [
        node.value
        for node in module.body
        if isinstance(node, ast.Assign) and [getattr(one, "id", "") for one in node.targets] == [name]
    ]
    if len(names) != 1 or len(values) != 1:
        return None
    return _python_literal(values[0], _LineStarts(text))


class _LineStarts:
    """Character offsets of places of Python's parser, which counts lines and bytes."""

    def __init__(self, text: str) -> None:
        self._lines = text.removeprefix("\ufeff").splitlines(keepends=True) if "\f" not in text else []
        self._starts = [int(text.startswith("\ufeff"))]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))

    def offset(self, line: int, column: int) -> int:
        if line > len(self._lines):
            raise CannotEditError("its lines cannot be counted")
        return self._starts[line - 1] + len(self._lines[line - 1].encode()[:column].decode(errors="replace"))


def _python_literal(node: ast.expr, lines: _LineStarts) -> Literal:
    start = lines.offset(node.lineno, node.col_offset)
    place = Literal(start, lines.offset(node.end_lineno or 0, node.end_col_offset or 0))
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return place._replace(text=node.value)
    if isinstance(node, ast.Dict):
        if None in node.keys:
            return place._replace(computed=True)
        keys = [_python_literal(key, lines) for key in node.keys if key is not None]
        values = [_python_literal(value, lines) for value in node.values]
        computed = any(one.text is None for one in (*keys, *values))
        return place._replace(pairs=tuple(zip(keys, values, strict=True)), computed=computed)
    return place._replace(computed=True)


_COMMA = lazy_re(r"\s*,")
_TO_LINE_END = lazy_re(r"[ \t]*(?:(?://|#)[^\n]*?|/\*[^\n*]*\*/[ \t]*)?(?=\r?(?:\n|\Z))")
_COMMENT = lazy_re(r"[ \t]*(?:(?://|#)[^\n]*?)(?=\r?(?:\n|\Z))")
_INDENT = lazy_re(r"[ \t]*")


def insert_items(text: str, within: Literal, new: Sequence[str], at: int) -> list[tuple[int, str]]:
    """The insertions that make these the items of a list or mapping in front of the one with this number."""
    parts, end = within.parts, line_end(text)
    if not parts:
        return [_fill_empty(text, within, new)]
    neighbour = parts[max(at - 1, 0)]
    if "\n" not in text[within.start : parts[0].start]:
        inline = (neighbour.end, "".join(f", {one}" for one in new))
        return [inline if at else (neighbour.start, "".join(f"{one}, " for one in new))]
    lines = [f"{end}{indent_of(text, neighbour.start)}{one}" for one in new]
    if not at:
        return [(within.start + 1, "".join(f"{line}," for line in lines))]
    if comma := _COMMA.match(text, neighbour.end):
        rest = _TO_LINE_END.match(text, comma.end())
        return [(rest.end() if rest else comma.end(), "".join(f"{line}," for line in lines))]
    comment = _COMMENT.match(text, neighbour.end)
    return [(neighbour.end, ","), (comment.end() if comment else neighbour.end, ",".join(lines))]


def _fill_empty(text: str, within: Literal, new: Sequence[str]) -> tuple[int, str]:
    inner, end, indent = text[within.start + 1 : within.end - 1], line_end(text), indent_of(text, within.start)
    step = indent_step(text)
    if "\n" in inner:
        offset = within.end - 1 - len(inner) + len(inner.rstrip(" \t"))
        return offset, f",{end}".join(f"{indent}{step}{one}" for one in new) + end
    if "\n" not in text.strip():
        return within.start + 1, ", ".join(new)
    return within.start + 1, ",".join(f"{end}{indent}{step}{one}" for one in new) + end + indent


def indent_of(text: str, offset: int) -> str:
    """The spaces that the line with this place begins with."""
    found = _INDENT.match(text, text.rfind("\n", 0, offset) + 1)
    return found[0].removeprefix("\ufeff") if found else ""


def indent_step(text: str) -> str:
    """One step of indentation, as the first indented line has it."""
    found = re.search(r"\n(\t| {1,8})[^\s*]", text)
    return found[1] if found else "  "


def object_text(text: str, like: Literal | None, fields: Sequence[tuple[str, str]], quote: str = "") -> str:
    """An object in the layout of another one; `fields`: names and values as text, `quote`: round each name."""
    pairs = [f"{quote}{name}{quote}: {value}" for name, value in fields]
    if like is None or not like.pairs:
        return f"{{ {', '.join(pairs)} }}"
    shown = text[like.start : like.end]
    if "\n" not in shown:
        space = " " if shown[1:2] == " " else ""
        return f"{{{space}{', '.join(pairs)}{space}}}"
    end, inner = line_end(text), indent_of(text, like.pairs[0][0].start)
    final = "," if _COMMA.match(text, like.pairs[-1][1].end) else ""
    return "{" + ",".join(f"{end}{inner}{one}" for one in pairs) + f"{final}{end}{indent_of(text, like.end - 1)}}}"


# --- YAML ---

_PLAIN_YAML = lazy_re(r"(?:https?://|(?!\.\d))[A-Za-z_/.][\w./@+%~-]*", re.ASCII)  # no number, and no date
_WORDS_OF_YAML = frozenset(["null", "true", "false", "yes", "no", "on", "off", "y", "n", ".inf", ".nan", "..."])
_DASH = lazy_re(r"[ ]*-[ ]+")


def read_yaml_tree(text: str) -> Node | None:
    """The node of a YAML document, tags unread; None for an empty one. Raises CannotEditError."""
    if len(text) > MAX_SIZE:
        raise CannotEditError(f"it has more than {MAX_SIZE >> 10} KiB")
    import yaml  # noqa: PLC0415 - few repositories have such a file

    try:
        return yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError, ValueError):
        raise CannotEditError("it is not YAML that can be read here") from None


def find_yaml(node: Node, key: str) -> tuple[Node, Node] | None:
    """The key and the value of an entry of a mapping."""
    if getattr(node, "id", "") != "mapping":
        return None
    pairs: list[tuple[Node, Node]] = node.value
    return next((pair for pair in pairs if pair[0].id == "scalar" and pair[0].value == key), None)


def find_yaml_item(plugins: Node, name: str) -> tuple[Node, Node | None] | None:
    """The node of a name in a list of plug-ins, and that of its options; None for the options of a name alone."""
    if plugins.id != "sequence":
        return find_yaml(plugins, name)
    for node in plugins.value:
        if node.id == "scalar" and node.value == name:
            return node, None
        if pair := find_yaml(node, name):
            return pair
    return None


def yaml_literal(node: Node) -> Literal:
    """A scalar, or a list or mapping of scalars; everything else is computed."""
    place = Literal(node.start_mark.index, node.end_mark.index)
    if node.id == "scalar":
        return place._replace(text=node.value, computed=node.style in ("|", ">"))
    if node.id == "sequence":
        items = tuple(_yaml_scalar(one) for one in node.value)
        return place._replace(items=items, block=not node.flow_style, computed=any(one.computed for one in items))
    pairs = tuple((_yaml_scalar(key), _yaml_scalar(value)) for key, value in node.value)
    computed = any(one.computed for pair in pairs for one in pair)
    return place._replace(pairs=pairs, block=not node.flow_style, computed=computed)


def _yaml_scalar(node: Node) -> Literal:
    return yaml_literal(node) if node.id == "scalar" else Literal(0, 0, computed=True)


def insert_yaml(text: str, within: Literal, new: Sequence[str]) -> list[tuple[int, str]]:
    """The insertions that make these the last items of a list or mapping."""
    if not within.block or not within.parts:
        return insert_items(text, within, new, len(within.parts))
    first, last = within.parts[0], within.parts[-1]
    line = text.rfind("\n", 0, first.start) + 1
    indent = " " * (first.start - line)
    if within.items is not None:
        dash = _DASH.fullmatch(text, text.rfind("\n", 0, last.start) + 1, last.start)
        if dash is None:
            raise CannotEditError(UNSAFE)
        indent = dash[0]
    rest = _TO_LINE_END.match(text, last.end)
    if rest is None:
        raise CannotEditError(UNSAFE)
    return [(rest.end(), "".join(f"{line_end(text)}{indent}{one}" for one in new))]


def insert_below(text: str, name: Literal, lines: Sequence[str], *, colon: bool) -> list[tuple[int, str]]:
    """The insertions that make these lines the value of a key that has none; `colon`: nor has it a colon."""
    behind = name.end if colon else text.find(":", name.end) + 1
    rest = _TO_LINE_END.match(text, behind)
    if rest is None:
        raise CannotEditError(UNSAFE)
    indent = " " * (name.start - text.rfind("\n", 0, name.start) + 1)
    below = (rest.end(), "".join(f"{line_end(text)}{indent}{one}" for one in lines))
    return [(name.end, ":"), below] if colon else [below]


def yaml_text(text: str, like: str = "") -> str:
    """A scalar that every YAML reads as this text: plain where it can be, in the quotes that another token has."""
    if like[:1] == "'" and "'" not in text and text.isprintable():
        return f"'{text}'"
    if like[:1] not in ("'", '"') and _PLAIN_YAML.fullmatch(text) and text.lower() not in _WORDS_OF_YAML:
        return text
    return quote_yaml(text)


def quote_yaml(text: str) -> str:
    """The text in double quotes, with an escape for each character that YAML may not hold as it is."""
    return '"' + "".join(map(_escape_yaml, text)) + '"'


def _escape_yaml(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    return character if character.isprintable() else f"\\U{ord(character):08X}"
