"""Removals announced in the config, and announcements that are unused or expired (DIFF-42)."""

from collections.abc import Sequence
from datetime import date

from sitemap_action.config.schema import ExpectedRemoval
from sitemap_action.model.site import Reason
from sitemap_action.web.patterns import Patterns, compile_patterns
from sitemap_action.web.urls import BadUrl


class ExpectedRemovals:
    """Matches removals with announcements, and records which of these were used."""

    def __init__(self, removals: Sequence[ExpectedRemoval], today: date) -> None:
        self._removals = [(removal, compile_patterns([removal.url])) for removal in removals]
        self._today = today
        self._used: set[ExpectedRemoval] = set()

    def acknowledge(self, url: str, reason: Reason) -> str:
        """The announcement's reason for a removal; "" when there is no announcement, or it has expired."""
        for removal, pattern in self._removals:
            if removal.reason_class in ("", reason.value) and _matches(pattern, url):
                self._used.add(removal)
                if not self._expired(removal):
                    return removal.reason
        return ""

    def unused(self) -> tuple[str, ...]:
        """Patterns of announcements that are neither used nor expired."""
        return tuple(
            removal.url for removal, _ in self._removals if removal not in self._used and not self._expired(removal)
        )

    def expired(self) -> tuple[str, ...]:
        return tuple(removal.url for removal, _ in self._removals if self._expired(removal))

    def _expired(self, removal: ExpectedRemoval) -> bool:
        return removal.until < self._today


def _matches(pattern: Patterns, url: str) -> bool:
    """False where the sitemap lists what is no URL."""
    try:
        return pattern.match(url) is not None
    except BadUrl:
        return False
