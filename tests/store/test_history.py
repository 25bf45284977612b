"""What pages had is kept from run to run, until both the date and the text of one have changed (DIFF-31, DIFF-32)."""

from datetime import date
from pathlib import Path

import pytest

from fakes import at, gone, page
from sitemap_action.model.page import Page
from sitemap_action.model.site import Content, Role
from sitemap_action.model.sitemap import Entry
from sitemap_action.store.inventory import temporary
from sitemap_action.store.state import persistent

FIRST, SECOND = date(2026, 11, 20), date(2026, 11, 21)
A = at("/a")
KEPT, NEW = Content("f", "2026-01-01", "2026-11-20"), Content("g", "2026-02-02", "2026-11-21")


def run(
    path: Path, found: Page, lastmod: str, today: date, *, commit: str = "", entries: int = 1
) -> dict[str, Content]:
    """What the run knows of earlier ones; then what it has is stored."""
    with persistent(path, "a site", commit) as inventory:
        known = dict(inventory.contents())
        inventory.add_pages([found])
        inventory.add_entries(Role.COMMITTED, [(A, Entry(A, lastmod))] * entries)
        inventory.store_contents(today)
    return known


@pytest.mark.parametrize(
    ("found", "lastmod", "after"),
    [
        pytest.param(page("/a", fingerprint="f"), "2026-01-01", KEPT._replace(seen="2026-11-21"), id="nothing new"),
        pytest.param(page("/a", fingerprint="g"), "2026-02-02", NEW, id="both"),
        pytest.param(page("/a", fingerprint="f"), "2026-02-02", KEPT, id="a date alone"),
        pytest.param(page("/a", fingerprint="g"), "2026-01-01", KEPT, id="a text alone"),
        pytest.param(page("/a", fingerprint="g"), "", NEW._replace(lastmod=""), id="the date is gone"),
        pytest.param(page("/a"), "2026-02-02", KEPT, id="no content"),
        pytest.param(gone("/a"), "2026-02-02", KEPT, id="no page"),
    ],
)
def test_contents_are_kept(tmp_path: Path, found: Page, lastmod: str, after: Content) -> None:
    path = tmp_path / "state.sqlite"
    assert run(path, page("/a", fingerprint="f"), "2026-01-01", FIRST) == {}
    assert run(path, found, lastmod, SECOND, commit="the next one") == {A: KEPT}
    assert run(path, found, lastmod, SECOND, commit="one more") == {A: after}


def test_a_page_that_is_not_listed_any_more_is_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite"
    run(path, page("/a", fingerprint="f"), "2026-01-01", FIRST)
    run(path, page("/a", fingerprint="f"), "2026-01-01", FIRST, entries=0)
    assert run(path, page("/a", fingerprint="f"), "2026-01-01", FIRST) == {}


def test_a_temporary_inventory_keeps_nothing() -> None:
    with temporary() as inventory:
        inventory.store_contents(FIRST)
        assert list(inventory.contents()) == []


def test_DIFF_43_days_are_kept_from_run_to_run_whatever_the_key(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite"
    with persistent(path, "one site") as inventory:
        assert inventory.first_seen() == {}
        inventory.store_first_seen({"gone /a": FIRST, "gone /b": FIRST})
    with persistent(path, "the next commit") as inventory:
        assert inventory.first_seen() == {"gone /a": FIRST, "gone /b": FIRST}
        inventory.store_first_seen({"gone /b": FIRST})
    with persistent(path, "the next commit") as inventory:
        assert inventory.first_seen() == {"gone /b": FIRST}


def test_DIFF_43_a_temporary_inventory_keeps_no_days() -> None:
    with temporary() as inventory:
        assert inventory.first_seen() is None
        inventory.store_first_seen({"gone /a": FIRST})
        assert inventory.first_seen() is None
