"""Two sitemaps read beside each other, each by its own core, and compared part by part: memory stays flat."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, repeat
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory

from sitemap_action.baseline.choose import named
from sitemap_action.baseline.entries import entries, identity
from sitemap_action.compare.entry_records import key_of, record
from sitemap_action.compare.sets import Difference, differences
from sitemap_action.inventory.buckets import COUNT, Buckets
from sitemap_action.loader.documents import Files, SitemapDocument
from sitemap_action.sitemap.fast.rows import Rows, rows
from sitemap_action.web.urls import BadUrl, are_normal, normal

_PROCESSES_FROM = 5  # files of one sitemap; below this, starting processes costs more than they save
_ROWS = 500  # entries handed over at once


@dataclass(frozen=True, slots=True)
class Kept:
    """The documents of a sitemap that was fetched, each in a file."""

    files: tuple[tuple[str, Path], ...]  # (URL, where it is)

    def __len__(self) -> int:
        return len(self.files)

    def __iter__(self) -> Iterator[SitemapDocument]:
        for url, path in self.files:
            yield SitemapDocument(url, path.read_bytes(), url)


def compare(old: str, new: str, workspace: Path, fetched: Mapping[str, Kept] | None = None) -> list[Difference]:
    """In order of URL; `fetched`: those that are named by URL. Raises BaselineError for one that cannot be read."""
    kept = dict(fetched or {})
    with TemporaryDirectory(prefix="sitemap-action-", ignore_cleanup_errors=True) as folder:
        names = (old, new)
        paths = [Path(folder) / side for side in ("old", "new")]
        if max(len(_opened(name, workspace, kept)) for name in names) < _PROCESSES_FROM:
            before, after = map(_spread, names, paths, repeat(workspace), repeat(kept))
        else:
            from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 - a small sitemap starts no process

            with ProcessPoolExecutor(len(names)) as pool:
                before, after = pool.map(_spread, names, paths, repeat(workspace), repeat(kept))
        found = [one for part in range(COUNT) for one in differences(before.side(part), after.side(part))]
    return sorted(found, key=attrgetter("url"))


def _opened(name: str, workspace: Path, kept: Mapping[str, Kept]) -> Files:
    return kept[name] if name in kept else named(name, workspace)


def _spread(name: str, path: Path, workspace: Path, kept: Mapping[str, Kept]) -> Buckets:
    buckets = Buckets(path)
    for file in _opened(name, workspace, kept):
        found = rows(file.content)
        if found is None:
            _one_by_one(file, buckets)
        else:
            _at_once(found, buckets)
    buckets.close()
    return buckets


def _at_once(found: Rows, buckets: Buckets) -> None:
    keys = found.locs if are_normal(b"\n".join([*found.locs, b""])) else [_identity(loc) for loc in found.locs]
    records = keys
    if found.fields:
        columns = zip(*found.fields, strict=True)
        records = list(map(bytes.rstrip, map(b"\t".join, zip(keys, *columns, strict=True)), repeat(b"\t")))
    buckets.add(keys, records, found.lines)


def _identity(loc: bytes) -> bytes:
    text = loc.decode()
    try:
        return normal(text).encode()
    except BadUrl:
        return loc


def _one_by_one(file: SitemapDocument, buckets: Buckets) -> None:
    keyed = ((identity(entry), entry) for entry in entries(file))
    while batch := list(islice(keyed, _ROWS)):
        records = [record(key, entry) for key, entry in batch]
        buckets.add([key_of(one) for one in records], records, [entry.line for _, entry in batch])
