"""The documents of one sitemap, wherever it is kept: found once, and parsed once by their consumer.

Theory of operation. `find_documents` starts at what a user or a config names, asks a place for it, and goes on to what
its indexes list; of any other document it reads the root element alone. The result is a list of documents without
their bytes. A consumer (rules, entries, a comparison) iterates over it, and one document is in memory at a time. What
was fetched, or read from git, is kept in a folder until the run is done: nothing is requested twice.
"""

import shlex
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, Protocol, TypeAlias
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace
from xxhash import xxh3_128_hexdigest

from sitemap_action.disk.folder import read_bounded
from sitemap_action.errors import BaselineError, UsageError
from sitemap_action.look.places import GitTree, find_commit, is_sitemap
from sitemap_action.model.sitemap import BrokenSitemap, Entry, Fault, SitemapDocument
from sitemap_action.sitemap.faults import FATAL, truncate
from sitemap_action.sitemap.protocol import MAX_INFLATED
from sitemap_action.sitemap.read import columns, read
from sitemap_action.store.loading_state import LoadingState
from sitemap_action.walk.folders import LocalSitemaps, Store, WorkTree, named_file, sitemap_at
from sitemap_action.walk.sitemap_loading import Loaded, LoadOptions, Unavailable, find_broken, load_local
from sitemap_action.web.urls import is_url

STANDARD_INPUT = "-"
INDEXES_ALONE = LoadOptions(max_documents=100_000, entries=False)
NEVER = datetime.fromtimestamp(0, UTC)  # nothing of these loadings outlives the run


class DocumentRow(NamedTuple):
    """One document, without its bytes."""

    path: str  # as findings cite it: a path, or a URL
    key: str  # its path in the store
    url: str  # that its index states, in normal form; of a seed the name that was given
    address: str = ""  # the URL that answered, or the one that its index states; "" of a file that was named
    named: bool = True  # the suffix of the name must fit; False where a Content-Encoding was decoded


def _no_file(_path: str) -> None:
    return None


class Documents(Struct, frozen=True):
    """An index with everything below it, one file, or nothing. Each iteration reads again: one document is in memory.

    Raises BaselineError on the way for a document that was removed since.
    """

    rows: tuple[DocumentRow, ...] = ()
    store: Store = _no_file
    missing: tuple[Unavailable, ...] = ()  # what an index lists and was not received
    broken: tuple[BrokenSitemap, ...] = ()  # what an index lists and is proven not to be a sitemap
    site: str = ""  # URL of the site whose entries alone count, of a sitemap that may be that of a whole host

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[SitemapDocument]:
        for row in self.rows:
            if (content := self.store(row.key)) is None:
                raise BaselineError(f"{row.path} was removed while it was read", hint="run again")
            yield SitemapDocument(row.path, content, row.address, row.named)

    def has_sitemap(self) -> bool:
        """Whether the first document is a sitemap, and not a page that a host answers every path with."""
        return is_sitemap(next(iter(self)).content)


ServedSitemap: TypeAlias = tuple[Documents, bytes | None]
"""The sitemap that a site serves, without documents when its address answers 404 or 410; and the site's robots.txt, b""
when it has none, None when that is not known."""


class FetchSitemap(Protocol):
    def __call__(self, url: str, folder: Path, likely: Sequence[str] = (), /) -> ServedSitemap:
        """The sitemap at a URL; of the URL of a site, with its final slash, what the site declares.

        `folder`: for its documents; `likely`: addresses where a site may have it that declares none. Raises
        UnreachableError; BaselineError for an index that cannot be read whole.
        """
        ...


