"""What pages that leave the index together have in common: a line of robots.txt, a directive, a canonical (DIFF-07)."""

from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

from sitemap_action.model.outcome import Removed
from sitemap_action.model.site import DeindexedBy

_MIN_PAGES = 5  # fewer may have the same reason by chance

_PLACES = {
    DeindexedBy.META: "Look for the directive in a template",
    DeindexedBy.HEADER: "Look for the header in the configuration of the server or host",
    DeindexedBy.CANONICAL: "Look for the canonical in a template, or correct the site's address in the generator",
}


class CommonCause(NamedTuple):
    """What happened, as a sentence, and where to look."""

    sentence: str  # hostile text
    place: str  # the remedy, a sentence without its full stop


def common_cause(rows: Sequence[Removed]) -> CommonCause | None:
    """The cause that all of these rows share; None when there are several, or few rows."""
    if len(rows) < _MIN_PAGES or rows[0].by is None or any(row.by is not rows[0].by for row in rows):
        return None
    by, count = rows[0].by, f"{len(rows):,}"
    detail = rows[0].detail if all(row.detail == rows[0].detail for row in rows) else ""
    match by:
        case DeindexedBy.ROBOTS:
            return _by_robots(detail, count) if detail else None
        case DeindexedBy.CANONICAL:
            return _by_canonical(rows, count)
        case _:
            return (
                CommonCause(f"{count} listed pages have {detail.removeprefix('has ')}", _PLACES[by]) if detail else None
            )


def _by_robots(detail: str, count: str) -> CommonCause:
    what, _, rule = detail.partition(": ")
    line = what.removeprefix("robots.txt ").partition(" blocks")[0]
    place = f"See {line} of robots.txt, or set crawl.robots: file:PATH if production has another one"
    return CommonCause(f"{what} from {count} listed pages: {rule}", place)


def _by_canonical(rows: Sequence[Removed], count: str) -> CommonCause | None:
    place = _PLACES[DeindexedBy.CANONICAL]
    target = rows[0].redirect_to
    if target and all(row.redirect_to == target for row in rows):
        return CommonCause(f"{count} listed pages name {target} as their canonical", place)
    difference = _common_difference(rows)
    return CommonCause(f"the canonicals of {count} listed pages have {difference}", place) if difference else None


def _common_difference(rows: Sequence[Removed]) -> str:
    """In what all canonicals differ from their pages, in the same way; "" where there is no such thing."""
    first = _difference(rows[0])
    return first if all(_difference(row) == first for row in rows[1:]) else ""


def _difference(row: Removed) -> str:
    """In what a canonical differs from its page, as text; "" where that is more than one part."""
    page, canonical = _split(row.url), _split(row.redirect_to)
    if page is None or canonical is None:
        return ""
    differing = [
        name for name in ("scheme", "netloc", "path", "query") if getattr(page, name) != getattr(canonical, name)
    ]
    return _describe(differing[0], page, canonical) if len(differing) == 1 else ""


def _describe(part: str, page: SplitResult, canonical: SplitResult) -> str:
    if part == "scheme":
        return f"another scheme: {canonical.scheme} instead of {page.scheme}"
    if part == "netloc":
        return f"another host: {canonical.netloc} instead of {page.netloc}"
    if part == "path":
        return _path_difference(page.path, canonical.path)
    return f"another query: ?{canonical.query}" if canonical.query else "no query"


def _path_difference(page: str, canonical: str) -> str:
    if canonical == f"{page}/":
        return "a final slash"
    if page == f"{canonical}/":
        return "no final slash"
    mine, other = page.split("/"), canonical.split("/")
    while mine and other and mine[-1] == other[-1]:
        mine.pop()
        other.pop()
    before, after = "/".join(mine), "/".join(other)
    return f"another path: {after or '/'} instead of {before or '/'}"


def _split(url: str) -> SplitResult | None:
    try:
        return urlsplit(url)
    except ValueError:
        return None
