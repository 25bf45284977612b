"""Where the pages of a sitemap live, where the config does not say so (B-05)."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from sitemap_action.look.committed_sitemap import identity, read_entries
from sitemap_action.model.sitemap import SitemapDocument

_SAMPLE = 200  # URLs that are looked up in the build
_DEEPEST = 10  # directories that a site may be below


class SiteUrl(NamedTuple):
    """`met` of the `asked` URLs have a file of the build; 0 of 0 where there was no choice."""

    url: str  # "" where the sitemap does not determine it
    met: int = 0
    asked: int = 0


def derive_site_url(documents: Iterable[SitemapDocument], build: Path | None = None) -> SiteUrl:
    """The origin of all URLs and, of the directories that they share, the one below which they have files in the build.

    Without a build, or where no file fits, it is that common directory when it is itself listed.
    """
    origins: set[str] = set()
    first = last = ""
    sample = _Sample()
    for key in (identity(entry.loc) for document in documents for entry in read_entries(document)):
        if "://" in key:
            origins.add(key[: key.index("/", 8)])
            first, last = min(first or key, key), max(last, key)
            sample.add(key)
    if len(origins) != 1:
        return SiteUrl("")
    # What all keys begin with, first and last of them begin with; and it comes before all that begin with it.
    stated = first if first.endswith("/") and last.startswith(first) else f"{origins.pop()}/"
    shared = os.path.commonprefix([first, last])  # noqa: RUF071 - cut at its last directory next
    candidates = list(_directories(shared))
    if build is None or len(candidates) == 1:
        return SiteUrl(stated)
    met = {one: sum(_has_file(build, key[len(one) :]) for key in sample.keys) for one in candidates}
    best = max(candidates, key=lambda one: met[one])  # of equal ones the first: the build has that directory
    return SiteUrl(best, met[best], len(sample.keys)) if met[best] else SiteUrl(stated)


class _Sample:
    """Some of the URLs, evenly spread, however many come."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        self._seen, self._step = 0, 1

    def add(self, key: str) -> None:
        if self._seen % self._step == 0:
            if len(self.keys) == _SAMPLE:
                del self.keys[1::2]
                self._step *= 2
            if self._seen % self._step == 0:
                self.keys.append(key)
        self._seen += 1


def _directories(prefix: str) -> Iterator[str]:
    """From the origin down to the last directory of a prefix of URLs."""
    end = prefix.find("/", 8)
    for _ in range(_DEEPEST):
        if end < 0:
            return
        yield prefix[: end + 1]
        end = prefix.find("/", end + 1)


def _has_file(build: Path, path: str) -> bool:
    name = unquote(path.partition("?")[0])
    if "\0" in name or ".." in name.split("/") or name.startswith("/"):
        return False
    names = (f"{name}index.html",) if name.endswith("/") or not name else (name, f"{name}.html", f"{name}/index.html")
    return any(os.path.isfile(f"{build}/{one}") for one in names)  # noqa: PTH113 - names may be too long for a Path
