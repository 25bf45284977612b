"""Which URLs of a level a crawl requests, which it requests a second time, and what makes it give up.

`LevelScheduler` hands out the queued URLs of a level in order, and never more than the page limit allows.
`Failures`: a retry waits for a second; an overload or a restart of the server takes longer (NET-06). So before a page
counts as one without an answer it is requested once more, after all others and a pause. And three URLs of a compared
sitemap, one after the other, that are all answered 403 are a firewall (HTML-40). They are looked for when all of a
level is known, so that the same server ends a crawl at the same level (NET-16).
`UrlFilter`: which URLs are not requested: by name, by the user's choice, by robots.txt, and as a trap, a pattern that
produces new URLs without end (URL-33).
"""

from collections import Counter
from collections.abc import Iterator

from msgspec import Struct, field

from sitemap_action.fetch.base import TOKEN, Answer, Failure, Skip
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.mask import NO_MASK, SECRET_URL, Mask
from sitemap_action.model.page import Page, PageKind
from sitemap_action.robots.groups import Robots
from sitemap_action.store.frontier import QueuedUrl
from sitemap_action.web.media import SkipFilter
from sitemap_action.web.patterns import Patterns
from sitemap_action.web.spellings import SiteMapping
from sitemap_action.web.urls import why_unlistable


class LevelScheduler:
    """Hands out the queued URLs of one level after the other, and never more than the `limit` of pages allows.

    Only answers that are pages are spent, so URLs under way are reserved: a URL is handed out only while spent and
    reserved ones are below the limit. That cuts a sorted level at one place, whatever the latencies: behind the URL
    that is the last page allowed (NET-09, NET-16).
    """

    def __init__(self, limit: int) -> None:
        self.spent = 0  # pages
        self._limit, self._reserved = limit, 0
        from asyncio import Event  # noqa: PLC0415 - a run over files has no event loop

        self._freed = Event()

    def begin_level(self, rows: Iterator[QueuedUrl], *, too_deep: bool) -> None:
        """`too_deep`: it is beyond the depth limit, and only required URLs are handed out."""
        self._rows, self._too_deep = rows, too_deep
        self._postponed: QueuedUrl | None = None  # until one more page is allowed
        self._stopped = False

    @property
    def pages_left(self) -> int:
        return max(self._limit - self.spent, 0)

    async def next(self) -> QueuedUrl | None:
        """The next URL; None when there is none, or none that may be fetched."""
        while not self._stopped and (row := self._postponed or next(self._rows, None)) is not None:
            self._postponed = None
            if row.required:
                return row
            if not self._too_deep and self.spent + self._reserved < self._limit:
                self._reserved += 1
                return row
            if not self._too_deep and self.pages_left:
                self._postponed = row
                self._freed.clear()
                await self._freed.wait()
        return None

    def stop(self) -> None:
        """Hand out no more URLs of this level; calls of `next` that are waiting return None."""
        self._stopped = True
        self._freed.set()

    def release(self, row: QueuedUrl, *, page: bool) -> None:
        """Free the reservation of a URL, once each that was handed out is known to be a page or none."""
        if not row.required:
            self._reserved -= 1
            self.spent += page
            self._freed.set()


PAUSE = 20
"""Times `http.backoff`, which is 10 seconds."""

_FIREWALL = 3  # URLs that a compared sitemap lists
_REFUSED = 403
_HOPELESS = 20  # requests that failed again, with none that succeeded: the server is down


class Failures(Struct):
    """What failed: which URLs are requested once more, and why a crawl gives up."""

    queued: dict[int, list[QueuedUrl]] = field(default_factory=dict)  # by depth, for the second pass
    firewall: str = ""  # why the crawl ends, "" while it goes on
    _again: set[str] = field(default_factory=set)  # URLs of the second pass
    _failed: int = 0  # of its requests
    _succeeded: bool = False
    _level: list[tuple[str, bool]] = field(default_factory=list)  # required URLs of a level, and whether one is refused
    _run: int = 0  # refused ones, one after the other, also over the end of a level

    def add(self, row: QueuedUrl, depth: int, answer: Answer, page: Page) -> None:
        """Queue what may pass; a server that asks for a longer pause than is allowed is not asked again."""
        if row.url in self._again:
            self._failed += page.transient
            self._succeeded = self._succeeded or not page.transient
        elif page.transient and not (isinstance(answer, Skip) and answer.failure is Failure.BUSY):
            self.queued.setdefault(depth, []).append(row)

    @property
    def is_hopeless(self) -> bool:
        return not self._succeeded and self._failed >= _HOPELESS

    def take(self) -> list[tuple[int, list[QueuedUrl]]]:
        """(depth, its URLs), both sorted as in the crawl (NET-16)."""
        levels = sorted(self.queued.items())
        self.queued = {}
        self._again.update(row.url for _, rows in levels for row in rows)
        return [(depth, sorted(rows, key=lambda row: row.url)) for depth, rows in levels]

    def add_required(self, url: str, status: int) -> None:
        """What a required URL of a level answers."""
        self._level.append((url, status == _REFUSED))

    def end_level(self) -> None:
        for url, refused in sorted(self._level):
            self._run = self._run + 1 if refused else 0
            if self._run == _FIREWALL:
                alike = f"{_FIREWALL} pages that the sitemap lists answered {_REFUSED} one after the other"
                self.firewall = f"{alike}, the last {url}"
                break
        self._level.clear()


