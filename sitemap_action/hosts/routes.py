"""Rules over paths as control files have them: the first that matches decides, in linear time whatever the patterns."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, zip_longest
from posixpath import normpath
from typing import Any, TypeAlias
from urllib.parse import quote, unquote, unquote_to_bytes

import re2

from sitemap_action.hosts.base import PathPattern, Route
from sitemap_action.hosts.page_spellings import encoded_path
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.web.patterns import linear_options
from sitemap_action.web.urls import BadUrl, normalize

MAX_PATTERN = 2_000  # characters of a pattern or a line; no host takes longer ones
_CHUNK = 200  # expressions in one automaton
_PLACEHOLDER = lazy_re(r":([A-Za-z_]\w*)(?:[*+]|\?\Z)?(?:\([^()]*\))?|\$(\d)")
_NAME = lazy_re(r":([A-Za-z]\w*)", re.ASCII)
_SLASH = lazy_re("%2F", re.IGNORECASE)
_PLAIN = lazy_re(r"/(?!/)[\w/-]*", re.ASCII)  # most paths: nothing is to be encoded
_ORIGIN = "https://x.invalid"
_ASCII = "".join(map(chr, range(0x21, 0x7F)))


def keep_path(path: str) -> str:
    return path


class PathIndex:
    """Patterns by number: which of them match a path, in ascending order."""

    def __init__(self, patterns: Sequence[PathPattern]) -> None:
        self._patterns = patterns
        self._literals: dict[str, list[int]] = {}
        dynamic = []
        for number, pattern in enumerate(patterns):
            if pattern.expression:
                dynamic.append(number)
            else:
                self._literals.setdefault(pattern.literal, []).append(number)
        starts = range(0, len(dynamic), _CHUNK)
        self._chunks: list[tuple[list[int], re2.Set]] = [
            part for start in starts for part in self._compile_sets(dynamic[start : start + _CHUNK])
        ]

    def __reduce__(self) -> tuple[object, ...]:
        return PathIndex, (self._patterns,)  # compiled patterns cannot be pickled

    def first(self, path: str) -> int | None:
        literal = self._literals.get(path, (len(self._patterns),))[0]
        for numbers, automaton in self._chunks:
            if numbers[0] > literal:
                break
            for found in sorted(numbers[one] for one in automaton.Match(path) or ()):
                if found > literal or not self._is_excluded(found, path):
                    return int(min(found, literal))
        return literal if literal < len(self._patterns) else None

    def all_matches(self, path: str) -> list[int]:
        found = list(self._literals.get(path, ()))
        for numbers, automaton in self._chunks:
            found += [numbers[one] for one in automaton.Match(path) or () if not self._is_excluded(numbers[one], path)]
        return sorted(found)

    def _is_excluded(self, number: int, path: str) -> bool:
        excluded = self._patterns[number].excluded
        return bool(excluded) and re2.fullmatch(excluded, path, linear_options()) is not None

    def _compile_sets(self, numbers: list[int]) -> Iterator[tuple[list[int], "re2.Set"]]:
        """One automaton, or smaller ones where that is too large; a pattern that is too large alone matches nothing."""
        automaton = re2.Set.FullMatchSet(linear_options())
        try:
            for number in numbers:
                automaton.Add(self._patterns[number].expression)
            automaton.Compile()
        except re2.error:
            half = len(numbers) // 2
            if half:
                yield from self._compile_sets(numbers[:half])
                yield from self._compile_sets(numbers[half:])
            return
        yield numbers, automaton


Fill: TypeAlias = Callable[[str, Mapping[str, str]], str]
"""Puts the values of groups, by name and number, in the place of a text's placeholders."""


def fill_placeholders(target: str, values: Mapping[str, str]) -> str:
    """Puts the values in the place of `:name` and `$1`; a name that the pattern does not have stays."""
    return _PLACEHOLDER.sub(lambda found: values.get(found[1] or found[2], found[0]), target) if values else target


