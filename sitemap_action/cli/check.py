"""The commands that read a site and judge its sitemap: check, write, commit, pull-request and merge."""

import os
import signal
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from sitemap_action.cli.options import (
    event_file,
    look_options,
    merge_options,
    require_shard,
    require_source,
    screenshots_option,
    where_argument,
)
from sitemap_action.cli.site_run import (
    CommandLine,
    Publication,
    read_command_line,
    require_screenshots_folder,
    write_screenshots,
)
from sitemap_action.config.layers import ConfigReader
from sitemap_action.config.schema import Config
from sitemap_action.console.streams import Console
from sitemap_action.errors import PublishError, UsageError
from sitemap_action.look.phase import look_at_shard
from sitemap_action.model.context import Context, Forge, Mode, ShardResult
from sitemap_action.model.observer import Event, EventKind
from sitemap_action.model.outcome import Outcome
from sitemap_action.model.site import SiteShard
from sitemap_action.model.step import PR_BRANCH, Published, Publishing, Step, written_paths
from sitemap_action.publish.apply import Authority, apply
from sitemap_action.publish.files import replace_text, write_kept
from sitemap_action.reports.all import FORMATS, render, report_format
from sitemap_action.run import run
from sitemap_action.runner.event import read_forge
from sitemap_action.runner.inputs import PublishingInputs
from sitemap_action.web.printable import visible_json

NOTHING = Publishing()
_API = "https://api.github.com"
_MESSAGE = click.option(
    "--commit-message", metavar="TEXT", help="The commit message.  [default: Update sitemap, with counts]"
)
_METHOD = click.option(
    "--commit-method", metavar="METHOD", help="api, signed by GitHub, or git, pushed.  [default: api]"
)


@click.command(epilog="Example: sitemap-action check https://www.example.com/")
@where_argument
@look_options
@screenshots_option
@click.option("--sitemap-to", metavar="DIR", hidden=True)
@click.option("--stop-at-eof", is_flag=True, hidden=True)
def check(*, stop_at_eof: bool, **options: Any) -> int:
    """Read the site, compare it with the sitemap, and report. Writes only reports.

    WHERE is the folder of a build (--path), or the address of a site (--url, and --site-url unless it is a preview).
    Without a sitemap here, the one that the site itself declares is judged.
    """
    if stop_at_eof:
        stop_at_end_of_input()
    return from_command_line(Mode.CHECK, options)


@click.command(epilog="Example: sitemap-action write --path dist --site-url https://www.example.com/")
@where_argument
@look_options
def write(**options: Any) -> int:
    """Check, then write the sitemap into the working tree. Never when a guard is tripped or the run is incomplete."""
    return from_command_line(Mode.WRITE, options)


@click.command(epilog="Example: sitemap-action commit --url https://www.example.com/ --branch main")
@click.option("--branch", metavar="NAME", help="The branch.  [default: that of the workflow or pull request]")
@_MESSAGE
@_METHOD
@look_options
def commit(**options: Any) -> int:
    """Write, then commit the sitemap to a branch on GitHub.

    What that branch has is judged. The repository is GITHUB_REPOSITORY (owner/name), and the token GITHUB_TOKEN, of
    the environment.
    """
    return _run_on_branch(Mode.COMMIT, options)


@click.command("pull-request", epilog="Example: sitemap-action pull-request --url https://www.example.com/ --base main")
@click.option("--base", metavar="NAME", help="The branch it is for.  [default: that of the workflow]")
@click.option("--pr-branch", metavar="NAME", help=f"The branch it is from.  [default: {PR_BRANCH}]")
@click.option("--pr-labels", metavar="LIST", help="Labels, separated by commas.")
@_MESSAGE
@_METHOD
@look_options
def pull_request(**options: Any) -> int:
    """Write, then open or update a pull request on GitHub.

    There is one at a time, and it is closed when the sitemap is right without it. The repository is
    GITHUB_REPOSITORY (owner/name), and the token GITHUB_TOKEN, of the environment.
    """
    return _run_on_branch(Mode.PULL_REQUEST, options)


