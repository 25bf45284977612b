"""From a verdict to what is published: the effects of a run, carried out in one place, and judged again in a race.

A process that reads a site in a container of its own requests the effects from another one (`isolate`).
"""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path, PurePosixPath
from typing import Protocol, TypeAlias

from msgspec.structs import replace

from sitemap_action.config.accepted import MOST
from sitemap_action.config.ledger import LEDGER_NAME, read_ledger
from sitemap_action.console.streams import Console, RunnerFiles
from sitemap_action.decide.changes import changed_urls
from sitemap_action.disk.folder import FORGE, path_names
from sitemap_action.errors import BaselineError, PublishError, UsageError
from sitemap_action.hosts.redirect_files import is_redirect_edit
from sitemap_action.model.context import OBJECT_ID, Context, Mode
from sitemap_action.model.mask import NO_MASK, Mask
from sitemap_action.model.outcome import Cause, CauseKind, Outcome, Result
from sitemap_action.model.step import (
    CommentWhen,
    CommitFiles,
    DeleteFile,
    FileChange,
    IssueState,
    Operation,
    Published,
    SiteMark,
    Step,
    SubmitUrls,
    SyncIssue,
    SyncPullRequest,
    UpsertComment,
    WriteFile,
)
from sitemap_action.publish.apply import NO_AUTHORITY, Authority, apply
from sitemap_action.publish.files import WRITTEN, delete_reports, find_place, write_kept, write_report
from sitemap_action.publish.indexnow import count_urls
from sitemap_action.repo.github import GitHub
from sitemap_action.repo.github_api import Api
from sitemap_action.reports.advice import HEADLINES
from sitemap_action.reports.all import render, report_format, standing
from sitemap_action.runner.event import ActionInputs
from sitemap_action.store.state import keep_unsubmitted
from sitemap_action.walk.local_sitemaps import WorkTree
from sitemap_action.web.urls import origin

_VERDICTS = {1, 3}  # exit codes of a verdict, not of a failure
_JUDGED = 4  # times, for a branch that keeps moving
Publish: TypeAlias = Callable[[Sequence[Step]], Published]
Judged: TypeAlias = tuple[Outcome, tuple[Step, ...]]


def publish(console: Console, context: Context, judge: Callable[[Context], Judged], act: Publish) -> Judged:
    """Judge and carry out; again where the branch has another sitemap meanwhile, so that no update is lost."""
    for _ in range(_JUDGED):
        outcome, steps = judge(context)
        try:
            _refuse_secrets(console, steps)
            key = _judge_key(console, context, outcome, steps, act)
            published = act(steps)
        except PublishError as error:
            return _report_failure(console, outcome, error), steps
        if not published.moved:
            outcome = _with_results(console, context, outcome, published)
            return _submit_urls(console, context, outcome, key, act), steps
        console.log(
            f"{context.publishing.branch} has another sitemap meanwhile, at {published.moved[:12]}: judged again"
        )
        context = replace(context, judged_at=published.moved)
    stale = PublishError(f"the sitemap of {context.publishing.branch} keeps changing", hint="run the job again")
    return _report_failure(console, outcome, stale), steps


def _judge_key(console: Console, context: Context, outcome: Outcome, steps: Sequence[Step], act: Publish) -> Published:
    """Whether the site serves the key for search engines: said before anything is written, and no obstacle (W-10)."""
    if not (_may_submit(context, outcome) and (steps or outcome.published.pending)):
        return Published()
    found = act([SubmitUrls(outcome.run.site_url, ())])
    if found.error:
        console.log_error(_failure(found))
    return found


def _may_submit(context: Context, outcome: Outcome) -> bool:
    run = outcome.run
    deployed = run.source.kind == "url" and origin(run.source.location) == origin(run.site_url)
    return bool(context.publishing.index_now_key) and deployed


