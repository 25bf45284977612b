"""Two questions over one pass: is the committed file true, and what does this change do to the site?"""

from dataclasses import replace

from sitemap_action.compare.expected import Expected
from sitemap_action.compare.fields import changes
from sitemap_action.compare.flips import flips
from sitemap_action.model.outcome import Added, Changed, Diff, Removed, Skipped
from sitemap_action.model.page import PageKind
from sitemap_action.model.site import Absent, KnownUrl, Listed, Reason, Verdict
from sitemap_action.model.sitemap import Entry


class Comparison:
    """Collects the rows of both questions while known URLs are added with their verdicts."""

    def __init__(self, expected: Expected, *, same: bool) -> None:
        """`same`: the committed file is the baseline."""
        self._expected = expected
        self._same = same
        self._missing: list[str] = []
        self._extra: list[Removed] = []
        self._added: list[Added] = []
        self._removed: list[Removed] = []
        self._changed: list[Changed] = []
        self._skipped: list[Skipped] = []
        self._undetermined: list[Skipped] = []
        self._listed = self._baseline = self._committed = self._union = self._unverified = 0
        self._rewritten = False

    def add(self, row: KnownUrl, verdict: Verdict) -> None:
        """Rows come in order of URL."""
        _, committed, baseline = row
        if committed is not None or baseline is not None:
            self._union += 1
            self._committed += committed is not None
            self._baseline += baseline is not None
        match verdict:
            case Listed():
                self._listing(row, verdict)
            case Absent():
                self._absence(row, verdict)

    def diff(self) -> Diff:
        """After the last row."""
        stale_flips = flips(self._extra, self._missing)
        return Diff(
            missing=tuple(self._missing),
            extra=tuple(self._extra),
            added=tuple(self._added),
            removed=tuple(self._removed),
            changed=tuple(self._changed),
            skipped=tuple(self._skipped),
            undetermined=tuple(self._undetermined),
            listed=self._listed,
            baseline=self._baseline,
            committed=self._committed,
            union=self._union,
            unverified=self._unverified,
            rewritten=self._rewritten,
            unused_removals=self._expected.unused(),
            expired_removals=self._expected.expired(),
            stale_flips=stale_flips,
            flips=stale_flips if self._same else flips(self._removed, (row.url for row in self._added)),
        )

    def _listing(self, row: KnownUrl, verdict: Listed) -> None:
        page = row.page
        self._listed += 1
        if row.committed is None:
            self._missing.append(page.url)
        elif changes(row.committed, verdict.entry):
            self._rewritten = True
        if row.baseline is None:
            self._added.append(Added(page.url, page.found_on or page.path))
        elif fields := changes(row.baseline, verdict.entry):
            self._changed.append(Changed(page.url, fields))
        if verdict.unverified:
            self._unverified += 1
            self._undetermined.append(Skipped(page.url, Reason.UNDETERMINED, verdict.keep_reason, page.found_on))

    def _absence(self, row: KnownUrl, verdict: Absent) -> None:
        unverified = verdict.reason is Reason.UNDETERMINED
        if row.committed is not None:
            self._extra.append(self._removal(verdict, row.committed))
        self._unverified += unverified and row.baseline is not None
        if row.baseline is not None and not unverified:  # what nobody answered for is not known to be removed (DIFF-20)
            self._removed.append(self._removal(verdict, row.baseline))
            return
        if row.committed is None and row.page.kind is PageKind.GONE and not row.page.found_on:
            return  # asked for in place of a foreign URL, whose own row says so; no page ever led here
        skipped = Skipped(row.page.url, verdict.reason, verdict.detail, row.page.found_on or row.page.path)
        (self._undetermined if unverified else self._skipped).append(skipped)

    def _removal(self, verdict: Absent, entry: Entry) -> Removed:
        page = verdict.page
        removed = Removed(
            page.url, verdict.reason, verdict.detail, verdict.redirect_to, page.status, entry.line, hops=verdict.hops
        )
        return replace(removed, acknowledged=self._expected.reason(removed))
