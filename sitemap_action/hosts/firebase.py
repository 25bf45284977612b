"""Firebase Hosting: `cleanUrls`, `trailingSlash`, redirects, rewrites and headers of `firebase.json`."""

import re
from collections.abc import Mapping, Sequence

import re2

from sitemap_action.hosts.base import BuildFiles, HostResponse, PathPattern, Route, ServedBuild
from sitemap_action.hosts.control_files import Ignored, Table, read_json
from sitemap_action.hosts.page_spellings import Spelling, Spellings, StaticHost, encoded_path, row
from sitemap_action.hosts.routes import MAX_PATTERN, RouteTable, compile_pattern, normalize_path
from sitemap_action.hosts.ruled_host import HeaderBlock, HeaderTable, RuledHost, read_fields, read_rules
from sitemap_action.model.lazy_re import lazy_re

_BARE, _SLASH, _FILE = Spelling.BARE, Spelling.SLASH, Spelling.FILE

# By `cleanUrls` and `trailingSlash`; the columns: /file /file/ /file.html, and /folder /folder/ /folder/index.html.
FIREBASE = {
    (False, None): Spellings(row("404 404 ok", _FILE), row("-> ok ok", _SLASH), file_first=False),
    (False, False): Spellings(row("404 404 ok", _FILE), row("ok -> ok", _BARE), file_first=False),
    (False, True): Spellings(row("404 404 ok", _FILE), row("-> ok ok", _SLASH), file_first=False),
    (True, None): Spellings(row("ok 404 ->", _BARE), row("ok ok ->", _BARE), file_first=False),
    (True, False): Spellings(row("ok -> ->", _BARE), row("ok -> ->", _BARE), file_first=False),
    (True, True): Spellings(row("-> ok ->", _SLASH), row("-> ok ->", _SLASH), file_first=False),
}

_GLOB = lazy_re(
    r"/\*\*(?:/|\Z)|\*\*|/?:(\w+)\*|:(\w+)|[*?]|\[[^\]/]{1,200}\]|[@?+*]\(([^()]*)\)|\{([^{}]*)\}|[^*?@+:{\[/]+|.",
    re.DOTALL,
)
_FIXED = {"/**/": "/(?:.*/)?", "/**": "/.*", "**": ".*", "?": "[^/]"}
_SEGMENT = lazy_re(r"(?:^|/):")
_IN_TARGET = lazy_re(r":(\w+)(?![\w?*])")
_NO_PATTERN = "its source is no pattern that can be read here"


def serve_firebase(found: BuildFiles) -> ServedBuild:
    """A build on Firebase Hosting; of several sites in firebase.json the first is meant."""
    file = found.find("firebase.json")
    if file is None:
        return ServedBuild(StaticHost(found.files, FIREBASE[False, None]))
    settings, ignored, notes = read_json(file, comments=True), Ignored(file), []
    sites = settings.tables("hosting") if isinstance(settings.get("hosting"), list) else [settings.table("hosting")]
    site = sites[0] if sites else Table()
    if len(sites) > 1:
        notes.append(f"{file.path} has {len(sites)} sites; the build is served as the first of them")
    slash = site.boolean("trailingSlash")
    clean = site.boolean("cleanUrls") is True
    host = FirebaseHost(
        StaticHost(found.files, FIREBASE[clean, slash]),
        RouteTable(read_rules(ignored, site.tables("redirects"), _redirects)),
        HeaderTable(ignored.read_tables(site.tables("headers"), _header_blocks), last_wins=True),
        after=RouteTable(read_rules(ignored, site.tables("rewrites"), _rewrites)),
    )
    host.clean = clean
    return host.served_build((*notes, *ignored.notes()))


class FirebaseHost(RuledHost):
    """Implements `Host`."""

    clean = False

    def answer_without_rule(self, url_path: str) -> HostResponse:
        """Redirects `/folder/index` to its folder where `cleanUrls` is set."""
        path = url_path.removesuffix("/")
        if not self.clean or not path.endswith("/index"):
            return super().answer_without_rule(url_path)
        shown = self.follow_rewrite(url_path).file
        index = shown and encoded_path(shown) == f"{path}.html"
        return HostResponse(301, location=self.address(shown)) if index else super().answer_without_rule(url_path)


