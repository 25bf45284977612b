"""Which rel=canonical of a page counts, and the target of those that do (HTML-20…27); no parser is needed to ask."""

import re
from collections.abc import Iterable, Sequence

from sitemap_action.model.page import Canonical

_SCHEME = re.compile(r"[\x00-\x20]*([a-z][a-z0-9+.-]{0,20}):", re.IGNORECASE)
_CONDITIONAL_ATTRIBUTES = ("hreflang", "lang", "media", "type")


def classify_canonical(
    href: str, url: str | None, source: str, *, misplaced: str = "", attributes: Iterable[str] = ()
) -> Canonical:
    """A canonical as written and as resolved (`urls.resolve`), with the first reason why it does not count.

    `misplaced` is why its position is invalid, "" for a valid one; `attributes` are the names beside rel and href.
    """
    condition = "" if misplaced else _condition(attributes)
    ignored = misplaced or condition or _not_a_page(href, url)
    return Canonical(href, url or "", source, ignored, conditional=condition != "")


def canonical_targets(canonicals: Sequence[Canonical]) -> tuple[str, ...]:
    """The canonical URLs of a page: none, one, or several that contradict each other, in document order (HTML-25)."""
    if len(canonicals) < 2:
        return () if not canonicals or canonicals[0].ignored else (canonicals[0].url,)
    return tuple(dict.fromkeys([canonical.url for canonical in canonicals if not canonical.ignored]))


def _condition(attributes: Iterable[str]) -> str:
    """HTML-22: such a link is for some readers only, and no canonical for all."""
    for name in _CONDITIONAL_ATTRIBUTES:
        if name in attributes:
            return f"has {name}"
    return ""


def _not_a_page(href: str, url: str | None) -> str:
    """HTML-27: the href is no page that could be listed."""
    if url is not None:
        return "has a fragment" if "#" in href else ""
    if not href.strip("\t\n\f\r "):
        return "empty href"
    scheme = _SCHEME.match(href)
    if scheme is not None and scheme[1].lower() not in {"http", "https"}:
        return f"{scheme[1].lower()}: URL"
    return "not a valid URL"
