"""Listens on loopback alone until Ctrl-C, and ends a run that is under way as Ctrl-C would.

Who may ask: the browser that has the token, and the page of this program in it; all else is refused unread.

The page lies below a path of random letters, and its cookie is bound to that path, for browsers send a cookie to every
port of a host: without the path, another server of this machine would be sent it. Names that lead to loopback (DNS
rebinding) fail at Host, other pages at Origin and Sec-Fetch-Site.

`WebUi` has the addresses: the page, what it asks for, the stream of a run, the files that a run left.
"""

import asyncio
import hmac
import os
import secrets
import socket
import tempfile
import threading
import time
import webbrowser
from collections.abc import AsyncIterator, Callable, Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qs

import msgspec
import uvicorn
from msgspec import Struct
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sitemap_action import __version__
from sitemap_action.config.schema import DEFAULT_CONFIG
from sitemap_action.config.types import RuleNames
from sitemap_action.errors import UsageError
from sitemap_action.ui.form import FormProblem, form
from sitemap_action.ui.run_statistics import AT_ONCE
from sitemap_action.ui.session import PastRun, Session

T = TypeVar("T")

KEPT_LINES = 300  # lines of the log that a page shows
_TICK = 0.2  # seconds between two looks at what is new
_SLOWER = 1.0  # seconds between two messages with what only grows longer
_QUIET = 5.0  # seconds after which a stream says that it lives
_MOST_BODY = 64 * 1024  # bytes of a request
# A page of its own that reaches nothing here; its own policy, in the file, says which script may run.
_REPORT_POLICY = (
    "sandbox allow-scripts allow-downloads allow-popups allow-popups-to-escape-sandbox; frame-ancestors 'self'"
)
_FILE_POLICY = "default-src 'none'; sandbox"
_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}


class StartRequest(Struct, forbid_unknown_fields=True):
    """What the form sends."""

    values: dict[str, str]
    based: bool = False
    fresh: bool = False


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
        """A message where something is new; `number`: the last line that the page has.

        Of runs and unread pages only what has changed since the message before is sent.
        """
        yield "retry: 1000\n\n"
        session, sent, quiet, most = self._session, _Sent(), 0.0, KEPT_LINES
        while not self._ending():
            last, rows, missed = session.feed.rows_after(number, most)
            runs, unread = (
                [_hide_places(run) for run in session.runs],
                session.tally.list_unread() if session.tally else [],
            )
            running = session.running
            changes = {
                "runs": sent.find_change("runs", runs),
                "unread": sent.find_change("unread", unread, patience=_SLOWER if running else 0.0),
            }
            changed = {name: value for name, value in changes.items() if value is not None}
            turned = sent.find_change("running", [running]) is not None
            if turned or changed or last != number or quiet >= (_SLOWER if running else _QUIET):
                counts = session.tally.counts(session.clock()) if session.tally else None
                update = {"running": running, "counts": counts, "rows": rows, "missed": missed, **changed}
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


_BYTES = 32  # of randomness in a token
_UNSAFE = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_OWN = frozenset({"same-origin", "none"})  # Sec-Fetch-Site of a page of ours, and of an address that was typed
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; frame-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",  # the policy of each page says more
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
_NO_TOKEN = "open the address that sitemap-action ui has printed: this one lacks its token\n"  # noqa: S105 - a sentence