@click.command(epilog="Example: sitemap-action merge shards/ --url https://www.example.com/")
@click.argument("states", metavar="STATE...", nargs=-1, required=True)
@merge_options
def merge(states: tuple[str, ...], **options: Any) -> int:
    """Join what all shards have seen, and give one verdict.

    STATE is what check --shard K/N --state STATE wrote, one of each shard; a folder stands for the states in it. With
    the options of check, the same ones for every shard, what none has seen is looked at. The report is that of one run
    over everything, and no state is changed. Exit 3 where a shard is missing, or of another run.
    """
    return from_command_line(Mode.CHECK, options, shards=states)


def _run_on_branch(mode: Mode, options: Mapping[str, Any]) -> int:
    """What is not given comes from the environment of a runner, where there is one."""
    if options["offline"]:
        raise UsageError(f"{mode} writes to GitHub, and --offline is given", hint="use the command write")
    event = event_file(os.environ)
    names = ("branch", "base", "pr-branch", "pr-labels", "commit-message", "commit-method")
    given = {name: options.get(name.replace("-", "_")) or "" for name in names}
    publishing = PublishingInputs(given, os.environ, event).read(mode)
    environment = {"GITHUB_API_URL": _API, **os.environ}
    return from_command_line(mode, options, publishing, read_forge(environment, os.environ.get("GITHUB_TOKEN", "")))


def from_command_line(
    mode: Mode,
    options: Mapping[str, Any],
    publishing: Publishing = NOTHING,
    forge: Forge | None = None,
    shards: Sequence[str] = (),
) -> int:
    """`publishing`, `forge`: of the commands that publish. `shards`: states that are merged."""
    console = Console(os.environ, quiet=options["quiet"])
    if options.get("shard"):
        shard = requested_shard(mode, options)
        given = read_command_line(mode, options, console)
        require_source(given.config)
        return check_shard(console, given.config, replace(given.context, shard=shard), given.reading, options)
    reports = tuple(_report(text) for text in options["reports"])
    for _, path in reports:
        _delete_previous(path)
    given = read_command_line(mode, options, console)
    require_source(given.config)
    if shots := options.get("screenshots"):
        require_screenshots_folder(shots, given.config)
    forms = [report_format(name) for name in (options["form"], *(name for name, _ in reports))]
    context = replace(
        given.context,
        publishing=publishing,
        forge=forge,
        shards=tuple(map(Path, shards)),
        details=frozenset(detail for form in forms for detail in form.details),
    )
    console.log_unmasked(context.access.headers)
    return _run(console, replace(given, context=context), options, reports).exit_code


def _delete_previous(path: Path) -> None:
    """A run that fails must not leave the previous report behind."""
    if path.exists() and not path.is_file():
        raise UsageError(f"cannot write {path}: it is no regular file", hint="correct --report")
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}", hint="correct --report") from None


def _run(
    console: Console, given: CommandLine, options: Mapping[str, Any], reports: Sequence[tuple[str, Path]]
) -> Outcome:
    """Run, write, report: a failed write is reported together with the verdict. `reports`: (format, file)."""
    context, dry_run, form = given.context, options["dry_run"], options["form"]
    authority = Authority(context.publishing, context.forge, context.access)

    def act(steps: Sequence[Step]) -> Published:
        return apply(steps, Path.cwd(), authority) if steps and not dry_run else Published()

    shots, progress = options.get("screenshots") or "", not options["no_progress"]
    with console.progress(options["events"], progress=progress, screenshots=bool(shots)) as observer:
        outcome, steps = Publication(console, context, act).publish(
            lambda at: run(given.config, at, given.reading, observer)
        )
        for written in written_paths(steps) if outcome.changed and not dry_run else ():
            observer.event(Event(EventKind.WRITTEN, path=written))
    if observer.failure:
        error = PublishError(f"cannot write events to {options['events']}: {observer.failure}", hint="correct --events")
        console.log_error(error)
        outcome = replace(outcome, exit_code=outcome.exit_code or error.exit_code)
    shots = write_screenshots(console, observer.screenshots, shots)
    for step in steps if dry_run else ():
        console.log(f"would {step}")
    text = render(form, _with_screenshots(outcome, shots, form, Path()))
    console.write_report(text, commands=form == "annotations", prose=form == "text")
    if options.get("sitemap_to"):
        _keep_sitemap(console, outcome, Path(options["sitemap_to"]))
    for name, path in reports:
        shown = _with_screenshots(outcome, shots, name, path.parent)
        replace_text(path, console.mask(text if name == form and not shots else render(name, shown)))
    return outcome


