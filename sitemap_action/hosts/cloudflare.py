"""Cloudflare: Pages, and Workers with static assets; `_redirects`, `_headers`, Wrangler's file (HOST-06, HOST-07)."""

import re
from collections.abc import Iterator

from msgspec import Struct

from sitemap_action.hosts.base import BuildFiles, ControlFile, HostResponse, ServedBuild
from sitemap_action.hosts.header_rules import HeaderBlock, HeaderTable, read_header_file
from sitemap_action.hosts.page_spellings import Spelling, Spellings, StaticHost, row
from sitemap_action.hosts.routes import Ignored, Route, RouteTable, placeholders
from sitemap_action.hosts.ruled_host import RuledHost
from sitemap_action.hosts.structured import WRANGLER, Table, read_json, read_toml

_BARE, _SLASH, _FILE = Spelling.BARE, Spelling.SLASH, Spelling.FILE

# The columns: /file /file/ /file.html, and /folder /folder/ /folder/index.html.
PAGES = Spellings(row("ok -> ->", _BARE), row("-> ok ->", _SLASH), status=308)
WORKERS = {  # by `html_handling` of the Wrangler configuration
    "auto-trailing-slash": Spellings(row("ok -> ->", _BARE), row("-> ok ->", _SLASH), status=307),
    "force-trailing-slash": Spellings(row("-> ok ->", _SLASH), row("-> ok ->", _SLASH), status=307),
    "drop-trailing-slash": Spellings(row("ok -> ->", _BARE), row("ok -> ->", _BARE), status=307),
    "none": Spellings(row("404 404 ok", _FILE), row("404 404 ok", _FILE), status=307),
}

_MAX_STATIC, _MAX_DYNAMIC, _MAX_LINE, _MAX_HEADERS = 2_000, 100, 1_000, 100
_STATUSES = frozenset({"200", "301", "302", "303", "307", "308"})
_TARGETS = (("/", "http://", "https://"), ("/",))  # of a redirect, of a rewrite
_ENDLESS_SOURCE = re.compile(r"/\*?\Z")
_ENDLESS_TARGET = re.compile(r"(?!https?:).*/index(?:\.html)?\Z")


class CloudflarePages(Struct, frozen=True):
    """Implements `HostProfile`."""

    name: str = "cloudflare-pages"

    def build(self, found: BuildFiles, /) -> ServedBuild:
        notes = []
        if folder := found.folder("functions"):
            notes.append(
                f"{folder}/ holds code that may answer in the place of files, and that is not run here: "
                "_redirects and _headers do not apply to what it answers"
            )
        if "_worker.js" in found.files:
            notes.append("_worker.js is code that answers in the place of files, and that is not run here")
        fallback = "" if "404.html" in found.files or "index.html" not in found.files else "the build has no 404.html"
        return _served(found, PAGES, fallback, notes)


class CloudflareWorkers(Struct, frozen=True):
    """Implements `HostProfile`."""

    name: str = "cloudflare-workers"

    def build(self, found: BuildFiles, /) -> ServedBuild:
        file, settings = wrangler(found)
        assets = settings.table("assets")
        handling = assets.text("html_handling") or "auto-trailing-slash"
        if handling not in WORKERS:
            raise assets.wrong("html_handling", f"one of {', '.join(WORKERS)}")
        notes = []
        if assets.get("run_worker_first"):
            notes.append(
                f"{file} has run_worker_first: a Worker answers in the place of files, and it is not run here; "
                "_redirects and _headers do not apply to what it answers"
            )
        single = assets.text("not_found_handling") == "single-page-application"
        return _served(found, WORKERS[handling], f"{file} has not_found_handling" if single else "", notes)


def wrangler(found: BuildFiles) -> tuple[str, Table]:
    """Wrangler's configuration with its path; an empty one where there is none."""
    for name in WRANGLER:
        if file := found.find(name):
            toml = name.endswith(".toml")
            return file.path, read_toml(file) if toml else read_json(file, comments=True)
    return "", Table()


def _served(found: BuildFiles, spellings: Spellings, fallback: str, notes: list[str]) -> ServedBuild:
    routes: list[Route] = []
    blocks: tuple[HeaderBlock, ...] = ()
    if (content := found.read("_redirects")) is not None:
        ignored = Ignored(ControlFile("_redirects", content))
        routes += _lines(ignored)
        notes += ignored.notes()
    if (content := found.read("_headers")) is not None:
        file = read_header_file(ControlFile("_headers", content), removals=True, everywhere=True, limit=_MAX_HEADERS)
        blocks = file.blocks
        notes += file.notes
    host = CloudflareHost(StaticHost(found.files, spellings), RouteTable(routes), HeaderTable(blocks), fallback)
    return ServedBuild(host, tuple(notes), fallback=host.fallback())


class CloudflareHost(RuledHost):
    """Implements `Host`: redirects apply whether or not a file exists."""

    def __init__(self, static: StaticHost, routes: RouteTable, headers: HeaderTable, single_page: str) -> None:
        """`single_page`: why the start page answers for every path without a file; "" where it does not."""
        super().__init__(static, routes, headers)
        self._single_page = single_page

    def answer(self, url_path: str, /) -> HostResponse:
        response = super().answer(url_path)
        if response.status == 404 and self._single_page:
            return HostResponse(200, "index.html", evidence=self._single_page, fallback=True)
        return response

    def served(self, path: str) -> HostResponse:
        """A rewrite to another spelling of a path redirects there."""
        return self.static.answer(path)


def _lines(ignored: Ignored) -> Iterator[Route]:
    """The rules of a `_redirects` file: from, to, status; the host takes so many and no more."""
    static = dynamic = 0
    seen = set()
    for number, raw in enumerate(ignored.file.content.decode(errors="replace").split("\n"), 1):
        line, where = raw.strip(), f"{ignored.file.path} line {number}"
        if not line or line.startswith("#"):
            continue
        found = _route(line, where)
        if isinstance(found, str):
            ignored.add(where, found)
        elif found.pattern in seen:
            ignored.add(where, "a rule above it has the same path")
        elif (dynamic if found.pattern.expression else static) >= (
            _MAX_DYNAMIC if found.pattern.expression else _MAX_STATIC
        ):
            ignored.add(where, f"the host takes {_MAX_STATIC:,} static rules and {_MAX_DYNAMIC} with placeholders")
        else:
            seen.add(found.pattern)
            dynamic += bool(found.pattern.expression)
            static += not found.pattern.expression
            yield found


def _route(line: str, where: str) -> Route | str:
    """The rule, or why the host does not take it."""
    words = line.split()
    if len(line) > _MAX_LINE or len(words) not in {2, 3}:
        return f"a rule has two or three words (from, to, status), and at most {_MAX_LINE:,} characters"
    source, target = words[:2]
    status = words[2] if len(words) == 3 else "302"
    if status not in _STATUSES:
        return "its status is none that this host takes"
    if not source.startswith("/") or not target.startswith(_TARGETS[status == "200"]):
        return "its path does not start with /, or its target is no path of this site and, where it redirects, no URL"
    if _ENDLESS_SOURCE.match(source) and _ENDLESS_TARGET.match(target):
        return "it would lead back to itself without end"
    pattern = placeholders(source, everywhere=True)
    return Route(pattern, target, int(status), where) if pattern else "its path is no pattern that this host takes"