class Gate:
    """ASGI middleware in front of everything."""

    def __init__(self, app: ASGIApp, port: int) -> None:
        self._app = app
        self._hosts = frozenset({f"127.0.0.1:{port}", f"localhost:{port}"})
        self.place = f"/{secrets.token_hex(8)}/"
        self._token = secrets.token_urlsafe(_BYTES)
        self._once = ""
        self._session = secrets.token_urlsafe(_BYTES)

    @property
    def path(self) -> str:
        """Path and query of the address that is printed."""
        return f"{self.place}?token={self._token}"

    def path_once(self) -> str:
        """The path with a token for one use: a browser is started with it, and other users of the machine see how."""
        self._once = secrets.token_urlsafe(_BYTES)
        return f"{self.place}?token={self._once}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return  # no other protocol is spoken
        answer = self._refusal(scope) or self._admission(scope)
        if answer is None:
            scope = {**scope, "path": "/" + scope["path"].removeprefix(self.place), "root_path": ""}
        await (answer or self._app)(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope) -> Response | None:
        hosts, origins = [*_values(scope, b"host")], [*_values(scope, b"origin")]
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return PlainTextResponse("this program answers to its own address alone\n", 421)
        required = scope["method"] in _UNSAFE
        if origins != [f"http://{hosts[0]}"] if origins or required else False:
            return PlainTextResponse("another page may ask for nothing here\n", 403)
        if not _OWN.issuperset(_values(scope, b"sec-fetch-site")):
            return PlainTextResponse("another page may ask for nothing here\n", 403)
        if not scope["path"].startswith(self.place):
            return PlainTextResponse(_NO_TOKEN, 403)
        return None

    def _admission(self, scope: Scope) -> Response | None:
        """None for who has the cookie; the first request gets it for the token."""
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
        if given and scope["path"] == self.place and scope["method"] == "GET":
            return self._enter(given[0])
        cookies = (pair.strip() for value in _values(scope, b"cookie") for pair in value.split(";"))
        if any(_same(cookie, f"session={self._session}") for cookie in cookies):
            return None
        return PlainTextResponse(_NO_TOKEN, 403)

    def _enter(self, token: str) -> Response:
        once = bool(self._once) and _same(token, self._once)
        if not once and not _same(token, self._token):
            return PlainTextResponse(_NO_TOKEN, 403)
        if once:
            self._once = ""
        answer = RedirectResponse(self.place, 303)
        answer.set_cookie("session", self._session, path=self.place, httponly=True, samesite="strict")
        return answer


def _values(scope: Scope, name: bytes) -> Iterator[str]:
    return (value.decode("latin-1") for key, value in scope["headers"] if key == name)


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())


def _with_headers(send: Send) -> Send:
    """What an answer does not set itself is as strict as it can be."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = {key.lower() for key, _ in message["headers"]}
            more = [(k.lower().encode(), v.encode()) for k, v in _HEADERS.items() if k.lower().encode() not in own]
            message = {**message, "headers": [*message["headers"], *more]}
        await send(message)

    return sending


_LOOPBACK = "127.0.0.1"
_GRACE = 2  # seconds that answers have when the program ends
_MOST = 100  # connections


class ScreenServer(uvicorn.Server):
    """One session on one port; `session` and `address` are there before it serves."""

    def __init__(self, session: Session, listening: socket.socket) -> None:
        port = listening.getsockname()[1]
        self.session, self._listening = session, listening
        self.gate = Gate(WebUi(session, lambda: self.should_exit).app(), port)
        self.origin = f"http://{_LOOPBACK}:{port}"
        super().__init__(
            uvicorn.Config(
                self.gate,
                http="h11",
                ws="none",
                loop="asyncio",
                lifespan="off",
                access_log=False,  # the first line of a log would hold the token
                log_config=None,
                proxy_headers=False,
                server_header=False,
                limit_concurrency=_MOST,
                timeout_graceful_shutdown=_GRACE,
            )
        )

    @property
    def address(self) -> str:
        return self.origin + self.gate.path

    async def run_session(self) -> None:
        try:
            await self.serve(sockets=[self._listening])
        finally:
            await self.session.close()


def listen(port: int) -> socket.socket:
    """`port`: 0 for one that is free. Raises UsageError."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if os.name == "posix":  # elsewhere the option would let another program take the port over
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((_LOOPBACK, port))
        listening.listen(_MOST)  # a browser may be faster than what follows
    except OSError as error:
        listening.close()
        hint = "name another one with --port, or leave it out"
        raise UsageError(f"port {port} of {_LOOPBACK} cannot be used: {error.strerror}", hint=hint) from None
    return listening


def serve(port: int, rules: RuleNames, flags: tuple[str, ...], log: Callable[[str], None], *, browse: bool) -> None:
    """Until it is ended; the files of its runs are deleted then."""
    with (
        listen(port) as listening,
        tempfile.TemporaryDirectory(prefix="sitemap-action-ui-", ignore_cleanup_errors=True) as folder,
    ):
        session = Session(Path.cwd(), Path(folder), rules, flags)
        server = ScreenServer(session, listening)
        log(f"open {server.address}")
        log("the address is a key to this program: keep it to yourself. Ctrl-C ends it")
        if browse:
            address = server.origin + server.gate.path_once()
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()  # some wait for their end
        asyncio.run(server.run_session())
