"""Progress and events of a build: the same stream as for a served site (U-19)."""

from collections.abc import Mapping, Sequence

from sitemap_action.model.observer import Event, EventKind, Observer, Progress
from sitemap_action.store.codec import decode_page


class ReadingObserver:
    """Reports the files of one build while they are read."""

    def __init__(self, observer: Observer, files: int) -> None:
        self._observer = observer
        self._progress = Progress(queued=files)

    def read(self, records: Sequence[tuple[str, str]]) -> None:
        progress = self._progress
        progress.done += len(records)
        progress.queued -= len(records)
        progress.url = records[-1][0] if records else progress.url
        self._observer.progress(progress)
        if self._observer.wants_events:
            for _, record in records:
                page = decode_page(record, 0)
                self._observer.event(Event(EventKind.FOUND, page.url, path=page.path))
                fetched = Event(
                    EventKind.FETCHED, page.url, path=page.path, status=page.status, reason=page.reason or page.unlisted
                )
                self._observer.event(fetched)


def report_skipped(observer: Observer, files: Mapping[str, str]) -> None:
    """Path → why it is not read."""
    if observer.wants_events:
        for path, why in sorted(files.items()):
            observer.event(Event(EventKind.SKIPPED, path=path, reason=why))