class RouteTable:
    """Rules in their order; `key` brings a path into the form that the host compares."""

    def __init__(
        self, routes: Sequence[Route], key: Callable[[str], str] = keep_path, fill: Fill = fill_placeholders
    ) -> None:
        self.rules = tuple(routes)
        self._routes = tuple(route for route in routes if not (route.unserved or route.unclear))
        self.key = key
        self._fill = fill
        self._index = PathIndex([route.pattern for route in self._routes])

    def __bool__(self) -> bool:
        return bool(self._routes)

    def __iter__(self) -> Iterator[Route]:
        return iter(self._routes)

    def first(self, path: str) -> tuple[Route, str] | None:
        """The rule that decides, and its target without placeholders."""
        key = self.key(path)
        number = self._index.first(key)
        return None if number is None else self._fill_route(number, path, key)

    def all_matches(self, path: str, *others: str) -> Iterator[tuple[Route, str]]:
        """Every rule that could decide, in order. `others`: that are looked for, too."""
        key = self.key(path)
        numbers = sorted({number for one in (key, *others) for number in self._index.all_matches(one)})
        return (self._fill_route(number, path, key) for number in numbers)

    def _fill_route(self, number: int, path: str, key: str) -> tuple[Route, str]:
        route, expression = self._routes[number], self._routes[number].pattern.expression
        if not expression:
            return route, route.target
        # A splat has the final slash that is not compared.
        has_names = ":" in route.target or "$" in route.target
        values = has_names and (capture_groups(expression, path) or capture_groups(expression, key))
        return route, self._fill(route.target, values or {})


@lru_cache(maxsize=4_096)
def _compile(expression: str) -> Any:
    return re2.compile(expression, linear_options())


def capture_groups(expression: str, path: str) -> dict[str, str]:
    """The text of each group of an expression, by number and then by name, in the order of the groups."""
    found = _compile(expression).fullmatch(path.encode())  # of a text the places in it cost more than the match
    if found is None:
        return {}
    numbered = {str(number): (value or b"").decode() for number, value in enumerate(found.groups(), 1)}
    index = found.re.groupindex
    return numbered | {name: numbered[str(index[name])] for name in sorted(index, key=index.__getitem__)}


def normalize_path(path: str) -> str:
    """A path in the form of URLs in the inventory, whether or not it is written percent-encoded; %2F is no slash."""
    return "%2F".join(encoded_path(unquote_to_bytes(part))[1:] for part in _SLASH.split(path))


def rule_path(path: str) -> str:
    """The path of a rule without dot segments, in the form of URLs in the inventory; another text as it is."""
    return location(path) if path.startswith("/") and not path.startswith("//") and "\\" not in path else path


def location(target: str) -> str:
    """A redirect target, percent-encoded: a path, or an absolute URL."""
    if _PLAIN.fullmatch(target):
        return target
    try:
        if target.startswith("/") and not target.startswith("//"):
            return normalize(_ORIGIN + target).removeprefix(_ORIGIN)
        return normalize(target if not target.startswith("//") else f"https:{target}")
    except BadUrl:
        return target


def decode_path(path: str, base: str) -> str | None:
    """A path of the site as names of files below its base; None for one elsewhere, and for names that no file has."""
    if not path.startswith(base) or "%2F" in path.upper():
        return None
    try:
        text = unquote(path.removeprefix(base.rstrip("/")), errors="strict")
    except UnicodeDecodeError:
        return None
    return (
        text
        if text.isprintable() and not set(text) & set("\\\"'`") and normpath(text) == (text.rstrip("/") or "/")
        else None
    )


