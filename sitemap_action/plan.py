"""The steps of a run: the only place that depends on the mode."""

from collections.abc import Sequence
from pathlib import PurePosixPath

from sitemap_action.errors import UsageError
from sitemap_action.model.context import Mode
from sitemap_action.model.outcome import Outcome
from sitemap_action.model.step import DeleteFile, Step, WriteFile


def plan(outcome: Outcome, mode: Mode, shards: Sequence[str]) -> tuple[Step, ...]:
    """Steps in an order that may be interrupted anywhere: children, then the index, then stale shards (SM-08).

    `shards`: numbered files of earlier runs, recognised by name and by comment. Raises UsageError where no sitemap may
    be written.
    """
    if not mode.writes or not outcome.changed:
        return ()
    if places := outcome.run.choices:
        copied = f"{places[0]} or {places[1]}, if the generator copies that folder into the build"
        hint = f"name it with `sitemap`: {copied}, or {places[2]}, to be written after each build"
        raise UsageError("there is no sitemap yet, and nothing tells where the generator copies one from", hint=hint)
    place = PurePosixPath(outcome.run.sitemap)
    if place.is_absolute() or ".." in place.parts:
        hint = "run in a folder that holds the build, or name another place for the sitemap (--sitemap)"
        raise UsageError(f"{place} is outside of the workspace, where nothing is written", hint=hint)
    written = {file.path for file in outcome.files}
    writes = [WriteFile(file.path, file.content) for file in outcome.files]
    return (*writes, *(DeleteFile(path) for path in shards if path not in written))
