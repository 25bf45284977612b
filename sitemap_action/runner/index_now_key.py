"""The input `index-now-key`: what proves to search engines that a submission comes from the site (IN-02)."""

import re

from sitemap_action.errors import UsageError

_KEY = re.compile(r"[A-Za-z0-9-]{8,128}")


def index_now_key(text: str) -> str:
    """Raises UsageError, which never contains the key."""
    if not _KEY.fullmatch(text):
        hint = "use 8 to 128 of the characters A-Z a-z 0-9 and -, such as those of `openssl rand -hex 16`"
        raise UsageError("input index-now-key: it is no key of IndexNow", hint=hint)
    return text
