"""Filters the query parameters that are part of a page's URL (URL-23, URL-24)."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from urllib.parse import unquote_plus

from msgspec import Struct


class Query(Struct, frozen=True):
    """Which parameters belong to a URL: `allow` None for all of them (`select.query`, `select.drop-params`)."""

    allow: tuple[str, ...] | None = None
    drop: tuple[str, ...] = ()

    def clean(self, url: str) -> str:
        """URL-23, URL-24: the URL without parameters that do not make a page of their own."""
        path, question, query = url.partition("?")
        if not question or (self.allow is None and not self.drop):
            return url
        query = filter_query(query, self.allow, self.drop)
        return f"{path}?{query}" if query else path


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
