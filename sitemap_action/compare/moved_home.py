"""Pages that redirect to the start page of the site or of a language instead of to a successor (DIFF-09)."""

import re
from collections.abc import Iterable

from sitemap_action.model.outcome import Removed
from sitemap_action.model.site import Reason
from sitemap_action.sitemap.language_codes import LANGUAGES, REGIONS, SCRIPTS

_MANY = 3  # fewer may be pages that the start page does replace
_INDEX = re.compile(r"index\.[a-z]{3,5}\Z")


def moved_home(rows: Iterable[Removed], home: str) -> frozenset[str]:
    """URLs of the rows that are permanent redirects to a start page; none where there are fewer than three."""
    urls = frozenset(
        row.url
        for row in rows
        if row.reason is Reason.MOVED and _is_start(row.redirect_to, home) and not _is_start(row.url, home)
    )
    return urls if len(urls) >= _MANY else frozenset()


def _is_start(url: str, home: str) -> bool:
    """Whether a URL is the start page of the site or of one of its languages, in any spelling."""
    if not url.startswith(home):
        return False
    path = _INDEX.sub("", url[len(home) :].partition("?")[0])
    return not path or _is_language(path.removesuffix("/"))


def _is_language(segment: str) -> bool:
    """`de`, `pt-br`, `zh_Hant`; a longer path is a page."""
    language, _, rest = segment.lower().replace("_", "-").partition("-")
    return language in LANGUAGES and (not rest or rest.upper() in REGIONS or rest.title() in SCRIPTS)
