"""Netlify: pretty URLs, `_redirects`, `_headers` and `netlify.toml` (HOST-05, HOST-07, HOST-08)."""

from collections.abc import Iterator, Sequence
from functools import partial
from urllib.parse import urlsplit

from sitemap_action.hosts.base import BuildFiles, ControlFile, HostResponse, PathPattern, Route, ServedBuild
from sitemap_action.hosts.control_files import Ignored, Table, read_build_file, read_toml
from sitemap_action.hosts.page_spellings import Spelling, Spellings, StaticHost, row
from sitemap_action.hosts.routes import (
    MAX_PATTERN,
    RouteTable,
    header_key,
    location,
    read_header_pattern,
    read_segment_pattern,
)
from sitemap_action.hosts.ruled_host import (
    HeaderBlock,
    HeaderTable,
    RuledHost,
    is_target,
    note_unclear,
    read_header_file,
    read_rules,
    rule_words,
    unclear_rule,
    without_slash,
)
from sitemap_action.model.finding import Place

# The columns: /file /file/ /file.html, and /folder /folder/ /folder/index.html.
PRETTY = Spellings(row("ok -> ok", Spelling.BARE), row("-> ok ok", Spelling.SLASH))
NOT_PRETTY = Spellings(
    row("ok ok ok", Spelling.FILE, Spelling.FILE, Spelling.BARE, Spelling.SLASH),
    row("ok ok ok", Spelling.SLASH, Spelling.SLASH, Spelling.BARE),
)

_SOME = "it holds for some visitors or queries only, and pages are judged without"
_NO_PATTERN = "its path is no pattern that the host takes"
_NOTHING = PathPattern(literal="//")  # no path is normalized to it
_STATUSES = frozenset({200, 301, 302, 303, 307, 308, 404, 410, 451})


def serve_netlify(found: BuildFiles, *, pretty: bool = True) -> ServedBuild:
    """`_redirects` comes before the rules of netlify.toml, as the documentation of the host says."""
    notes: list[str] = []
    routes = read_build_file(
        found, "_redirects", notes, lambda ignored: note_unclear(ignored, _lines(ignored.file, found.site_url))
    )
    blocks = read_build_file(found, "_headers", notes, partial(read_header_file, read=read_header_pattern))
    if toml := found.find("netlify.toml"):
        settings = read_toml(toml, ("redirects", "headers"))
        ignored = Ignored(toml)
        routes += read_rules(ignored, settings.tables("redirects"), lambda table: _table_route(table, found.site_url))
        blocks += ignored.read_tables(settings.tables("headers"), _header_block)
        notes += ignored.notes()
        pretty = pretty and _is_pretty(settings)
    static = StaticHost(found.files, PRETTY if pretty else NOT_PRETTY)
    host = NetlifyHost(static, RouteTable(routes, without_slash), HeaderTable(blocks, key=header_key))
    code = next(filter(None, map(found.folder, ("netlify/functions", "netlify/edge-functions"))), "")
    return host.served_build(notes, code and f"{code}/ holds code, which may answer any path")


class NetlifyHost(RuledHost):
    """Implements `Host`: a file comes before a rule, unless the rule is forced."""

    code = ("/.netlify/",)

    def answer(self, url_path: str, /) -> HostResponse:
        response = self.static.answer(url_path)
        if self.before:
            found = self.before.first(url_path)
            if found and (found[0].force or response.status == 404) and not _is_circular(*found, url_path):
                response = self.answer_by_rule(*found)
        return self.headers.add_to(response, url_path) if response.file else response


def _is_circular(route: Route, target: str, url_path: str) -> bool:
    """A rule cannot add or remove a final slash: the host skips one that leads to where it came from."""
    if route.status in {200, 404} or not target.startswith("/"):
        return False
    return without_slash(location(target)) == without_slash(url_path)


