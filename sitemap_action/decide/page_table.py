"""Collects every known URL for a report that shows them all, in memory that does not grow with the site.

Of a large site the rows with a difference or a problem are kept, and of the rest every second, fourth, eighth …
"""

from collections import Counter
from collections.abc import Iterable

from sitemap_action.decide.redirects import MAX_HOPS, Redirects
from sitemap_action.html.document import summaries
from sitemap_action.model.outcome import Diff, PageRow, PageTable, RedirectTrail, RenderedRow
from sitemap_action.model.page import Page, PageKind
from sitemap_action.model.site import Absent, KnownUrl, Listed, Reason, Site, Verdict
from sitemap_action.web.redirect_walk import ChainEnd

_MOST = 2_000  # directories; a page of another one counts above it


def section_paths(url: str, site_url: str) -> tuple[str, ...]:
    """The directories that a page counts in: of the first level, and of the second where it is below one."""
    if not url.startswith(site_url):
        return ("",)
    first, slash, rest = url[len(site_url) :].partition("?")[0].strip("/").partition("/")
    second, deeper, _ = rest.partition("/")
    return (first, f"{first}/{second}") if slash and deeper else (first,)


class SectionCounter:
    """A page `a/b` counts in `a`; `a/b/c` in `a` and in `a/b`; `a` in `a`, where other pages are below it."""

    def __init__(self, site_url: str) -> None:
        self._site_url = site_url
        self._counts: dict[str, list[int]] = {"": [0, 0]}

    def add(self, row: KnownUrl, *, listed: bool) -> None:
        place = 0 if listed else 1
        for path in section_paths(row.page.url, self._site_url):
            counts = self._counts.get(path)
            if counts is None and len(self._counts) < _MOST:
                counts = self._counts[path] = [0, 0]
            if counts is None:
                self._counts[""][place] += 1
                return
            counts[place] += 1

    def counts(self) -> tuple[tuple[str, int, int], ...]:
        """Sorted by path; a directory with one page is none, and its page counts above it."""
        found: list[tuple[str, int, int]] = []
        top_listed, top_absent = self._counts[""]
        for path, (listed, absent) in sorted(self._counts.items()):
            if path and listed + absent > 1:
                found.append((path, listed, absent))
            elif path and "/" not in path:
                top_listed, top_absent = top_listed + listed, top_absent + absent
        top = [("", top_listed, top_absent)] if top_listed or top_absent else []
        return (*top, *found)


MOST = 50_000
"""Rows of a site of which every page is shown."""
MOST_OF_ALL = 500_000
"""Rows of a report that shows every page of a large site."""
_LEAST = 2_000  # of the rest, however many problems there are
_MOST_TRAILS = 2_000
_ENDS = {
    ChainEnd.UNKNOWN: "was not fetched",
    ChainEnd.REFUSED: "redirects on, and is left out of the sitemap",
    ChainEnd.LOOP: "redirects in a loop",
    ChainEnd.TOO_LONG: f"redirects more than {MAX_HOPS} times",
}
"""Why a chain of redirects has no end."""
_TITLE = 300  # characters
_FORMER = frozenset({Reason.MOVED, Reason.EXCLUDED, Reason.MERGED, Reason.DEINDEXED})  # no problem of a page


