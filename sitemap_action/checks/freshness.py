"""Dates of entries beside the dates and the content of their pages (DIFF-30…33)."""

from collections import Counter
from datetime import date, timedelta
from functools import lru_cache

from msgspec import Struct, field

from sitemap_action.checks.base import WARNING, SiteCheck, rule
from sitemap_action.checks.finding_group import GROUP_SIZE
from sitemap_action.model.finding import Needs
from sitemap_action.model.outcome import Diff
from sitemap_action.model.page import PageDate
from sitemap_action.model.site import Content, KnownUrl, Listed, Verdict
from sitemap_action.model.wording import option
from sitemap_action.sitemap.dates import parse_date
from sitemap_action.web.iso_time import parse_iso_time

_GOOGLE = "Google Search Central, https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap"
_RULES = (
    rule(
        "DIFF-30",
        {"date-backwards": (WARNING, "lastmod is older than before")},
        needs=Needs.BASELINE,
        summary="A lastmod does not go backwards, unless its page goes back to what it was.",
        source=f"{_GOOGLE}#additional-notes-about-xml-sitemaps",
        passes="2026-03-01, then 2026-05-01; 2026-03-01, then 2025-11-01 with the text of that day",
        fails="2026-03-01, then 2025-11-01, with the same text",
        tip="Restore the date, or write the day of the change: search engines disregard dates that prove wrong.",
    ),
    rule(
        "DIFF-31",
        {"date-alone": (WARNING, "lastmod is another one, and the content of the page is the same")},
        needs=Needs.STATE,
        summary="A lastmod changes only with the content of its page: text, links and JSON-LD.",
        source=f"{_GOOGLE}#additional-notes-about-xml-sitemaps; Bing Webmaster Blog, on lastmod",
        passes="an edited text and a new date",
        fails="a deployment that dates every page anew",
        tip="Take the date from the source of the page, not from the build; a page that was not edited keeps its date.",
    ),
    rule(
        "DIFF-32",
        {"content-alone": (WARNING, "the content of the page is another one, and lastmod is older than that")},
        needs=Needs.STATE,
        summary="A page whose content changes gets a new lastmod.",
        source=f"{_GOOGLE}#additional-notes-about-xml-sitemaps",
        passes="an edited text and a new date",
        fails="a rewritten page, and a lastmod of 2023",
        tip="Write the day of the change, or leave lastmod out: search engines may not come again for an old date.",
    ),
    rule(
        "DIFF-33",
        {
            "date-older": (WARNING, "lastmod is older than the page's own date"),
            "date-newer": (WARNING, "lastmod is newer than every date of the page"),
        },
        needs=Needs.SITE,
        summary="A lastmod is within a day of what its page states: dateModified, article:modified_time.",
        source=f"{_GOOGLE}#additional-notes-about-xml-sitemaps",
        passes="lastmod 2026-09-30, and dateModified 2026-09-30T10:00:00Z",
        fails="lastmod 2024-01-01, and dateModified 2026-09-30",
        tip="Take both dates from one source.",
    ),
)
_OWN = frozenset(("dateModified", "article:modified_time"))
_DAY = timedelta(days=1)  # zones, and dates without a time
_STAMPED = 2  # pages of one own date, where these are most of the pages: it is the day of a build


class _Differing(Struct):
    """Pages whose own date is of one day, and lastmod of another one."""

    count: int = 0
    first: list[tuple[str, str]] = field(default_factory=list)  # URL, detail


