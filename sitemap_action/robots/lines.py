"""robots.txt bytes to records, with what is wrong on each line (RFC 9309 §2.2, RB-02…06, RB-17, RB-18, RB-24…28)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from sitemap_action.model.sitemap import Fault

MAX_BYTES = 512_000
"""What is read of a file; RFC 9309 §2.5 and Google agree on 500 KiB (RB-18)."""

# Google keeps a line in 2083 × 8 bytes, the last of them for the end mark (RB-29).
_GOOGLE_LINE = 2083 * 8 - 1
_BOM = b"\xef\xbb\xbf"
_SPACE = b" \t\v\f"
_LINE_END = re.compile(rb"\r\n|\r|\n")
_MARKUP = re.compile(rb"\s*<(?:!doctype|html|head|body|\?xml)", re.IGNORECASE)


class Profile(StrEnum):
    """Whose reading of robots.txt: the standard's, or that of Google's own library where it differs."""

    RFC = "rfc"
    GOOGLE = "google"


class Field(StrEnum):
    USER_AGENT = "user-agent"
    ALLOW = "allow"
    DISALLOW = "disallow"
    SITEMAP = "sitemap"
    CRAWL_DELAY = "crawl-delay"
    NOINDEX = "noindex"


# Google takes every name that begins like one of these for the field, `disallowed` too (RB-28).
_BEGINNINGS = {
    **dict.fromkeys((b"user-agent", b"useragent", b"user agent"), Field.USER_AGENT),
    b"allow": Field.ALLOW,
    **dict.fromkeys((b"disallow", b"dissallow", b"dissalow", b"disalow", b"diasllow", b"disallaw"), Field.DISALLOW),
    **dict.fromkeys((b"sitemap", b"site-map"), Field.SITEMAP),
}
_FIELDS = {field.encode(): field for field in Field}


@dataclass(frozen=True, slots=True)
class RobotsRecord:
    """One line with a known field; `value` as written, white space and comment taken off."""

    line: int  # from 1
    field: Field
    value: bytes

    @property
    def text(self) -> str:
        return self.value.decode("utf-8", "replace")


def read_records(body: bytes, profile: Profile) -> tuple[list[RobotsRecord], list[Fault]]:
    """The records in file order, and the faults by line; a fault of the whole file stands on line 0."""
    faults = []
    if len(body) > MAX_BYTES:
        faults.append(Fault("too-large", detail=f"{len(body)} bytes, of which the first {MAX_BYTES} count"))
    body = _without_bom(body[:MAX_BYTES])
    if _MARKUP.match(body):
        faults.append(Fault("html-body", detail="the body is markup, not the lines of a robots.txt"))
    records = []
    for number, line in enumerate(_LINE_END.split(body), 1):
        record, found = _read_line(number, line[:_GOOGLE_LINE] if profile is Profile.GOOGLE else line, profile)
        faults.extend(found)
        if record:
            faults.extend(_value_faults(record))
            records.append(record)
    return records, faults


def _without_bom(body: bytes) -> bytes:
    """A byte-order mark, or the beginning of one, at the very start is no text (RB-02)."""
    length = 0
    while length < len(_BOM) and body[length : length + 1] == _BOM[length : length + 1]:
        length += 1
    return body[length:]


def _read_line(number: int, line: bytes, profile: Profile) -> tuple[RobotsRecord | None, list[Fault]]:
    text = line.partition(b"#")[0].strip(_SPACE)
    name, colon, value = text.partition(b":")
    faults = []
    if not colon:
        words = text.split()
        if len(words) != 2 or not _field(words[0].lower()):
            return None, []
        name, value = words
        faults.append(Fault("missing-colon", number, text.decode("utf-8", "replace")))
    name = name.strip(_SPACE).lower()
    field = _field(name)
    if field and field != name.decode("utf-8", "replace"):
        faults.append(Fault("misspelt-field", number, name.decode("utf-8", "replace")))
    counts = field and (profile is Profile.GOOGLE or not faults)
    return (RobotsRecord(number, field, value.strip(_SPACE)) if field and counts else None), faults


def _field(name: bytes) -> Field | None:
    """The field that a name in lower case means to Google; to the standard it does only when spelt exactly."""
    if name in _FIELDS:
        return _FIELDS[name]
    return next((field for beginning, field in _BEGINNINGS.items() if name.startswith(beginning)), None)


def _value_faults(record: RobotsRecord) -> Iterator[Fault]:
    match record.field:
        case Field.ALLOW | Field.DISALLOW if record.value and not record.value.startswith((b"/", b"*")):
            yield Fault("rule-without-slash", record.line, record.text)  # RB-17
        case Field.SITEMAP if not record.value.lower().startswith((b"http://", b"https://")):
            yield Fault("relative-sitemap", record.line, record.text)  # SM-68
        case Field.CRAWL_DELAY:
            yield Fault("crawl-delay", record.line, record.text)  # RB-25
        case Field.NOINDEX:
            yield Fault("noindex", record.line, record.text)  # RB-26
        case _:
            return
