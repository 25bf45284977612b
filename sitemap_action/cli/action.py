"""`run`, the entry of the action: mode and options from the inputs of a GitHub Action, results for its runner."""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import click
from msgspec import Struct
from msgspec.structs import replace

from sitemap_action import REPOSITORY
from sitemap_action.cli.effects import (
    KEPT_FORMATS,
    Effects,
    LocalEffects,
    forget_reports,
    publish_failure,
    require_report_path,
)
from sitemap_action.cli.isolate import PUBLISHER, READER, RemoteEffects, enter_reader, serve_reader, take_streams
from sitemap_action.cli.options import KNOWN, config_file, event_file, require_shard
from sitemap_action.cli.site_run import Publication, config_of_change, require_config, with_notes
from sitemap_action.cli.validate import validate
from sitemap_action.config.layers import ConfigReader
from sitemap_action.config.schema import AUTO, DEFAULT_CONFIG, INPUTS, Config
from sitemap_action.console.streams import Console
from sitemap_action.errors import ConfigError, PublishError, SitemapActionError, UsageError
from sitemap_action.look.phase import look_at_shard
from sitemap_action.look.places import GitTree, git_tree
from sitemap_action.model.context import Context, Detail, Forge, Mode
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.mask import Access
from sitemap_action.model.outcome import Outcome, Result
from sitemap_action.model.step import USUAL, FileChange, IssueState, Publishing, SiteMark, SyncIssue, UpsertComment
from sitemap_action.model.wording import Audience, speak_to
from sitemap_action.publish.apply import Authority
from sitemap_action.repo.git import Git
from sitemap_action.reports.all import render
from sitemap_action.reports.markdown import code, failure, summary
from sitemap_action.run import run
from sitemap_action.runner.event import (
    ConfigSource,
    Trust,
    knows_event,
    read_deployment,
    read_forge,
    read_identity,
    read_pull_request,
)
from sitemap_action.runner.inputs import ActionInputs, PublishingInputs, read_inputs
from sitemap_action.runner.job_log import command, masks, secret_headers
from sitemap_action.web.urls import BadUrl, origin

