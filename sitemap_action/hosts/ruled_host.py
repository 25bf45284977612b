"""A host with rules: some before its files, some for paths without a file, and headers for what it serves."""

import re
from collections.abc import Iterable, Iterator
from copy import copy
from itertools import islice

from sitemap_action.hosts.base import NOWHERE, Host, HostResponse, PartialFallback, ServedBuild
from sitemap_action.hosts.header_rules import HeaderTable
from sitemap_action.hosts.routes import Route, RouteMatch, RouteTable, location, redirect

# What stands for a path that a rule matches and that no build has: what is answered there shows the rule (HOST-09).
_NAME = "sitemap-action"  # of a page that is not there
_LITERAL = re.compile(r"\\([^A-Za-z0-9])")
_PROTECTED = 0xE000  # private use: a literal character that stands for no syntax meanwhile
_GROUP_START = re.compile(r"\(\?(?:P<\w+>|s:)|\((?!\?)")
_PIECES = (
    (re.compile(r"\\d[*+]?\??"), "0"),
    (re.compile(r"\\w[*+]?\??"), _NAME),
    (re.compile(r"(?:\[\^?[^\]]+\][*+?]*)+"), _NAME),
    (re.compile(r"\.[*+]\??"), f"{_NAME}/{_NAME}"),
)
_INNERMOST = re.compile(r"\(\?:([^()|]*)[^()]*\)[*+?]*")
_OPTIONAL = re.compile(r"[^)\]}]\?")  # a character that may be there
_SYNTAX = re.compile(r"[\\\[\](){}*+?|^$]")
_GROUPS = 50  # of one pattern
_ASKED = 500  # rules, the first ones

_NO_ROUTES = RouteTable(())


class RuledHost:
    """Implements `Host`."""

    code: tuple[str, ...] = ()  # paths below which code answers, which is not run here

    def __init__(
        self, static: Host, before: RouteTable, headers: HeaderTable, *, after: RouteTable = _NO_ROUTES
    ) -> None:
        self.static = static
        self.before = before
        self.after = after
        self.headers = headers

    def address(self, path: str, /) -> str:
        return self.static.address(path)

    def preferring(self, url_paths: Iterable[str], /) -> "RuledHost":
        static = self.static.preferring(url_paths)
        if static is self.static:
            return self
        host = copy(self)
        host.static = static
        return host

    def answer(self, url_path: str, /) -> HostResponse:
        found = self.before.first(url_path) if self.before else None
        response = self.routed(found) if found else self.file(url_path)
        if response.status == 404 and not found and self.after and (found := self.after.first(url_path)):
            response = self.routed(found)
        return self.headers.add_to(response, url_path) if response.file else response

    def file(self, url_path: str) -> HostResponse:
        """What the host answers for a path that no rule takes."""
        return self.static.answer(url_path)

    def routed(self, found: RouteMatch) -> HostResponse:
        """What a rule answers with: a redirect, a status, the file of another path, or an address elsewhere."""
        route, target = found.route, found.target
        if 300 <= route.status < 400:
            return redirect(found)
        if route.status != 200:
            return HostResponse(route.status, evidence=route.evidence)
        if not target.startswith("/") or target.startswith(self.code):
            return HostResponse(200, proxied=target, evidence=route.evidence)
        response = self.served(location(target).partition("?")[0])
        constant = bool(route.pattern.expression) and target == route.target
        return response._replace(evidence=route.evidence, fallback=constant and bool(response.file))

    def served(self, path: str) -> HostResponse:
        """The file that a rewrite leads to, whichever spelling of its path the rule has."""
        response = self.static.answer(path)
        return self.static.answer(response.location) if response.location else response

    def fallback(self) -> str:
        """The rule that answers every path without a file with one document; "" where there is none (HOST-09)."""
        answers = [self.answer(path) for path in NOWHERE]
        return next((answer.evidence for answer in answers if answer.fallback), "")

    def partial_fallbacks(self) -> Iterator[PartialFallback]:
        """The same of rules for some paths, asked for one that each of them matches."""
        for route in islice(filter(_may_be_fallback, (*self.before, *self.after)), _ASKED):
            path = _sample_path(route.pattern.expression)
            answers = [self.answer(one) for one in (path, f"{path}/") if path]
            if any(answer.fallback and answer.evidence == route.evidence for answer in answers):
                yield PartialFallback(_shown(path), route.evidence)

    def served_build(self, notes: Iterable[str]) -> ServedBuild:
        """With what is known once all rules are read."""
        fallback = self.fallback()
        partial = () if fallback else tuple(dict.fromkeys(self.partial_fallbacks()))
        return ServedBuild(self, tuple(notes), fallback, partial)


def _may_be_fallback(route: Route) -> bool:
    return route.status == 200 and bool(route.pattern.expression) and route.target.startswith("/")


def _sample_path(expression: str) -> str:
    """Of an expression that a rule was read as; "" where it has a syntax that is not taken apart here."""
    text = _LITERAL.sub(lambda found: chr(_PROTECTED + ord(found[1])) if ord(found[1]) < 128 else found[1], expression)
    text = _GROUP_START.sub("(?:", text)
    for piece, sample in _PIECES:
        text = piece.sub(sample, text)
    for _ in range(_GROUPS):
        text, count = _INNERMOST.subn(r"\1", text)
        if not count:
            break
    text = _OPTIONAL.sub("", text)
    if _SYNTAX.search(text):
        return ""
    path = "".join(chr(ord(one) - _PROTECTED) if _PROTECTED <= ord(one) < _PROTECTED + 128 else one for one in text)
    return path if path.startswith("/") else f"/{path}"


def _shown(path: str) -> str:
    """A sample as the pattern of all paths like it: `/app/*`."""
    return path.replace(f"{_NAME}/{_NAME}", "*").replace(_NAME, "*")
