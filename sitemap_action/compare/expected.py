"""Removals that were announced in the config, and which of these announcements still mean something (DIFF-42)."""

from collections.abc import Sequence
from datetime import date

from sitemap_action.config.schema import ExpectedRemoval
from sitemap_action.model.outcome import Removed
from sitemap_action.web.patterns import Patterns, compile_patterns
from sitemap_action.web.urls import BadUrl


class Expected:
    """Says whether a removal was expected, and remembers which announcements were used."""

    def __init__(self, removals: Sequence[ExpectedRemoval], today: date) -> None:
        self._removals = [(removal, compile_patterns([removal.url])) for removal in removals]
        self._today = today
        self._used: set[ExpectedRemoval] = set()

    def reason(self, removed: Removed) -> str:
        """Why this removal was expected, as the config says it; "" when it was not, or the announcement has expired."""
        for removal, pattern in self._removals:
            if removal.reason_class in ("", removed.reason.value) and _matches(pattern, removed.url):
                self._used.add(removal)
                if not self._expired(removal):
                    return removal.reason
        return ""

    def unused(self) -> tuple[str, ...]:
        """An announcement that has expired is not told to be unused as well."""
        return tuple(
            removal.url for removal, _ in self._removals if removal not in self._used and not self._expired(removal)
        )

    def expired(self) -> tuple[str, ...]:
        return tuple(removal.url for removal, _ in self._removals if self._expired(removal))

    def _expired(self, removal: ExpectedRemoval) -> bool:
        return removal.until < self._today


def _matches(pattern: Patterns, url: str) -> bool:
    """A sitemap may list what is no URL: no pattern means that."""
    try:
        return pattern.match(url) is not None
    except BadUrl:
        return False
