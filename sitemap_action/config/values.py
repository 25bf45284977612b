"""The types of single values, each with its grammar: numbers, limits, sizes, times, patterns, names, dates."""

import re
from collections.abc import Callable, Mapping
from datetime import date
from typing import get_args

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.config.problem import InvalidValue, Problem, quoted
from sitemap_action.config.types import Json, KnownNames, ListOf, MappingNode, Node, OneOf, T, TextType, did_you_mean
from sitemap_action.model.limit import Limit
from sitemap_action.model.site import Reason
from sitemap_action.sitemap.formats import Format
from sitemap_action.web.patterns import BadPattern, compile_patterns
from sitemap_action.web.skip_classes import SKIP_CLASSES, skipped_extensions

MAX_COUNT = 999_999_999

FAIL_ON_ROWS = ("stale", "lost", "invalid", "added", "changed", "errors", *Reason)

# The JSON Schema holds these grammars too: only syntax that means the same in Python and ECMAScript.
_PERCENT = r"(?:100(?:\.0{1,2})?|[0-9]{1,2}(?:\.[0-9]{1,2})?)%"
_COUNT = r"[0-9]{1,9}"
_LIMIT = rf"none|{_COUNT}|{_PERCENT}|{_COUNT} or {_PERCENT}|{_PERCENT} or {_COUNT}"
_SIZE = r"([1-9][0-9]{0,11})(?: ?(B|KiB|MiB))?"
_MAX_SELECTOR = 500  # characters
_UNITS = {"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20}
_BOOLEANS = ("true", "True", "TRUE", "false", "False", "FALSE")


def matching(
    description: str, example: str, pattern: str, convert_match: Callable[[str], T], *, numeric: bool = False
) -> TextType[T]:
    """A text that matches `pattern`; `convert_match` makes the value and may raise ValueError.

    `numeric`: it may look like a number, and then editors read it as one.
    """

    def convert(text: str, _known: KnownNames) -> T:
        if re.fullmatch(pattern, text) is None:
            raise ValueError(_too_large(text) if re.fullmatch(pattern, "1") else "")
        return convert_match(text)

    types: Json = ["string", "number"] if numeric else "string"
    return TextType(description, example, convert, {"type": types, "pattern": f"^(?:{pattern})$"})


def whole_number(low: int, high: int, example: int) -> TextType[int]:
    def convert(text: str, _known: KnownNames) -> int:
        if not re.fullmatch(_COUNT, text) or not low <= int(text) <= high:
            raise ValueError(_too_large(text) if high == MAX_COUNT else "")
        return int(text)

    description = f"a whole number from {low} to {high}" if high < MAX_COUNT else f"a whole number, {low} or more"
    return TextType(
        description, str(example), convert, {"type": "integer", "minimum": low, "maximum": high}, unquoted=True
    )


def _too_large(text: str) -> str:
    """What is wrong with a number that nobody means; "" for any other text, of which its description says more."""
    return f"{quoted(text)} is too large" if re.fullmatch(r"0*[1-9][0-9]{6,}(?:\.[0-9]*)?", text) else ""


def optional(value_type: TextType[str]) -> TextType[str]:
    """An empty text is the same as no value."""

    def convert(text: str, known: KnownNames) -> str:
        return value_type.convert(text, known) if text else ""

    return replace(value_type, convert=convert, json_schema={"anyOf": [value_type.json_schema, {"const": ""}]})


def _boolean(text: str, _known: KnownNames) -> bool:
    if text not in _BOOLEANS:
        raise ValueError
    return text.lower() == "true"


def _limit(text: str) -> Limit:
    counts = [int(part) for part in text.split(" or ") if part.isdecimal()]
    percents = [float(part[:-1]) for part in text.split(" or ") if part.endswith("%")]
    return Limit(next(iter(counts), None), next(iter(percents), None))


def _pattern(text: str, _known: KnownNames) -> str:
    try:
        return compile_patterns([text]).patterns[0]
    except BadPattern as error:
        raise ValueError(str(error)) from None


def _skipped(text: str, _known: KnownNames) -> str:
    if "/" in text and not skipped_extensions(text):
        raise ValueError(f"no extension of {quoted(text)} is known; name the extension, as in .dwg")
    if text not in SKIP_CLASSES and "/" not in text and not re.fullmatch(r"\.[A-Za-z0-9]+", text):
        raise ValueError(
            f"{quoted(text)} is not one of {', '.join(SKIP_CLASSES)}, an extension such as .dwg or a media type"
            f"{did_you_mean(text, SKIP_CLASSES)}"
        )
    return text


def _selector(text: str, _known: KnownNames) -> str:
    from sitemap_action.html.shell import is_selector  # noqa: PLC0415 - few configs have one

    if len(text) > _MAX_SELECTOR or not text.isprintable() or not is_selector(text):
        raise ValueError
    return text


def _rule_id(text: str, known: KnownNames) -> str:
    names = known.rules | known.families
    if text not in names:
        guess = did_you_mean(text, sorted(names))
        raise ValueError(f"{quoted(text)} is not a rule or a family of rules{guess or '; see `sitemap-action rules`'}")
    return text


def _grace_key(text: str, known: KnownNames) -> str:
    return text if text in set(Reason) else _rule_id(text, known)


boolean = TextType(
    "true or false (also True, TRUE, False, FALSE)", "true", _boolean, {"type": "boolean"}, unquoted=True
)

version = replace(whole_number(1, 1, 1), description="1, the only format of this file that this version reads")

_limited = matching('a number of URLs, a percentage, both with "or" between them, or none', "5 or 2%", _LIMIT, _limit)
limit = replace(_limited, json_schema={"anyOf": [whole_number(0, MAX_COUNT, 5).json_schema, _limited.json_schema]})

share = matching("a percentage, or 0", "50%", rf"0|{_PERCENT}", lambda text: float(text.rstrip("%")), numeric=True)

environment = matching(
    "the name of an environment", "Preview", r"[^\s\x00-\x1f\x7f](?:[^\x00-\x1f\x7f]{0,254})", str, numeric=True
)


def _size(text: str) -> int:
    number, unit = re.fullmatch(_SIZE, text).groups()  # type: ignore[union-attr]  # the grammar has matched
    return int(number) * _UNITS[unit or ""]


def _number_or_auto(text: str) -> float | None:
    return None if text == "auto" else float(text)


size = matching("a number of bytes, perhaps with KiB or MiB", "15MiB", _SIZE, _size, numeric=True)

seconds = matching("a number of seconds", "20", r"[0-9]{1,6}(?:\.[0-9]{1,3})?", float, numeric=True)

positive_seconds = matching(
    "a number of seconds above 0", "20", r"(?!0+(?:\.0+)?$)[0-9]{1,6}(?:\.[0-9]{1,3})?", float, numeric=True
)

wait_seconds = matching(
    "auto or a number of seconds", "600", r"auto|[0-9]{1,6}(?:\.[0-9]{1,3})?", _number_or_auto, numeric=True
)

processes = matching(
    "auto, or a number of processes from 1 to 32",
    "2",
    r"auto|[1-9]|[12][0-9]|3[0-2]",
    lambda text: None if text == "auto" else int(text),
    numeric=True,
)

rate = matching(
    "auto or a number of requests a second, above 0",
    "25",
    r"auto|(?!0+(?:\.0+)?$)[0-9]{1,6}(?:\.[0-9]{1,3})?",
    _number_or_auto,
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

media_type = matching(
    "an extension or a media type", "pdf", r"[A-Za-z0-9][A-Za-z0-9.+-]*(?:/[A-Za-z0-9.+-]+)?", str.lower
)

skipped = TextType(
    f"one of {', '.join(SKIP_CLASSES)}, an extension (.dwg) or a media type (video/mp4, video/*)",
    ".dwg",
    _skipped,
    {
        "anyOf": [
            {"enum": list(SKIP_CLASSES)},
            {"type": "string", "pattern": r"^\.[A-Za-z0-9]+$"},
            {"type": "string", "pattern": r"^[a-z]+/(?:\*|[a-z0-9.+-]+)$"},
        ]
    },
)

agent = matching("the name of a crawler", "Googlebot", r"[A-Za-z0-9_-]+", str)

parameter = matching("the name of a query parameter, perhaps with *", "utm_*", r"[^\s&=#?]+", str, numeric=True)

selector = TextType("a CSS selector", "a[href]", _selector, {"type": "string", "minLength": 1, "maxLength": 500})

one_line = matching(
    "a text of one line", "moved to the shop", r"[^\s\x00-\x1f\x7f](?:[^\x00-\x1f\x7f]{0,499})", str, numeric=True
)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:  # says it in words of its own, which differ between versions
        raise ValueError(f"the calendar has no {text}") from None


iso_date = matching("a date, year-month-day", "2027-01-31", r"[0-9]{4}-[0-9]{2}-[0-9]{2}", _day)

rule_id = TextType(
    "the id of a rule or of a family", "SM-14", _rule_id, {"type": "string", "pattern": "^[A-Za-z0-9-]+$"}
)

grace_key = TextType(
    "a class of removal, or the id of a rule", "gone", _grace_key, {"type": "string", "pattern": "^[A-Za-z0-9-]+$"}
)

host = OneOf(lambda known: {name: name for name in ("auto", *known.hosts)})

output_format: OneOf[Format] = OneOf(lambda known: {name: name for name in get_args(Format) if name in known.formats})


class QuerySetting(Struct, frozen=True):
    """Query parameters that belong to a page's URL: None = all, () = none."""

    allow: tuple[str, ...] | None = None

    def __str__(self) -> str:
        if self.allow is None:
            return "keep"
        return f"{{allow: [{', '.join(self.allow)}]}}" if self.allow else "drop"


class QueryType:
    """`keep`, `drop` or `{allow: [names]}`."""

    _names = OneOf(lambda _known: {"keep": QuerySetting(), "drop": QuerySetting(())})
    _parameters = ListOf(parameter, at_least=1, commas=True)

    def describe(self, _known: KnownNames) -> str:
        return "keep, drop or {allow: [names of parameters]}"

    def read(self, node: Node, key: str, known: KnownNames) -> QuerySetting:
        if not isinstance(node, MappingNode):
            return self._names.read(node, key, known)
        if [entry.key.text for entry in node.entries] != ["allow"]:
            raise InvalidValue(
                Problem(node.mark, f"{key}: a mapping has the one key allow here; for example {{allow: [page]}}")
            )
        return QuerySetting(self._parameters.read(node.entries[0].value, f"{key}.allow", known))

    def schema(self, known: KnownNames) -> Mapping[str, Json]:
        allowed: Mapping[str, Json] = {
            "type": "object",
            "properties": {"allow": self._parameters.schema(known)},
            "required": ["allow"],
            "additionalProperties": False,
        }
        return {"anyOf": [self._names.schema(known), allowed]}


class FailOnType:
    """Rows of the comparison, or only `none`."""

    _rows = ListOf(OneOf(lambda _known: {str(row): str(row) for row in FAIL_ON_ROWS}))
    _all = ListOf(OneOf(lambda _known: {str(row): str(row) for row in (*FAIL_ON_ROWS, "none")}), commas=True)
    commas = True

    def describe(self, known: KnownNames) -> str:
        return self._all.describe(known)

    def read(self, node: Node, key: str, known: KnownNames) -> frozenset[str]:
        rows = self._all.read(node, key, known)
        if "none" in rows and len(rows) > 1:
            raise InvalidValue(Problem(node.mark, f"{key}: none cannot be combined; remove it or the others"))
        return frozenset(rows) - {"none"}

    def schema(self, known: KnownNames) -> Mapping[str, Json]:
        return {"anyOf": [self._rows.schema(known), {"enum": ["none", ["none"]]}]}