def _submit_urls(console: Console, context: Context, outcome: Outcome, key: Published, act: Publish) -> Outcome:
    """IndexNow, once: with the change that records what was found, of a site that is deployed; and what is left.

    `key`: whether it is served.
    """
    recorded = outcome.published.commit or outcome.published.operation in {Operation.CREATED, Operation.UPDATED}
    recorded = recorded or (context.mode is Mode.WRITE and outcome.changed)
    urls = tuple(sorted({*outcome.published.pending, *(changed_urls(outcome) if recorded else ())}))
    if key.error:
        outcome = replace(outcome, exit_code=outcome.exit_code or PublishError.exit_code)
    if not urls or not _may_submit(context, outcome):
        return replace(outcome, published=outcome.published.and_then(key))
    if key.error:
        note = f"{count_urls(len(urls))} not submitted: {key.error}"
        done = Published(pending=urls, steps=key.steps, notes=(note,))
    else:
        done = act([SubmitUrls(outcome.run.site_url, urls)])
    done = replace(done, notes=(*done.notes, *_keep_unsubmitted(context, outcome, done.pending)))
    outcome = _add_results(console, context, outcome, done)
    outcome = replace(outcome, published=replace(outcome.published, pending=done.pending))
    return _log_failure(console, outcome, _failure(done)) if done.error else outcome


def _keep_unsubmitted(context: Context, outcome: Outcome, urls: Sequence[str]) -> list[str]:
    """Keep them in the state, where there is one; a sentence about what becomes of them."""
    if context.state is None:
        return ["the next run does not submit them, for there is no state to keep them in"] if urls else []
    if urls or outcome.published.pending:
        keep_unsubmitted(Path(context.workspace) / context.state, urls)
    return ["the state keeps them for the next run"] if urls else []


def comment(console: Console, context: Context, outcome: Outcome, act: Publish) -> Outcome:
    """The report as a comment; that it cannot be written is a note, for the summary has the report too."""
    wanted = context.publishing
    if not wanted.number or wanted.comment is CommentWhen.NEVER:
        return outcome
    diff = outcome.diff
    differs = bool(diff.stale or diff.added or diff.removed) or outcome.result is not Result.IN_SYNC
    create = differs or wanted.comment is CommentWhen.ALWAYS
    try:
        name = wanted.comment_name(outcome.run.site_url, outcome.run.sitemap)
        done = act([UpsertComment(wanted.number, name, render("markdown", outcome), create)])
    except PublishError as error:
        done = Published(notes=(f"the comment is not written: {error}",))
    for note in done.notes:
        console.log_warning(note)
    known = replace(outcome, published=outcome.published.and_then(done))
    return with_notes(known, *map(console.mask, done.notes))


def with_notes(outcome: Outcome, *notes: str) -> Outcome:
    """With these before what the run has noted."""
    return replace(outcome, run=replace(outcome.run, notes=(*filter(None, notes), *outcome.run.notes)))


def report_issue(console: Console, context: Context, outcome: Outcome, act: Publish) -> Outcome:
    """Keep the issue; where it has the report, the run is green: the issue is the message."""
    if not context.publishing.issue:
        return outcome
    run, fails = outcome.run, bool(outcome.exit_code)
    in_sync = outcome.result is Result.IN_SYNC or (outcome.changed and not fails)
    state = IssueState.CLOSED if in_sync and not fails else IssueState.OPEN
    step = SyncIssue(SiteMark(run.site_url, run.sitemap), issue_title(outcome), standing(outcome), state)
    try:
        done = act([step])
    except PublishError as error:
        done = Published(error=str(error), hint=error.hint)
    known = replace(outcome, published=outcome.published.and_then(done))
    if done.error:
        return _log_failure(console, known, _failure(done))
    if not (fails and done.issue):
        return known
    kept = f"the report is in issue {done.issue}"
    console.log(kept)
    return with_notes(replace(known, exit_code=0), kept) if outcome.exit_code in _VERDICTS else known


def issue_title(outcome: Outcome) -> str:
    return f"Sitemap of {outcome.run.site_url.partition('://')[2].rstrip('/')}: {HEADLINES[outcome.result]}"


