"""A host with rules: some before its files, some for paths without a file, and headers for what it serves (HOST-07)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from itertools import islice, takewhile
from typing import NamedTuple

from sitemap_action.hosts.base import NOWHERE, Host, HostResponse, PathPattern, Route, ServedBuild
from sitemap_action.hosts.control_files import Ignored, Table
from sitemap_action.hosts.routes import MAX_PATTERN, Fill, PathIndex, RouteTable, capture_groups, keep_path, location
from sitemap_action.model.finding import Place
from sitemap_action.model.lazy_re import lazy_re

_MATTERING = frozenset({"x-robots-tag", "link", "refresh", "content-type"})  # to what a sitemap lists


class HeaderBlock(NamedTuple):
    """Headers for the paths that match; names in lower case."""

    pattern: PathPattern
    values: tuple[tuple[str, str], ...]
    removed: tuple[str, ...] = ()
    place: Place = Place("")


class HeaderTable:
    """All blocks that match apply, one after the other; values of one name are joined by `, `."""

    def __init__(
        self,
        blocks: Sequence[HeaderBlock],
        *,
        key: Callable[[str], str] = keep_path,
        last_wins: bool = False,
        fill: Fill | None = None,
    ) -> None:
        """`key` brings a path into the form that is compared. `last_wins`: a later value replaces an earlier one.

        `fill`: of a host that puts what a pattern stands for into the values.
        """
        mattering = (block._replace(values=relevant_headers(block.values)) for block in blocks)
        self._blocks = [block for block in mattering if block.values or block.removed]
        self._key = key
        self._last_wins = last_wins
        self._fill = fill
        self._index = PathIndex([block.pattern for block in self._blocks])

    def add_to(self, response: HostResponse, path: str) -> HostResponse:
        """The response for this path with its headers, and with the rules that set them as evidence."""
        if not self._blocks:
            return response
        numbers = self._index.all_matches(key := self._key(path))
        blocks = (self._fill_block(self._blocks[number], key) for number in numbers)
        return add_headers(response, blocks, last_wins=self._last_wins)

    def _fill_block(self, block: HeaderBlock, key: str) -> HeaderBlock:
        if self._fill is None or not block.pattern.expression:
            return block
        groups = capture_groups(block.pattern.expression, key)
        return block._replace(values=tuple((name, self._fill(text, groups)) for name, text in block.values))


def add_headers(response: HostResponse, blocks: Iterable[HeaderBlock], *, last_wins: bool) -> HostResponse:
    """The response with the headers of these blocks, one after the other."""
    found: dict[str, str] = {}
    evidence: dict[str, str] = {}
    for block in blocks:
        for name in block.removed:
            found.pop(name, None)
        for name, value in relevant_headers(block.values):
            found[name] = f"{found[name]}, {value}" if name in found and not last_wins else value
            evidence[name] = str(block.place)
    if not found:
        return response
    where = " and ".join(dict.fromkeys(evidence[name] for name in found if name != "content-type"))
    return response._replace(headers=(*response.headers, *found.items()), evidence=where or response.evidence)


def read_rules(
    ignored: Ignored, tables: Iterable[Table], read: Callable[[Table], Iterable[Route] | str]
) -> list[Route]:
    """`read`: the rules of a table, or why it is not applied here; that is noted."""
    rows: list[Route] = []
    for table in tables:
        found = read(table)
        rows += (unclear_rule(table.where, found),) if isinstance(found, str) else found
    return note_unclear(ignored, rows)


def unclear_rule(place: Place, why: str) -> Route:
    """A rule that may match any path."""
    return Route(PathPattern(), place=place, unclear=why)


def note_unclear(ignored: Ignored, rules: Iterable[Route]) -> list[Route]:
    """The rules; those that are not applied here are noted."""
    rows = list(rules)
    for rule in rows:
        if rule.unclear:
            ignored.add(rule.place, rule.unclear)
    return rows


def without_slash(path: str) -> str:
    return path.rstrip("/") or "/"


def read_header_file(
    ignored: Ignored,
    read: Callable[[str], PathPattern | None],
    *,
    replacing: bool = False,
    limit: int = 1_000_000,
    starts: tuple[str, ...] = ("/",),
) -> list[HeaderBlock]:
    """The blocks of a `_headers` file, in the syntax of its host.

    `read`: its patterns of paths. `replacing`: `! Name` detaches a header, and of blocks of one path the last counts,
    in the place of the first. `limit`: of the blocks that count. `starts`: of a line with a path.
    """
    count = 0
    blocks: dict[object, HeaderBlock] = {}
    for where, path, lines in _paths(ignored, starts):
        pairs = (line.partition(":") for line in lines)
        known = ((name.strip().lower(), value.strip()) for name, colon, value in pairs if colon)
        fields = tuple((name, value) for name, value in known if name and value and " " not in name)
        gone = tuple(
            line[2:].strip().lower() for line in lines if replacing and line.startswith("! ") and ":" not in line
        )
        if not fields and not gone:
            continue
        count += 1
        pattern = read(path)
        if count > limit:
            ignored.add(where, f"the host takes {limit:,} rules")
        elif pattern is None:
            ignored.add(where, "this path is no pattern that the host takes")
        else:
            key = (pattern, path.startswith("/")) if replacing else where
            if (earlier := blocks.get(key)) and (earlier.values or earlier.removed):
                ignored.add(earlier.place, "a block below it has the same path, and replaces it on this host")
            blocks[key] = HeaderBlock(pattern, relevant_headers(fields), gone, where)
    return [block for block in blocks.values() if block.values or block.removed]


def read_fields(table: Table) -> tuple[tuple[str, str], ...]:
    """The headers of a rule in JSON, which is a list of keys and values."""
    return tuple((field.text("key").lower(), field.text("value")) for field in table.tables("headers"))


def rule_words(line: str) -> list[str]:
    """The words of a line of a `_redirects` file, without its comment."""
    return list(takewhile(lambda word: not word.startswith("#"), line.split()))


def is_target(word: str) -> bool:
    """Whether a word of such a line may be where a rule leads."""
    return word.startswith(("/", "http:", "https:"))


def _paths(ignored: Ignored, starts: tuple[str, ...]) -> Iterator[tuple[Place, str, list[str]]]:
    """Place, path and header lines of each block, which begins with one of `starts`."""
    block: tuple[Place, str, list[str]] | None = None
    for where, raw in ignored.file.lines():
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith(starts):
            if block:
                yield block
            block = (where, line, [])
        elif block is None or len(line) > MAX_PATTERN or (":" not in line and not line.startswith("!")):
            ignored.add(where, "it is neither a path nor a header of the path above it")
        else:
            block[2].append(line)
    if block:
        yield block


def relevant_headers(values: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    return tuple((name, value) for name, value in values if name in _MATTERING and value)


# What stands for a path that a rule matches and that no build has: what is answered there shows the rule (HOST-09).
_NAME = "sitemap-action"  # of a page that is not there
_LITERAL = lazy_re(r"\\([^A-Za-z0-9])")
_PROTECTED = 0xE000  # private use: a literal character that stands for no syntax meanwhile
_GROUP_START = lazy_re(r"\(\?(?:P<\w+>|s:)|\((?!\?)")
_PIECES = (
    (lazy_re(r"\\d[*+]?\??"), "0"),
    (lazy_re(r"\\w[*+]?\??"), _NAME),
    (lazy_re(r"(?:\[\^?[^\]]{1,200}+\][*+?]*+)+"), _NAME),
    (lazy_re(r"\.[*+]\??"), f"{_NAME}/{_NAME}"),
)
_INNERMOST = lazy_re(r"\(\?:([^()|]*+)(?:\|[^()]*+)?\)[*+?]*")
_OPTIONAL = lazy_re(r"[^)\]}]\?")  # a character that may be there
_SYNTAX = lazy_re(r"[\\\[\](){}*+?|^$]")
_GROUPS = 50  # of one pattern
_ASKED = 500  # rules, the first ones


class RuledHost:
    """Implements `Host`."""

    code: tuple[str, ...] = ()  # paths below which code answers, which is not run here

    def __init__(
        self, static: Host, before: RouteTable, headers: HeaderTable, *, after: RouteTable | None = None
    ) -> None:
        self.static = static
        self.before = before
        self.after = RouteTable(()) if after is None else after
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
        response = self.answer_by_rule(*found) if found else self.answer_without_rule(url_path)
        if response.status == 404 and not found and self.after and (found := self.after.first(url_path)):
            response = self.answer_by_rule(*found)
        return self.headers.add_to(response, url_path) if response.file else response

    def answer_without_rule(self, url_path: str) -> HostResponse:
        """What the host answers for a path that no rule takes."""
        return self.static.answer(url_path)

    def answer_by_rule(self, route: Route, target: str) -> HostResponse:
        """What a rule answers with: a redirect, a status, the file of another path, or an address elsewhere."""
        if 300 <= route.status < 400:
            return HostResponse(route.status, location=location(target), evidence=route.evidence)
        if route.status != 200:
            return HostResponse(route.status, evidence=route.evidence)
        if not target.startswith("/") or target.startswith(self.code):
            return HostResponse(200, proxied=target, evidence=route.evidence)
        response = self.follow_rewrite(location(target).partition("?")[0])
        constant = bool(route.pattern.expression) and target == route.target
        return response._replace(evidence=route.evidence, fallback=constant and bool(response.file))

    def follow_rewrite(self, path: str) -> HostResponse:
        """The file that a rewrite leads to, whichever spelling of its path the rule has."""
        response = self.static.answer(path)
        return self.static.answer(response.location) if response.location else response

    def fallback(self) -> str:
        """The rule that answers every path without a file with one document; "" where there is none (HOST-09)."""
        answers = [self.answer(path) for path in NOWHERE]
        return next((answer.evidence for answer in answers if answer.fallback), "")

    def partial_fallbacks(self) -> Iterator[tuple[str, str]]:
        """Rules that do so for some paths: each one is asked for a path that it matches."""
        for route in islice(filter(_may_be_fallback, (*self.before, *self.after)), _ASKED):
            path = _sample_path(route.pattern.expression)
            answers = [self.answer(one) for one in (path, f"{path}/") if path]
            if any(answer.fallback and answer.evidence == route.evidence for answer in answers):
                yield path.replace(f"{_NAME}/{_NAME}", "*").replace(_NAME, "*"), route.evidence

    def served_build(self, notes: Iterable[str], elsewhere: str = "") -> ServedBuild:
        """The host with its notes, fallbacks and rules, once all rules are read."""
        fallback = self.fallback()
        return ServedBuild(
            host=self,
            notes=tuple(notes),
            fallback=fallback,
            partial=() if fallback else tuple(dict.fromkeys(self.partial_fallbacks())),
            rules=(*self.before.rules, *self.after.rules),
            key=self.before.key,
            elsewhere=elsewhere,
            code=self.code,
        )


def _may_be_fallback(route: Route) -> bool:
    return route.status == 200 and bool(route.pattern.expression) and route.target.startswith("/")


def _sample_path(expression: str) -> str:
    """A path that this expression matches; "" where it has a syntax that is not taken apart here.

    Only an answer shows whether a rule is a fallback (HOST-09): its target may be missing, or a rule above it decides.
    So the expression is turned back into a path, piece by piece: literals are put aside, each class and repetition
    becomes the name of a page that no build has, each innermost group its first choice, until no group is left.
    """
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
