"""Two sitemaps side by side, as sets of identities: what a plain `diff` says."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from sitemap_action.compare.fields import changes
from sitemap_action.model.outcome import Added, Changed
from sitemap_action.model.sitemap import Entry


@dataclass(frozen=True, slots=True)
class Gone:
    """An entry of the old sitemap that the new one lacks."""

    url: str
    line: int


Difference: TypeAlias = Added | Gone | Changed
_Next: TypeAlias = tuple[str, Entry] | None


def differences(old: Iterable[tuple[str, Entry]], new: Iterable[tuple[str, Entry]]) -> Iterator[Difference]:
    """Both sides in byte order of the identity, each identity once; order, sharding and spelling are no difference.

    Memory is one entry a side.
    """
    before, after = iter(old), iter(new)
    left: _Next = next(before, None)
    right: _Next = next(after, None)
    while left or right:
        if left and (not right or left[0] < right[0]):
            yield Gone(left[0], left[1].line)
            left = next(before, None)
        elif right and (not left or right[0] < left[0]):
            yield Added(right[0])
            right = next(after, None)
        elif left and right:
            if fields := changes(left[1], right[1]):
                yield Changed(left[0], fields)
            left, right = next(before, None), next(after, None)
