"""Vercel: `cleanUrls`, `trailingSlash`, redirects, rewrites and headers of `vercel.json` (HOST-08)."""

import re
from collections.abc import Iterator

from msgspec import Struct

from sitemap_action.hosts.base import BuildFiles, HostResponse, ServedBuild
from sitemap_action.hosts.header_rules import HeaderBlock, HeaderTable
from sitemap_action.hosts.page_spellings import Spelling, Spellings, StaticHost, row
from sitemap_action.hosts.routes import Ignored, Route, RouteTable
from sitemap_action.hosts.ruled_host import RuledHost
from sitemap_action.hosts.structured import Table, read_json
from sitemap_action.hosts.vercel.path_to_regexp import pattern_of, unknown_names

_BARE, _SLASH, _FILE = Spelling.BARE, Spelling.SLASH, Spelling.FILE

# By `cleanUrls` and `trailingSlash`; the columns: /file /file/ /file.html, and /folder /folder/ /folder/index.html.
VERCEL = {
    (False, None): Spellings(row("404 404 ok", _FILE), row("ok ok ok", _SLASH, _SLASH, _BARE), status=308),
    (False, False): Spellings(row("404 404 ok", _FILE), row("ok -> ok", _BARE), status=308),
    (False, True): Spellings(row("404 404 ok", _FILE), row("-> ok ok", _SLASH), status=308),
    (True, None): Spellings(row("ok ok ->", _BARE), row("ok ok ->", _BARE), status=308),
    (True, False): Spellings(row("ok -> ->", _BARE), row("ok -> ->", _BARE), status=308),
    (True, True): Spellings(row("-> ok ->", _SLASH), row("-> ok ->", _SLASH), status=308),
}
UNREADABLE = ("vercel.ts", "vercel.mts", "vercel.js", "vercel.mjs", "vercel.toml")

_SUFFIX = re.compile(r".\.\w+\Z", re.ASCII)

_CONDITION = "it holds for some requests only (has, missing), and pages are judged without"

_NO_PATTERN = "its source is no pattern that can be read here in linear time"


class Vercel(Struct, frozen=True):
    """Implements `HostProfile`."""

    name: str = "vercel"

    def build(self, found: BuildFiles, /) -> ServedBuild:
        notes = [
            f"{file.path} is not read: what it configures is not known here"
            + (", and it is code, which is never run" if not file.path.endswith(".toml") else "")
            for name in UNREADABLE
            if (file := found.find(name))
        ]
        file = found.find("vercel.json")
        if file is None:
            return ServedBuild(StaticHost(found.files, VERCEL[False, None]), tuple(notes))
        settings, ignored = read_json(file), Ignored(file)
        if settings.get("routes"):
            notes.append(f"{file.path} has routes, which are not read: use redirects, rewrites and headers")
        clean, slash = settings.flag("cleanUrls") is True, settings.flag("trailingSlash")
        host = VercelHost(
            StaticHost(found.files, VERCEL[clean, slash]),
            RouteTable(list(_redirects(settings.tables("redirects"), ignored))),
            HeaderTable(list(_headers(settings.tables("headers"), ignored)), last_wins=True),
            after=RouteTable(list(_rewrites(_rewrite_tables(settings), ignored))),
        )
        host.normal = (clean, slash)
        return host.served_build((*notes, *ignored.notes()))


class VercelHost(RuledHost):
    """Implements `Host`: the spelling of a path comes first, then redirects, files and rewrites."""

    code = ("/api/",)
    normal: tuple[bool, bool | None] = (False, None)  # cleanUrls, trailingSlash

    def address(self, path: str, /) -> str:
        return self._with_slash(super().address(path))

    def answer(self, url_path: str, /) -> HostResponse:
        to = self._clean(url_path)
        if to == url_path:
            to = self._with_slash(url_path)
        return super().answer(url_path) if to == url_path else HostResponse(308, location=to)

    def file(self, url_path: str) -> HostResponse:
        """A path in its normal form is served: no redirect of its folder comes on top."""
        return self.served(url_path)

    def _clean(self, path: str) -> str:
        """The path as `cleanUrls` spells it, whether or not there is a file."""
        clean, slash = self.normal
        bare = path.removesuffix("/")
        if not clean or not bare.endswith((".html", "/index")):
            return path
        bare = bare.removesuffix(".html").removesuffix("/index").removesuffix("/")
        return f"{bare}/" if slash else bare or "/"

    def _with_slash(self, path: str) -> str:
        """The path as `trailingSlash` spells it."""
        slash = self.normal[1]
        if slash is None or path == "/":
            return path
        if not slash:
            return path.removesuffix("/")
        return path if f"{path}/".startswith("/.well-known/") else _slashed(path)


def _slashed(path: str) -> str:
    """With a final slash; a file's name has none."""
    directory, _, name = path.removesuffix("/").rpartition("/")
    if "." not in name:
        return f"{directory}/{name}/"
    return f"{directory}/{name}" if _SUFFIX.search(name) else path


def _rewrite_tables(settings: Table) -> list[Table]:
    """All of them; written as an object, those that apply before the files are applied after them."""
    rewrites = settings.get("rewrites")
    if not isinstance(rewrites, Table):
        return settings.tables("rewrites")
    return [found for key in ("beforeFiles", "afterFiles", "fallback") for found in rewrites.tables(key)]


def _redirects(tables: list[Table], ignored: Ignored) -> Iterator[Route]:
    for table in tables:
        permanent, status = table.flag("permanent"), table.number("statusCode")
        code = (308 if permanent else 307) if permanent is not None else status or 308
        if not 300 <= code < 400:
            ignored.add(table.where, "its status is none of a redirect")
            continue
        yield from _route(table, code, ignored)


def _rewrites(tables: list[Table], ignored: Ignored) -> Iterator[Route]:
    for table in tables:
        yield from _route(table, 200, ignored)


def _route(table: Table, status: int, ignored: Ignored) -> Iterator[Route]:
    if table.get("has") or table.get("missing"):
        ignored.add(table.where, _CONDITION)
    elif not (pattern := pattern_of(table.text("source"))):
        ignored.add(table.where, _NO_PATTERN)
    elif unknown := unknown_names(table.text("destination"), pattern):
        ignored.add(table.where, f"its destination names {unknown[0]}, which its source does not have")
    else:
        yield Route(pattern, table.text("destination"), status, table.where)


def _headers(tables: list[Table], ignored: Ignored) -> Iterator[HeaderBlock]:
    for table in tables:
        values = tuple((field.text("key").lower(), field.text("value")) for field in table.tables("headers"))
        if table.get("has") or table.get("missing"):
            ignored.add(table.where, _CONDITION)
        elif pattern := pattern_of(table.text("source")):
            yield HeaderBlock(pattern, values, evidence=table.where)
        else:
            ignored.add(table.where, _NO_PATTERN)
