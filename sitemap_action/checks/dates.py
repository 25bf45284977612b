"""lastmod: valid, plausible, and true to its page (SM-40…46, DIFF-30…33); changefreq and priority (SM-48…50)."""

from collections import Counter
from datetime import date, timedelta

from sitemap_action.checks.base import (
    DESIGN,
    ERROR,
    GOOGLE,
    GROUP_SIZE,
    INFO,
    PROTOCOL,
    SCHEMA,
    SEARCH_CONSOLE,
    WARNING,
    FileCheck,
    FileOptions,
    Report,
    SiteCheck,
    baseline_rule,
    rule,
    site_rule,
)
from sitemap_action.html.directives import parse_stated_time
from sitemap_action.model.finding import Needs
from sitemap_action.model.outcome import Diff
from sitemap_action.model.page import PageDate
from sitemap_action.model.site import Content, KnownUrl, Listed, Verdict
from sitemap_action.model.sitemap import ChildSitemap, Entry
from sitemap_action.model.wording import option
from sitemap_action.sitemap.protocol import FREQUENCIES, NEWS, is_priority, lastmod_fault, parse_date

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


_HINT_RULES = (
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
        tip="Leave both out: the file is smaller without them, and its diffs are shorter.",
    ),
)


class ChangefreqPriorityCheck(FileCheck):
    """The reader reports white space and empty elements; values are checked here."""

    rules = _HINT_RULES

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
            entries = "1 entry" if self.file.entries == 1 else f"{self.file.entries:,} entries"
            self.report.add("hints", detail=f"on {self._count:,} of {entries}")


_GOOGLE = "Google Search Central, https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap"
_FRESHNESS_RULES = (
    baseline_rule(
        "DIFF-30",
        {"date-backwards": (WARNING, "lastmod is older than before")},
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
    site_rule(
        "DIFF-33",
        {
            "date-older": (WARNING, "lastmod is older than the page's own date"),
            "date-newer": (WARNING, "lastmod is newer than every date of the page"),
        },
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


class FreshnessCheck(SiteCheck):
    rules = _FRESHNESS_RULES

    def on_start(self) -> None:
        self._dated = False
        self._own_days: Counter[date] = Counter()
        self._differing: Counter[tuple[str, date]] = Counter()  # by fault code and own day of the page
        self._examples: dict[tuple[str, date], list[tuple[str, str]]] = {}  # URL, detail

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
        for (code, day), count in sorted(self._differing.items()):
            if self._own_days[day] >= _STAMPED and self._own_days[day] > most:
                continue
            examples = self._examples[code, day]
            for number in range(count):
                url, detail = examples[min(number, len(examples) - 1)]
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
        self._differing[code, own] += 1
        examples = self._examples.setdefault((code, own), [])
        if len(examples) < GROUP_SIZE:
            examples.append((url, f"{lastmod}, and the page states {newest.isoformat()}"))


def _has_changed(known: KnownUrl) -> bool:
    """Whether the content is not that of the run before: going back to an earlier text is no error (DIFF-30)."""
    facts, before = known.page.facts, known.previous
    return bool(before and before.fingerprint and facts and facts.fingerprint not in {"", before.fingerprint})


def _is_older(text: str, other: str) -> bool:
    """Whether a date is before another one; by day where one of them has no time."""
    first, second = parse_date(text), parse_date(other)
    if first is None or second is None or not first.day or not second.day:
        return False
    return first.instant < second.instant if first.timed and second.timed else first.day < second.day


def _day_of(lastmod: str) -> date | None:
    found = parse_date(lastmod)
    return date.fromisoformat(found.day) if found is not None and found.day else None


def _day(stated: PageDate) -> date | None:
    found = parse_stated_time(stated.value, header=stated.source == "last-modified")
    return found and found.date()