def _redirects(table: Table) -> Sequence[Route] | str:
    status, target = table.number("type") or 301, table.text("destination")
    named = _SEGMENT.search(target) is not None
    patterns = _patterns(table, named=named)
    if patterns and not 300 <= status < 400:
        return "its type is none of a redirect"
    if named and not table.text("regex") and (unknown := unknown_names(target, patterns)):
        return f"its destination names {unknown}, which its source does not have"
    return [Route(pattern, target, status, table.where, source=_source(table)) for pattern in patterns] or _NO_PATTERN


def unknown_names(target: str, patterns: Sequence[PathPattern]) -> str:
    """The first segment of a destination that stands for nothing."""
    names = {name for one in patterns if one.expression for name in re2.compile(one.expression).groupindex}
    return next((found[0] for found in _IN_TARGET.finditer(target) if patterns and found[1] not in names), "")


def _rewrites(table: Table) -> Sequence[Route] | str:
    """Rules for a rewrite; one to a function or a service is answered elsewhere."""
    elsewhere = next((key for key in ("function", "run", "dynamicLinks") if table.get(key)), "service")
    target = table.text("destination") or f"{elsewhere}:"
    return [
        Route(pattern, target, 200, table.where, source=_source(table)) for pattern in _patterns(table)
    ] or _NO_PATTERN


def _header_blocks(table: Table) -> Sequence[HeaderBlock] | str:
    fields = read_fields(table)
    return [HeaderBlock(pattern, fields, place=table.where) for pattern in _patterns(table)] or _NO_PATTERN


def _patterns(table: Table, *, named: bool = False) -> list[PathPattern]:
    """Patterns of a rule's source, none where it cannot be read; a plain path also matches with a final slash.

    `named`: the destination has segments, so that `:name` in the source is one, and its case does not matter.
    """
    if regex := table.text("regex"):
        found = compile_pattern(f"(?s:.*?)(?:{regex})(?s:.*)") if compile_pattern(regex) else None
        return [found] if found else []
    source = _source(table)
    if not source or len(source) > MAX_PATTERN or "!(" in source:
        return []
    source = source if source.startswith(("/", "**")) else f"/{source}"
    if set(source) & set("*?@+{[") or (named and ":" in source):
        found = compile_pattern(
            f"(?i:{_expression(source.removesuffix('/'))}/?)" if named else f"{_expression(source, named=False)}/?"
        )
        return [found] if found else []
    path = normalize_path(source)
    return [PathPattern(literal=one) for one in dict.fromkeys((path, f"{path.removesuffix('/')}/"))]


def _source(table: Table) -> str:
    return table.text("source") or table.text("glob") or table.text("regex")


def _expression(glob: str, *, named: bool = True) -> str:
    """`**`, `*`, `?`, `[ab]`, `@(a|b)`, `{a,/b/**}`, and `:name` with or without `*`; a negation is not read."""
    pieces = list(_GLOB.finditer(glob))
    last = {name: found.start() for found in pieces for name in found.groups()[:2] if name}
    return "".join(_piece(found, last, named=named) for found in pieces)


def _piece(found: re.Match[str], last: Mapping[str, int], *, named: bool) -> str:
    """`last`: where each name is written last, for of two equal ones that has the value."""
    text = found[0]
    rest, name, choices, braces = found.groups()
    if rest or name:
        if not named:
            return str(re2.escape(text.removesuffix("*"))) + "[^/]*" * bool(rest)
        return _segment(text, f"?P<{rest or name}>" if last[rest or name] == found.start() else "")
    if fixed := _FIXED.get(text):
        return fixed
    if text == "*":
        return "[^/.][^/]*" if found.string[: found.start()].endswith("/") else "[^/]*"
    if choices is None and braces is None:
        return _class(text) if text.startswith("[") and len(text) > 1 else str(re2.escape(normalize_path(text)))
    options = "|".join(_expression(one, named=named) for one in re.split("[|,]", choices or braces or ""))
    repeat = {"@": "", "{": ""}.get(text[0], text[0])
    return f"(?:{options}){repeat}"


def _segment(text: str, name: str) -> str:
    if not text.endswith("*"):
        return f"({name}[^/]+)"
    return f"(?:/({name}.*))?" if text.startswith("/") else f"({name}.*)"


def _class(text: str) -> str:
    """`[ab]`, `[a-c]`, `[!a]`."""
    inner = str(re2.escape(text[1:-1].lstrip("!^"))).replace(r"\-", "-")
    return f"[{'^' if text[1] in '!^' else ''}{inner}]"
