"""Two sitemaps side by side, as sets of identities: what a plain `diff` says."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sitemap_action.compare.entry_records import entry, key_of
from sitemap_action.compare.fields import changes
from sitemap_action.model.outcome import Added, Changed


@dataclass(frozen=True, slots=True)
class Gone:
    """An entry of the old sitemap that the new one lacks."""

    url: str
    line: int


Difference: TypeAlias = Added | Gone | Changed


@dataclass(frozen=True, slots=True)
class Side:
    """Records of one sitemap in document order, and the line of each in its file; a part of it by identity."""

    records: Sequence[bytes] = ()
    lines: Sequence[int] = ()


def differences(old: Side, new: Side) -> Iterator[Difference]:
    """In no order. Order, sharding and spelling are no difference; of several with one identity the first counts.

    What both sides say alike, nearly everything, is told apart from the rest by sets of whole records.
    """
    unlike = _firsts(old) ^ _firsts(new)
    if not unlike:
        return
    before, after = _places(old, unlike), _places(new, unlike)
    for key in before.keys() | after.keys():
        was, now = before.get(key), after.get(key)
        if was is None:
            yield Added(_url(key))
        elif now is None:
            yield Gone(_url(key), old.lines[was])
        elif fields := changes(entry(old.records[was]), entry(new.records[now])):
            yield Changed(_url(key), fields)


def _firsts(side: Side) -> set[bytes]:
    """The first record of each key."""
    found = set(side.records)
    # Nearly always no key is there twice; asked without a call for each record.
    if b"\t" not in b"".join(found) or len({one.partition(b"\t")[0] for one in found}) == len(found):
        return found
    firsts: dict[bytes, bytes] = {}
    for one in side.records:
        firsts.setdefault(key_of(one), one)
    return set(firsts.values())


def _places(side: Side, unlike: set[bytes]) -> dict[bytes, int]:
    """Key → where its first record stands, of keys whose first records differ (SM-31)."""
    found: dict[bytes, int] = {}
    for at, one in enumerate(side.records):
        if one in unlike:
            found.setdefault(key_of(one), at)
    return found


def _url(key: bytes) -> str:
    return entry(key).loc
