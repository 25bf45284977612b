"""Names, limits and values of the sitemap protocol: namespaces, URLs of <loc>, the formats of a file, and dates.

Dates are of W3C NOTE-datetime, of XSD date and dateTime, or of the formats that they share (SM-40…45).
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Literal

import re2
from msgspec import Struct

from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.web.urls import BadUrl, normal_form, normalize, origin

SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
IMAGE = "http://www.google.com/schemas/sitemap-image/1.1"
VIDEO = "http://www.google.com/schemas/sitemap-video/1.1"
NEWS = "http://www.google.com/schemas/sitemap-news/0.9"
XHTML = "http://www.w3.org/1999/xhtml"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
SEPARATOR = "\x01"
"""Between namespace and name, as expat gives them: XML has no such character, so that any namespace is read (R-32)."""

ATOM = "http://www.w3.org/2005/Atom"
ATOM_03 = "http://purl.org/atom/ns#"

EXTENSIONS = {"image": IMAGE, "video": VIDEO, "news": NEWS, "xhtml": XHTML}
"""Usual prefix → namespace; no other namespace may be bound to one of these prefixes (EXT-01)."""

PREFIXES = {
    SITEMAP: "sitemap",
    XSI: "xsi",
    "http://www.w3.org/XML/1998/namespace": "xml",
    "http://www.google.com/schemas/sitemap-mobile/1.0": "mobile",
    "http://www.google.com/schemas/sitemap-pagemap/1.0": "pagemap",
    **{uri: prefix for prefix, uri in EXTENSIONS.items()},
}
"""Namespace → its prefix in canonical extensions."""

LEGACY = (
    "",
    "http://www.google.com/schemas/sitemap/0.84",
    "http://www.google.com/schemas/sitemap/0.9",
    "http://www.google.com/schemas/sitemap/0.90",
    "http://www.sitemaps.org/schemas/sitemap/0.90",
    "https://www.google.com/schemas/sitemap/0.84",
    "https://www.google.com/schemas/sitemap/0.9",
)
"""Namespaces that older generators give to the elements of the protocol: tolerated and reported (SM-05)."""


def is_sitemap(namespace: str) -> bool:
    """Whether a namespace is that of the protocol, another spelling of it, or an older one."""
    return namespace in LEGACY or "www.sitemaps.org/schemas/sitemap" in namespace


def is_misspelled(namespace: str) -> bool:
    """Whether a namespace is a misspelling of an extension's, under any prefix (EXT-01)."""
    bare = namespace.strip().removeprefix("https://").removeprefix("http://").rstrip("/").lower()
    return namespace not in EXTENSIONS.values() and any(bare == uri[7:] for uri in EXTENSIONS.values())


USUAL_PATHS = (
    "/sitemap.xml",
    "/sitemap_index.xml",
    "/sitemap-index.xml",
    "/wp-sitemap.xml",
    "/sitemap.xml.gz",
    "/sitemap.txt",
)
"""Tried where robots.txt names no sitemap."""

MAX_URLS = 50_000
"""Of one file, and of an index its children (SM-06, SM-60)."""

MAX_BYTES = 52_428_800
"""Of one file, uncompressed (SM-07)."""

MAX_NEWS = 1_000
"""News of one file (NEWS-02)."""

MAX_INFLATED = 209_715_200
"""Bytes of one file, uncompressed, that are read by default, 200 MiB; more than `MAX_BYTES` is SM-07."""

PADDING = " \t\r\n\x85\xa0\u202f\u205f\u2060\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200C)))
"""Spaces that editors and content systems put round a URL; most are invisible."""


# What is read, far beyond what the protocol allows, so that every breach of the protocol is still read and counted.
MAX_ENTRIES = 1_000_000
MAX_TEXT = 65_536  # characters of one element
MAX_DEPTH = 64  # of elements below the root
MAX_ATTRIBUTES = 100  # of one element
MAX_INVALID = 1_000  # lines of a text file before its first URL


FREQUENCIES = ("always", "hourly", "daily", "weekly", "monthly", "yearly", "never")
_DECIMAL = lazy_re(r"[+-]?(?:[0-9]{1,50}(?:\.[0-9]{0,50})?|\.[0-9]{1,50})")


def is_priority(text: str) -> bool:
    return _DECIMAL.fullmatch(text) is not None and 0 <= float(text) <= 1


_RFC_3986 = lazy_re(r"https?://[\w.~:/?\[\]@!$&'()*+,;=%-]+", re.ASCII | re.IGNORECASE)


def normalize_loc(loc: str, base: str) -> tuple[str, str]:
    """(normal form, code of what was corrected) of a URL; `base`: URL of the document, "" when it has none.

    The code is "" when nothing was corrected. Raises BadUrl, whose code is why the URL identifies no page.
    """
    try:
        url = normalize(loc)
    except BadUrl as bad:
        if bad.code != "not-absolute" or not loc.startswith("//") or not base:
            raise
        return normalize(f"{base.partition(':')[0]}:{loc}"), "loc-schemeless"
    return url, "loc-fragment" if "#" in loc else ""


def url_key(loc: str) -> str:
    """The normal form of a URL, or its text when it is none."""
    return normal_form(loc) or loc


def original_spelling(loc: str, url: str) -> str:
    """The URL as the sitemap spells it, without fragment, where RFC 3986 allows that; else its normal form `url`."""
    bare = loc.partition("#")[0]
    return bare if _RFC_3986.fullmatch(bare) else url


def site_host(url: str) -> str:
    """The host of a URL without `www.`: children and entries on the same one are read, under any scheme.

    SM-28 is stricter, and a finding. Raises BadUrl.
    """
    return origin(url).partition("://")[2].removeprefix("www.")


Format = Literal["xml", "text", "json"]


def format_of(path: str) -> Format:
    """XML for every name that does not end in .txt or .json, compressed or not."""
    name = path.removesuffix(".gz")
    return "text" if name.endswith(".txt") else "json" if name.endswith(".json") else "xml"


def without_suffix(path: str) -> str:
    """Equal for the formats of one sitemap: /sitemap.xml, /sitemap.xml.gz, /sitemap.txt."""
    return path.partition("?")[0].removesuffix(".gz").removesuffix(".xml").removesuffix(".txt")


def formats_of(path: str, configured: Sequence[Format]) -> tuple[Format, ...]:
    """The formats of a sitemap and the files beside it: its name decides the first; XML only where it is asked for."""
    own = format_of(path)
    others = [one for one in configured if one != own]
    if own == "xml":
        return tuple(configured)
    return (own,) if others == ["xml"] and len(configured) == 1 else (own, *others)


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


def format_date(instant: datetime) -> str:
    """An aware instant in the format of the files that are written (SM-43)."""
    if instant.tzinfo is None:
        raise ValueError("a lastmod needs a time zone; give an aware datetime")

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
