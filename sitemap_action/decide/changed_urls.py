"""The URLs that search engines are to fetch again (IN-06)."""

from sitemap_action.model.outcome import Changed, Outcome
from sitemap_action.model.site import Reason

_HINTS = frozenset({"changefreq", "priority"})  # fields that say nothing about the page
_GONE_OR_REDIRECTED = frozenset(
    {
        Reason.GONE,
        Reason.MOVED,
        Reason.MOVED_HOME,
        Reason.MOVED_TEMPORARY,
        Reason.MOVED_OFFSITE,
        Reason.REDIRECT_BROKEN,
    }
)


def changed_urls(outcome: Outcome) -> tuple[str, ...]:
    """Added, changed in content, removed and redirected, sorted, each once.

    None of a run that is not complete, or has no baseline: it knows no change, and IndexNow is not for whole sites.
    A page that only left the sitemap, because it is excluded, not indexable or listed under its twin's URL, is none.
    """
    if not outcome.complete or outcome.run.baseline.missing:
        return ()
    diff = outcome.diff
    found = {row.url for row in diff.added}
    found |= {row.url for row in diff.changed if _in_content(row)}
    found |= {row.url for row in diff.removed if row.reason in _GONE_OR_REDIRECTED}
    return tuple(sorted(found))


def _in_content(row: Changed) -> bool:
    return any(name not in _HINTS for name, *_ in row.fields)
