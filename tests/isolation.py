"""The two processes of a run, which containers keep apart, on one machine: their streams are the ends of a socket."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress

from children import in_child
from effects import LocalEffects
from sitemap_action.cli.isolate import serve_reader, serve_requests

HEAD = "import os, sys, signal\nfrom sitemap_action.cli.isolate import enter_reader, take_streams\neffects = enter_reader(take_streams())\n"


def serve(there: socket.socket, local: LocalEffects) -> None:
    with suppress(BrokenPipeError), there, there.makefile("rwb") as stream:  # closed with an answer that nobody reads
        serve_requests(stream, local)


def command(program: str) -> list[str]:
    return [sys.executable, "-I", "-u", "-B", "-c", program]


def with_reader(program: str, publish: Callable[[socket.socket], int]) -> tuple[int, int]:
    """The exit codes of a program in the place of the reader, and of its publisher, a process too."""
    here, there = socket.socketpair()
    with subprocess.Popen(command(program), stdin=there, stdout=there) as reader:
        there.close()
        published = in_child(lambda: os._exit(publish(here)))
        here.close()
        return reader.wait(60), published


def in_reader(program: str, local: LocalEffects) -> tuple[int, int]:
    """Run a program that has the effects as `effects`; its exit code, and that of the publisher."""

    def publish(here: socket.socket) -> int:
        with here.makefile("rwb") as stream:
            return serve_reader(stream, local)

    return with_reader(HEAD + program, publish)
