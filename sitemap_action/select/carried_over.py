"""The fields of a committed entry that the generated one keeps: those that are valid (R-09, R-21)."""

from typing import TYPE_CHECKING

from sitemap_action.model.page import Alternate
from sitemap_action.model.site import Site
from sitemap_action.model.sitemap import Entry
from sitemap_action.select.criteria import SelectPolicy
from sitemap_action.sitemap.dates import lastmod_fault, normal_date
from sitemap_action.sitemap.hints import FREQUENCIES, is_priority

if TYPE_CHECKING:
    from sitemap_action.select.repair import Repair


class CarriedOver:
    """Leaves out what makes a sitemap invalid; the comparison has a row for each field that goes."""

    def __init__(self, site: Site, policy: SelectPolicy) -> None:
        self._now = policy.now
        self._today = policy.now.date().isoformat()
        self._date_only = policy.output.date_only
        self._repair = _repair(site, policy) if policy.repair else None

    def entry(self, key: str, entry: Entry) -> Entry:
        lastmod = self.lastmod(entry.lastmod)
        changefreq, priority = self.hints(entry)
        if self._repair is not None and entry.extensions:
            return Entry(entry.loc, lastmod, changefreq, priority, *self.extensions(key, entry), entry.line)
        if (lastmod, changefreq, priority) == (entry.lastmod, entry.changefreq, entry.priority):
            return entry
        return entry._replace(lastmod=lastmod, changefreq=changefreq, priority=priority)

    def extensions(self, key: str, entry: Entry) -> tuple[tuple[Alternate, ...], tuple[str, ...], tuple[str, ...]]:
        """(alternates, images, extensions) as an `Entry` has them."""
        if self._repair is None or not entry.extensions:
            return entry.alternates, entry.images, entry.extensions
        return self._repair.extensions(key, entry)

    def lastmod(self, text: str) -> str:
        """A date that is read, and is not after the run (SM-40, SM-44)."""
        if not normal_date(text):
            return ""
        if text > self._today and lastmod_fault(text, self._now) == "date-future":
            return ""
        return text[:10] if self._date_only else text

    def hints(self, entry: Entry) -> tuple[str, str]:
        return (
            entry.changefreq if entry.changefreq in FREQUENCIES else "",
            entry.priority if entry.priority and is_priority(entry.priority) else "",
        )


def _repair(site: Site, policy: SelectPolicy) -> "Repair":
    from sitemap_action.select.repair import Repair  # noqa: PLC0415 - few sitemaps are invalid

    return Repair(site, policy.output.urls_per_file)
