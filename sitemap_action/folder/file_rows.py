"""What decides whether a file has to be read again: digests of its content, of how it is served, and of its reader."""

import hashlib
import os
import sys
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TypeAlias

from blake3 import blake3

from sitemap_action import __version__
from sitemap_action.cpu import pool_size, process_pool
from sitemap_action.fetch.base import Answer, Response
from sitemap_action.folder.fetcher import MAX_BODY, FolderFetcher
from sitemap_action.folder.served_build import Build
from sitemap_action.hosts.base import fallback_documents
from sitemap_action.html.document import HtmlDocument
from sitemap_action.inventory.stored_files import IDS, FileRow
from sitemap_action.model.page import Facts, Page

UNSERVED = b"-"  # the content of a file that the host does not serve at its own address decides nothing
Digests: TypeAlias = Callable[[Sequence[str]], list[bytes]]

_POOL_FROM = 20_000  # files; below this, starting processes costs more than they save
_TASK = 500  # files
_BUFFER = 2**16  # bytes read at a time: most pages are smaller
_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0)


class FileRows:
    """Makes the rows of one process; links are numbered from batch to batch."""

    def __init__(self, build: Build) -> None:
        self._build = build
        self._fetcher = build.fetcher()
        self._positions: dict[str, int] = {}

    def begin(self) -> None:
        self._positions.clear()

    def row(self, path: str, answer: Answer, links: Sequence[str], targets: Mapping[str, str], stub: str) -> FileRow:
        """`answer`: at the address of the file; `links`: in the order in which they are counted."""
        served, positions = answer.path == path, self._positions
        return FileRow(
            path=path,
            digest=_of_content(answer) if served else UNSERVED,
            answer=answer_digest(self._build, self._fetcher, path),
            url=answer.url if served else "",
            links=array(IDS, [positions.setdefault(link, len(positions)) for link in links]),
            targets=targets,
            stub=stub,
        )


def reader_digest(build: Build) -> str:
    """Of all but the files and the host that decides what a file adds to the inventory."""
    blocked = build.blocked_resources if build.blocked_resources.any else None
    about = (
        (__version__, sys.byteorder, HtmlDocument.__struct_fields__, Facts._fields, Page._fields),
        (build.base, build.optional_facts, build.spellings, blocked, build.thresholds, build.renders),
        fallback_documents(build.host),
    )
    return hashlib.sha256(repr(about).encode(errors="backslashreplace"), usedforsecurity=False).hexdigest()


def answer_digest(build: Build, fetcher: FolderFetcher, path: str) -> bytes:
    """Of the URL of a file, and of what the host answers there, but for its content."""
    url = build.url(path)
    about = repr((url, fetcher.resolve(url))).encode(errors="backslashreplace")
    return hashlib.sha256(about, usedforsecurity=False).digest()[:16]


@contextmanager
def hashing(root: str, count: int) -> Iterator[Digests]:
    """On all cores, where there are many files."""
    if count < _POOL_FROM or (processes := pool_size()) == 1:
        yield partial(_digests, root)
        return
    with process_pool(processes) as pool:

        def digests(paths: Sequence[str]) -> list[bytes]:
            parts = [paths[start : start + _TASK] for start in range(0, len(paths), _TASK)]
            return [digest for part in pool.map(partial(_digests, root), parts) for digest in part]

        yield digests


def _digests(root: str, paths: Sequence[str]) -> list[bytes]:
    """In the order of `paths`; b"" for a file that cannot be read, or is too large."""
    return [_of_file(f"{root}/{path}") for path in paths]


def _of_file(name: str) -> bytes:
    """As cheap as can be: this is most of what an unchanged file costs.

    Half of SHA-256's time is BLAKE3's, and `open` takes half as long again as `os.open`.
    """
    try:
        descriptor = os.open(name, _READ)
        try:
            piece = os.read(descriptor, _BUFFER)
            found, size = blake3(piece), len(piece)
            while len(piece) == _BUFFER and size <= MAX_BODY:
                piece = os.read(descriptor, _BUFFER)
                found.update(piece)
                size += len(piece)
        finally:
            os.close(descriptor)
    except OSError:
        return b""
    return found.digest() if size <= MAX_BODY else b""


def _of_content(answer: Answer) -> bytes:
    """b"" for a file that is read every time."""
    if not isinstance(answer, Response):
        return b""
    return blake3(answer.body).digest()