def _is_pretty(settings: Table) -> bool:
    processing = settings.table("build").table("processing")
    if processing.boolean("skip_processing"):
        return False
    return processing.table("html").boolean("pretty_urls") is not False


def _lines(file: ControlFile, site: str) -> Iterator[Route]:
    """The rules of a `_redirects` file: from, query parameters, to, status, conditions."""
    for place, line in file.lines():
        if len(line) > MAX_PATTERN:
            yield unclear_rule(place, f"it has more than {MAX_PATTERN:,} characters")
            continue
        if not (words := rule_words(line)):
            continue
        source, rest = words[0], words[1:]
        at = next((at for at, word in enumerate(rest) if is_target(word)), None)
        status, force = _status(rest[at + 1] if at is not None and len(rest) > at + 1 else "")
        if at is None and rest and source.endswith("/*") and rest[0].rstrip("!") == "200":
            at, rest = 0, [source.replace("*", ":splat"), *rest]
            status, force = _status(rest[1])
        if at is None:
            why = "it names no target that starts with /, http: or https:"
            yield Route(PathPattern(), place=place, source=source, unserved=why)
        else:
            some = bool(at) or any("=" in word for word in rest[at + 1 :])
            yield _route(source, rest[at], status, place, force=force, site=site, some=some)


def _table_route(table: Table, site: str) -> Sequence[Route]:
    source, status = table.text("from"), table.number("status")
    some = bool(table.get("query") or table.get("conditions"))
    target, force = table.text("to") or source.replace("*", ":splat"), table.boolean("force") is True
    status = 301 if status is None else status
    return (_route(source, target, status, table.where, force=force, site=site, some=some),)


def _path(source: str, site: str) -> str:
    """The path of a rule; "" for one of another site."""
    if "://" not in source:
        return source if source.startswith("/") else f"/{source}"
    parts = urlsplit(source)
    own = urlsplit(site)
    return parts.path or "/" if (parts.scheme, parts.netloc.lower()) == (own.scheme, own.netloc) else ""


def _route(  # noqa: PLR0913 - the columns of a rule
    source: str, target: str, status: int, place: Place, *, force: bool, site: str, some: bool
) -> Route:
    """`some`: the rule is for some requests only."""
    path = _path(source, site)
    pattern = _pattern(path) if path else None
    rule = Route(pattern or PathPattern(), target, status, place, force, source=source)
    if path.startswith("/.netlify"):
        return rule._replace(unserved="no rule may be about /.netlify")
    if not path:
        return rule._replace(pattern=_NOTHING, unclear="it is for another host")
    if some:
        return rule._replace(unclear=_SOME)
    if status not in _STATUSES:
        return rule._replace(unclear="its status is none that a redirect takes")
    if ":splat" in target and path.count("*") > 1:
        return rule._replace(unclear="which of several * :splat means is not documented")
    return rule if pattern else rule._replace(unclear=_NO_PATTERN)


def _pattern(source: str) -> PathPattern | None:
    """The pattern of a rule's path, which matches with or without a final slash; `/a/*` is also `/a`."""
    return read_segment_pattern(source if source.endswith("/*") else without_slash(source))


def _header_block(table: Table) -> Sequence[HeaderBlock] | str:
    if (pattern := read_header_pattern(table.text("for").strip())) is None:
        return _NO_PATTERN
    values = [(name, one if isinstance(one, list) else [one]) for name, one in table.table("values").items()]
    if not all(isinstance(text, str) for _, texts in values for text in texts):
        return "a value of it is no text"
    fields = tuple((name.lower(), ", ".join(map(str.strip, texts))) for name, texts in values)
    return (HeaderBlock(pattern, fields, place=table.where),)


def _status(word: str) -> tuple[int, bool]:
    """Status and force of a rule; without a status it is 301, and a file that exists comes first."""
    number = word.removesuffix("!")
    known = number.isascii() and number.isdigit() and len(number) < 4
    return int(number) if known else 0 if number else 301, word.endswith("!")