_LOOPBACK = lazy_re(r"https?://(?:localhost|127\.[0-9.]+|\[::1\])(?=[:/?#]|$)", re.IGNORECASE)
_REPOSITORY = lazy_re(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+")
_ELSEWHERE = (
    "In a container localhost is the container itself: check the build with path, set the input network to host, or "
    "let the server listen on 0.0.0.0 and give the runner's address"
)


@click.command("run", hidden=True)
@click.option("--as", "part", type=click.Choice([READER, PUBLISHER]), help="One of the two processes of a run.")
@click.option("--debug", is_flag=True)
def run_action(*, part: str | None, debug: bool) -> int:  # noqa: ARG001 - read by the entry point
    """The action's entry: mode and options from the environment of a GitHub Action."""
    stream = take_streams() if part else None
    speak_to(Audience.WORKFLOW)
    console = Console(os.environ)
    event = event_file(os.environ)
    if stream and part == READER:
        effects = enter_reader(stream)
        action = read_inputs(os.environ)
        target = _target(action, event, effects.forge(os.environ))
        return _run_with_summary(console, action, target, event, effects)
    console.add_masks(masks(os.environ))
    with _results_on_every_exit(console) as made:
        action = read_inputs(os.environ)
        require_report_path(action.report_path)
        forget_reports(action.report_path)
        target = _target(action, event, read_forge(os.environ, action.token))
        if target.why:
            console.write_commands(f"{command('notice', target.why, title='sitemap-action')}\n")
        branch_token = action.values.get("branch-token", "")
        authority = Authority(target.publishing, target.forge, _access(action, console), branch_token)
        local = LocalEffects(action, writes=target.mode.writes, authority=authority, mask=console.mask)
        made.append(local)
        if stream:
            return serve_reader(stream, local)
        return _run_with_summary(console, action, target, event, local)


@contextmanager
def _results_on_every_exit(console: Console) -> Iterator[list[LocalEffects]]:
    """Outputs and summary, whatever ends the run: a wrong input, a signal, a bug (W-08)."""
    made: list[LocalEffects] = []
    text = failure("the run ended without a result: see its log", "")
    try:
        yield made
    except SitemapActionError as error:
        text = failure(str(error), error.hint)
        raise
    except (KeyboardInterrupt, SystemExit):
        text = failure("the run was stopped, and nothing was written after that", "run the job again")
        raise
    finally:
        for local in made:
            local.finish(console.mask(text))
        if not made:
            publish_failure(console.mask(text))


class Target(Struct, frozen=True):
    """What this event allows the inputs to change."""

    trusted: Trust
    mode: Mode
    why: str  # the mode is not the one that was asked for
    publishing: Publishing
    forge: Forge | None


def _target(action: ActionInputs, event: bytes, forge: Forge | None) -> Target:
    """Raises UsageError."""
    given = PublishingInputs(action.values, os.environ, event)
    mode, why = given.usable_mode(action.mode)
    return Target(given.trusted, mode, why, given.read(mode), forge)


def _run_with_summary(console: Console, action: ActionInputs, target: Target, event: bytes, effects: Effects) -> int:
    """A run that fails has its error in the summary too, which is shown on the page of the workflow run."""
    try:
        return _run(console, action, target, event, effects)
    except SitemapActionError as error:
        text = failure(str(error), error.hint)
        with suppress(PublishError):  # the first error counts
            effects.publish_outputs(text, {})
        wanted = target.publishing
        if wanted.number:  # a comment of an earlier run says what is not known any more (W-13)
            name = wanted.comment_name(action.values.get("site-url", ""), action.values.get("sitemap") or USUAL)
            with suppress(PublishError):
                effects.apply([UpsertComment(wanted.number, name, text, create=False)])
        if wanted.issue and (site := action.values.get("site-url", "")):
            mark = SiteMark(f"{site.rstrip('/')}/", action.values.get("sitemap") or USUAL)
            title = "Sitemap: it could not be checked"
            with suppress(PublishError):
                effects.apply([SyncIssue(mark, title, text, IssueState.UPDATED)])
        raise


def _validate(action: ActionInputs, effects: Effects) -> int:
    """`mode: validate`: sitemaps by every rule that needs no site; the log has the findings (W-12)."""
    named = action.values.get("sitemap", "") or action.values.get("url", "")
    sitemaps = list(filter(None, map(str.strip, named.splitlines())))
    if not sitemaps:
        hint = "name it in the input sitemap: a file, a folder of sitemaps, or the URL of one"
        raise UsageError("mode validate judges a sitemap, and none is named", hint=hint)
    options = ["--site-url", action.values.get("site-url", ""), "--config", action.config]
    options = options if action.config != DEFAULT_CONFIG else options[:2]
    ended = validate.main([*options, "--", *sitemaps], prog_name="validate", standalone_mode=False)
    result = {0: Result.IN_SYNC, 1: Result.INVALID}.get(ended, Result.INCONCLUSIVE)
    words = {Result.IN_SYNC: "✅ Sitemap: valid", Result.INVALID: "❌ Sitemap: invalid"}
    head = words.get(result, "❔ Sitemap: a document could not be read")
    rows = "".join(f"- {code(name)}\n" for name in sitemaps)
    text = f"### {head}\n\n{rows}\nThe log of the job has every finding.\n"
    effects.publish_outputs(text, {"result": result.value, "complete": str(ended in {0, 1}).lower()})
    return int(ended)


def _run(console: Console, action: ActionInputs, target: Target, event: bytes, effects: Effects) -> int:
    if target.mode is Mode.VALIDATE:
        return _validate(action, effects)
    now = datetime.now(UTC)
    context = Context(
        mode=target.mode,
        now=now,
        workspace=Path.cwd(),
        pull_request=read_pull_request(os.environ, event, action.config_from),
        access=replace(_access(action, console), confined=isinstance(effects, RemoteEffects)),
        state=_state(console, action, target.trusted),
        forge=target.forge,
        publishing=target.publishing,
        details=frozenset({Detail.PAGES}),
        deployment=read_deployment(os.environ, event),
        event=knows_event(os.environ),
        identity=read_identity(os.environ, event, now),
    )
    console.log_unmasked(context.access.headers)
    reading, config = _read_config(action, target.trusted, context)
    for warning in config.warnings:
        console.log_warning(warning)
    if action.shard or action.merge:
        context = _with_shards(context, action, trusted=target.trusted.state)
        if context.shard is not None:
            return _run_shard(console, config, context, reading, effects)
    publication = Publication(console, context, effects.apply)
    outcome = _look_and_write(console, config, context, reading, publication)
    outcome = publication.comment(publication.report_issue(outcome))
    outcome, reports = _write_reports(console, outcome, effects)
    console.write_report(render("text", outcome))
    if outcome.run.no_pages and _LOOPBACK.match(outcome.run.source.location):
        console.write_commands(f"{command('warning', _ELSEWHERE, title='sitemap-action')}\n")
    console.write_commands(render("annotations", outcome))
    kept = _keep(console, outcome, effects) if reports else ""
    outcome = with_notes(outcome, target.why)
    full = [path for form, path in reports.items() if form != "sarif"]
    effects.publish_outputs(summary(outcome, kept, _own_repository(), full), outputs(outcome, reports))
    return outcome.exit_code


def _access(action: ActionInputs, console: Console) -> Access:
    """Only the input `url` itself may be private: not what a config file or a deployment names (NET-13)."""
    url = next((setting.text.strip() for setting in action.layers if setting.key == INPUTS["url"]), "")
    try:
        private = origin(url)
    except BadUrl:  # none, `auto`, or one that is refused when the config is read
        private = ""
    return Access(
        headers=secret_headers(action.headers),
        mask=console.mask,
        log=console.request_log(),
        tls_verify=action.tls_verify,
        allow_private_hosts=action.allow_private_hosts,
        private_origin=private,
        hosts=action.hosts,
    )


def _write_reports(console: Console, outcome: Outcome, effects: Effects) -> tuple[Outcome, Mapping[str, str]]:
    """The path of each report that could be written; the verdict stands."""
    written: dict[str, str] = {}
    try:
        for form in KEPT_FORMATS:
            written[form] = effects.report(form, render(form, outcome))
    except PublishError as error:
        console.log_error(error)
        return replace(outcome, exit_code=outcome.exit_code or PublishError.exit_code), written
    return outcome, written


def _keep(console: Console, outcome: Outcome, effects: Effects) -> str:
    """The folder of the sitemap as it should be; "" where it is not needed, or could not be written (B-07)."""
    if not outcome.would_write:
        return ""
    try:
        kept = effects.keep([FileChange(one.path, one.content) for one in outcome.files if not one.redirects])
    except PublishError as error:
        console.log_error(error)
        return ""
    console.log(f"the sitemap as it should be is in {kept}")
    return kept


def _own_repository() -> str:
    """The repository of this action: the runner names it, but for one that is in the repository itself."""
    name = os.environ.get("GITHUB_ACTION_REPOSITORY", "")
    return name if _REPOSITORY.fullmatch(name) else REPOSITORY


def _look_and_write(
    console: Console, config: Config, context: Context, reading: ConfigReader, publication: Publication
) -> Outcome:
    with console.group("Reading the site"), console.progress() as observer:
        user = f", reading as user {os.getuid()}" if hasattr(os, "getuid") else ""
        console.log(f"mode {context.mode}, event {os.environ.get('GITHUB_EVENT_NAME') or 'none'}{user}")
        if config.source.url == AUTO and context.deployment and not context.deployment.url:
            console.log(f"url is auto: waiting for a deployment of {context.deployment.commit[:12]}")
        outcome, _ = publication.publish(partial(run, config, reading=reading, observer=observer))
    return outcome


def _state(console: Console, action: ActionInputs, trusted: Trust) -> Path | None:
    if action.state and not trusted.state:
        why = "the state is not used: on this event the checked change is not this repository's, and could have made it"
        console.write_commands(f"{command('notice', why, title='sitemap-action')}\n")
    return Path(action.state) if action.state and trusted.state else None


def _read_config(action: ActionInputs, trusted: Trust, context: Context) -> tuple[ConfigReader, Config]:
    """Where the workflow is the default branch's, so is the config: the work tree may be an untrusted fork's."""
    checkout = partial(config_file, action.config, required=action.config != DEFAULT_CONFIG)
    reading = ConfigReader(action.config, action.layers, KNOWN)
    if trusted.config is ConfigSource.COMMIT:
        tree = _workflow_tree(action)
        content = require_config(action.config, tree(action.config), tree.commit)
        return replace(reading, holder=tree), reading.config(content)
    reading, content = config_of_change(reading, checkout, context, action.config_from)
    return reading, reading.config(content)


def _workflow_tree(action: ActionInputs) -> GitTree:
    workspace, commit = Path.cwd(), os.environ.get("GITHUB_SHA", "")
    git = Git(workspace)
    if not (commit and (git.has(commit) or (git.fetch(commit) and git.has(commit)))):
        hint = "check the repository out with fetch-depth: 0, so that the commit of the workflow is in the clone"
        where = f"the commit of the workflow, {commit[:12] or 'GITHUB_SHA'}"
        raise ConfigError(
            f"{action.config}: on this event it is read at {where}, which is not in this clone", hint=hint
        )
    return git_tree(git, commit, workspace)


def _with_shards(context: Context, action: ActionInputs, *, trusted: bool) -> Context:
    """The context with the shard, or the shards to merge. `trusted`: a state may be used. Raises UsageError."""
    if not trusted:
        hint = "leave shard and merge out on pull requests of forks and of Dependabot: one job then looks at all"
        raise UsageError("a shard is stored in a state, and on this event no state is used", hint=hint)
    if not action.shard:
        return replace(context, shards=tuple(map(Path, action.merge)))
    shard = require_shard(action.shard, "input shard:")
    if action.merge:
        hint = "the jobs of a matrix have shard, and one job after them has merge"
        raise UsageError("inputs shard and merge are both set", hint=hint)
    if context.mode.writes:
        hint = "look at the parts with mode: check, and write in the job that merges them"
        raise UsageError(f"input shard is set, and mode {context.mode} needs the whole site", hint=hint)
    if context.state is None:
        hint = "name the file that the job which merges them is given, as in state: shards/1"
        raise UsageError("input shard is set without state", hint=hint)
    return replace(context, shard=shard)


def _run_shard(console: Console, config: Config, context: Context, reading: ConfigReader, effects: Effects) -> int:
    """Look at one shard, of which there are no reports: the summary says that it was looked at."""
    assert context.shard is not None  # noqa: S101 - the caller has asked
    with console.group("Reading the site"), console.progress() as observer:
        found = look_at_shard(config, context, context.shard, reading, observer)
    found = context.access.mask.value(found)
    console.write_report(found.text())
    what = "files were read" if found.files else "URLs were asked for"
    sentences = [f"{found.looked_at:,} {what}.", "The job that merges all shards gives the verdict."]
    sentences += ["Not all of the part was seen; the log says why."] if found.incomplete else []
    text = f"### Sitemap: shard {found.shard}\n\n{' '.join(sentences)}\n"
    effects.publish_outputs(text, {"complete": str(not found.incomplete).lower()})
    return found.exit_code


def outputs(outcome: Outcome, reports: Mapping[str, str]) -> Mapping[str, str]:
    """The outputs of the action: counts and paths; lists are in the report."""
    diff = outcome.diff
    return {
        "result": outcome.result.value,
        "changed": str(outcome.changed).lower(),
        "complete": str(outcome.complete).lower(),
        "url-count": str(diff.listed),
        "stale-count": str(diff.stale),
        "added-count": str(len(diff.added)),
        "removed-count": str(len(diff.removed)),
        "changed-count": str(len(diff.changed)),
        "error-count": str(outcome.errors),
        "sitemap-path": "" if outcome.run.judged == "served" else outcome.run.sitemap,
        **{f"report-{form}": path for form, path in reports.items()},
    }
