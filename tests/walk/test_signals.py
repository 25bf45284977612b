"""The first signal cancels the task; a later one has its usual effect (exit 130, 143)."""

import asyncio
import os
import signal
import sys
import threading

import pytest

from sitemap_action.errors import TOGETHER
from sitemap_action.walk.served_site import cancel_on_signal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals that a process may send itself")


def kill(number: int) -> None:
    os.kill(os.getpid(), number)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_cancels_the_task(number: int) -> None:
    async def scenario() -> tuple[list[int], bool]:
        task = asyncio.create_task(asyncio.sleep(60))
        with cancel_on_signal(task) as received:
            await asyncio.sleep(0)
            kill(number)
            await asyncio.wait([task])
        return received, task.cancelled()

    before = signal.getsignal(number)
    assert asyncio.run(scenario()) == ([number], True)
    assert signal.getsignal(number) == before


@pytest.mark.parametrize(("gap", "expected"), [(0.0, []), (TOGETHER + 0.1, [signal.SIGTERM])])
def test_a_later_signal_goes_to_the_previous_handler(gap: float, expected: list[int]) -> None:
    """And one that comes at the same moment, as `timeout` sends it, goes nowhere."""
    received: list[int] = []

    async def scenario() -> None:
        signal.signal(signal.SIGTERM, lambda number, _frame: received.append(number))
        task = asyncio.create_task(asyncio.sleep(60))
        with cancel_on_signal(task):
            await asyncio.sleep(0)
            kill(signal.SIGTERM)
            await asyncio.sleep(gap)
            kill(signal.SIGTERM)
            await asyncio.wait([task])

    before = signal.getsignal(signal.SIGTERM)
    try:
        asyncio.run(scenario())
    finally:
        signal.signal(signal.SIGTERM, before)
    assert received == expected


def test_handlers_are_restored_without_a_signal() -> None:
    async def scenario() -> list[int]:
        task = asyncio.create_task(asyncio.sleep(0))
        with cancel_on_signal(task) as received:
            await task
        return received

    before = signal.getsignal(signal.SIGTERM)
    assert asyncio.run(scenario()) == []
    assert signal.getsignal(signal.SIGTERM) == before


def test_in_another_thread_no_handler_is_set() -> None:
    found: list[int] = []

    async def scenario() -> None:
        task = asyncio.create_task(asyncio.sleep(0))
        with cancel_on_signal(task) as received:
            await task
        found.extend(received)

    thread = threading.Thread(target=lambda: asyncio.run(scenario()))
    thread.start()
    thread.join()
    assert found == []
