"""Literals of a config that is JavaScript or TypeScript: `key: "text"` in its exported object; no code is run.

The text is split into tokens in one pass. Brackets give the path of keys around each value, as in `sitemap.hostname`;
an object without a key, such as the argument of a call, adds nothing to the path. Whatever is no literal, and no name
of a constant with a literal, is *computed*, and its value is not known.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from sitemap_action.setup.project import SourceFile
from sitemap_action.setup.stated_values import StatedValues

_TOKEN = re.compile(
    r"""
    (?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))
    |(?P<string>"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|`(?:[^`\\]|\\.)*`?)
    |(?P<word>[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)
    |(?P<mark>=>|[{}\[\]():,=;])
    |(?P<space>\s+)
    |(?P<other>.)
    """,
    re.DOTALL | re.VERBOSE,
)
_LITERAL = re.compile(r"""(["'])([^"'`\\\n]*)\1|`([^`\\$\n]*)`""")
_DEEPEST, _LONGEST = 30, 60  # brackets around a value that is looked for; characters of a key
_DECLARES = frozenset({"const", "let", "var"})
_PAIRS = {"{": "}", "[": "]", "(": ")"}


class _Token(NamedTuple):
    kind: str
    text: str
    offset: int


class _Frame(NamedTuple):
    bracket: str
    key: str


class _Found(NamedTuple):
    root: str  # name of the variable that holds the object; "" for one that is exported as it stands
    key: str
    value: str | None  # None: computed
    offset: int


def javascript_values(file: SourceFile) -> StatedValues:
    reader = _Reader(list(_tokens(file.text)))
    reader.read()
    values: dict[str, str] = {}
    offsets: dict[str, int] = {}
    computed: dict[str, int] = {}
    for one in reader.found:
        if one.root and reader.exports and one.root not in reader.exported | reader.named:
            continue
        if one.value is None:
            computed.setdefault(one.key, one.offset)
        elif one.key not in values:
            values[one.key], offsets[one.key] = one.value, one.offset
    offsets = computed | offsets
    return StatedValues(
        path=file.path,
        values=values,
        computed=frozenset(computed) - frozenset(values),
        place=lambda key: file.line(offsets[key]),
    )


def _tokens(text: str) -> Iterator[_Token]:
    for found in _TOKEN.finditer(text):
        kind = str(found.lastgroup)
        if kind not in ("comment", "space"):
            yield _Token(kind, found[0], found.start())


class _Reader:
    """One pass over the tokens; `exported`: every word behind the last export, names of objects among them."""

    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._frames: list[_Frame] = []
        self._root = ""
        self._constants: dict[str, str] = {}
        self.exports = False  # the file says what it exports
        self.exported: set[str] = set()
        self.named: set[str] = set()  # `export const config`, as Eleventy has it beside a function
        self.found: list[_Found] = []

    def read(self) -> None:
        for at, token in enumerate(self._tokens):
            if token.kind == "word":
                self._declared(at, token)
            if token.text in _PAIRS:
                self._frames.append(_Frame(token.text, self._key_before(at)))
            elif self._frames and token.text == _PAIRS[self._frames[-1].bracket]:
                self._frames.pop()
            elif self._is_key(at):
                self._add(at)

    def _declared(self, at: int, token: _Token) -> None:
        """Constants with a literal, the variable whose object follows, and what is exported."""
        if not self._frames and token.text in _DECLARES:
            self._root = self._text(at + 1)
            if self._text(at - 1) == "export" and self._root == "config":
                self.named.add(self._root)
        if not self._frames and (token.text == "module.exports" or self._texts(at, 2) == ["export", "default"]):
            self._root = ""
            self.exports, self.exported = True, set()
        elif not self._root and not self._frames:
            self.exported.add(token.text)
        if self._text(at - 1) in _DECLARES and self._text(at + 1) == "=" and self._ends(at + 3):
            literal = _literal(self._text(at + 2))
            if literal is not None:
                self._constants.setdefault(token.text, literal)
        if not self._root and self._frames and all(frame.bracket == "(" for frame in self._frames):
            self.exported.add(token.text)  # an argument of the call that is exported

    def _is_key(self, at: int) -> bool:
        if not self._frames or self._frames[-1].bracket != "{" or self._text(at - 1) not in ("{", ","):
            return False
        if len(self._frames) > _DEEPEST or len(self._text(at)) > _LONGEST:
            return False
        return self._tokens[at].kind in ("word", "string") and self._text(at + 1) in (":", ",", "}")

    def _key_before(self, at: int) -> str:
        """Of the object or list that begins here."""
        if self._text(at - 1) == ":" and self._is_key(at - 2):
            return _name(self._text(at - 2))
        return ""

    def _add(self, at: int) -> None:
        name = _name(self._text(at))
        key = ".".join([*(frame.key for frame in self._frames if frame.key), name])
        value_at = at + 2 if self._text(at + 1) == ":" else at
        text = self._text(value_at)
        if text in _PAIRS:
            return
        value: str | None = None
        if self._ends(value_at + 1):
            value = _literal(text)
            if value is None:
                value = text if text in ("true", "false") else self._constants.get(text)
        elif self._texts(value_at + 1, 2) in (["|", "|"], ["?", "?"]) and self._ends(value_at + 4):
            value = _literal(self._text(value_at + 3))  # where a variable of the environment is not set
        self.found.append(_Found(self._root, key, value, self._tokens[min(value_at, len(self._tokens) - 1)].offset))

    def _ends(self, at: int) -> bool:
        """Whether a value is over here: no operator, call or property follows it."""
        return self._text(at) in ("", ",", "}", "]", ")", ";") or self._tokens[at].kind == "word"

    def _text(self, at: int) -> str:
        return self._tokens[at].text if 0 <= at < len(self._tokens) else ""

    def _texts(self, at: int, count: int) -> list[str]:
        return [token.text for token in self._tokens[at : at + count]]


def _literal(text: str) -> str | None:
    found = _LITERAL.fullmatch(text)
    return None if found is None else found[2] if found[3] is None else found[3]


def _name(text: str) -> str:
    literal = _literal(text)
    return text if literal is None else literal
