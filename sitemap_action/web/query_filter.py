"""Filters the query parameters that are part of a page's URL (URL-23, URL-24)."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from urllib.parse import unquote_plus


def filter_query(query: str, allow: Sequence[str] | None, drop: Sequence[str]) -> str:
    """The query with the allowed parameters alone, unchanged and in order; `allow` None allows all, () none.

    Names are compared decoded and case-sensitively; `*` in a pattern matches any run of characters.
    """
    parameters = query.split("&") if query else []
    return "&".join(parameter for parameter in parameters if _is_allowed(parameter, allow, drop))


def _is_allowed(parameter: str, allow: Sequence[str] | None, drop: Sequence[str]) -> bool:
    name = unquote_plus(parameter.partition("=")[0])
    if any(fnmatchcase(name, pattern) for pattern in drop):
        return False
    return allow is None or any(fnmatchcase(name, pattern) for pattern in allow)