def _failure(published: Published) -> PublishError:
    return PublishError(published.error, hint=published.hint)


def _log_failure(console: Console, outcome: Outcome, error: PublishError) -> Outcome:
    """The verdict stands; where it was good, the exit code says that not everything was published."""
    known = _fail(console, outcome, error)
    return with_notes(known, console.mask(_with_hint(error)))


def _fail(console: Console, outcome: Outcome, error: PublishError) -> Outcome:
    console.log_error(error)
    return replace(outcome, exit_code=outcome.exit_code or PublishError.exit_code)


def _with_hint(error: PublishError) -> str:
    return "; ".join(filter(None, (str(error), error.hint)))


def _report_failure(console: Console, outcome: Outcome, error: PublishError) -> Outcome:
    """As `_log_failure`, where nothing was published."""
    blocked = Cause(CauseKind.NOT_PUBLISHED, console.mask(_with_hint(error)))
    return replace(_fail(console, outcome, error), changed=False, blocked=blocked)


def _with_results(console: Console, context: Context, outcome: Outcome, published: Published) -> Outcome:
    """The outcome with what each step did: where one failed, what was done before it is said, too (W-11)."""
    outcome = _add_results(console, context, outcome, published)
    if not published.error:
        return outcome
    report = _log_failure if published.commit or published.number else _report_failure
    return report(console, outcome, _failure(published))


def _add_results(console: Console, context: Context, outcome: Outcome, published: Published) -> Outcome:
    notes = [*_sentences(context, published), *published.notes]
    for note in notes:
        console.log(note)
    return with_notes(replace(outcome, published=outcome.published.and_then(published)), *notes)


def _sentences(context: Context, published: Published) -> list[str]:
    """What was published, for the report."""
    wanted = context.publishing
    if published.number and published.operation is not Operation.NONE:
        return [f"pull request {published.number} was {published.operation}: {published.url}"]
    if published.number:
        return [f"pull request {published.number} is as it should be: {published.url}"]
    branch = published.branch or wanted.branch
    return [f"committed to {branch} as {published.commit[:12]}"] if published.commit else []


def _refuse_secrets(console: Console, steps: Sequence[Step]) -> None:
    """A URL with a secret is no entry (`run`); one may be left in an image or a language version of an entry."""
    for path, content in _written_files(steps):
        if console.mask.hides_in(content):
            hint = "remove it from the pages and the committed sitemap, and replace the secret"
            raise PublishError(f"{path} is not written: it would contain a secret of this run", hint=hint)


def _written_files(steps: Sequence[Step]) -> list[tuple[str, bytes]]:
    files = [(step.path, step.content) for step in steps if isinstance(step, WriteFile)]
    changes: list[FileChange] = [change for step in steps for change in getattr(step, "changes", ())]
    return [*files, *((change.path, change.content) for change in changes if change.content is not None)]


# --- the effects of an action, on files, outputs and summary ---

_COUNT, _BOOLEAN, _PATH = r"[0-9]{0,15}", "true|false", r"[^\x00-\x1f\x7f]{0,16384}"
OUTPUTS = {  # name → what its values look like
    "result": "|".join(Result),
    "changed": _BOOLEAN,
    "complete": _BOOLEAN,
    "url-count": _COUNT,
    "stale-count": _COUNT,
    "added-count": _COUNT,
    "removed-count": _COUNT,
    "changed-count": _COUNT,
    "error-count": _COUNT,
    "sitemap-path": _PATH,
    "report-json": _PATH,
    "report-sarif": _PATH,
    "report-html": _PATH,
    "commit-sha": OBJECT_ID.pattern,
    "issue-number": _COUNT,
    "pull-request-branch": _PATH,
    "pull-request-number": _COUNT,
    "pull-request-url": r"https?://[^\x00-\x20\x7f]{1,2000}",
    "pull-request-operation": "|".join(Operation),
}
KEPT_FORMATS = ("json", "sarif", "html")
"""What the action puts into the folder of the reports."""
_UNKNOWN = {
    "changed": "false",
    "complete": "false",
    "pull-request-operation": "none",
}  # of a run that reached no verdict


