"""Dates as the protocol knows them: W3C NOTE-datetime, XSD date and dateTime, and what both know (SM-40…45)."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache

_ZONE = r"Z|[+-](?:0\d|1[0-3]):[0-5]\d|[+-]14:00"
_W3C = re.compile(rf"\d{{4}}(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):\d\d(?::(\d\d)(?:\.\d+)?)?({_ZONE}))?)?)?", re.ASCII)
# XSD allows a longer or negative year, no zone, a zone on a day, and midnight as 24:00:00 (XML Schema Part 2 §3.2.7).
_XSD = re.compile(rf"(-?(?!0+-)\d{{4,9}})-(\d\d)-(\d\d)(?:T(\d\d:\d\d:\d\d)(?:\.(\d+))?)?(?:{_ZONE})?", re.ASCII)
# Most of what sitemaps hold.
_PLAIN = re.compile(rf"\d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{{1,6}})?(?:{_ZONE})", re.ASCII)
# Surely a date, without asking the calendar.
_TIME = r"(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d"
_WRITTEN = re.compile(
    rf"(?!0000)\d{{4}}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])(?:T{_TIME}(?:\.\d+)?(?:{_ZONE}))?", re.ASCII
)
_SKEW = timedelta(hours=24)
_FAR = timedelta(days=3)
_OLDEST = datetime(1995, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Stamp:
    """A date that was read: the first instant it names, and whether it names a time of day."""

    instant: datetime  # aware
    timed: bool
    day: str  # YYYY-MM-DD as written, without regard to zone; "" for a year or a month


def judge(text: str, now: datetime) -> str | None:
    """What is wrong with a <lastmod>, white space round it stripped, as a fault code; None when nothing is.

    `date` no known form (SM-40), `date-short` W3C only (SM-41), `date-zone` XSD only (SM-42), `date-future` (SM-44),
    `date-old` (SM-45).
    """
    if _PLAIN.fullmatch(text) and _between(text, now):
        return None
    found = stamp(text)
    if found is None:
        return form(text)
    if found.instant > now + _SKEW:
        return "date-future"
    if found.instant < _OLDEST or found.day == "1980-01-01":
        return "date-old"
    return form(text)


def form(text: str) -> str | None:
    """As `judge`, without looking at the clock."""
    if stamp(text) is None:
        return "date-zone" if _is_xsd(text) else "date"
    return None if written(text) == text else "date-short"


@lru_cache(maxsize=4096)
def stamp(text: str) -> Stamp | None:
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
    return Stamp(instant, hour is not None, text[:10] if day else "")


@lru_cache(maxsize=8192)
def written(text: str) -> str:
    """The date in a form that W3C and XSD know, unchanged where it is one; "" when it names no day (SM-43, SM-47)."""
    if _WRITTEN.fullmatch(text):
        return text
    found = stamp(text)
    if found is None or not found.day:
        return ""
    if found.timed and text[16] != ":":
        return f"{text[:16]}:00{text[16:]}"
    return text


class Newest:
    """The latest of many dates, by instant; dates that name no day do not count."""

    def __init__(self) -> None:
        self.stamp: Stamp | None = None
        self.text = ""
        self._last = self._floor = ""

    def add(self, text: str) -> None:
        if text == self._last or text[:10] < self._floor:
            return
        self._last = text
        found = stamp(text)
        if found and found.day and (self.stamp is None or found.instant > self.stamp.instant):
            self.stamp, self.text = found, text
            # Zones are 28 hours apart at most, so a day that far back needs no look.
            self._floor = (found.instant - _FAR).date().isoformat() if found.instant.year > 1 else ""


def of(instant: datetime, *, date_only: bool = False) -> str:
    """An instant in the form that we write (SM-43); it must know its zone."""
    if instant.tzinfo is None:
        raise ValueError("a lastmod needs a time zone; give an aware datetime")
    if date_only:
        return instant.date().isoformat()
    return instant.replace(microsecond=0).isoformat().replace("+00:00", "Z")


def _between(text: str, now: datetime) -> bool:
    """Whether a full timestamp lies in the time that needs no second look."""
    try:
        return _OLDEST < datetime.fromisoformat(text) <= now
    except ValueError:
        return False


def _is_xsd(text: str) -> bool:
    match = _XSD.fullmatch(text)
    if match is None:
        return False
    year, month, day, time, fraction = match.groups()
    # The calendar repeats every 400 years, so a year that datetime cannot hold has a stand-in that it can.
    stand_in = f"{int(year) % 400 + 2000:04}-{month}-{day}"
    try:
        if time == "24:00:00" and not int(fraction or "0"):
            time = None
        datetime.fromisoformat(f"{stand_in}T{time or '00:00:00'}")
    except ValueError:
        return False
    return True
