"""The patterns of vercel.json, `/blog/:slug`, `/:path*`, `/(.*)`, as expressions that take linear time."""

import re
from collections.abc import Mapping, Sequence

import re2

from sitemap_action.hosts.base import BuildFiles, HostResponse, PathPattern, Route, ServedBuild
from sitemap_action.hosts.control_files import Ignored, Table, read_json
from sitemap_action.hosts.page_spellings import Spelling, Spellings, StaticHost, row
from sitemap_action.hosts.routes import MAX_PATTERN, RouteTable, compile_pattern, normalize_path
from sitemap_action.hosts.ruled_host import HeaderBlock, HeaderTable, RuledHost, read_fields, read_rules
from sitemap_action.model.lazy_re import lazy_re

_NUMBER = lazy_re(r"\$\d+")
_NAME = lazy_re(r":(\w+)")
_IN_DESTINATION = lazy_re(r":([A-Za-z_]\w*)")
_OPENS = lazy_re(r"(?::\w+)?\(\Z")  # the group that a look-ahead stands in
_LOOK_AHEAD = lazy_re(
    r"\(\?!((?:[^()\\]++|\\.|\((?:\?:)?(?:[^()\\]++|\\.){0,60}+\)){0,60}+)\)"
)  # one level of groups inside
_PREFIXES = "/."


def pattern_of(source: str) -> PathPattern | None:
    """The pattern of a source; None if it cannot be read: look-behind, back-references, groups that do not end."""
    if len(source) > MAX_PATTERN or not source.startswith("/"):
        return None
    if not set(source) & set(":({*+?\\"):
        return PathPattern(literal=normalize_path(source))
    looks = _LOOK_AHEAD.findall(source)
    if not looks:
        expression = _expression(source)
        return compile_pattern(expression) if expression else None
    if len(looks) > 1:
        return None
    return _without_look_ahead(source, looks[0])


def unknown_names(destination: str, pattern: PathPattern) -> list[str]:
    """Placeholders of a destination that stand for nothing: the host refuses such a rule."""
    names = re2.compile(pattern.expression).groupindex if pattern.expression else {}
    return [found[0] for found in _IN_DESTINATION.finditer(destination) if found[1] not in names]


def _without_look_ahead(source: str, refused: str) -> PathPattern | None:
    """`/((?!api).*)`: what `/(.*)` matches, but for what begins with `/api`."""
    at = source.index("(?!")
    head = _OPENS.sub("", source[:at])
    expression = _expression(_LOOK_AHEAD.sub("", source))
    before = _expression(head) if head else ""
    if not expression or before is None:
        return None
    ends = refused.endswith("$")
    excluded = compile_pattern(f"{before}(?:{refused.removesuffix('$')}){'' if ends else '(?s:.*)'}")
    found = compile_pattern(expression)
    return found._replace(excluded=excluded.expression) if found and excluded else None


def _expression(source: str) -> str | None:
    """Groups, names and modifiers as path-to-regexp reads them; None for a modifier of nothing, or an open group."""
    out: list[str] = []
    last = {name[1]: name.start() for name in _NAME.finditer(source)}
    position, literal = 0, ""
    while position < len(source):
        character = source[position]
        name = _NAME.match(source, position)
        if character == "\\" and position + 1 < len(source):
            literal, position = literal + source[position + 1], position + 2
        elif name or character in "({":
            start = name.end() if name else position
            end = _group_end(source, start)
            if end is None:
                return None
            prefix = literal[-1:] if literal[-1:] and literal[-1] in _PREFIXES and character != "{" else ""
            modifier = source[end] if end < len(source) and source[end] in "*+?" else ""
            out += [_escape(literal.removesuffix(prefix)), _group(source[start:end], name, last, prefix, modifier)]
            position, literal = end + bool(modifier), ""
        elif character in "*+?":
            return None
        else:
            literal, position = literal + character, position + 1
    return "".join([*out, _escape(literal)])


def _group(text: str, name: re.Match[str] | None, last: Mapping[str, int], prefix: str, modifier: str) -> str:
    """`text`: with its parentheses, "" for the default. `last`: where each name is last, which has the value."""
    before = _escape(prefix)
    if text.startswith("{"):
        return f"(?:{_escape(text[1:-1])}){modifier}"
    inner = text[1:-1].removeprefix("?:") if text else "[^/]+?"
    opening = f"(?P<{name[1]}>" if name and not name[1][0].isdigit() and last[name[1]] == name.start() else "("
    if modifier in {"", "?"}:
        group = f"{before}{opening}{inner})"
    else:
        group = f"{before}{opening}(?:{inner})(?:{before}(?:{inner}))*)"
    return f"(?:{group})?" if modifier in {"?", "*"} else group


def _group_end(source: str, start: int) -> int | None:
    """Behind the group that begins here; the place itself where none does; None for one that does not end."""
    if start >= len(source) or source[start] not in "({":
        return start
    closing, depth, position = {"(": ")", "{": "}"}[source[start]], 0, start
    while position < len(source):
        depth += (source[position] == source[start]) - (source[position] == closing)
        if not depth:
            return position + 1
        position += 2 if source[position] == "\\" else 1
    return None


