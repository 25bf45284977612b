"""The frontier of a crawl: which URLs are queued, level by level, and what each batch of visits adds to them."""

import math
import sqlite3
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import islice
from operator import attrgetter, itemgetter
from typing import NamedTuple, TypeAlias

from msgspec import Struct, field

from sitemap_action.model.page import Page, PageKind
from sitemap_action.store.codec import Visit, decode_page, decode_visit, encode, pack_links
from sitemap_action.store.inventory import BEGUN, PREVIOUS, Inventory

Owns: TypeAlias = Callable[[str], bool]

_PART = 1_000  # URLs of a level, or starts, that are read or stored at a time
_DIGITS = 15  # of a count in a state, at most

_REQUIRE = """
INSERT INTO url (url, required) VALUES (?, 1) ON CONFLICT (url) DO UPDATE SET required = 1
"""
# Independent of the order of arrival: the referrer is the smallest of those nearest to the start page (NET-16).
_LINK = """
INSERT INTO url (url, inlinks, depth, referrer) VALUES (?, ?, ?, ?) ON CONFLICT (url) DO UPDATE SET
  inlinks = inlinks + excluded.inlinks,
  referrer = CASE WHEN done = 0 AND (depth IS NULL OR depth = excluded.depth AND excluded.referrer < referrer)
    THEN excluded.referrer ELSE referrer END,
  depth = coalesce(depth, excluded.depth)
"""
# `+url`: sort the rows of the level instead of walking the index over all URLs.
_LEVEL = "SELECT id FROM url WHERE depth = ? AND done = 0 ORDER BY +url"
_QUEUED = "SELECT id, url, referrer, required FROM url WHERE id IN ({})"
# Required URLs that have no link to them are a level of their own, after all others.
_LAST_LEVEL = """
UPDATE url SET depth = (SELECT coalesce(max(depth), -1) + 1 FROM url)
WHERE required = 1 AND depth IS NULL AND done = 0
"""
_VISITED = """
SELECT id, url, referrer, required, record FROM page JOIN url ON id = url_id WHERE done = 1 ORDER BY depth, +url
"""
# The kind is the second value of a record, behind the URL.
_COUNT_DOCUMENTS = """
SELECT count(*) FROM page JOIN url ON id = url_id
  WHERE substr(record, length(url) + 4, 8) = ',"page",' OR substr(record, length(url) + 4, 8) = ',"file",'
"""
_PREVIOUS = "SELECT record, links, etag, modified FROM previous_visit WHERE url = ?"
_ADD_PAGE = "INSERT OR REPLACE INTO page (url_id, record) VALUES (?, ?)"
_ADD_REDIRECT = "INSERT OR REPLACE INTO redirect VALUES (?, ?)"
_ADD_VISIT = "INSERT OR REPLACE INTO visit (url_id, etag, modified, links) VALUES (?, ?, ?, ?)"
_COUNT_UNCHANGED = """
INSERT INTO metadata VALUES ('unchanged', ?) ON CONFLICT (name) DO UPDATE SET value = value + excluded.value
"""
_ADD_SKIPPED = """
INSERT INTO skipped VALUES (?, ?, ?) ON CONFLICT (reason) DO UPDATE SET
  urls = urls + excluded.urls, example = min(example, excluded.example)
"""
# A link to a redirect is a link to where it ends (HTML-68); in a loop, to each of its URLs once.
_COUNT_REDIRECT_INLINKS = """
WITH RECURSIVE walk (linked, inlinks, target, hops) AS (
  SELECT url, inlinks, target, 1 FROM redirect JOIN url ON url.id = url_id WHERE inlinks > 0 AND target <> url
  UNION ALL
  SELECT linked, walk.inlinks, redirect.target, hops + 1 FROM walk JOIN url ON url.url = walk.target
  JOIN redirect ON redirect.url_id = url.id WHERE hops < 10 AND redirect.target NOT IN (linked, walk.target)
)
UPDATE url SET redirect_inlinks = total.inlinks
FROM (SELECT target, sum(inlinks) AS inlinks FROM (SELECT DISTINCT linked, inlinks, target FROM walk) GROUP BY target)
AS total WHERE url.url = total.target
"""


class QueuedUrl(NamedTuple):
    """A URL to fetch."""

    id: int
    url: str
    referrer: str
    required: bool  # listed by a compared sitemap: it is fetched whatever the limits


