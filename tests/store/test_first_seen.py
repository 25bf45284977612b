"""Days that are kept from run to run."""

from datetime import date
from pathlib import Path

from sitemap_action.store.first_seen import load_first_seen, store_first_seen
from sitemap_action.store.inventory import temporary
from sitemap_action.store.state import persistent

DAY = date(2026, 11, 20)


def test_a_persistent_inventory_keeps_the_days_of_any_key(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite"
    with persistent(path, "one site") as inventory:
        assert load_first_seen(inventory) == {}
        store_first_seen(inventory, {"gone /a": DAY, "gone /b": DAY})
    with persistent(path, "the next commit") as inventory:
        assert load_first_seen(inventory) == {"gone /a": DAY, "gone /b": DAY}
        store_first_seen(inventory, {"gone /b": DAY})
    with persistent(path, "the next commit") as inventory:
        assert load_first_seen(inventory) == {"gone /b": DAY}


def test_a_temporary_inventory_keeps_nothing() -> None:
    with temporary() as inventory:
        assert load_first_seen(inventory) is None
        store_first_seen(inventory, {"gone /a": DAY})
        assert load_first_seen(inventory) is None
