"""Why a check fails: the rows of `fail-on` that hold, each with a sentence; and the guards, which stop a write too.

Guards are limits: mass removal, growth, too few pages, pages that must exist (DIFF-41).
"""

from collections import Counter
from collections.abc import Sequence
from urllib.parse import SplitResult, urlsplit

from sitemap_action.config.schema import PolicyConfig
from sitemap_action.html import directives
from sitemap_action.model.finding import Finding
from sitemap_action.model.outcome import Cause, CauseKind, Diff, LedgerDifference, Removed, RunInfo
from sitemap_action.model.page import Page, PageKind
from sitemap_action.model.site import Absent, DeindexedBy, KnownUrl, Listed, Reason, Verdict
from sitemap_action.model.wording import plural
from sitemap_action.web.patterns import Patterns, compile_patterns

_BLOCKING = frozenset({"stale", "lost", Reason.DEINDEXED.value})  # rows of fail-on that a blocked site is


def drift_causes(diff: Diff, run: RunInfo, errors: str, fail_on: frozenset[str]) -> list[Cause]:
    """`errors`: how many errors the site has, as text with the first; "" for none."""
    causes = []
    if "stale" in fail_on and (_missing_count(diff) or _extra_count(diff)):
        causes.append(Cause(CauseKind.STALE, _stale_sentence(diff, run)))
    if run.start_blocked and not causes and not fail_on.isdisjoint(_BLOCKING):
        causes.append(Cause(CauseKind.LOST, "no page can be listed"))
    if "lost" in fail_on and diff.failing:
        causes.append(Cause(CauseKind.LOST, f"{_pages(len(diff.failing), run)} lost: {_class_counts(diff.failing)}"))
    classes = Counter(row.reason for row in diff.removed if not row.acknowledged and not row.grace)
    classes[Reason.UNDETERMINED] = diff.counts.unverified
    causes += [
        Cause(CauseKind.REMOVAL, f"{_pages(classes[reason], run)} {reason}", reason=reason)
        for reason in Reason
        if reason.value in fail_on and classes[reason]
    ]
    for kind, count, nouns in (
        (CauseKind.ADDED, len(diff.added), "page is new|pages are new"),
        (CauseKind.CHANGED, len(diff.changed), "entry changed|entries changed"),
    ):
        if kind.value in fail_on and count:
            singular, plurals = nouns.split("|")
            causes.append(Cause(kind, f"{count:,} {singular if count == 1 else plurals}"))
    if CauseKind.ERRORS.value in fail_on and errors:
        causes.append(Cause(CauseKind.ERRORS, errors))
    return causes


def _stale_sentence(diff: Diff, run: RunInfo) -> str:
    if run.absent and run.judged == "served":
        why = "robots.txt names none that can be read, and there is none at the usual addresses"
        return f"{run.site_url} has no sitemap: {why}; {plural(diff.listed, 'page')} would be listed"
    if run.first_run:
        return f"there is no sitemap yet; {plural(diff.listed, 'page')} would be listed in {run.sitemap}"
    if run.absent:
        return f"{run.sitemap} does not exist; {plural(diff.listed, 'page')} would be listed in it"
    parts = []
    if missing := _missing_count(diff):
        verb = "is" if missing == 1 else "are"
        parts.append(f"{plural(missing, 'page')} {verb} missing from {run.sitemap}")
    if extra := _extra_count(diff):
        verb = "does" if extra == 1 else "do"
        parts.append(f"{plural(extra, 'URL')} in {run.sitemap} {verb} not belong there")
    return " and ".join(parts)


def _missing_count(diff: Diff) -> int:
    """Pages that the committed file should list; without an answer a missing row proves nothing (DIFF-20)."""
    return len(diff.missing) - diff.counts.kept


def _extra_count(diff: Diff) -> int:
    """URLs that the committed file should not list any more, without those in grace."""
    return sum(1 for row in diff.extra if not row.grace)


def _pages(count: int, run: RunInfo) -> str:
    """Where nothing says what is removed, there is no baseline to speak of."""
    pages = plural(count, "listed page") if run.baseline.alone else f"{plural(count, 'page')} of the baseline"
    return f"{pages} {'is' if count == 1 else 'are'}"


def lost_beside_match(diff: Diff, run: RunInfo) -> str:
    """What is the case where the sitemap is true, and the change removes pages (I-08)."""
    return f"{_pages(len(diff.failing), run)} lost; the sitemap matches the site"


def ledger_sentence(found: LedgerDifference, errors: int) -> str:
    """Why the ledger fails a check; `errors`: addresses and lines that do."""
    dead, lines = len(found.dead), len(found.faults)
    if not dead:
        return f"{plural(errors, 'line')} of {found.path} {'is' if errors == 1 else 'are'} wrong"
    more = f"; {plural(lines, 'line')} {'is' if lines == 1 else 'are'} wrong" if lines else ""
    addresses = "1 address of {} is" if dead == 1 else f"{dead:,} addresses of {{}} are"
    return f"{addresses.format(found.path)} dead: {_class_counts(found.dead)}{more}"


