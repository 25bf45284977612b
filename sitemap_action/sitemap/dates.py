"""Dates of the protocol: W3C NOTE-datetime, XSD date and dateTime, and the formats they share (SM-40…45)."""

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache

import re2
from msgspec import Struct

from sitemap_action.model.lazy_re import lazy_re

_HOUR = r"(?:[01]\d|2[0-3])"  # midnight as 24:00 is XSD only, and Python reads it since 3.14
_ZONE = r"Z|[+-](?:0\d|1[0-3]):[0-5]\d|[+-]14:00"
_W3C = lazy_re(rf"\d{{4}}(?:-(\d\d)(?:-(\d\d)(?:T({_HOUR}):\d\d(?::(\d\d)(?:\.\d+)?)?({_ZONE}))?)?)?", re.ASCII)
# XSD allows a longer or negative year, no zone, a zone on a day, and midnight as 24:00:00 (XML Schema Part 2 §3.2.7).
_XSD = lazy_re(rf"(-?(?!0+-)\d{{4,9}})-(\d\d)-(\d\d)(?:T(\d\d:\d\d:\d\d)(?:\.(\d+))?)?(?:{_ZONE})?", re.ASCII)
# Most dates of sitemaps.
_TIMESTAMP = lazy_re(rf"\d{{4}}-\d\d-\d\dT{_HOUR}:\d\d:\d\d(?:\.\d{{1,6}})?(?:{_ZONE})", re.ASCII)
# Valid in W3C and in XSD, in any year; what is not matched is parsed. RE2 reads many lines in a quarter of the time.
_DAY = r"(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31"
_DATE = rf"[12]\d{{3}}-(?:{_DAY})(?:T{_HOUR}:[0-5]\d:[0-5]\d(?:\.\d+)?(?:{_ZONE}))?"
_NORMAL = lazy_re(_DATE, re.ASCII)
_LINES = re2.compile(rf"(?:(?:{_DATE})?\n)*")
_SKEW = timedelta(hours=24)
_ZONE_RANGE = timedelta(days=3)  # zones are 28 hours apart at most
_OLDEST = datetime(1995, 1, 1, tzinfo=UTC)


class ParsedDate(Struct, frozen=True):
    """The first instant that a date names, and whether it has a time of day."""

    instant: datetime  # aware
    timed: bool
    day: str  # YYYY-MM-DD as written, not converted from its zone; "" for a year or a month


def lastmod_fault(text: str, now: datetime) -> str | None:
    """The fault code of a <lastmod>, white space around it stripped; None when it is valid.

    `date` no known format (SM-40), `date-short` W3C only (SM-41), `date-zone` XSD only (SM-42), `date-future` (SM-44),
    `date-old` (SM-45).
    """
    if _TIMESTAMP.fullmatch(text) and _is_plausible(text, now):
        return None
    found = parse_date(text)
    if found is None:
        return date_fault(text)
    if is_future(found, now):
        return "date-future"
    if found.instant < _OLDEST:
        return "date-old"
    return date_fault(text)


def are_dates(lines: str) -> bool:
    """Whether each line is empty or a valid date; False proves nothing."""
    return bool(_LINES.fullmatch(f"{lines}\n".encode()))


def is_future(found: ParsedDate | None, now: datetime) -> bool:
    """More than a day ahead, whatever the zone."""
    return found is not None and found.instant > now + _SKEW


def date_fault(text: str) -> str | None:
    """The fault code of a date, whatever the time of the run; None when it is valid."""
    if parse_date(text) is None:
        return "date-zone" if _is_xsd(text) else "date"
    return None if normal_date(text) == text else "date-short"


@lru_cache(maxsize=4096)
def parse_date(text: str) -> ParsedDate | None:
    """The date that a W3C datetime names; None for any other text."""
    match = _W3C.fullmatch(text)
    if match is None:
        return None
    month, day, hour, second, zone = match.groups()
    whole = text
    if hour is None:
        whole += ("" if day else "-01" if month else "-01-01") + "T00:00:00Z"
    elif second is None:
        whole = f"{text[:16]}:00{zone}"
    try:
        instant = datetime.fromisoformat(whole)
    except ValueError:
        return None
    return ParsedDate(instant, hour is not None, text[:10] if day else "")


@lru_cache(maxsize=8192)
def normal_date(text: str) -> str:
    """The date in a format that W3C and XSD share, unchanged where it has one; "" without a day (SM-43, SM-47)."""
    if _NORMAL.fullmatch(text):
        return text
    found = parse_date(text)
    if found is None or not found.day:
        return ""
    if found.timed and text[16] != ":":
        return f"{text[:16]}:00{text[16:]}"
    return text


class LatestDate:
    """The latest of many dates, by instant; dates without a day are ignored."""

    def __init__(self) -> None:
        self.parsed: ParsedDate | None = None
        self.text = ""
        self._last = self._floor = ""

    def add(self, text: str) -> None:
        if text == self._last or text[:10] < self._floor:
            return
        self._last = text
        found = parse_date(text)
        if found and found.day and (self.parsed is None or found.instant > self.parsed.instant):
            self.parsed, self.text = found, text
            # A day before it cannot be later in any zone, so it is not parsed.
            self._floor = (found.instant - _ZONE_RANGE).date().isoformat() if found.instant.year > 1 else ""


def later_date(one: str, other: str) -> str:
    """The later of two dates in normal form, by instant; "" counts as none."""
    latest = LatestDate()
    latest.add(other)
    latest.add(one)
    return normal_date(latest.text)


def format_date(instant: datetime, *, date_only: bool = False) -> str:
    """An aware instant in the format of the files that are written (SM-43)."""
    if instant.tzinfo is None:
        raise ValueError("a lastmod needs a time zone; give an aware datetime")
    if date_only:
        return instant.date().isoformat()
    return instant.replace(microsecond=0).isoformat().replace("+00:00", "Z")


def _is_plausible(text: str, now: datetime) -> bool:
    """Whether a timestamp is neither old (SM-45) nor after the time of the run."""
    try:
        return _OLDEST < datetime.fromisoformat(text) <= now
    except ValueError:
        return False


def _is_xsd(text: str) -> bool:
    match = _XSD.fullmatch(text)
    if match is None:
        return False
    year, month, day, time, fraction = match.groups()
    # The calendar repeats every 400 years, so a year outside datetime's range is replaced by an equivalent one.
    equivalent = f"{int(year) % 400 + 2000:04}-{month}-{day}"
    if time == "24:00:00":
        if int(fraction or "0"):
            return False
        time = None
    try:
        datetime.fromisoformat(f"{equivalent}T{time or '00:00:00'}")
    except ValueError:
        return False
    return True
