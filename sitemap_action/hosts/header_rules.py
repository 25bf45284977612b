"""Response headers by path, as `_headers` and other control files have them (HOST-07)."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import re2

from sitemap_action.hosts.base import ControlFile, HostResponse
from sitemap_action.hosts.routes import (
    MAX_PATTERN,
    Ignored,
    PathIndex,
    PathPattern,
    placeholders,
    segment_placeholders,
    usable,
)
from sitemap_action.web.patterns import linear_options

_MATTERING = frozenset({"x-robots-tag", "link", "refresh", "content-type"})  # to what a sitemap lists

_HOST = re.compile(r"(\*|:[A-Za-z]\w*)")


class HeaderBlock(NamedTuple):
    """Headers for the paths that match; names in lower case."""

    pattern: PathPattern
    values: tuple[tuple[str, str], ...]
    removed: tuple[str, ...] = ()
    evidence: str = ""


class HeaderTable:
    """All blocks that match apply, one after the other; values of one name are joined by `, `."""

    def __init__(self, blocks: Sequence[HeaderBlock], *, slashes: bool = True, last_wins: bool = False) -> None:
        """`slashes`: a final slash counts. `last_wins`: a later value replaces an earlier one."""
        mattering = (block._replace(values=_mattering(block.values)) for block in blocks)
        self._blocks = [block for block in mattering if block.values or block.removed]
        self._slashes = slashes
        self._last_wins = last_wins
        self._index = PathIndex([block.pattern for block in self._blocks])

    def add_to(self, response: HostResponse, path: str) -> HostResponse:
        """The response for this path with its headers, and with the rules that set them as evidence."""
        if not self._blocks:
            return response
        found: dict[str, str] = {}
        evidence: dict[str, str] = {}
        for number in self._index.every(path if self._slashes else without_slash(path)):
            block = self._blocks[number]
            for name in block.removed:
                found.pop(name, None)
            for name, value in block.values:
                found[name] = f"{found[name]}, {value}" if name in found and not self._last_wins else value
                evidence[name] = block.evidence
        if not found:
            return response
        where = " and ".join(dict.fromkeys(evidence[name] for name in found if name != "content-type"))
        return response._replace(headers=(*response.headers, *found.items()), evidence=where or response.evidence)


def without_slash(path: str) -> str:
    return path.rstrip("/") or "/"


class HeaderFile(NamedTuple):
    """What a `_headers` file holds."""

    blocks: tuple[HeaderBlock, ...]
    notes: tuple[str, ...]


class HeaderSyntax(NamedTuple):
    """What a host takes in a `_headers` file."""

    removals: bool = False  # `! Name` detaches a header
    everywhere: bool = False  # `*` and `:name` may be parts of segments
    limit: int = 1_000_000  # blocks that count
    host: str | None = None  # of the site, where a pattern may name a host; "" when it is not known


def read_header_file(file: ControlFile, syntax: HeaderSyntax) -> HeaderFile:
    ignored = Ignored(file)
    blocks: list[HeaderBlock] = []
    starts = ("/",) if syntax.host is None else ("/", "https://", "http://")
    for count, (number, path, lines) in enumerate(_paths(file, starts, ignored)):
        values = _mattering(tuple(_field(line) for line in lines if not line.startswith("!")))
        gone = tuple(line[1:].strip().lower() for line in lines if syntax.removals and line.startswith("!"))
        where = f"{file.path} line {number}"
        if not values and not gone:
            continue
        pattern = _pattern(path, syntax)
        if isinstance(pattern, str):
            ignored.add(where, pattern)
        elif count >= syntax.limit:
            ignored.add(where, f"the host takes {syntax.limit:,} rules")
        else:
            blocks.append(HeaderBlock(pattern, values, gone, where))
    return HeaderFile(tuple(blocks), tuple(ignored.notes()))


def _paths(file: ControlFile, starts: tuple[str, ...], ignored: Ignored) -> Iterator[tuple[int, str, list[str]]]:
    """Line, path and header lines of each block, which begins with one of `starts`."""
    block: tuple[int, str, list[str]] | None = None
    for number, raw in enumerate(file.content.decode(errors="replace").split("\n"), 1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith(starts):
            if block:
                yield block
            block = (number, line, [])
        elif block is None or len(line) > MAX_PATTERN or (":" not in line and not line.startswith("!")):
            ignored.add(f"{file.path} line {number}", "it is neither a path nor a header of the path above it")
        else:
            block[2].append(line)
    if block:
        yield block


def _pattern(path: str, syntax: HeaderSyntax) -> PathPattern | str:
    """Or why the block does not count: one for a preview's host says nothing about this site."""
    if "://" in path:
        host, _, path = path.partition("://")[2].partition("/")
        path = f"/{path}"
        if syntax.host and not _names(host, syntax.host):
            return f"it is for another host than {syntax.host}"
    found = placeholders(path) if syntax.everywhere else segment_placeholders(path)
    return found or "this path is no pattern that the host takes"


def _names(pattern: str, host: str) -> bool:
    """`:name` is one part of a host's name, `*` any text."""
    pieces = (
        ".*" if part == "*" else "[^/.]+" if part.startswith(":") else re2.escape(part) for part in _HOST.split(pattern)
    )
    found = usable("".join(pieces))
    return found is not None and re2.fullmatch(found.expression, host, linear_options()) is not None


def _field(line: str) -> tuple[str, str]:
    name, _, value = line.partition(":")
    return name.strip().lower(), value.strip()


def _mattering(values: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    return tuple((name, value) for name, value in values if name in _MATTERING and value)
