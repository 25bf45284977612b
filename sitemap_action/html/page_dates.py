"""Dates that a page states about itself (DIFF-33, DIFF-34)."""

from collections.abc import Iterable, Sequence

from turbohtml import Element

from sitemap_action.html import jsonld
from sitemap_action.html.metas import Meta
from sitemap_action.model.page import PageDate
from sitemap_action.web import headers
from sitemap_action.web.headers import Headers

_MOST = 32  # a page that states more dates says nothing about itself
_LONGEST = 100  # characters
_KEYS = {"article:modified_time": "article:modified_time", "datemodified": "dateModified"}


def stated(metas: Iterable[Meta], times: Sequence[Element], blocks: Sequence[str], of: Headers) -> tuple[PageDate, ...]:
    """In order of trust: metadata, JSON-LD, <time>, header; each once."""
    found = [(_KEYS[meta.key], meta.content) for meta in metas if meta.key in _KEYS]
    if blocks:
        found += [("dateModified", date) for date in jsonld.modified(blocks)]
    if times:
        found += map(_time, times[:_MOST])
    found += [("last-modified", value) for value in headers.header_values(of, "last-modified")]
    dates = dict.fromkeys([PageDate(source, value[:_LONGEST]) for source, value in found if value])
    return tuple(dates)[:_MOST]


def _time(time: Element) -> tuple[str, str]:
    modified = "dateModified" in (time.attr("itemprop") or "").split()
    value = time.attr("datetime")
    return "dateModified" if modified else "time", (time.text if value is None else value).strip()
