"""The values that <changefreq> and <priority> may have (SM-48, SM-49)."""

import re

FREQUENCIES = ("always", "hourly", "daily", "weekly", "monthly", "yearly", "never")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]{1,50}(?:\.[0-9]{0,50})?|\.[0-9]{1,50})")


def is_priority(text: str) -> bool:
    return _DECIMAL.fullmatch(text) is not None and 0 <= float(text) <= 1
