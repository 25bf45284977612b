"""Time as the policies see it, replaceable in tests."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Clock:
    monotonic: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = _now  # compared with the dates of Retry-After
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
