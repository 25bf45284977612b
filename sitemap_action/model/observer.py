"""Progress and events that a run reports while it fetches."""

from enum import StrEnum
from typing import Protocol

from msgspec import Struct


class EventKind(StrEnum):
    """Values of `what` in the published event schema."""

    FOUND = "found"  # a page to fetch was discovered
    FETCHED = "fetched"
    SKIPPED = "skipped"  # discovered and not fetched
    SITEMAP = "sitemap"  # a sitemap of the site was read
    WRITTEN = "written"  # a file was written
    PROGRESS = "progress"  # how far the run is, about once a second and at the end


class Event(Struct, frozen=True):
    """One event; the field names are the keys of the published event schema."""

    what: EventKind
    url: str = ""
    path: str = ""
    status: int = 0  # HTTP status; 0 without a response
    reason: str = ""
    found_on: str = ""
    depth: int = 0


class Progress(Struct):
    """How far a run is; every count but `queued` only grows."""

    done: int = 0
    queued: int = 0
    skipped: int = 0
    errors: int = 0  # URLs without a usable response
    url: str = ""  # of the last response
    left: int | None = None  # pages that may still be fetched (crawl.max-pages); None: no limit


class Observer(Protocol):
    """Receives progress and events; must not slow the run down."""

    @property
    def wants_events(self) -> bool:
        """Whether events are read; if not, none are built."""
        ...

    def progress(self, progress: Progress) -> None: ...

    def event(self, event: Event) -> None: ...


class NullObserver:
    """Ignores everything."""

    wants_events = False

    def progress(self, progress: Progress) -> None:
        pass

    def event(self, event: Event) -> None:
        pass


NULL_OBSERVER = NullObserver()
