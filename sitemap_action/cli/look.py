"""`check`, `write`, and `run`, the container's entry: look at a site, report, and act where the mode allows it."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from sitemap_action.cli.settings import DEFAULT_CONFIG, KNOWN, config_file, event_file
from sitemap_action.config.event import read_action, read_pull_request
from sitemap_action.config.layers import assignment, flag
from sitemap_action.config.reading import Reading
from sitemap_action.config.schema import INPUTS, Config
from sitemap_action.console.github import write_outputs, write_summary
from sitemap_action.console.output import Console
from sitemap_action.errors import PublishError, UsageError
from sitemap_action.model.context import Context, Mode
from sitemap_action.model.outcome import Outcome
from sitemap_action.publish.files import replace_text
from sitemap_action.publish.perform import perform
from sitemap_action.reports.all import FORMATS, render
from sitemap_action.run import Ran, run

_HELP = {
    "path": "Folder of the built site.",
    "url": "Address of the deployed site.",
    "host": "Static host whose rules turn files into URLs: auto or generic.",
    "site-url": "Where the pages will live, such as https://www.example.com/docs/.",
    "sitemap": "The committed sitemap or sitemap index.",
    "baseline": "What added and removed pages are measured against: auto, committed, a path, git:REF[:PATH].",
    "fail-on": "What fails the check, separated by commas: stale, lost, invalid, a class of removal, none.",
    "max-removed": "How many pages may be lost at once: a number, a percentage, or both.",
    "wait-for": "Text that the deployed site serves once it is ready; nothing is looked at before.",
    "wait-path": "Page that serves it.",
    "wait-timeout": "Seconds to wait for it.",
}


@dataclass(frozen=True, slots=True)
class Answers:
    """Where the outcome goes."""

    format: str
    reports: tuple[tuple[str, Path], ...]  # (format, file)
    dry_run: bool


def _options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that every command which looks at a site shares."""
    for name in reversed(INPUTS):
        command = click.option(f"--{name}", metavar="VALUE", help=_HELP[name])(command)
    shared = [
        click.option(
            "--config", metavar="FILE", help=f"Config file.  [default: {DEFAULT_CONFIG}, which may be missing]"
        ),
        click.option(
            "--set", "settings", multiple=True, metavar="KEY=VALUE", help="Any key of the config file; repeatable."
        ),
        click.option(
            "--format",
            "form",
            type=click.Choice(list(FORMATS)),
            default="text",
            help="What is printed.  [default: text]",
        ),
        click.option(
            "--report",
            "reports",
            multiple=True,
            metavar="FORMAT=FILE",
            help="Also write a report to a file; repeatable.",
        ),
        click.option("--dry-run", is_flag=True, help="Print what would be done, and exit as if it had been."),
        click.option("--quiet", is_flag=True, help="Print the report and errors only."),
        click.option("--debug", is_flag=True, help="Print a traceback when the program itself fails."),
    ]
    for option in reversed(shared):
        command = option(command)
    return command


@click.command(epilog="Example: sitemap-action check --path dist --site-url https://www.example.com/")
@_options
def check(**options: Any) -> int:
    """Look at the built site, compare it with the sitemap, and report. Writes nothing but reports."""
    return _from_command_line(Mode.CHECK, options)


@click.command(epilog="Example: sitemap-action write --path dist --site-url https://www.example.com/")
@_options
def write(**options: Any) -> int:
    """Check, then write the sitemap into the working tree. Never when a guard holds or not everything was seen."""
    return _from_command_line(Mode.WRITE, options)


@click.command("run", hidden=True)
@click.option("--debug", is_flag=True)
def run_action(*, debug: bool) -> int:  # noqa: ARG001 - read by the entry point
    """The container's entry: mode and options from the environment of a GitHub Action."""
    action = read_action(os.environ)
    console = Console(os.environ)
    reading = Reading(action.config, action.layers, KNOWN)
    config = reading.config(config_file(action.config, required=action.config != DEFAULT_CONFIG))
    report = f"{action.report_path}/report.json"
    _protect(Path(action.report_path))
    answers = Answers("text", (("json", Path(report)),), dry_run=False)
    outcome = _answer(console, config, action.mode, answers, reading)
    if action.summary:
        write_summary(os.environ, render("markdown", outcome))
    write_outputs(os.environ, outputs(outcome, report))
    return outcome.exit_code


def outputs(outcome: Outcome, report: str) -> Mapping[str, str]:
    """Counts and paths; lists are in the report."""
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
        "sitemap-path": outcome.look.sitemap,
        "report-json": report,
    }


def _from_command_line(mode: Mode, options: Mapping[str, Any]) -> int:
    console = Console(os.environ, quiet=options["quiet"])
    reports = tuple(_report(text) for text in options["reports"])
    for _, path in reports:
        path.unlink(missing_ok=True)  # a run that fails must not leave the previous report behind
    layers = (
        *(assignment(text) for text in options["settings"]),
        *(flag(name, value) for name in INPUTS if name != "path" and (value := options[_name(name)]) is not None),
    )
    reading = Reading(options["config"] or DEFAULT_CONFIG, layers, KNOWN)
    config = reading.config(config_file(reading.path, required=bool(options["config"])))
    if options["path"]:  # whoever types a folder may look anywhere; a config file stays inside the workspace
        config = replace(config, source=replace(config.source, path=options["path"]))
    answers = Answers(options["form"], reports, options["dry_run"])
    return _answer(console, config, mode, answers, reading).exit_code


def _answer(console: Console, config: Config, mode: Mode, answers: Answers, reading: Reading) -> Outcome:
    """Look, act, report. A write that failed does not hide the verdict, and the verdict does not hide the failure."""
    pull_request = read_pull_request(os.environ, event_file(os.environ))
    context = Context(mode, datetime.now(UTC), Path.cwd(), pull_request)
    ran = run(config, context, reading)
    outcome = ran.outcome
    if answers.dry_run:
        for step in ran.steps:
            console.say(f"would {step}")
    else:
        outcome = _act(console, ran)
    console.report(render(answers.format, outcome))
    for form, path in answers.reports:
        replace_text(path, render(form, outcome))
    return outcome


def _act(console: Console, ran: Ran) -> Outcome:
    try:
        perform(ran.steps, Path.cwd())
    except PublishError as error:
        console.fail(error)
        code = ran.outcome.exit_code or PublishError.exit_code
        return replace(ran.outcome, changed=False, exit_code=code, blocked=str(error))
    return ran.outcome


def _name(option: str) -> str:
    return option.replace("-", "_")


def _report(text: str) -> tuple[str, Path]:
    """The FORMAT=FILE of `--report`."""
    form, equals, path = text.partition("=")
    if form not in FORMATS or not equals or not path:
        hint = f"write --report FORMAT=FILE with one of {', '.join(FORMATS)}, as in --report json=report.json"
        raise UsageError(f"--report {text} names no report", hint=hint)
    return form, Path(path)


def _protect(folder: Path) -> None:
    """Reports are nobody's to commit."""
    replace_text(folder / ".gitignore", "*\n")
