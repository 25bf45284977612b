"""The net: recorded command lines do what they did, to the byte (tests/net/replay.py says what a recording holds).

What changes on purpose is written with `SITEMAP_ACTION_UPDATE_NET=1 pytest tests/test_net.py`, and reviewed as a diff.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import pytest

NET = Path(__file__).parent / "net"
UPDATE = ["--update"] if os.environ.get("SITEMAP_ACTION_UPDATE_NET") else []


@pytest.fixture(scope="module")
def replay() -> Iterator[Callable[[Path], tuple[int, str]]]:
    """The exit code of a file's recordings, and the differences: in one process, which forks for each file."""
    command = [sys.executable, str(NET / "replay.py"), "--each", *UPDATE]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT, text=True) as process:
        given, shown = process.stdin, process.stdout
        assert given
        assert shown

        def play(file: Path) -> tuple[int, str]:
            given.write(f"{file}\n")
            given.flush()
            lines = [*iter_until_exit(shown)]
            return int(lines.pop().removeprefix("exit ")), "".join(lines)

        yield play


def iter_until_exit(shown: IO[str]) -> Iterator[str]:
    """With that line."""
    for line in shown:
        yield line
        if re.fullmatch(r"exit -?\d+\n", line):
            return


@pytest.mark.parametrize("file", sorted(NET.glob("*.json")), ids=lambda file: file.stem)
def test_recordings(file: Path, replay: Callable[[Path], tuple[int, str]]) -> None:
    code, shown = replay(file)
    assert code == 0, f"{shown}is it meant? run SITEMAP_ACTION_UPDATE_NET=1 pytest tests/test_net.py, and review it"
