"""A second opinion on the REST part: npm's `emulate`, written by others, with the repository octocat/site.

Unlike GitHub it takes any token and a second pull request of the same branch, and has neither GraphQL nor git.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from children import free_port, running
from forge.descriptions import fetched

REPOSITORY, TOKEN = "octocat/site", "ghs_forge"
_SOURCES = Path(__file__).parent / "emulator"


@contextmanager
def emulator() -> Iterator[str]:
    """Its address. The test is skipped without node."""
    program = fetched() / "node_modules/emulate/dist/index.js"
    if (node := shutil.which("node")) is None:
        pytest.skip("node is not installed: it runs the emulator of GitHub's REST API (Debian: nodejs)")
    port = free_port()
    command = [node, "--require", str(_SOURCES / "loopback.cjs"), str(program), "start"]
    command += ["--service", "github", "--port", str(port), "--seed", str(_SOURCES / "seed.yaml")]
    with TemporaryDirectory(prefix="sitemap-action-emulator-") as folder:
        place = Path(folder, "emulator")
        place.mkdir()
        with running(command, port, place) as url:
            yield url.removesuffix("/")
