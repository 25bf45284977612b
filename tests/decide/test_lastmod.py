"""Dates of entries by the sources of `output.lastmod`, in order."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

import pytest

from sitemap_action.config.schema import Lastmod, OutputConfig
from sitemap_action.decide.entries import EntryDates
from sitemap_action.model.page import Facts, Page, PageDate, PageKind
from sitemap_action.model.site import Content, Role
from sitemap_action.model.sitemap import Entry
from sitemap_action.model.source import SourceDates

SITE = "https://www.example.com/"
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
GIT = SourceDates({"/a": "2026-01-05T10:00:00+02:00"})


class OfPages:
    """A site of these pages."""

    def __init__(self, pages: Iterable[Page]) -> None:
        self._pages = list(pages)

    def pages(self) -> Iterator[Page]:
        return iter(self._pages)

    def page(self, url: str) -> Page | None:
        return next((page for page in self._pages if page.url == url), None)

    def entries(self, role: Role) -> Iterator[tuple[str, Entry]]:
        return iter(())

    def contents(self) -> Iterator[tuple[str, Content]]:
        return iter(())


def page(*dates: tuple[str, str], url: str = "a", fingerprint: str = "f") -> Page:
    facts = Facts(dates=tuple(PageDate(*one) for one in dates), fingerprint=fingerprint)
    return Page(f"{SITE}{url}", PageKind.PAGE, 200, facts=facts)


def others(*days: int) -> list[Page]:
    stamps = [f"Mon, {day:02} Mar 2026 10:00:00 GMT" for day in days]
    return [page(("last-modified", stamp), url=f"{number}") for number, stamp in enumerate(stamps)]


def date(found: Page, *sources: str, committed: str = "", previous: Content | None = None, git: SourceDates = GIT, rest: Iterable[Page] = (), day_only: bool = False) -> str:  # fmt: skip
    output = OutputConfig(lastmod=tuple(map(Lastmod, sources)), date_only=day_only)
    return EntryDates(OfPages([found, *rest]), output, git, NOW).find_date(found, committed, previous)


META = ("article:modified_time", "2026-02-01T08:00:00Z")
LD = ("dateModified", "2026-03-01")
TIME = ("time", "2026-04-01")
HEADER = ("last-modified", "Sun, 01 Feb 2026 10:00:00 GMT")
SAME, OTHER = Content("f", "2025-01-01", ""), Content("other", "2025-01-01", "")

ROWS: list[tuple[str, Page, tuple[str, ...], dict[str, object], str]] = [
    ("git", page(), ("git",), {}, "2026-01-05T10:00:00+02:00"),
    ("git, every spelling", page(url="a/"), ("git",), {}, "2026-01-05T10:00:00+02:00"),
    ("git, no source", page(url="b"), ("git",), {"committed": "2020-01-01"}, ""),
    ("git, no history", page(), ("git",), {"committed": "2020-01-01", "git": SourceDates(refused=True)}, "2020-01-01"),
    ("git, a query", page(url="a?b=1"), ("git",), {}, ""),
    ("git, in the future", page(), ("git",), {"git": SourceDates({"/a": "2026-06-03T00:00:00Z"})}, ""),
    ("git, of 1970", page(), ("git",), {"git": SourceDates({"/a": "1970-01-01T00:00:00Z"})}, ""),
    ("git, then committed", page(url="b"), ("git", "keep"), {"committed": "2020-01-01"}, "2020-01-01"),
    ("the first that has one", page(LD, url="b"), ("git", "page"), {}, "2026-03-01"),
    ("omit ends the list", page(LD), ("omit", "page"), {}, ""),
    ("day only", page(), ("git",), {"day_only": True}, "2026-01-05"),
    ("page, meta", page(META), ("page",), {}, "2026-02-01T08:00:00Z"),
    ("page, the newest of both", page(META, LD), ("page",), {}, "2026-03-01"),
    ("page, metadata before time", page(META, TIME), ("page",), {}, "2026-02-01T08:00:00Z"),
    ("page, one time", page(TIME), ("page",), {}, "2026-04-01"),
    ("page, two times", page(TIME, ("time", "2026-04-02")), ("page",), {}, ""),
    ("page, one time twice", page(TIME, TIME), ("page",), {}, "2026-04-01"),
    ("page, no date", page(("time", "yesterday"), ("dateModified", "soon")), ("page",), {}, ""),
    ("page, no zone", page(("dateModified", "2026-03-01T10:00:00")), ("page",), {}, "2026-03-01"),
    ("page, a space", page(("dateModified", "2026-03-01 10:00:00+01:00")), ("page",), {}, "2026-03-01T10:00:00+01:00"),
    ("page, no colon", page(("dateModified", "2026-03-01T10:00:00+0100")), ("page",), {}, "2026-03-01T10:00:00+01:00"),
    ("page, no seconds", page(("dateModified", "2026-03-01T10:00Z")), ("page",), {}, "2026-03-01T10:00:00Z"),
    ("page, a month", page(("dateModified", "2026-03")), ("page",), {}, ""),
    ("page, in the future", page(("dateModified", "2027-03-01"), META), ("page",), {}, "2026-02-01T08:00:00Z"),
    ("page, of 1980", page(("dateModified", "1980-01-01")), ("page",), {}, ""),
    ("page, not the header", page(HEADER), ("page",), {}, ""),
    ("http", page(HEADER), ("http",), {"rest": others(2)}, "2026-02-01T10:00:00Z"),
    ("http, shared by all", page(HEADER), ("http",), {"rest": [page(HEADER, url="b")]}, ""),
    ("http, a lone page", page(HEADER), ("http",), {}, ""),
    ("http, no date", page(("last-modified", "x")), ("http",), {"rest": others(2, 3)}, ""),
    ("page, stamped", page(META), ("page",), {"rest": [page(META, url=f"{n}") for n in range(19)]}, ""),
    ("page, few on one day", page(META), ("page",), {"rest": [page(META, url=f"{n}") for n in range(18)]}, "2026-02-01T08:00:00Z"),
    ("fingerprint, unchanged", page(), ("fingerprint",), {"previous": SAME, "committed": "2026-05-05"}, "2025-01-01"),
    ("fingerprint, changed", page(), ("fingerprint",), {"previous": OTHER}, "2026-06-01"),
    ("fingerprint, first seen", page(), ("fingerprint",), {}, ""),
    ("fingerprint, first seen, committed", page(), ("fingerprint",), {"committed": "2020-01-01"}, "2020-01-01"),
    ("fingerprint, first seen, then git", page(), ("fingerprint", "git"), {"committed": "2020-01-01"}, "2026-01-05T10:00:00+02:00"),
    ("fingerprint, unchanged, undated", page(), ("fingerprint",), {"previous": Content("f", "", "")}, ""),
    ("fingerprint, of no document", page(fingerprint=""), ("fingerprint",), {"previous": SAME}, "2025-01-01"),
    ("auto, page", page(META), ("auto",), {"previous": OTHER}, "2026-02-01T08:00:00Z"),
    ("auto, fingerprint", page(), ("auto",), {"previous": OTHER}, "2026-06-01"),
    ("auto, git", page(), ("auto",), {}, "2026-01-05T10:00:00+02:00"),
    ("auto, no lone time", page(TIME, url="b"), ("auto",), {}, ""),
    ("auto, no header", page(HEADER, url="b"), ("auto",), {"rest": others(2)}, ""),
    ("auto and page", page(TIME, url="b"), ("auto", "page"), {}, "2026-04-01"),
    ("keep", page(META), ("keep", "page"), {"committed": "2020-01-01"}, "2020-01-01"),
    ("keep, none", page(META), ("keep", "page"), {}, "2026-02-01T08:00:00Z"),
]  # fmt: skip


@pytest.mark.parametrize(("found", "sources", "rest", "expected"), [pytest.param(*row[1:], id=row[0]) for row in ROWS])
def test_the_date_of_an_entry(found: Page, sources: tuple[str, ...], rest: dict[str, object], expected: str) -> None:
    assert date(found, *sources, **rest) == expected  # type: ignore[arg-type]
