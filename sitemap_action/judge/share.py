"""The share of a site's pages that a first sitemap lists (policy.min-share)."""

from collections import Counter
from collections.abc import Sequence

from sitemap_action.html import directives
from sitemap_action.model.outcome import TrippedGuard
from sitemap_action.model.page import Page, PageKind
from sitemap_action.model.site import Absent, Listed, Reason, Verdict

MIN_SHARE = "policy.min-share"

_DOCUMENTS = frozenset({PageKind.PAGE, PageKind.FILE})
_UNWANTED = frozenset({Reason.DEINDEXED, Reason.SOFT_404, Reason.OTHER_TYPE, Reason.DROPPED})
"""Why a page that answers 200 is not listed, where neither the config nor a redirect stub says so."""


class ShareCounter:
    """Counts, in the one pass over all URLs, listed pages and those that one would expect to be listed."""

    def __init__(self, agents: Sequence[str]) -> None:
        self._agents = agents
        self._listed = 0
        self._absent: Counter[Reason] = Counter()
        self._first: dict[Reason, Absent] = {}
        self._elsewhere: tuple[tuple[str, int], ...] = ()  # of the page with the most links to other spellings

    def on_url(self, page: Page, verdict: Verdict) -> None:
        if isinstance(verdict, Listed):
            self._listed += 1
        elif page.kind in _DOCUMENTS and not page.twin and verdict.reason in _UNWANTED and not self._noindex(page):
            self._absent[verdict.reason] += 1
            self._first.setdefault(verdict.reason, verdict)
        found = page.facts.other_spellings if page.facts is not None else ()
        if found and _links(found) > _links(self._elsewhere):
            self._elsewhere = found

    def tripped(self, percent: float, *, served: bool) -> TrippedGuard | None:
        """`served`: pages that are linked under another spelling of the site were not fetched (URL-28)."""
        elsewhere = _links(self._elsewhere) if served else 0
        total = self._listed + self._absent.total() + elsewhere
        if self._listed * 100 >= percent * total:
            return None
        share = f"{self._listed:,} of {total:,} pages would be listed"
        wanted = f"policy.min-share wants {percent:g}% on a first run"
        return TrippedGuard(MIN_SHARE, f"{share}; {wanted}: {self._main_reason(elsewhere)}")

    def _main_reason(self, elsewhere: int) -> str:
        (reason, count), *_ = (*self._absent.most_common(1), (None, 0))
        if reason is None or elsewhere > count:
            spelling = max(self._elsewhere, key=lambda one: one[1])[0]
            return f"{elsewhere:,} are linked as {spelling}/…, another spelling of this site (URL-28)"
        first = self._first[reason]
        return f"{count:,} {'is' if count == 1 else 'are'} {reason}, such as {first.page.url} ({first.detail})"

    def _noindex(self, page: Page) -> bool:
        return page.facts is not None and directives.decide(page.facts.directives, self._agents).noindex


def _links(spellings: tuple[tuple[str, int], ...]) -> int:
    return sum(count for _, count in spellings)
