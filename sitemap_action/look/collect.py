"""The documents of one sitemap for consumers that read the entries themselves: rules, comparisons, baselines.

The reader walks and parses indexes alone; each document is parsed once, by its consumer. What was fetched, or read from
git, is kept in a folder until the comparison is done: nothing is requested twice, and one document is in memory.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

from msgspec import Struct, field
from msgspec.structs import replace

from sitemap_action.errors import BaselineError
from sitemap_action.look.documents import DocumentRow, Documents, LocalSitemaps, Store, WorkTree, stored_sitemap
from sitemap_action.model.sitemap import BrokenSitemap
from sitemap_action.sitemap.faults import truncate
from sitemap_action.store.loading_state import in_memory
from sitemap_action.walk.broken_sitemaps import find_broken
from sitemap_action.walk.sitemap_loading import Loaded, LoadOptions, Received, Unavailable, load_local

INDEXES_ALONE = LoadOptions(max_documents=100_000, entries=False)
NEVER = datetime.fromtimestamp(0, UTC)  # nothing of these loadings outlives the run


@contextmanager
def spool() -> Iterator[Path]:
    """A folder for documents that should not be requested twice."""
    with tempfile.TemporaryDirectory(prefix="sitemap-action-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


class Collector(Struct):
    """Takes note of each document that a loading receives; with a `folder` it keeps their bytes there."""

    folder: Path | None = None
    rows: list[DocumentRow] = field(default_factory=list)

    @classmethod
    def into(cls, folder: Path | None) -> "Collector":
        """A collector with a place of its own in a spool."""
        return cls(None if folder is None else Path(tempfile.mkdtemp(dir=folder)))

    def received(self, one: Received) -> None:
        """The observer of the loading."""
        path = one.path or one.url
        key = path if self.folder is None else str(len(self.rows))
        if self.folder is not None:
            (self.folder / key).write_bytes(one.body.data)
        address = one.body.address if one.body.address.startswith(("http://", "https://")) else ""
        self.rows.append(DocumentRow(path=path, key=key, url=one.url, address=address, named=one.body.named))

    def documents(self, store: Store | None = None) -> Documents:
        """`store`: where the documents can be read again, when there is no folder."""
        kept = WorkTree(self.folder) if self.folder is not None else store
        return Documents(tuple(self.rows), kept) if kept is not None else Documents()

    def missing(self, loaded: Loaded) -> tuple[Unavailable, ...]:
        """Documents that were not received; one that is damaged was."""
        received = {row.url for row in self.rows}
        return tuple(one for one in loaded.unavailable if one.url not in received)

    def path(self, url: str) -> str:
        """Of a document, as findings cite it."""
        return {row.url: row.path for row in self.rows}.get(url, url)

    def place(self, one: Unavailable) -> str:
        """Where the index lists it: FILE:LINE."""
        return f"{self.path(one.listed_by)}:{one.line}"


class Collected(Struct, frozen=True):
    """The documents of one sitemap that are there, and what is known of the others."""

    documents: Documents
    missing: tuple[Unavailable, ...] = ()  # not received
    broken: tuple[BrokenSitemap, ...] = ()  # listed by an index, and proven not to be what it says


def collect_stored(store: Store, path: str, folder: Path | None = None) -> Documents:
    """The sitemap at a path of a store, with everything that it lists; no documents when there is no such file.

    `folder`: of a spool, for a store that is slow to read again. Raises BaselineError for a child that is not there or
    cannot be read: its URLs are unknown, not removed (DIFF-21).
    """
    source = stored_sitemap(store, path)
    return Documents() if source is None else collect_local(source, folder)


def collect_local(source: LocalSitemaps, folder: Path | None = None) -> Documents:
    """As `collect_stored`, of what a user named."""
    collector = Collector.into(folder)
    with in_memory() as state:
        loaded = load_local(source.answer, source.seeds, state, NEVER, INDEXES_ALONE, observe=collector.received)
    for one in collector.missing(loaded):
        listed = f"{collector.place(one)}: the index lists {truncate(one.url)}"
        hint = "commit the child beside its index, or correct the index"
        raise BaselineError(f"{listed}, which is unavailable: {one.reason}", hint=hint)
    return collector.documents(source.store)


def collect_what_is_there(source: LocalSitemaps, folder: Path | None = None) -> Collected:
    """As `collect_local`; a child that is not there, or cannot be read, ends nothing.

    An address with a query is no file's, which proves nothing.
    """
    collector = Collector.into(folder)
    with in_memory() as state:
        loaded = load_local(
            source.answer_or_skip, source.seeds, state, NEVER, INDEXES_ALONE, observe=collector.received
        )
        faulty = [one for one in find_broken(state) if not urlsplit(one.url).query]
    return Collected(
        documents=collector.documents(source.store),
        missing=collector.missing(loaded),
        broken=tuple(replace(one, named_by=collector.path(one.named_by)) for one in faulty),
    )
