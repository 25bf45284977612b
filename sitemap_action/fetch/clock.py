"""Time as the policies see it, replaceable in tests."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from msgspec import Struct


def _now() -> datetime:
    return datetime.now(UTC)


class Clock(Struct, frozen=True):
    monotonic: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = _now  # compared with the dates of Retry-After
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
