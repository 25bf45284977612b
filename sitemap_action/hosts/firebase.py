"""Firebase Hosting: `cleanUrls`, `trailingSlash`, redirects, rewrites and headers of `firebase.json`."""

import re
from collections.abc import Iterator

import re2
from msgspec import Struct

from sitemap_action.hosts.base import BuildFiles, ServedBuild
from sitemap_action.hosts.header_rules import HeaderBlock, HeaderTable
from sitemap_action.hosts.page_spellings import Spelling, Spellings, StaticHost, row
from sitemap_action.hosts.routes import MAX_PATTERN, Ignored, PathPattern, Route, RouteTable, encoded, usable
from sitemap_action.hosts.ruled_host import RuledHost
from sitemap_action.hosts.structured import Table, read_json

_BARE, _SLASH, _FILE = Spelling.BARE, Spelling.SLASH, Spelling.FILE

# By `cleanUrls` and `trailingSlash`; the columns: /file /file/ /file.html, and /folder /folder/ /folder/index.html.
FIREBASE = {
    (False, None): Spellings(row("404 404 ok", _FILE), row("-> ok ok", _SLASH)),
    (False, False): Spellings(row("404 404 ok", _FILE), row("ok -> ok", _BARE)),
    (False, True): Spellings(row("404 404 ok", _FILE), row("-> ok ok", _SLASH)),
    (True, None): Spellings(row("ok -> ->", _BARE), row("-> ok ->", _SLASH)),
    (True, False): Spellings(row("ok -> ->", _BARE), row("ok -> ->", _BARE)),
    (True, True): Spellings(row("-> ok ->", _SLASH), row("-> ok ->", _SLASH)),
}

_GLOB = re.compile(r"/\*\*(?:/|\Z)|\*\*|:(\w+)\*|:(\w+)|[*?]|[@?+*]\(([^()]*)\)|\{([^{}]*)\}|[^*?@+:{/]+|.", re.DOTALL)
_NO_PATTERN = "its source is no pattern that can be read here"


class Firebase(Struct, frozen=True):
    """Implements `HostProfile`."""

    name: str = "firebase"

    def build(self, found: BuildFiles, /) -> ServedBuild:
        file = found.find("firebase.json")
        if file is None:
            return ServedBuild(StaticHost(found.files, FIREBASE[False, None]))
        settings, ignored, notes = read_json(file, comments=True), Ignored(file), []
        sites = settings.tables("hosting") if isinstance(settings.get("hosting"), list) else [settings.table("hosting")]
        site = sites[0] if sites else Table()
        if len(sites) > 1:
            notes.append(f"{file.path} has {len(sites)} sites; the build is served as the first of them")
        slash = site.flag("trailingSlash")
        host = RuledHost(
            StaticHost(found.files, FIREBASE[site.flag("cleanUrls") is True, slash]),
            RouteTable(list(_redirects(site.tables("redirects"), ignored))),
            HeaderTable(list(_headers(site.tables("headers"), ignored)), last_wins=True),
            after=RouteTable(list(_rewrites(site.tables("rewrites"), ignored))),
        )
        return ServedBuild(host, (*notes, *ignored.notes()), fallback=host.fallback())


def _redirects(tables: list[Table], ignored: Ignored) -> Iterator[Route]:
    for table in tables:
        status = table.number("type") or 301
        pattern = _pattern(table)
        if pattern is None or not 300 <= status < 400:
            ignored.add(table.where, _NO_PATTERN if pattern is None else "its type is none of a redirect")
        else:
            yield Route(pattern, table.text("destination"), status, table.where)


def _rewrites(tables: list[Table], ignored: Ignored) -> Iterator[Route]:
    """One to a function or a service is answered elsewhere."""
    for table in tables:
        if pattern := _pattern(table):
            elsewhere = next((key for key in ("function", "run", "dynamicLinks") if table.get(key)), "service")
            yield Route(pattern, table.text("destination") or f"{elsewhere}:", 200, table.where)
        else:
            ignored.add(table.where, _NO_PATTERN)


def _headers(tables: list[Table], ignored: Ignored) -> Iterator[HeaderBlock]:
    for table in tables:
        if pattern := _pattern(table):
            values = tuple((field.text("key").lower(), field.text("value")) for field in table.tables("headers"))
            yield HeaderBlock(pattern, values, evidence=table.where)
        else:
            ignored.add(table.where, _NO_PATTERN)


def _pattern(table: Table) -> PathPattern | None:
    if regex := table.text("regex"):
        return usable(f"(?s:.*?)(?:{regex})(?s:.*)") if usable(regex) else None
    return _glob(table.text("source") or table.text("glob"))


def _glob(source: str) -> PathPattern | None:
    """`**`, `*`, `@(a|b)`, `{a,b}`, and `:name` with or without `*`; a negation is not read."""
    if not source or len(source) > MAX_PATTERN or "!(" in source:
        return None
    source = source if source.startswith(("/", "**")) else f"/{source}"
    if not set(source) & set("*?@+:{"):
        return PathPattern(literal=encoded(source))
    return usable("".join(_piece(found) for found in _GLOB.finditer(source)))


def _piece(found: re.Match[str]) -> str:
    text = found[0]
    rest, name, choices, braces = found.groups()
    if rest or name:
        return f"(?P<{rest}>.*)" if rest else f"(?P<{name}>[^/]+)"
    if text.startswith("/**"):
        return "/(?:.*/)?" if text.endswith("/") else "/.*"
    if text in {"**", "*", "?"}:
        return {"**": ".*", "*": "[^/]*", "?": "[^/]"}[text]
    if choices is None and braces is None:
        return str(re2.escape(encoded(text)))
    options = "|".join(str(re2.escape(encoded(one))) for one in re.split("[|,]", choices or braces or ""))
    repeat = {"@": "", "{": ""}.get(text[0], text[0])
    return f"(?:{options}){repeat}"
