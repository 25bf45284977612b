"""Every <lastmod>: valid, plausible, and not the day of the build (SM-40…46)."""

from sitemap_action.checks.base import (
    DESIGN,
    ERROR,
    PROTOCOL,
    SCHEMA,
    SEARCH_CONSOLE,
    WARNING,
    FileCheck,
    FileOptions,
    Report,
    rule,
)
from sitemap_action.model.sitemap import ChildSitemap, Entry
from sitemap_action.sitemap.dates import lastmod_fault
from sitemap_action.sitemap.namespaces import NEWS

_W3C = "W3C NOTE-datetime, https://www.w3.org/TR/NOTE-datetime"
_BING = "Bing Webmaster Blog, on lastmod"

_RULES = (
    rule(
        "SM-40",
        {"date": (ERROR, "lastmod is no W3C datetime"), "empty-lastmod": ERROR},
        summary="A lastmod is a W3C datetime: a date, or a date with time and zone.",
        source=f"{_W3C}; {PROTOCOL}#lastmoddef; {SEARCH_CONSOLE}, Invalid date",
        passes="2005-05-10T17:33:30+08:00",
        fails="10/05/2005, 2005-05-10 17:33:30, 2005-05-10T17:33:30+0800, 2005-02-30",
        tip="Write YYYY-MM-DD or YYYY-MM-DDThh:mm:ss+hh:mm.",
    ),
    rule(
        "SM-41",
        {"date-short": (WARNING, "lastmod is a W3C datetime that the schema does not accept")},
        summary="A lastmod has a format that the schema accepts too: at least a day; a time has seconds.",
        source=f"{_W3C}; {SCHEMA}",
        passes="2005-05-10",
        fails="2005, 2005-05, 2005-05-10T17:33Z",
        tip="Write YYYY-MM-DD or YYYY-MM-DDThh:mm:ss+hh:mm.",
    ),
    rule(
        "SM-42",
        {"date-zone": (ERROR, "lastmod has a format that the schema accepts and W3C datetime does not")},
        summary="A lastmod has no format that only the schema accepts: a time without zone, a day with one, 24:00:00.",
        source=f"{SCHEMA}; {_W3C}",
        passes="2005-05-10T17:33:30Z",
        fails="2005-05-10T17:33:30, 2005-05-10Z",
        tip="Add the zone to a time: Z or +hh:mm.",
    ),
    rule(
        "SM-44",
        {"date-future": (ERROR, "lastmod is in the future")},
        summary="A lastmod is not in the future.",
        source=_BING,
        passes="today",
        fails="2099-01-01",
        tip="Write the date of the last change, or leave lastmod out; check the clock and zone of the build.",
    ),
    rule(
        "SM-45",
        {"date-old": (WARNING, "lastmod is implausibly old")},
        summary="A lastmod is no placeholder: not before 1995, not the first day of an epoch.",
        source=DESIGN,
        passes="2012-01-01",
        fails="1970-01-01",
        tip="Leave lastmod out where the date is not known.",
    ),
    rule(
        "SM-46",
        {"date-stamped": (WARNING, "nearly every lastmod is the day of the build")},
        summary="Lastmod is not the day of the build on nearly every entry (20 or more, 95 %); news excepted.",
        source=f"{_BING}; Google Search Central Blog, June 2023, on lastmod",
        passes="a spread of dates",
        fails="500 URLs, all of today",
        tip="Search engines disregard such dates on the whole site; leave lastmod out or take it from the page.",
    ),
)
_MIN_DATES = 20  # SM-46
_STAMPED_SHARE = 0.95


class DatesCheck(FileCheck):
    rules = _RULES

    def __init__(self, options: FileOptions, report: Report) -> None:
        super().__init__(options, report)
        built = options.built or options.now.date()
        self._built = built.isoformat()

    def on_file_start(self) -> None:
        self._dated = self._stamped = 0
        self._news = NEWS in self.file.namespaces

    def on_entry(self, entry: Entry) -> None:
        lastmod = entry.lastmod
        if lastmod:
            self._dated += 1
            self._stamped += lastmod[:10] == self._built
            code = lastmod_fault(lastmod, self.options.now)
            if code:
                self.report.add(code, entry.loc, entry.line, lastmod)

    def on_child(self, child: ChildSitemap) -> None:
        if child.lastmod and (code := lastmod_fault(child.lastmod, self.options.now)):
            self.report.add(code, child.loc, child.line, child.lastmod)

    def on_file_end(self) -> None:
        if not self._news and self._dated >= _MIN_DATES and self._stamped >= self._dated * _STAMPED_SHARE:
            self.report.add("date-stamped", detail=f"{self._stamped:,} of {self._dated:,} are {self._built}")
