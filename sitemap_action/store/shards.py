"""The states of all shards of one run, in place of requests: a merge is a run that is given what they have seen.

Theory of operation. Each file is read where it is, and never written: its structure is checked before anything is read
from it, and every row is decoded when it is used. A URL is looked up in the shard that owns it, so that what another
one has of it does not count. Nothing of a shard is copied, and memory holds one row at a time. The order in which a
merge asks, and all that follows from it (levels, in-links, limits, traps), is that of the run that would have asked the
site itself, and so is its report.

The state of a shard has, beside its pages, what it is a part of (`ShardManifest`), and answers to the first requests.
It is complete once its manifest has `ended`. Then what no merge reads is deleted, for the file is an artefact.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from zlib import crc32

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.errors import UnreachableError
from sitemap_action.model.site import SiteShard, owner
from sitemap_action.store.codec import Packed, Visit, decode_visit

TABLE = "CREATE TABLE IF NOT EXISTS answer (request TEXT PRIMARY KEY, packed BLOB NOT NULL);"
MANIFEST = "shard"  # name of a metadata text
_LONGEST = 60 * 2**20  # bytes of one answer: a longer one is asked again
_UNUSED = ("listed", "sitemap", "loading", "previous_visit", "skipped")
_SELECT = "SELECT value FROM metadata WHERE name = ?"
_FEW = 1_000  # rows that are not worth writing the file again


class ShardManifest(Struct, frozen=True, kw_only=True):
    """What a shard is a part of; a merge refuses shards that do not belong together."""

    shard: str  # K/N
    version: str  # of this program
    site: str  # site-url, and where the site was read
    options: str  # digest of all that decides what is seen
    commit: str  # object id of the checkout, "" outside of a repository
    begun: str  # time, in UTC
    build: str = ""  # digest of the list of files
    robots: str = ""  # digest of robots.txt
    sitemaps: str = ""  # digest of those that the site declares
    ended: bool = False
    incomplete: tuple[str, ...] = ()  # why this shard did not see all of its part
    urls: int = 0  # that it looked at


class ShardState:
    """The state that a shard writes."""

    def __init__(self, database: sqlite3.Connection, manifest: ShardManifest, shard: SiteShard) -> None:
        self._manifest = manifest
        self._database = database
        self.shard = shard
        self._database.execute(TABLE)
        if self._database.execute(_SELECT, (MANIFEST,)).fetchone() is None:  # else this run resumes that one
            self._database.execute("DELETE FROM answer")
        self._store()

    def add_answer(self, request: str, packed: bytes) -> None:
        if len(packed) <= _LONGEST:  # of another one the merge asks again
            self._database.execute("INSERT OR REPLACE INTO answer VALUES (?, ?)", (request, packed))

    def set_build(self, digest: str) -> None:
        self._manifest = replace(self._manifest, build=digest)

    def end(self, incomplete: tuple[str, ...], robots: str) -> ShardManifest:
        """The shard has seen its part, or as much of it as it could."""
        self._manifest = replace(
            self._manifest,
            ended=True,
            incomplete=incomplete,
            urls=self._count(),
            robots=robots,
            sitemaps=self._digest_of_sitemaps(),
        )
        removed = 0
        for table in self._tables():
            removed += self._database.execute(f"DELETE FROM {table}").rowcount  # noqa: S608 - names of this module
        if removed > _FEW:
            self._database.execute("VACUUM")
        self._store()
        return self._manifest

    def _store(self) -> None:
        text = msgspec.json.encode(self._manifest).decode()
        self._database.execute("INSERT OR REPLACE INTO metadata VALUES (?, ?)", (MANIFEST, text))

    def _count(self) -> int:
        """URLs that were asked for, or files that were read."""
        table = "document" if self._manifest.build else "visit"
        found = self._database.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchone()
        select = f"SELECT count(*) FROM {table}"  # noqa: S608 - one of two names
        return int(self._database.execute(select).fetchone()[0]) if found else 0

    def _tables(self) -> list[str]:
        found = {name for (name,) in self._database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        return [name for name in _UNUSED if name in found]

    def _digest_of_sitemaps(self) -> str:
        if "sitemap" not in self._tables():
            return ""
        (text,) = self._database.execute(
            "SELECT group_concat(line, char(10)) FROM (SELECT url || ' ' || digest AS line FROM sitemap"
            " WHERE digest != '' ORDER BY url)"
        ).fetchone()
        return f"{crc32(text.encode()):08x}" if text else ""


_VISIT = """
SELECT record, links, etag, modified FROM url CROSS JOIN page ON page.url_id = url.id
  CROSS JOIN visit ON visit.url_id = url.id WHERE url.url = ?