def read_pattern(text: str, site: str = "") -> PathPattern | None:
    """Reads a pattern of Cloudflare, `:name` and one `*` anywhere in a path; None if it is no usable one.

    As the host does, a name is a group wherever its text stands: `/:a/:ab` has two groups `a`, and matches nothing.
    `site`: `https://` and a host, which then is in front of every path; a pattern may have one, too.
    """
    before, _, path = text.partition("?")[0].partition("#")[0].rpartition("://")
    if before:
        host, _, path = path.lstrip("/").partition("/")
        path = path.removeprefix("/")  # of two slashes behind a host, one counts
    else:
        host, path = site.removeprefix("https://"), path.removeprefix("/")
    if len(text) > MAX_PATTERN or "\\" in path or before not in {"", "https"}:  # \ is a slash in every request
        return None
    text = f"https://{host}{rule_path(f'/{path}')}" if site else rule_path(f"/{path}")
    text = text.replace("*", "\0*\0")
    for name in _NAME.findall(text):
        text = text.replace(f":{name}", f"\0{name}\0")
    parts = text.split("\0")
    wildcards = ["splat" if name == "*" else name for name in parts[1::2]]
    if not wildcards:
        return PathPattern(literal=text)
    if len(set(wildcards)) < len(wildcards):
        return None
    in_host = set(_NAME.findall(host))
    groups = [
        f"(?P<{name}>{'.*' if part == '*' else '[^/.]+' if name in in_host else '[^/]+'})"
        for name, part in zip(wildcards, parts[1::2], strict=True)
    ]
    texts = map(str, map(re2.escape, parts[::2]))
    return compile_pattern("".join(chain.from_iterable(zip_longest(texts, groups, fillvalue=""))))


def fill_names(text: str, values: Mapping[str, str]) -> str:
    """As Cloudflare does: one value after the other, wherever `:` and its name stand, also before other letters."""
    for name, value in values.items():
        text = text.replace(f":{name}", value) if not name.isdigit() else text
    return text


def read_segment_pattern(path: str) -> PathPattern | None:
    """Reads a pattern of Netlify: `:name` is a whole segment, and `*` is any number of segments, also none.

    What several `*` stand for has no name: the host's own matcher gives `:splat` one or the other.
    """
    if len(path) > MAX_PATTERN or "**" in path:
        return None
    if "*" not in path and "/:" not in path:
        return PathPattern(literal=normalize_path(path))
    out: list[str] = []
    splat = "(?P<splat>.*)" if path.count("*") == 1 else ".*"
    for segment in path.split("/")[1:]:
        name = segment[1:] if segment.startswith(":") else ""
        if segment == "*":
            out.append(f"(?:/{splat})?")
        elif name:
            named = name.isascii() and name.isidentifier() and f"/(?P<{name}>[^/]+)" not in out
            out.append(f"/(?P<{name}>[^/]+)" if named else "/[^/]+")
        else:
            texts = (str(re2.escape(normalize_path(text))) for text in segment.split("*"))
            out.append(f"/{(splat if path.count('*') > 1 else '/?' + splat).join(texts)}")
    return compile_pattern("".join(out))


def header_key(path: str) -> str:
    """A path as Netlify compares it with those of headers: in any case, with or without a final slash."""
    return path.removesuffix("/").lower() or "/"


def read_header_pattern(path: str) -> PathPattern | None:
    """Reads the path of a header of Netlify, as its `headers-parser` does, for `header_key`.

    `:name` is a part, a part `*` any text with or without the slash before it; another one with `*` is an expression.
    """
    if len(path) > MAX_PATTERN:
        return None
    parts = list(filter(None, map(str.rstrip, path.split("/"))))
    if not any("*" in part or part.startswith(":") for part in parts):
        return PathPattern(literal=normalize_path("/" + "/".join(parts)).lower())
    return compile_pattern(f"(?i:/{'/'.join(map(_header_part, parts))}/?)")


def _header_part(part: str) -> str:
    if part.startswith(":"):
        return "[^/]+"
    if part == "*":
        return "?.*"
    if "*" in part:
        return quote(part, safe=_ASCII).replace("*", "(.*)")
    return str(re2.escape(normalize_path(part)))


def compile_pattern(expression: str) -> PathPattern | None:
    """The expression as a pattern; None if RE2 cannot compile it, as it is too large or needs more than linear time."""
    try:
        re2.compile(expression, linear_options())
    except re2.error:
        return None
    return PathPattern(expression=expression)
