"""Why a check fails: the rows of `fail-on` that hold, each with a sentence."""

from collections import Counter
from collections.abc import Sequence
from urllib.parse import SplitResult, urlsplit

from sitemap_action.model.finding import Finding
from sitemap_action.model.outcome import Cause, CauseKind, CommonCause, Diff, LedgerDifference, Removed, RunInfo
from sitemap_action.model.site import DeindexedBy, Reason
from sitemap_action.model.wording import plural

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


def common_cause(rows: Sequence[Removed]) -> CommonCause | None:
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
            return CommonCause(by, what, _PLACES[by]) if detail else None


def _robots_cause(detail: str, count: str) -> CommonCause:
    what, _, rule = detail.partition(": ")
    line = what.removeprefix("robots.txt ").partition(" blocks")[0]
    place = f"See {line} of robots.txt, or set crawl.robots: file:PATH if production has another one"
    return CommonCause(DeindexedBy.ROBOTS, f"{what} from {count} listed pages: {rule}", place)


def _canonical_cause(rows: Sequence[Removed], count: str) -> CommonCause | None:
    place = _PLACES[DeindexedBy.CANONICAL]
    target = rows[0].redirect_to
    if target and all(row.redirect_to == target for row in rows):
        return CommonCause(DeindexedBy.CANONICAL, f"{count} listed pages name {target} as their canonical", place)
    difference = _common_difference(rows)
    what = f"the canonicals of {count} listed pages have {difference}"
    return CommonCause(DeindexedBy.CANONICAL, what, place) if difference else None


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
