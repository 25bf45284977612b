"""The committed sitemap and the baseline in the inventory: found, checked, stored, compared; their URLs are seeds."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, compress, islice
from pathlib import Path, PurePosixPath

from msgspec.structs import replace

from sitemap_action.checks.all import SetResult, check_set
from sitemap_action.checks.base import FileOptions, FileResult
from sitemap_action.config.schema import OutputConfig
from sitemap_action.decide.changes import Difference, differences
from sitemap_action.disk.folder import Folder, Workspace
from sitemap_action.errors import BaselineError, UsageError
from sitemap_action.look.documents import Documents, damage_error, digest, find_documents, read_entries
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.outcome import Changed
from sitemap_action.model.page import Page, PageKind
from sitemap_action.model.site import Role
from sitemap_action.model.sitemap import (
    NO_MARKUP,
    ChildSitemap,
    CommittedFile,
    DocumentKind,
    Entry,
    EntryBatch,
    Markup,
    SitemapDocument,
)
from sitemap_action.sitemap.decode import inflated_size
from sitemap_action.sitemap.protocol import formats_of, url_key
from sitemap_action.sitemap.read import columns
from sitemap_action.sitemap.split import Layout, is_generated, is_shard
from sitemap_action.sitemap.write import is_fingerprint_file, read_fingerprints, read_markup
from sitemap_action.store.entries import SCHEMA, add_batches, make_batch, read_differing
from sitemap_action.store.inventory import Inventory, temporary
from sitemap_action.walk.folders import Store
from sitemap_action.web import urls
from sitemap_action.web.media import is_page_name

_ROWS = 500  # entries in memory before they are stored
_HEAD = 4096  # bytes, in which the comment of the generator is, and the root of a document
_FEED = lazy_re(rb"<(?:rss|feed|rdf:RDF)[\s>]")


def store_checked(
    inventory: Inventory, documents: Documents, address: str, options: FileOptions, site_url: str = ""
) -> tuple[SetResult, tuple[CommittedFile, ...]]:
    """Store the committed sitemap and check every rule that needs its bytes alone, in one pass; and its files.

    `address`: its URL. Entries of other builds are not stored. Raises BaselineError when a document is damaged.
    """
    intake = _Intake(inventory, Role.COMMITTED, site_url)
    result = check_set(intake.documents(documents, address), options, intake.sink)
    intake.flush()
    if damaged := {file.path for file in result.files if not file.complete}:
        raise damage_error(next(document for document in documents if document.path in damaged))
    return result, intake.files(documents, result.files)


def store_entries(inventory: Inventory, role: Role, documents: Documents, site_url: str = "") -> None:
    """Store a sitemap that is only compared with.

    Raises BaselineError on a damaged one: half a file says nothing about the other half (DIFF-21).
    """
    intake = _Intake(inventory, role, site_url)
    for document in intake.documents(documents, ""):
        if (parts := columns(document.content)) is not None:
            for part in parts:
                intake.add_columns(part)
            continue
        entries = read_entries(document)
        while rows := list(islice(entries, _ROWS)):
            intake.add(rows)
    intake.delete_others()


def compare_sitemaps(old: Documents, new: Documents) -> Iterator[Difference]:
    """The differences in order of URL. Raises BaselineError for a document that breaks off."""
    with temporary() as inventory:
        inventory.database.executescript(SCHEMA)
        for side, documents in enumerate((old, new)):
            with inventory.transaction():
                add_batches(inventory.database, side, _batches(documents))
        yield from differences(read_differing(inventory.database, 0, 1))


def _batches(documents: Documents) -> Iterator[EntryBatch]:
    for document in documents:
        if (parts := columns(document.content)) is not None:
            yield from parts
            continue
        entries = read_entries(document)
        while rows := [*islice(entries, _ROWS)]:
            yield make_batch(identities([entry.loc for entry in rows]), rows)


class _Intake:
    """The entries of one sitemap on their way into the inventory, with what is known of their files.

    An index may list the files of several builds: a file without any URL below site-url, of a site that has others in
    the same index, belongs to another one.
    """

    def __init__(self, inventory: Inventory, role: Role, site_url: str) -> None:
        self._inventory, self._role, self._site_url = inventory, role, site_url
        self._origin = f"{urls.origin(site_url)}/" if site_url else ""
        self._rows: list[Entry] = []
        self._children: dict[str, ChildSitemap] = {}
        self._files: list[tuple[str, int, Markup]] = []  # digest, size and markup of each
        self._only = ""  # the site whose entries alone are stored; "" for all
        self._below: set[int] = set()  # numbers of the files with a URL below site-url
        self._outside: set[int] = set()  # and of those with one on another site
        self._index = self._feed = False  # whether the first file is an index, and the last one a feed of it
        self._ignored: Counter[int] = Counter()  # by number of a feed, its item links that are no pages

    def documents(self, documents: Documents, address: str) -> Iterator[SitemapDocument]:
        self._only = documents.site
        for document in documents:
            self.flush()
            markup = read_markup(document.content) if self._role is Role.COMMITTED else NO_MARKUP
            self._feed = self._index and _FEED.search(document.content[:_HEAD]) is not None
            self._index = self._index or b"<sitemapindex" in document.content[:_HEAD]
            self._files.append((digest(document.content), inflated_size(document.content), markup))
            yield replace(document, address=document.address or address)

    def sink(self, _file: SitemapDocument, event: Entry | ChildSitemap) -> None:
        if isinstance(event, ChildSitemap):
            if len(self._files) == 1:
                self._children.setdefault(url_key(event.loc), event)
            return
        self._rows.append(event)
        if len(self._rows) >= _ROWS:
            self.flush()

    def flush(self) -> None:
        if self._rows:
            self.add(self._rows)
            self._rows.clear()

    def add(self, entries: list[Entry]) -> None:
        """Entries of the document that was given last."""
        keys = identities([entry.loc for entry in entries])
        if self._only and not all(map(self._counts, keys)):
            entries = [entry for key, entry in zip(keys, entries, strict=True) if self._counts(key)]
            keys = [key for key in keys if self._counts(key)]
        if self._feed:
            pages = [is_page_name(key.partition("?")[0], ("html",)) for key in keys]
            self._ignored[len(self._files) - 1] += pages.count(False)
            keys, entries = list(compress(keys, pages)), list(compress(entries, pages))
        number = self._note_places(keys)
        self._inventory.add_entries(self._role, zip(keys, entries, strict=True), number)

    def add_columns(self, part: EntryBatch) -> None:
        """Add entries whose URLs are in normal form."""
        keys = part.keys.split("\n") if self._site_url else ()
        if self._only and not all(map(self._counts, keys)):
            self.add([*part.entries()])
            return
        number = self._note_places(keys)
        self._inventory.add_columns(self._role, part, number)

    def _counts(self, key: str) -> bool:
        """Whether it is none of another site on the same host, which one sitemap may list too."""
        return key.startswith(self._only) or not key.startswith(self._origin)

    def _note_places(self, keys: Sequence[str]) -> int:
        """The number of the document that was given last; whether it has a URL below site-url, or on another site."""
        number = len(self._files) - 1
        if self._site_url and number:
            if number not in self._below and any(key.startswith(self._site_url) for key in keys):
                self._below.add(number)
            if number not in self._outside and not all(key.startswith(self._origin) for key in keys):
                self._outside.add(number)
        return number

    def delete_others(self) -> frozenset[int]:
        """The numbers of the files of other builds, whose entries are not compared."""
        if not self._site_url or not self._below:
            return frozenset()
        others = frozenset(range(1, len(self._files))) - self._below - self._outside
        for number in others:
            self._inventory.delete_entries(self._role, number)
        return others

    def files(self, documents: Documents, results: Sequence[FileResult]) -> tuple[CommittedFile, ...]:
        others = self.delete_others()
        return tuple(
            CommittedFile(
                path=result.path,
                kind=result.kind,
                digest=found,
                size=size,
                entries=result.entries,
                loc=child.loc if (child := self._children.get(row.url)) else "",
                lastmod=child.lastmod if child else "",
                markup=markup,
                other=((number in others and result.kind is not DocumentKind.INDEX) or result.feed_of_index)
                and child is not None,
                ignored=self._ignored[number],
            )
            for number, (result, row, (found, size, markup)) in enumerate(
                zip(results, documents.rows, self._files, strict=True)
            )
        )


def identities(locs: list[str]) -> list[str]:
    """The identity of each URL; one test for all of them, which nearly every batch passes."""
    text = "\n".join(locs)
    plain = bool(locs) and text.count("\n") == len(locs) - 1 and max(map(len, locs)) <= urls.MAX_LENGTH
    return locs if plain and urls.are_normalized(f"{text}\n".encode()) else list(map(identity, locs))


def identity(loc: str) -> str:
    """The safe normal form of a URL, or its raw text when it is none (DIFF-01)."""
    return urls.normal_form(loc) or loc


def seeds(
    inventory: Inventory,
    site_url: str,
    roles: Iterable[Role],
    moved_from: Sequence[str] = (),
    more: Iterable[str] = (),
) -> Iterator[str]:
    """Every URL below site-url that a sitemap lists; another one is stored as foreign, and its counterpart is a seed.

    So every entry has a page, and every removal a class (DIFF-03). `more`: other URLs, in normal form.
    """
    others = []
    for key in chain(*(inventory.identities(role) for role in roles), more):
        if key.startswith(site_url):
            yield key
            continue
        page = foreign(key, site_url, moved_from)
        others.append(page)
        if page.target:
            yield page.target
    inventory.add_pages(others)


def foreign(key: str, site_url: str, moved_from: Sequence[str] = ()) -> Page:
    """A URL that is not below site-url; its counterpart is the same path there, of /docs the directory /docs/.

    Of a URL below an old base of a site that moves it is the same path below site-url.
    """
    for old in moved_from:
        if key.startswith(old):
            return Page(key, PageKind.FOREIGN, target=site_url + key[len(old) :])
    try:
        counterpart = urls.origin(site_url) + urls.path_query(key)
    except urls.BadUrl as error:
        return Page(key, PageKind.FOREIGN, reason=f"not the URL of a page: {error}")
    counterpart = site_url if f"{counterpart}/" == site_url else counterpart
    return Page(key, PageKind.FOREIGN, target=counterpart if counterpart.startswith(site_url) else "")


def existing_shards(workspace: Path, sitemap: str) -> tuple[tuple[str, ...], frozenset[str]]:
    """Numbered files beside the sitemap: those of an earlier run, ours by name and by comment, and all others.

    Only the first may ever be deleted (SM-08), and of the second none is replaced (R-31).
    """
    directory, layout = PurePosixPath(sitemap).parent, Layout(sitemap, "")
    try:
        with Workspace(workspace).folder(str(directory)) as folder:
            names = sorted(name for name in folder.names() if is_shard(name, layout))
            ours = tuple(str(directory / name) for name in names if _is_ours(folder, name))
    except OSError:
        return (), frozenset()
    return ours, frozenset(str(directory / name) for name in names) - {*ours}


def _is_ours(folder: Folder, name: str) -> bool:
    try:
        with folder.open_regular(name) as file:
            return is_generated(file.read(_HEAD))
    except OSError:  # a link, a pipe, or not for this user
        return False


def read_fingerprint_file(path: str, sitemap: str, site_url: str, store: Store, inventory: Inventory) -> str:
    """The digest of the file, "" where it is missing. What it has of a page counts before what a state has."""
    if path == sitemap:
        raise UsageError(f"{path} is the sitemap", hint="name another file in output.fingerprints")
    content = store(path)
    if content is None:
        return ""
    if not is_fingerprint_file(content):
        hint = "name a file of its own in output.fingerprints, such as sitemap.fingerprints"
        raise UsageError(f"{path} is there, and is no file of fingerprints", hint=hint)
    inventory.give_contents(read_fingerprints(content, urls.origin(site_url)))
    return digest(content)


def digests_of_copies(output: OutputConfig, sitemap: str, paths: Sequence[str], store: Store) -> dict[str, str]:
    """Path → digest, "" for a file that is missing. `paths`: of the documents of the judged sitemap."""
    found = {path: store(path) for path in _candidates(output, sitemap, paths)}
    return {path: "" if content is None else digest(content) for path, content in found.items()}


def copies_in_step(documents: Documents, store: Store) -> tuple[dict[str, str], tuple[str, ...]]:
    """Digests of the copies beside a sitemap of one file with the same URLs, and paths of those with others (U-21)."""
    found: dict[str, str] = {}
    others = []
    path = documents.rows[0].path if len(documents) == 1 else ""
    for name in (f"{path}.gz", f"{path.removesuffix('.xml')}.txt") if path.endswith(".xml") else ():
        if (content := store(name)) is None:
            continue
        try:
            rows = compare_sitemaps(documents, find_documents(store, name))
            same = all(isinstance(row, Changed) for row in rows)
        except BaselineError:
            same = False
        if same:
            found[name] = digest(content)
        else:
            others.append(name)
    return found, tuple(others)


def _candidates(output: OutputConfig, sitemap: str, paths: Sequence[str]) -> Iterator[str]:
    own, *others = (Layout(sitemap, "", format=name) for name in formats_of(sitemap, output.format))
    beside = [path for layout in others for path in _paths_in_format(layout, own, paths)]
    yield from beside
    if output.gzip:
        yield from (f"{path}.gz" for path in (*paths, *beside) if not path.endswith(".gz"))


def _paths_in_format(layout: Layout, own: Layout, paths: Sequence[str]) -> Iterator[str]:
    """Paths of the numbered files, or of the one file, in another format."""
    shards = [path for path in paths if path != own.target and path.endswith(own.suffix)]
    if layout.format == "json" or not shards:
        yield layout.target
        return
    yield from (path.removesuffix(own.suffix) + layout.suffix for path in shards)
    yield layout.index
