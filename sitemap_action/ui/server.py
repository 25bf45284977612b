"""Listens on loopback alone until Ctrl-C, and ends a run that is under way as Ctrl-C would."""

import asyncio
import os
import socket
import tempfile
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path

import uvicorn

from sitemap_action.config.types import RuleNames
from sitemap_action.errors import UsageError
from sitemap_action.ui.app import Screen
from sitemap_action.ui.gate import Gate
from sitemap_action.ui.session import Places, Session

_LOOPBACK = "127.0.0.1"
_GRACE = 2  # seconds that answers have when the program ends
_MOST = 100  # connections


class ScreenServer(uvicorn.Server):
    """One session on one port; `session` and `address` are there before it serves."""

    def __init__(self, session: Session, listening: socket.socket) -> None:
        port = listening.getsockname()[1]
        self.session, self._listening = session, listening
        self.gate = Gate(Screen(session, lambda: self.should_exit).app(), port)
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
        session = Session(Places(Path.cwd(), Path(folder)), rules, flags)
        server = ScreenServer(session, listening)
        log(f"open {server.address}")
        log("the address is a key to this program: keep it to yourself. Ctrl-C ends it")
        if browse:
            address = server.origin + server.gate.path_once()
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()  # some wait for their end
        asyncio.run(server.run_session())
