"""Which entries of a sitemap `read` lists: patterns, priority, frequency and date."""

from datetime import datetime
from itertools import islice

from msgspec import Struct

from sitemap_action.errors import UsageError
from sitemap_action.model.sitemap import Entry
from sitemap_action.sitemap.dates import parse_date
from sitemap_action.sitemap.protocol import is_priority
from sitemap_action.store.listed import priority
from sitemap_action.store.loading_state import LoadingState
from sitemap_action.web.patterns import Patterns, compile_patterns

NOTHING = compile_patterns(())
FREQUENCIES = ("always", "hourly", "daily", "weekly", "monthly", "yearly", "never")


class Selection(Struct, frozen=True):
    """Conditions that must all hold; one that is not set holds."""

    include: Patterns
    exclude: Patterns
    priority_min: float | None = None
    require_priority: bool = False
    frequencies: frozenset[str] = frozenset()
    since: datetime | None = None

    @property
    def selecting(self) -> bool:
        """Whether anything can be skipped."""
        return self != Selection(NOTHING, NOTHING)

    def why(self, key: str, entry: Entry) -> str:
        """The first condition by which an entry is skipped, "" when it is not."""
        return self.address(key) or self.entry(entry)

    def address(self, key: str) -> str:
        """The pattern rule by which a URL is skipped, "" when it is not."""
        if self.include.patterns and self.include.match(key) is None:
            return "not-included"
        return "excluded" if self.exclude.match(key) is not None else ""

    def entry(self, entry: Entry) -> str:
        """The condition on its fields by which an entry is skipped, "" when it is not."""
        if self.require_priority and not is_priority(entry.priority):
            return "no-priority"
        if self.priority_min is not None and priority(entry) < self.priority_min:
            return "priority"
        if self.frequencies and entry.changefreq not in self.frequencies:
            return "changefreq"
        if self.since is None:
            return ""
        found = parse_date(entry.lastmod)
        if found is None:
            return "undated"
        return "before-since" if found.instant < self.since else ""


class FirstUrls(Struct):
    """Whether a loading has the first URLs that are wanted; counted when their number may have doubled."""

    selection: Selection
    limit: int
    at: int = 0  # stored entries from which it is worth counting
    found: bool = False

    def __call__(self, state: LoadingState) -> bool:
        stored = state.stored()
        if not self.found and stored >= max(self.at, self.limit):
            rows = (row for row in state.entries() if not self.selection.why(row[1], row[2]))
            self.found = sum(1 for _ in islice(rows, self.limit)) == self.limit
            self.at = 2 * stored
        return self.found


def instant(text: str) -> datetime:
    """The instant that `--since` names."""
    found = parse_date(text)
    if found is None:
        raise UsageError(f"--since {text} is not a date", hint="write 2026-11-20, or 2026-11-20T09:00:00Z")
    return found.instant


def frequencies(texts: tuple[str, ...]) -> frozenset[str]:
    """The values of `--changefreq`, each a word or several with commas."""
    words = [word.strip().lower() for text in texts for word in text.split(",")]
    for word in words:
        if word not in FREQUENCIES:
            raise UsageError(f"--changefreq {word} is not a frequency", hint=f"one of {', '.join(FREQUENCIES)}")
    return frozenset(words)