NO_LINKS = ""
TWINS = "-"
"""In the place of reasons for skipped URLs: pages whose links only scripts make (HTML-70), that name twins (AGT-02)."""


class VisitBatch(Struct):
    """Visits of one level that are not stored yet."""

    visits: list[Visit] = field(default_factory=list)
    skipped: dict[str, tuple[int, str]] = field(default_factory=dict)  # reason → count, an example
    blocked: list[int] = field(default_factory=list)  # ids that are done without a page
    links: int = 0
    unchanged: int = 0  # of the visits, those that a 304 confirmed
    depth: int = 0
    began: float = -math.inf  # by the clock of the crawl

    def add(self, visit: Visit) -> None:
        self.visits.append(visit)
        self.links += len(visit.links)

    @property
    def size(self) -> int:
        return len(self.visits) + len(self.blocked)

    def skip(self, reason: str, url: str) -> None:
        """Count a URL that is not requested; with NO_LINKS or TWINS one that was."""
        count, example = self.skipped.get(reason, (0, url))
        self.skipped[reason] = (count + 1, min(example, url))


class Frontier:
    """Reads and writes the tables of a crawl; in a persistent inventory also the validators for a later run."""

    def __init__(self, inventory: Inventory, owns: Owns | None = None) -> None:
        """`owns`: whether the shard that this run looks at has a URL; None where it looks at all of them."""
        self._inventory = inventory
        self._owns = owns
        self._database = inventory.database
        self.persistent = inventory.persistent
        self.begun = inventory.metadata(BEGUN)
        self.previous = inventory.metadata(PREVIOUS)
        self.dated = inventory.has_dated_entries()  # so that dates of pages are needed
        (self._has_previous,) = self._database.execute("SELECT EXISTS (SELECT 1 FROM previous_visit)").fetchone()

    def require(self, urls: Iterable[str]) -> None:
        """URLs that need an answer even when no page links to them."""
        with self._inventory.transaction():
            self._database.executemany(_REQUIRE, ((url,) for url in urls if self._owns is None or self._owns(url)))

    def add_starts(self, urls: Iterable[tuple[str, str]], depth: int = 0) -> None:
        """(URL, where it is listed) rows to start from."""
        rows = ((url, 0, depth, by) for url, by in urls if self._owns is None or self._owns(url))
        while part := list(islice(rows, _PART)):
            with self._inventory.transaction():
                self._database.executemany(_LINK, part)

    def end_reading(self) -> None:
        """Pages that were stored beside the frontier, as those of files are, are visited."""
        with self._inventory.transaction():
            self._database.execute("UPDATE url SET done = 1 WHERE id IN (SELECT url_id FROM page)")

    def next_level(self, least: int) -> int | None:
        """The first depth from `least` on with queued URLs. Stored, so that a resumed run has the same levels."""
        lowest = "SELECT min(depth) FROM url WHERE done = 0 AND depth >= ?"
        (found,) = self._database.execute(lowest, (least,)).fetchone()
        if found is None and self._database.execute(_LAST_LEVEL).rowcount:
            (found,) = self._database.execute(lowest, (least,)).fetchone()
        return None if found is None else int(found)

    def level(self, depth: int) -> Iterator[QueuedUrl]:
        """Queued URLs of a depth, sorted by URL; in parts, for a cursor that stays open holds the write-ahead log."""
        ids = array("q", (row_id for (row_id,) in self._database.execute(_LEVEL, (depth,))))
        for start in range(0, len(ids), _PART):
            part = ids[start : start + _PART]
            rows = self._database.execute(_QUEUED.format(", ".join(map(str, part)))).fetchall()
            for row_id, url, referrer, required in sorted(rows, key=itemgetter(1)):
                yield QueuedUrl(row_id, url, referrer, bool(required))

    def urls_at(self, depth: int, *, required_only: bool) -> Iterator[str]:
        """Known URLs of a depth, done or not, unsorted."""
        rows = self._database.execute("SELECT url FROM url WHERE depth = ? AND required >= ?", (depth, required_only))
        for (url,) in rows:
            yield url

    def deepest(self) -> int:
        """The greatest depth of a known URL; -1 when there is none."""
        return self._number("SELECT coalesce(max(depth), -1) FROM url")

    def queued_count(self, depth: int) -> int:
        return self._number("SELECT count(*) FROM url WHERE depth = ? AND done = 0", depth)

    def unvisited_count(self) -> int:
        """URLs that were found and never fetched."""
        return self._number("SELECT count(*) FROM url WHERE depth NOT NULL AND done = 0")

    def visited_count(self) -> int:
        """URLs with an answer: before a crawl, those of the interrupted run that it resumes."""
        return self._number("SELECT count(*) FROM page JOIN url ON id = url_id WHERE done = 1")

    def visited_pages(self) -> Iterator[tuple[QueuedUrl, Page]]:
        """What an interrupted run has done, in the order of its requests, to restore the counts of that run."""
        for row_id, url, referrer, required, record in self._database.execute(_VISITED):
            yield QueuedUrl(row_id, url, referrer, bool(required)), decode_page(record, 0)

    def store(self, batch: VisitBatch, depth: int) -> None:
        """Store the visits in one transaction: a killed run fetches again what it had not stored."""
        visits = sorted(batch.visits, key=attrgetter("page.url"))
        with self._inventory.transaction():
            execute = self._database.executemany
            execute(_ADD_PAGE, [(visit.id, encode(visit.page)) for visit in visits])
            redirects = [(one.id, one.page.target) for one in visits if one.page.kind is PageKind.REDIRECT]
            execute(_ADD_REDIRECT, redirects)
            execute("UPDATE url SET done = 1 WHERE id = ?", [(visit.id,) for visit in visits])
            execute("UPDATE url SET done = 1 WHERE id = ?", [(row_id,) for row_id in batch.blocked])
            execute(_ADD_SKIPPED, [(reason, count, example) for reason, (count, example) in batch.skipped.items()])
            links = _links(visits, depth + 1)
            execute(_LINK, links if self._owns is None else [row for row in links if self._owns(row[0])])
            if self.persistent:
                execute(_ADD_VISIT, list(_validators(visits, every=self._owns is not None)))
                execute(_COUNT_UNCHANGED, [(batch.unchanged,)] if batch.unchanged else [])

    def page(self, url: str) -> Page | None:
        return self._inventory.page(url)

    def has_page(self) -> bool:
        """Whether any document was read."""
        rows = self._database.execute("SELECT record FROM page")
        return any(decode_page(record, 0).kind in (PageKind.PAGE, PageKind.FILE) for (record,) in rows)

    def unchanged_count(self) -> int:
        """How many pages a 304 has confirmed, also before this run was interrupted."""
        text = self._inventory.metadata("unchanged")
        return int(text) if text.isdecimal() and len(text) < _DIGITS else 0

    def document_count(self) -> int:
        """How many documents were read."""
        return self._number(_COUNT_DOCUMENTS)

    def pages_by_file_name(self, names: Sequence[str]) -> Iterator[tuple[int, Page]]:
        """(id, page) of every page whose URL ends in one of the names."""
        where = " OR ".join(["url LIKE ?"] * len(names))
        rows = self._database.execute(
            f"SELECT url.id, record FROM url JOIN page ON page.url_id = url.id WHERE {where}",  # noqa: S608 - only `?`
            [f"%/{name}" for name in names],
        ).fetchall()
        for row_id, record in rows:
            yield row_id, decode_page(record, 0)

    def store_pages(self, pages: Iterable[tuple[int, Page]]) -> None:
        with self._inventory.transaction():
            self._database.executemany(_ADD_PAGE, ((row_id, encode(page)) for row_id, page in pages))

    def store_duplicates(self, pages: Iterable[tuple[int, Page]]) -> None:
        """(id, page) of pages that are another spelling of their `twin`; links to them count for it."""
        with self._inventory.transaction():
            for row_id, page in pages:
                self._database.execute(_ADD_PAGE, (row_id, encode(page)))
                self._database.execute(_ADD_REDIRECT, (row_id, page.twin))

    def skip_counts(self) -> list[tuple[str, int, str]]:
        """(reason, count, an example) of URLs that were found and not requested."""
        rows = self._database.execute(
            "SELECT reason, urls, example FROM skipped WHERE reason NOT IN (?, ?) ORDER BY 1", (NO_LINKS, TWINS)
        )
        return rows.fetchall()

    def pages_without_links(self) -> tuple[int, str]:
        """How many pages have links that only scripts make, and an example."""
        row = self._database.execute("SELECT urls, example FROM skipped WHERE reason = ?", (NO_LINKS,)).fetchone()
        return (0, "") if row is None else (int(row[0]), str(row[1]))

    def has_twins(self) -> bool:
        """Whether a page names a Markdown twin."""
        found = self._database.execute("SELECT 1 FROM skipped WHERE reason = ?", (TWINS,))
        return found.fetchone() is not None

    def unanswered_urls(self) -> list[str]:
        """Required URLs that were not fetched."""
        rows = self._database.execute("SELECT url FROM url WHERE required = 1 AND done = 0 ORDER BY url")
        return [url for (url,) in rows]

    def finish(self) -> None:
        """The crawl is complete: compute what can only be counted at the end."""
        with self._inventory.transaction():
            self._database.execute(_COUNT_REDIRECT_INLINKS)
            self._inventory.set_metadata("finished", "1")

    def previous_visit(self, url: str) -> Visit | None:
        """What the run before this one, on another commit, stored for the URL; a damaged visit is none."""
        if not self._has_previous:
            return None
        row = self._database.execute(_PREVIOUS, (url,)).fetchone()
        return None if row is None else decode_visit(url, row)

    def _number(self, select: str, *values: int) -> int:
        return int(self._database.execute(select, values).fetchone()[0])

    def shard_visit(self, url: str, site: str) -> Visit | None:
        """What a shard has seen of a URL below `site`, which is then not asked for again."""
        return None if self._inventory.shards is None else self._inventory.shards.visit(url, site)


