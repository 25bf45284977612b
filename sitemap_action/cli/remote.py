"""Sitemaps of the web for `validate`: every document as it was served, one in memory at a time."""

import asyncio
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sitemap_action.baseline.diff_sitemaps import Kept
from sitemap_action.checks.base import LoadedFile
from sitemap_action.cli.network import config, load_options, web
from sitemap_action.errors import UnreachableError
from sitemap_action.inventory.loading import LoadingState
from sitemap_action.inventory.loading_file import opened
from sitemap_action.inventory.sitemap_status import SitemapState
from sitemap_action.loader.cross_submits import cross_submitted
from sitemap_action.loader.named import Wish, load_url
from sitemap_action.loader.result import Loaded, Received, Unavailable


@dataclass(frozen=True, slots=True)
class Served:
    """What came of one URL."""

    folder: Path
    received: list[Received]  # without their bytes, which are in the folder
    loaded: Loaded
    others: frozenset[str]  # origins that let this sitemap list their URLs (SM-30)

    @property
    def missing(self) -> tuple[Unavailable, ...]:
        """Documents of which nothing came."""
        came = {one.url for one in self.received}
        return tuple(one for one in self.loaded.unavailable if one.url not in came)

    def files(self) -> Iterator[LoadedFile]:
        for number, one in enumerate(self.received):
            data = (self.folder / str(number)).read_bytes()
            yield LoadedFile(one.url, data, one.body.address, one.body.named)


@contextmanager
def served(url: str, options: dict[str, Any], *, cross: bool = True) -> Iterator[Served]:
    """A sitemap or all that a site declares, fetched; what came is there until the end of the context.

    `cross`: other hosts whose URLs are listed are asked for their robots.txt.
    """
    with (
        tempfile.TemporaryDirectory(prefix="sitemap-action-", ignore_cleanup_errors=True) as name,
        opened(None) as state,
    ):
        folder = Path(name)
        yield asyncio.run(_fetched(url, options, folder, state, cross=cross))


@contextmanager
def kept(url: str, options: dict[str, Any]) -> Iterator[Kept]:
    """All documents of a sitemap, to compare with. Of one that did not come whole the URLs are unknown, not removed."""
    with served(url, options, cross=False) as found:
        if not found.loaded.complete:
            hint = "try again, or compare with a file"
            raise UnreachableError("; ".join(found.loaded.incomplete), hint=hint)
        yield Kept(tuple((one.url, found.folder / str(number)) for number, one in enumerate(found.received)))


async def _fetched(url: str, options: dict[str, Any], folder: Path, state: LoadingState, *, cross: bool) -> Served:
    received: list[Received] = []

    def keep(one: Received) -> None:
        (folder / str(len(received))).write_bytes(one.body.data)
        received.append(one.without_bytes())

    settings = config(options)
    limits = load_options(settings)
    async with web(url, settings, options) as fetcher:
        wish = Wish(url, datetime.now(UTC), limits, settings.sitemaps.paths, observe=keep)
        loaded = await load_url(fetcher, wish, state)
        if not cross:
            return Served(folder, received, loaded, frozenset())
        roots = {sheet.address for sheet in state.sheets(SitemapState.READ, SitemapState.FAILED) if sheet.address}
        others = await cross_submitted(fetcher, (key for _, key in state.urls()), roots)
    return Served(folder, received, loaded, others)
