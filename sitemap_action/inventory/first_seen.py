"""Since when each known trouble is there, from run to run (DIFF-43)."""

from collections.abc import Mapping
from datetime import date

from sitemap_action.inventory.store import Inventory

_TABLE = "CREATE TABLE IF NOT EXISTS first_seen (what TEXT PRIMARY KEY, day TEXT NOT NULL) WITHOUT ROWID"


def first_seen(inventory: Inventory) -> dict[str, date] | None:
    """What → its first day; None where nothing outlives the run."""
    if not inventory.lasting:
        return None
    inventory.database.execute(_TABLE)
    rows = inventory.database.execute("SELECT what, day FROM first_seen")
    return {what: date.fromisoformat(day) for what, day in rows}


def remember(inventory: Inventory, days: Mapping[str, date]) -> None:
    """In place of what was remembered: trouble that went away starts anew when it comes back."""
    if not inventory.lasting:
        return
    with inventory.transaction():
        inventory.database.execute(_TABLE)
        inventory.database.execute("DELETE FROM first_seen")
        rows = [(what, day.isoformat()) for what, day in sorted(days.items())]
        inventory.database.executemany("INSERT INTO first_seen VALUES (?, ?)", rows)
