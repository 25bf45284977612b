"""The fields of a committed entry that the generated one keeps: those that are valid (R-09, R-21)."""

from datetime import datetime

from sitemap_action.model.sitemap import Entry
from sitemap_action.sitemap.dates import lastmod_fault, normal_date
from sitemap_action.sitemap.hints import FREQUENCIES, is_priority


class CarriedOver:
    """Leaves out what makes a sitemap invalid; the comparison has a row for each field that goes."""

    def __init__(self, now: datetime) -> None:
        self._now = now
        self._today = now.date().isoformat()

    def entry(self, entry: Entry) -> Entry:
        lastmod = self.lastmod(entry.lastmod)
        changefreq, priority = self.hints(entry)
        if (lastmod, changefreq, priority) == (entry.lastmod, entry.changefreq, entry.priority):
            return entry
        return entry._replace(lastmod=lastmod, changefreq=changefreq, priority=priority)

    def lastmod(self, text: str) -> str:
        """A date that is read, and is not after the run (SM-40, SM-44)."""
        if not normal_date(text):
            return ""
        return "" if text > self._today and lastmod_fault(text, self._now) == "date-future" else text

    def hints(self, entry: Entry) -> tuple[str, str]:
        return (
            entry.changefreq if entry.changefreq in FREQUENCIES else "",
            entry.priority if entry.priority and is_priority(entry.priority) else "",
        )
