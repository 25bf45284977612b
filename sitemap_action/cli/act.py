"""From a verdict to what is published: steps carried out, judged again where the branch moved, then the comment."""

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.console.streams import Console
from sitemap_action.decide.changed_urls import changed_urls
from sitemap_action.errors import PublishError
from sitemap_action.model.context import Context, Mode
from sitemap_action.model.outcome import Cause, CauseKind, Outcome, Result
from sitemap_action.model.step import (
    CommentWhen,
    FileChange,
    Operation,
    Published,
    Step,
    SubmitUrls,
    UpsertComment,
    WriteFile,
)
from sitemap_action.reports.all import render
from sitemap_action.run import RunResult
from sitemap_action.web.urls import origin

_JUDGED = 4  # times, for a branch that keeps moving
Publish = Callable[[Sequence[Step]], Published]


class Ran(Struct, frozen=True):
    """A run with what it published."""

    result: RunResult
    outcome: Outcome


def publish(console: Console, context: Context, judge: Callable[[Context], RunResult], act: Publish) -> Ran:
    """Judge and carry out; again where the branch has another sitemap meanwhile, so that no update is lost."""
    for _ in range(_JUDGED):
        result = judge(context)
        try:
            _refuse_secrets(console, result.steps)
            published = act(result.steps)
        except PublishError as error:
            return Ran(result, failed(console, result.outcome, error))
        if not published.moved:
            outcome = _noted(console, context, result.outcome, published)
            return Ran(result, _submitted(console, context, outcome, published, act))
        console.log(
            f"{context.publishing.branch} has another sitemap meanwhile, at {published.moved[:12]}: judged again"
        )
        context = replace(context, judged_at=published.moved)
    stale = PublishError(f"the sitemap of {context.publishing.branch} keeps changing", hint="run the job again")
    return Ran(result, failed(console, result.outcome, stale))


def _submitted(console: Console, context: Context, outcome: Outcome, published: Published, act: Publish) -> Outcome:
    """IndexNow, once: with the change that records what was found, of a site that is deployed."""
    run = outcome.run
    deployed = run.kind == "url" and origin(run.location) == origin(run.site_url)
    recorded = published.commit or published.operation in {Operation.CREATED, Operation.UPDATED}
    recorded = recorded or (context.mode is Mode.WRITE and outcome.changed)
    if not (context.publishing.index_now_key and deployed and recorded and (urls := changed_urls(outcome))):
        return outcome
    try:
        done = act([SubmitUrls(run.site_url, urls)])
    except PublishError as error:
        return replace(failed(console, outcome, error), changed=outcome.changed)
    return _noted(
        console, context, outcome, Published(notes=(f"{len(urls):,} URLs submitted to IndexNow", *done.notes))
    )


def comment(console: Console, context: Context, outcome: Outcome, act: Publish) -> None:
    """The report as a comment; that it cannot be written is a note in the log, for the summary has the report too."""
    wanted = context.publishing
    if not wanted.number or wanted.comment is CommentWhen.NEVER:
        return
    diff = outcome.diff
    differs = bool(diff.stale or diff.added or diff.removed) or outcome.result is not Result.IN_SYNC
    create = differs or wanted.comment is CommentWhen.ALWAYS
    try:
        done = act([UpsertComment(wanted.number, wanted.comment_id, render("markdown", outcome), create)])
    except PublishError as error:
        console.log_warning(f"the comment is not written: {error}")
        return
    for note in done.notes:
        console.log_warning(note)


def failed(console: Console, outcome: Outcome, error: PublishError) -> Outcome:
    """The verdict stands; where it was good, the exit code says that nothing was published."""
    console.log_error(error)
    code = outcome.exit_code or PublishError.exit_code
    return replace(
        outcome, changed=False, exit_code=code, blocked=Cause(CauseKind.NOT_PUBLISHED, console.mask(str(error)))
    )


def _noted(console: Console, context: Context, outcome: Outcome, published: Published) -> Outcome:
    notes = [*_sentences(context, published), *published.notes]
    for note in notes:
        console.log(note)
    return replace(outcome, run=replace(outcome.run, notes=(*notes, *outcome.run.notes))) if notes else outcome


def _sentences(context: Context, published: Published) -> list[str]:
    """What was published, for the report."""
    wanted = context.publishing
    if published.number and published.operation is not Operation.NONE:
        return [f"pull request {published.number} was {published.operation}: {published.url}"]
    if published.number:
        return [f"pull request {published.number} is as it should be: {published.url}"]
    return [f"committed to {wanted.branch} as {published.commit[:12]}"] if published.commit else []


def _refuse_secrets(console: Console, steps: Sequence[Step]) -> None:
    """A URL with a secret is no entry (`run`); one may be left in an image or a language version of an entry."""
    for path, content in _written(steps):
        if console.mask.hides_in(content):
            hint = "remove it from the pages and the committed sitemap, and replace the secret"
            raise PublishError(f"{path} is not written: it would contain a secret of this run", hint=hint)


def _written(steps: Sequence[Step]) -> list[tuple[str, bytes]]:
    files = [(step.path, step.content) for step in steps if isinstance(step, WriteFile)]
    changes: list[FileChange] = [change for step in steps for change in getattr(step, "changes", ())]
    return [*files, *((change.path, change.content) for change in changes if change.content is not None)]
