"""`check` and `write`: look at a site, report, and act where the mode allows it."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from sitemap_action.cli.options import look_options
from sitemap_action.cli.settings import DEFAULT_CONFIG, KNOWN, config_file, event_file
from sitemap_action.config.layers import assignment, flag
from sitemap_action.config.locations import AUTO
from sitemap_action.config.parse import ConfigReader
from sitemap_action.config.schema import INPUTS, Config
from sitemap_action.console.output import Console
from sitemap_action.errors import PublishError, UsageError
from sitemap_action.fetch.http_options import secret_headers
from sitemap_action.model.access import Access
from sitemap_action.model.context import Context, Mode
from sitemap_action.model.observer import Event, EventKind
from sitemap_action.model.outcome import Outcome
from sitemap_action.model.step import Step
from sitemap_action.publish.apply import apply
from sitemap_action.publish.files import replace_text
from sitemap_action.reports.all import FORMATS, render
from sitemap_action.run import Ran, run
from sitemap_action.runner.event import read_pull_request, split_list


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """Where the outcome goes."""

    format: str
    reports: tuple[tuple[str, Path], ...]  # (format, file)
    dry_run: bool
    events: str | None = None  # file; "-" is stderr
    progress: bool = True


@click.command(epilog="Example: sitemap-action check --path dist --site-url https://www.example.com/")
@look_options
def check(**options: Any) -> int:
    """Look at the site, compare it with the sitemap, and report. Writes nothing but reports."""
    return _from_command_line(Mode.CHECK, options)


@click.command(epilog="Example: sitemap-action write --path dist --site-url https://www.example.com/")
@look_options
def write(**options: Any) -> int:
    """Check, then write the sitemap into the working tree. Never when a guard holds or not everything was seen."""
    return _from_command_line(Mode.WRITE, options)


def _from_command_line(mode: Mode, options: Mapping[str, Any]) -> int:
    console = Console(os.environ, quiet=options["quiet"])
    reports = tuple(_report(text) for text in options["reports"])
    for _, path in reports:
        path.unlink(missing_ok=True)  # a run that fails must not leave the previous report behind
    layers = (
        *(assignment(text) for text in options["settings"]),
        *(flag(name, value) for name in INPUTS if name != "path" and (value := options[_name(name)]) is not None),
    )
    reading = ConfigReader(options["config"] or DEFAULT_CONFIG, layers, KNOWN)
    config = reading.config(config_file(reading.path, required=bool(options["config"])))
    if options["path"] and options["url"]:
        raise UsageError("--path and --url are two places to look at", hint="give one of them")
    if options["path"]:  # whoever types a folder may look anywhere; a config file stays inside the workspace
        config = replace(config, source=replace(config.source, path=options["path"], url=""))
    answers = ReportOptions(options["form"], reports, options["dry_run"], options["events"], not options["no_progress"])
    context = _context(mode, _access(options), options["state"])
    return _answer(console, config, context, answers, reading).exit_code


def _access(options: Mapping[str, Any]) -> Access:
    """Secrets come from the environment, where no process list shows them, and go where the command line says."""
    headers = os.environ.get("SITEMAP_ACTION_HEADERS", "")
    if headers and options["url"] in (None, "", AUTO):
        hint = "name the address with --url: a config file never chooses where secrets are sent"
        raise UsageError("SITEMAP_ACTION_HEADERS is set, and --url gives no address", hint=hint)
    return Access(secret_headers(headers), options["tls_verify"], split_list(options["allow_private_hosts"]))


def _context(mode: Mode, access: Access, state: str | None) -> Context:
    pull_request = read_pull_request(os.environ, event_file(os.environ))
    return Context(mode, datetime.now(UTC), Path.cwd(), pull_request, access, Path(state) if state else None)


def _answer(console: Console, config: Config, context: Context, wanted: ReportOptions, reader: ConfigReader) -> Outcome:
    """Look, act, report. A write that failed does not hide the verdict, and the verdict does not hide the failure."""
    with console.progress(wanted.events, progress=wanted.progress) as observer:
        ran = run(config, context, reader, observer)
        outcome = ran.outcome
        if not wanted.dry_run:
            outcome = acted(console, ran, _perform)
            for step in ran.steps if outcome.changed else ():
                observer.event(Event(EventKind.WRITTEN, path=step.path))
    for step in ran.steps if wanted.dry_run else ():
        console.log(f"would {step}")
    text = render(wanted.format, outcome)
    console.write_report(text, commands=wanted.format == "annotations")
    for form, path in wanted.reports:
        replace_text(path, text if form == wanted.format else render(form, outcome))
    return outcome


def acted(console: Console, ran: Ran, carry_out: Callable[[Sequence[Step]], None]) -> Outcome:
    """What became of the outcome: a write may fail."""
    try:
        carry_out(ran.steps)
    except PublishError as error:
        console.log_error(error)
        code = ran.outcome.exit_code or PublishError.exit_code
        return replace(ran.outcome, changed=False, exit_code=code, blocked=str(error))
    return ran.outcome


def _perform(steps: Sequence[Step]) -> None:
    apply(steps, Path.cwd())


def _name(option: str) -> str:
    return option.replace("-", "_")


def _report(text: str) -> tuple[str, Path]:
    """The FORMAT=FILE of `--report`."""
    form, equals, path = text.partition("=")
    if form not in FORMATS or not equals or not path:
        hint = f"write --report FORMAT=FILE with one of {', '.join(FORMATS)}, as in --report json=report.json"
        raise UsageError(f"--report {text} names no report", hint=hint)
    return form, Path(path)
