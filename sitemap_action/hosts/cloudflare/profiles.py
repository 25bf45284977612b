"""Cloudflare: Pages, and Workers with static assets; `_redirects`, `_headers`, Wrangler's file (HOST-06, HOST-07)."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from msgspec import Struct

from sitemap_action.hosts.base import BuildFiles, ControlFile, HostResponse, ServedBuild
from sitemap_action.hosts.cloudflare.assets import PAGES, WORKERS, AssetHost, Handling
from sitemap_action.hosts.header_rules import HeaderBlock, HeaderSyntax, HeaderTable, read_header_file
from sitemap_action.hosts.routes import Ignored, Route, RouteTable, placeholders
from sitemap_action.hosts.ruled_host import RuledHost
from sitemap_action.hosts.structured import WRANGLER, Table, read_json, read_toml

_MAX_STATIC, _MAX_DYNAMIC, _MAX_LINE, _MAX_HEADERS = 2_000, 100, 1_000, 100
_STATUSES = frozenset({"200", "301", "302", "303", "307", "308"})
_NO_RULE = f"a rule has two or three words (from, to, status), at most {_MAX_LINE:,} characters, and no URL as path"
_TOO_MANY = (
    f"the host takes {_MAX_STATIC:,} static rules and {_MAX_DYNAMIC} with placeholders, "
    "and all rules below the first of these count as such"
)
_COMMENT = re.compile(r"\s+#.*")
_DYNAMIC = re.compile(r"\*|:[A-Za-z]")
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


def _served(found: BuildFiles, handling: Handling, fallback: str, notes: list[str]) -> ServedBuild:
    routes: list[Route] = []
    blocks: tuple[HeaderBlock, ...] = ()
    if (content := found.read("_redirects")) is not None:
        ignored = Ignored(ControlFile("_redirects", content))
        routes += _lines(ignored)
        notes += ignored.notes()
    if (content := found.read("_headers")) is not None:
        file = read_header_file(ControlFile("_headers", content), _headers_of(found.site_url))
        blocks = file.blocks
        notes += file.notes
    host = CloudflareHost(AssetHost(found.files, handling), RouteTable(routes), HeaderTable(blocks), fallback)
    return host.served_build(notes)


def _headers_of(site_url: str) -> HeaderSyntax:
    return HeaderSyntax(removals=True, everywhere=True, limit=_MAX_HEADERS, host=urlsplit(site_url).hostname or "")


class CloudflareHost(RuledHost):
    """Implements `Host`: redirects apply whether or not a file exists."""

    def __init__(self, static: AssetHost, routes: RouteTable, headers: HeaderTable, single_page: str) -> None:
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
    """The rules of a `_redirects` file: from, to, status; the host takes so many and no more.

    Below the first rule with a placeholder, all rules count as such.
    """
    static = dynamic = 0
    seen = set()
    for number, raw in enumerate(ignored.file.content.decode(errors="replace").split("\n"), 1):
        line, where = raw.strip(), f"{ignored.file.path} line {number}"
        if not line or line.startswith("#"):
            continue
        words = _COMMENT.sub("", line).split()
        source = _source(words[0])
        if len(line) > _MAX_LINE or len(words) not in {2, 3} or source.startswith("/https://"):
            ignored.add(where, _NO_RULE)
            continue
        is_dynamic = bool(dynamic or _DYNAMIC.search(source))
        dynamic, static = dynamic + is_dynamic, static + (not is_dynamic)
        if dynamic > _MAX_DYNAMIC or (not is_dynamic and static > _MAX_STATIC):
            ignored.add(where, _TOO_MANY)
            continue
        found = _route(source, words[1], words[2] if len(words) == 3 else "302", where)
        if isinstance(found, str) or source in seen:
            ignored.add(where, found if isinstance(found, str) else "a rule above it has the same path")
            continue
        seen.add(source)
        yield found


def _source(word: str) -> str:
    """A path without query and fragment."""
    path = word.partition("#")[0].partition("?")[0]
    return path if path.startswith("/") else f"/{path}"


def _route(source: str, target: str, status: str, where: str) -> Route | str:
    """The rule, or why the host does not take it."""
    if not target.startswith(("/", "https://")):
        return "its target is neither a path nor an https:// URL"
    if status not in _STATUSES:
        return "its status is none that this host takes"
    if status == "200" and not target.startswith("/"):
        return "a rule with status 200 leads to a path of this site"
    if source.endswith(("/", "/*")) and _ENDLESS_TARGET.match(target):
        return "it would lead back to itself without end"
    pattern = placeholders(source)
    return Route(pattern, target, int(status), where) if pattern else "its path is no pattern that this host takes"
