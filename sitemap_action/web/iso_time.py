"""ISO 8601 as every supported version of Python reads it."""

import re
from datetime import datetime

_END_OF_DAY = re.compile(r"[Tt ]24")


def parse_iso_time(text: str) -> datetime:
    """Raises ValueError, also for 24:00, which Python reads since 3.14 as midnight of the next day."""
    if _END_OF_DAY.search(text):
        raise ValueError(f"{text!r} names an hour that no day has")
    return datetime.fromisoformat(text)
