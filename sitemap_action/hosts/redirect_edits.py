"""A text with redirects, and the smallest edit that adds some: order, comments and line ends stay.

Theory of operation. A format reads a text as rows, each a source, a target and the place of the target, and says where
a new row goes. The rest is the same for all of them. A redirect whose source has a row is there already, or refused. A
row that leads to the source of a new redirect gets the new target, so that no chain is made. What is left is inserted.
The text that results is read again: it must have the rows that were meant, in their order, else nothing is changed.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple, Protocol

from sitemap_action.errors import UsageError
from sitemap_action.hosts.base import ControlFile
from sitemap_action.hosts.control_files import Table, read_toml
from sitemap_action.hosts.routes import location, normalize_path
from sitemap_action.hosts.ruled_host import is_target, without_slash
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.web.redirect_walk import ChainEnd, RedirectWalk


class RedirectFormat(StrEnum):
    """What redirects are written in."""

    REDIRECTS = "_redirects"
    NETLIFY = "netlify.toml"
    VERCEL = "vercel.json"
    FIREBASE = "firebase.json"
    AZURE = "staticwebapp.config.json"
    MKDOCS = "mkdocs-redirects"
    REDIRAFFE = "rediraffe"
    DOCUSAURUS = "plugin-client-redirects"
    ASTRO = "Astro redirects"
    HUGO = "Hugo aliases"  # in the front matter of the page that is redirected to
    JEKYLL = "jekyll-redirect-from"
    STUB = "stub pages"  # text for a person; nothing is written
    CSV = "CSV"


class Redirect(NamedTuple):
    """One permanent redirect; paths are as the site serves them, with its base path, percent-encoded."""

    source: str
    target: str  # a path, or an absolute URL of another site
    source_file: str = ""  # that the old page was made of, in the repository, where it is known
    target_file: str = ""  # that the new page is made of
    below: bool = False  # and every path below: both end in `/`


class SourceFiles(NamedTuple):
    """Files by their paths in the repository, `/` between names."""

    read: Callable[[str], bytes | None]  # None where there is no regular file
    names: Callable[[str], frozenset[str]]  # of the entries of a folder; "" is the top


class RedirectPlace(NamedTuple):
    """Where the redirects of a site are written."""

    format: RedirectFormat
    path: str  # of the file; of front matter the folder of the pages' sources; "" where nothing is written
    why: str  # as text
    folder: str = ""  # of the pages' sources, for a generator
    base: str = "/"  # the path of the site's address
    host: str = ""  # a name of `hosts.all`: whose rules hold


class Row(NamedTuple):
    """One rule of a text; source and target as its host or generator reads them."""

    source: str
    target: str
    line: int = 0
    start: int = 0  # of the token of the target
    end: int = 0  # 0: it is not replaced
    pattern: bool = False  # the source stands for more than one path


class RedirectEdits(NamedTuple):
    """The files that change, and what became of each redirect."""

    files: Mapping[str, bytes] = {}  # path → the whole content
    added: tuple[Redirect, ...] = ()  # with the target that was written, where one led to another new one
    present: tuple[Redirect, ...] = ()
    refused: tuple[tuple[Redirect, str], ...] = ()  # with the reason, as text
    compacted: tuple[tuple[Row, str], ...] = ()  # rows that led to the source of a new redirect, with their new target
    text: str = ""  # what a person pastes, where nothing is written


class CannotEditError(Exception):
    """A text that is not edited, with the reason as text."""


_MAX_HOPS = 10
UNSAFE = "its layout is not one that can be edited safely"


class Spelled(NamedTuple):
    """Source and target of a redirect in the words of a format."""

    source: str
    target: str


class Format(Protocol):
    """How one format is read and written."""

    def read(self, text: str, /) -> Sequence[Row]:
        """The rows in their order. Raises CannotEditError."""
        ...

    def spell(self, redirect: Redirect, /) -> Spelled | str:
        """A redirect in the words of the format, or why it has none for it."""
        ...

    def key(self, source: str, /) -> str:
        """What is equal for sources that the host does not distinguish."""
        ...

    def token(self, target: str, old: str, /) -> str:
        """The target in the quotes of the token that it replaces."""
        ...

    def insert(self, text: str, rows: Sequence[Row], new: Sequence[Spelled], /) -> list[tuple[int, str]]:
        """What is inserted, and where, for the new rows. Raises CannotEditError."""
        ...


def edit_text(form: Format, text: str, redirects: Iterable[Redirect]) -> tuple[str, RedirectEdits]:
    """The text with these redirects, and what became of each; the text itself where nothing is added."""
    try:
        rows = form.read(text)
        plan = _Plan(form, rows)
        for redirect in redirects:
            plan.add(redirect)
        if not plan.accepted:
            return text, plan.edits({})
        retargeted = {at: target for at, row in enumerate(rows) if (target := plan.find_target(row)) is not None}
        new = [spelled for _, spelled in sorted(plan.targets(), key=lambda one: one[0].below)]
        result = apply_edit(form, text, rows, retargeted, new)
    except CannotEditError as error:
        return text, RedirectEdits(refused=tuple((one, str(error)) for one in redirects))
    return result, plan.edits(retargeted)


def apply_edit(
    form: Format, text: str, rows: Sequence[Row], retargeted: Mapping[int, str], new: Sequence[Spelled]
) -> str:
    """The edited text. Raises CannotEditError where it would not have the rows that are meant."""
    changes = [(offset, offset, inserted) for offset, inserted in form.insert(text, rows, new)]
    tokens = {rows[at].start: (rows[at], target) for at, target in retargeted.items()}  # rows may share one
    changes += [(row.start, row.end, form.token(to, text[row.start : row.end])) for row, to in tokens.values()]
    result, position = [], 0
    for start, end, replacement in sorted(changes, key=lambda change: change[:2]):
        result += [text[position:start], replacement]
        position = end
    edited = "".join([*result, text[position:]])
    old = [Spelled(row.source, retargeted.get(at, row.target)) for at, row in enumerate(rows)]
    found = [Spelled(row.source, row.target) for row in form.read(edited)]
    at = next((at for at, (one, other) in enumerate(zip(found, old, strict=False)) if one != other), len(old))
    if found != [*old[:at], *new, *old[at:]]:  # the new ones are one block between two of the old ones
        raise CannotEditError(UNSAFE)
    return edited


class _Hop(NamedTuple):
    """A redirect as the walk of a chain has it, by keys; without a target it is where a chain ends."""

    url: str
    target: str


class _Plan:
    """What becomes of each redirect, before anything is written."""

    def __init__(self, form: Format, rows: Sequence[Row]) -> None:
        self._form = form
        self._rows = rows
        self._sources: dict[str, Row] = {}
        for row in rows:
            self._sources.setdefault(form.key(row.source), row)
        self.accepted: dict[str, tuple[Redirect, Spelled]] = {}  # by key of its source, in the order given
        self._ends: dict[str, str] = {}  # key of a new source → the one at the end of the chain that it begins
        self._present: list[Redirect] = []
        self._refused: list[tuple[Redirect, str]] = []

    def add(self, redirect: Redirect) -> None:
        spelled = self._form.spell(redirect)
        why = why_refused(redirect) or (spelled if isinstance(spelled, str) else self._conflict(spelled))
        if why is None:
            self._present.append(redirect)
        elif why or isinstance(spelled, str):
            self._refused.append((redirect, why))
        else:
            self.accepted[self._form.key(spelled.source)] = (redirect, spelled)

    def _conflict(self, spelled: Spelled) -> str | None:
        """Why there can be no such row, as text; "" where there can, None where there is one."""
        key, target = self._form.key(spelled.source), self._form.key(spelled.target)
        if key == target:
            return "it would lead to itself"
        if row := self._sources.get(key):
            same = self._follow(row.target) == self._follow(spelled.target) != ""
            return None if same else f"line {row.line} has a redirect for {spelled.source} already, to {row.target}"
        if key in self.accepted:
            same = self.accepted[key][1] == spelled
            return None if same else f"{spelled.source} is redirected to {self.accepted[key][1].target} already"
        circle = not self._follow(spelled.target, key)
        return "with the redirects that are there it would lead in a circle" if circle else ""

    def _walk(self, start: _Hop, find_hop: Callable[[str], _Hop], limit: int) -> RedirectWalk[_Hop, _Hop]:
        walk = RedirectWalk(start, lambda found: found if found.target else None, limit)
        for hop in walk:
            walk.found = find_hop(hop.target)
        return walk

    def _follow(self, target: str, source: str = "") -> str:
        """Where a target leads to, over all that is there and that is new; "" for a circle, and a long chain."""
        key = self._form.key(target)
        walk = self._walk(_Hop(source, key) if source else self._find_hop(key), self._find_hop, _MAX_HOPS)
        return walk.found.url if walk.found and walk.end is ChainEnd.ARRIVED else ""

    def _find_hop(self, key: str) -> _Hop:
        row = self._sources.get(key)
        leads = key in self.accepted or (row is not None and not row.pattern and row.end)
        target = self.accepted[key][1].target if key in self.accepted else row.target if row and leads else ""
        return _Hop(key, target and self._form.key(target))

    def _find_new_hop(self, key: str) -> _Hop:
        """The hop of a new redirect, over all the hops behind it that are known."""
        target = self._ends.get(key) or (self._form.key(self.accepted[key][1].target) if key in self.accepted else "")
        return _Hop(key, target)

    def _last(self, target: str) -> tuple[Redirect, Spelled] | None:
        """The new redirect at the end of those that this target leads to; no circle is accepted."""
        walk = self._walk(self._find_new_hop(self._form.key(target)), self._find_new_hop, len(self.accepted) + 1)
        if not walk.hops:
            return None
        last = walk.hops[-1]
        for hop in walk.hops[:-1]:
            self._ends[hop.url] = last.url
        return self.accepted[last.url]

    def targets(self) -> Iterator[tuple[Redirect, Spelled]]:
        """What is new, with the targets that are written."""
        for redirect, spelled in self.accepted.values():
            if last := self._last(spelled.target):
                to = last[0]
                shorter = redirect._replace(target=to.target, target_file=to.target_file)
                yield shorter, spelled._replace(target=last[1].target)
            else:
                yield redirect, spelled

    def find_target(self, row: Row) -> str | None:
        """The new target of a row that leads to the source of a new redirect; None for the others."""
        if not row.end:
            return None
        if last := self._last(row.target):
            return last[1].target
        for one, _ in self.accepted.values():
            if one.below and row.target.startswith(one.source):
                return one.target + row.target.removeprefix(one.source)
        return None

    def edits(self, retargeted: Mapping[int, str]) -> RedirectEdits:
        return RedirectEdits(
            added=tuple(redirect for redirect, _ in self.targets()),
            present=tuple(self._present),
            refused=tuple(self._refused),
            compacted=tuple((self._rows[at], target) for at, target in retargeted.items()),
        )


_PATH = lazy_re(r"/[!-\[\]-~]*")
_ADDRESS = lazy_re(r"https?://[!-\[\]-~]+")
_LONGEST = 1_000  # characters of a path: with another one a line is below every host's limit


def why_refused(redirect: Redirect) -> str:
    """Why no format has such a redirect, as text; "" where one may have it."""
    source, target = redirect.source, redirect.target
    known = _PATH.fullmatch(source) and (_PATH.fullmatch(target) or _ADDRESS.fullmatch(target))
    if not known or set(source) & set("?#") or any(location(one) != one for one in (source, target)):
        return "it is not a percent-encoded path with a target"
    if "//" in source or target.startswith("//"):
        return "a path with an empty name is served differently from host to host"
    if len(source) > _LONGEST or len(target) > _LONGEST:
        return f"it has more than {_LONGEST:,} characters"
    if source == "/":
        return "the start page is not redirected"
    if redirect.below and not (source.endswith("/") and target.endswith("/")):
        return "a folder ends in a slash"
    return ""


def line_end(text: str) -> str:
    """The line end that a text has."""
    return "\r\n" if "\r\n" in text else "\n"


def insert_lines(text: str, offset: int, lines: Sequence[str]) -> tuple[int, str]:
    """The place of whole lines behind the line that ends at this offset, or at the start of a text."""
    end = line_end(text)
    block = "".join(f"{line}{end}" for line in lines)
    at_start = offset == 0 or text[offset - 1] in "\n\ufeff"
    return offset, block if at_start else f"{end}{block}"


# --- `_redirects` ---

_WORD = lazy_re(r"\S+")
_SPLATS = {"netlify": lazy_re(r"\*|/:"), "cloudflare": lazy_re(r"\*|:[A-Za-z]")}
_REDIRECTING = lazy_re(r"30[12378]!?")


class RedirectLines:
    """`_redirects`: source, target, status. New lines go above the first line with a wildcard."""

    def __init__(self, host: str = "") -> None:
        self._cloudflare = host.startswith("cloudflare")
        self._splat = _SPLATS["cloudflare" if self._cloudflare else "netlify"]

    def read(self, text: str, /) -> Sequence[Row]:
        rows, offset = [], 0
        for number, line in enumerate(text.split("\n"), 1):
            words = list(_words(line.removeprefix("\ufeff") if number == 1 else line))
            if len(words) > 1:
                rows.append(self._row(words, number, offset + (number == 1 and line.startswith("\ufeff"))))
            offset += len(line) + 1
        return rows

    def _row(self, words: Sequence[re.Match[str]], number: int, offset: int) -> Row:
        at = 1 if self._cloudflare else next((at for at, word in enumerate(words[1:], 1) if is_target(word[0])), 0)
        source, target = words[0][0], words[at][0] if at else ""
        status = words[at + 1][0] if at and len(words) > at + 1 else "301"
        ours = bool(at) and _REDIRECTING.fullmatch(status) is not None
        pattern = self._splat.search(source) is not None
        span = (offset + words[at].start(), offset + words[at].end()) if ours else (0, 0)
        return Row(source, target, number, *span, pattern=pattern)

    def spell(self, redirect: Redirect, /) -> Spelled | str:
        source, target = redirect.source, redirect.target
        if self._splat.search(source):
            return f"{source} has * or :, which stand for any path in this file"
        if self._splat.search(target.partition("://")[2] or target):
            return f"{target} has * or :, which stand for a part of the source in this file"
        if redirect.below:
            return Spelled(f"{source}*", f"{target}:splat")
        return Spelled(source, target)

    def key(self, source: str, /) -> str:
        path = normalize_path(source) if source.startswith("/") else source
        return path if self._cloudflare else without_slash(path)

    def token(self, target: str, _old: str, /) -> str:
        return target

    def insert(self, text: str, rows: Sequence[Row], new: Sequence[Spelled], /) -> list[tuple[int, str]]:
        first = next((at for at, row in enumerate(rows) if row.pattern), len(rows))
        width = 0
        if first:
            offset, neighbour = _line_end_offset(text, rows[first - 1].line)
            aligned = re.match(r"[^\s#]\S*  +(?=\S)", neighbour)  # the second word begins behind these
            width = aligned.end() - 1 if aligned else 0
        elif rows:
            offset = _comment_start(text, rows[0].line)
        else:
            offset = len(text)
        return [insert_lines(text, offset, [f"{one.source.ljust(width)} {one.target} 301" for one in new])]


class NetlifyTables(RedirectLines):
    """`[[redirects]]` of netlify.toml."""

    def __init__(self) -> None:
        super().__init__("netlify")
        self._rest: object = None  # of the file

    def read(self, text: str, /) -> Sequence[Row]:
        try:
            settings = read_toml(ControlFile("it", text.encode()), ("redirects",))
            tables = settings.tables("redirects")
            rows = [self._table_row(text, table) for table in tables]
        except UsageError as error:
            raise CannotEditError(str(error)) from None
        rest = {key: value for key, value in settings.items() if key != "redirects"}
        if self._rest not in (None, rest):
            raise CannotEditError(UNSAFE)
        self._rest = rest
        return rows

    def _table_row(self, text: str, table: Table) -> Row:
        if not table.where.line:
            raise CannotEditError("its redirects are not all written as [[redirects]]")
        source, target, line = table.text("from"), table.text("to"), table.where.line
        start = _line_offset(text, line)
        found = _TO.search(text, start, _table_end(text, line))
        status = table.number("status") or 301
        span = found.span(1) if found and 300 <= status < 400 else (0, 0)
        return Row(source, target, line, *span, pattern=self._splat.search(source) is not None)

    def token(self, target: str, _old: str, /) -> str:
        return json.dumps(target)

    def insert(self, text: str, rows: Sequence[Row], new: Sequence[Spelled], /) -> list[tuple[int, str]]:
        first = next((at for at, row in enumerate(rows) if row.pattern), len(rows))
        like = _KEY_INDENT.search(text, _line_offset(text, rows[max(first - 1, 0)].line)) if rows else None
        indent = like[1] if like else "  "
        lines: list[str] = []
        for one in new:
            fields = (f"from = {json.dumps(one.source)}", f"to = {json.dumps(one.target)}", "status = 301")
            lines += ["[[redirects]]", *(f"{indent}{field}" for field in fields), ""]
        if rows and not first:
            return [insert_lines(text, _comment_start(text, rows[0].line), lines)]
        offset = _table_end(text, rows[first - 1].line) if rows else len(text)
        if not text[:offset].strip("\ufeff \t\r\n"):
            return [insert_lines(text, offset, lines[:-1])]
        return [insert_lines(text, offset, ["", *lines[:-1]])]


_TO = lazy_re(r"""^[ \t]*to[ \t]*=[ \t]*("(?:[^"\\\n]|\\.)*+"|'[^'\n]*')""", re.MULTILINE)
_KEY_INDENT = lazy_re(r"\n([ \t]*)from[ \t]*=")
_OTHER_TABLE = lazy_re(r"[ \t]*\[(?![ \t]*redirects[ \t]*\.)")


