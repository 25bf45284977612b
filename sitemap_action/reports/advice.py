"""The whole outcome in words: the headline, its causes and counts, what was compared, and what to do."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from sitemap_action import __version__
from sitemap_action.model.finding import Severity
from sitemap_action.model.outcome import CauseKind, Diff, Outcome, Removed, Result, RunInfo
from sitemap_action.model.site import Reason
from sitemap_action.model.wording import kept_sitemap, on_command_line, option, plural

_NOTES = 10  # shown to a person
_JOINED = 3  # notes on one line
_CHILDREN = 3  # of an index, in a sentence
_MANY = 10  # failing rows; fewer are sooner mended than accepted
_BASELINE_TIP = "Run again when the site answers, or name the sitemap of an earlier build, such as one from a cache"
_LOST_TIP = (
    "Restore the lost pages, redirect each to its successor, answer 410, or announce them in policy.expected-removals."
)
_LEDGER_TIP = (
    "Redirect each dead address permanently to its successor, answer 410, or declare it: write ` gone DAY REASON` "
    "behind it in the ledger."
)
_MAX_ADDED = "policy.max-added"
_LOSSES = frozenset({"policy.max-removed", "policy.sections"})  # guards that count lost pages
_NO_VERDICT = "There is no verdict and nothing was written: see why the run is incomplete, and run again."

ADVICE = {
    Reason.MOVED: "Visitors and search engines are redirected.",
    Reason.MOVED_HOME: "Search engines treat a redirect to the start page as a soft 404: redirect each page to its "
    "successor, or answer 410.",
    Reason.MOVED_TEMPORARY: "A temporary redirect passes no signals to the new URL: make it permanent (301 or 308).",
    Reason.MOVED_OFFSITE: "The page moved to another site: if intended, announce it in policy.expected-removals.",
    Reason.REDIRECT_BROKEN: "The redirect does not end at a listed page: point it at one.",
    Reason.GONE: "Visitors and search engines get an error: restore the page, redirect it, answer 410, "
    "or announce it in policy.expected-removals.",
    Reason.DEINDEXED: "The page exists but is not indexable: undo that, or announce it in policy.expected-removals.",
    Reason.DROPPED: "The page exists but no page links to it: link it, or set select.orphans to keep.",
    Reason.EXCLUDED: "Left out on purpose, or no sitemap can list it: its row names the key of the config, or the file "
    "of the host, to change.",
    Reason.OTHER_TYPE: "The page answers 200, but browsers and search engines do not read it as a page: correct its "
    "Content-Type (or the name of its file), or add the type to select.types.",
    Reason.MERGED: "The same page is listed under another URL.",
    Reason.SOFT_404: "The page answers 200 with an error page: restore the page, redirect it, answer 410, or answer "
    "404 and announce it in policy.expected-removals.",
    Reason.UNDETERMINED: "There was no usable answer, so nothing is known: an existing entry is kept.",
}

UNANSWERED = "Correct the page or the links to it, or leave it out with select.exclude."
NET_02 = "Allow it in robots.txt with a group for sitemap-action, or set crawl.robots: ignore for a site of your own."

REDIRECTED = "Every old URL redirects to its new one, or is the same file: keep it so for at least a year."
MOVED_SITE = "Every old URL was seen to redirect to its new one: keep it so for at least a year."
NOT_REDIRECTED = "Redirect each old URL to its new one with 301 or 308: links and search engines still use it."
OLD_SITE_NOT_READ = " Old addresses are requested only where policy.moved-from lists their site."
HEADLINES = {
    Result.INVALID: "the sitemap is invalid",
    Result.DRIFT: "the sitemap and the site differ",
    Result.INCONCLUSIVE: "not enough was read for a verdict",
    Result.IN_SYNC: "the sitemap matches the site",
}
_IN_WORDS = {"no answer": "without an answer"}


def headline(outcome: Outcome) -> str:
    """What to read first: may have text of the site. Where nothing fails, with what stands beside the result."""
    return verdict(outcome) if outcome.exit_code else "; ".join((verdict(outcome), *_remarks(outcome)))


def verdict(outcome: Outcome) -> str:
    """The result in words, or its main cause; may have text of the site."""
    if outcome.exit_code or outcome.in_issue:
        done = "written" if outcome.run.absent else "repaired"
        failed = outcome.main_cause.sentence if outcome.main_cause else _failing_headline(outcome)
        but = "not everything was done" if outcome.published.error else "the check fails"
        return f"the sitemap was {done}, but {but}" if outcome.changed else failed
    return _passing_headline(outcome)


def headline_with_cause(outcome: Outcome) -> str:
    """The headline, and the first cause of the result where that is another sentence."""
    return "; ".join(dict.fromkeys((headline(outcome), *(one.sentence for one in outcome.causes[:1]))))


def _failing_headline(outcome: Outcome) -> str:
    if outcome.result is Result.DRIFT and not (outcome.diff.stale or outcome.blocked):
        return f"{HEADLINES[Result.IN_SYNC]}, and the check fails"
    return HEADLINES[outcome.result]


def _passing_headline(outcome: Outcome) -> str:
    if outcome.changed:
        return (
            "the sitemap was written" if outcome.run.absent else "the sitemap differed from the site and was repaired"
        )
    if outcome.diff.stale or outcome.diff.removed or outcome.diff.acknowledged.rows:
        return "no difference fails the check"
    return HEADLINES[outcome.result]


def causes(outcome: Outcome) -> tuple[str, ...]:
    """Reasons for the result, without the one in the headline; that they are mended, where a sitemap was repaired."""
    in_headline = outcome.main_cause is not None and outcome.exit_code and not outcome.changed
    done = "repaired: " if outcome.changed and not outcome.run.absent else ""
    return tuple(f"{done}{cause.sentence}" for cause in outcome.causes[1 if in_headline else 0 :])


def counts(outcome: Outcome) -> tuple[tuple[str, int], ...]:
    """(name, number) of each kind of row."""
    diff = outcome.diff
    return (
        ("listed", diff.listed),
        ("missing", len(diff.missing)),
        ("extra", len(diff.extra)),
        *(() if outcome.run.baseline.same else (("added", len(diff.added)), ("removed", len(diff.removed)))),
        ("lost", len(diff.lost_pages)),
        ("changed", len(diff.changed)),
        ("errors", outcome.count(Severity.ERROR)),
        ("warnings", outcome.count(Severity.WARNING)),
        ("no answer", len(diff.undetermined) + len(diff.unanswered)),
        *((("dead", len(diff.ledger.dead)),) if diff.ledger.dead else ()),
        *((("accepted", len(diff.acknowledged.rows)),) if diff.acknowledged.rows else ()),
    )


_PAGES = frozenset({"listed", "missing", "extra", "added", "removed", "lost"})  # counts that share pages


def describe_counts(outcome: Outcome) -> str:
    """The counts that are not zero, as text: each page in one of them, with its parts in brackets (U-34)."""
    shown = [
        f"{count:,} {_IN_WORDS.get(name) or (name.removesuffix('s') if count == 1 else name)}"
        for name, count in counts(outcome)
        if count and name not in _PAGES
    ]
    return ", ".join([*_count_pages(outcome.diff), *shown, *(["incomplete"] if outcome.run.incomplete else [])])


def _count_pages(diff: Diff) -> Iterator[str]:
    """Pages that the sitemap has wrong, and those that are added and removed besides."""
    stale, lost = {*diff.missing, *(row.url for row in diff.extra)}, {row.url for row in diff.lost_pages}
    parts = list(filter(None, (_count(len(diff.missing), "missing"), _count_lost(diff.extra, "extra", lost))))
    if len(parts) == 1:
        yield parts[0]
    elif parts:
        yield f"{len(stale):,} stale ({', '.join(parts)})"
    added = _count(sum(row.url not in stale for row in diff.added), "added")
    yield from filter(
        None, (added, _count_lost([row for row in diff.removed if row.url not in stale], "removed", lost))
    )


def _count(count: int, word: str) -> str:
    return f"{count:,} {word}" if count else ""


def _count_lost(rows: Sequence[Removed], word: str, lost: Collection[str]) -> str:
    among = sum(row.url in lost for row in rows)
    of_them = f" and {among:,} of them lost" if 0 < among < len(rows) else " and lost" if among else ""
    return f"{_count(len(rows), word)}{of_them}"


def _remarks(outcome: Outcome) -> Iterator[str]:
    """Unanswered pages, errors and warnings of a run that passes."""
    if outcome.run.incomplete:
        yield "the run is incomplete"
    if count := len(outcome.diff.undetermined):
        yield f"{plural(count, 'page')} gave no usable answer"
    for severity in (Severity.ERROR, Severity.WARNING):
        if count := outcome.count(severity):
            yield plural(count, severity.value)
    if known := len(outcome.diff.acknowledged.rows):
        yield f"{known:,} accepted"


def facts(outcome: Outcome) -> tuple[tuple[str, str], ...]:
    """(name, value) pairs: the site, its sitemap, and what they are compared with."""
    run, diff = outcome.run, outcome.diff
    committed = plural(diff.counts.committed, "URL") if not run.absent else "does not exist"
    if run.first_run:
        committed = "not known" if run.no_pages and run.judged == "served" else "does not exist yet"
    listed = "no page" if run.no_pages else plural(diff.listed, "page")
    rows = [
        ("site", run.site_url),
        ("source", f"{run.source.kind} {run.source.location}, {listed} to list"),
        (run.judged, f"{run.sitemap} ({committed})"),
    ]
    if run.pull_request:
        rows.append(("change", run.pull_request))
    if run.baseline.alone:
        rows.append(("baseline", run.baseline.description))
    elif not run.baseline.same:
        rows.append(("baseline", f"{run.baseline.description} ({plural(diff.counts.baseline, 'URL')})"))
    elif run.baseline.description != f"the committed {run.sitemap}":
        rows.append(("baseline", f"{run.baseline.description}: the {run.judged} file has the same content"))
    return tuple(rows)


def identity(outcome: Outcome) -> tuple[tuple[str, str], ...]:
    """(name, value) pairs that say which run this is; branch and config may be hostile text."""
    known = outcome.run.identity
    change = f"pull request {known.pull_request}" if known.pull_request else ""
    branch = f"branch {known.branch}" if known.branch else ""
    rows = (
        ("run", ", ".join(filter(None, (_minute(known.date), known.event)))),
        ("commit", ", ".join(filter(None, (known.commit[:12], branch, change)))),
        ("log", known.shown_link),
        ("config", known.config if known.date else ""),
        ("tool", f"sitemap-action {__version__}"),
    )
    return tuple(row for row in rows if row[1])


def _minute(date: str) -> str:
    """2026-01-31T12:30:59Z as 2026-01-31 12:30 UTC."""
    return f"{date[:10]} {date[11:16]} UTC" if date else ""


def notes(outcome: Outcome) -> tuple[str, ...]:
    """The first ones and the number of the rest; of a site in sync they are one (U-28). JSON has them all."""
    found = outcome.run.notes
    if outcome.result is Result.IN_SYNC and len(found) > 1:
        more = (f"and {plural(len(found) - _JOINED, 'more note')}",) if len(found) > _JOINED else ()
        return ("; ".join((*found[:_JOINED], *more)),)
    more = (f"and {len(found) - _NOTES:,} more notes",) if len(found) > _NOTES else ()
    return (*found[:_NOTES], *more)


def advice(outcome: Outcome) -> str:
    """One sentence: what to do now; "" when there is nothing to do."""
    blocked = _block(outcome)
    told = outcome.run.lacks(CauseKind.OTHER_BASE) or outcome.run.lacks(CauseKind.UNKNOWN_HOST)
    if blocked and outcome.writing and not told:
        published = outcome.blocked and outcome.blocked.kind is CauseKind.NOT_PUBLISHED
        return f"{'Not published' if published else 'Nothing was written'}: {blocked}."
    if outcome.changed or outcome.result is Result.IN_SYNC:
        return ""
    return f"{_next_step(outcome, blocked)}{_offer(outcome)}".lstrip()


def _offer(outcome: Outcome) -> str:
    """Where a check is red for many rows of no common cause, and there is no list of known faults yet."""
    rows, run = outcome.diff.stale + outcome.errors, outcome.run
    removes = not run.baseline.same and any(map(outcome.removed_fails, outcome.diff.failing))  # nobody accepts that
    known = removes or outcome.main_cause or outcome.writing or run.absent or run.baseline.accepted.rows
    if rows < _MANY or outcome.exit_code != 1 or known:
        return ""
    return " Where these are faults of old, `sitemap-action accept` lists them, and only new ones fail."


def _next_step(outcome: Outcome, blocked: str) -> str:
    if outcome.result is Result.INCONCLUSIVE:
        return _inconclusive_tip(outcome)
    wrong = outcome.diff.stale or outcome.result is Result.INVALID
    if wrong and outcome.run.judged == "served":
        return _correct_served(outcome)
    if tip := _tip_of_cause(outcome):
        return tip
    lost = any(map(outcome.removed_fails, outcome.diff.failing))
    if lost and not blocked and not (outcome.diff.stale and outcome.run.baseline.same):
        return f"{_LOST_TIP}{then_write(outcome)}"
    if outcome.guards and not blocked:
        return f"{_remedy(outcome)}."
    return _write_tip(outcome, blocked)


def _tip_of_cause(outcome: Outcome) -> str:
    """What to do where one cause explains all; "" where it is not told by its kind."""
    cause = outcome.main_cause
    if cause is not None and cause.place:
        return f"{cause.place}."
    return _LEDGER_TIP if cause is not None and cause.kind is CauseKind.LEDGER else ""


def _write_tip(outcome: Outcome, blocked: str) -> str:
    if (outcome.diff.stale or outcome.would_write) and not outcome.blocked:
        return f"{_before_writing(outcome.diff)} `sitemap-action write` {_then(outcome)}."
    if blocked and outcome.guards and not outcome.diff.unproven:
        return f"{_remedy(outcome)}; then run `sitemap-action write`, which refuses until then."
    return f"`sitemap-action write` would refuse: {blocked}." if blocked else ""


def _before_writing(diff: Diff) -> str:
    """What comes before a write: redirects where pages have other addresses, and the pages themselves."""
    led = {row.url for flip in diff.stale_flips for row in flip.uncovered}
    lost = {row.url for row in diff.extra if row.is_lost}
    if lost and lost <= led:
        return "Redirect each old URL to its new one (`sitemap-action redirects` proposes how), then run"
    return "Restore the removed pages, or run" if lost else "Run"


def _remedy(outcome: Outcome) -> str:
    remedy = guard_remedy(*(guard.key for guard in outcome.guards))
    return f"{remedy[:1].upper()}{remedy[1:]}"


def _inconclusive_tip(outcome: Outcome) -> str:
    done = "Nothing was written. " if outcome.writing else ""
    if outcome.run.lacks(CauseKind.OTHER_BASE):
        return f"{done}{_other_base_tip(outcome.run)}"
    if outcome.run.lacks(CauseKind.UNKNOWN_HOST):
        host = option("host", "NAME")
        return f"{done}Name the host in source.host ({host}), which decides these addresses, and run again."
    return _baseline_tip() if outcome.run.lacks(CauseKind.UNREAD_BASELINE) else _NO_VERDICT


def _other_base_tip(run: RunInfo) -> str:
    named = f"Name the address that the site states: {option('site-url', run.stated.base)}."
    asked = "list the old one in policy.moved-from: its pages are requested then"
    moves = f"Where it moves to {run.site_url}, build it with that address, and {asked}."
    return f"{named} {moves}"


def _correct_served(outcome: Outcome) -> str:
    """What a person without a repository can do: nobody commits what a site serves (I-05)."""
    run, kept = outcome.run, kept_sitemap(outcome.run.site_url, outcome.run.sitemap)
    if run.absent and not outcome.blocked:
        return f"Upload one to {run.sitemap}: {kept}. Then name it in robots.txt: Sitemap: {run.sitemap}"
    if changes := _changes_of_children(outcome):
        return f"Correct what writes {run.sitemap}: {changes}. The lists above have each URL and its line."
    if run.absent or outcome.blocked or len(outcome.files) != 1:
        return f"Correct what writes {run.sitemap}: the lists above have its wrong and its missing entries."
    return f"Correct what writes {run.sitemap}; or upload the whole file in its place: {kept}."


def _changes_of_children(outcome: Outcome) -> str:
    """How many entries each child of an index loses and gets, as text; "" where there is no index."""
    if not outcome.run.baseline.same:
        return ""
    removed, added = Counter(row.path for row in outcome.diff.extra), Counter(row.path for row in outcome.diff.added)
    unplaced = added.pop("", 0)
    children = sorted((removed | added).keys() - {""})
    rows = [
        f"{child}: {' and '.join(f'{verb} {count:,}' for verb, count in counts if count)}"
        for child in children[:_CHILDREN]
        if (counts := (("remove", removed[child]), ("add", added[child])))
    ]
    rows += [f"and {len(children) - _CHILDREN:,} more of its files"] if len(children) > _CHILDREN else []
    rows += [f"add {unplaced:,} to one of its files"] if unplaced and rows else []
    return "; ".join(rows)


def _baseline_tip() -> str:
    another, none = option("baseline", "PATH"), option("baseline", "committed")
    if on_command_line():
        return f"With --offline or {none} only the truth of the sitemap is checked. {_BASELINE_TIP} ({another})."
    return f"{_BASELINE_TIP} ({another}). With {none} only the truth of the sitemap is checked."


def _then(outcome: Outcome) -> str:
    """What to do with the written file; nobody commits what a generator writes."""
    if outcome.run.judged == "built" and outcome.run.absent:
        return f"after each build: it writes {outcome.run.sitemap}"
    if outcome.run.judged == "built":
        return f"after the build, or correct what writes {outcome.run.sitemap}"
    return f"and commit {outcome.run.sitemap}"


def then_write(outcome: Outcome) -> str:
    """What ends the advice on rows that fail, as a sentence: the sitemap is to say what the site says then (U-22)."""
    if outcome.run.judged == "served":
        return f" Then correct {outcome.run.sitemap}."
    return f" Then {'build again, and ' if outcome.run.judged == 'built' else ''}run `sitemap-action write`."


def guard_remedy(*keys: str) -> str:
    """What to do where these guards tripped: the site first, the policy last."""
    policy = "change the policy in the same pull request where this is intended"
    if set(keys) <= _LOSSES:
        policy = "announce them in policy.expected-removals where this is intended"
    first = "take out the pages that should not be there" if set(keys) == {_MAX_ADDED} else "restore the pages"
    return f"{first}, or {policy}"


def _block(outcome: Outcome) -> str:
    """What stops a write: a guard is only named, and why a run is incomplete is left out, for both stand above."""
    if outcome.blocked is None:
        return ""
    if outcome.blocked.kind is CauseKind.INCOMPLETE:
        return "the run is incomplete"
    if outcome.blocked.kind is not CauseKind.GUARD:
        return outcome.blocked.sentence
    tripped = f"{' and '.join(guard.key for guard in outcome.guards)} tripped"
    if outcome.diff.unproven:
        return f"{tripped}; list the old address in policy.moved-from: a page that is seen to redirect is not lost"
    return f"{tripped}; {guard_remedy(*(guard.key for guard in outcome.guards))}"