class PageCollector:
    """Known URLs come in order of URL, each with its verdict; `table` ends the pass."""

    def __init__(  # noqa: PLR0913 - what is shown of a page, and how many
        self,
        site: Site,
        site_url: str,
        redirects: Redirects,
        *,
        clicks: bool,
        first_run: bool,
        keep_all: bool = False,
        most: int = MOST,
    ) -> None:
        """`clicks`: pages have a depth; `first_run`: that a page is in no sitemap is no difference."""
        self._all: list[PageRow] | None = [] if keep_all else None
        self._site, self._site_url, self._chains = site, site_url, redirects
        self._clicks, self._first_run, self._most = clicks, first_run, most
        self._kept: list[PageRow] = []
        self._rest: list[PageRow] = []
        self._total = self._seen_rest = self._redirects = 0
        self._every = 1
        self._statuses: Counter[int] = Counter()
        self._depths: Counter[int] = Counter()
        self._sections = SectionCounter(site_url)
        self._starts: list[str] = []  # of redirects

    def add(self, row: KnownUrl, verdict: Verdict) -> None:
        page = row.page
        if page.kind is PageKind.GONE and not page.found_on and row.committed is None and row.baseline is None:
            return  # the counterpart of a foreign URL, which has its own row
        self._total += 1
        if self._all is not None and len(self._all) < MOST_OF_ALL:
            self._all.append(self._row(page, verdict))
        if page.kind is not PageKind.FOREIGN:  # which is never fetched
            self._statuses[page.status] += 1
            self._sections.add(row, listed=isinstance(verdict, Listed))
        if isinstance(verdict, Listed):
            self._depths[self._depth(page)] += 1
        if self._chains.hop(page) is not None:
            self._redirects += 1
            if len(self._starts) < _MOST_TRAILS:
                self._starts.append(page.url)
        if self._differs(row, verdict):
            self._kept.append(self._row(page, verdict))
        else:
            self._add_rest(page, verdict)

    def table(self, diff: Diff) -> PageTable:
        """After the last URL."""
        rest, every = self._rest, self._every
        room = max(self._most - len(self._kept), _LEAST)
        while len(rest) > room:
            rest, every = rest[::2], every * 2
        rows = {row.url: row for row in (*self._kept, *rest)}
        return PageTable(
            rows=tuple(rows[url] for url in sorted({*rows, *self._add_changed(rows, diff)})),
            total=self._total,
            every=every,
            clicks=self._clicks,
            statuses=tuple(sorted(self._statuses.items())),
            depths=tuple(sorted(self._depths.items())),
            sections=self._sections.counts(),
            trails=tuple(filter(None, map(self._redirect_trail, self._starts))),
            redirects=self._redirects,
            all=tuple(self._all or ()),
        )

    def _add_rest(self, page: Page, verdict: Verdict) -> None:
        """Every n-th, where n doubles whenever there are too many."""
        if self._seen_rest % self._every == 0:
            self._rest.append(self._row(page, verdict))
            if len(self._rest) > self._most:
                self._rest, self._every = self._rest[::2], self._every * 2
        self._seen_rest += 1

    def _add_changed(self, rows: dict[str, PageRow], diff: Diff) -> Iterable[str]:
        """That a field changes is known only from the comparison."""
        for changed in diff.changed:
            if changed.url not in rows and (page := self._site.page(changed.url)) is not None:
                rows[changed.url] = self._facts(page)
        return tuple(rows)

    def _differs(self, row: KnownUrl, verdict: Verdict) -> bool:
        if isinstance(verdict, Listed):
            new = row.committed is None or row.baseline is None
            return verdict.unverified or (new and not self._first_run)
        return row.committed is not None or row.baseline is not None or verdict.reason not in _FORMER

    def _row(self, page: Page, verdict: Verdict) -> PageRow:
        match verdict:
            case Listed():
                return self._facts(page)._replace(detail=verdict.keep_reason, unverified=verdict.unverified)
            case Absent():
                target = verdict.redirect_to or page.target
                return self._facts(page)._replace(reason=verdict.reason.value, detail=verdict.detail, target=target)

    def _facts(self, page: Page) -> PageRow:
        return PageRow(
            url=page.url,
            status=page.status,
            depth=self._depth(page),
            title=page.facts.head.title[:_TITLE] if page.facts is not None else "",
            found_on=page.found_on or page.path,
        )

    def _depth(self, page: Page) -> int:
        if self._clicks:
            return page.depth
        path = page.url.removeprefix(self._site_url)
        if path == page.url:  # of another site, or above this one
            path = path.partition("://")[2].partition("/")[2]
        path = path.partition("?")[0].strip("/")
        return path.count("/") + 1 if path else 0

    def _redirect_trail(self, url: str) -> RedirectTrail | None:
        """None for a page that only redirects to itself."""
        page = self._site.page(url)
        chain = None if page is None else self._chains.follow(page)
        if chain is None or not chain.hops or chain.hops[0].target == url:
            return None
        hops = tuple((hop.page.url, hop.page.status) for hop in chain.hops)
        known = chain.page is not None and chain.end in {ChainEnd.ARRIVED, ChainEnd.UNKNOWN}
        status = chain.page.status if chain.page is not None and known else 0
        return (*hops, (chain.url, status)), "" if known else _ENDS[chain.end]


_MOST_RENDERED = 200


class RenderedRows:
    """Collects the first pages by URL that are others as rendered than as served; to be compared by a person."""

    def __init__(self) -> None:
        self.rows: list[RenderedRow] = []

    def add(self, row: KnownUrl, _verdict: Verdict) -> None:
        facts = row.page.facts
        if facts is None or facts.rendering is None or len(self.rows) >= _MOST_RENDERED:
            return
        found, screenshot = summaries(facts.rendering), facts.rendering.screenshot
        if found and (found[0] != found[1] or screenshot):
            self.rows.append(RenderedRow(row.page.url, found[0], found[1], screenshot))


def known_pages(diff: Diff) -> PageTable:
    """The table of the pages that the comparison alone knows: none of them stays listed."""
    absent = (*diff.skipped, *diff.undetermined, *diff.unanswered)
    rows = {row.url: PageRow(row.url, row.reason.value, row.detail, found_on=row.found_on) for row in absent}
    gone = (*diff.extra, *diff.removed)
    rows |= {
        row.url: PageRow(row.url, row.reason.value, row.detail, row.status, target=row.redirect_to) for row in gone
    }
    listed = {**dict.fromkeys(diff.missing, ""), **{row.url: row.found_on for row in diff.added}}
    listed |= {row.url: "" for row in diff.changed if row.url not in listed}
    rows |= {url: PageRow(url, found_on=found_on) for url, found_on in listed.items()}
    statuses = Counter(row.status for row in rows.values())
    return PageTable(tuple(rows[url] for url in sorted(rows)), len(rows), statuses=tuple(sorted(statuses.items())))
