"""What only a state knows of the runs before: what each listed page had, and since when each problem exists.

A page's fingerprint and lastmod are compared by DIFF-31 and DIFF-32, the age of a problem by DIFF-43.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from functools import cache
from typing import Any

import msgspec

from sitemap_action.model.page import Facts, Page
from sitemap_action.model.site import Content, Role

_CONTENT = """CREATE TABLE IF NOT EXISTS content (
  url TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, lastmod TEXT NOT NULL, seen TEXT NOT NULL
) WITHOUT ROWID;"""

# A page whose date or text alone has changed keeps its row, so that the next run reports it too.
_STORE = """
INSERT INTO content
  SELECT url.url, fingerprint_of(page.record), entry.lastmod, ?1
  FROM entry JOIN url ON url.url = entry.key JOIN page ON page.url_id = url.id WHERE entry.role = ?2
ON CONFLICT (url) DO UPDATE SET fingerprint = excluded.fingerprint, lastmod = excluded.lastmod, seen = excluded.seen
  WHERE excluded.fingerprint != '' AND (
    fingerprint = '' OR lastmod = '' OR excluded.lastmod = ''
    OR (fingerprint = excluded.fingerprint) = (lastmod = excluded.lastmod))
"""
_FORGET = "DELETE FROM content WHERE url NOT IN (SELECT key FROM entry WHERE role = ?)"


_GIVEN = "CREATE TEMP TABLE given_content (url TEXT PRIMARY KEY, fingerprint TEXT, lastmod TEXT) WITHOUT ROWID"
_WITH_GIVEN = """
SELECT url, fingerprint, lastmod, '' FROM given_content UNION ALL
SELECT url, fingerprint, lastmod, seen FROM content WHERE url NOT IN (SELECT url FROM given_content) ORDER BY url
"""


def give_contents(database: sqlite3.Connection, rows: Iterable[tuple[str, Content]]) -> None:
    """Contents for this run: of these pages nothing else is read."""
    database.execute(_GIVEN)
    values = ((url, content.fingerprint, content.lastmod) for url, content in rows)
    database.executemany("INSERT OR REPLACE INTO given_content VALUES (?, ?, ?)", values)


def load_given_contents(database: sqlite3.Connection) -> Iterator[tuple[str, Content]]:
    database.execute(_CONTENT)
    for url, *content in database.execute(_WITH_GIVEN):
        yield url, Content(*content)


def load_contents(database: sqlite3.Connection) -> Iterator[tuple[str, Content]]:
    database.execute(_CONTENT)
    rows = database.execute("SELECT url, fingerprint, lastmod, seen FROM content ORDER BY url")
    for url, fingerprint, lastmod, seen in rows:
        yield url, Content(fingerprint, lastmod, seen)


def store_contents(database: sqlite3.Connection, today: date) -> None:
    """Store the contents of the pages that the judged sitemap lists; one without an answer keeps its row."""
    database.create_function("fingerprint_of", 1, _fingerprint, deterministic=True)
    database.execute(_CONTENT)
    database.execute(_STORE, (today.isoformat(), Role.COMMITTED.value))
    database.execute(_FORGET, (Role.COMMITTED.value,))


def _first_fields(of: type[Page] | type[Facts], last: str, kind: Any) -> type[Any]:
    """A record of which one field is decoded, and those before it are skipped."""
    skipped = of._fields[: of._fields.index(last)]
    return msgspec.defstruct(of.__name__, [*((name, msgspec.Raw) for name in skipped), (last, kind)], array_like=True)


@cache
def _page_decoder() -> msgspec.json.Decoder[Any]:
    facts = _first_fields(Facts, "fingerprint", str)
    return msgspec.json.Decoder(_first_fields(Page, "facts", facts | None))


def _fingerprint(record: str) -> str:
    """The fingerprint in a record: decoding all of it costs five times as much."""
    facts = _page_decoder().decode(record).facts
    return str(facts.fingerprint) if facts is not None else ""


_FIRST_SEEN = "CREATE TABLE IF NOT EXISTS first_seen (what TEXT PRIMARY KEY, day TEXT NOT NULL) WITHOUT ROWID;"


def load_first_seen(database: sqlite3.Connection) -> dict[str, date]:
    """Problem → its first day."""
    database.execute(_FIRST_SEEN)
    rows = database.execute("SELECT what, day FROM first_seen WHERE day = date(day)")  # else damaged
    return {problem: date.fromisoformat(day) for problem, day in rows}


def store_first_seen(database: sqlite3.Connection, days: Mapping[str, date]) -> None:
    """Replaces what is stored: a problem that was absent for a run starts anew."""
    database.execute(_FIRST_SEEN)
    database.execute("DELETE FROM first_seen")
    rows = [(problem, day.isoformat()) for problem, day in sorted(days.items())]
    database.executemany("INSERT INTO first_seen VALUES (?, ?)", rows)
