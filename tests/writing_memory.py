"""Memory that a writer keeps while it makes files: beside their bytes, and of those of a large sitemap."""

import time
import tracemalloc
from collections.abc import Iterator

from sitemap_action.model.sitemap import CommittedFile, DocumentKind, Entry
from sitemap_action.sitemap.split import Layout, Splitter
from sitemap_action.sitemap.write import NOTHING_COMMITTED, CommittedSitemap

_ADDRESS = "https://www.example.com/sitemap.xml"


def held(count: int, per_file: int = 50_000, *, again: bool = False) -> tuple[int, int, float]:
    """(most bytes beside those of the files, bytes of the files, seconds)."""
    layout = Layout("sitemap.xml", _ADDRESS, per_file)
    splitter = Splitter(layout, committed=_committed(count, per_file) if again else NOTHING_COMMITTED)
    tracemalloc.start()
    start = time.process_time()
    for number, entry in enumerate(_entries(count)):
        splitter.add(entry, 1 + number // per_file if again else 0)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    files = splitter.finish()
    size = sum(len(file.content) for file in files)
    return most - size, size, time.process_time() - start


def kept(count: int) -> float:
    """What the files take while they wait to be written, as a share of their bytes."""
    splitter = Splitter(Layout("sitemap.xml", _ADDRESS))
    tracemalloc.start()
    for entry in _entries(count):
        splitter.add(entry)
    files = splitter.finish()
    found = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return found / sum(file.size for file in files)


def _entries(count: int) -> Iterator[Entry]:
    return (Entry(f"https://www.example.com/docs/{number:07}/", "2024-01-01") for number in range(count))


def _committed(count: int, per_file: int) -> CommittedSitemap:
    names = [f"sitemap-{number + 1}.xml" for number in range(-(-count // per_file))]
    index = CommittedFile(path="sitemap.xml", kind=DocumentKind.INDEX, digest="", size=0, entries=0)
    files = [
        CommittedFile(
            path=name,
            kind=DocumentKind.URLSET,
            digest="",
            size=per_file * 104,
            entries=per_file,
            loc=f"https://www.example.com/{name}",
        )
        for name in names
    ]
    return CommittedSitemap((index, *files))
