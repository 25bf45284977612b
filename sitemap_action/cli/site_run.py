"""What every run over a site shares: its config and context before it; after it, from the verdict to what is published.

Effects are carried out in one place, and the site is judged again in a race. A process that reads a site in a container
of its own requests the effects from another one (`isolate`).
"""

import os
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from msgspec.structs import replace

from sitemap_action.cli.options import KNOWN, config_file, event_file, name_where
from sitemap_action.config.layers import ConfigReader, assignment, flag
from sitemap_action.config.schema import AUTO, DEFAULT_CONFIG, INPUTS, Config
from sitemap_action.console.streams import Console
from sitemap_action.decide.changes import changed_urls
from sitemap_action.disk.folder import closed_folder
from sitemap_action.errors import ConfigError, PublishError, UsageError
from sitemap_action.look.branch import target_tree
from sitemap_action.model.context import Context, Detail, Mode, split_list
from sitemap_action.model.mask import Access, SecretStruct
from sitemap_action.model.observer import Screenshots
from sitemap_action.model.outcome import Cause, CauseKind, Outcome, Result
from sitemap_action.model.step import (
    CommentWhen,
    IssueState,
    Operation,
    Published,
    SiteMark,
    Step,
    SubmitUrls,
    SyncIssue,
    UpsertComment,
    file_changes,
)
from sitemap_action.model.wording import option, plural
from sitemap_action.publish.files import WRITTEN, replace_bytes
from sitemap_action.publish.indexnow import count_urls
from sitemap_action.reports.advice import HEADLINES
from sitemap_action.reports.all import render, standing
from sitemap_action.runner.event import ConfigFrom, knows_event, read_identity, read_pull_request
from sitemap_action.runner.job_log import secret_headers
from sitemap_action.store.state import keep_unsubmitted
from sitemap_action.web.urls import origin


class CommandLine(SecretStruct, frozen=True):
    """What the options of a command that reads a site say, with the config file and the environment."""

    config: Config
    context: Context
    reading: ConfigReader
    content: bytes | None  # of the config file


def read_command_line(mode: Mode, options: Mapping[str, Any], console: Console) -> CommandLine:
    options = name_where(options)
    layers = (
        *(assignment(text) for text in options["settings"]),
        *(
            flag(name, value)
            for name in INPUTS
            if name != "path" and (value := options[name.replace("-", "_")]) is not None
        ),
    )
    # On the command line any folder may be named; a config file stays inside the workspace.
    reading = ConfigReader(options["config"] or DEFAULT_CONFIG, layers, KNOWN, folder=options["path"] or "")
    named = bool(options["config"])
    whose = ConfigFrom(options["config_from"])
    event, now = event_file(os.environ), datetime.now(UTC)
    context = Context(
        mode=mode,
        now=now,
        workspace=Path.cwd(),
        access=_access(options, console),
        pull_request=read_pull_request(os.environ, event, whose),
        state=Path(options["state"]) if options["state"] else None,
        command_line=frozenset(layer.key for layer in layers) | ({"source.path"} if options["path"] else set()),
        event=knows_event(os.environ),
        identity=read_identity(os.environ, event, now),
    )
    checkout = partial(config_file, reading.path, required=named, named=named)
    reading, content = config_of_change(reading, checkout, context, whose)
    config = reading.config(content)
    for warning in config.warnings:
        console.log_warning(warning)
    return CommandLine(config=config, context=context, reading=reading, content=content)


def run_for_list(  # noqa: PLR0913 - what is run, and what for
    run: Callable[..., tuple[Outcome, object]],
    console: Console,
    given: CommandLine,
    options: Mapping[str, Any],
    *,
    addresses: Sequence[str] | None = None,
    detail: Detail = Detail.FINDINGS,
) -> Outcome:
    """The check that a list is made from, by default with each finding alone; `run` is that of `sitemap_action.run`."""
    context = replace(given.context, details=frozenset({detail}))
    console.log_unmasked(context.access.headers)
    with console.progress(options["events"], progress=not options["no_progress"]) as observer:
        return run(given.config, context, given.reading, observer, addresses=addresses)[0]


