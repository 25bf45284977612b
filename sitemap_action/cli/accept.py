"""`accept`: what is wrong today, as lines of the list of accepted rows; and that list without what is mended."""

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.checks.severity import family
from sitemap_action.cli.options import accept_options, require_source, where_argument
from sitemap_action.cli.site_run import read_command_line, run_for_list
from sitemap_action.config.lists import index, read_accepted, with_lines, without_lines
from sitemap_action.config.schema import Config
from sitemap_action.console.streams import Console
from sitemap_action.decide.acknowledged import failing_lines
from sitemap_action.errors import UsageError
from sitemap_action.look.branch import ACCEPTABLE
from sitemap_action.model.context import Mode
from sitemap_action.model.finding import AcceptedLine, Severity
from sitemap_action.model.outcome import Outcome
from sitemap_action.model.wording import plural
from sitemap_action.publish.files import write_list
from sitemap_action.reports.advice import headline, headline_with_cause
from sitemap_action.run import run
from sitemap_action.walk.folders import WorkTree
from sitemap_action.web.printable import first_lines, printable

_OUTLIVED = "POL-04"
_REASON = "there before the check"
_LONGEST = 1_000  # characters of a reason


@click.command(epilog="Example: sitemap-action accept --path dist --site-url https://www.example.com/")
@where_argument
@click.option("--reason", metavar="TEXT", default=_REASON, help=f"Why these rows are known.  [default: {_REASON}]")
@click.option("--prune", is_flag=True, help="Add nothing; remove the lines of what no longer occurs.")
@accept_options
def accept(*, reason: str, prune: bool, **options: Any) -> int:
    """Put what fails today on the list of known faults.

    That is the file at policy.accepted: from then on a check fails on new ones only. The lines that it has stay as they
    are. A lost page is accepted where no other sitemap says that it was there before this change. Exit 1 where
    something that fails cannot be accepted, 3 where not enough was read.
    """
    console = Console(os.environ, quiet=options["quiet"])
    reason = _require_reason(reason)
    given = read_command_line(Mode.CHECK, options, console)
    require_source(given.config)
    path = given.config.policy.accepted
    content = WorkTree(Path.cwd())(path)
    lines = read_accepted(path, content, ACCEPTABLE)
    outcome = run_for_list(run, console, replace(given, config=_with_outlived_lines(given.config)), options)
    failing = failing_lines(outcome, given.context.now.date(), reason)
    edit = _prune(outcome, lines, content or b"") if prune else _add(outcome, lines, content, *failing)
    if edit.content is not None and not options["dry_run"]:
        write_list(Path.cwd(), path, edit.content)
    console.write_report(_describe(edit, path, dry_run=options["dry_run"]), prose=True)
    return edit.exit_code


def _with_outlived_lines(config: Config) -> Config:
    """The config in which POL-04 is reported, whatever it says of that rule."""
    severities = {name: one for name, one in config.severities.items() if name != family(_OUTLIVED)}
    return replace(config, severities={**severities, _OUTLIVED: Severity.INFO})


def _require_reason(text: str) -> str:
    found = " ".join(text.split())
    if not found or len(found) > _LONGEST or printable(found) != found:
        hint = f"write one line of at most {_LONGEST:,} characters, such as --reason 'old shop, gone in May'"
        raise UsageError("--reason gives no text that can stand in the list", hint=hint)
    return found


class _Edit(Struct, frozen=True):
    """What becomes of the list, and what is said of it."""

    verb: str  # added, removed; or why the file stays as it is
    lines: tuple[AcceptedLine, ...] = ()
    content: bytes | None = None  # of the file; None where it stays
    remarks: tuple[str, ...] = ()  # on what fails and cannot be accepted
    exit_code: int = 0


def _add(
    outcome: Outcome,
    lines: Sequence[AcceptedLine],
    content: bytes | None,
    failing: Sequence[AcceptedLine],
    others: tuple[str, ...],
) -> _Edit:
    """Raises UsageError where there is no sitemap, which every page would be missing from."""
    if outcome.exit_code not in {0, 1} or outcome.run.no_pages:
        return _Edit(f"nothing was added: {headline_with_cause(outcome)}", exit_code=max(outcome.exit_code, 3))
    if outcome.run.absent:
        hint = "run `sitemap-action write` first: the list is for what is wrong in a sitemap"
        raise UsageError(f"{outcome.run.sitemap} does not exist, and no row of it can be accepted", hint=hint)
    known = index(lines, outcome.run.site_url)
    new = tuple(line for line in failing if (line.name, line.subject) not in known)
    code = int(bool(others))
    if not new:
        return _Edit("nothing to add: the list has every row that it may have", remarks=others, exit_code=code)
    return _Edit("added", new, with_lines(content, new), others, code)


def _prune(outcome: Outcome, lines: Sequence[AcceptedLine], content: bytes) -> _Edit:
    """Lines for one row go together."""
    if not outcome.complete or outcome.exit_code not in {0, 1}:
        why = outcome.incomplete[0] if outcome.incomplete else headline(outcome)
        return _Edit(f"nothing was removed, for what was not seen may still be there: {why}", exit_code=3)
    site = outcome.run.site_url
    numbers = {one.line for one in outcome.findings if one.rule.id == _OUTLIVED}
    left = index((line for line in lines if line.line in numbers), site).keys()
    old = tuple(line for line in lines if not left.isdisjoint(index([line], site)))
    if not old:
        return _Edit("nothing to remove: every line stands for a row that occurs")
    return _Edit("removed", old, without_lines(content, {line.line for line in old}))


def _describe(edit: _Edit, path: str, *, dry_run: bool) -> str:
    """The file with what became of it; then rows that fail and cannot be accepted."""
    counts = Counter(line.name for line in edit.lines)
    by_name = ", ".join(f"{count:,} {name}" for name, count in sorted(counts.items()))
    done = f"{plural(len(edit.lines), 'line')} {'would be ' if dry_run else ''}{edit.verb}: {by_name}"
    text = [f"{path}: {done if edit.lines else edit.verb}"]
    text += first_lines("  ", [f"{line.name}  {line.subject}" for line in edit.lines if dry_run], "  … and")
    text += first_lines("✗ not accepted: ", edit.remarks, "✗ and")
    if edit.verb == "added" and not dry_run:
        text.append("→ Commit it: from then on the check fails on what is new.")
    return "\n".join(text) + "\n"