MAX_VARIANTS = 200  # of one path by its query, of one address by a date in it
_MAX_SEGMENTS = 20
_MAX_REPEATS = 3
_LAST_DATE = lazy_re(r"(?<![0-9])[0-9]{4}[-/](?:0?[1-9]|1[0-2])(?:[-/](?:0?[1-9]|[12][0-9]|3[01]))?(?![0-9])/?$")


class Traps:
    """Counts URLs by pattern; its answers depend on the order of the calls, which is the sorted one (NET-16)."""

    def __init__(self) -> None:
        self._variants: Counter[str] = Counter()

    def find(self, url: str) -> str:
        """The pattern that a URL matches too often, "" when it may be followed, which counts it."""
        path, question, _ = url.partition("?")
        segments = path.split("/")[3:]
        if len(segments) > _MAX_SEGMENTS:
            return f"paths of more than {_MAX_SEGMENTS} segments"
        if repeated := _find_repeated(segments):
            return f"paths with /{repeated}/ {_MAX_REPEATS} times"
        pattern = f"{path}?…" if question else _date_pattern(path)
        if self._variants[pattern] >= MAX_VARIANTS:
            return f"{pattern}, more than {MAX_VARIANTS} of them"
        if pattern:
            self._variants[pattern] += 1
        return ""


def _find_repeated(segments: list[str]) -> str:
    """A path segment that occurs too often, as relative links make when they accumulate."""
    if len(segments) - len(set(segments)) < _MAX_REPEATS - 1:
        return ""
    counts = Counter(filter(None, segments))
    return next((segment for segment, count in counts.items() if count >= _MAX_REPEATS), "")


def _date_pattern(path: str) -> str:
    """Pattern of a calendar page, which differs from others in its date only; "" for any other page.

    A path that continues after the date, as that of a post, is no calendar.
    """
    if not path[-2:].rstrip("/")[-1:].isdigit():  # most paths do not end in a date, and the search is slow
        return ""
    date = _LAST_DATE.search(path)
    return f"{path[: date.start()]}<date>" if date else ""


class Blocked(Struct, frozen=True):
    kind: PageKind | None  # of the row that it gets; None: it is counted, and no page of the site for this run
    reason: str  # shared by many URLs
    detail: str = ""  # of this URL


class UrlFilter(Struct, frozen=True):
    """To be called once for each URL, in sorted order, so that the same site has the same result (NET-16)."""

    skips: SkipFilter
    exclude: Patterns
    robots: Robots | None  # for crawling, matched with our token (NET-02)
    traps: Traps
    mapping: SiteMapping
    mask: Mask = NO_MASK  # of secret headers
    robots_of_site: bool = False  # its rules are about URLs of the site, not about where it is served

    def blocks(self, url: str, *, required: bool) -> Blocked | None:
        """`required`: a compared sitemap lists the URL, so neither its name nor a trap blocks it."""
        if why := why_unlistable(url) or (SECRET_URL if self.mask and self.mask.hides(url) else ""):
            return Blocked(PageKind.FOREIGN, why, why)
        if pattern := self.exclude.match(url):
            kind = PageKind.UNDETERMINED if required else None
            return Blocked(kind, f"select.exclude has {pattern}", "not fetched")
        if not required and (skipped := self.skips.skip_class(url)):
            return Blocked(None, f"crawl.skip has {skipped}")
        if self.robots is not None:
            found = self.robots.block((TOKEN,), url if self.robots_of_site else self.mapping.to_served(url))
            if found is not None:
                return Blocked(PageKind.UNDETERMINED, found.sentence(), found.sentence())
        if not required and (pattern := self.traps.find(url)):
            return Blocked(None, f"endless URLs: {pattern}")
        return None
