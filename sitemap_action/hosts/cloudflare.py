"""Which file Cloudflare's asset servers show for a path, and to which other spelling of it they redirect.

The steps are those of its own code: `asset-server/handler.ts` of @cloudflare/pages-shared, and `html-handling` of
@cloudflare/workers-shared.
"""

from collections.abc import Container, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from typing import NamedTuple
from urllib.parse import quote, unquote_to_bytes, urlsplit

import re2

from sitemap_action.hosts.base import BuildFiles, ControlFile, HostResponse, PathPattern, Route, ServedBuild
from sitemap_action.hosts.control_files import Table, read_build_file, read_json, read_toml
from sitemap_action.hosts.page_spellings import encoded_path
from sitemap_action.hosts.routes import RouteTable, fill_names, location, read_pattern, rule_path
from sitemap_action.hosts.ruled_host import HeaderTable, RuledHost, read_header_file, rule_words
from sitemap_action.model.lazy_re import lazy_re


class Step(NamedTuple):
    """One attempt: if the stem with `file` is a file, the host serves it, or redirects to the stem with `to`."""

    file: str | None  # None: whether or not there is a file
    to: str | None = None
    free: bool = False  # not where the target is a file itself


class Handling(NamedTuple):
    """How paths become files: the steps of the first ending that a path has, then those of every path."""

    status: int  # of its redirects
    endings: tuple[tuple[str, tuple[Step, ...]], ...]
    rest: tuple[Step, ...]
    # Of Workers: a redirect leads to the same file, and a path whose segments are not encoded as by encodeURIComponent
    # redirects.
    strict: bool = True


_AS_FILE, _INDEX, _HTML = Step(""), Step("/index.html"), Step(".html")
_INDEX_TO_SLASH, _INDEX_TO_BARE = Step("/index.html", "/"), Step("/index.html", "")
_HTML_TO_SLASH, _HTML_TO_BARE = Step(".html", "/"), Step(".html", "")

PAGES = Handling(
    308,
    (
        ("/index/", (Step("/index/index.html"), Step(None, "/"))),
        ("/index.html", (_INDEX_TO_SLASH,)),
        ("/index", (Step("/index"), Step(None, "/"))),
        ("/", (_INDEX, _HTML_TO_BARE)),
        (".html", (Step(".html", "", free=True),)),
    ),
    (_AS_FILE, _HTML, _INDEX_TO_SLASH),
    strict=False,
)
WORKERS = {  # by `html_handling` of the Wrangler configuration
    "auto-trailing-slash": Handling(
        307,
        (
            ("/index", (Step("/index"), _INDEX_TO_SLASH, _HTML_TO_BARE)),
            ("/index.html", (_INDEX_TO_SLASH, _HTML_TO_BARE)),
            ("/", (_INDEX, _HTML_TO_BARE)),
            (".html", (_HTML_TO_BARE, _INDEX_TO_SLASH)),
        ),
        (_AS_FILE, _HTML, _INDEX_TO_SLASH),
    ),
    "force-trailing-slash": Handling(
        307,
        (
            ("/index", (Step("/index"), _INDEX_TO_SLASH, _HTML_TO_SLASH)),
            ("/index.html", (_INDEX_TO_SLASH, _HTML_TO_SLASH)),
            ("/", (_INDEX, _HTML)),
            (".html", (_HTML_TO_SLASH, _HTML, _INDEX_TO_SLASH)),
        ),
        (_AS_FILE, _HTML_TO_SLASH, _INDEX_TO_SLASH),
    ),
    "drop-trailing-slash": Handling(
        307,
        (
            ("/index", (Step("/index"), _HTML_TO_BARE, _INDEX_TO_BARE)),
            ("/index.html", (_INDEX_TO_BARE, _INDEX, _HTML_TO_BARE)),
            ("/", (_HTML_TO_BARE, _INDEX_TO_BARE)),
            (".html", (_HTML_TO_BARE, _INDEX_TO_BARE)),
        ),
        (_AS_FILE, _HTML, _INDEX),
    ),
    "none": Handling(307, (), (_AS_FILE,)),
}


