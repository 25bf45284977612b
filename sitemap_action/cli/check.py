"""`check` and `write`: read a site, report, and write where the mode allows it."""

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.cli.act import publish
from sitemap_action.cli.options import look_options
from sitemap_action.cli.settings import KNOWN, config_file, event_file
from sitemap_action.config.layers import ConfigReader, assignment, flag
from sitemap_action.config.schema import AUTO, DEFAULT_CONFIG, INPUTS, Config
from sitemap_action.console.streams import Console
from sitemap_action.errors import PublishError, UsageError
from sitemap_action.model.context import Access, Context, Forge, Mode, SecretStruct, split_list
from sitemap_action.model.observer import Event, EventKind
from sitemap_action.model.outcome import Outcome
from sitemap_action.model.shards import MOST, ShardResult, SiteShard, parse_shard
from sitemap_action.model.step import Published, Publishing, Step, WriteFile, written_paths
from sitemap_action.publish.apply import Authority, apply
from sitemap_action.publish.files import replace_text, write_kept
from sitemap_action.reports.all import FORMATS, render, report_format
from sitemap_action.run import run
from sitemap_action.runner.event import read_pull_request
from sitemap_action.runner.masks import secret_headers

NOTHING = Publishing()


class ReportOptions(Struct, frozen=True):
    """Formats and files for the outcome, and what is shown during the run."""

    format: str
    reports: tuple[tuple[str, Path], ...]  # (format, file)
    dry_run: bool
    events: str | None = None  # file; "-" is stderr
    progress: bool = True
    sitemap_to: Path | None = None  # folder below which the sitemap is put as it should be


class CommandLine(SecretStruct, frozen=True):
    """What the options of a command that reads a site say, with the config file and the environment."""

    config: Config
    context: Context
    reading: ConfigReader
    content: bytes | None  # of the config file


@click.command(epilog="Example: sitemap-action check --path dist --site-url https://www.example.com/")
@look_options
@click.option("--sitemap-to", metavar="DIR", hidden=True)
@click.option("--stop-at-eof", is_flag=True, hidden=True)
def check(*, stop_at_eof: bool, **options: Any) -> int:
    """Read the site, compare it with the sitemap, and report. Writes only reports."""
    if stop_at_eof:
        stop_at_end_of_input()
    return from_command_line(Mode.CHECK, options)


@click.command(epilog="Example: sitemap-action write --path dist --site-url https://www.example.com/")
@look_options
def write(**options: Any) -> int:
    """Check, then write the sitemap into the working tree. Never when a guard is tripped or the run is incomplete."""
    return from_command_line(Mode.WRITE, options)


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
        return check_shard(console, given.config, replace(given.context, shard=shard), given.reading, options)
    reports = tuple(_report(text) for text in options["reports"])
    for _, path in reports:
        _delete_previous(path)
    given = read_command_line(mode, options, console)
    report_options = ReportOptions(
        format=options["form"],
        reports=reports,
        dry_run=options["dry_run"],
        events=options["events"],
        progress=not options["no_progress"],
        sitemap_to=Path(options["sitemap_to"]) if options.get("sitemap_to") else None,
    )
    forms = [report_format(name) for name in (options["form"], *(name for name, _ in reports))]
    context = replace(
        given.context,
        publishing=publishing,
        forge=forge,
        shards=tuple(map(Path, shards)),
        page_table=any(form.pages for form in forms),
        all_pages=any(form.all_pages for form in forms),
    )
    console.log_unmasked(context.access.headers)
    return _run(console, given.config, context, report_options, given.reading).exit_code


def read_command_line(mode: Mode, options: Mapping[str, Any], console: Console) -> CommandLine:
    layers = (
        *(assignment(text) for text in options["settings"]),
        *(flag(name, value) for name in INPUTS if name != "path" and (value := options[_name(name)]) is not None),
    )
    # On the command line any folder may be named; a config file stays inside the workspace.
    reading = ConfigReader(options["config"] or DEFAULT_CONFIG, layers, KNOWN, folder=options["path"] or "")
    named = bool(options["config"])
    content = config_file(reading.path, required=named, named=named)
    config = reading.config(content)
    for warning in config.warnings:
        console.log_warning(warning)
    if options["path"] and options["url"]:
        hint = "--path is a folder that the build wrote, --url a deployed site: give one of them"
        raise UsageError("--path and --url are both given", hint=hint)
    keys = {layer.key for layer in layers} | ({"source.path"} if options["path"] else set())
    context = _context(mode, _access(options, console), options["state"], frozenset(keys))
    return CommandLine(config=config, context=context, reading=reading, content=content)


