"""Progress and events that a run reports while it fetches."""

import re
from enum import StrEnum
from hashlib import sha256
from typing import Protocol
from urllib.parse import unquote, urlsplit

from msgspec import Struct, field

from sitemap_action.model.mask import NO_MASK, Mask


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


class Screenshots(Struct):
    """Pictures of rendered pages, as PNG by the name of the file; whoever has asked for them writes them."""

    mask: Mask = NO_MASK
    most: int = 200
    files: dict[str, bytes] = field(default_factory=dict)
    omitted: int = 0  # pages after the first `most`

    def reserve(self, url: str, document: bytes) -> str:
        """The name of its file, the same on every host; "" for none: it shows a secret, or `most` was reached."""
        if self.mask.hides(url) or self.mask.data(document) != document:
            return ""
        parts = urlsplit(url)
        path = f"{parts.path}?{parts.query}" if parts.query else parts.path
        words = re.sub(r"[^a-z0-9]+", "-", unquote(path).lower())[:60].strip("-") or "start"
        name = f"{words}-{sha256(path.encode()).hexdigest()[:8]}.png"
        if len(self.files) >= self.most and name not in self.files:
            self.omitted += 1
            return ""
        self.files.setdefault(name, b"")
        return name


class Observer(Protocol):
    """Receives progress and events; must not slow the run down."""

    @property
    def screenshots(self) -> Screenshots | None:
        """Where those of rendered pages are collected; None where nobody asked."""
        ...

    @property
    def wants_events(self) -> bool:
        """Whether events are read; if not, none are built."""
        ...

    def progress(self, progress: Progress) -> None: ...

    def event(self, event: Event) -> None: ...


class NullObserver:
    """Ignores everything."""

    screenshots = None
    wants_events = False

    def progress(self, progress: Progress) -> None:
        pass

    def event(self, event: Event) -> None:
        pass


NULL_OBSERVER = NullObserver()
