"""Parses the lines of a robots.txt into records and faults (RFC 9309 §2.2, RB-02…06, RB-17, RB-18, RB-24…28)."""

import re
from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct

from sitemap_action.model.sitemap import Fault

MAX_BYTES = 512_000
"""Read of a file; RFC 9309 §2.5 and Google agree on 500 KiB (RB-18)."""

# Google stores a line in 2083 × 8 bytes, the last of them for the terminator (RB-29).
_GOOGLE_LINE = 2083 * 8 - 1
_BOM = b"\xef\xbb\xbf"
_WHITE_SPACE = b" \t\v\f"
_LINE_END = re.compile(rb"\r\n|\r|\n")
_MARKUP = re.compile(rb"\s*<(?:!doctype|html|head|body|\?xml)", re.IGNORECASE)


class Profile(StrEnum):
    """Parsing rules: the standard's, or those of Google's library where it differs."""

    RFC = "rfc"
    GOOGLE = "google"


class Field(StrEnum):
    USER_AGENT = "user-agent"
    ALLOW = "allow"
    DISALLOW = "disallow"
    SITEMAP = "sitemap"
    CRAWL_DELAY = "crawl-delay"
    NOINDEX = "noindex"


# Google accepts every name with one of these prefixes as the field, `disallowed` too (RB-28).
_NAME_PREFIXES = {
    **dict.fromkeys((b"user-agent", b"useragent", b"user agent"), Field.USER_AGENT),
    b"allow": Field.ALLOW,
    **dict.fromkeys((b"disallow", b"dissallow", b"dissalow", b"disalow", b"diasllow", b"disallaw"), Field.DISALLOW),
    **dict.fromkeys((b"sitemap", b"site-map"), Field.SITEMAP),
}
_FIELDS = {field.encode(): field for field in Field}


class RobotsRecord(Struct, frozen=True):
    """One line with a known field; `value` as written, without white space around it and comment."""

    line: int  # from 1
    field: Field
    value: bytes

    @property
    def text(self) -> str:
        return self.value.decode("utf-8", "replace")


def read_records(body: bytes, profile: Profile) -> tuple[list[RobotsRecord], list[Fault]]:
    """The records in file order, and the faults by line; a fault of the whole file has line 0."""
    faults = []
    if len(body) > MAX_BYTES:
        faults.append(Fault("too-large", detail=f"{len(body)} bytes, of which the first {MAX_BYTES} count"))
    body = _without_bom(body[:MAX_BYTES])
    if _MARKUP.match(body):
        faults.append(Fault("html-body", detail="the body is markup, not the lines of a robots.txt"))
    records = []
    for number, line in enumerate(_LINE_END.split(body), 1):
        record, line_faults = _read_line(number, line[:_GOOGLE_LINE] if profile is Profile.GOOGLE else line, profile)
        faults.extend(line_faults)
        if record:
            faults.extend(_value_faults(record))
            records.append(record)
    return records, faults


def _without_bom(body: bytes) -> bytes:
    """Removes a byte-order mark, or the first bytes of one, from the start (RB-02)."""
    length = 0
    while length < len(_BOM) and body[length : length + 1] == _BOM[length : length + 1]:
        length += 1
    return body[length:]


def _read_line(number: int, line: bytes, profile: Profile) -> tuple[RobotsRecord | None, list[Fault]]:
    text = line.partition(b"#")[0].strip(_WHITE_SPACE)
    name, colon, value = text.partition(b":")
    faults = []
    if not colon:
        words = text.split()
        if len(words) != 2 or not _field(words[0].lower()):
            return None, []
        name, value = words
        faults.append(Fault("missing-colon", number, text.decode("utf-8", "replace")))
    name = name.strip(_WHITE_SPACE).lower()
    field = _field(name)
    if field and field != name.decode("utf-8", "replace"):
        faults.append(Fault("misspelt-field", number, name.decode("utf-8", "replace")))
    is_used = field and (profile is Profile.GOOGLE or not faults)
    return (RobotsRecord(number, field, value.strip(_WHITE_SPACE)) if field and is_used else None), faults


def _field(name: bytes) -> Field | None:
    """The field of a name in lower case, with Google's tolerance; the standard accepts exact names only."""
    if name in _FIELDS:
        return _FIELDS[name]
    return next((field for prefix, field in _NAME_PREFIXES.items() if name.startswith(prefix)), None)


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