def _links(visits: Iterable[Visit], depth: int) -> list[tuple[str, int, int, str]]:
    """(URL, number of links to it, depth, first of the visits that contains it) for each URL in the visits."""
    counts: Counter[str] = Counter()
    referrers: list[str] = []  # of each key of `counts`, in its order of insertion
    for visit in visits:
        counts.update(visit.links)
        for target in visit.targets:
            counts.setdefault(target, 0)
        referrers += [visit.page.url] * (len(counts) - len(referrers))
    return sorted([(url, count, depth, by) for (url, count), by in zip(counts.items(), referrers, strict=True)])


def _validators(visits: Iterable[Visit], *, every: bool) -> Iterator[tuple[int, str, str, bytes]]:
    """`every`: also without validators, for the links of a shard's pages."""
    for visit in visits:
        if visit.etag or visit.modified or every:
            yield visit.id, visit.etag, visit.modified, pack_links(visit)


_SPELLED_TWICE = """
SELECT one.url, other.url FROM url AS one JOIN url AS other ON other.url = {stem} || ?
WHERE one.done = 1 AND other.done = 1 AND instr(one.url, '?') = 0 {where}
"""
_REDIRECTS_TO = """
SELECT redirect.target, count(*), sum(url.inlinks) FROM redirect JOIN url ON url.id = redirect.url_id GROUP BY 1
"""