class Effects(Protocol):
    def apply(self, steps: Sequence[Step]) -> Published:
        """Raises PublishError."""

    def report(self, form: str, text: str) -> str:
        """Write a report of one of KEPT_FORMATS; returns its path. Raises PublishError."""

    def keep(self, files: Sequence[Step]) -> str:
        """Put the sitemap, as it should be, beside the report; returns its folder. Raises PublishError."""

    def publish_outputs(self, summary: str, outputs: Mapping[str, str]) -> None:
        """The summary that the runner shows, and the outputs that later steps read. Raises PublishError."""


class LocalEffects:
    """Carried out in this process, which trusts no request: paths and mode are those of the inputs.

    `serving`: requests come from another process, which could do none of it: of files it may name sitemaps alone.
    """

    def __init__(
        self,
        action: ActionInputs,
        *,
        writes: bool,
        mask: Mask = NO_MASK,
        authority: Authority = NO_AUTHORITY,
        serving: bool = False,
    ) -> None:
        self.action, self.writes, self.mask, self.authority = action, writes, mask, authority
        self.serving = serving
        self.result = Published()
        self.published = self.stopped = False
        self.runner = RunnerFiles(os.environ, summary=action.summary)

    def stop(self) -> None:
        self.stopped = True

    def apply(self, steps: Sequence[Step]) -> Published:
        if self.stopped:
            raise PublishError("the run was stopped, and nothing is written after that")
        if not self.writes and any(isinstance(step, WriteFile | DeleteFile) for step in steps):
            raise PublishError("a check writes no sitemap", hint="set the input mode to write")
        self._require_sitemaps(steps)
        found = apply([self._mask_body(step) for step in steps], Path.cwd(), self.authority)
        self.result = self.result.and_then(found)
        return found

    def _mask_body(self, step: Step) -> Step:
        """What is published as text leaves as every other text does."""
        match step:
            case SyncPullRequest() | UpsertComment() | SyncIssue():
                return replace(step, body=self.mask(step.body))
            case _:
                return step

    def _require_sitemaps(self, steps: Sequence[Step]) -> None:
        """Require that steps change sitemaps, ledger and redirects alone, of a branch too: the rest may be run."""
        for step in steps:
            changes = step.changes if isinstance(step, CommitFiles | SyncPullRequest) else ()
            for change in changes:
                find_place(Path.cwd(), change)
            files = [step] if isinstance(step, WriteFile | DeleteFile) else [*changes]
            for one in files if self.serving else ():
                if not self._is_sitemap(one.path) and not self._is_addition(one):
                    hint = "name it in the input sitemap: a config file alone may name no such file"
                    raise PublishError(f"the name of {one.path} is not that of a sitemap", hint=hint)

    def _is_addition(self, one: WriteFile | DeleteFile | FileChange) -> bool:
        """Whether a file is a list of redirects or addresses to which rows are added, and nothing else is done."""
        if isinstance(one, DeleteFile) or one.content is None or not (one.redirects or one.path.endswith(".txt")):
            return False
        try:
            before = self._known_copy(one.path)
        except BaselineError as error:
            raise PublishError(f"{one.path} is not written: {error}", hint=error.hint) from None
        if one.redirects:
            return is_redirect_edit(one.path, before, one.content)
        return _is_ledger(one.path, before, one.content)

    def _known_copy(self, path: str) -> bytes | None:
        """The file as it is on the branch that is published to, else in the work tree. Raises BaselineError."""
        forge, branch = self.authority.forge, self.authority.publishing.branch
        if forge is None or not branch:
            return WorkTree(Path.cwd())(path)
        remote = GitHub(Api(forge))
        head = remote.head(branch)
        return remote.blob(head, path) if head else None

    def _is_sitemap(self, path: str) -> bool:
        """Whether a name is a sitemap's; what builds and package managers execute, as package.json, has another."""
        name = PurePosixPath(path).name
        if not FORGE.isdisjoint(PurePosixPath(path.casefold()).parts):
            return False
        given = [layer.text for layer in self.action.layers if layer.key == "sitemap"]
        return "sitemap" in name.casefold() or any(
            name.startswith(PurePosixPath(one).name.partition(".")[0]) for one in given
        )

    def report(self, form: str, text: str) -> str:
        if form not in KEPT_FORMATS:
            raise PublishError(f"a report of the format {form[:40]!r} is not written")
        return write_report(Path.cwd(), self.action.report_path, report_format(form).file, self.mask(text))

    def keep(self, files: Sequence[Step]) -> str:
        written = [step for step in files if isinstance(step, WriteFile)]
        if self.stopped or len(written) != len(files):
            raise PublishError("nothing is kept beside the report")
        self._require_sitemaps(written)
        return write_kept(Path.cwd(), self.action.report_path, written)

    def publish_outputs(self, summary: str, outputs: Mapping[str, str]) -> None:
        if self.published:
            raise PublishError("the outputs of this step are set already")
        self.published = True
        values = _all_outputs({**outputs, **_publication_outputs(self.result)})
        self.runner.write_outputs({name: self.mask(value) for name, value in values.items()})
        self.runner.write_summary(self.mask(summary))

    @staticmethod
    def require_outputs(outputs: Mapping[str, str]) -> None:
        """Raises ValueError for what no run sets."""
        for name, value in outputs.items():
            if name not in OUTPUTS or not (value == "" or re.fullmatch(OUTPUTS[name], value)):
                raise ValueError(f"{name[:40]!r} has no value like {value[:40]!r}")

    def finish(self, summary: str) -> None:
        """Outputs are set on every exit, for later steps that test them; `summary`: of a run without a result."""
        with closing(self.runner):
            if not self.published:
                self.runner.write_outputs(_all_outputs(_publication_outputs(self.result)))
                self.runner.write_summary(summary)


