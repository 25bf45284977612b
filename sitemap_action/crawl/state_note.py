"""What a crawl took from its state, and how old that is, as text of the report (U-11)."""

from collections.abc import Iterator
from datetime import UTC, datetime

from sitemap_action.model.source import StateUse
from sitemap_action.store.frontier import Frontier

_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"))


def state_use(frontier: Frontier, resumed: int) -> StateUse | None:
    """`resumed`: URLs that an interrupted run had visited. None where nothing of an earlier run was there."""
    since = _time(frontier.previous)
    if not frontier.persistent or not (resumed or since):
        return None
    begun = _time(frontier.begun) if resumed else ""
    return StateUse(
        unchanged=frontier.unchanged_count(),
        pages=frontier.document_count(),
        since=since,
        resumed=resumed,
        begun=begun,
    )


def notes(use: StateUse | None, now: datetime) -> Iterator[str]:
    if use is None:
        return
    if use.resumed:
        urls = f"{use.resumed:,} {'URL was' if use.resumed == 1 else 'URLs were'}"
        yield f"resumed: {urls} read by an interrupted run that began {_ago(use.begun, now)}"
    if use.since:
        yield (
            f"state: {use.unchanged:,} of {use.pages:,} pages have not changed since the run that began "
            f"{_ago(use.since, now)}: the server was asked for each, and answered 304"
        )


def _ago(time: str, now: datetime) -> str:
    if not time:
        return "at an unknown time"
    then = datetime.fromisoformat(time)
    return f"{then:%Y-%m-%d %H:%M} UTC ({_age(int((now - then).total_seconds()))})"


def _age(seconds: int) -> str:
    for size, unit in _UNITS:
        if seconds >= size:
            count = seconds // size
            return f"{count:,} {unit}{'' if count == 1 else 's'} ago"
    return "less than a minute ago"


def _time(text: str) -> str:
    """In UTC; "" for a text of the state that is no time with a zone."""
    try:
        found = datetime.fromisoformat(text)
        return found.astimezone(UTC).isoformat(timespec="seconds") if found.tzinfo is not None else ""
    except (ValueError, OverflowError):
        return ""
