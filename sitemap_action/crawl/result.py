"""How a crawl ended: what could not be seen and why, in the words of the report."""

import json
from dataclasses import astuple, dataclass, replace

from sitemap_action.config.crawling import CrawlConfig, OnLimit
from sitemap_action.crawl.visits import SHELL
from sitemap_action.inventory.codec import decode_page, encode
from sitemap_action.inventory.frontier import Frontier
from sitemap_action.inventory.store import Inventory
from sitemap_action.model.page import Page, PageKind
from sitemap_action.model.sitemap import BrokenSitemap
from sitemap_action.model.source import SourceResult

_SIGNALS = {2: "Ctrl-C", 15: "SIGTERM"}


@dataclass(frozen=True, slots=True)
class StopReason:
    """What ended a crawl before there was nothing left."""

    signal: int = 0
    late: bool = False  # the deadline passed
    blocked: str = ""
    full: bool = False  # the page limit was reached

    @property
    def cut_short(self) -> bool:
        return bool(self.signal or self.late or self.blocked)


def refused_result(frontier: Frontier, inventory: Inventory, location: str, why: str, hint: str) -> SourceResult:
    """Nothing could be seen at all; every URL that needs an answer has this one."""
    inventory.add_pages(Page(url, PageKind.UNDETERMINED, reason=why) for url in frontier.unanswered())
    return SourceResult("url", location, (f"{why}; {hint}" if hint else why,), no_pages=True)


def crawl_result(
    inventory: Inventory, frontier: Frontier, crawl: CrawlConfig, end: StopReason, begun: SourceResult
) -> SourceResult:
    """`begun` holds what the first requests brought."""
    incomplete, notes = _reasons(frontier, crawl, end)
    left = frontier.unanswered()
    why = incomplete[0] if incomplete else "nothing answered"
    inventory.add_pages(Page(url, PageKind.UNDETERMINED, reason=why) for url in left)
    result = replace(
        begun,
        incomplete=(*begun.incomplete, *incomplete, *_shells(frontier)),
        no_pages=not frontier.has_page(),
        notes=(*begun.notes, *notes, *_asides(frontier)),
        interrupted=end.signal and 128 + end.signal,
    )
    if not end.cut_short and not left and not result.no_pages:
        frontier.finish()
        inventory.set_fact("gathered", _text(result))
    return result


def earlier_result(inventory: Inventory) -> SourceResult | None:
    """How the same look ended before, when it came to its end; None when it has to be taken."""
    text = inventory.fact("gathered")
    if not text or not inventory.fact("finished"):
        return None
    values = json.loads(text)
    robots = values["robots"]
    return SourceResult(
        "url",
        values["location"],
        tuple(values["incomplete"]),
        notes=tuple(values["notes"]),
        robots=None if robots is None else robots.encode("latin-1"),
        probes=tuple(decode_page(record, 0) for record in values["probes"]),
        broken=None if values["broken"] is None else tuple(BrokenSitemap(*row) for row in values["broken"]),
    )


def _text(result: SourceResult) -> str:
    return json.dumps(
        {
            "location": result.location,
            "incomplete": result.incomplete,
            "notes": result.notes,
            "robots": None if result.robots is None else result.robots.decode("latin-1"),
            "probes": [encode(page) for page in result.probes],
            "broken": None if result.broken is None else [astuple(one) for one in result.broken],
        }
    )


def _reasons(frontier: Frontier, crawl: CrawlConfig, end: StopReason) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Why not everything was seen, and limits that were the chosen scope."""
    left = frontier.left()
    rest = f"; {left:,} {'URL was' if left == 1 else 'URLs were'} found and not looked at"
    if end.blocked:
        return (f"{end.blocked}: something keeps this run out, and its answers say nothing about the pages{rest}",), ()
    if end.signal:
        return (f"stopped by {_SIGNALS.get(end.signal, end.signal)}{rest}",), ()
    if end.late:
        return (f"stopped after {crawl.deadline:g} seconds (crawl.deadline){rest}",), ()
    if not left:
        return (), ()
    which = (
        f"{crawl.max_pages:,} pages (crawl.max-pages)"
        if end.full
        else f"{crawl.max_depth} click{'' if crawl.max_depth == 1 else 's'} (crawl.max-depth)"
    )
    reason = f"stopped after {which}{rest}"
    return ((), (reason,)) if crawl.on_limit is OnLimit.ACCEPT else ((reason,), ())


def _asides(frontier: Frontier) -> tuple[str, ...]:
    return tuple(
        f"not asked for: {count:,} {'URL' if count == 1 else 'URLs'} such as {example} ({reason})"
        for reason, count, example in frontier.asides()
        if reason != SHELL
    )


def _shells(frontier: Frontier) -> tuple[str, ...]:
    """HTML-70: such a page never stands for a site of one page."""
    return tuple(
        f"{count:,} {'page makes its' if count == 1 else 'pages make their'} links with scripts, "
        f"which are not run here: {example}"
        for reason, count, example in frontier.asides()
        if reason == SHELL
    )
