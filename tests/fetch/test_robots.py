"""robots.txt over HTTP: redirects, statuses, sizes, and a real server on loopback."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest

from sitemap_action.__main__ import run
from sitemap_action.errors import UnreachableError, UsageError
from sitemap_action.fetch.robots import MAX_BYTES, fetch

RULES = b"User-agent: *\nDisallow: /x\n"


def answering(status: int, body: bytes = b"", location: str = "") -> httpx.MockTransport:
    headers = {"location": location} if location else {}
    return httpx.MockTransport(lambda _request: httpx.Response(status, content=body, headers=headers))


@pytest.mark.parametrize(
    ("transport", "body"),
    [
        (answering(200, RULES), RULES),
        (answering(404, b"<html>"), b""),  # RB-20
        (answering(403), b""),  # RB-20
        (answering(301, location="/robots.txt"), b""),  # RB-19: more than five redirects count as 404
    ],
)
def test_RB_19_RB_20_there_are_rules_or_none(transport: httpx.MockTransport, body: bytes) -> None:
    assert fetch("https://x.com/some/page", transport=transport) == body


@pytest.mark.parametrize("status", [429, 500, 503])
def test_RB_21_unreachable(status: int) -> None:
    with pytest.raises(UnreachableError, match=f"answers {status}") as caught:
        fetch("https://x.com/", transport=answering(status))
    assert caught.value.exit_code == 3


def test_RB_21_no_answer_at_all() -> None:
    def broken(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectTimeout("too slow", request=request)

    with pytest.raises(UnreachableError, match="ConnectTimeout"):
        fetch("https://x.com/", transport=httpx.MockTransport(broken))


def test_RB_19_five_redirects_are_followed() -> None:
    def hops(request: httpx.Request) -> httpx.Response:
        count = len(request.url.path.split("r")) - 2
        if count >= 5:
            return httpx.Response(200, content=RULES)
        return httpx.Response(302, headers={"location": request.url.path + "r"})

    assert fetch("https://x.com/", transport=httpx.MockTransport(hops)) == RULES


def test_RB_18_a_body_without_end_is_cut() -> None:
    def endless() -> Iterator[bytes]:
        while True:
            yield b"#" * 65536

    transport = httpx.MockTransport(lambda _request: httpx.Response(200, content=endless()))
    assert MAX_BYTES < len(fetch("https://x.com/", transport=transport)) < 2 * MAX_BYTES


def test_a_password_is_refused_and_not_shown() -> None:
    with pytest.raises(UsageError, match="carries a user name") as caught:
        fetch("https://user:secret@x.com/")
    assert "secret" not in str(caught.value)


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        assert self.headers["user-agent"].startswith("sitemap-action/")
        self.send_response(200 if self.path == "/robots.txt" else 404)
        self.end_headers()
        self.wfile.write(RULES)

    def log_message(self, *_arguments: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{serving.server_port}"
        serving.shutdown()


def test_the_command_on_a_real_server(server: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["robots", f"{server}/any/page", "--agent", "Googlebot", f"{server}/x", f"{server}/y"]) == 1
    printed = capsys.readouterr().out
    assert f"disallowed  {server}/x" in printed
    assert f"allowed     {server}/y" in printed
