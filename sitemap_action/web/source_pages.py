"""Which page a source file makes: a glob of sources and a glob of pages, whose wildcards carry over in order."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

import re2
from msgspec import Struct

from sitemap_action.web.patterns import linear_options
from sitemap_action.web.urls import BadUrl, encode

_WILDCARD = re.compile(r"((?:(?<=/)|^)\*{2,}/|\*+)")
_PIECE = re.compile(r"(?:(?<=/)|^)\*{2,}/|\*+|[{},]|[^*{},]+")
_SLASHES = re.compile(r"/{2,}")
_ENDINGS = (".html", ".htm")
_MAX_LENGTH = 4096  # characters of a path


class BadSourceMap(ValueError):  # noqa: N818  describes the pair, not a failure of the program
    """A pair of globs that cannot be used; `str()` gives the reason."""


class SourceRule(Struct, frozen=True):
    """Sources that match `source` make the page that `page` becomes with what the wildcards stand for."""

    source: str  # path from the top of the tree, `docs/**.md`; `{a,b}` is one of the two
    page: str  # path on the site, `/docs/**`
    strip: str = ""  # expression for what a generator takes from the start of each name
    plain: bool = False  # names in lower case, with - for a space


class SourcePages:
    """Several rules, of which the first that matches a source counts."""

    def __init__(self, rules: Iterable[SourceRule]) -> None:
        """Raises BadSourceMap."""
        self._rules = [
            (rule, _literals(rule.source), _compile_source(rule), _WILDCARD.split(rule.page)) for rule in rules
        ]

    def page(self, path: str) -> str:
        """The key of the page that a source makes; "" for one that makes none."""
        if not self._rules or len(path) > _MAX_LENGTH or not path.isprintable():
            return ""
        for rule, literals, source, page in self._rules:
            if all(text in path for text in literals) and (found := source.fullmatch(path)):
                return _fill_page(rule, page, [part or "" for part in found.groups()])
        return ""


def page_key(path: str) -> str:
    """The key of a page, from its URL path; final slash, `.html` and `index` do not matter. It begins with a slash."""
    path = path.rstrip("/")
    for ending in _ENDINGS:
        path = path.removesuffix(ending)
    return path.removesuffix("/index") or "/"


def _fill_page(rule: SourceRule, page: Sequence[str], parts: Sequence[str]) -> str:
    if rule.strip:
        parts = [re.sub(rf"(?:(?<=/)|^)(?:{rule.strip})", "", part) for part in parts]
    if rule.plain:
        parts = [part.lower().replace(" ", "-") for part in parts]
    pieces = list(page)
    for number, part in zip(range(1, len(page), 2), parts, strict=False):
        pieces[number] = f"{part}/" if page[number].endswith("/") else part
    try:
        return page_key(encode(_SLASHES.sub("/", "".join(pieces))))
    except BadUrl:
        return ""


def _compile_source(rule: SourceRule) -> Any:
    if not rule.page.startswith("/"):
        raise BadSourceMap(f"the page {rule.page!r} does not begin with /")
    if set(rule.page) & set("?#{}\\"):
        raise BadSourceMap(f"the page {rule.page!r} has more than a path with * and **")
    if rule.source.startswith("/") or "\\" in rule.source or ".." in rule.source.split("/"):
        raise BadSourceMap(f"the source {rule.source!r} is no path from the top of the repository, such as docs/**.md")
    if len(_WILDCARD.findall(rule.page)) > len(_WILDCARD.findall(rule.source)):
        raise BadSourceMap(f"the page {rule.page!r} has more wildcards than the source {rule.source!r}")
    try:
        return re2.compile(_expression(rule.source), linear_options())
    except re2.error:
        raise BadSourceMap(f"the source {rule.source!r} is too large") from None


def _literals(source: str) -> list[str]:
    """What every match holds; looking for it costs a hundredth of a match."""
    outside = re.sub(r"\{[^{}]*\}", "*", source)
    return sorted({text for text in _WILDCARD.split(outside)[::2] if text}, key=len, reverse=True)


def _expression(source: str) -> str:
    out, depth = [], 0
    for piece in _PIECE.findall(source):
        depth += {"{": 1, "}": -1}.get(piece, 0)
        if depth not in (0, 1):
            raise BadSourceMap(f"the source {source!r} has braces that do not fit")
        if piece.endswith("*/"):
            out.append("(?:((?s:.)*?)/)?")
        elif piece.startswith("*"):
            out.append("([^/]*?)" if piece == "*" else "((?s:.)*?)")
        elif piece in "{}" or (piece == "," and depth):
            out.append({"{": "(?:", "}": ")", ",": "|"}[piece])
        else:
            out.append(str(re2.escape(piece)))
    if depth:
        raise BadSourceMap(f"the source {source!r} has braces that do not fit")
    return "".join(out)