def require_screenshots_folder(name: str, config: Config) -> None:
    """Raises UsageError for a folder that is part of the site, or of git, and for a file."""
    folder, build = Path(name).resolve(), config.source.path
    closed = closed_folder(folder.parts, WRITTEN)
    if build and folder.is_relative_to(Path(build).resolve()):
        why = f"is in the build {build}, which is published"
    elif closed or (folder.exists() and not folder.is_dir()):
        why = f"is in {closed}" if closed else "is no folder"
    else:
        return
    raise UsageError(f"--screenshots {name} {why}", hint="name a folder beside the site, as in --screenshots shots")


def write_screenshots(console: Console, found: Screenshots | None, folder: str) -> str:
    """The folder with what was collected; "" where nothing is in it. What cannot be written fails no run."""
    if found is None:
        return ""
    files = {name: content for name, content in sorted(found.files.items()) if content}
    try:
        for name, content in files.items():
            replace_bytes(Path(folder, name), content)
    except PublishError as error:
        console.log_warning(f"{error}; the report shows no screenshots")
        return ""
    more = f", of the first {found.most} pages and none of {found.omitted:,} more" if found.omitted else ""
    console.log(f"{plural(len(files), 'screenshot')} in {folder}{more}")
    return folder if files else ""


def _access(options: Mapping[str, Any], console: Console) -> Access:
    """Secrets come from the environment, where no process list shows them, for an address of the command line only."""
    headers = os.environ.get("SITEMAP_ACTION_HEADERS", "")
    if headers and options["url"] in (None, "", AUTO):
        hint = "give the address with --url: a config file never chooses where secrets are sent"
        raise UsageError("SITEMAP_ACTION_HEADERS is set, and --url gives no address", hint=hint)
    return Access(
        headers=secret_headers(headers),
        mask=console.mask,
        log=console.request_log(verbose=options["verbose"] or options["debug"]),
        tls_verify=options["tls_verify"],
        allow_private_hosts=split_list(options["allow_private_hosts"]),
        offline=options["offline"],
    )


def config_of_change(
    reading: ConfigReader, checkout: Callable[[], bytes | None], context: Context, whose: ConfigFrom
) -> tuple[ConfigReader, bytes | None]:
    """The content of the config that holds, and how to read it again; `checkout` reads that of the work tree."""
    if whose is ConfigFrom.HEAD or context.pull_request is None:
        return reading, checkout()
    tree = target_tree(context, context.pull_request, reading.path)
    content = require_config(reading.path, tree(reading.path), tree.commit)
    return replace(reading, checkout=checkout, holder=tree), content


def require_config(path: str, content: bytes | None, commit: str) -> bytes | None:
    """The content at a commit; the file that is read where none is named may be missing."""
    if content is None and path != DEFAULT_CONFIG:
        raise ConfigError(f"{path}: no such file at {commit[:12]}", hint=f"correct {option('config')}")
    return content


# --- from the verdict to what is published ---

_VERDICTS = {1, 3}  # exit codes of a verdict, not of a failure
_JUDGED = 4  # times, for a branch that keeps moving
Publish: TypeAlias = Callable[[Sequence[Step]], Published]
Judged: TypeAlias = tuple[Outcome, tuple[Step, ...]]


