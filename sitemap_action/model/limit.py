"""How many URLs a change may affect."""

from msgspec import Struct

PERCENT_FROM = 5
"""Fewer URLs than this never pass a percentage: of a small site every page is a large part (DIFF-41)."""


class Limit(Struct, frozen=True):
    """How many URLs may change: a number, a percentage, or both; with neither, any number."""

    count: int | None = None
    percent: float | None = None  # at most two decimals

    def allows(self, amount: int, total: int) -> bool:
        """The stricter of number and percentage holds (DIFF-41)."""
        if self.count is not None and amount > self.count:
            return False
        if self.percent is None or amount < PERCENT_FROM:
            return True
        return amount * 10_000 <= round(self.percent * 100) * total

    def __str__(self) -> str:
        parts = [] if self.count is None else [str(self.count)]
        parts += [] if self.percent is None else [f"{self.percent:g}%"]
        return " or ".join(parts) or "none"
