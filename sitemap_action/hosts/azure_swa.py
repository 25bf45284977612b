"""Azure Static Web Apps: routes, headers and the fallback of `staticwebapp.config.json`."""

import re
from collections.abc import Iterator, Sequence

import re2

from sitemap_action.hosts.base import BuildFiles, HostResponse, ServedBuild
from sitemap_action.hosts.control_files import Ignored, Table, read_json
from sitemap_action.hosts.page_spellings import Spelling, Spellings, StaticHost, row
from sitemap_action.hosts.routes import (
    MAX_PATTERN,
    PathIndex,
    PathPattern,
    Route,
    RouteTable,
    compile_pattern,
    normalize_path,
)
from sitemap_action.hosts.ruled_host import HeaderBlock, HeaderTable, RuledHost

_BARE, _SLASH = Spelling.BARE, Spelling.SLASH

# By `trailingSlash`; the columns: /file /file/ /file.html, and /folder /folder/ /folder/index.html.
AZURE = {
    "": Spellings(row("ok -> ok", _BARE), row("ok ok ok", _SLASH, _SLASH, _BARE)),
    "auto": Spellings(row("ok -> ok", _BARE), row("-> ok ->", _SLASH)),
    "always": Spellings(row("-> ok ok", _SLASH), row("-> ok ->", _SLASH)),
    "never": Spellings(row("ok -> ok", _BARE), row("ok -> ->", _BARE)),
}
FILE = "staticwebapp.config.json"

_ANONYMOUS = "anonymous"
_PIECE = re.compile(r"\*|\{([^{}]*)\}|[^*{]+|.", re.DOTALL)


def serve_azure(found: BuildFiles) -> ServedBuild:
    """A build on Azure Static Web Apps, as its configuration says."""
    file = found.find(FILE)
    if file is None:
        return ServedBuild(StaticHost(found.files, AZURE[""]))
    settings, ignored = read_json(file), Ignored(file)
    slash = settings.text("trailingSlash")
    if slash not in AZURE:
        raise settings.wrong("trailingSlash", "always, never or auto")
    tables = settings.tables("routes")
    host = AzureHost(
        StaticHost(found.files, AZURE[slash]),
        RouteTable(ignored.read_tables(tables, _routes)),
        HeaderTable(list(_headers(settings, tables)), last_wins=True),
    )
    fallback = settings.table("navigationFallback")
    host.single_page = fallback.text("rewrite")
    host.evidence = f"{file.path} has navigationFallback"
    host.excluded = PathIndex([one for text in fallback.texts("exclude") if (one := _pattern(text))])
    return host.served_build(ignored.notes())


class AzureHost(RuledHost):
    """Implements `Host`: the first route decides; a path without a file may be answered by the fallback."""

    code = ("/api/",)
    single_page = ""  # path of the document of the fallback
    evidence = ""
    excluded = PathIndex(())

    def answer(self, url_path: str, /) -> HostResponse:
        response = super().answer(url_path)
        by_route = response.status != 404 or bool(response.evidence)
        if by_route or not self.single_page or self.excluded.first(url_path) is not None:
            return response
        shown = self.follow_rewrite(self.single_page)
        return shown._replace(evidence=self.evidence, fallback=True) if shown.file else response


def _routes(table: Table) -> Sequence[Route] | str:
    """The rule of an entry; none where it sets headers only, or concerns other methods than GET."""
    pattern = _pattern(table.text("route"))
    if pattern is None:
        return "its route is no pattern that can be read here"
    status, roles = table.number("statusCode"), table.texts("allowedRoles")
    methods = [method.upper() for method in table.texts("methods")]
    if methods and "GET" not in methods:
        return ()
    if roles and _ANONYMOUS not in roles:
        return (Route(pattern, "", 401, table.where),)
    if target := table.text("redirect"):
        return (Route(pattern, target, status or 302, table.where),)
    if target := table.text("rewrite"):
        return (Route(pattern, target, 200, table.where),)
    return (Route(pattern, "", status, table.where),) if status and status >= 400 else ()


def _headers(settings: Table, tables: list[Table]) -> Iterator[HeaderBlock]:
    """Headers of every path, then those of each route, which replace them."""
    yield HeaderBlock(PathPattern(expression="/.*"), _fields(settings.table("globalHeaders")), evidence=settings.where)
    for table in tables:
        if (pattern := _pattern(table.text("route"))) and table.get("headers"):
            yield HeaderBlock(pattern, _fields(table.table("headers")), evidence=table.where)


def _fields(table: Table) -> tuple[tuple[str, str], ...]:
    return tuple((name.lower(), table.text(name)) for name in table)


def _pattern(route: str) -> PathPattern | None:
    """`*` at the end, or before a suffix as in `/images/*.{png,gif}`."""
    if not route.startswith("/") or len(route) > MAX_PATTERN or route.count("*") > 1:
        return None
    if "*" not in route:
        return PathPattern(literal=normalize_path(route))
    return compile_pattern("".join(_piece(found) for found in _PIECE.finditer(route)))


def _piece(found: re.Match[str]) -> str:
    if found[0] == "*":
        return ".*"
    if found[1] is None:
        return str(re2.escape(normalize_path(found[0])))
    return f"(?:{'|'.join(str(re2.escape(one.strip())) for one in found[1].split(','))})"
