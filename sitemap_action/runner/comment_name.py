"""The input `comment-id`: the name of a comment, by which later runs find it."""

import re

from sitemap_action.errors import UsageError
from sitemap_action.web.printable import printable

_NAME = re.compile(r"[A-Za-z0-9_.-]{1,50}")
_SHOWN = 60  # characters


def comment_name(text: str) -> str:
    """Raises UsageError for what could end the HTML comment that has the name."""
    if not _NAME.fullmatch(text):
        hint = "use 1 to 50 of the characters A-Z a-z 0-9 _ . and -"
        raise UsageError(f"input comment-id: `{printable(text[:_SHOWN])}` is no name of a comment", hint=hint)
    return text