def _with_screenshots(outcome: Outcome, folder: str, form: str, at: Path) -> Outcome:
    """`folder`: "" without one; `at`: that of the report, which links to them relative to itself where it is HTML."""
    if form == "html" and folder:
        try:
            folder = Path(os.path.relpath(folder, at)).as_posix()
        except ValueError:  # on another drive
            folder = Path(folder).resolve().as_uri()
    return replace(outcome, details=replace(outcome.details, screenshots=folder))


def _keep_sitemap(console: Console, outcome: Outcome, folder: Path) -> None:
    """Writes the sitemap for a caller that shows it, unless no page was read, or it holds a secret of the run."""
    if (
        outcome.files
        and not outcome.run.no_pages
        and not (console.mask and any(console.mask.hides_in(file.content) for file in outcome.files))
    ):
        write_kept(folder, "", ((one.path, one.content) for one in outcome.files if not one.redirects))


def _report(text: str) -> tuple[str, Path]:
    """The FORMAT=FILE of `--report`."""
    form, equals, path = text.partition("=")
    if form not in FORMATS or not equals or not path:
        hint = f"write --report FORMAT=FILE with one of {', '.join(FORMATS)}, as in --report json=report.json"
        raise UsageError(f"--report {text}: unknown format, or no file", hint=hint)
    return form, Path(path)


_FORMATS = ("text", "json")


def check_shard(
    console: Console, config: Config, context: Context, reading: ConfigReader, options: Mapping[str, Any]
) -> int:
    """Look at the shard of the context, and print what was seen; of a part there are no reports."""
    assert context.shard is not None  # noqa: S101 - the caller has asked for it
    console.log_unmasked(context.access.headers)
    with console.progress(options["events"], progress=not options["no_progress"]) as observer:
        found = look_at_shard(config, context, context.shard, reading, observer)
    found = context.access.mask.value(found)
    console.write_report(
        _shard_json(found) if options["form"] == "json" else found.text(), prose=options["form"] == "text"
    )
    return found.exit_code


def requested_shard(mode: Mode, options: Mapping[str, Any]) -> SiteShard:
    """Raises UsageError."""
    if mode.writes:
        hint = "look at the parts with check --shard, then merge them"
        raise UsageError(f"--shard is given, and {mode} needs the whole site", hint=hint)
    shard = require_shard(options["shard"], "--shard")
    if not options["state"]:
        hint = f"name the file that merge is to read: --shard {shard} --state FILE"
        raise UsageError("--shard is given without --state", hint=hint)
    if options["reports"] or options.get("screenshots") or options["form"] not in _FORMATS:
        hint = "leave --report and --screenshots out, and --format or give it text or json; merge writes the reports"
        raise UsageError("--shard is given, and a part of a site has no report", hint=hint)
    return shard


def _shard_json(found: ShardResult) -> str:
    document = {
        "version": 1,
        "shard": str(found.shard),
        "state": found.state,
        "looked_at": found.looked_at,
        "complete": not found.incomplete,
        "incomplete": found.incomplete,
        "notes": found.notes,
        "exit_code": found.exit_code,
    }
    return f"{visible_json(document, indent=2)}\n"


_GRACE = 0.7  # seconds in which a stopped run ends its browser and its temporary files; nobody is left to read a report


def stop_at_end_of_input() -> None:
    """Ends this process once the program that started it is gone: the system then closes its end of the pipe."""
    threading.Thread(target=_watch, args=(sys.stdin.fileno(),), daemon=True).start()


def _watch(stream: int) -> None:
    while os.read(stream, 1024):
        pass
    os.kill(os.getpid(), signal.SIGINT)  # as Ctrl-C; on Windows that is the end
    time.sleep(_GRACE)
    if sys.platform != "win32" and os.getpgid(0) == os.getpid():
        os.killpg(0, signal.SIGKILL)  # with the processes that read for it
    os._exit(130)