def _publication_outputs(result: Published) -> Mapping[str, str]:
    """Outputs that the process which publishes knows best."""
    return {
        "commit-sha": result.commit,
        "issue-number": str(result.issue) if result.issue else "",
        "pull-request-branch": result.branch,
        "pull-request-number": str(result.number) if result.number else "",
        "pull-request-url": result.url,
        "pull-request-operation": result.operation.value,
    }


def _is_ledger(path: str, before: bytes | None, content: bytes) -> bool:
    """Whether a file has addresses alone, and those that it had: no line of it is a command.

    A new one has the usual name, for a tool may read a line that it finds in a file of another one.
    """
    if len(content) > MOST or read_ledger(path, content, _ANY_SITE).faults:
        return False
    if PurePosixPath(path).name == LEDGER_NAME:
        return True
    known, lines = read_ledger(path, before, _ANY_SITE), iter(content.splitlines())
    return bool(known.lines) and not known.faults and all(one in lines for one in (before or b"").splitlines())


_ANY_SITE = "https://example.invalid/"


def require_report_path(place: str) -> None:
    """Raises UsageError where no report may be written, before anything is read."""
    try:
        path_names(place, Path.cwd(), WRITTEN)
    except OSError as error:
        hint = "name a folder of the workspace, not below .git or .github"
        raise UsageError(f"input report-path: {place} cannot be used: {error.strerror}", hint=hint) from None


def forget_reports(place: str) -> None:
    """A run that fails leaves none of an earlier run; that none can be written is said when this one's are."""
    with suppress(PublishError):
        delete_reports(Path.cwd(), place, [report_format(form).file for form in KEPT_FORMATS])


def _all_outputs(outputs: Mapping[str, str]) -> Mapping[str, str]:
    return {name: outputs.get(name, _UNKNOWN.get(name, "")) for name in OUTPUTS}


def publish_failure(summary: str) -> None:
    """Outputs and summary of a run whose inputs cannot be used (U-13)."""
    with closing(RunnerFiles(os.environ)) as runner:
        runner.write_outputs(_all_outputs({}))
        runner.write_summary(summary)
