"""Netlify: pretty URLs, `_redirects`, `_headers` and `netlify.toml` (HOST-05, HOST-07, HOST-08)."""

from collections.abc import Iterator, Sequence
from functools import partial
from urllib.parse import urlsplit

from sitemap_action.hosts.base import BuildFiles, HostResponse, ServedBuild
from sitemap_action.hosts.control_files import Ignored, Table, read_build_file, read_toml
from sitemap_action.hosts.page_spellings import Spelling, Spellings, StaticHost, row
from sitemap_action.hosts.routes import (
    MAX_PATTERN,
    PathPattern,
    Route,
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
    read_header_file,
    rule_words,
    without_slash,
)

# The columns: /file /file/ /file.html, and /folder /folder/ /folder/index.html.
PRETTY = Spellings(row("ok -> ok", Spelling.BARE), row("-> ok ok", Spelling.SLASH))
NOT_PRETTY = Spellings(
    row("ok ok ok", Spelling.FILE, Spelling.FILE, Spelling.BARE, Spelling.SLASH),
    row("ok ok ok", Spelling.SLASH, Spelling.SLASH, Spelling.BARE),
)

_SOME = "it holds for some visitors or queries only, and pages are judged without"
_NO_PATTERN = "its path is no pattern that the host takes"
_STATUSES = frozenset({200, 301, 302, 303, 307, 308, 404, 410, 451})


def serve_netlify(found: BuildFiles, *, pretty: bool = True) -> ServedBuild:
    """`_redirects` comes before the rules of netlify.toml, as the documentation of the host says."""
    notes: list[str] = []
    routes = read_build_file(found, "_redirects", notes, lambda ignored: _lines(ignored, found.site_url))
    blocks = read_build_file(found, "_headers", notes, partial(read_header_file, read=read_header_pattern))
    if toml := found.find("netlify.toml"):
        settings = read_toml(toml, ("redirects", "headers"))
        ignored = Ignored(toml)
        routes += ignored.read_tables(settings.tables("redirects"), lambda table: _table_route(table, found.site_url))
        blocks += ignored.read_tables(settings.tables("headers"), _header_block)
        notes += ignored.notes()
        pretty = pretty and _is_pretty(settings)
    static = StaticHost(found.files, PRETTY if pretty else NOT_PRETTY)
    host = NetlifyHost(static, RouteTable(routes, without_slash), HeaderTable(blocks, key=header_key))
    return host.served_build(notes)


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


def _lines(ignored: Ignored, site: str) -> Iterator[Route]:
    """The rules of a `_redirects` file: from, query parameters, to, status, conditions."""
    for where, line in ignored.file.lines():
        if len(line) > MAX_PATTERN:
            ignored.add(where, f"it has more than {MAX_PATTERN:,} characters")
            continue
        if not (words := rule_words(line)):
            continue
        source, rest = words[0], words[1:]
        at = next((at for at, word in enumerate(rest) if _is_target(word)), None)
        status, force = _status(rest[at + 1] if at is not None and len(rest) > at + 1 else "")
        if at is None and rest and source.endswith("/*") and rest[0].rstrip("!") == "200":
            at, rest = 0, [source.replace("*", ":splat"), *rest]
            status, force = _status(rest[1])
        if at is None:
            ignored.add(where, "it names no target that starts with /, http: or https:")
        elif at or any("=" in word for word in rest[at + 1 :]):
            ignored.add(where, _SOME)
        else:
            found = _route(_path(source, site), rest[at], status, where, force=force)
            if isinstance(found, Route):
                yield found
            else:
                ignored.add(where, found)


def _table_route(table: Table, site: str) -> Sequence[Route] | str:
    source, status = table.text("from"), table.number("status")
    if table.get("query") or table.get("conditions"):
        return _SOME
    target, force = table.text("to") or source.replace("*", ":splat"), table.boolean("force") is True
    found = _route(_path(source, site), target, 301 if status is None else status, table.where, force=force)
    return (found,) if isinstance(found, Route) else found


def _path(source: str, site: str) -> str:
    """The path of a rule; "" for one of another site."""
    if "://" not in source:
        return source if source.startswith("/") else f"/{source}"
    parts = urlsplit(source)
    own = urlsplit(site)
    return parts.path or "/" if (parts.scheme, parts.netloc.lower()) == (own.scheme, own.netloc) else ""


def _route(source: str, target: str, status: int, where: str, *, force: bool) -> Route | str:
    """The rule, or why the host does not take it."""
    if status not in _STATUSES:
        return "its status is none that a redirect takes"
    if not source:
        return "it is for another host"
    if source.startswith("/.netlify"):
        return "no rule may be about /.netlify"
    pattern = _pattern(source)
    if ":splat" in target and source.count("*") > 1:
        return "which of several * :splat means is not documented"
    return Route(pattern, target, status, where, force) if pattern else _NO_PATTERN


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
    return (HeaderBlock(pattern, fields, evidence=table.where),)


def _is_target(word: str) -> bool:
    return word.startswith(("/", "http:", "https:"))


def _status(word: str) -> tuple[int, bool]:
    """Status and force of a rule; without a status it is 301, and a file that exists comes first."""
    number = word.removesuffix("!")
    known = number.isascii() and number.isdigit() and len(number) < 4
    return int(number) if known else 0 if number else 301, word.endswith("!")
