"""The frontier of a crawl: which URLs wait, level by level, and what each fetched batch adds, in one transaction."""

import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sitemap_action.inventory.codec import decode_page, encode
from sitemap_action.inventory.store import Inventory
from sitemap_action.model.page import Page, PageKind

_NAME = """
INSERT INTO url (url, named) VALUES (?, 1) ON CONFLICT (url) DO UPDATE SET named = 1
"""
# Whatever arrives first, the referrer is the smallest of those that are nearest to the start page (NET-16).
_LINK = """
INSERT INTO url (url, inlinks, depth, referrer) VALUES (?, ?, ?, ?) ON CONFLICT (url) DO UPDATE SET
  inlinks = inlinks + excluded.inlinks,
  referrer = CASE WHEN done = 0 AND (depth IS NULL OR depth = excluded.depth AND excluded.referrer < referrer)
    THEN excluded.referrer ELSE referrer END,
  depth = coalesce(depth, excluded.depth)
"""
# `+url`: sort the rows of the level, do not walk the index over every URL there is.
_LEVEL = "SELECT id, url, referrer, named FROM url WHERE depth = ? AND done = 0 ORDER BY +url"
# What is named and nothing leads to comes after everything else, as a level of its own.
_LAST = """
UPDATE url SET depth = (SELECT coalesce(max(depth), -1) + 1 FROM url) WHERE named = 1 AND depth IS NULL AND done = 0
"""
_VISITED = """
SELECT id, url, referrer, named, record FROM page JOIN url ON id = url_id WHERE done = 1 ORDER BY depth, +url
"""
_ADD_PAGE = "INSERT OR REPLACE INTO page (url_id, record) VALUES (?, ?)"
_ADD_VISIT = "INSERT OR REPLACE INTO visit (url_id, etag, modified, links) VALUES (?, ?, ?, ?)"
_ADD_ASIDE = """
INSERT INTO aside VALUES (?, ?, ?) ON CONFLICT (reason) DO UPDATE SET
  urls = urls + excluded.urls, example = min(example, excluded.example)
"""
# A link to a redirect is a link to where it ends (HTML-68).
_CREDIT = """
WITH RECURSIVE walk (inlinks, target, hops) AS (
  SELECT url.inlinks, redirect.target, 1 FROM redirect JOIN url ON url.id = redirect.url_id WHERE url.inlinks > 0
  UNION ALL
  SELECT walk.inlinks, redirect.target, hops + 1
  FROM walk JOIN url ON url.url = walk.target JOIN redirect ON redirect.url_id = url.id WHERE hops < 10
)
UPDATE url SET credit = led.inlinks
FROM (SELECT target, sum(inlinks) AS inlinks FROM walk GROUP BY target) AS led WHERE url.url = led.target
"""


class Waiting(NamedTuple):
    """A URL to fetch."""

    id: int
    url: str
    referrer: str
    named: bool  # a sitemap of the repository lists it: it gets an answer whatever the limits


class Visit(NamedTuple):
    """What one fetch brought: the page, where it leads, and what a later run may ask with."""

    id: int
    page: Page
    links: tuple[str, ...] = ()  # followable, each counts as one link to its URL
    targets: tuple[str, ...] = ()  # named otherwise: redirect, canonical, alternate; no link
    etag: str = ""
    modified: str = ""


@dataclass(frozen=True, slots=True)
class Earlier:
    """What an earlier run knows of a URL."""

    page: Page
    links: tuple[str, ...]
    targets: tuple[str, ...]
    etag: str
    modified: str


@dataclass(slots=True)
class VisitBatch:
    """Visits of one level that are not stored yet."""

    visits: list[Visit] = field(default_factory=list)
    aside: dict[str, tuple[int, str]] = field(default_factory=dict)  # reason → how many, an example
    closed: list[int] = field(default_factory=list)  # ids that are done without a page
    links: int = 0

    def add(self, visit: Visit) -> None:
        self.visits.append(visit)
        self.links += len(visit.links)

    @property
    def size(self) -> int:
        return len(self.visits) + len(self.closed)

    def set_aside(self, reason: str, url: str) -> None:
        count, example = self.aside.get(reason, (0, url))
        self.aside[reason] = (count + 1, min(example, url))


