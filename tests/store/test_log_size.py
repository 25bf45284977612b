"""U-12: the write-ahead log of a state stays small, whatever the size of a level and of the state."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from crawls import HOME, at
from sitemap_action.model.page import Facts, Head, Page, PageKind
from sitemap_action.store.codec import Visit
from sitemap_action.store.frontier import Frontier, QueuedUrl, VisitBatch
from sitemap_action.store.state import persistent
from webs import NOW

_BOUND = 16 * 2**20
_PAGES = 12_000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state"


def visit(row: QueuedUrl) -> Visit:
    page = Page(row.url, PageKind.PAGE, 200, facts=Facts(head=Head("x" * 1_000)))
    return Visit(row.id, page, links=(HOME, f"{row.url}/more"), etag='"1"')


def sizes(path: Path, frontier: Frontier) -> Iterator[int]:
    """Of the log after each batch of one level."""
    batch = VisitBatch()
    for row in frontier.level(0):
        batch.add(visit(row))
        if batch.size == 500:
            frontier.store(batch, 0)
            batch = VisitBatch()
            yield path.with_name(f"{path.name}-wal").stat().st_size


def test_the_log_is_bounded_while_a_level_is_read_and_when_the_next_run_begins(path: Path) -> None:
    with persistent(path, "a key", now=NOW) as inventory:
        frontier = Frontier(inventory)
        frontier.add_starts((at(f"/{number}"), "") for number in range(_PAGES))
        assert max(sizes(path, frontier)) < _BOUND
        frontier.finish()
    size = path.stat().st_size
    assert size > _BOUND
    with persistent(path, "a key", now=NOW) as inventory:  # keeps every page for conditional requests
        assert path.with_name(f"{path.name}-wal").stat().st_size < _BOUND
        previous = Frontier(inventory).previous_visit(at(f"/{_PAGES - 1}"))
        assert previous is not None
        assert previous.links == (HOME, at(f"/{_PAGES - 1}/more"))