def witness_sentence(harm: Sequence[Finding]) -> str:
    """Why the deploy witness fails a check; `harm`: errors, those about a page with its address."""
    files = sorted({one.path for one in harm if one.path})
    addresses = sum(one.count for one in harm if not one.path)
    counted = [f"{addresses:,} {'address' if addresses == 1 else 'addresses'}"] if addresses else []
    return f"what is served differs from the build: {' and '.join((*files, *counted))}"


def _class_counts(rows: Sequence[Removed]) -> str:
    """The number of rows by class, as in "3 gone, 1 deindexed"."""
    counts = Counter(row.reason for row in rows)
    return ", ".join(f"{counts[reason]:,} {reason}" for reason in Reason if counts[reason])


def site_move(diff: Diff) -> str:
    """The move of a site with most of its URLs, as text; "" where there is none."""
    moves = (flip for flip in diff.flips if flip.moves_site and len(flip.pages) * 2 > diff.counts.baseline)
    if (flip := next(moves, None)) is None:
        return ""
    old, new = _without_common_end(*flip.pages[0], _ORIGIN)
    share = f"{len(flip.pages):,} of {plural(diff.counts.baseline, 'URL')} have their old address"
    seen = f"{flip.covered:,} {'was' if flip.covered == 1 else 'were'} seen to redirect"
    return f"the site moves from {old}/ to {new}/: {share}, and {seen}"


_ORIGIN = 3  # parts of a URL between slashes
_SHARE_UNANSWERED = 10  # percent of all pages
_MIN_UNANSWERED = 2  # one page that fails is a row, however small the site is


def failing_site(diff: Diff) -> tuple[str, ...]:
    """Why the run is incomplete: many pages without an answer, for reasons that may pass; empty where they are few."""
    if diff.counts.transient < _MIN_UNANSWERED or diff.counts.transient * 100 <= diff.counts.seen * _SHARE_UNANSWERED:
        return ()
    why = f"for reasons that may pass (5xx, time-outs, resets): more than {_SHARE_UNANSWERED} %"
    return (f"{diff.counts.transient:,} of {plural(diff.counts.seen, 'page')} gave no usable answer {why}",)


_MIN_SHARED = 5  # fewer may have the same reason by chance

_PLACES = {
    DeindexedBy.META: "Look for the directive in a template",
    DeindexedBy.HEADER: "Look for the header in the configuration of the server or host",
    DeindexedBy.CANONICAL: "Look for the canonical in a template, or correct the site's address in the generator",
}


def common_cause(rows: Sequence[Removed]) -> Cause | None:
    """The cause that all of these rows share; None when there are several, or few rows."""
    if len(rows) < _MIN_SHARED or rows[0].by is None or any(row.by is not rows[0].by for row in rows):
        return None
    by, count = rows[0].by, f"{len(rows):,}"
    detail = rows[0].detail if len({row.detail for row in rows}) == 1 else ""
    match by:
        case DeindexedBy.ROBOTS:
            return _robots_cause(detail, count) if detail else None
        case DeindexedBy.CANONICAL:
            return _canonical_cause(rows, count)
        case _:
            what = f"{count} listed pages have {detail.removeprefix('has ')}"
            return Cause(CauseKind.COMMON, what, by=by, place=_PLACES[by]) if detail else None


def _robots_cause(detail: str, count: str) -> Cause:
    what, _, rule = detail.partition(": ")
    line = what.removeprefix("robots.txt ").partition(" blocks")[0]
    place = f"See {line} of robots.txt, or set crawl.robots: file:PATH if production has another one"
    sentence = f"{what} from {count} listed pages: {rule}"
    return Cause(CauseKind.COMMON, sentence, by=DeindexedBy.ROBOTS, place=place)


def _canonical_cause(rows: Sequence[Removed], count: str) -> Cause | None:
    target = rows[0].redirect_to
    if target and all(row.redirect_to == target for row in rows):
        what = f"{count} listed pages name {target} as their canonical"
    elif difference := _common_difference(rows):
        what = f"the canonicals of {count} listed pages have {difference}"
    else:
        return None
    by = DeindexedBy.CANONICAL
    return Cause(CauseKind.COMMON, what, by=by, place=_PLACES[by])


def _common_difference(rows: Sequence[Removed]) -> str:
    """The difference that all canonicals have from their pages; "" where there is no such thing."""
    first = _difference(rows[0])
    return first if all(_difference(row) == first for row in rows[1:]) else ""


def _difference(row: Removed) -> str:
    """The part in which a canonical differs from its page, as text; "" where there are several."""
    page, canonical = _split(row.url), _split(row.redirect_to)
    if page is None or canonical is None:
        return ""
    differing = [
        name for name in ("scheme", "netloc", "path", "query") if getattr(page, name) != getattr(canonical, name)
    ]
    return _describe(differing[0], page, canonical) if len(differing) == 1 else ""