class DocumentList:
    """The documents that a loading receives, in order; with a `folder` their bytes are kept there."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = None if folder is None else Path(tempfile.mkdtemp(dir=folder))
        self.rows: list[DocumentRow] = []

    def add(self, url: str, document: SitemapDocument) -> None:
        """The observer of the loading."""
        path = document.path
        key = path if self._folder is None else str(len(self.rows))
        if self._folder is not None:
            (self._folder / key).write_bytes(document.content)
        address = document.address if document.address.startswith(("http://", "https://")) else ""
        self.rows.append(DocumentRow(path=path, key=key, url=url, address=address, named=document.named))

    def documents(self, loaded: Loaded | None = None, store: Store = _no_file) -> Documents:
        """`store`: where the documents can be read again, when there is no folder. A damaged one is not missing."""
        received = {row.url for row in self.rows}
        missing = tuple(one for one in loaded.unavailable if one.url not in received) if loaded else ()
        return Documents(tuple(self.rows), WorkTree(self._folder) if self._folder is not None else store, missing)

    def path(self, url: str) -> str:
        """The name of a document, as findings cite it."""
        return {row.url: row.path for row in self.rows}.get(url, url)

    def place(self, one: Unavailable) -> str:
        """Where the index lists it: FILE:LINE."""
        return f"{self.path(one.listed_by)}:{one.line}"


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder for documents that should not be requested twice."""
    with tempfile.TemporaryDirectory(prefix="sitemap-action-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def find_documents(store: Store, path: str, folder: Path | None = None) -> Documents:
    """The sitemap at a path of a store, with everything that it lists; no documents when there is no such file.

    `folder`: a temporary one, for a store that is slow to read again. Raises BaselineError for a child that is not
    there or cannot be read: its URLs are unknown, not removed (DIFF-21).
    """
    source = sitemap_at(store, path)
    return Documents() if source is None else documents_of(source, folder)


def documents_of(source: LocalSitemaps, folder: Path | None = None) -> Documents:
    """All documents of a sitemap on this machine. Raises BaselineError for a child as `find_documents` does."""
    found = DocumentList(folder)
    loaded = load_local(source.answer, source.seeds, LoadingState(), NEVER, INDEXES_ALONE, observe=found.add)
    documents = found.documents(loaded, source.store)
    for one in documents.missing:
        listed = f"{found.place(one)}: the index lists {truncate(one.url)}"
        hint = "commit the child beside its index, or correct the index"
        raise BaselineError(f"{listed}, which is unavailable: {one.reason}", hint=hint)
    return documents


def available_documents(source: LocalSitemaps, folder: Path | None = None) -> Documents:
    """The documents that are there; a child that is not, or cannot be read, ends nothing.

    An address with a query is no file's, which proves nothing.
    """
    found, state = DocumentList(folder), LoadingState()
    loaded = load_local(source.answer_or_skip, source.seeds, state, NEVER, INDEXES_ALONE, observe=found.add)
    broken = [one for one in find_broken(state) if not urlsplit(one.url).query]
    named = tuple(replace(one, named_by=found.path(one.named_by)) for one in broken)
    return replace(found.documents(loaded, source.store), broken=named)


def git_sitemap(name: str, workspace: Path, *, offline: bool = False) -> LocalSitemaps:
    """The sitemap that git:REF:PATH names, PATH from the top of the repository. Raises BaselineError."""
    _, reference, path = (*name.split(":", 2), "")[:3]
    if not path:
        raise BaselineError(f"{name} names no file", hint=f"add its path: git:{reference}:public/sitemap.xml")
    git, commit = find_commit(name, workspace, offline=offline)
    top = git.top() or workspace
    found = sitemap_at(GitTree(git, commit, top, top), path)
    if found is None:
        raise BaselineError(f"there is no sitemap at {name}", hint="correct the path")
    return found


def user_named(source: str, paths: tuple[str, ...] = ()) -> LocalSitemaps:
    """What a path, a `file:` URL, a folder, git:REF:PATH or `-` names. Raises UsageError, BaselineError."""
    if source == STANDARD_INPUT:
        return LocalSitemaps(WorkTree(Path()), "", (source,), {source: standard_input()})
    return git_sitemap(source, Path.cwd()) if source.startswith("git:") else named_file(source, paths)


def standard_input() -> bytes:
    """Raises UsageError."""
    try:
        return read_bounded(sys.stdin.buffer, MAX_INFLATED)
    except OSError as error:
        raise UsageError(f"cannot read standard input: {error.strerror}", hint="pipe one sitemap into it") from None


def digest(content: bytes) -> str:
    """A short text that two documents share only when their bytes are the same."""
    return xxh3_128_hexdigest(content)


def same_bytes(one: Documents, other: Documents) -> bool:
    """Whether both hold the same bytes, document by document."""
    return len(one) == len(other) and all(
        mine.content == theirs.content for mine, theirs in zip(one, other, strict=True)
    )


def read_entries(document: SitemapDocument) -> Iterator[Entry]:
    """Raises BaselineError where the document breaks off."""
    if (parts := columns(document.content)) is not None:
        for part in parts:
            yield from part.entries()
        return
    for event in read(document.content, name=document.path if document.named else "", address=document.address):
        if isinstance(event, Entry):
            yield event
        elif isinstance(event, Fault) and event.fatal:
            raise damage_error(document)


def damage_error(file: SitemapDocument) -> BaselineError:
    """DIFF-21: where the document breaks off, and why."""
    faults = (event for event in read(file.content, name=file.path) if isinstance(event, Fault) and event.fatal)
    fault = next(faults)
    where = f"{file.path}:{fault.line}" if fault.line else file.path
    what = FATAL.get(fault.code, fault.code)
    hint = "restore the file from git, or delete it and run `sitemap-action write`"
    if is_url(file.path):
        hint = f"`sitemap-action validate {shlex.quote(file.path)}` names every fault; correct what writes it"
    return BaselineError(f"{where}: {what}{f': {fault.detail}' if fault.detail else ''}", hint=hint)
