"""The entry of a listed page: what the config asks for, and what the committed entry has."""

from typing import TYPE_CHECKING

from sitemap_action.config.writing import Lastmod
from sitemap_action.model.page import Page
from sitemap_action.model.site import Content, Site
from sitemap_action.model.sitemap import Entry
from sitemap_action.select.asked_hints import AskedHints
from sitemap_action.select.carried_over import CarriedOver
from sitemap_action.select.criteria import SelectPolicy

if TYPE_CHECKING:
    from sitemap_action.select.entry_dates import EntryDates

_NO_SOURCE = ((Lastmod.KEEP,), (Lastmod.OMIT,))


class MadeEntries:
    """Makes one entry at a time."""

    def __init__(self, site: Site, policy: SelectPolicy, carried_over: CarriedOver) -> None:
        self._carried_over = carried_over
        self._hints = AskedHints(policy.output, policy.site_url)
        self._omits = policy.output.lastmod == (Lastmod.OMIT,)
        self._dates = _dates(site, policy) if policy.output.lastmod not in _NO_SOURCE else None

    def of(self, page: Page, committed: Entry | None, previous: Content | None) -> Entry:
        """SM-47: without a reliable date there is none."""
        if committed is None:
            lastmod = self._dates.of(page, "", previous) if self._dates is not None else ""
            hints = self._hints.of(page, ("", "")) if self._hints.any else ("", "")
            return Entry(page.url, lastmod, *hints)
        keep = committed.lastmod and not self._omits
        lastmod = self._carried_over.lastmod(committed.lastmod) if keep else ""
        lastmod = self._dates.of(page, lastmod, previous) if self._dates is not None else lastmod
        hints = self._carried_over.hints(committed) if committed.changefreq or committed.priority else ("", "")
        hints = self._hints.of(page, hints) if self._hints.any else hints
        extensions = self._carried_over.extensions(page.url, committed)
        return Entry(page.url, lastmod, hints[0], hints[1], *extensions)


def _dates(site: Site, policy: SelectPolicy) -> "EntryDates":
    from sitemap_action.select.entry_dates import EntryDates  # noqa: PLC0415 - most sitemaps keep their dates

    return EntryDates(site, policy.output, policy.dates, policy.now)
