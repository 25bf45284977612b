"""The sitemap that a build ships at the address of the judged one: the file that search engines will read (ENV-07)."""

from pathlib import PurePosixPath
from urllib.parse import unquote

from sitemap_action.baseline.committed import compare_sitemaps
from sitemap_action.baseline.judged import BuildFolder
from sitemap_action.errors import BaselineError
from sitemap_action.loader.collect import collect_stored
from sitemap_action.loader.documents import Documents, same_bytes
from sitemap_action.loader.stores import WorkTree
from sitemap_action.model.outcome import Added, Changed
from sitemap_action.model.sitemap import ShippedSitemap


def shipped_sitemap(build: BuildFolder, judged: str, documents: Documents, name: str) -> ShippedSitemap | None:
    """`documents`: of the judged sitemap; `name`: its address, relative to site-url. None where both are the same."""
    name = unquote(name.partition("?")[0])
    path = str(PurePosixPath(build.inside or build.path) / name)
    root = build.root()
    if root is None or not documents or path == judged:
        return None
    try:
        shipped = collect_stored(WorkTree(root), name)
        if not shipped:
            return ShippedSitemap(path)
        return None if same_bytes(shipped, documents) else _compared(path, documents, shipped)
    except BaselineError as error:
        return ShippedSitemap(path, present=True, unread=str(error))


def _compared(path: str, judged: Documents, shipped: Documents) -> ShippedSitemap | None:
    rows = [row for row in compare_sitemaps(judged, shipped) if not isinstance(row, Changed)]
    added = tuple(row.url for row in rows if isinstance(row, Added))
    lacking = tuple(row.url for row in rows if not isinstance(row, Added))
    return ShippedSitemap(path, present=True, only_here=added, lacking=lacking) if rows else None
