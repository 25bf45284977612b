"""Retry-After: how long to send a server no request (RFC 9110 §10.2.3, NET-05)."""

import math
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from sitemap_action.fetch.base import Response

_MAX_DIGITS = 9  # a longer number of seconds is as good as infinite


def retry_after(response: Response, now: datetime) -> float | None:
    """Seconds, never negative; None where the header is missing or has no known form."""
    value = next((value for name, value in response.headers if name == "retry-after"), "").strip()
    if value.isascii() and value.isdigit():
        return float(value) if len(value) <= _MAX_DIGITS else math.inf
    if not value:
        return None
    try:
        date = parsedate_to_datetime(value)  # reads all three forms of an HTTP-date
    except (ValueError, TypeError, IndexError, OverflowError):  # what email.utils raises differs between versions
        return None
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (date - now).total_seconds())
