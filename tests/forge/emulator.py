"""A second opinion on the REST part: npm's `emulate`, written by others, with the repository octocat/site.

Unlike GitHub it takes any token and a second pull request of the same branch, and has neither GraphQL nor git.
"""

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from forge.descriptions import fetched

REPOSITORY, TOKEN = "octocat/site", "ghs_forge"
_SOURCES = Path(__file__).parent / "emulator"
_WAIT = 30.0  # seconds, for a start that takes one


@contextmanager
def emulator() -> Iterator[str]:
    """Its address. The test is skipped without node."""
    program = fetched() / "node_modules/emulate/dist/index.js"
    if (node := shutil.which("node")) is None:
        pytest.skip("node is not installed: it runs the emulator of GitHub's REST API (Debian: nodejs)")
    port = _free_port()
    command = [node, "--require", str(_SOURCES / "loopback.cjs"), str(program), "start"]
    command += ["--service", "github", "--port", str(port), "--seed", str(_SOURCES / "seed.yaml")]
    with TemporaryDirectory(prefix="sitemap-action-emulator-") as folder:
        output = Path(folder) / "output"
        with output.open("wb") as stream:
            process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=stream, stderr=stream)
        try:
            _wait(process, port, output)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(_WAIT)


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _wait(process: "subprocess.Popen[bytes]", port: int, output: Path) -> None:
    until = time.monotonic() + _WAIT
    while process.poll() is None and time.monotonic() < until:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise AssertionError(f"the emulator did not start:\n{output.read_text()}")
