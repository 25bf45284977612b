"""What the state of a shard has beside its pages: what it is a part of, and the answers to the first requests.

The state is complete once its manifest has `ended`. Then what no merge reads is deleted, for the file is an artefact.
"""

import sqlite3
from zlib import crc32

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.model.site_shard import SiteShard

TABLE = "CREATE TABLE IF NOT EXISTS answer (request TEXT PRIMARY KEY, packed BLOB NOT NULL);"
MANIFEST = "shard"  # name of a metadata text
_LONGEST = 60 * 2**20  # bytes of one answer: SQLite reads no longer value of a state
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