def _escape(text: str) -> str:
    return str(re2.escape(normalize_path(text))) if text else ""


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
# Of a Next export, by `trailingSlash`: `@vercel/next` deploys each x.html as x alone. One with a folder for each page
# has been exported with the slash, by which Next redirects then; else it redirects to the path without.
_CLEAN_FILE, _CLEAN_FOLDER = row("ok -> 404", _BARE), row("-> ok 404", _SLASH)
NEXT = {
    None: Spellings(_CLEAN_FILE, _CLEAN_FOLDER, status=308),
    False: Spellings(_CLEAN_FILE, _CLEAN_FILE, status=308),
    True: Spellings(_CLEAN_FOLDER, _CLEAN_FOLDER, status=308),
}
_NEXT_CONFIGS = ("next.config.js", "next.config.mjs", "next.config.ts", "next.config.cjs", "next.config.mts")
_MIDDLEWARE = ("middleware.ts", "middleware.js")
UNREADABLE = ("vercel.ts", "vercel.mts", "vercel.js", "vercel.mjs", "vercel.toml")

_SUFFIX = lazy_re(r".\.\w+\Z", re.ASCII)


def serve_vercel(found: BuildFiles) -> ServedBuild:
    """A build on Vercel, as vercel.json configures it."""
    notes = [
        f"{file.path} is not read: what it configures is not known here"
        + (", and it is code, which is never run" if not file.path.endswith(".toml") else "")
        for name in UNREADABLE
        if (file := found.find(name))
    ]
    file = found.find("vercel.json")
    settings = Table() if file is None else read_json(file)
    clean, slash = settings.boolean("cleanUrls") is True, settings.boolean("trailingSlash")
    if evidence := _find_next(found):
        notes.append(f"{evidence} is of Next: Vercel serves the pages of an export without .html")
    spellings = NEXT[slash] if evidence and not clean else VERCEL[clean, slash]
    code = [f"{file.path} has {key}" for key in ("routes", "builds", "functions") if file and settings.get(key)]
    code += [one.path for name in (*UNREADABLE, *_MIDDLEWARE) if (one := found.find(name))]
    if file is None:
        return ServedBuild(StaticHost(found.files, spellings), tuple(notes))
    ignored = Ignored(file)
    if settings.get("routes"):
        notes.append(f"{file.path} has routes, which are not read: use redirects, rewrites and headers")
    host = VercelHost(
        StaticHost(found.files, spellings),
        RouteTable(read_rules(ignored, settings.tables("redirects"), _redirect)),
        HeaderTable(ignored.read_tables(settings.tables("headers"), _header_block), last_wins=True),
        after=RouteTable(read_rules(ignored, _rewrite_tables(settings), lambda table: _route(table, 200))),
    )
    host.normal = (clean, slash)
    return host.served_build((*notes, *ignored.notes()), f"{code[0]}, which may answer any path" if code else "")


def _find_next(found: BuildFiles) -> str:
    """What shows that the build is an export of Next, as text; "" where nothing does."""
    if any(path.startswith("_next/") for path in found.files):
        return "_next/ of the build"
    return next((file.path for name in _NEXT_CONFIGS if (file := found.find(name))), "")


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

    def answer_without_rule(self, url_path: str) -> HostResponse:
        """A path in its normal form is served: no redirect of its folder comes on top."""
        return self.follow_rewrite(url_path)

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
        return path if f"{path}/".startswith("/.well-known/") else _add_slash(path)


def _add_slash(path: str) -> str:
    """Adds a final slash, except to the name of a file."""
    directory, _, name = path.removesuffix("/").rpartition("/")
    if "." not in name:
        return f"{directory}/{name}/"
    return f"{directory}/{name}" if _SUFFIX.search(name) else path


def _rewrite_tables(settings: Table) -> list[Table]:
    """All rewrites; of those written as an object, the ones for before the files are applied after them too."""
    rewrites = settings.get("rewrites")
    if not isinstance(rewrites, Table):
        return settings.tables("rewrites")
    return [found for key in ("beforeFiles", "afterFiles", "fallback") for found in rewrites.tables(key)]


def _redirect(table: Table) -> Sequence[Route] | str:
    permanent, status = table.boolean("permanent"), table.number("statusCode")
    code = (308 if permanent else 307) if permanent is not None else status or 308
    return _route(table, code) if 300 <= code < 400 else "its status is none of a redirect"


def _route(table: Table, status: int) -> Sequence[Route] | str:
    source, destination = table.text("source"), table.text("destination")
    pattern = pattern_of(source) or PathPattern()
    rule = Route(pattern, destination, status, table.where, source=source)
    if isinstance(why := _pattern(table), str):
        return (rule._replace(unclear=why),)
    if unknown := unknown_names(destination, pattern):
        return (rule._replace(unserved=f"its destination names {unknown[0]}, which its source does not have"),)
    return (rule if pattern.expression else rule._replace(target=_NUMBER.sub("", destination)),)  # of no group


def _header_block(table: Table) -> Sequence[HeaderBlock] | str:
    fields, pattern = read_fields(table), _pattern(table)
    return pattern if isinstance(pattern, str) else (HeaderBlock(pattern, fields, place=table.where),)


def _pattern(table: Table) -> PathPattern | str:
    """The pattern of a rule's source, or why the rule does not count."""
    if table.get("has") or table.get("missing"):
        return "it holds for some requests only (has, missing), and pages are judged without"
    return pattern_of(table.text("source")) or "its source is no pattern that can be read here in linear time"
