"""How many processes read the pages of a crawl, beside the one that fetches them."""

import sys
from typing import TYPE_CHECKING

from msgspec import Struct

from sitemap_action.config.crawling import CrawlConfig
from sitemap_action.cpu import available_cores
from sitemap_action.crawl.visits import Reader
from sitemap_action.inventory.store import Inventory

if TYPE_CHECKING:
    from sitemap_action.crawl.reader_pool import ReaderPool

_MOST = 3  # more than one process can fetch for
_FAST = 500.0  # requests a second: a slower crawl needs a part of one core
_SMALL = 200  # pages that are read before a process is started


class ReaderCount(Struct, frozen=True):
    """0: the process that fetches reads too."""

    processes: int
    after: int = 0  # pages, before they are started


def reader_pool(reader: Reader, inventory: Inventory, crawl: CrawlConfig, rate: float | None) -> "ReaderPool | None":
    """None where the process that fetches reads too. `rate`: requests a second, None for any number."""
    count = reader_count(crawl.processes, rate)
    if not count.processes:
        return None
    from sitemap_action.crawl.reader_pool import ReaderPool  # noqa: PLC0415 - most crawls are slower than a core

    largest = 2 * crawl.max_body  # as served, and as a browser rendered it
    return ReaderPool(reader, inventory, count.processes, largest=largest, after=count.after)


def reader_count(asked: int | None, rate: float | None) -> ReaderCount:
    """`asked`: `crawl.processes`, None for auto; `rate`: requests a second, None for any number.

    A process is a fork, which needs Linux: elsewhere libraries of the system forbid it.
    """
    if sys.platform != "linux" or asked == 1:
        return ReaderCount(0)
    if asked is not None:
        return ReaderCount(asked)
    cores = available_cores()
    return ReaderCount(min(cores, _MOST) if cores > 1 and (rate is None or rate >= _FAST) else 0, _SMALL)
