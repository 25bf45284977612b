"""The kinds of values that options take, each with its grammar: limits, paths, URLs, patterns, names, dates."""

import re
from collections.abc import Callable
from collections.abc import Mapping as Map
from dataclasses import dataclass, replace
from datetime import date
from typing import get_args

from sitemap_action.config.problem import Bad, Problem, quoted
from sitemap_action.config.types import Json, KnownNames, ListOf, Mapping, Node, OneOf, T, TextType, nearest
from sitemap_action.model.limit import Limit
from sitemap_action.model.site import Reason
from sitemap_action.sitemap.names import Format
from sitemap_action.web.patterns import BadPattern, compile_patterns

MAX_COUNT = 999_999_999

FAIL_ON_ROWS = ("stale", "lost", "invalid", "added", "changed", "errors", *Reason)

# Grammars stand in the JSON Schema too, so they keep to what Python and ECMAScript read alike.
_SHARE = r"(?:100(?:\.0{1,2})?|[0-9]{1,2}(?:\.[0-9]{1,2})?)%"
_COUNT = r"[0-9]{1,9}"
_LIMIT = rf"none|{_COUNT}|{_SHARE}|{_COUNT} or {_SHARE}|{_SHARE} or {_COUNT}"
_SIZE = r"([1-9][0-9]{0,11})(?: ?(B|KiB|MiB))?"
_UNITS = {"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20}
_SPELLED = ("true", "True", "TRUE", "false", "False", "FALSE")


def matching(
    what: str, example: str, pattern: str, finish: Callable[[str], T], *, numeric: bool = False
) -> TextType[T]:
    """A text that a grammar describes; `finish` makes the value and may still raise ValueError.

    `numeric`: it may look like a number, which editors then take for one.
    """

    def convert(text: str, _known: KnownNames) -> T:
        if re.fullmatch(pattern, text) is None:
            raise ValueError
        return finish(text)

    types: Json = ["string", "number"] if numeric else "string"
    return TextType(what, example, convert, {"type": types, "pattern": f"^(?:{pattern})$"})


def whole(low: int, high: int, example: int) -> TextType[int]:
    def convert(text: str, _known: KnownNames) -> int:
        if not re.fullmatch(_COUNT, text) or not low <= int(text) <= high:
            raise ValueError
        return int(text)

    what = f"a whole number from {low} to {high}" if high < MAX_COUNT else f"a whole number, {low} or more"
    return TextType(what, str(example), convert, {"type": "integer", "minimum": low, "maximum": high}, bare=True)


def optional(kind: TextType[str]) -> TextType[str]:
    """An empty text says that the option is not given."""

    def convert(text: str, known: KnownNames) -> str:
        return kind.convert(text, known) if text else ""

    return replace(kind, convert=convert, json={"anyOf": [kind.json, {"const": ""}]})


def _flag(text: str, _known: KnownNames) -> bool:
    if text not in _SPELLED:
        raise ValueError
    return text.lower() == "true"


def _limit(text: str) -> Limit:
    counts = [int(part) for part in text.split(" or ") if part.isdecimal()]
    shares = [float(part[:-1]) for part in text.split(" or ") if part.endswith("%")]
    return Limit(next(iter(counts), None), next(iter(shares), None))


def _pattern(text: str, _known: KnownNames) -> str:
    try:
        return compile_patterns([text]).patterns[0]
    except BadPattern as error:
        raise ValueError(str(error)) from None


def _rule(text: str, known: KnownNames) -> str:
    names = known.rules | known.families
    if text not in names:
        guess = nearest(text, sorted(names))
        raise ValueError(f"{quoted(text)} is no rule and no family of rules{guess or '; see `sitemap-action rules`'}")
    return text


def _graced(text: str, known: KnownNames) -> str:
    return text if text in set(Reason) else _rule(text, known)


flag = TextType("true or false (also True, TRUE, False, FALSE)", "true", _flag, {"type": "boolean"}, bare=True)

shape = replace(whole(1, 1, 1), what="1, the only shape of this file that this version reads")

_limited = matching('a number of URLs, a percentage, both with "or" between them, or none', "5 or 2%", _LIMIT, _limit)
limit = replace(_limited, json={"anyOf": [whole(0, MAX_COUNT, 5).json, _limited.json]})

environment = matching(
    "the name of an environment", "Preview", r"[^\s\x00-\x1f\x7f](?:[^\x00-\x1f\x7f]{0,254})", str, numeric=True
)


def _size(text: str) -> int:
    number, unit = re.fullmatch(_SIZE, text).groups()  # type: ignore[union-attr]  # the grammar has matched
    return int(number) * _UNITS[unit or ""]


def _rate(text: str) -> float | None:
    return None if text == "auto" else float(text)


size = matching("a number of bytes, perhaps with KiB or MiB", "15MiB", _SIZE, _size, numeric=True)

seconds = matching("a number of seconds", "20", r"[0-9]{1,6}(?:\.[0-9]{1,3})?", float, numeric=True)

some_seconds = matching(
    "a number of seconds above 0", "20", r"(?!0+(?:\.0+)?$)[0-9]{1,6}(?:\.[0-9]{1,3})?", float, numeric=True
)

wait_seconds = matching("auto or a number of seconds", "600", r"auto|[0-9]{1,6}(?:\.[0-9]{1,3})?", _rate, numeric=True)

rate = matching(
    "auto or a number of requests a second, above 0",
    "25",
    r"auto|(?!0+(?:\.0+)?$)[0-9]{1,6}(?:\.[0-9]{1,3})?",
    _rate,
    numeric=True,
)

marker = matching("a text of one line", "build 4711", r"[^\x00-\x1f\x7f]{1,500}", str, numeric=True)

header_text = matching("a text that fits in a header", "docs-check/1.0", r"[!-~](?:[ -~]{0,299}[!-~])?", str)

pattern = TextType(
    "a pattern (a path with * and **, a URL, or re: and an expression)",
    "/blog/**",
    _pattern,
    {"type": "string", "pattern": r"^(?:/|re:|[hH][tT][tT][pP][sS]?://)"},
)

media = matching("an extension or a media type", "pdf", r"[A-Za-z0-9][A-Za-z0-9.+-]*(?:/[A-Za-z0-9.+-]+)?", str.lower)

agent = matching("the name of a crawler", "Googlebot", r"[A-Za-z0-9_-]+", str)

parameter = matching("the name of a query parameter, perhaps with *", "utm_*", r"[^\s&=#?]+", str, numeric=True)

sentence = matching(
    "a text of one line", "moved to the shop", r"[^\s\x00-\x1f\x7f](?:[^\x00-\x1f\x7f]{0,499})", str, numeric=True
)

day = matching("a date, year-month-day", "2027-01-31", r"[0-9]{4}-[0-9]{2}-[0-9]{2}", date.fromisoformat)

rule = TextType("the id of a rule or of a family", "SM-14", _rule, {"type": "string", "pattern": "^[A-Za-z0-9-]+$"})

graced = TextType(
    "a class of removal, or the id of a rule", "gone", _graced, {"type": "string", "pattern": "^[A-Za-z0-9-]+$"}
)

host = OneOf(lambda known: {name: name for name in ("auto", *known.hosts)})

output_format: OneOf[Format] = OneOf(lambda known: {name: name for name in get_args(Format) if name in known.formats})


@dataclass(frozen=True, slots=True)
class QuerySetting:
    """Which parameters of a query belong to a page's URL: None = all, () = none of them."""

    allow: tuple[str, ...] | None = None

    def __str__(self) -> str:
        if self.allow is None:
            return "keep"
        return f"{{allow: [{', '.join(self.allow)}]}}" if self.allow else "drop"


class QueryKind:
    """`keep`, `drop` or `{allow: [names]}`."""

    _named = OneOf(lambda _known: {"keep": QuerySetting(), "drop": QuerySetting(())})
    _allowed = ListOf(parameter, at_least=1, commas=True)

    def words(self, _known: KnownNames) -> str:
        return "keep, drop or {allow: [names of parameters]}"

    def read(self, node: Node, key: str, known: KnownNames) -> QuerySetting:
        if not isinstance(node, Mapping):
            return self._named.read(node, key, known)
        if [entry.key.text for entry in node.entries] != ["allow"]:
            raise Bad(Problem(node.mark, f"{key}: a mapping has the one key allow here; for example {{allow: [page]}}"))
        return QuerySetting(self._allowed.read(node.entries[0].value, f"{key}.allow", known))

    def schema(self, known: KnownNames) -> Map[str, Json]:
        allowed: Map[str, Json] = {
            "type": "object",
            "properties": {"allow": self._allowed.schema(known)},
            "required": ["allow"],
            "additionalProperties": False,
        }
        return {"anyOf": [self._named.schema(known), allowed]}


class FailOnKind:
    """Rows of the comparison, or `none` alone."""

    _rows = ListOf(OneOf(lambda _known: {str(row): str(row) for row in FAIL_ON_ROWS}))
    _all = ListOf(OneOf(lambda _known: {str(row): str(row) for row in (*FAIL_ON_ROWS, "none")}), commas=True)
    commas = True

    def words(self, known: KnownNames) -> str:
        return self._all.words(known)

    def read(self, node: Node, key: str, known: KnownNames) -> frozenset[str]:
        rows = self._all.read(node, key, known)
        if "none" in rows and len(rows) > 1:
            raise Bad(Problem(node.mark, f"{key}: none stands alone; remove it or the others"))
        return frozenset(rows) - {"none"}

    def schema(self, known: KnownNames) -> Map[str, Json]:
        return {"anyOf": [self._rows.schema(known), {"enum": ["none", ["none"]]}]}
