"""Who may ask: the browser that has the token, and the page of this program in it; all else is refused unread.

The page lies below a path of random letters, and its cookie is bound to that path, for browsers send a cookie to every
port of a host: without the path, another server of this machine would be sent it. Names that lead to loopback (DNS
rebinding) fail at Host, other pages at Origin and Sec-Fetch-Site.
"""

import hmac
import secrets
from collections.abc import Iterator
from urllib.parse import parse_qs

from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
        """The same for one use: a browser is started with it, and other users of the machine see how."""
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
