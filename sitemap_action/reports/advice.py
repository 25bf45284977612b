"""What to do: one sentence for each class of removal, and one for the whole outcome."""

from sitemap_action.model.outcome import CauseKind, Outcome, Result
from sitemap_action.model.site import Reason
from sitemap_action.model.wording import option

_BASELINE_TIP = "Run again when the site answers, or name the sitemap of an earlier build, such as one from a cache"
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
    Reason.MERGED: "Nothing to do: the same page is listed under another URL.",
    Reason.SOFT_404: "The page answers 200 with an error page: answer 404.",
    Reason.UNDETERMINED: "There was no usable answer, so nothing is known: an existing entry is kept.",
}

UNANSWERED = "Correct the page or the links to it, or leave it out with select.exclude."
THIS_RUN_ALONE = "blocks sitemap-action: "  # in the reason of a page that robots.txt forbids this run alone
NET_02 = "Allow it in robots.txt with a group for sitemap-action, or set crawl.robots: ignore for a site of your own."

REDIRECTED = "Every old URL redirects to its new one, or is the same file: keep it so for at least a year."
NOT_REDIRECTED = "Redirect each old URL to its new one with 301 or 308: links and search engines still use it."
_NAME_HOST = "Name the host in source.host, which decides the URLs of these pages (HOST-01), and run again."
OLD_SITE_NOT_READ = " The old site was not fetched: only the paths were compared."


def advice(outcome: Outcome) -> str:
    """One sentence: what to do now; "" when there is nothing to do."""
    blocked = _block(outcome)
    if blocked and outcome.writing:
        return f"Nothing was written: {blocked}."
    if outcome.changed or outcome.result is Result.IN_SYNC:
        return ""
    if outcome.result is Result.INCONCLUSIVE:
        return _baseline_tip() if outcome.run.lacks(CauseKind.UNREAD_BASELINE) else _NO_VERDICT
    if outcome.diff.stale and outcome.names_other_host:
        return _NAME_HOST
    if outcome.diff.stale and not outcome.blocked:
        choices = outcome.run.choices
        return _first(*choices) if choices else f"Run `sitemap-action write` {_then(outcome)}."
    return f"`sitemap-action write` would refuse: {blocked}." if blocked else ""


def _baseline_tip() -> str:
    another, none = option("baseline", "PATH"), option("baseline", "committed")
    return f"{_BASELINE_TIP} ({another}). With {none} only the truth of the sitemap is checked."


def _first(copied: str, other: str, built: str) -> str:
    """Where a first sitemap may go."""
    committed = f"commit it as {copied} or {other}, if the generator copies that folder into the build"
    return f"Run `sitemap-action write --sitemap FILE` and {committed}; or write {built} after each build."


def _then(outcome: Outcome) -> str:
    """What to do with the written file; nobody commits what a generator writes."""
    restore = ", or restore the removed pages" if any(row.lost for row in outcome.diff.extra) else ""
    if outcome.run.judged == "built":
        return f"after the build, or correct what writes {outcome.run.sitemap}{restore}"
    return f"and commit {outcome.run.sitemap}{restore}"


def _block(outcome: Outcome) -> str:
    """What stops a write: a guard is only named, and why a run is incomplete is left out, for both stand above."""
    if outcome.blocked is None:
        return ""
    if outcome.blocked.kind is CauseKind.INCOMPLETE:
        return "the run is incomplete"
    if outcome.blocked.kind is not CauseKind.GUARD:
        return outcome.blocked.sentence
    keys = [guard.key for guard in outcome.guards]
    return f"{' and '.join(keys)} tripped; if this is intended, change the policy in the same pull request"
