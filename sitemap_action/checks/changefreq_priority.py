"""<changefreq> and <priority>: valid where present, and ignored by search engines (SM-48…50)."""

from sitemap_action.checks.base import ERROR, GOOGLE, INFO, PROTOCOL, SCHEMA, FileCheck, rule
from sitemap_action.model.sitemap import Entry
from sitemap_action.sitemap.hints import FREQUENCIES, is_priority

_RULES = (
    rule(
        "SM-48",
        {"changefreq": ERROR},
        summary="A changefreq is one of always, hourly, daily, weekly, monthly, yearly, never, in this spelling.",
        source=f"{PROTOCOL}#changefreqdef; {SCHEMA}",
        passes="daily",
        fails="Daily, biweekly, white space around it",
        tip="Write one of the seven words in lower case, or leave changefreq out.",
    ),
    rule(
        "SM-49",
        {"priority": ERROR},
        summary="A priority is a decimal number from 0.0 to 1.0.",
        source=f"{PROTOCOL}#prioritydef; {SCHEMA}",
        passes="0.8",
        fails="1.1, 0,5, 1e-1, nothing",
        tip="Write a number from 0.0 to 1.0 with a point, or leave priority out.",
    ),
    rule(
        "SM-50",
        {"hints": (INFO, "changefreq or priority is given")},
        summary="An entry has neither changefreq nor priority; search engines ignore both.",
        source=f"{GOOGLE}build-sitemap; Bing Webmaster Blog, on lastmod",
        passes="neither is present",
        fails="priority 1.0 on every entry",
        tip="Without them the file is smaller and its diffs are shorter.",
    ),
)


class ChangefreqPriorityCheck(FileCheck):
    """The reader reports white space and empty elements; values are checked here."""

    rules = _RULES

    def on_file_start(self) -> None:
        self._count = 0

    def on_entry(self, entry: Entry) -> None:
        if not (entry.changefreq or entry.priority):
            return
        self._count += 1
        if entry.changefreq and entry.changefreq not in FREQUENCIES:
            self.report.add("changefreq", entry.loc, entry.line, entry.changefreq)
        if entry.priority and not is_priority(entry.priority):
            self.report.add("priority", entry.loc, entry.line, entry.priority)

    def on_file_end(self) -> None:
        if self._count:
            self.report.add("hints", detail=f"on {self._count:,} of {self.totals.entries:,} entries")
