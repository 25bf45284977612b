"""Indexes and the files they list (SM-51, SM-60…64); named sitemaps that are not served (SM-11, 63, RB-31, 32)."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from sitemap_action.checks.base import (
    ERROR,
    GOOGLE,
    PROTOCOL,
    SEARCH_CONSOLE,
    WARNING,
    FileCheck,
    FileOptions,
    Report,
    SiteCheck,
    cases_by_code,
    directory_url,
    live_rule,
    rule,
)
from sitemap_action.checks.severity import NO_CORNERS, Corners
from sitemap_action.model.finding import Needs
from sitemap_action.model.outcome import Diff
from sitemap_action.model.sitemap import BrokenSitemap, ChildSitemap, DocumentKind, Entry
from sitemap_action.sitemap.protocol import MAX_URLS, LatestDate, parse_date
from sitemap_action.web.urls import normal_form

_RULES = (
    rule(
        "SM-51",
        {
            "child-date-old": (ERROR, "the index has an older date for a file than the file's newest entry"),
            "child-date-stamped": (WARNING, "every file in the index is dated today, and no entry in them is"),
        },
        summary="An index dates a file by its last change: not before its newest entry, not by the date of the build.",
        source=f"{PROTOCOL}#sitemapIndexTagDefinitions; {GOOGLE}large-sitemaps",
        passes="a file that did not change keeps its date",
        fails="a date before the newest entry's; every file dated today on each run",
        tip="Use the newest lastmod of the file's entries, or leave it out.",
        needs=Needs.SET,
    ),
    rule(
        "SM-60",
        {"too-many-children": (ERROR, "the index lists more than 50,000 files")},
        summary="An index lists at most 50,000 sitemaps.",
        source=f"{PROTOCOL}#index; {GOOGLE}large-sitemaps",
        passes="50,000 <sitemap>",
        fails="50,001 <sitemap>",
        tip="Make a second index and name both in robots.txt.",
    ),
    rule(
        "SM-61",
        {"index-nested": (ERROR, "an index lists another index")},
        summary="An index lists sitemaps, not indexes.",
        source=f"{SEARCH_CONSOLE}, Incorrect sitemap index format: nested sitemap indexes",
        passes="an index that lists a urlset",
        fails="an index that lists an index",
        tip="List the sitemaps of the inner index in the outer one, or name each index in robots.txt.",
        needs=Needs.SET,
    ),
    rule(
        "SM-62",
        {"child-scope": (ERROR, "a file of the index is on another site, or not below its directory")},
        summary="The files of an index are on its own site, in its directory or below.",
        source=f"{GOOGLE}large-sitemaps; {PROTOCOL}#location",
        passes="/public/a/s.xml in /public/i.xml",
        fails="/s.xml in /public/i.xml",
        tip="Move the index to the root of the site, or the file below the index.",
    ),
    rule(
        "SM-64",
        {"too-many-indexes": (WARNING, "more than 500 indexes")},
        summary="A site has at most 500 indexes; Search Console accepts no more.",
        source=f"{GOOGLE}large-sitemaps",
        passes="1 index",
        fails="501 indexes",
        tip="Merge small sitemaps: one index takes 50,000 of them.",
        needs=Needs.SET,
    ),
)
_MAX_INDEXES = 500
_DAY = timedelta(days=1)


class IndexCheck(FileCheck):
    """An index is compared with the files it lists after the last file."""

    rules = _RULES

    def __init__(self, options: FileOptions, report: Report) -> None:
        super().__init__(options, report)
        self._children: dict[str, tuple[str, ChildSitemap]] = {}  # by URL: path of its index, and itself
        self._files: dict[str, tuple[DocumentKind, datetime | None]] = {}  # by URL: with the latest date of its entries
        self._selves: dict[str, tuple[str, ChildSitemap]] = {}  # that lie in the place of an index of unknown address
        self._indexes = 0

    def on_file_start(self) -> None:
        self._scope = directory_url(self.file.address)
        self._latest = LatestDate()
        if self.file.kind is DocumentKind.INDEX:
            self._indexes += 1
            if not self.file.address:
                self.report.add_without_address("SM-62")

    def on_entry(self, entry: Entry) -> None:
        self._latest.add(entry.lastmod)

    def on_child(self, child: ChildSitemap) -> None:
        url = normal_form(child.loc)
        if not url:
            return
        if not self.file.address and urlsplit(url).path.rpartition("/")[2] == self.file.path.rpartition("/")[2]:
            self._selves.setdefault(url, (self.file.path, child))
        if not url.startswith(self._scope):
            self.report.add("child-scope", child.loc, child.line)
        if len(self._children) < MAX_URLS:
            self._children.setdefault(url, (self.file.path, child))

    def on_file_end(self) -> None:
        if self.file.children > MAX_URLS:
            self.report.add("too-many-children", detail=f"{self.file.children:,}")
        if self.file.address:
            latest = self._latest.parsed
            self._files[self.file.address] = (self.file.kind, latest.instant if latest else None)

    def on_end(self) -> None:
        if self._indexes > _MAX_INDEXES:
            self.report.add("too-many-indexes", detail=str(self._indexes), path="")
        for url, (index, child) in self._selves.items():
            if url not in self._files:  # no other file is at that place: the index lists itself
                self.report.add("index-nested", child.loc, child.line, path=index)
        for url, (index, child) in self._children.items():
            kind, latest = self._files.get(url, (None, None))
            if kind is DocumentKind.INDEX:
                self.report.add("index-nested", child.loc, child.line, path=index)
            date = parse_date(child.lastmod)
            # A day has no hours and no zone.
            if date and latest and date.instant + (_DAY if date.timed else 2 * _DAY) < latest:
                self.report.add("child-date-old", child.loc, child.line, child.lastmod, path=index)
        self._check_stamped()

    def _check_stamped(self) -> None:
        """All of two or more files dated today, although every date in them is older (SM-51)."""
        now = self.options.now
        read = {url: found for url, found in self._children.items() if url in self._files}
        dates = [(parse_date(child.lastmod), self._files[url][1]) for url, (_, child) in read.items()]
        if len(dates) > 1 and all(
            date and abs(now - date.instant) < _DAY and latest and latest < now - 2 * _DAY for date, latest in dates
        ):
            self.report.add("child-date-stamped", path=next(iter(read.values()))[0])


_UNREAD = (
    live_rule(
        "SM-11",
        {"served-otherwise": (WARNING, "a sitemap is not served as one at its own address")},
        summary="A sitemap is served at its own address, without a redirect, as XML, text or gzip.",
        source="Bing, guidance on sitemaps (July 2025); Yandex, dictionary of sitemap errors",
        passes="200 with Content-Type: application/xml",
        fails="200 with Content-Type: text/html; 301 to another address",
        tip="Serve it with Content-Type: application/xml (application/gzip where it is compressed), and name the "
        "address that answers 200.",
    ),
    live_rule(
        "SM-63",
        {"child-broken": (ERROR, "the index lists a URL that does not serve a sitemap")},
        summary="Every file that an index lists answers 200 and can be read.",
        source=f"{SEARCH_CONSOLE}, Couldn't fetch",
        passes="a file that answers 200 with a sitemap",
        fails="a file that answers 404",
        tip="Serve the sitemap again, or take it out of the index: crawlers do not see the URLs that it lists.",
    ),
    live_rule(
        "RB-31",
        {"sitemap-disallowed": (ERROR, "robots.txt disallows a sitemap of the site")},
        summary="robots.txt disallows no sitemap of its site.",
        source=f"{SEARCH_CONSOLE}, Sitemap blocked by robots.txt",
        passes="/sitemap.xml, which every crawler may fetch",
        fails="Disallow: /sitemap",
        tip="Remove the rule, or allow the sitemap by a longer one: Allow: /sitemap.xml.",
    ),
    live_rule(
        "RB-32",
        {"declared-broken": (ERROR, "robots.txt names a URL that does not serve a sitemap")},
        summary="Every Sitemap line of robots.txt names the address at which the sitemap answers 200.",
        source=f"{PROTOCOL}#submit_robots; {SEARCH_CONSOLE}, path mismatch",
        passes="https://www.x.com/sitemap.xml, which answers 200",
        fails="https://x.com/sitemap.xml, which redirects to https://www.x.com/sitemap.xml",
        tip="Write the address that the production host itself uses.",
    ),
)
_NEEDS = "the responses of the production host"
_HINT = "check the site where it is served, by its address"


class BrokenSitemapsCheck(SiteCheck):
    rules = _UNREAD

    def on_end(self, _diff: Diff, /) -> None:
        robots, found = self.options.robots, self.options.found
        broken = found.broken if found.witness is None else found.witness.found.broken
        declared = robots is not None and bool(robots.sitemaps)
        report_broken(self.report, broken, index=self.options.index, declared=declared)


def report_broken(report: Report, broken: Sequence[BrokenSitemap] | None, *, index: bool, declared: bool) -> None:
    """`broken`: None when they were not fetched. `index`, `declared`: whether an index, or robots.txt, names any."""
    if broken is None:
        for rule_id in [*(["RB-31", "RB-32", "SM-11"] if declared else []), *(["SM-63"] if index else [])]:
            report.add_not_checked(rule_id, _NEEDS, _HINT)
        return
    for sitemap in broken:
        code = "declared-broken" if sitemap.declared else "child-broken"
        code = "sitemap-disallowed" if sitemap.disallowed else "served-otherwise" if sitemap.served else code
        report.add(code, sitemap.url, sitemap.line, sitemap.reason, path=sitemap.named_by)


def broken_sitemaps_report(corners: Corners = NO_CORNERS) -> Report:
    """An empty report of these rules, for sitemaps that are read without a site."""
    return Report(cases_by_code(_UNREAD), corners)
