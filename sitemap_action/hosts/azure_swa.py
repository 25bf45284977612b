"""Azure Static Web Apps: routes, headers and the fallback of `staticwebapp.config.json`."""

import re
from collections.abc import Sequence

import re2

from sitemap_action.hosts.base import BuildFiles, HostResponse, PathPattern, Route, ServedBuild
from sitemap_action.hosts.control_files import Ignored, Table, read_json
from sitemap_action.hosts.page_spellings import Spelling, Spellings, StaticHost, row
from sitemap_action.hosts.routes import MAX_PATTERN, PathIndex, RouteTable, compile_pattern, location, normalize_path
from sitemap_action.hosts.ruled_host import HeaderBlock, HeaderTable, RuledHost, add_headers, read_rules
from sitemap_action.model.lazy_re import lazy_re

_BARE, _SLASH = Spelling.BARE, Spelling.SLASH

# By `trailingSlash`; the columns: /file /file/ /file.html, and /folder /folder/ /folder/index.html.
AZURE = {
    "": Spellings(row("ok -> ok", _BARE), row("ok ok ok", _SLASH, _SLASH, _BARE)),
    "auto": Spellings(row("ok -> ok", _BARE), row("-> ok ->", _SLASH)),
    "always": Spellings(row("-> ok ok", _SLASH), row("-> ok ->", _SLASH)),
    "never": Spellings(row("ok -> ok", _BARE), row("ok -> ->", _BARE)),
}
FILE = "staticwebapp.config.json"

_ALL, _NO_ROUTE = PathPattern(expression="/.*"), Route(PathPattern(), status=0)
_WILDCARD = lazy_re(r"^[^*]*(?:\*(?:[^*]*\.(?:\w+|\{\w+(?:,\w+)*\}))?)?\Z", re.ASCII)
_ANONYMOUS = "anonymous"
_PIECE = lazy_re(r"\*|\{([^{}]*)\}|[^*{]+|.", re.DOTALL)


def serve_azure(found: BuildFiles) -> ServedBuild:
    """A build on Azure Static Web Apps, as its configuration says."""
    file = found.find(FILE)
    if file is None:
        return ServedBuild(StaticHost(found.files, AZURE[""]))
    settings, ignored = read_json(file), Ignored(file)
    slash = settings.text("trailingSlash")
    if slash not in AZURE:
        raise settings.wrong("trailingSlash", "always, never or auto")
    routes = RouteTable(read_rules(ignored, settings.tables("routes"), _routes))
    host = AzureHost(StaticHost(found.files, AZURE[slash]), routes, HeaderTable(()))
    fields = _fields(settings.table("globalHeaders"))
    host.everywhere = HeaderBlock(_ALL, fields, place=settings.where)
    fallback = settings.table("navigationFallback")
    host.single_page = fallback.text("rewrite")
    host.evidence = f"{file.path} has navigationFallback"
    host.excluded = PathIndex([one for text in fallback.texts("exclude") if (one := _pattern(text))])
    return host.served_build(ignored.notes())


class AzureHost(RuledHost):
    """Implements `Host`: the first route alone decides, of a path or of its index.html; then files, then a fallback."""

    code = ("/api/",)
    single_page = ""  # path of the document of the fallback
    evidence = ""
    excluded = PathIndex(())
    everywhere = HeaderBlock(_ALL, ())

    def answer(self, url_path: str, /) -> HostResponse:
        index = f"{url_path.removesuffix('/')}/index.html" if "." not in url_path else url_path
        routes = self.before.all_matches(url_path, index)
        route, target = next((one for one in routes if not _is_circular(*one, url_path)), (_NO_ROUTE, ""))
        response = self.answer_by_rule(route, target) if route.status else self.static.answer(url_path)
        if response.status == 404 and route.status in {0, 200} and self.single_page:
            asked = (target,) if route.status else (url_path, index)
            shown = self.follow_rewrite(self.single_page)
            if shown.file and all(self.excluded.first(one) is None for one in asked):
                response = shown._replace(evidence=self.evidence, fallback=True)
        removed = tuple(name for name, value in route.headers if not value)
        own = HeaderBlock(_ALL, route.headers, removed, route.place)
        return add_headers(response, (self.everywhere, own), last_wins=True) if response.file else response


def _is_circular(route: Route, target: str, url_path: str) -> bool:
    """A redirect to where it came from is skipped."""
    return 300 <= route.status < 400 and location(target) == url_path


def _routes(table: Table) -> Sequence[Route] | str:
    """The rule of an entry; none where it concerns other methods than GET."""
    pattern = _pattern(table.text("route"))
    if pattern is None:
        return "its route is no pattern that the host takes"
    status, roles = table.number("statusCode"), table.texts("allowedRoles")
    methods = [method.upper() for method in table.texts("methods")]
    if methods and "GET" not in methods:
        return ()
    target, code = "", status if status and status >= 400 else 0
    if roles and _ANONYMOUS not in roles:
        code = 401
    elif redirect := table.text("redirect"):
        target, code = redirect, status or 302
    elif (rewrite := table.text("rewrite")) and not code:
        target, code = rewrite, 200
    return (
        Route(pattern, target, code, table.where, headers=_fields(table.table("headers")), source=table.text("route")),
    )


def _fields(table: Table) -> tuple[tuple[str, str], ...]:
    return tuple((name.lower(), table.text(name)) for name in table)


def _pattern(route: str) -> PathPattern | None:
    """`*` at the end, or before a suffix as in `/images/*.{png,gif}`; alone it is every path."""
    if route == "*":
        return _ALL
    if not route.startswith("/") or len(route) > MAX_PATTERN or not _WILDCARD.search(route):
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