def _describe(part: str, page: SplitResult, canonical: SplitResult) -> str:
    if part == "scheme":
        return f"another scheme: {canonical.scheme} instead of {page.scheme}"
    if part == "netloc":
        return f"another host: {canonical.netloc} instead of {page.netloc}"
    if part == "path":
        return _path_difference(page.path, canonical.path)
    return f"another query: ?{canonical.query}" if canonical.query else "no query"


def _path_difference(page: str, canonical: str) -> str:
    if canonical == f"{page}/":
        return "a final slash"
    if page == f"{canonical}/":
        return "no final slash"
    before, after = _without_common_end(page, canonical)
    return f"another path: {after or '/'} instead of {before or '/'}"


def _without_common_end(one: str, other: str, kept: int = 0) -> tuple[str, str]:
    """Two addresses or paths without the last parts that they share; so many first ones are kept."""
    first, second = one.split("/"), other.split("/")
    while min(len(first), len(second)) > kept and first[-1] == second[-1]:
        first.pop()
        second.pop()
    return "/".join(first), "/".join(second)


def _split(url: str) -> SplitResult | None:
    try:
        return urlsplit(url)
    except ValueError:
        return None


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

    def find_tripped(self, percent: float, *, served: bool) -> Cause | None:
        """`served`: pages that are linked under another spelling of the site were not fetched (URL-28)."""
        elsewhere = _links(self._elsewhere) if served else 0
        total = self._listed + self._absent.total() + elsewhere
        if self._listed * 100 >= percent * total:
            return None
        share = f"{self._listed:,} of {plural(total, 'page')} would be listed"
        wanted = f"policy.min-share wants {percent:g}% on a first run"
        return Cause(CauseKind.GUARD, f"{share}; {wanted}: {self._main_reason(elsewhere)}", MIN_SHARE)

    def _main_reason(self, elsewhere: int) -> str:
        (reason, count), *_ = (*self._absent.most_common(1), (None, 0))
        if reason is None or elsewhere > count:
            spelling = max(self._elsewhere, key=lambda one: one[1])[0]
            return f"{elsewhere:,} are linked as {spelling}/…, another spelling of this site (URL-28)"
        first = self._first[reason]
        return f"{count:,} {'is' if count == 1 else 'are'} {reason}, such as {first.page.url} ({first.detail})"

    def _noindex(self, page: Page) -> bool:
        found = () if page.facts is None else page.facts.head.directives
        return directives.find_noindex(found, self._agents) is not None


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

    def find_tripped(self, diff: Diff, *, first_run: bool, served: bool = False) -> tuple[Cause, ...]:
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
                Cause(CauseKind.GUARD, f"no listed page matches {pattern} of policy.required", "policy.required")
                for pattern in self._required
            ),
        ]
        return tuple(guard for guard in guards if guard is not None)

    def _check_removed(self, diff: Diff, *, first_run: bool) -> Cause | None:
        unproven = len(diff.unproven)
        lost, limit = len(diff.lost_pages) + unproven, self._policy.max_removed
        if first_run or limit.allows(lost, diff.counts.baseline):
            return None
        moved = ", or were not seen to redirect to their new address" if unproven else ""
        of = f"{lost:,} of {plural(diff.counts.baseline, 'URL')} {'is' if lost == 1 else 'are'} lost"
        return Cause(CauseKind.GUARD, f"{of}{moved}; policy.max-removed allows {limit}", "policy.max-removed")

    def _check_added(self, diff: Diff, *, first_run: bool) -> Cause | None:
        added = len(diff.added)
        limit = self._policy.max_added
        if first_run or limit.allows(added, diff.counts.baseline):
            return None
        message = f"{plural(added, 'URL')} would be added to {diff.counts.baseline:,}; policy.max-added allows {limit}"
        return Cause(CauseKind.GUARD, message, "policy.max-added")

    def _check_too_few(self, diff: Diff) -> Cause | None:
        minimum = self._policy.min_urls
        if diff.listed >= minimum:
            return None
        message = f"{plural(diff.listed, 'URL')} would be listed; policy.min-urls wants {minimum:,}"
        return Cause(CauseKind.GUARD, message, "policy.min-urls")

    def _check_section(self, pattern: str, matcher: Patterns, diff: Diff) -> Cause | None:
        lost, size = sum(1 for row in diff.lost_pages if matcher.match(row.url)), self._section_sizes[pattern]
        limit = self._policy.sections[pattern].max_removed
        if limit.allows(lost, size):
            return None
        urls = f"{lost:,} of {plural(size, 'URL')} in {pattern} {'is' if lost == 1 else 'are'} lost"
        return Cause(CauseKind.GUARD, f"{urls}; policy.sections allows {limit}", "policy.sections")
