"""The committed sitemap and the baseline in the inventory: found, checked, stored, and their URLs as seeds."""

from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from msgspec.structs import replace

from sitemap_action.checks.all import SetResult, check_set
from sitemap_action.checks.base import FileOptions
from sitemap_action.disk.folder import Folder
from sitemap_action.disk.workspace import Workspace
from sitemap_action.errors import BaselineError
from sitemap_action.inventory.store import Inventory
from sitemap_action.loader.documents import Documents
from sitemap_action.model.page import Page, PageKind
from sitemap_action.model.site import Role
from sitemap_action.model.sitemap import ChildSitemap, Entry, Fault, SitemapDocument
from sitemap_action.sitemap.faults import FATAL
from sitemap_action.sitemap.read import read
from sitemap_action.sitemap.split import Layout, is_generated, is_shard
from sitemap_action.web import urls

_ROWS = 500  # entries in memory before they are stored
_HEAD = 4096  # bytes, in which the comment of the generator is


def store_checked(inventory: Inventory, documents: Documents, address: str, options: FileOptions) -> SetResult:
    """Store the committed sitemap and check every rule that needs its bytes alone, in one pass.

    `address`: its URL. Raises BaselineError when a document is damaged.
    """
    rows: list[tuple[str, Entry]] = []

    def sink(_file: SitemapDocument, event: Entry | ChildSitemap) -> None:
        if isinstance(event, Entry):
            rows.append((identity(event), event))
            if len(rows) >= _ROWS:
                inventory.add_entries(Role.COMMITTED, rows)
                rows.clear()

    addressed = (replace(document, address=document.address or address) for document in documents)
    result = check_set(addressed, options, sink)
    inventory.add_entries(Role.COMMITTED, rows)
    if damaged := {file.path for file in result.files if not file.complete}:
        raise _damaged(next(document for document in documents if document.path in damaged))
    return result


def store_entries(inventory: Inventory, role: Role, documents: Documents) -> None:
    """Store a sitemap that is only compared with.

    Raises BaselineError on a damaged one: half a file says nothing about the other half (DIFF-21).
    """
    for document in documents:
        inventory.add_entries(role, ((identity(entry), entry) for entry in read_entries(document)))


def read_entries(document: SitemapDocument) -> Iterator[Entry]:
    """Raises BaselineError where the document breaks off."""
    for event in read(document.content, name=document.path if document.named else ""):
        if isinstance(event, Entry):
            yield event
        elif isinstance(event, Fault) and event.fatal:
            raise _damaged(document)


def identity(entry: Entry) -> str:
    """The safe normal form of the URL, or its raw text when it is none (DIFF-01)."""
    try:
        return urls.normalize(entry.loc)
    except urls.BadUrl:
        return entry.loc


def _damaged(file: SitemapDocument) -> BaselineError:
    """DIFF-21: where the document breaks off, and why."""
    faults = (event for event in read(file.content, name=file.path) if isinstance(event, Fault) and event.fatal)
    fault = next(faults)
    where = f"{file.path}:{fault.line}" if fault.line else file.path
    what = FATAL.get(fault.code, fault.code)
    return BaselineError(
        f"{where}: {what}{f': {fault.detail}' if fault.detail else ''}",
        hint="restore the file from git, or delete it and run `sitemap-action write`",
    )


def seeds(inventory: Inventory, site_url: str, roles: Iterable[Role]) -> Iterator[str]:
    """Every URL below site-url that a sitemap lists; another one is stored as foreign, and its counterpart is a seed.

    So every entry has a page, and every removal a class (DIFF-03).
    """
    others = []
    for role in roles:
        for key, _ in inventory.entries(role):
            if key.startswith(site_url):
                yield key
                continue
            page = foreign(key, site_url)
            others.append(page)
            if page.target:
                yield page.target
    inventory.add_pages(others)


def foreign(key: str, site_url: str) -> Page:
    """A URL that is not below site-url; its counterpart is the same path there."""
    try:
        counterpart = urls.origin(site_url) + urls.path_query(key)
    except urls.BadUrl as error:
        return Page(key, PageKind.FOREIGN, reason=f"not the URL of a page: {error}")
    return Page(key, PageKind.FOREIGN, target=counterpart if counterpart.startswith(site_url) else "")


def existing_shards(workspace: Path, sitemap: str) -> tuple[str, ...]:
    """Numbered files that an earlier run left beside the sitemap, ours by name and by comment.

    Only such files may ever be deleted (SM-08).
    """
    directory, layout = PurePosixPath(sitemap).parent, Layout(sitemap, "")
    try:
        with Workspace(workspace).folder(str(directory)) as folder:
            names = sorted(name for name in folder.names() if is_shard(name, layout))
            return tuple(str(directory / name) for name in names if _is_ours(folder, name))
    except OSError:
        return ()


def _is_ours(folder: Folder, name: str) -> bool:
    try:
        with folder.open_regular(name) as file:
            return is_generated(file.read(_HEAD))
    except OSError:  # a link, a pipe, or not for this user
        return False