def _table_end(text: str, line: int) -> int:
    """The place behind the last line of a table and of the tables in it, but for comments and empty lines."""
    offset, _ = _line_end_offset(text, line)
    end = offset
    while offset < len(text) and not _OTHER_TABLE.match(text, offset):
        found = text.find("\n", offset)
        after = found + 1 if found >= 0 else len(text)
        if (shown := text[offset:after].strip()) and not shown.startswith("#"):
            end = after
        offset = after
    return end


def _words(line: str) -> Iterator[re.Match[str]]:
    return takewhile(lambda word: not word[0].startswith("#"), _WORD.finditer(line))


def _line_end_offset(text: str, line: int) -> tuple[int, str]:
    """The place behind a line with its end, and the line."""
    start = _line_offset(text, line)
    found = text.find("\n", start)
    end = found + 1 if found >= 0 else len(text)
    return end, text[start:end]


def _line_offset(text: str, line: int) -> int:
    return _line_starts(text)[line - 1]


@lru_cache(maxsize=4)
def _line_starts(text: str) -> Sequence[int]:
    return [0, *(found.end() for found in re.finditer("\n", text))]


def _comment_start(text: str, line: int) -> int:
    """The start of the comment that stands directly above a line, else of the line."""
    lines = text.split("\n")[: line - 1]
    count = sum(1 for _ in takewhile(lambda one: one.lstrip("\ufeff").startswith("#"), reversed(lines)))
    start = _line_offset(text, line - count)
    return start + text.startswith("\ufeff", start)
