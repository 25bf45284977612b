"""Sitemap indexes and the files they list (SM-51, SM-60…64)."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sitemap_action.checks.base import (
    ERROR,
    GOOGLE,
    PROTOCOL,
    SEARCH_CONSOLE,
    WARNING,
    Check,
    Options,
    Report,
    directory,
    rule,
)
from sitemap_action.model.finding import Needs
from sitemap_action.model.sitemap import Child, DocumentKind, Entry
from sitemap_action.sitemap.dates import LatestDate, parse_date
from sitemap_action.sitemap.limits import MAX_URLS
from sitemap_action.web.urls import BadUrl, normal

_RULES = (
    rule(
        "SM-51",
        {"child-date-old": ERROR, "child-date-stamped": WARNING},
        summary="A lastmod in an index says when that file changed: not before its newest entry, not simply the build.",
        source=f"{PROTOCOL}#sitemapIndexTagDefinitions; {GOOGLE}large-sitemaps",
        passes="a file that did not change keeps its date",
        fails="a date before the newest entry's; every file dated now on each run",
        tip="Use the newest lastmod of the file's entries, or leave it out.",
        needs=Needs.SET,
    ),
    rule(
        "SM-60",
        {"too-many-children": ERROR},
        summary="An index lists at most 50,000 sitemaps.",
        source=f"{PROTOCOL}#index; {GOOGLE}large-sitemaps",
        passes="50,000 <sitemap>",
        fails="50,001 <sitemap>",
    ),
    rule(
        "SM-61",
        {"index-nested": ERROR},
        summary="An index lists sitemaps, not indexes.",
        source=f"{SEARCH_CONSOLE}, Incorrect sitemap index format: nested sitemap indexes",
        passes="an index that lists a urlset",
        fails="an index that lists an index",
        needs=Needs.SET,
    ),
    rule(
        "SM-62",
        {"child-scope": ERROR},
        summary="The files of an index are on its own site, in its directory or below.",
        source=f"{GOOGLE}large-sitemaps; {PROTOCOL}#location",
        passes="/public/a/s.xml in /public/i.xml",
        fails="/s.xml in /public/i.xml",
    ),
    rule(
        "SM-64",
        {"too-many-indexes": WARNING},
        summary="A site has at most 500 indexes; Search Console takes no more.",
        source=f"{GOOGLE}large-sitemaps",
        passes="1 index",
        fails="501 indexes",
        needs=Needs.SET,
    ),
)
_MAX_INDEXES = 500
_DAY = timedelta(days=1)


@dataclass(slots=True)
class _Listed:
    """A child as an index describes it."""

    index: str  # path of that index
    loc: str
    line: int
    lastmod: str


@dataclass(slots=True)
class _File:
    kind: DocumentKind
    newest: datetime | None = None  # of its entries, or of its children


_MESSAGES = {
    "child-date-old": "the index gives a file an older date than the newest entry in it has",
    "child-date-stamped": "every file in the index is dated today, and no entry in them is",
    "too-many-children": "the index lists more than 50,000 files",
    "index-nested": "an index lists another index",
    "child-scope": "a file of the index is on another site, or not below its directory",
    "too-many-indexes": "more than 500 indexes",
}


class Index(Check):
    """What one file of a set says about another is compared when all of them were read."""

    rules = _RULES
    messages = _MESSAGES

    def __init__(self, options: Options, report: Report) -> None:
        super().__init__(options, report)
        self._children: dict[str, _Listed] = {}
        self._files: dict[str, _File] = {}
        self._indexes = 0

    def start(self) -> None:
        self._scope = directory(self.file.address)
        self._newest = LatestDate()
        if self.file.kind is DocumentKind.INDEX:
            self._indexes += 1
            if not self.file.address:
                self.report.not_checked("SM-62", "the sitemap's address on the site", "give --site-url")

    def entry(self, entry: Entry) -> None:
        self._newest.add(entry.lastmod)

    def child(self, child: ChildSitemap) -> None:
        try:
            url = normal(child.loc)
        except BadUrl:
            return
        if not url.startswith(self._scope):
            self.report.add("child-scope", child.loc, child.line)
        if len(self._children) < MAX_URLS:
            self._children.setdefault(url, _Listed(self.file.path, child.loc, child.line, child.lastmod))

    def finish(self) -> None:
        if self.totals.children > MAX_URLS:
            self.report.add("too-many-children", detail=f"{self.totals.children:,}")
        if self.file.address:
            stamped = self._newest.parsed
            self._files[self.file.address] = _File(self.file.kind, stamped.instant if stamped else None)

    def end(self) -> None:
        if self._indexes > _MAX_INDEXES:
            self.report.add("too-many-indexes", detail=str(self._indexes), path="")
        for url, listed in self._children.items():
            file = self._files.get(url)
            if file and file.kind is DocumentKind.INDEX:
                self.report.add("index-nested", listed.loc, listed.line, path=listed.index)
            given = parse_date(listed.lastmod)
            # A day says nothing about its hours or its zone.
            if file and given and file.newest and given.instant + (_DAY if given.timed else 2 * _DAY) < file.newest:
                self.report.add("child-date-old", listed.loc, listed.line, listed.lastmod, path=listed.index)
        self._stamped()

    def _stamped(self) -> None:
        """All of two or more files dated today, although every date in them is older (SM-51)."""
        now = self.options.now
        known = [(one, self._files[url].newest) for url, one in self._children.items() if url in self._files]
        dated = [(parse_date(one.lastmod), newest) for one, newest in known]
        if len(dated) > 1 and all(
            given and abs(now - given.instant) < _DAY and newest and newest < now - 2 * _DAY for given, newest in dated
        ):
            self.report.add("child-date-stamped", path=known[0][0].index)
