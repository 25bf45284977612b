"""The day on which each known problem was first found, stored from run to run (DIFF-43)."""

from collections.abc import Mapping
from datetime import date

from sitemap_action.store.inventory import Inventory

TABLE = "CREATE TABLE IF NOT EXISTS first_seen (what TEXT PRIMARY KEY, day TEXT NOT NULL) WITHOUT ROWID;"


def load_first_seen(inventory: Inventory) -> dict[str, date] | None:
    """Problem → its first day; None for a temporary inventory."""
    if not inventory.persistent:
        return None
    inventory.database.execute(TABLE)
    rows = inventory.database.execute("SELECT what, day FROM first_seen WHERE day = date(day)")  # else damaged
    return {problem: date.fromisoformat(day) for problem, day in rows}


def store_first_seen(inventory: Inventory, days: Mapping[str, date]) -> None:
    """Replaces what is stored: a problem that was absent for a run starts anew."""
    if not inventory.persistent:
        return
    with inventory.transaction():
        inventory.database.execute(TABLE)
        inventory.database.execute("DELETE FROM first_seen")
        rows = [(problem, day.isoformat()) for problem, day in sorted(days.items())]
        inventory.database.executemany("INSERT INTO first_seen VALUES (?, ?)", rows)
