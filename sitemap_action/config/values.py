"""The kinds of values that options take, each with its grammar: limits, paths, URLs, patterns, names, dates."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from pathlib import PurePosixPath
from typing import get_args

from sitemap_action.config.problem import quoted
from sitemap_action.config.types import Json, KnownNames, OneOf, T, TextType, nearest
from sitemap_action.model.site import Reason
from sitemap_action.sitemap.names import Format
from sitemap_action.web.patterns import BadPattern, compile_patterns
from sitemap_action.web.urls import BadUrl, normal

PERCENT_FROM = 5
"""Fewer URLs than this never pass a percentage: of a small site every page is a large part (DIFF-41)."""

MAX_COUNT = 999_999_999

AUTO = "auto"
"""In place of an address: where the deployment of a commit is served."""

# Grammars stand in the JSON Schema too, so they keep to what Python and ECMAScript read alike.
_SHARE = r"(?:100(?:\.0{1,2})?|[0-9]{1,2}(?:\.[0-9]{1,2})?)%"
_COUNT = r"[0-9]{1,9}"
_LIMIT = rf"none|{_COUNT}|{_SHARE}|{_COUNT} or {_SHARE}|{_SHARE} or {_COUNT}"
_INSIDE = r"(?!/|~/|[A-Za-z]:)(?!(?:.*/)?\.\.(?:/|$))(?!.*://)[^\\\x00-\x1f\x7f]+"
_NOT_GIT = r"(?!(?:.*/)?\.[gG][iI][tT](?:[hH][uU][bB])?(?:/|$))"
_URL = r"[hH][tT][tT][pP][sS]?://[^\s/?#@\\]+"
_ADDRESS = rf"{_URL}(?:[/?][^\s#\\]*)?"
_SIZE = r"([1-9][0-9]{0,11})(?: ?(B|KiB|MiB))?"
_UNITS = {"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20}
_SPELLED = ("true", "True", "TRUE", "false", "False", "FALSE")


@dataclass(frozen=True, slots=True)
class Limit:
    """How many URLs may change: a number, a percentage, or both; with neither, any number."""

    count: int | None = None
    percent: float | None = None  # at most two decimals

    def allows(self, amount: int, total: int) -> bool:
        """The stricter of number and percentage holds (DIFF-41)."""
        if self.count is not None and amount > self.count:
            return False
        if self.percent is None or amount < PERCENT_FROM:
            return True
        return amount * 10_000 <= round(self.percent * 100) * total

    def __str__(self) -> str:
        parts = [] if self.count is None else [str(self.count)]
        parts += [] if self.percent is None else [f"{self.percent:g}%"]
        return " or ".join(parts) or "none"


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


def _address(text: str) -> str:
    try:
        return normal(text)
    except BadUrl as error:
        raise ValueError(f"{quoted(text)} cannot be used: {error}") from None


def _directory(text: str) -> str:
    url = _address(text)
    return url if url.endswith("/") else f"{url}/"


def _path(text: str) -> str:
    return str(PurePosixPath(text))


def _baseline(text: str) -> str:
    if re.match(_URL, text):
        return _address(text)
    if not text.startswith("git:"):
        return _path(text)
    reference, colon, path = text.removeprefix("git:").partition(":")
    return f"git:{reference}{colon}{_path(path) if path else ''}"


def _robots(text: str) -> str:
    return f"file:{_path(text.removeprefix('file:'))}" if text.startswith("file:") else text


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

site_url = matching(
    "an http or https URL without user name, query and fragment",
    "https://www.example.com/docs/",
    rf"{_URL}(?:/[^\s?#\\]*)?",
    _directory,
)

address = matching(
    "an http or https URL without user name and fragment",
    "https://www.example.com/sitemap.xml",
    _ADDRESS,
    _address,
)

deployed = matching(
    "auto, or an http or https URL without user name and fragment",
    "https://preview.example.net/",
    rf"{AUTO}|{_ADDRESS}",
    lambda text: text if text == AUTO else _address(text),
)

environment = matching(
    "the name of an environment", "Preview", r"[^\s\x00-\x1f\x7f](?:[^\x00-\x1f\x7f]{0,254})", str, numeric=True
)

folder = matching("a path inside the workspace, parts joined by /", "dist", _INSIDE, _path, numeric=True)

sitemap_file = matching(
    "a path inside the workspace, not below .git or .github, that ends in .xml, .txt or .json, perhaps with .gz",
    "public/sitemap.xml",
    rf"{_NOT_GIT}(?=.*\.(?:xml|txt|json)(?:\.gz)?$){_INSIDE}",
    _path,
)

baseline = matching(
    "auto, committed, git:REF, git:REF:PATH, an http or https URL or a path inside the workspace",
    "git:origin/main",
    rf"git:[^\s:\\-][^\s:\\]*(?::{_INSIDE})?|{_URL}(?:[/?][^\s#\\]*)?|(?!git:){_INSIDE}",
    _baseline,
)

robots = matching("auto, ignore, or file: and a path", "file:robots.txt", rf"auto|ignore|file:{_INSIDE}", _robots)


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

server_path = matching("a path on the server that begins with /", "/status.html", r"/[^\s\\\x00-\x1f\x7f]*", str)

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
