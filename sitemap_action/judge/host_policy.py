"""Directives that a preview host sends with every page, so that they are not the site's (ENV-03)."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sitemap_action.html import directives
from sitemap_action.model.page import Directive, Page, PageKind

_SHARE = 95  # percent of the pages
_KINDS = frozenset({PageKind.PAGE, PageKind.FILE})


@dataclass(frozen=True, slots=True)
class HostPolicy:
    """Directives of the host; empty when there are none."""

    directives: frozenset[Directive] = frozenset()
    note: str = ""  # for the report


def find_host_policy(
    pages: Iterable[Page], start: str, probed: Sequence[Directive], agents: Sequence[str]
) -> HostPolicy:
    """Noindex directives that the response to a random path, the start page and 95 % of all pages have.

    `probed`: directives of the response to a random path, whatever its status. A directive of some pages alone is the
    site's, and counts.
    """
    candidates = frozenset(one for one in probed if directives.decide((one,), agents).noindex)
    if not candidates:
        return HostPolicy()
    counts: Counter[Directive] = Counter()
    pages_read = 0
    on_start_page: frozenset[Directive] = frozenset()
    for page in pages:
        if page.kind in _KINDS and page.facts is not None and not page.twin:
            on_page = candidates.intersection(page.facts.directives)
            counts.update(on_page)
            pages_read += 1
            if page.url == start:
                on_start_page = on_page
    shared = frozenset(one for one in on_start_page if counts[one] * 100 >= pages_read * _SHARE)
    return HostPolicy(shared, _note(shared, counts, pages_read) if shared else "")


def _note(shared: frozenset[Directive], counts: Counter[Directive], pages_read: int) -> str:
    names = ", ".join(sorted(map(directives.source_text, shared)))
    least = min(counts[one] for one in shared)
    where = f"every one of {pages_read:,} pages" if least == pages_read else f"{least:,} of {pages_read:,} pages"
    return f"{names} is on {where} and on a URL that does not exist: treated as policy of the preview host (ENV-03)"
