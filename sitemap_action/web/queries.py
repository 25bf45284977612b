"""Which parameters of a query belong to a page's URL (URL-23, URL-24)."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from urllib.parse import unquote_plus


def kept(query: str, allow: Sequence[str] | None, drop: Sequence[str]) -> str:
    """What is left of a query, byte for byte and in its order; `allow` None keeps all, () none.

    Names are compared decoded and with case; `*` in a pattern stands for any run of characters.
    """
    parameters = query.split("&") if query else []
    return "&".join(parameter for parameter in parameters if _belongs(parameter, allow, drop))


def _belongs(parameter: str, allow: Sequence[str] | None, drop: Sequence[str]) -> bool:
    name = unquote_plus(parameter.partition("=")[0])
    if any(fnmatchcase(name, pattern) for pattern in drop):
        return False
    return allow is None or any(fnmatchcase(name, pattern) for pattern in allow)