def _delete_previous(path: Path) -> None:
    """A run that fails must not leave the previous report behind."""
    if path.exists() and not path.is_file():
        raise UsageError(f"cannot write {path}: it is no regular file", hint="correct --report")
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}", hint="correct --report") from None


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


def _context(mode: Mode, access: Access, state: str | None, keys: frozenset[str]) -> Context:
    pull_request = read_pull_request(os.environ, event_file(os.environ))
    return Context(
        mode=mode,
        now=datetime.now(UTC),
        workspace=Path.cwd(),
        pull_request=pull_request,
        access=access,
        state=Path(state) if state else None,
        command_line=keys,
    )


def _run(console: Console, config: Config, context: Context, options: ReportOptions, reader: ConfigReader) -> Outcome:
    """Run, write, report: a failed write is reported together with the verdict."""
    authority = Authority(context.publishing, context.forge, context.access)

    def act(steps: Sequence[Step]) -> Published:
        return Published() if options.dry_run else apply(steps, Path.cwd(), authority)

    with console.progress(options.events, progress=options.progress) as observer:
        ran = publish(console, context, lambda given: run(config, given, reader, observer), act)
        outcome, steps = ran.outcome, ran.result.steps
        for written in written_paths(steps) if outcome.changed and not options.dry_run else ():
            observer.event(Event(EventKind.WRITTEN, path=written))
    if observer.failure:
        error = PublishError(f"cannot write events to {options.events}: {observer.failure}", hint="correct --events")
        console.log_error(error)
        outcome = replace(outcome, exit_code=outcome.exit_code or error.exit_code)
    for step in steps if options.dry_run else ():
        console.log(f"would {step}")
    text = render(options.format, outcome)
    console.write_report(text, commands=options.format == "annotations", prose=options.format == "text")
    if options.sitemap_to:
        _keep_sitemap(console, outcome, options.sitemap_to)
    for form, path in options.reports:
        replace_text(path, console.mask(text if form == options.format else render(form, outcome)))
    return outcome


def _keep_sitemap(console: Console, outcome: Outcome, folder: Path) -> None:
    """Writes the sitemap for a caller that shows it, whatever the verdict, unless it holds a secret of the run."""
    if outcome.files and not (console.mask and any(console.mask.hides_in(file.content) for file in outcome.files)):
        write_kept(folder, "", (WriteFile(file.path, file.content) for file in outcome.files))


def _name(option: str) -> str:
    return option.replace("-", "_")


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
    """`context` has the shard."""
    from sitemap_action.look.one_shard import look_at_shard  # noqa: PLC0415 - few look at a part, which needs git

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
    if options["reports"] or options["form"] not in _FORMATS:
        hint = "leave --report out, and --format or give it text or json; merge writes the reports"
        raise UsageError("--shard is given, and a part of a site has no report", hint=hint)
    return shard


def require_shard(text: str, name: str) -> SiteShard:
    """Raises UsageError."""
    if (found := parse_shard(text)) is None:
        hint = f"write K/N, as in 1/8: the parts are counted from 1, and there are {MOST} at most"
        raise UsageError(f"{name} {text}: it names no shard", hint=hint)
    return found


def _shard_json(found: ShardResult) -> str:
    return (
        json.dumps(
            {
                "version": 1,
                "shard": str(found.shard),
                "state": found.state,
                "looked_at": found.looked_at,
                "complete": not found.incomplete,
                "incomplete": found.incomplete,
                "notes": found.notes,
                "exit_code": found.exit_code,
            },
            indent=2,
            ensure_ascii=False,
        )
        + "\n"
    )


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
