"""The lastmod of an entry, from the sources that `output.lastmod` names, in order (SM-40…47, DIFF-34)."""

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import lru_cache

from sitemap_action.config.schema import Lastmod, OutputConfig
from sitemap_action.html.directives import parse_iso_time
from sitemap_action.model.page import Page, PageDate, PageKind
from sitemap_action.model.site import Content, Site
from sitemap_action.model.source import SourceDates
from sitemap_action.sitemap.dates import format_date, lastmod_fault, later_date, normal_date
from sitemap_action.web.patterns import page_key

_AUTO = (Lastmod.PAGE, Lastmod.FINGERPRINT, Lastmod.GIT)
_MODIFIED = frozenset(("dateModified", "article:modified_time"))
_TIME, _HEADER = "time", "last-modified"
_STAMPED = 0.95  # of the dated pages have one day: it is that of a build (SM-46)
_MANY = 20  # pages that state their dates themselves, before these count as stamped


class EntryDates:
    """Every date that it gives is valid, has a day, and is neither old nor in the future."""

    def __init__(self, site: Site, output: OutputConfig, sources: SourceDates, now: datetime) -> None:
        auto = Lastmod.AUTO in output.lastmod
        expanded = [one for name in output.lastmod for one in (_AUTO if name is Lastmod.AUTO else (name,))]
        order = list(dict.fromkeys(expanded))
        self._order = order[: order.index(Lastmod.OMIT)] if Lastmod.OMIT in order else order
        self._times = Lastmod.PAGE in output.lastmod or not auto  # a lone <time> may be the day of publication
        self._now, self._today, self._date_only = now, now.date().isoformat(), output.date_only
        self._sources = sources.by_page
        # What could not be asked, or has not seen a change yet, takes no date away.
        self._keeps = Lastmod.FINGERPRINT in self._order or (Lastmod.GIT in self._order and sources.refused)
        self._stamped = (
            _stamped_sources(site, self._find_stated_date) if {Lastmod.PAGE, Lastmod.HTTP} & {*order} else frozenset()
        )

    def find_date(self, page: Page, committed: str, previous: Content | None) -> str:
        """`committed`: the date of the entry in the committed sitemap; "" where there is none that can be kept."""
        for source in self._order:
            if source not in self._stamped and (found := self._from(source, page, committed, previous)):
                return found[:10] if self._date_only else found
        return committed if self._keeps else ""

    def _from(self, source: Lastmod, page: Page, committed: str, previous: Content | None) -> str:
        match source:
            case Lastmod.KEEP:
                return committed
            case Lastmod.GIT:
                url = page.url
                key = "" if "?" in url else page_key(url[url.index("/", 8) :])
                return self._reliable(self._sources.get(key, "")) if key else ""
            case Lastmod.PAGE | Lastmod.HTTP:
                return self._find_stated_date(source, page)
            case Lastmod.FINGERPRINT:
                return self._by_content(page, previous)
            case _:
                return ""

    def _by_content(self, page: Page, previous: Content | None) -> str:
        """The day on which the content changed; "" where it is seen for the first time, for it may be old."""
        if previous is None or not previous.fingerprint:
            return ""
        now = page.facts.fingerprint if page.facts is not None else ""
        return self._reliable(previous.lastmod) if now in ("", previous.fingerprint) else self._today

    def _find_stated_date(self, source: Lastmod, page: Page) -> str:
        dates = page.facts.dates if page.facts is not None else ()
        if source is Lastmod.HTTP:
            return self._newest(one for one in dates if one.source == _HEADER)
        if found := self._newest(one for one in dates if one.source in _MODIFIED):
            return found
        times = {self._reliable(_read_page_date(one)) for one in dates if one.source == _TIME} if self._times else ()
        return min(times) if len(times) == 1 else ""

    def _newest(self, dates: Iterator[PageDate]) -> str:
        newest = ""
        for one in dates:
            newest = later_date(newest, self._reliable(_read_page_date(one)))
        return newest

    def _reliable(self, text: str) -> str:
        """The date in the format of the files that are written; "" for one that search engines would not believe."""
        return _believe_date(text, self._now)


def _stamped_sources(site: Site, stated: Callable[[Lastmod, Page], str]) -> frozenset[Lastmod]:
    """Sources that give nearly all pages one day, which is that of a build or of a deployment."""
    days: dict[Lastmod, Counter[str]] = {Lastmod.PAGE: Counter(), Lastmod.HTTP: Counter()}
    for page in site.pages():
        if page.kind is PageKind.PAGE and page.facts is not None and page.facts.dates:
            for source, found in days.items():
                if date := stated(source, page):
                    found[date[:10]] += 1
    least = {Lastmod.PAGE: _MANY, Lastmod.HTTP: 1}
    return frozenset(
        source
        for source, found in days.items()
        if found.total() >= least[source] and max(found.values()) >= _STAMPED * found.total()
    )


@lru_cache(maxsize=4096)
def _believe_date(text: str, now: datetime) -> str:
    date = normal_date(text)
    return date if date and lastmod_fault(date, now) is None else ""


def _read_page_date(stated: PageDate) -> str:
    return _as_date(stated.value, header=stated.source == _HEADER)


@lru_cache(maxsize=4096)
def _as_date(text: str, *, header: bool) -> str:
    """The date as the protocol has it, without a time of day where its zone is not stated; "" for no date."""
    try:
        if header:
            from email.utils import parsedate_to_datetime  # noqa: PLC0415 - few runs take dates from headers

            found = parsedate_to_datetime(text)
        else:
            if date := normal_date(text):
                return date
            found = parse_iso_time(text)
    except (ValueError, TypeError, IndexError, OverflowError):  # what email.utils raises differs between versions
        return ""
    return format_date(found) if found.tzinfo is not None else found.date().isoformat()


def sitemap_date(text: str) -> str:
    """A day, or a time with its zone; of a time without one the day alone; "" for what is no date."""
    if found := normal_date(text):
        return found
    try:
        instant = parse_iso_time(text)
    except ValueError:
        return ""
    if instant.tzinfo is None:
        return instant.date().isoformat()
    return normal_date(instant.replace(microsecond=0).isoformat())
