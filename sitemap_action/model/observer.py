"""What a run tells while it looks: a state for the progress line, and events as they happen."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class What(StrEnum):
    """Kinds of events."""

    FOUND = "found"  # a page to look at became known
    FETCHED = "fetched"
    SKIPPED = "skipped"  # known, and never asked for
    SITEMAP = "sitemap"  # a sitemap of the site was read
    WRITTEN = "written"  # a file was written


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened."""

    what: What
    url: str = ""
    path: str = ""
    status: int = 0  # HTTP status; 0 when there was no answer
    reason: str = ""
    found_on: str = ""
    depth: int = 0


@dataclass(slots=True)
class Progress:
    """How far a look is; counts only grow, but for `queued`."""

    done: int = 0
    queued: int = 0
    skipped: int = 0
    errors: int = 0  # URLs without a usable answer
    url: str = ""  # the one that was answered last


class Observer(Protocol):
    """Whoever watches; it must not slow the run down."""

    @property
    def wants_events(self) -> bool:
        """Whether anybody reads events: they need not be made for nobody."""
        ...

    def progress(self, progress: Progress) -> None: ...

    def event(self, event: Event) -> None: ...


class Nobody:
    """Nobody watches."""

    wants_events = False

    def progress(self, progress: Progress) -> None:
        pass

    def event(self, event: Event) -> None:
        pass


NOBODY = Nobody()
