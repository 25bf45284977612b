"""The addresses of the screen: its page, what it asks for, the stream of a run, the files that a run left."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from sitemap_action import __version__
from sitemap_action.config.schema import DEFAULT_CONFIG
from sitemap_action.ui.form import FormProblem, form
from sitemap_action.ui.run_statistics import AT_ONCE, LogRow, RunCounts, Unread
from sitemap_action.ui.session import PastRun, Session

T = TypeVar("T")

KEPT_LINES = 300  # lines of the log that a page shows
_TICK = 0.2  # seconds between two looks at what is new
_SLOWER = 1.0  # seconds between two messages with what only grows longer
_QUIET = 5.0  # seconds after which a stream says that it lives
_MOST_BODY = 64 * 1024  # bytes of a request
# A page of its own that reaches nothing here; its own policy, in the file, says which script may run.
_REPORT_POLICY = "sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox; frame-ancestors 'self'"
_FILE_POLICY = "default-src 'none'; sandbox"
_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}


class StartRequest(Struct, forbid_unknown_fields=True):
    """What the form sends."""

    values: dict[str, str]
    based: bool = False
    fresh: bool = False


class Update(Struct, frozen=True, omit_defaults=True):
    """One message of the stream; what has not changed since the one before is left out."""

    running: bool
    counts: RunCounts | None
    rows: tuple[LogRow, ...]
    missed: int
    runs: list[dict[str, Any]] | None = None
    unread: list[Unread] | None = None


class WebUi:
    """`ending`: whether the program is about to end, so that streams end too."""

    def __init__(self, session: Session, ending: Callable[[], bool]) -> None:
        self._session, self._ending = session, ending

    def app(self) -> Starlette:
        app = Starlette(
            routes=[
                Route("/", self.page),
                Route("/screen.css", self.style),
                Route("/screen.js", self.script),
                Route("/form", self.form),
                Route("/folders", self.folders),
                Route("/events", self.events),
                Route("/start", self.start, methods=["POST"]),
                Route("/stop", self.stop, methods=["POST"]),
                Route("/compare/{old:int}/{new:int}", self.compare),
                Route("/runs/{number:int}/view", self.view),
                Route("/runs/{number:int}/files/{name:path}", self.file),
            ],
            exception_handlers={FormProblem: _problem},
        )
        app.router.redirect_slashes = False  # it knows nothing of the path that all of this lies below
        return app

    async def page(self, _request: Request) -> Response:
        return _read_packaged("sitemap_action.ui", "screen.html")

    async def style(self, _request: Request) -> Response:
        """That of the report, and what the screen adds: both look like one program."""
        return _read_packaged("sitemap_action.reports.html", "report.css", "sitemap_action.ui", "screen.css")

    async def script(self, _request: Request) -> Response:
        return _read_packaged("sitemap_action.ui", "screen.js")

    async def form(self, _request: Request) -> Response:
        base, problem = await asyncio.to_thread(self._session.base)
        return _json(
            {
                "version": __version__,
                "folder": str(self._session.root),
                "config": {"path": DEFAULT_CONFIG, "found": base is not None, "problem": problem},
                "groups": form(),
                "based": form(base) if base is not None else None,
            }
        )

    async def folders(self, request: Request) -> Response:
        try:
            found = await asyncio.to_thread(self._session.folders, request.query_params.get("in", ""))
        except OSError as error:
            return PlainTextResponse(f"{error.strerror}\n", 404)
        return _json(found)

    async def start(self, request: Request) -> Response:
        asked = await _body(request)
        return _json(_hide_places(await self._session.start(asked.values, based=asked.based, fresh=asked.fresh)))

    async def stop(self, _request: Request) -> Response:
        return _json({"stopped": self._session.stop()})

    async def compare(self, request: Request) -> Response:
        old, new = self._run(request.path_params["old"]), self._run(request.path_params["new"])
        if old is None or new is None:
            return _absent()
        return Response(await self._session.compare(old, new), media_type="application/json")

    async def view(self, request: Request) -> Response:
        run = self._run(request.path_params["number"])
        if run is None or "report.html" not in run.files:
            return _absent()
        return _file(run.folder / "report.html", "text/html", _REPORT_POLICY)

    async def file(self, request: Request) -> Response:
        """One of the files that the run has listed, and no other."""
        run, name = self._run(request.path_params["number"]), request.path_params["name"]
        if run is None or name not in run.files:
            return _absent()
        answer = _file(run.folder / name, "application/octet-stream", _FILE_POLICY)
        answer.headers["Content-Disposition"] = f'attachment; filename="{_header_text(Path(name).name)}"'
        return answer

    async def events(self, request: Request) -> Response:
        known = request.headers.get("last-event-id") or request.query_params.get("after", "")
        number = int(known) if known.isascii() and known.isdecimal() and len(known) < 16 else -1
        return StreamingResponse(self._stream(number), media_type="text/event-stream")

    async def _stream(self, number: int) -> AsyncIterator[str]:
        """A message where something is new; `number`: the last line that the page has."""
        yield "retry: 1000\n\n"
        session, sent, quiet, most = self._session, _Sent(), 0.0, KEPT_LINES
        while not self._ending():
            last, rows, missed = session.feed.rows_after(number, most)
            runs, unread = (
                [_hide_places(run) for run in session.runs],
                session.tally.list_unread() if session.tally else [],
            )
            update = Update(
                running=session.running,
                counts=session.tally.counts(session.clock()) if session.tally else None,
                rows=rows,
                missed=missed,
                runs=sent.find_change("runs", runs),
                unread=sent.find_change("unread", unread, patience=_SLOWER if session.running else 0.0),
            )
            turned = sent.find_change("running", [update.running]) is not None
            new = turned or last != number or update.runs is not None or update.unread is not None
            if new or quiet >= (_SLOWER if update.running else _QUIET):
                yield f"id: {last}\ndata: {msgspec.json.encode(update).decode()}\n\n"
                number, quiet, most = last, 0.0, AT_ONCE
            await asyncio.sleep(_TICK)
            quiet += _TICK

    def _run(self, number: int) -> PastRun | None:
        return next((run for run in self._session.runs if run.number == number), None)


class _Sent:
    """What one page was sent last."""

    def __init__(self) -> None:
        self._sent: dict[str, tuple[bytes, float]] = {}

    def find_change(self, name: str, value: list[T], patience: float = 0.0) -> list[T] | None:
        """The state as JSON; None where the page has it, or was sent another one less than `patience` seconds ago."""
        text, now = msgspec.json.encode(value), time.monotonic()
        before, at = self._sent.get(name, (b"", -patience))
        if text == before or now - at < patience:
            return None
        self._sent[name] = (text, now)
        return value


def _hide_places(run: PastRun) -> dict[str, Any]:
    """The text without places of this machine."""
    shown = msgspec.structs.asdict(run)
    del shown["folder"]
    return {**shown, "sitemap": run.sitemap is not None}


async def _body(request: Request) -> StartRequest:
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise FormProblem({"": "the request is not JSON"})
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > _MOST_BODY:
            raise FormProblem({"": f"the form holds more than {_MOST_BODY:,} bytes"})
    try:
        return msgspec.json.decode(body, type=StartRequest)
    except msgspec.MsgspecError as error:
        raise FormProblem({"": f"the request cannot be read: {error}"}) from None


async def _problem(_request: Request, problem: Exception) -> Response:
    return _json({"problems": problem.args[0]}, 422)


def _json(value: object, status: int = 200) -> Response:
    return Response(msgspec.json.encode(value), status, media_type="application/json")


def _absent() -> Response:
    return PlainTextResponse("there is no such file\n", 404)


def _file(path: Path, media: str, policy: str) -> FileResponse:
    return FileResponse(path, media_type=media, headers={"Content-Security-Policy": policy})


def _header_text(name: str) -> str:
    """A name as a header may hold it: what a person, or a sitemap, has named may hold anything."""
    return "".join(one if one.isascii() and (one.isalnum() or one in "._-") else "_" for one in name)


@cache
def _read_packaged(*names: str) -> Response:
    """The text of files of this package, one after the other: room, name, room, name …"""
    parts = [files(room).joinpath(name).read_text("utf-8") for room, name in zip(names[::2], names[1::2], strict=True)]
    return Response("\n".join(parts), media_type=_TYPES[Path(names[-1]).suffix])
