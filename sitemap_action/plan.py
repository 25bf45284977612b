"""The steps of a run: the only place that depends on the mode."""

from collections.abc import Sequence

from sitemap_action.model.context import Mode
from sitemap_action.model.outcome import Outcome
from sitemap_action.model.step import DeleteFile, Step, WriteFile


def plan(outcome: Outcome, mode: Mode, shards: Sequence[str]) -> tuple[Step, ...]:
    """Steps in an order that may be interrupted anywhere: children, then the index, then stale shards (SM-08).

    `shards`: numbered files of earlier runs, recognised by name and by comment.
    """
    if not mode.writes or not outcome.changed:
        return ()
    written = {file.path for file in outcome.files}
    writes = [WriteFile(file.path, file.content) for file in outcome.files]
    return (*writes, *(DeleteFile(path) for path in shards if path not in written))
