"""A file at `--state`, fuzzed: whatever it holds, a run goes on or ends with our own error."""

import sqlite3
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from mutations import fuzz
from sitemap_action.config.schema import Config
from sitemap_action.errors import SitemapActionError
from sitemap_action.look.state import inventory
from sitemap_action.model.context import Context, Mode
from sitemap_action.model.page import Page, PageKind
from sitemap_action.model.site import Role

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SITE = Config(source=replace(Config().source, url="https://www.example.com/"))


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A good state of a site of forty pages."""
    path = tmp_path_factory.mktemp("state") / "state"
    with inventory(SITE, context(path)) as found:
        found.add_pages(Page(f"https://www.example.com/{number}", PageKind.PAGE, 200) for number in range(40))
        found.add_links((f"https://www.example.com/{number}", 1) for number in range(60))
        found.set_metadata("source_result", "{}")
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path


def context(path: Path) -> Context:
    return Context(Mode.CHECK, NOW, path.parent, state=path)


@pytest.mark.attack("bytes")
@given(st.lists(st.tuples(st.integers(0, 2**20), st.binary(min_size=1, max_size=40)), min_size=1, max_size=6), st.booleans(), st.integers(0, 2**17))  # fmt: skip
@fuzz(5)
def test_a_state(
    tmp_path_factory: pytest.TempPathFactory, state: Path, edits: list[tuple[int, bytes]], whole: bool, end: int
) -> None:
    damaged = bytearray(state.read_bytes())
    for place, content in edits:
        at = place % len(damaged)
        damaged[at : at + len(content)] = content
    path = tmp_path_factory.mktemp("damaged") / "state"
    path.write_bytes(bytes(damaged) if whole else bytes(damaged[:end]))
    with suppress(SitemapActionError), inventory(SITE, context(path)) as found:
        for page in found.pages():
            assert isinstance(page, Page)
        found.urls_without_page()
        list(found.entries(Role.COMMITTED))
