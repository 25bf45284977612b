"""Which rel=canonical of a page counts, and what those that count come to (HTML-20…27)."""

import re
from collections.abc import Iterable

from sitemap_action.model.page import Canonical

_SCHEME = re.compile(r"[\x00-\x20]*([a-z][a-z0-9+.-]{0,20}):", re.IGNORECASE)
_CONDITIONS = ("hreflang", "lang", "media", "type")


def judge(href: str, url: str | None, source: str, *, place: str = "", attributes: Iterable[str] = ()) -> Canonical:
    """A canonical as written and as resolved (`urls.resolve`), with the first reason why it does not count.

    `place` says why its place is wrong, "" where it is right; `attributes` are the names beside rel and href.
    """
    ignored = place or _condition(attributes) or _no_page(href, url)
    return Canonical(href, url or "", source, ignored)


def targets(canonicals: Iterable[Canonical]) -> tuple[str, ...]:
    """The verdict over a page: no URL, one, or several that contradict each other, in order of the page (HTML-25)."""
    return tuple(dict.fromkeys([canonical.url for canonical in canonicals if not canonical.ignored]))


def _condition(attributes: Iterable[str]) -> str:
    """HTML-22: such a link names a version for some readers, not the page that stands for all."""
    for name in _CONDITIONS:
        if name in attributes:
            return f"has {name}"
    return ""


def _no_page(href: str, url: str | None) -> str:
    """HTML-27: what is written names no page that could be listed."""
    if url is not None:
        return "has a fragment" if "#" in href else ""
    if not href.strip("\t\n\f\r "):
        return "empty href"
    scheme = _SCHEME.match(href)
    other = scheme is not None and scheme[1].lower() not in {"http", "https"}
    return f"{scheme[1].lower()}: URL" if scheme is not None and other else "not a valid URL"