class AssetHost:
    """Implements `Host`."""

    def __init__(self, files: Container[str], handling: Handling) -> None:
        self.files = files
        self.handling = handling

    def address(self, path: str, /) -> str:
        """The URL path to which a request for the file's own path redirects, or that path."""
        _, to = self._find(f"/{path}")
        return self._encode(to or f"/{path}")

    def preferring(self, _url_paths: Iterable[str], /) -> "AssetHost":
        return self

    def answer(self, url_path: str, /) -> HostResponse:
        path = "/".join(_decode(segment) for segment in url_path.split("/"))
        path = _SLASHES.sub("/", path) if self.handling.strict else path
        file, to = self._find(path)
        if not file and not to:
            return HostResponse(404)
        if not self.handling.strict:
            to = to and location(_LEADING.sub("/", to))
            return HostResponse(self.handling.status, location=to) if to else HostResponse(200, file)
        url = self._encode(to or path)
        if not to and url == url_path:
            return HostResponse(200, file)
        return HostResponse(self.handling.status, location=url)

    def _encode(self, path: str) -> str:
        return quote(path, safe="/!~*'()") if self.handling.strict else encoded_path(path[1:])

    def _find(self, path: str, *, final: bool = False) -> tuple[str, str]:
        """The file to show, or the decoded path to go to; "" for each without one. `final`: without redirects."""
        ending, steps = next((one for one in self.handling.endings if path.endswith(one[0])), ("", ()))
        own = ((path.removesuffix(ending), step) for step in steps)
        for stem, step in chain(own, ((path, step) for step in self.handling.rest)):
            name = path if step.file is None else f"{stem}{step.file}"
            if step.file is not None and name[1:] not in self.files:
                continue
            to = path if step.to is None else f"{stem}{step.to}" or "/"
            if to == path:
                return name[1:], ""
            if not final and self._redirects_there(step, to, name):
                return "", to
        return "", ""

    def _redirects_there(self, step: Step, to: str, name: str) -> bool:
        if self.handling.strict:
            return to[1:] not in self.files and self._find(to, final=True) == (name[1:], "")
        return not step.free or to[1:] not in self.files


def _decode(segment: str) -> str:
    """Decodes percent-escapes as decodeURIComponent does; text that is not UTF-8 stays."""
    try:
        return unquote_to_bytes(segment).decode()
    except UnicodeDecodeError:
        return segment


_WRANGLER = ("wrangler.json", "wrangler.jsonc", "wrangler.toml")  # the first that is there counts
_MAX_STATIC, _MAX_DYNAMIC, _MAX_LINE, _MAX_HEADERS = 2_000, 100, 2_000, 100
_STATUSES = frozenset({"200", "301", "302", "303", "307", "308"})
_NO_RULE = f"a rule has two or three words (from, to, status), at most {_MAX_LINE:,} characters, and no URL as path"
_TOO_MANY = (
    f"the host takes {_MAX_STATIC:,} static rules and {_MAX_DYNAMIC} with placeholders, "
    "and all rules below the first of these count as such"
)
_SLASHES = lazy_re("//+")
_LEADING = lazy_re(r"^[/\\\s]+")  # of a redirect of Pages: one slash
_DYNAMIC = lazy_re(r"\*|:[A-Za-z]")
_ENDLESS_TARGET = lazy_re(r"(?!https?:).*/index(?:\.html)?\Z")


def serve_pages(found: BuildFiles) -> ServedBuild:
    """A build on Cloudflare Pages."""
    notes = []
    if folder := found.folder("functions"):
        notes.append(
            f"{folder}/ holds code that may answer in the place of files, and that is not run here: "
            "_redirects and _headers do not apply to what it answers"
        )
    if "_worker.js" in found.files:
        notes.append("_worker.js is code that answers in the place of files, and that is not run here")
    fallback = "" if "404.html" in found.files or "index.html" not in found.files else "the build has no 404.html"
    return _serve(found, PAGES, fallback, notes)


def serve_workers(found: BuildFiles) -> ServedBuild:
    """A build as the static assets of a Cloudflare Worker."""
    wrangler = find_wrangler(found)
    file, settings = (wrangler.path, read_wrangler(wrangler)) if wrangler else ("", Table())
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
    elsewhere = f"{file} has main: a Worker answers where no file does" if settings.get("main") else ""
    single = assets.text("not_found_handling") == "single-page-application"
    return _serve(found, WORKERS[handling], f"{file} has not_found_handling" if single else "", notes, elsewhere)


