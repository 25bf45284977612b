"""Retry-After: how long a server asks to be left alone (RFC 9110 §10.2.3, NET-05)."""

import math
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from sitemap_action.fetch.base import Response

_MAX_DIGITS = 9  # more seconds than anybody waits; longer numbers are the same


def retry_after(response: Response, now: datetime) -> float | None:
    """Seconds, none of them negative; None where the answer does not say, or says it in no form that is known."""
    value = next((value for name, value in response.headers if name == "retry-after"), "").strip()
    if value.isascii() and value.isdigit():
        return float(value) if len(value) <= _MAX_DIGITS else math.inf
    if not value:
        return None
    try:
        when = parsedate_to_datetime(value)  # reads all three forms of an HTTP-date
    except ValueError:
        return None
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max(0.0, (when - now).total_seconds())
