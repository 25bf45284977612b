"""Two sitemaps read beside each other, each by its own core, and compared part by part: memory stays flat."""

from itertools import islice, repeat
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory

from sitemap_action.baseline.committed import identity, read_entries
from sitemap_action.compare.entry_diff import Difference, diff_records
from sitemap_action.compare.entry_records import encode_entry, key_of_record
from sitemap_action.cpu import process_pool
from sitemap_action.inventory.buckets import COUNT, Buckets
from sitemap_action.loader.documents import Documents
from sitemap_action.model.sitemap import SitemapDocument
from sitemap_action.sitemap.fast.rows import Rows, rows
from sitemap_action.web.urls import BadUrl, are_normalized, normalize

_PROCESSES_FROM = 5  # files of one sitemap; below this, starting processes costs more than they save
_ROWS = 500  # entries handed over at once


def compare(old: Documents, new: Documents) -> list[Difference]:
    """In order of URL. Raises BaselineError for a document that breaks off."""
    with TemporaryDirectory(prefix="sitemap-action-", ignore_cleanup_errors=True) as folder:
        sitemaps = (old, new)
        paths = [Path(folder) / name for name in ("old", "new")]
        if max(map(len, sitemaps)) < _PROCESSES_FROM:
            before, after = map(_spread, sitemaps, paths)
        else:
            with process_pool(len(sitemaps)) as pool:
                before, after = pool.map(_spread, sitemaps, paths)
        found = [one for part in range(COUNT) for one in diff_records(before.side(part), after.side(part))]
    return sorted(found, key=attrgetter("url"))


def _spread(documents: Documents, path: Path) -> Buckets:
    buckets = Buckets(path)
    for document in documents:
        found = rows(document.content)
        if found is None:
            _one_by_one(document, buckets)
        else:
            _at_once(found, buckets)
    buckets.close()
    return buckets


def _at_once(found: Rows, buckets: Buckets) -> None:
    keys = found.locs if are_normalized(b"\n".join([*found.locs, b""])) else [_identity(loc) for loc in found.locs]
    records = keys
    if found.fields:
        columns = zip(*found.fields, strict=True)
        records = list(map(bytes.rstrip, map(b"\t".join, zip(keys, *columns, strict=True)), repeat(b"\t")))
    buckets.add(keys, records, found.lines)


def _identity(loc: bytes) -> bytes:
    text = loc.decode()
    try:
        return normalize(text).encode()
    except BadUrl:
        return loc


def _one_by_one(document: SitemapDocument, buckets: Buckets) -> None:
    keyed = ((identity(entry), entry) for entry in read_entries(document))
    while batch := list(islice(keyed, _ROWS)):
        records = [encode_entry(key, entry) for key, entry in batch]
        buckets.add([key_of_record(one) for one in records], records, [entry.line for _, entry in batch])
