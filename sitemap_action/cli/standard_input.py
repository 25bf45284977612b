"""A run that another program has started ends with it: its standard input is a pipe, which that program holds open."""

import os
import signal
import sys
import threading
import time

_GRACE = 0.7  # seconds in which a stopped run ends its browser and its temporary files; nobody is left to read a report


def stop_at_end_of_input() -> None:
    """From now on. A killed program says nothing, but the system closes its end of the pipe."""
    threading.Thread(target=_watch, args=(sys.stdin.fileno(),), daemon=True).start()


def _watch(stream: int) -> None:
    while os.read(stream, 1024):
        pass
    os.kill(os.getpid(), signal.SIGINT)  # as Ctrl-C; on Windows that is the end
    time.sleep(_GRACE)
    if sys.platform != "win32" and os.getpgid(0) == os.getpid():
        os.killpg(0, signal.SIGKILL)  # with the processes that read for it
    os._exit(130)
