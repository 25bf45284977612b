"""Listens on loopback alone until Ctrl-C, and ends a run that is under way as Ctrl-C would.

Who may ask: the browser that has the token, and the page of this program in it; all else is refused unread.

The page lies below a path of random letters, and its cookie is bound to that path, for browsers send a cookie to every
port of a host: without the path, another server of this machine would be sent it. Names that lead to loopback (DNS
rebinding) fail at Host, other pages at Origin and Sec-Fetch-Site.
"""

import asyncio
import hmac
import os
import secrets
import socket
import tempfile
import threading
import webbrowser
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qs

import uvicorn
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sitemap_action.config.types import RuleNames
from sitemap_action.errors import UsageError
from sitemap_action.ui.app import WebUi
from sitemap_action.ui.session import Session

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
