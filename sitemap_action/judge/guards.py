"""Limits that stop a write and fail a check: mass removal, growth, too few pages, pages that must exist (DIFF-41)."""

from collections.abc import Sequence

from msgspec import Struct

from sitemap_action.config.schema import PolicyConfig
from sitemap_action.judge.causes import plural
from sitemap_action.judge.share import ShareCounter
from sitemap_action.model.limit import Limit
from sitemap_action.model.outcome import Diff, TrippedGuard
from sitemap_action.model.page import PageKind
from sitemap_action.model.site import KnownUrl, Listed, Verdict
from sitemap_action.web.patterns import Patterns, compile_patterns


class _Section(Struct):
    pattern: str
    matcher: Patterns
    limit: Limit
    baseline: int = 0


class GuardCounter:
    """Counts, in the one pass over all URLs, the pages of sections and the required pages that are listed."""

    def __init__(self, policy: PolicyConfig, agents: Sequence[str] = ()) -> None:
        """`agents`: user agents whose noindex counts."""
        self._policy = policy
        self._share = ShareCounter(agents) if policy.min_share else None
        self._required = {pattern: compile_patterns([pattern]) for pattern in policy.required}
        self._sections = [
            _Section(pattern, compile_patterns([pattern]), section.max_removed)
            for pattern, section in policy.sections.items()
        ]

    def on_url(self, row: KnownUrl, verdict: Verdict) -> None:
        url = row.page.url
        if self._share is not None:
            self._share.on_url(row.page, verdict)
        # Of a foreign URL the same path below site-url (DIFF-11).
        address = row.page.target if row.page.kind is PageKind.FOREIGN else url
        if row.baseline is not None and address:
            for section in self._sections:
                section.baseline += section.matcher.match(address) is not None
        if self._required and isinstance(verdict, Listed):
            found = [pattern for pattern, matcher in self._required.items() if matcher.match(url)]
            for pattern in found:
                del self._required[pattern]

    def tripped(self, diff: Diff, *, first_run: bool, served: bool = False) -> tuple[TrippedGuard, ...]:
        """`first_run`: there is no baseline to take a percentage of (DIFF-21); `served`: the site was crawled."""
        share = None
        if first_run and self._share is not None:
            share = self._share.tripped(self._policy.min_share, served=served)
        guards = [
            self._removed(diff, first_run=first_run),
            self._added(diff, first_run=first_run),
            share or self._too_few(diff),
            *(self._section(section, diff) for section in self._sections),
            *(
                TrippedGuard("policy.required", f"no listed page matches {pattern} of policy.required")
                for pattern in self._required
            ),
        ]
        return tuple(guard for guard in guards if guard is not None)

    def _removed(self, diff: Diff, *, first_run: bool) -> TrippedGuard | None:
        lost = len(diff.lost)
        limit = self._policy.max_removed
        if first_run or limit.allows(lost, diff.baseline):
            return None
        message = f"{lost} of {diff.baseline} URLs are lost; policy.max-removed allows {limit}"
        return TrippedGuard("policy.max-removed", message)

    def _added(self, diff: Diff, *, first_run: bool) -> TrippedGuard | None:
        added = len(diff.added)
        limit = self._policy.max_added
        if first_run or limit.allows(added, diff.baseline):
            return None
        message = f"{plural(added, 'URL')} would be added to {diff.baseline}; policy.max-added allows {limit}"
        return TrippedGuard("policy.max-added", message)

    def _too_few(self, diff: Diff) -> TrippedGuard | None:
        minimum = self._policy.min_urls
        if diff.listed >= minimum:
            return None
        return TrippedGuard(
            "policy.min-urls", f"{plural(diff.listed, 'URL')} would be listed; policy.min-urls wants {minimum}"
        )

    def _section(self, section: _Section, diff: Diff) -> TrippedGuard | None:
        lost = sum(1 for row in diff.lost if section.matcher.match(row.url))
        if section.limit.allows(lost, section.baseline):
            return None
        urls = f"{lost} of {section.baseline} URLs in {section.pattern}"
        return TrippedGuard("policy.sections", f"{urls} are lost; policy.sections allows {section.limit}")
