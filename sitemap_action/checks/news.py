"""The news extension (NEWS-01…05)."""

import re
from collections.abc import Iterator
from datetime import timedelta

from sitemap_action.checks.base import ERROR, GOOGLE, WARNING, FileCheck, rule
from sitemap_action.model.sitemap import Entry
from sitemap_action.sitemap.dates import date_fault, parse_date
from sitemap_action.sitemap.extensions import ExtensionNode, parse_extension

_SOURCE = f"{GOOGLE}news-sitemap"
_RULES = (
    rule(
        "NEWS-01",
        {
            "news-missing": (ERROR, "an article lacks a required element"),
            "news-repeated": (ERROR, "an entry has more than one news:news"),
        },
        summary="An entry has one news:news, with publication (name, language), publication_date and title.",
        source=_SOURCE,
        passes="all five elements",
        fails="a publication without language",
        tip="Write all four, in one news:news for each article.",
    ),
    rule(
        "NEWS-02",
        {"news-many": (ERROR, "the file has more than 1,000 articles")},
        summary="A file has at most 1,000 news:news.",
        source=_SOURCE,
        passes="1,000 <news:news>",
        fails="1,001 <news:news>",
        tip="Split the news sitemap, or leave out articles that are older than two days.",
    ),
    rule(
        "NEWS-03",
        {"news-old": (WARNING, "an article is older than two days")},
        summary="An article is not older than two days.",
        source=_SOURCE,
        passes="published 47 hours ago",
        fails="published 49 hours ago",
        tip="Take the article out of the news sitemap; it stays in the sitemap of the site.",
    ),
    rule(
        "NEWS-04",
        {"news-date": (ERROR, "the publication date of an article is not in an accepted format")},
        summary="publication_date is a day, or a time with its zone; seconds may be left out.",
        source=_SOURCE,
        passes="1997-07-16T19:20+01:00",
        fails="1997-07-16T19:20",
        tip="Write 2026-10-01, or 2026-10-01T09:20+02:00 with the zone.",
    ),
    rule(
        "NEWS-05",
        {"news-language": (ERROR, "the language of a publication is not a code that Google supports")},
        summary="language is an ISO 639 code of two or three letters, or zh-cn, or zh-tw.",
        source=_SOURCE,
        passes="en",
        fails="en-US",
        tip="Write the language alone, such as en; a region is not part of it.",
    ),
)
_MAX = 1000
_AGE = timedelta(days=2)
_DAY = timedelta(days=1)
_LANGUAGE = re.compile(r"[a-z]{2,3}|zh-cn|zh-tw")


class NewsCheck(FileCheck):
    """The first article of an entry is checked; a second one is a finding."""

    rules = _RULES

    def on_file_start(self) -> None:
        self._count = 0

    def on_extensions(self, entry: Entry) -> None:
        news = [parse_extension(one) for one in entry.extensions if one.startswith("<news:news")]
        self._count += len(news)
        if len(news) > 1:
            self.report.add("news-repeated", entry.loc, entry.line)
        for one in news[:1]:
            for code, detail in self._article_faults(one):
                self.report.add(code, entry.loc, entry.line, detail)

    def on_file_end(self) -> None:
        if self._count > _MAX:
            self.report.add("news-many", detail=f"{self._count:,}")

    def _article_faults(self, news: ExtensionNode) -> Iterator[tuple[str, str]]:
        publication = news.first("news:publication")
        required = [publication.first(name) for name in ("news:name", "news:language")]
        required += [news.first(name) for name in ("news:publication_date", "news:title")]
        missing = [one.name for one in required if not one.text]
        if missing:
            yield "news-missing", ", ".join(missing)
        language, date = required[1].text, required[2].text
        if language and not _LANGUAGE.fullmatch(language):
            yield "news-language", language
        yield from self._date_faults(date)

    def _date_faults(self, date: str) -> Iterator[tuple[str, str]]:
        found = parse_date(date)
        if not date:
            return
        if found is None or not found.day or (date_fault(date) and not found.timed):
            yield "news-date", date
        elif found.instant + (_AGE if found.timed else _AGE + _DAY) < self.options.now:
            yield "news-old", date
