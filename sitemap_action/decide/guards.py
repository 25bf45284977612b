"""Limits that stop a write and fail a check: mass removal, growth, too few pages, pages that must exist (DIFF-41)."""

from collections import Counter
from collections.abc import Sequence

from sitemap_action.config.schema import PolicyConfig
from sitemap_action.html import directives
from sitemap_action.model.outcome import Diff, TrippedGuard
from sitemap_action.model.page import Page, PageKind
from sitemap_action.model.site import Absent, KnownUrl, Listed, Reason, Verdict
from sitemap_action.model.wording import plural
from sitemap_action.web.patterns import Patterns, compile_patterns

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
        found = page.facts.links.other_spellings if page.facts is not None else ()
        if found and _links(found) > _links(self._elsewhere):
            self._elsewhere = found

    def find_tripped(self, percent: float, *, served: bool) -> TrippedGuard | None:
        """`served`: pages that are linked under another spelling of the site were not fetched (URL-28)."""
        elsewhere = _links(self._elsewhere) if served else 0
        total = self._listed + self._absent.total() + elsewhere
        if self._listed * 100 >= percent * total:
            return None
        share = f"{self._listed:,} of {plural(total, 'page')} would be listed"
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
        return page.facts is not None and directives.decide(page.facts.head.directives, self._agents).noindex


def _links(spellings: tuple[tuple[str, int], ...]) -> int:
    return sum(count for _, count in spellings)


class GuardCounter:
    """Counts, in the one pass over all URLs, the pages of sections and the required pages that are listed."""

    def __init__(self, policy: PolicyConfig, agents: Sequence[str] = ()) -> None:
        """`agents`: user agents whose noindex counts."""
        self._policy = policy
        self._share = ShareCounter(agents) if policy.min_share else None
        self._required = {pattern: compile_patterns([pattern]) for pattern in policy.required}
        self._sections = {pattern: compile_patterns([pattern]) for pattern in policy.sections}
        self._section_sizes = dict.fromkeys(policy.sections, 0)  # URLs of the baseline

    def on_url(self, row: KnownUrl, verdict: Verdict) -> None:
        url = row.page.url
        if self._share is not None:
            self._share.on_url(row.page, verdict)
        # Of a foreign URL the same path below site-url (DIFF-11).
        address = row.page.target if row.page.kind is PageKind.FOREIGN else url
        if row.baseline is not None and address:
            for pattern, matcher in self._sections.items():
                self._section_sizes[pattern] += matcher.match(address) is not None
        if self._required and isinstance(verdict, Listed):
            found = [pattern for pattern, matcher in self._required.items() if matcher.match(url)]
            for pattern in found:
                del self._required[pattern]

    def find_tripped(self, diff: Diff, *, first_run: bool, served: bool = False) -> tuple[TrippedGuard, ...]:
        """`first_run`: there is no baseline to take a percentage of (DIFF-21); `served`: the site was crawled."""
        share = None
        if first_run and self._share is not None:
            share = self._share.find_tripped(self._policy.min_share, served=served)
        guards = [
            self._check_removed(diff, first_run=first_run),
            self._check_added(diff, first_run=first_run),
            share or self._check_too_few(diff),
            *(self._check_section(pattern, matcher, diff) for pattern, matcher in self._sections.items()),
            *(
                TrippedGuard("policy.required", f"no listed page matches {pattern} of policy.required")
                for pattern in self._required
            ),
        ]
        return tuple(guard for guard in guards if guard is not None)

    def _check_removed(self, diff: Diff, *, first_run: bool) -> TrippedGuard | None:
        unproven = len(diff.unproven)
        lost, limit = len(diff.lost_pages) + unproven, self._policy.max_removed
        if first_run or limit.allows(lost, diff.counts.baseline):
            return None
        moved = ", or were not seen to redirect to their new address" if unproven else ""
        of = f"{lost:,} of {plural(diff.counts.baseline, 'URL')} {'is' if lost == 1 else 'are'} lost"
        message = f"{of}{moved}; policy.max-removed allows {limit}"
        return TrippedGuard("policy.max-removed", message)

    def _check_added(self, diff: Diff, *, first_run: bool) -> TrippedGuard | None:
        added = len(diff.added)
        limit = self._policy.max_added
        if first_run or limit.allows(added, diff.counts.baseline):
            return None
        message = f"{plural(added, 'URL')} would be added to {diff.counts.baseline:,}; policy.max-added allows {limit}"
        return TrippedGuard("policy.max-added", message)

    def _check_too_few(self, diff: Diff) -> TrippedGuard | None:
        minimum = self._policy.min_urls
        if diff.listed >= minimum:
            return None
        return TrippedGuard(
            "policy.min-urls", f"{plural(diff.listed, 'URL')} would be listed; policy.min-urls wants {minimum:,}"
        )

    def _check_section(self, pattern: str, matcher: Patterns, diff: Diff) -> TrippedGuard | None:
        lost, size = sum(1 for row in diff.lost_pages if matcher.match(row.url)), self._section_sizes[pattern]
        limit = self._policy.sections[pattern].max_removed
        if limit.allows(lost, size):
            return None
        urls = f"{lost:,} of {plural(size, 'URL')} in {pattern}"
        return TrippedGuard(
            "policy.sections", f"{urls} {'is' if lost == 1 else 'are'} lost; policy.sections allows {limit}"
        )
