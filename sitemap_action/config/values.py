"""The types of single values, each with its grammar: numbers, limits, sizes, patterns, names, dates, URLs and paths."""

import re
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import PurePosixPath
from typing import TypeVar

from msgspec.structs import replace

from sitemap_action.config.schema import AUTO, DEPTH, EVERYWHERE, FAIL_ON_ROWS, HOME, Extension, Limit
from sitemap_action.config.types import (
    Json,
    RuleNames,
    ValueType,
    convert_value,
    did_you_mean,
    list_of,
    list_or_word,
    map_of,
    name_choice,
    one_of,
    plain_or_mapping,
    text_type,
)
from sitemap_action.config.yaml import InvalidValue, MappingNode, Node, Problem, ScalarNode, quote
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.site import Reason
from sitemap_action.web.media import SKIP_CLASSES, skipped_extensions
from sitemap_action.web.patterns import BadPattern, BadSourceMap, Query, SourcePages, SourceRule, compile_patterns
from sitemap_action.web.urls import BadUrl, is_url, normalize

T = TypeVar("T")

MAX_COUNT = 999_999_999

# The JSON Schema holds these grammars too: only syntax that means the same in Python and ECMAScript.
_PERCENT = r"(?:100(?:\.0{1,2})?|[0-9]{1,2}(?:\.[0-9]{1,2})?)%"
_COUNT = r"[0-9]{1,9}"
_LIMIT = rf"none|{_COUNT}|{_PERCENT}|{_COUNT} or {_PERCENT}|{_PERCENT} or {_COUNT}"
_SIZE = r"([1-9][0-9]{0,11})(?: ?(B|KiB|MiB))?"
_NUMBER = r"[0-9]{1,6}(?:\.[0-9]{1,3})?"
_ABOVE_0 = r"(?!0+(?:\.0+)?$)"
_UNITS = {"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20}
_MAX_SELECTOR = 500  # characters
_RELATIVE_PATH = r"(?!/|~/|[A-Za-z]:)(?!(?:.*/)?\.\.(?:/|$))(?!.*://)[^\\\x00-\x1f\x7f]+"
_NOT_GIT = r"(?!(?:.*/)?\.[gG][iI][tT](?:[hH][uU][bB])?(?:/|$))"
_ORIGIN = r"[hH][tT][tT][pP][sS]?://[^\s/?#@\\]+"
_URL_WITH_PATH = rf"{_ORIGIN}(?:[/?][^\s#\\]*)?"
_DIRECTORY_URL = rf"{_ORIGIN}(?:/[^\s?#\\]*)?"


def matching(
    takes: str, example: str, pattern: str, convert: Callable[[str], T], *, numeric: bool = False
) -> ValueType[T]:
    """A text that matches `pattern`; `convert` makes the value and may raise ValueError.

    `numeric`: it may look like a number, and then editors read it as one.
    """

    def convert_match(text: str, _rules: RuleNames) -> T:
        if re.fullmatch(pattern, text) is None:
            raise ValueError(_too_large(text) if re.fullmatch(pattern, "1") else "")
        return convert(text)

    types: Json = ["string", "number"] if numeric else "string"
    return text_type(takes, example, {"type": types, "pattern": f"^(?:{pattern})$"}, convert_match)


def whole_number(low: int, high: int, example: int, takes: str = "") -> ValueType[int]:
    def convert(text: str, _rules: RuleNames) -> int:
        if not re.fullmatch(_COUNT, text) or not low <= int(text) <= high:
            raise ValueError(_too_large(text) if high == MAX_COUNT else "")
        return int(text)

    takes = takes or (f"a whole number from {low} to {high}" if high < MAX_COUNT else f"a whole number, {low} or more")
    json_schema: Mapping[str, Json] = {"type": "integer", "minimum": low, "maximum": high}
    return text_type(takes, str(example), json_schema, convert, unquoted=True)


def _too_large(text: str) -> str:
    """What is wrong with a number that nobody means; "" for any other text, of which its description says more."""
    return f"{quote(text)} is too large" if re.fullmatch(r"0*[1-9][0-9]{6,}(?:\.[0-9]*)?", text) else ""


def _boolean(text: str, _rules: RuleNames) -> bool:
    if text not in ("true", "True", "TRUE", "false", "False", "FALSE"):
        raise ValueError
    return text.lower() == "true"


def _limit(text: str) -> Limit:
    counts = [int(part) for part in text.split(" or ") if part.isdecimal()]
    percents = [float(part[:-1]) for part in text.split(" or ") if part.endswith("%")]
    return Limit(next(iter(counts), None), next(iter(percents), None))


def _size(text: str) -> int:
    number, unit = re.fullmatch(_SIZE, text).groups()  # type: ignore[union-attr]  # the grammar has matched
    return int(number) * _UNITS[unit or ""]


def _number_or_auto(text: str) -> float | None:
    return None if text == "auto" else float(text)


def _pattern(text: str, _rules: RuleNames) -> str:
    try:
        return compile_patterns([text]).patterns[0]
    except BadPattern as error:
        raise ValueError(str(error)) from None


def _skip_class(text: str, _rules: RuleNames) -> str:
    if "/" in text and not skipped_extensions(text):
        raise ValueError(f"no extension of {quote(text)} is known; name the extension, as in .dwg")
    if text not in SKIP_CLASSES and "/" not in text and not re.fullmatch(r"\.[A-Za-z0-9]+", text):
        raise ValueError(
            f"{quote(text)} is not one of {', '.join(SKIP_CLASSES)}, an extension such as .dwg or a media type"
            f"{did_you_mean(text, SKIP_CLASSES)}"
        )
    return text


def _selector(text: str, _rules: RuleNames) -> str:
    if len(text) > _MAX_SELECTOR or not text.isprintable() or not _is_selector(text):
        raise ValueError
    return text


def _is_selector(text: str) -> bool:
    from turbohtml import Element  # noqa: PLC0415 - few configs have a selector

    try:
        Element("div").select_one(text)
    except ValueError:
        return False
    return True


def _rule_id(text: str, rules: RuleNames) -> str:
    if text not in rules:
        guess = did_you_mean(text, sorted(rules))
        raise ValueError(f"{quote(text)} is not a rule or a family of rules{guess or '; see `sitemap-action rules`'}")
    return text


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:  # says it in words of its own, which differ between versions
        raise ValueError(f"the calendar has no {text}") from None


def _normal_url(text: str) -> str:
    try:
        return normalize(text)
    except BadUrl as error:
        raise ValueError(f"{quote(text)} cannot be used: {error}") from None


def parse_site_url(text: str) -> str:
    """The URL of a directory, in normal form. Raises ValueError, without a message where it is no URL at all."""
    if not re.fullmatch(_DIRECTORY_URL, text):
        raise ValueError
    url = _normal_url(text)
    directory, _, name = url.rpartition("/")
    if name.startswith("index."):
        raise ValueError(f"{quote(text)} is a page: the site that it is the start of is {directory}/")
    return url if url.endswith("/") else f"{url}/"


def _path(text: str) -> str:
    return str(PurePosixPath(text))


def _baseline(text: str) -> str:
    if re.match(_ORIGIN, text):
        return _normal_url(text)
    if not text.startswith("git:"):
        return _path(text)
    reference, colon, path = text.removeprefix("git:").partition(":")
    return f"git:{reference}{colon}{_path(path) if path else ''}"


def _robots(text: str) -> str:
    return f"file:{_path(text.removeprefix('file:'))}" if text.startswith("file:") else text


boolean = text_type(
    "true or false (also True, TRUE, False, FALSE)", "true", {"type": "boolean"}, _boolean, unquoted=True
)
version = whole_number(1, 1, 1, "1, the only format of this file that this version reads")
_limited = matching('a number of URLs, a percentage, both with "or" between them, or none', "5 or 2%", _LIMIT, _limit)
limit = replace(_limited, json_schema={"anyOf": [whole_number(0, MAX_COUNT, 5).json_schema, _limited.json_schema]})
share = matching("a percentage, or 0", "50%", rf"0|{_PERCENT}", lambda text: float(text.rstrip("%")), numeric=True)
size = matching("a number of bytes, perhaps with KiB or MiB", "15MiB", _SIZE, _size, numeric=True)
seconds = matching("a number of seconds", "20", _NUMBER, float, numeric=True)
positive_seconds = matching("a number of seconds above 0", "20", rf"{_ABOVE_0}{_NUMBER}", float, numeric=True)
wait_seconds = matching("auto or a number of seconds", "600", rf"auto|{_NUMBER}", _number_or_auto, numeric=True)
rate = matching(
    "auto or a number of requests a second, above 0", "25", rf"auto|{_ABOVE_0}{_NUMBER}", _number_or_auto, numeric=True
)
processes = matching(
    "auto, or a number of processes from 1 to 32", "2", r"auto|[1-9]|[12][0-9]|3[0-2]", str, numeric=True
)
environment = matching(
    "the name of an environment", "Preview", r"[^\s\x00-\x1f\x7f](?:[^\x00-\x1f\x7f]{0,254})", str, numeric=True
)
marker = matching("a text of one line", "build 4711", r"[^\x00-\x1f\x7f]{1,500}", str, numeric=True)
one_line = matching(
    "a text of one line", "moved to the shop", r"[^\s\x00-\x1f\x7f](?:[^\x00-\x1f\x7f]{0,499})", str, numeric=True
)
header_text = matching("a text that fits in a header", "docs-check/1.0", r"[!-~](?:[ -~]{0,299}[!-~])?", str)
agent = matching("the name of a crawler", "Googlebot", r"[A-Za-z0-9_-]+", str)
parameter = matching("the name of a query parameter, perhaps with *", "utm_*", r"[^\s&=#?]+", str, numeric=True)
media_type = matching(
    "an extension or a media type", "pdf", r"[A-Za-z0-9][A-Za-z0-9.+-]*(?:/[A-Za-z0-9.+-]+)?", str.lower
)
language = matching("a language code of two or three letters, zh-cn or zh-tw", "en", "[a-z]{2,3}|zh-cn|zh-tw", str)
iso_date = matching("a date, year-month-day", "2027-01-31", r"[0-9]{4}-[0-9]{2}-[0-9]{2}", _day)
selector = text_type("a CSS selector", "a[href]", {"type": "string", "minLength": 1, "maxLength": 500}, _selector)
pattern = text_type(
    "a pattern (a path with * and **, a URL, or re: and an expression)",
    "/blog/**",
    {"type": "string", "pattern": r"^(?:/|re:|[hH][tT][tT][pP][sS]?://)"},
    _pattern,
)
skip_class = text_type(
    f"one of {', '.join(SKIP_CLASSES)}, an extension (.dwg) or a media type (video/mp4, video/*)",
    ".dwg",
    {
        "anyOf": [
            {"enum": list(SKIP_CLASSES)},
            {"type": "string", "pattern": r"^\.[A-Za-z0-9]+$"},
            {"type": "string", "pattern": r"^[a-z]+/(?:\*|[a-z0-9.+-]+)$"},
        ]
    },
    _skip_class,
)
_RULE_SCHEMA: Mapping[str, Json] = {"type": "string", "pattern": "^[A-Za-z0-9-]+$"}
rule_id = text_type("the id of a rule or of a family", "SM-14", _RULE_SCHEMA, _rule_id)
grace_key = text_type(
    "a class of removal, or the id of a rule",
    "gone",
    _RULE_SCHEMA,
    lambda text, rules: text if text in set(Reason) else _rule_id(text, rules),
)

_NO_SCHEME = lazy_re(r"[\w-]+(?:\.[\w-]+)+(?:/[^\s?#\\]*)?", re.ASCII)


def _parse_site_url(text: str, _rules: RuleNames) -> str:
    """Raises ValueError, with the address that is meant where only its scheme is missing (U-31)."""
    if _NO_SCHEME.fullmatch(text):
        raise ValueError(f"{quote(text)} has no scheme; did you mean https://{text.rstrip('/')}/?")
    if re.fullmatch(_DIRECTORY_URL, text) is None:
        raise ValueError
    return parse_site_url(text)


site_url = text_type(
    "an http or https URL without user name, query and fragment",
    "https://www.example.com/docs/",
    {"type": "string", "pattern": f"^(?:{_DIRECTORY_URL})$"},
    _parse_site_url,
)
url = matching(
    "an http or https URL without user name and fragment",
    "https://www.example.com/sitemap.xml",
    _URL_WITH_PATH,
    _normal_url,
)
deployment_url = matching(
    "auto, or an http or https URL without user name, query and fragment",
    "https://preview.example.net/",
    rf"{AUTO}|{_DIRECTORY_URL}",
    lambda text: text if text == AUTO else _normal_url(text),
)
folder = matching("a path inside the workspace, parts joined by /", "dist", _RELATIVE_PATH, _path, numeric=True)
sitemap_file = matching(
    "an http or https URL, or a path inside the workspace, not below .git or .github, that ends in .xml, .txt or "
    ".json, perhaps with .gz",
    "public/sitemap.xml",
    rf"{_URL_WITH_PATH}|{_NOT_GIT}(?=.*\.(?:xml|txt|json)(?:\.gz)?$){_RELATIVE_PATH}",
    lambda text: _normal_url(text) if is_url(text) else _path(text),
)
side_file = matching(
    "a path inside the workspace, not below .git or .github, that ends in .fingerprints or .txt",
    "sitemap.fingerprints",
    rf"{_NOT_GIT}(?=.*\.(?:fingerprints|txt)$){_RELATIVE_PATH}",
    _path,
)
redirects = matching(
    "off, auto or a path inside the workspace, not below .git or .github",
    "static/_redirects",
    rf"{_NOT_GIT}{_RELATIVE_PATH}",
    _path,
)
list_file = matching(
    "a path inside the workspace, not below .git, that ends in .txt",
    ".github/sitemap-accepted.txt",
    rf"(?!(?:.*/)?\.[gG][iI][tT](?:/|$))(?=.*\.txt$){_RELATIVE_PATH}",
    _path,
)
baseline = matching(
    "auto, committed, git:REF, git:REF:PATH, an http or https URL or a path inside the workspace",
    "git:origin/main",
    rf"git:[^\s:\\-][^\s:\\]*(?::{_RELATIVE_PATH})?|{_URL_WITH_PATH}|(?!git:){_RELATIVE_PATH}",
    _baseline,
)
robots = matching(
    "auto, ignore, or file: and a path", "file:robots.txt", rf"auto|ignore|file:{_RELATIVE_PATH}", _robots
)
_FOLDER = r"(?!.*/\.\.?/)/(?:{0}+/)+"
version_folder = matching(
    "a folder inside the site with / at both ends", "/stable/", _FOLDER.format(r"[^\s*\\?#{}/]"), str
)
version_folders = matching(
    "a folder inside the site with / at both ends, perhaps with *",
    "/v*/",
    "(?!.*[*][*])" + _FOLDER.format(r"[^\s\\?#{}/]"),
    str,
)
server_path = matching("a path on the server that begins with /", "/status.html", r"/[^\s\\\x00-\x1f\x7f]*", str)


def _read_allowed(node: Node, key: str, rules: RuleNames) -> Query:
    entries = node.entries if isinstance(node, MappingNode) else ()
    if [name.text for name, _ in entries] != ["allow"]:
        what = f"{key}: a mapping has the one key allow here; for example {{allow: [page]}}"
        raise InvalidValue(Problem(node.mark, what))
    return Query(_parameters.read(entries[0][1], f"{key}.allow", rules))


_parameters = list_of(parameter, at_least=1, commas=True)
_allowed: Mapping[str, Json] = {
    "type": "object",
    "properties": {"allow": _parameters.json_schema},
    "required": ["allow"],
    "additionalProperties": False,
}
query = plain_or_mapping(
    one_of({"keep": Query(), "drop": Query(())}),
    ValueType("", _allowed, _read_allowed),
    "keep, drop or {allow: [names of parameters]}",
)

fail_on = convert_value(
    list_or_word("none", {**{row: row for row in FAIL_ON_ROWS}, "none": None}, commas=True), frozenset
)

extensions = list_or_word("keep", {"keep": None, **{name.value: name for name in Extension}}, at_least=1, commas=True)


def empty_or(inner: ValueType[str]) -> ValueType[str]:
    """A value, or nothing: "" leaves the field out."""

    def read(node: Node, key: str, rules: RuleNames) -> str:
        return "" if isinstance(node, ScalarNode) and not node.text else inner.read(node, key, rules)

    return ValueType(f"{inner.takes}, or empty", {"anyOf": [inner.json_schema, {"enum": ["", None]}]}, read)


_priority = matching(
    "a number from 0.0 to 1.0, depth or home",
    "0.8",
    rf"0(?:\.[0-9]{{1,3}})?|1(?:\.0{{1,3}})?|{DEPTH}|{HOME}",
    str,
    numeric=True,
)
priority = plain_or_mapping(
    convert_value(name_choice((DEPTH, HOME)), lambda name: {EVERYWHERE: name}),
    map_of(pattern, empty_or(_priority)),
    "depth, home, or a mapping of patterns to numbers from 0.0 to 1.0, depth or home",
)


def _read_lastmod_map(node: Node, key: str, rules: RuleNames) -> Mapping[str, str]:
    """Reads globs of sources in the order of the file: of several the first that matches a source counts."""
    pairs = _source_pages.read(node, key, rules)
    problems = []
    for source, _ in node.entries if isinstance(node, MappingNode) else ():
        try:
            SourcePages([SourceRule(source.text, pairs[source.text])])
        except BadSourceMap as error:
            problems.append(Problem(source.mark, f"{key}: {error}"))
    if problems:
        raise InvalidValue(*problems)
    return pairs


_source_pages = map_of(
    text_type(
        "a path from the top of the repository, with * and **",
        "content/**.md",
        {"type": "string", "pattern": r"^[^/\\]"},
        lambda text, _rules: text,
    ),
    text_type(
        "the path of a page, with * and **",
        "/blog/**",
        {"type": "string", "pattern": r"^/[^?#{}\\]*$"},
        lambda text, _rules: text,
    ),
)
lastmod_map = ValueType(
    "a mapping of source files to pages, such as content/**.md: /blog/**", _source_pages.json_schema, _read_lastmod_map
)
