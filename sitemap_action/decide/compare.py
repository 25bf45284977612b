"""Two comparisons in one pass: the site with the committed file, and the site with the baseline."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

from msgspec.structs import replace

from sitemap_action.decide.acknowledged import Acknowledgements
from sitemap_action.decide.causes import common_cause
from sitemap_action.decide.changes import changed_fields, find_flips
from sitemap_action.model.finding import NO_LEDGER, Ledger, LedgerLine, Place
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.outcome import Added, Changed, Diff, LedgerDifference, Links, Removed, Skipped, UrlCounts
from sitemap_action.model.page import Page, PageKind
from sitemap_action.model.site import Absent, KnownUrl, Listed, Reason, Role, Site, Verdict
from sitemap_action.model.sitemap import Entry
from sitemap_action.robots.groups import Robots
from sitemap_action.sitemap.extension_faults import LANGUAGES, REGIONS, SCRIPTS

_MANY = 3  # fewer may be pages that the start page does replace
_INDEX = lazy_re(r"index\.[a-z]{3,5}\Z")


def moved_home(rows: Iterable[Removed], home: str) -> frozenset[str]:
    """URLs of the rows that are permanent redirects to a start page; none where there are fewer than three."""
    urls = frozenset(
        row.url
        for row in rows
        if row.reason is Reason.MOVED and is_start(row.redirect_to, home) and not is_start(row.url, home)
    )
    return urls if len(urls) >= _MANY else frozenset()


def is_start(url: str, home: str) -> bool:
    """Whether a URL is the start page of the site or of one of its languages, in any spelling."""
    if not url.startswith(home):
        return False
    path = _INDEX.sub("", url[len(home) :].partition("?")[0])
    return not path or _is_language(path.removesuffix("/"))


def _is_language(segment: str) -> bool:
    """`de`, `pt-br`, `zh_Hant`; a longer path is a page."""
    language, _, rest = segment.lower().replace("_", "-").partition("-")
    return language in LANGUAGES and (not rest or rest.upper() in REGIONS or rest.title() in SCRIPTS)


_T = TypeVar("_T")
_MOST_FOLDERS = 10_000  # of an index that are remembered
_THIS_RUN = "sitemap-action"  # the product token in robots.txt (NET-01)


class Comparison:
    """Collects the rows of both questions while known URLs are added with their verdicts."""

    def __init__(  # noqa: PLR0913 - the two sitemaps, and what is known of them
        self,
        expected: Acknowledgements,
        home: str,
        places: Mapping[str, Place] | None = None,
        files: Sequence[str] = (),
        *,
        same: bool,
        obeyed: Robots | None = None,
        ledger: Ledger = NO_LEDGER,
        moved: Iterable[Page] = (),
    ) -> None:
        """`home`: site-url; `places`: of links that lead to nothing; `same`: the committed file is the baseline.

        `files`: paths of the documents of the committed sitemap, by the number that an entry has. `obeyed`: the
        robots.txt by which this run fetches, where it does. `moved`: addresses of the ledger that have no row.
        """
        self._obeyed = obeyed
        self._ledger = LedgerRows(ledger, self._ledger_row, moved) if ledger.path else None
        self._ledger_path = ledger.path
        self._places = places or {}
        self._files = files
        self._expected = expected
        self._home = home
        self._same_baseline = same
        self._missing: list[str] = []
        self._folders: dict[str, int] = {}  # number of the child of an index that alone has URLs there; 0 of several
        self._extra: list[Removed] = []
        self._added: list[Added] = []
        self._removed: list[Removed] = []
        self._changed: list[Changed] = []
        self._skipped: list[Skipped] = []
        self._undetermined: list[Skipped] = []
        self._unanswered: list[Skipped] = []
        self._listed = self._baseline = self._committed = self._union = self._unverified = 0
        self._kept = self._seen = self._transient = 0
        self._rewritten = False

    def add(self, row: KnownUrl, verdict: Verdict) -> None:
        """Rows come in order of URL."""
        page, committed, baseline, _ = row
        self._seen += page.kind is not PageKind.FOREIGN
        self._transient += page.transient
        line = self._ledger.add(page.url, verdict) if self._ledger is not None else None
        if committed is not None or baseline is not None or (line is not None and not line.gone):
            self._union += 1
            self._committed += committed is not None
            self._baseline += baseline is not None
        match verdict:
            case Listed():
                self._add_listed(row, verdict)
            case Absent():
                self._add_absent(row, verdict, line)

    def add_moved(self, decide: Callable[[KnownUrl], Verdict], leaves_out: Callable[[Page], object]) -> None:
        """After the last row: addresses of the ledger without one, which redirect at once and for good (LED-01).

        `decide` is asked where they lead to a page that is not listed, or are left out whatever they answer.
        """
        for page in self._ledger.take_moved(leaves_out) if self._ledger is not None else ():
            row = KnownUrl(page, None, None, None)
            self.add(row, decide(row))

    def diff(self) -> Diff:
        """After the last row."""
        found = Diff(
            missing=tuple(self._missing),
            extra=tuple(self._with_moved_home(self._extra)),
            added=tuple(self._with_files(self._added)),
            removed=tuple(self._with_moved_home(self._removed)),
            changed=tuple(self._changed),
            skipped=tuple(_without_ends(self._skipped)),
            undetermined=tuple(sorted(self._undetermined, key=lambda row: row.url)),
            unanswered=tuple(self._unanswered),
            listed=self._listed,
            counts=UrlCounts(
                baseline=self._baseline,
                committed=self._committed,
                union=self._union,
                unverified=self._unverified,
                kept=self._kept,
                seen=self._seen,
                transient=self._transient,
            ),
            rewritten=self._rewritten,
            ledger=LedgerDifference() if self._ledger is None else self._ledger.difference(),
        )
        return self._with_common(self._expected.set_aside(found))

    def _with_common(self, diff: Diff) -> Diff:
        """The difference with what its rows have in common."""
        stale = find_flips(diff.extra, diff.missing, self._home)
        added = (row.url for row in diff.added)
        return replace(
            diff,
            stale_flips=stale,
            flips=stale if self._same_baseline else find_flips(diff.removed, added, self._home),
            common_cause=common_cause([row for row in diff.removed if row.is_lost]),
        )

    def _with_files(self, rows: Iterable[Added]) -> Iterator[Added]:
        """Where the judged sitemap is an index: with the file that alone has the folder of a page, by what it lists."""
        for row in rows:
            number = self._folders.get(_folder(row.url), 0)
            yield replace(row, path=self._files[number]) if 0 < number < len(self._files) else row

    def _with_moved_home(self, rows: Sequence[Removed]) -> Sequence[Removed]:
        """The rows of one question: what the other one adds, such as a hand edit of the file, counts for nothing."""
        home = moved_home(rows, self._home)
        if not home:
            return rows
        return [
            replace(
                row,
                reason=Reason.MOVED_HOME,
                acknowledged=self._expected.acknowledge(row.url, Reason.MOVED_HOME),
            )
            if row.url in home
            else row
            for row in rows
        ]

    def _add_listed(self, row: KnownUrl, verdict: Listed) -> None:
        page = row.page
        self._listed += 1
        if row.committed is None:
            self._missing.append(page.url)
        elif row.committed.file and len(self._folders) < _MOST_FOLDERS:
            folder, number = _folder(page.url), row.committed.file
            self._folders[folder] = number if self._folders.get(folder, number) == number else 0
        fields = changed_fields(row.committed, verdict.entry, hints=True) if row.committed is not None else ()
        self._rewritten |= bool(fields)
        if row.baseline is None:
            self._added.append(Added(page.url, page.found_on or page.path))
        else:
            if row.baseline is not row.committed:
                fields = changed_fields(row.baseline, verdict.entry, hints=True)
            if fields:
                self._changed.append(Changed(page.url, fields))
        if verdict.unverified:
            self._unverified += 1
            self._kept += row.committed is None
            why, forbidden = verdict.keep_reason, self._is_forbidden(page)
            row_of_page = Skipped(page.url, Reason.UNDETERMINED, why, page.found_on, forbidden=forbidden)
            self._undetermined.append(row_of_page)

    def _add_absent(self, row: KnownUrl, verdict: Absent, line: LedgerLine | None) -> None:
        """`line`: of the ledger. What it declares gone needs no answer."""
        unverified, open_line = verdict.reason is Reason.UNDETERMINED, line is not None and not line.gone
        if row.committed is not None:
            self._extra.append(self._removed_row(verdict, row.committed))
        self._unverified += unverified and (row.baseline is not None or open_line)
        if row.baseline is not None and not unverified:  # without an answer a removal is unverified (DIFF-20)
            removed = self._removed_row(verdict, row.baseline)
            # The files of another baseline are not known by their names: where it is an index, no line is shown.
            known = self._same_baseline or not row.baseline.file
            self._removed.append(removed if known else replace(removed, line=0, path=""))
            return
        only_known = line is not None and not row.page.path and not (unverified and open_line)
        if row.committed is None and (row.page.kind is PageKind.GONE or only_known) and not row.page.found_on:
            return  # the counterpart of a foreign URL, or of the ledger, which has its own row; no page links here
        if verdict.respelled and row.committed is None:
            return  # the page has a row where its other spelling has one (URL-21)
        page = row.page
        skipped = Skipped(
            url=page.url,
            reason=verdict.reason,
            detail=verdict.detail,
            found_on=page.found_on or page.path,
            links=self._links(page, verdict),
            forbidden=unverified and self._is_forbidden(page),
        )
        self._without_entry(row, unverified=unverified, known=open_line).append(skipped)

    def _is_forbidden(self, page: Page) -> bool:
        """NET-02: whether robots.txt forbids a page to this run, which has no answer for that reason."""
        return self._obeyed is not None and self._obeyed.block((_THIS_RUN,), page.url) is not None

    def _links(self, page: Page, verdict: Absent) -> Links | None:
        """HTML-73: links to a URL where nothing is."""
        if not page.inlinks or not verdict.is_dead:
            return None
        if not page.found_on and page.kind is not PageKind.PAGE:  # the end of a redirect, to which the links lead
            return None
        place = self._places.get(page.url, Place(""))
        return Links(page.found_on, page.inlinks, place.path, place.line)

    def _without_entry(self, row: KnownUrl, *, unverified: bool, known: bool) -> list[Skipped]:
        """What a URL that no compared sitemap lists is added to."""
        if not unverified:
            return self._skipped
        return self._undetermined if row.page.url == self._home or row.committed or known else self._unanswered

    def _ledger_row(self, verdict: Absent, entry: Entry) -> Removed:
        """No announcement is used by it."""
        return replace(self._row(verdict, entry), path=self._ledger_path)

    def _removed_row(self, verdict: Absent, entry: Entry) -> Removed:
        return replace(
            self._row(verdict, entry), acknowledged=self._expected.acknowledge(verdict.page.url, verdict.reason)
        )

    def _row(self, verdict: Absent, entry: Entry) -> Removed:
        page = verdict.page
        return Removed(
            url=page.url,
            reason=verdict.reason,
            detail=verdict.detail,
            redirect_to=verdict.redirect_to,
            status=page.status,
            line=entry.line,
            path=self._files[entry.file] if 0 < entry.file < len(self._files) else "",
            hops=verdict.hops,
            by=verdict.by,
            links=self._links(page, verdict),
        )


class LedgerRows:
    """Collects what a check says of the ledger while known URLs are added."""

    def __init__(
        self, ledger: Ledger, make_row: Callable[[Absent, Entry], Removed], moved: Iterable[Page] = ()
    ) -> None:
        """`make_row`: the row of a removal; `moved`: redirects to pages, for which there may be no row."""
        self._moved = {page.url: page for page in moved}
        self._arrivals = dict.fromkeys((page.target for page in self._moved.values()), False)  # whether it is listed
        self._ledger, self._make_row = ledger, make_row
        self._dead: list[Removed] = []
        self._long_ways: list[Removed] = []
        self._returned: list[tuple[str, int]] = []
        self._new: list[str] = []

    def add(self, url: str, verdict: Verdict) -> LedgerLine | None:
        """The line of the address, where there is one. LED-01: class and evidence are those of a removal."""
        line = self._ledger.lines.get(url)
        self._moved.pop(url, None)
        if isinstance(verdict, Absent):
            if line and not line.gone and verdict.reason is not Reason.UNDETERMINED:
                self._add_absent(verdict, line)
        elif not verdict.unverified:
            if url in self._arrivals:
                self._arrivals[url] = True
            if line is None or not line.line:
                self._new.append(url)
            elif line.gone:
                self._returned.append((url, line.line))
        return line

    def take_moved(self, leaves_out: Callable[[Page], object]) -> list[Page]:
        """After the last row: the redirects without one that need a verdict."""
        moved, others = self._moved.values(), []
        for page in moved:
            if not self._arrivals[page.target] or leaves_out(page):
                others.append(page)
            elif not self._ledger.lines[page.url].line:
                self._new.append(page.url)
        return others

    def _add_absent(self, verdict: Absent, line: LedgerLine) -> None:
        """An announced removal is not declared: the announcement ends, and the address stays."""
        row = self._make_row(verdict, Entry("", line=line.line))
        if row.is_lost:
            self._dead.append(row)
        elif not line.line:
            self._new.append(row.url)
        elif row.reason is Reason.MOVED and row.hops > 1:
            self._long_ways.append(row)

    def difference(self) -> LedgerDifference:
        """After the last URL."""
        return LedgerDifference(
            path=self._ledger.path,
            lines=len(self._ledger.lines),
            dead=tuple(sorted(self._dead, key=lambda row: row.url)),
            long_ways=tuple(sorted(self._long_ways, key=lambda row: row.url)),
            returned=tuple(self._returned),
            faults=self._ledger.faults,
            new=tuple(sorted(self._new)),
        )


def _folder(url: str) -> str:
    """Where a page or a folder is."""
    return url.removesuffix("/").rpartition("/")[0] + "/"


def _without_ends(rows: Sequence[Skipped]) -> Sequence[Skipped]:
    """A redirect to nothing has a row that names its end; the links to it are none to the end as well."""
    redirects = {row.url for row in rows if row.links and row.reason is not Reason.GONE}
    if not redirects:
        return rows
    return [replace(row, links=None) if row.links and row.links.found_on in redirects else row for row in rows]


def join_urls(site: Site, *, same: bool) -> Iterator[KnownUrl]:
    """Merge pages, committed file and baseline by URL; all three are in its byte order, so memory stays flat.

    Every entry was a seed, so it has a page. `same`: the baseline is the committed file.
    """
    committed = _Cursor(site.entries(Role.COMMITTED))
    baseline = committed if same else _Cursor(site.entries(Role.BASELINE))
    contents = _Cursor(site.contents())
    for page in site.pages():
        entry = committed.find(page.url)
        yield KnownUrl(page, entry, entry if same else baseline.find(page.url), contents.find(page.url))


class _Cursor(Generic[_T]):
    """The entry or content at a key, for keys requested in ascending order."""

    def __init__(self, entries: Iterator[tuple[str, _T]]) -> None:
        self._entries = entries
        self._key = ""
        self._entry: _T | None = None
        self._advance()

    def find(self, key: str) -> _T | None:
        while self._entry is not None and self._key < key:
            self._advance()
        return self._entry if self._entry is not None and self._key == key else None

    def _advance(self) -> None:
        self._key, self._entry = next(self._entries, ("", None))