class Frontier:
    """Reads and writes the tables of a crawl; in a lasting inventory also what a later run may ask with."""

    def __init__(self, inventory: Inventory) -> None:
        self._inventory = inventory
        self._database = inventory.database
        self.lasting = inventory.lasting
        self._has_earlier = bool(self._database.execute("SELECT EXISTS (SELECT 1 FROM earlier)").fetchone()[0])

    def name(self, urls: Iterable[str]) -> None:
        """URLs that need an answer though perhaps nothing links them."""
        with self._inventory.transaction():
            self._database.executemany(_NAME, ((url,) for url in urls))

    def begin(self, urls: Iterable[tuple[str, str]], depth: int = 0) -> None:
        """(URL, what names it) rows to start from."""
        with self._inventory.transaction():
            self._database.executemany(_LINK, ((url, 0, depth, referrer) for url, referrer in urls))

    def next_level(self, least: int) -> int | None:
        """The first depth from `least` on that has URLs waiting; kept, so that a run that goes on has the same ones."""
        lowest = "SELECT min(depth) FROM url WHERE done = 0 AND depth >= ?"
        (found,) = self._database.execute(lowest, (least,)).fetchone()
        if found is None and self._database.execute(_LAST).rowcount:
            (found,) = self._database.execute(lowest, (least,)).fetchone()
        return None if found is None else int(found)

    def level(self, depth: int) -> Iterator[Waiting]:
        """What waits at a depth, in order."""
        for row_id, url, referrer, named in self._database.execute(_LEVEL, (depth,)):
            yield Waiting(row_id, url, referrer, bool(named))

    def met(self, depth: int, *, named: bool) -> Iterator[str]:
        """Every URL of a depth, or the named ones alone, in no order."""
        for (url,) in self._database.execute("SELECT url FROM url WHERE depth = ? AND named >= ?", (depth, named)):
            yield url

    def deepest(self) -> int:
        """The last depth that there is; -1 when nothing was met."""
        return int(self._database.execute("SELECT coalesce(max(depth), -1) FROM url").fetchone()[0])

    def waiting(self, depth: int) -> int:
        row = self._database.execute("SELECT count(*) FROM url WHERE depth = ? AND done = 0", (depth,))
        return int(row.fetchone()[0])

    def left(self) -> int:
        """How many URLs were found and never looked at."""
        return int(self._database.execute("SELECT count(*) FROM url WHERE depth NOT NULL AND done = 0").fetchone()[0])

    def visited(self) -> Iterator[tuple[Waiting, PageKind]]:
        """What an interrupted run has done, in the order in which it asked, for what has to be counted again."""
        for row_id, url, referrer, named, record in self._database.execute(_VISITED):
            yield Waiting(row_id, url, referrer, bool(named)), decode_page(record, 0).kind

    def store(self, batch: VisitBatch, depth: int) -> None:
        """All of a batch or nothing of it: what a run that is killed had not stored, it fetches again."""
        visits = sorted(batch.visits, key=_by_url)
        with self._inventory.transaction():
            execute = self._database.executemany
            execute(_ADD_PAGE, [(visit.id, encode(visit.page)) for visit in visits])
            execute("INSERT OR REPLACE INTO redirect VALUES (?, ?)", list(_redirects(visits)))
            execute("UPDATE url SET done = 1 WHERE id = ?", [(visit.id,) for visit in visits])
            execute("UPDATE url SET done = 1 WHERE id = ?", [(row_id,) for row_id in batch.closed])
            execute(_ADD_ASIDE, [(reason, count, example) for reason, (count, example) in batch.aside.items()])
            execute(_LINK, _links(visits, depth + 1))
            if self.lasting:
                execute(_ADD_VISIT, list(_kept(visits)))

    def has_page(self) -> bool:
        """Any document was read."""
        rows = self._database.execute("SELECT record FROM page")
        return any(decode_page(record, 0).kind in (PageKind.PAGE, PageKind.FILE) for (record,) in rows)

    def named_alike(self, names: Sequence[str]) -> Iterator[tuple[int, Page]]:
        """(id, page) of every document whose URL ends in one of the names."""
        where = " OR ".join(["url LIKE ?"] * len(names))
        rows = self._database.execute(
            f"SELECT url.id, record FROM url JOIN page ON page.url_id = url.id WHERE {where}",  # noqa: S608 - only marks
            [f"%/{name}" for name in names],
        ).fetchall()
        for row_id, record in rows:
            yield row_id, decode_page(record, 0)

    def fold(self, twins: Iterable[tuple[int, Page]]) -> None:
        """Pages that turn out to be another spelling of their `twin`; links to them count for it."""
        with self._inventory.transaction():
            for row_id, page in twins:
                self._database.execute(_ADD_PAGE, (row_id, encode(page)))
                self._database.execute("INSERT OR REPLACE INTO redirect VALUES (?, ?)", (row_id, page.twin))

    def asides(self) -> list[tuple[str, int, str]]:
        """(reason, how many, an example) of what was known and not asked for."""
        return self._database.execute("SELECT reason, urls, example FROM aside ORDER BY reason").fetchall()

    def unanswered(self) -> list[str]:
        """Named URLs that the crawl ended without."""
        rows = self._database.execute("SELECT url FROM url WHERE named = 1 AND done = 0 ORDER BY url")
        return [url for (url,) in rows]

    def finish(self) -> None:
        """The crawl saw all there is: settle what can only be counted at the end."""
        with self._inventory.transaction():
            self._database.execute(_CREDIT)
            self._database.execute("INSERT OR REPLACE INTO fact VALUES ('finished', '1')")

    def earlier(self, url: str) -> Earlier | None:
        """What the run before this one, of another commit, had at the URL."""
        if not self._has_earlier:
            return None
        row = self._database.execute(
            "SELECT record, links, etag, modified FROM earlier WHERE url = ?", (url,)
        ).fetchone()
        if row is None:
            return None
        named = zlib.decompress(row[1]).decode().split("\n")
        end = named.index("")
        return Earlier(decode_page(row[0], 0), tuple(named[:end]), tuple(named[end + 1 :]), row[2], row[3])


def _by_url(visit: Visit) -> str:
    return visit.page.url


def _links(visits: Iterable[Visit], depth: int) -> list[tuple[str, int, int, str]]:
    """URL, links to it, depth, and the first of the visits that names it, for each URL that they name."""
    counts: Counter[str] = Counter()
    referrers: list[str] = []  # of each of them, in the order in which they were met
    for visit in visits:
        counts.update(visit.links)
        for target in visit.targets:
            counts.setdefault(target, 0)
        referrers += [visit.page.url] * (len(counts) - len(referrers))
    return sorted([(url, count, depth, by) for (url, count), by in zip(counts.items(), referrers, strict=True)])


def _redirects(visits: Iterable[Visit]) -> Iterator[tuple[int, str]]:
    return ((visit.id, visit.page.target) for visit in visits if visit.page.kind is PageKind.REDIRECT)


def _kept(visits: Iterable[Visit]) -> Iterator[tuple[int, str, str, bytes]]:
    for visit in visits:
        if visit.etag or visit.modified:
            named = "\n".join((*visit.links, "", *visit.targets))
            yield visit.id, visit.etag, visit.modified, zlib.compress(named.encode(), 1)