def find_wrangler(found: BuildFiles) -> ControlFile | None:
    """The configuration of Cloudflare's tool."""
    return next(filter(None, map(found.find, _WRANGLER)), None)


def read_wrangler(file: ControlFile) -> Table:
    return read_toml(file) if file.path.endswith(".toml") else read_json(file, comments=True)


def _serve(found: BuildFiles, handling: Handling, fallback: str, notes: list[str], elsewhere: str = "") -> ServedBuild:
    """`notes`: on code that answers in the place of files."""
    elsewhere = "; ".join(notes) or elsewhere
    site = f"https://{host}" if (host := urlsplit(found.site_url).hostname) else ""
    read = partial(read_pattern, site=site)
    starts = ("/", "https://", "http://")
    read_headers = partial(read_header_file, read=read, replacing=True, limit=_MAX_HEADERS, starts=starts)
    blocks = read_build_file(found, "_headers", notes, read_headers)
    refusal = "" if handling is PAGES else "; the deployment to Workers refuses the file"
    routes = read_build_file(found, "_redirects", notes, lambda one: _lines(one.file, handling, refusal))
    table = RouteTable(routes, fill=_fill_joined if handling.strict else fill_names)
    headers = HeaderTable(blocks, key=site.__add__, fill=fill_names)
    return CloudflareHost(AssetHost(found.files, handling), table, headers, fallback).served_build(notes, elsewhere)


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

    def follow_rewrite(self, path: str) -> HostResponse:
        """A rewrite to another spelling of a path redirects there; of //y.com/x the host takes the path alone."""
        return self.static.answer(urlsplit(path).path)


def _lines(file: ControlFile, handling: Handling, refusal: str) -> Iterator[Route]:
    """The rules of a `_redirects` file: from, to, status; the host takes so many and no more.

    Below the first rule with a placeholder, all rules count as such. `refusal`: what else becomes of a longer file.
    """
    static = dynamic = 0
    seen = set()
    for place, line in file.lines():
        if not (words := rule_words(line)):
            continue
        path = words[0].partition("#")[0].partition("?")[0]
        source = rule_path(path if path.startswith("/") else f"/{path}")
        rule = Route(read_pattern(source) or PathPattern(), words[-1], 0, place, source=words[0])
        if len(line.strip()) > _MAX_LINE or len(words) not in {2, 3} or source.startswith("/https://"):
            yield rule._replace(unserved=_NO_RULE)
            continue
        is_dynamic = bool(dynamic or _DYNAMIC.search(source))
        dynamic, static = dynamic + is_dynamic, static + (not is_dynamic)
        status = words[2] if len(words) == 3 else "302"
        rule = rule._replace(target=words[1], status=int(status) if status in _STATUSES else 0)
        if dynamic > _MAX_DYNAMIC or (not is_dynamic and static > _MAX_STATIC):
            yield rule._replace(unserved=f"{_TOO_MANY}{refusal}")
        elif why := _refusal(rule, source, handling):
            yield rule._replace(unserved=why)
        elif rule.pattern in seen:
            yield rule._replace(unserved="a rule above it has the same path")
        else:
            seen.add(rule.pattern)
            literal = rule.pattern.literal if dynamic else ""
            yield rule._replace(pattern=PathPattern(literal, str(re2.escape(literal)))) if literal else rule


def _fill_joined(target: str, values: Mapping[str, str]) -> str:
    """Workers join slashes of what a rule leads to, from the first rule with a placeholder on."""
    text = fill_names(target, values)
    return text if "://" in text else _SLASHES.sub("/", text)


def _refusal(rule: Route, source: str, handling: Handling) -> str:
    """Why the host does not take a rule, as text; "" where it does."""
    if not rule.target.startswith(("/", "https://")):
        return "its target is neither a path nor an https:// URL"
    if not rule.status:
        return "its status is none that this host takes"
    if rule.status == 200 and not rule.target.startswith("/"):
        return "a rule with status 200 leads to a path of this site"
    ends = ("/", "/*") if handling.endings else ("/*",)  # html_handling: none redirects no index.html
    if source.endswith(ends) and _ENDLESS_TARGET.match(rule.target):
        return "it would lead back to itself without end"
    return "" if rule.pattern != PathPattern() else "its path is no pattern that this host takes"