class Publication:
    """Carries out what a run decides, and tells in its outcome what became of that."""

    def __init__(self, console: Console, context: Context, act: Publish) -> None:
        """`act`: carries out steps, here or in another process."""
        self._console, self._context, self._act = console, context, act
        self._wanted = context.publishing

    def publish(self, judge: Callable[[Context], Judged]) -> Judged:
        """Judge and carry out; again where the branch has another sitemap meanwhile, so that no update is lost."""
        context = self._context
        for _ in range(_JUDGED):
            outcome, steps = judge(context)
            try:
                self._refuse_secrets(steps)
                key = self._judge_key(outcome, steps)
                published = self._act(steps)
            except PublishError as error:
                return self._report_failure(outcome, error), steps
            if not published.moved:
                return self._submit_urls(self._with_results(outcome, published), key), steps
            why = f"{self._wanted.branch} has another sitemap meanwhile, at {published.moved[:12]}: judged again"
            self._console.log(why)
            context = replace(context, judged_at=published.moved)
        stale = PublishError(f"the sitemap of {self._wanted.branch} keeps changing", hint="run the job again")
        return self._report_failure(outcome, stale), steps

    def comment(self, outcome: Outcome) -> Outcome:
        """The report as a comment; that it cannot be written is a note, for the summary has the report too."""
        wanted, diff = self._wanted, outcome.diff
        if not wanted.number or wanted.comment is CommentWhen.NEVER:
            return outcome
        differs = bool(diff.stale or diff.added or diff.removed) or outcome.result is not Result.IN_SYNC
        create = differs or wanted.comment is CommentWhen.ALWAYS
        try:
            name = wanted.comment_name(outcome.run.site_url, outcome.run.sitemap)
            done = self._act([UpsertComment(wanted.number, name, render("markdown", outcome), create)])
        except PublishError as error:
            done = Published(notes=(f"the comment is not written: {error}",))
        for note in done.notes:
            self._console.log_warning(note)
        known = replace(outcome, published=outcome.published.and_then(done))
        return with_notes(known, *map(self._console.mask, done.notes))

    def report_issue(self, outcome: Outcome) -> Outcome:
        """Keep the issue; where it has the report, the run is green: the issue is the message."""
        if not self._wanted.issue:
            return outcome
        run, fails = outcome.run, bool(outcome.exit_code)
        in_sync = outcome.result is Result.IN_SYNC or (outcome.changed and not fails)
        state = IssueState.CLOSED if in_sync and not fails else IssueState.OPEN
        title = f"Sitemap of {run.site_url.partition('://')[2].rstrip('/')}: {HEADLINES[outcome.result]}"
        step = SyncIssue(SiteMark(run.site_url, run.sitemap), title, standing(outcome), state)
        try:
            done = self._act([step])
        except PublishError as error:
            done = Published(error=str(error), hint=error.hint)
        known = replace(outcome, published=outcome.published.and_then(done))
        if done.error:
            return self._note_failure(known, _failure(done))
        if not (fails and done.issue):
            return known
        kept = f"the report is in issue {done.issue}"
        self._console.log(kept)
        return with_notes(replace(known, exit_code=0), kept) if outcome.exit_code in _VERDICTS else known

    def _judge_key(self, outcome: Outcome, steps: Sequence[Step]) -> Published:
        """Whether the site serves the key for search engines: said before anything is written, no obstacle (W-10)."""
        if not (self._may_submit(outcome) and (steps or outcome.published.pending)):
            return Published()
        found = self._act([SubmitUrls(outcome.run.site_url, ())])
        if found.error:
            self._console.log_error(_failure(found))
        return found

    def _may_submit(self, outcome: Outcome) -> bool:
        run = outcome.run
        deployed = run.source.kind == "url" and origin(run.source.location) == origin(run.site_url)
        return bool(self._wanted.index_now_key) and deployed

    def _submit_urls(self, outcome: Outcome, key: Published) -> Outcome:
        """IndexNow, once: with the change that records what was found, of a site that is deployed; and what is left.

        `key`: whether it is served.
        """
        known, pending = outcome.published, outcome.published.pending
        recorded = known.commit or known.operation in {Operation.CREATED, Operation.UPDATED}
        recorded = recorded or (self._context.mode is Mode.WRITE and outcome.changed)
        urls = tuple(sorted({*pending, *(changed_urls(outcome) if recorded else ())}))
        outcome = _fail(outcome) if key.error else outcome
        if not urls or not self._may_submit(outcome):
            return replace(outcome, published=known.and_then(key))
        if key.error:
            note = f"{count_urls(len(urls))} not submitted: {key.error}"
            done = Published(pending=urls, steps=key.steps, notes=(note,))
        else:
            done = self._act([SubmitUrls(outcome.run.site_url, urls)])
        done = replace(done, notes=(*done.notes, *self._keep_unsubmitted(outcome, done.pending)))
        outcome = self._add_results(outcome, done)
        outcome = replace(outcome, published=replace(outcome.published, pending=done.pending))
        return self._note_failure(outcome, _failure(done)) if done.error else outcome

    def _keep_unsubmitted(self, outcome: Outcome, urls: Sequence[str]) -> list[str]:
        """Keep them in the state, where there is one; a sentence about what becomes of them."""
        context = self._context
        if context.state is None:
            return ["the next run does not submit them, for there is no state to keep them in"] if urls else []
        if urls or outcome.published.pending:
            keep_unsubmitted(Path(context.workspace) / context.state, urls)
        return ["the state keeps them for the next run"] if urls else []

    def _with_results(self, outcome: Outcome, published: Published) -> Outcome:
        """The outcome with what each step did: where one failed, what was done before it is said, too (W-11)."""
        outcome = self._add_results(outcome, published)
        if not published.error:
            return outcome
        report = self._note_failure if published.commit or published.number else self._report_failure
        return report(outcome, _failure(published))

    def _add_results(self, outcome: Outcome, published: Published) -> Outcome:
        notes = [*self._sentences(published), *published.notes]
        for note in notes:
            self._console.log(note)
        return with_notes(replace(outcome, published=outcome.published.and_then(published)), *notes)

    def _sentences(self, published: Published) -> list[str]:
        """What was published, for the report."""
        if published.number and published.operation is not Operation.NONE:
            return [f"pull request {published.number} was {published.operation}: {published.url}"]
        if published.number:
            return [f"pull request {published.number} is as it should be: {published.url}"]
        branch = published.branch or self._wanted.branch
        return [f"committed to {branch} as {published.commit[:12]}"] if published.commit else []

    def _note_failure(self, outcome: Outcome, error: PublishError) -> Outcome:
        """The verdict stands; where it was good, the exit code says that not everything was published."""
        return with_notes(_fail(outcome), self._log_failure(error))

    def _report_failure(self, outcome: Outcome, error: PublishError) -> Outcome:
        """As `_note_failure`, where nothing was published."""
        blocked = Cause(CauseKind.NOT_PUBLISHED, self._log_failure(error))
        return replace(_fail(outcome), changed=False, blocked=blocked)

    def _log_failure(self, error: PublishError) -> str:
        """The error as a sentence of the report."""
        self._console.log_error(error)
        return self._console.mask("; ".join(filter(None, (str(error), error.hint))))

    def _refuse_secrets(self, steps: Sequence[Step]) -> None:
        """A URL with a secret is no entry (`run`); one may be left in an image or a language version of an entry."""
        for one in (change for step in steps for change in file_changes(step)):
            if one.content is not None and self._console.mask.hides_in(one.content):
                hint = "remove it from the pages and the committed sitemap, and replace the secret"
                raise PublishError(f"{one.path} is not written: it would contain a secret of this run", hint=hint)


def with_notes(outcome: Outcome, *notes: str) -> Outcome:
    """With these before what the run has noted."""
    return replace(outcome, run=replace(outcome.run, notes=(*filter(None, notes), *outcome.run.notes)))


def _failure(published: Published) -> PublishError:
    return PublishError(published.error, hint=published.hint)


def _fail(outcome: Outcome) -> Outcome:
    return replace(outcome, exit_code=outcome.exit_code or PublishError.exit_code)
