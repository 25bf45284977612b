"""Which file Cloudflare's asset servers show for a path, and to which other spelling of it they redirect.

The steps are those of its own code: `asset-server/handler.ts` of @cloudflare/pages-shared, and `html-handling` of
@cloudflare/workers-shared.
"""

from collections.abc import Container, Iterable
from itertools import chain
from typing import NamedTuple
from urllib.parse import quote, unquote_to_bytes

from sitemap_action.hosts.base import HostResponse
from sitemap_action.hosts.page_spellings import encoded_path
from sitemap_action.hosts.routes import location


class Step(NamedTuple):
    """Where the stem with `file` is a file, it is shown, or the stem with `to` is where the path redirects."""

    file: str | None  # None: whether or not there is a file
    to: str | None = None
    free: bool = False  # not where the target is a file itself


class Handling(NamedTuple):
    """How paths become files: the steps of the first ending that a path has, then those of every path."""

    status: int
    endings: tuple[tuple[str, tuple[Step, ...]], ...]
    rest: tuple[Step, ...]
    proven: bool = True  # a redirect leads to the same file
    strict: bool = True  # each segment of a path is encoded as encodeURIComponent does, or it redirects


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
    proven=False,
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


class _Asset(NamedTuple):
    """The file to show, or the decoded path to go to."""

    file: str = ""
    to: str = ""


class AssetHost:
    """Implements `Host`."""

    def __init__(self, files: Container[str], handling: Handling) -> None:
        self.files = files
        self.handling = handling

    def address(self, path: str, /) -> str:
        """Where the path of the file itself leads to."""
        found = self._asset(f"/{path}")
        return self._encoded(found.to if found and found.to else f"/{path}")

    def preferring(self, _url_paths: Iterable[str], /) -> "AssetHost":
        return self

    def answer(self, url_path: str, /) -> HostResponse:
        path = "/".join(_decoded(segment) for segment in url_path.split("/"))
        found = self._asset(path)
        if found is None:
            return HostResponse(404)
        if not self.handling.strict:
            return HostResponse(308, location=location(found.to)) if found.to else HostResponse(200, found.file)
        to = self._encoded(found.to or path)
        return HostResponse(307, location=to) if found.to or to != url_path else HostResponse(200, found.file)

    def _encoded(self, path: str) -> str:
        return quote(path, safe="/!~*'()") if self.handling.strict else encoded_path(path[1:])

    def _asset(self, path: str, *, final: bool = False) -> _Asset | None:
        """`final`: without redirects."""
        ending, steps = next((one for one in self.handling.endings if path.endswith(one[0])), ("", ()))
        own = ((path.removesuffix(ending), step) for step in steps)
        for stem, step in chain(own, ((path, step) for step in self.handling.rest)):
            name = path if step.file is None else f"{stem}{step.file}"
            if step.file is not None and name[1:] not in self.files:
                continue
            to = path if step.to is None else f"{stem}{step.to}" or "/"
            if to == path:
                return _Asset(file=name[1:])
            if not final and self._leads(step, to, name):
                return _Asset(to=to)
        return None

    def _leads(self, step: Step, to: str, name: str) -> bool:
        if self.handling.proven:
            return to[1:] not in self.files and self._asset(to, final=True) == _Asset(file=name[1:])
        return not step.free or to[1:] not in self.files


def _decoded(segment: str) -> str:
    """As decodeURIComponent does; what is not UTF-8 stays."""
    try:
        return unquote_to_bytes(segment).decode()
    except UnicodeDecodeError:
        return segment
