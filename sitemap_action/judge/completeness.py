"""Whether so many pages gave no answer that the site as a whole was not seen (NET-10, DIFF-20)."""

from sitemap_action.judge.causes import plural
from sitemap_action.model.outcome import Diff

_SHARE = 10  # percent of all pages
_MIN_PAGES = 2  # one page that fails is a row, however small the site is


def failing_site(diff: Diff) -> tuple[str, ...]:
    """Why the run is incomplete: many pages without an answer, for reasons that may pass; empty where they are few."""
    if diff.transient < _MIN_PAGES or diff.transient * 100 <= diff.seen * _SHARE:
        return ()
    why = f"for reasons that may pass (5xx, time-outs, resets): more than {_SHARE} %"
    return (f"{diff.transient:,} of {plural(diff.seen, 'page')} gave no usable answer {why}",)
