"""Dates that a page states about itself, in metadata, JSON-LD, <time> and headers (DIFF-33, DIFF-34)."""

from collections.abc import Iterable, Iterator, Sequence

from turbohtml import Element

from sitemap_action.html.json_ld import page_objects, plain
from sitemap_action.html.meta_tags import MetaTag
from sitemap_action.model.page import PageDate
from sitemap_action.web.headers import Headers, header_values

MAX_DATES = 32  # a page with more dates is a list of other things
_MAX_LENGTH = 100  # characters
LAST_MODIFIED = "last-modified"
_META_KEYS = {"article:modified_time": "article:modified_time", "datemodified": "dateModified"}


def stated_dates(
    metas: Iterable[MetaTag], times: Sequence[Element], json_ld: Sequence[str], headers: Headers
) -> tuple[PageDate, ...]:
    """In order of trust: metadata, JSON-LD, <time>, header; each once."""
    found = [(_META_KEYS[meta.key], meta.content) for meta in metas if meta.key in _META_KEYS]
    if json_ld:
        found += [("dateModified", date) for date in _json_ld_dates(json_ld)]
    if times:
        found += map(_time_date, times[:MAX_DATES])
    dates = [PageDate(source, value[:_MAX_LENGTH]) for source, value in found if value]
    return tuple(dict.fromkeys((*dates, *header_dates(headers))))[:MAX_DATES]


def header_dates(headers: Headers) -> list[PageDate]:
    values = header_values(headers, LAST_MODIFIED)
    return [PageDate(LAST_MODIFIED, value[:_MAX_LENGTH]) for value in values if value]


def _json_ld_dates(blocks: Iterable[str]) -> Iterator[str]:
    """Every `dateModified` of the page itself, not of the pages that it lists."""
    for value in page_objects(blocks, "dateModified"):
        date = value.get("dateModified")
        if isinstance(date, str) and date.strip():
            yield plain(date[:_MAX_LENGTH])


def _time_date(time: Element) -> tuple[str, str]:
    modified = "dateModified" in (time.attr("itemprop") or "").split()
    value = time.attr("datetime")
    return "dateModified" if modified else "time", (time.text if value is None else value).strip()
