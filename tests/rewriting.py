"""A sitemap that is committed, read as a run reads it, and written again with other entries."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from sitemap_action.checks.base import FileOptions
from sitemap_action.config.schema import OutputConfig
from sitemap_action.decide.entries import SitemapGenerator
from sitemap_action.look.committed_sitemap import identity, store_checked
from sitemap_action.look.documents import digest, find_documents
from sitemap_action.model.page import Page, PageKind
from sitemap_action.model.site import Absent, KnownUrl, Listed, Reason, Role
from sitemap_action.model.sitemap import Entry
from sitemap_action.sitemap.write import CommittedSitemap
from sitemap_action.store.inventory import temporary

SITE = "https://www.example.com/"
SITEMAP = "public/sitemap.xml"
NOW = datetime(2026, 11, 1, tzinfo=UTC)


def rewrite(
    files: Mapping[str, bytes],
    entries: Iterable[Entry],
    output: OutputConfig | None = None,
    site: str = SITE,
    sitemap: str = SITEMAP,
) -> dict[str, bytes]:
    """The files that are written, by path, where `files` are committed."""
    address = f"{SITE}{sitemap.rpartition('/')[2]}"
    wanted = {identity(entry.loc): entry for entry in entries}
    with temporary() as inventory:
        _, found = store_checked(inventory, find_documents(files.get, sitemap), address, FileOptions(NOW), site)
        committed = dict(inventory.entries(Role.COMMITTED))
    digests = {file.path: file.digest for file in found}
    known = CommittedSitemap(found, lambda path, content: digests.get(path) == digest(content))
    generator = SitemapGenerator(output or OutputConfig(), sitemap, address, known)
    for url in sorted({*wanted, *committed}):
        page = Page(url, PageKind.PAGE)
        verdict = Listed(page, wanted[url]) if url in wanted else Absent(page, Reason.GONE)
        generator.on_url(KnownUrl(page, committed.get(url), None), verdict)
    return {file.path: file.content for file in generator.finish()}
