"""What differs between two entries, between two sitemaps as sets of entries, and what search engines fetch again."""

import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from msgspec import Struct

from sitemap_action.model.outcome import Added, Changed, Outcome
from sitemap_action.model.site import Reason
from sitemap_action.model.sitemap import Entry
from sitemap_action.sitemap.dates import parse_date

_NAMES = {"xhtml": "alternates", "image": "images", "video": "videos", "news": "news"}
_COMPARED = slice(Entry._fields.index("lastmod"), Entry._fields.index("priority") + 1)
_PREFIX = re.compile(r"<([a-z]+):")
_DECLARATION = re.compile(r' xmlns(?::[^=]*)?="[^"]*"')


class RemovedEntry(Struct, frozen=True):
    """An entry of the old sitemap that the new one lacks."""

    url: str
    line: int


Difference: TypeAlias = Added | RemovedEntry | Changed


def differences(old: Iterable[tuple[str, Entry]], new: Iterable[tuple[str, Entry]]) -> Iterator[Difference]:
    """Both are (identity, entry) rows in byte order of the identity, each identity once; so is the answer."""
    before, after = iter(old), iter(new)
    was, now = next(before, None), next(after, None)
    while was is not None or now is not None:
        if now is None or (was is not None and was[0] < now[0]):
            assert was is not None  # noqa: S101 - one of the two is there
            yield RemovedEntry(was[0], was[1].line)
            was = next(before, None)
        elif was is None or now[0] < was[0]:
            yield Added(now[0])
            now = next(after, None)
        else:
            if fields := changed_fields(was[1], now[1]):
                yield Changed(was[0], fields)
            was, now = next(before, None), next(after, None)


def changed_fields(old: Entry, new: Entry, *, hints: bool = False) -> tuple[tuple[str, str, str], ...]:
    """(field, old, new) for each field whose meaning differs (DIFF-13).

    The spelling of `loc` is not compared (DIFF-12). Without `hints`, a changefreq or priority that goes is no change
    (SM-50).
    """
    if old[_COMPARED] == new[_COMPARED] and old.extensions == new.extensions:
        return ()
    pairs = [
        ("lastmod", old.lastmod, old.lastmod if _same_moment(old.lastmod, new.lastmod) else new.lastmod),
        ("changefreq", old.changefreq if hints or new.changefreq else "", new.changefreq),
        ("priority", old.priority if hints or new.priority else "", new.priority),
    ]
    if old.extensions != new.extensions:
        before, after = _extensions(old), _extensions(new)
        pairs += [(name, before.get(name, ""), after.get(name, "")) for name in (*_NAMES.values(), "extensions")]
    return tuple((name, was, now) for name, was, now in pairs if was != now)


def _same_moment(was: str, now: str) -> bool:
    """Whether two times are one moment, as 12:00:00.000Z and 12:00:00+00:00; a day is less than a time in it."""
    before, after = parse_date(was), parse_date(now)
    return bool(before and after and before.timed and after.timed and before.instant == after.instant)


def _extensions(entry: Entry) -> dict[str, str]:
    """Field → its elements in sorted order, without namespace declarations."""
    found: dict[str, list[str]] = {}
    for element in sorted(entry.extensions):
        prefix = _PREFIX.match(element)
        name = _NAMES.get(prefix[1], "extensions") if prefix else "extensions"
        found.setdefault(name, []).append(_DECLARATION.sub("", element))
    return {name: " ".join(elements) for name, elements in found.items()}


_HINTS = frozenset({"changefreq", "priority"})  # fields that say nothing about the page
_GONE_OR_REDIRECTED = frozenset(
    {
        Reason.GONE,
        Reason.MOVED,
        Reason.MOVED_HOME,
        Reason.MOVED_TEMPORARY,
        Reason.MOVED_OFFSITE,
        Reason.REDIRECT_BROKEN,
    }
)


def changed_urls(outcome: Outcome) -> tuple[str, ...]:
    """Added, changed in content, removed and redirected, sorted, each once.

    None of a run that is not complete, or has no baseline: it knows no change, and IndexNow is not for whole sites.
    A page that only left the sitemap, because it is excluded, not indexable or listed under its twin's URL, is none.
    """
    if not outcome.complete or outcome.run.baseline.missing:
        return ()
    diff = outcome.diff
    found = {row.url for row in diff.added}
    found |= {row.url for row in diff.changed if _in_content(row)}
    found |= {row.url for row in diff.removed if row.reason in _GONE_OR_REDIRECTED}
    return tuple(sorted(found))


def _in_content(row: Changed) -> bool:
    return any(name not in _HINTS for name, *_ in row.fields)
