"""The steps of a run: the only place that depends on the mode."""

from collections.abc import Sequence
from pathlib import PurePosixPath

from msgspec.structs import replace

from sitemap_action.errors import UsageError
from sitemap_action.model.context import Mode
from sitemap_action.model.outcome import Outcome, Result
from sitemap_action.model.step import (
    CommitFiles,
    FileChange,
    Step,
    SyncPullRequest,
)
from sitemap_action.model.wording import option


def plan(
    outcome: Outcome, mode: Mode, shards: Sequence[str], request: SyncPullRequest | None = None
) -> tuple[Step, ...]:
    """Files first, then what is published. Raises UsageError where no sitemap may be written.

    `shards`: numbered files of earlier runs, recognised by name and by comment. `request`: a pull request with the
    files as they should be, where the run publishes; a commit is made of it where the mode is to commit.
    """
    if outcome.changed and (mode.writes or request):
        _refuse_name(outcome)
    on_disk = _on_disk(outcome, shards) if mode.writes and outcome.changed else ()
    return (*on_disk, *(_on_branch(outcome, mode, request) if request else ()))


def _on_branch(outcome: Outcome, mode: Mode, request: SyncPullRequest) -> tuple[Step, ...]:
    """One commit, or one pull request, which is closed when nothing is left to do."""
    if not (outcome.changed and request.changes):
        request = replace(request, body="", changes=())
    if mode is Mode.COMMIT and request.changes:
        return (CommitFiles(request.base, request.expected, request.counts, request.mark, request.changes),)
    done = outcome.result is Result.IN_SYNC or (outcome.changed and not outcome.blocked)
    return (request,) if mode is Mode.PULL_REQUEST and (request.changes or done) else ()


def _refuse_name(outcome: Outcome) -> None:
    """The suffix of a sitemap names its format: what would not be written under that name is not written at all."""
    name = outcome.run.sitemap
    suffix = PurePosixPath(name.removesuffix(".gz")).suffix
    if suffix == ".json":
        hint = "name a file that ends in .xml or .txt in `sitemap`; output.format: [xml, json] writes JSON beside it"
        raise UsageError(f"{name} cannot be written: JSON is no format of sitemaps", hint=hint)
    if suffix == ".txt" and not any(file.path == name for file in outcome.files):
        hint = (
            f"name {outcome.files[-1].path} in `sitemap`, and set output.format to text: it is the index of the files"
        )
        raise UsageError(f"the URLs do not fit in {name}, and a text file is no index", hint=hint)


def _on_disk(outcome: Outcome, shards: Sequence[str]) -> tuple[Step, ...]:
    """Steps in an order that may be interrupted anywhere: children, then the index, then stale shards (SM-08)."""
    place = PurePosixPath(outcome.run.sitemap)
    if place.is_absolute() or ".." in place.parts:
        hint = f"run in a folder that holds the build, or name another place for the sitemap ({option('sitemap')})"
        raise UsageError(f"{place} is outside of the workspace, where nothing is written", hint=hint)
    written = {file.path for file in outcome.files}
    writes = [FileChange(file.path, file.content, file.redirects) for file in outcome.files]
    return (*writes, *(FileChange(path, None) for path in shards if path not in written))