"""
_ANSWER = "SELECT packed FROM answer WHERE request = ?"
NOTE = "joined: "
_AGAIN = "run its job again, which makes it anew"


class OpenShard(Struct, frozen=True):
    """One state that may be read."""

    path: Path
    manifest: ShardManifest
    database: sqlite3.Connection


class Shards:
    """In the order of their numbers. Raises UnreachableError where a file turns out to be damaged."""

    def __init__(self, opened: Sequence[OpenShard]) -> None:
        self._opened = opened
        self.found = 0  # URLs and files that a shard has seen
        self.asked = 0  # that none has
        self._answers = _has_table(opened[0], "answer")
        self._with_documents = [one for one in opened if _has_table(one, "document")]

    @property
    def manifests(self) -> tuple[ShardManifest, ...]:
        return tuple(one.manifest for one in self._opened)

    @property
    def paths(self) -> tuple[Path, ...]:
        return tuple(one.path for one in self._opened)

    @property
    def urls(self) -> int:
        return sum(one.manifest.urls for one in self._opened)

    def notes(self) -> Iterator[str]:
        """Notes for the report, once the site was looked at."""
        manifests = self.manifests
        first = manifests[0]
        begun = min(datetime.fromisoformat(one.begun) for one in manifests).astimezone(UTC)
        what = "files" if first.build else "URLs"
        more = "" if first.build else f", and this run {self.asked:,} more"
        count = f"{len(manifests)} shard{'s' if len(manifests) > 1 else ''}"
        yield f"{NOTE}{count}, begun at {begun:%Y-%m-%d %H:%M} UTC, looked at {self.found:,} {what}{more}"
        for one in manifests:
            yield from (f"{NOTE}shard {one.shard} did not see all of its part: {why}" for why in one.incomplete)
        for name, whose in (("robots", "robots.txt"), ("sitemaps", "a sitemap of the site")):
            if len({getattr(one, name) for one in manifests if not one.incomplete}) > 1:
                yield f"{NOTE}{whose} was not the same for every shard; what the first one saw counts"

    def visit(self, url: str, site: str) -> Visit | None:
        """What was seen of a URL; None where no shard has asked for it. `site`: that of every link."""
        first, own = self._opened[0], self._opened[owner(url, len(self._opened)) - 1]
        found = _visit(own, url, site) or (_visit(first, url, site) if own is not first else None)  # the start page
        self.found += found is not None
        self.asked += found is None
        return found

    def answer(self, request: str) -> bytes | None:
        """The answer that the first shard has, which asks for what belongs to no page."""
        if not self._answers:
            return None
        with _read(self._opened[0]) as database:
            row = database.execute(_ANSWER, (request,)).fetchone()
        if row is not None and type(row[0]) is not bytes:
            raise damage_error(self._opened[0].path, "an answer is not one that this program writes")
        return row[0] if row else None

    def documents(self, urls: Sequence[str]) -> Mapping[str, Packed]:
        """What was read of files of a build, by their URLs."""
        marks = ", ".join("?" * len(urls))
        found: dict[str, Packed] = {}
        for one in self._with_documents:
            with _read(one) as database:
                rows = database.execute(
                    f"SELECT url, digest, packed FROM document WHERE url IN ({marks})",  # noqa: S608 - only `?`
                    urls,
                ).fetchall()
            for url, digest, packed in rows:
                if not (type(digest) is bytes and type(packed) is bytes):
                    raise damage_error(one.path, "a document is not one that this program writes")
                found.setdefault(url, (digest, packed))
        self.found += len(found)
        return found


def damage_error(path: Path, why: str) -> UnreachableError:
    return UnreachableError(f"the shard {path} is damaged: {why}", hint=_AGAIN)


def _visit(shard: OpenShard, url: str, site: str) -> Visit | None:
    with _read(shard) as database:
        row = database.execute(_VISIT, (url,)).fetchone()
    if row is None:
        return None
    found = decode_visit(url, row)
    if found is None or not all(link.startswith(site) for link in found.links):
        raise damage_error(shard.path, f"what it has of {url} is not what this program writes")
    return found


@contextmanager
def _read(shard: OpenShard) -> Iterator[sqlite3.Connection]:
    try:
        yield shard.database
    except (sqlite3.Error, OverflowError, ValueError) as error:
        raise damage_error(shard.path, str(error) or type(error).__name__) from error


def _has_table(shard: OpenShard, name: str) -> bool:
    with _read(shard) as database:
        return database.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (name,)).fetchone() is not None
