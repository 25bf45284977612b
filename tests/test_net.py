"""The net: recorded command lines do what they did, to the byte (tests/net/replay.py says what a recording holds).

What changes on purpose is written with `SITEMAP_ACTION_UPDATE_NET=1 pytest tests/test_net.py`, and reviewed as a diff.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

NET = Path(__file__).parent / "net"
UPDATE = ["--update"] if os.environ.get("SITEMAP_ACTION_UPDATE_NET") else []


@pytest.mark.rows_apart
@pytest.mark.parametrize("file", sorted(NET.glob("*.json")), ids=lambda file: file.stem)
def test_recordings(file: Path) -> None:
    command = [sys.executable, str(NET / "replay.py"), *UPDATE, str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
