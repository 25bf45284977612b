"""The result of a crawl: what was not fetched and why, and what came from a state (U-11), as text of the report."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.config.schema import Config, CrawlConfig, OnLimit, RenderWhen
from sitemap_action.decide.redirects import landing_page
from sitemap_action.fetch.base import why_not_run
from sitemap_action.model.page import Page, PageKind
from sitemap_action.model.source import SourceResult, StateUse
from sitemap_action.model.wording import plural
from sitemap_action.store.frontier import Frontier
from sitemap_action.store.inventory import Inventory
from sitemap_action.walk.reader import are_many_shells, scripted_links_reason

_UNFINISHED = "the crawl in the state did not end"
_SIGNALS = {2: "Ctrl-C", 15: "SIGTERM"}


class StopReason(Struct, frozen=True):
    """What ended a crawl before every URL was visited."""

    signal: int = 0
    deadline_passed: bool = False
    blocked: str = ""  # why the crawl gave up
    limit_reached: bool = False  # of pages

    @property
    def cut_short(self) -> bool:
        return bool(self.signal or self.deadline_passed or self.blocked)


def refused_result(frontier: Frontier, inventory: Inventory, location: str, why: str, hint: str) -> SourceResult:
    """No page could be read: each required URL is undetermined, with this reason."""
    inventory.add_pages(Page(url, PageKind.UNDETERMINED, reason=why) for url in frontier.unanswered_urls())
    return SourceResult("url", location, (f"{why}; {hint}" if hint else why,), no_pages=True)


def crawl_result(
    inventory: Inventory, frontier: Frontier, config: Config, stop: StopReason, opened: SourceResult
) -> SourceResult:
    """`opened` is the result of the first requests, to which that of the crawl is added."""
    why, incomplete, notes = _limit(frontier, config.crawl, stop)
    unanswered = frontier.unanswered_urls()
    why = why if incomplete else "no answer"  # the rest is said once
    inventory.add_pages(Page(url, PageKind.UNDETERMINED, reason=why) for url in unanswered)
    use = opened.rendering
    why_left = partial(why_not_run, use=use, never=config.render.when is RenderWhen.NEVER)
    unseen = (*(use.incomplete if use else ()), *_scripted_links(inventory, frontier, why_left))
    result = replace(
        opened,
        incomplete=(*opened.incomplete, *incomplete, *unseen),
        no_pages=not frontier.has_page(),
        notes=(*opened.notes, *(use.notes if use else ()), *notes, *_skip_notes(frontier)),
        interrupted=stop.signal and 128 + stop.signal,
    )
    if not stop.cut_short and not unanswered and not result.no_pages:
        frontier.finish()
        of_site = replace(result, state=None, rendering=None)  # what this run cost is no fact about the site
        inventory.set_metadata("source_result", msgspec.json.encode(of_site).decode())
    return result


def shard_result(
    inventory: Inventory, frontier: Frontier, crawl: CrawlConfig, stop: StopReason, opened: SourceResult
) -> SourceResult:
    """The result of one shard: a limit that it reached is a matter of the merge, which looks at what is missing."""
    incomplete = _limit(frontier, crawl, stop)[1] if stop.cut_short else ()
    if not stop.cut_short:
        inventory.set_metadata("finished", "1")
    return replace(opened, incomplete=(*opened.incomplete, *incomplete), interrupted=stop.signal and 128 + stop.signal)


def previous_result(inventory: Inventory) -> SourceResult | None:
    """The result of a finished crawl of the same site and options; None when there is none."""
    text = inventory.metadata("source_result")
    if not text or not inventory.metadata("finished"):
        return None
    try:
        return msgspec.json.decode(text, type=SourceResult)
    except msgspec.MsgspecError:
        return None


def _limit(frontier: Frontier, crawl: CrawlConfig, stop: StopReason) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """(what ended the crawl, the reason why it is incomplete, or else a note: the limit is the chosen scope)."""
    count = frontier.unvisited_count()
    rest = f"{count:,} {'URL was' if count == 1 else 'URLs were'} found and not fetched"
    why, hint = _limit_and_hint(crawl, stop) if count or stop.cut_short else ("", "")
    if not why:
        return "", (), ()
    if crawl.on_limit is OnLimit.ACCEPT and not stop.cut_short:
        return why, (), (f"{why}; {rest}",)
    return why, ("; ".join(filter(None, (why, rest, hint))),), ()


def _limit_and_hint(crawl: CrawlConfig, stop: StopReason) -> tuple[str, str]:
    """(what ended the crawl before every URL was visited, what to do)."""
    if stop.blocked:
        return f"{stop.blocked}: this run is blocked, so the answers are no evidence about the pages", ""
    if stop.signal:
        return f"stopped by {_SIGNALS.get(stop.signal, stop.signal)}", ""
    if stop.deadline_passed:
        return f"stopped after {crawl.deadline:g} seconds (crawl.deadline)", "raise crawl.deadline"
    key = "crawl.max-pages" if stop.limit_reached else "crawl.max-depth"
    limit = plural(crawl.max_pages, "page") if stop.limit_reached else plural(crawl.max_depth, "click")
    why = f"stopped after {limit} ({key})"
    return why, f"raise {key}, or set crawl.on-limit: accept where that is the whole scope"


def _skip_notes(frontier: Frontier) -> tuple[str, ...]:
    return tuple(
        f"not fetched: {count:,} {'URL' if count == 1 else 'URLs'} such as {example} ({reason})"
        for reason, count, example in frontier.skip_counts()
    )


def _scripted_links(inventory: Inventory, frontier: Frontier, why: Callable[[Page | None], str]) -> tuple[str, ...]:
    """HTML-70: the links of such a page are unknown, so the crawl is incomplete, unless such pages are few."""
    count, example = frontier.pages_without_links()
    if not count:
        return ()
    pages = (landing_page(inventory, url) for url in frontier.urls_at(0, required_only=False))
    is_start = any(page is not None and page.needs_scripts for page in pages)
    if not is_start and not are_many_shells(count, frontier.document_count()):
        return ()
    return (scripted_links_reason(count, example, why(inventory.page(example))),)


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
            f"state: {use.unchanged:,} of {plural(use.pages, 'page')} did not change since the run that began "
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
            return f"{plural(seconds // size, unit)} ago"
    return "less than a minute ago"


def _time(text: str) -> str:
    """A time of the state in UTC; "" for a text that is no time with a zone."""
    try:
        found = datetime.fromisoformat(text)
        return found.astimezone(UTC).isoformat(timespec="seconds") if found.tzinfo is not None else ""
    except (ValueError, OverflowError):
        return ""


def stored_result(inventory: Inventory, location: str) -> SourceResult:
    """That of a served site as the state of a finished crawl has it."""
    found = previous_result(inventory)
    if found is None:
        return SourceResult(kind="url", location=location, incomplete=(_UNFINISHED,))
    return replace(found, location=location)
