"""A signal ends a look cleanly; a second one ends the process as it always would (exit 130, 143)."""

import asyncio
import os
import signal
import sys
import threading

import pytest

from sitemap_action.crawl.signals import cancel_on_signal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals that a process may send itself")


def kill(number: int) -> None:
    os.kill(os.getpid(), number)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_cancels_the_task(number: int) -> None:
    async def story() -> tuple[int, bool]:
        task = asyncio.create_task(asyncio.sleep(60))
        with cancel_on_signal(task) as stop:
            await asyncio.sleep(0)
            kill(number)
            await asyncio.wait([task])
        return stop.signal, task.cancelled()

    before = signal.getsignal(number)
    assert asyncio.run(story()) == (number, True)
    assert signal.getsignal(number) == before


def test_after_the_first_signal_the_next_is_anybody_s() -> None:
    told: list[int] = []

    async def story() -> None:
        signal.signal(signal.SIGTERM, lambda number, _frame: told.append(number))
        task = asyncio.create_task(asyncio.sleep(60))
        with cancel_on_signal(task):
            await asyncio.sleep(0)
            kill(signal.SIGTERM)
            kill(signal.SIGTERM)
            await asyncio.wait([task])

    before = signal.getsignal(signal.SIGTERM)
    try:
        asyncio.run(story())
    finally:
        signal.signal(signal.SIGTERM, before)
    assert told == [signal.SIGTERM]


def test_no_signal_no_trace() -> None:
    async def story() -> int:
        task = asyncio.create_task(asyncio.sleep(0))
        with cancel_on_signal(task) as stop:
            await task
        return stop.signal

    before = signal.getsignal(signal.SIGTERM)
    assert asyncio.run(story()) == 0
    assert signal.getsignal(signal.SIGTERM) == before


def test_in_another_thread_signals_go_elsewhere() -> None:
    found: list[int] = []

    async def story() -> None:
        task = asyncio.create_task(asyncio.sleep(0))
        with cancel_on_signal(task) as stop:
            await task
        found.append(stop.signal)

    thread = threading.Thread(target=lambda: asyncio.run(story()))
    thread.start()
    thread.join()
    assert found == [0]