class FreshnessCheck(SiteCheck):
    rules = _RULES

    def on_start(self) -> None:
        self._dated = False
        self._own_days: Counter[date] = Counter()
        self._differing: dict[tuple[str, date], _Differing] = {}

    def on_url(self, known: KnownUrl, verdict: Verdict) -> None:
        entry, facts = known.committed, known.page.facts
        if entry is not None and self.options.writing and isinstance(verdict, Listed):
            entry = verdict.entry  # as it will be
        if entry is None or not entry.lastmod or facts is None or not isinstance(verdict, Listed) or verdict.unverified:
            return
        self._dated = True
        own = max((found for one in facts.dates if one.source in _OWN and (found := _day(one))), default=None)
        before = known.baseline.lastmod if known.baseline is not None else ""
        if before and before != entry.lastmod:
            self._compare_baseline(known, before, entry.lastmod, own)
        if known.previous is not None and known.previous.fingerprint and known.previous.lastmod and facts.fingerprint:
            self._compare_content(known.page.url, entry.lastmod, facts.fingerprint, known.previous)
        if own is not None:
            self._compare_own(known.page.url, entry.lastmod, own, facts.dates)

    def on_end(self, _diff: Diff, /) -> None:
        if self._dated and not self.options.remembers:
            hint = f"give {option('state', 'FILE')} and keep that file between runs: it records what each page had"
            for name in ("DIFF-31", "DIFF-32"):
                self.report.add_not_checked(name, "a state", hint)
        most = self._own_days.total() / 2
        for (code, day), found in sorted(self._differing.items()):
            if self._own_days[day] >= _STAMPED and self._own_days[day] > most:
                continue
            for number in range(found.count):
                url, detail = found.first[min(number, len(found.first) - 1)]
                self.report.add(code, url, detail=detail)

    def _compare_baseline(self, known: KnownUrl, before: str, now: str, own: date | None) -> None:
        if not _is_older(now, before) or own == _day_of(now) or _has_changed(known):
            return
        self.report.add("date-backwards", known.page.url, detail=f"{before}, now {now}")

    def _compare_content(self, url: str, lastmod: str, fingerprint: str, before: Content) -> None:
        same = fingerprint == before.fingerprint
        if same and lastmod != before.lastmod:
            self.report.add("date-alone", url, detail=f"{before.lastmod}, now {lastmod}")
        elif not same and lastmod == before.lastmod:
            day, seen = _day_of(lastmod), date.fromisoformat(before.seen) if before.seen else self.options.today
            if day is not None and seen is not None and day + _DAY < seen:
                when = f"after {before.seen}" if before.seen else "since the sitemap was written"
                self.report.add("content-alone", url, detail=f"{lastmod}; it changed {when}")

    def _compare_own(self, url: str, lastmod: str, own: date, dates: tuple[PageDate, ...]) -> None:
        self._own_days[own] += 1
        day = _day_of(lastmod)
        if day is None:
            return
        if own - day > _DAY:
            code, newest = "date-older", own
        else:
            newest = max(found for one in dates if (found := _day(one)))
            if day - newest <= _DAY:
                return
            code = "date-newer"
        differing = self._differing.setdefault((code, own), _Differing())
        differing.count += 1
        if len(differing.first) < GROUP_SIZE:
            differing.first.append((url, f"{lastmod}, and the page states {newest.isoformat()}"))


def _has_changed(known: KnownUrl) -> bool:
    """Whether the content is not that of the run before: going back to an earlier text is no error (DIFF-30)."""
    facts, before = known.page.facts, known.previous
    return bool(before and before.fingerprint and facts and facts.fingerprint not in {"", before.fingerprint})


def _is_older(text: str, other: str) -> bool:
    """By day where one of them has no time."""
    first, second = parse_date(text), parse_date(other)
    if first is None or second is None or not first.day or not second.day:
        return False
    return first.instant < second.instant if first.timed and second.timed else first.day < second.day


def _day_of(lastmod: str) -> date | None:
    found = parse_date(lastmod)
    return date.fromisoformat(found.day) if found is not None and found.day else None


def _day(stated: PageDate) -> date | None:
    return _stated_day(stated.value, stated.source == "last-modified")


@lru_cache(maxsize=4096)
def _stated_day(text: str, header: bool) -> date | None:
    """None for a text that is no date."""
    try:
        if header:
            from email.utils import parsedate_to_datetime  # noqa: PLC0415 - few pages state other dates as well

            return parsedate_to_datetime(text).date()
        return parse_iso_time(text).date()
    except (ValueError, TypeError, IndexError, OverflowError):  # what email.utils raises differs between versions
        return None