def spelled_twice(database: sqlite3.Connection, suffixes: Sequence[str]) -> Iterator[str]:
    """URLs that are known with and without one of the suffixes, or with two of them."""
    for index, suffix in enumerate(suffixes):
        pairs = database.execute(_SPELLED_TWICE.format(stem="one.url", where=""), (suffix,)).fetchall()
        for other in suffixes[:index]:
            stem, where = f"substr(one.url, 1, length(one.url) - {len(other)})", "AND one.url LIKE ?"
            select = _SPELLED_TWICE.format(stem=stem, where=where)
            pairs += database.execute(select, (suffix, f"%{other}")).fetchall()
        for pair in pairs:
            yield from pair


def escaped_urls(database: sqlite3.Connection) -> Iterator[str]:
    """Answered URLs with a percent-escape in their path."""
    rows = database.execute("SELECT url FROM url WHERE done = 1 AND instr(url, '%') > 0").fetchall()
    return (url for (url,) in rows if "%" in url.partition("?")[0])


def references(database: sqlite3.Connection, urls: Collection[str]) -> dict[str, tuple[int, int, bool, int]]:
    """Links, redirects, whether a compared sitemap lists it, and its id, of each of these known URLs.

    Links to a URL that redirects to it count, too. One pass over all redirects.
    """
    select = "SELECT id, required, inlinks FROM url WHERE url = ?"
    rows = {url: database.execute(select, (url,)).fetchone() for url in urls}
    redirects = {row[0]: row[1:] for row in database.execute(_REDIRECTS_TO) if row[0] in rows}
    none = (0, 0)
    return {
        url: (links + redirects.get(url, none)[1], redirects.get(url, none)[0], bool(required), row_id)
        for url, (row_id, required, links) in rows.items()
    }
