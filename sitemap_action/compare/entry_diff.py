"""The difference of two sitemaps as sets of records, for the command `diff`."""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from msgspec import Struct

from sitemap_action.compare.changed_fields import changed_fields
from sitemap_action.compare.entry_records import decode_entry, key_of_record
from sitemap_action.model.outcome import Added, Changed


class RemovedEntry(Struct, frozen=True):
    """An entry of the old sitemap that the new one lacks."""

    url: str
    line: int


Difference: TypeAlias = Added | RemovedEntry | Changed


class SitemapRecords(Struct, frozen=True):
    """Records of one sitemap, or of a part of it, in document order, and the line of each in its file."""

    records: Sequence[bytes] = ()
    lines: Sequence[int] = ()


def diff_records(old: SitemapRecords, new: SitemapRecords) -> Iterator[Difference]:
    """In no order. Order, sharding and spelling are no difference; of several entries with one key the first counts.

    Nearly all records are in both, so they are excluded first, as sets of whole records.
    """
    different = _first_records(old) ^ _first_records(new)
    if not different:
        return
    before, after = _positions(old, different), _positions(new, different)
    for key in before.keys() | after.keys():
        was, now = before.get(key), after.get(key)
        if was is None:
            yield Added(_url(key))
        elif now is None:
            yield RemovedEntry(_url(key), old.lines[was])
        elif fields := changed_fields(decode_entry(old.records[was]), decode_entry(new.records[now])):
            yield Changed(_url(key), fields)


def _first_records(sitemap: SitemapRecords) -> set[bytes]:
    """The first record of each key."""
    found = set(sitemap.records)
    # Nearly always no key occurs twice; checked without a call for each record.
    if b"\t" not in b"".join(found) or len({one.partition(b"\t")[0] for one in found}) == len(found):
        return found
    firsts: dict[bytes, bytes] = {}
    for one in sitemap.records:
        firsts.setdefault(key_of_record(one), one)
    return set(firsts.values())


def _positions(sitemap: SitemapRecords, different: set[bytes]) -> dict[bytes, int]:
    """Key → index of its first record, of keys whose first records differ (SM-31)."""
    found: dict[bytes, int] = {}
    for at, one in enumerate(sitemap.records):
        if one in different:
            found.setdefault(key_of_record(one), at)
    return found


def _url(key: bytes) -> str:
    return decode_entry(key).loc
