"""`ledger`: every address that was published; `redirects`: where pages are now that are lost."""

import os
from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from sitemap_action.cli.options import NearChoice, accept_options, require_source, where_argument
from sitemap_action.cli.site_run import read_command_line, run_for_list
from sitemap_action.config.lists import LEDGER_NAME, MANY, with_addresses
from sitemap_action.console.streams import Console
from sitemap_action.errors import UsageError
from sitemap_action.look.address_history import NO_HISTORY, read_addresses
from sitemap_action.model.context import Detail, Mode
from sitemap_action.model.finding import LedgerLine
from sitemap_action.model.outcome import Outcome
from sitemap_action.model.site import ProposalKind, ProposedRedirect
from sitemap_action.model.sitemap import FileVersions
from sitemap_action.model.step import FileChange
from sitemap_action.model.wording import plural
from sitemap_action.publish.apply import apply
from sitemap_action.publish.files import write_list
from sitemap_action.reports.advice import headline_with_cause
from sitemap_action.reports.json import proposal_row
from sitemap_action.reports.sitemap_files import unified_diff
from sitemap_action.run import run
from sitemap_action.walk.folders import WorkTree
from sitemap_action.web.printable import first_lines, printable, visible_json
from sitemap_action.web.urls import origin

_PATH = f".github/{LEDGER_NAME}"
_LONGEST = 200  # characters of a reason


@click.command(epilog="Example: sitemap-action ledger --path dist --site-url https://www.example.com/ --host netlify")
@where_argument
@click.option(
    "--from",
    "files",
    multiple=True,
    metavar="FILE",
    help="Addresses of old: a list, a CSV, a sitemap, an export of Search Console, an access log; repeatable.",
)
@accept_options
def ledger(*, files: tuple[str, ...], **options: Any) -> int:
    """List every address that was published, for policy.ledger.

    They come from the sitemap, from its history in git, and from files. What is dead today is declared gone, so that a
    check fails on what dies from now on. The lines that the ledger has stay as they are. Exit 1 where one of them is
    dead, 3 where not enough was read.
    """
    console = Console(os.environ, quiet=options["quiet"])
    given = read_command_line(Mode.CHECK, options, console)
    require_source(given.config)
    path = given.config.policy.ledger or _PATH
    config = replace(given.config, policy=replace(given.config.policy, ledger=path))
    addresses = [text for name in files for text in read_addresses(name)]
    outcome = run_for_list(run, console, replace(given, config=config), options, addresses=addresses)
    lines, refused = _new_lines(outcome, given.context.now.date()), _refusal(outcome)
    if lines and not refused and not options["dry_run"]:
        write_list(Path.cwd(), path, with_addresses(WorkTree(Path.cwd())(path), lines))
    text = [f"{path}: nothing was added: {refused}"] if refused else _describe(lines, path, dry_run=options["dry_run"])
    if lines and not refused and not given.config.policy.ledger:
        text.append(f"→ Set policy.ledger: {path} in the config, `{path} merge=union` in .gitattributes; commit all.")
    text += _remarks(outcome)
    console.write_report("\n".join(text) + "\n", prose=True)
    return 3 if refused else int(any(row.line for row in outcome.diff.ledger.dead) or bool(outcome.diff.ledger.faults))


def _refusal(outcome: Outcome) -> str:
    """Why no line may be added; "" where lines may. Raises UsageError where there is no sitemap to begin with."""
    if outcome.exit_code not in {0, 1} or outcome.run.no_pages:
        return headline_with_cause(outcome)
    if not outcome.run.source.hosting.known:
        return "the host is not known, which may redirect what is not there: name it with --host"
    if outcome.run.absent:
        hint = "run `sitemap-action write` first: the ledger begins with what the sitemap lists"
        raise UsageError(f"{outcome.run.sitemap} does not exist", hint=hint)
    return ""


def _new_lines(outcome: Outcome, day: date) -> list[LedgerLine]:
    """A live page that the sitemap lacks is no address yet: `write` lists both."""
    base, found, missing = len(origin(outcome.run.site_url)), outcome.diff.ledger, {*outcome.diff.missing}
    lines = [LedgerLine(url[base:]) for url in found.new if url not in missing]
    for row in found.dead:
        if not row.line:
            reason = printable(" ".join(f"{row.reason}: {row.detail}".split()))[:_LONGEST]
            lines.append(LedgerLine(row.url[base:], day, reason))
    return lines


def _describe(lines: Sequence[LedgerLine], path: str, *, dry_run: bool) -> list[str]:
    if not lines:
        return [f"{path}: nothing to add: it has every address that is known"]
    gone = sum(line.gone is not None for line in lines)
    verb = "would be added" if dry_run else "added"
    text = [f"{path}: {len(lines):,} {'address' if len(lines) == 1 else 'addresses'} {verb}, {gone:,} declared gone"]
    return text + first_lines("  ", sorted(map(str, lines)) if dry_run else [], "  … and")


def _remarks(outcome: Outcome) -> list[str]:
    """What the ledger has already and is wrong; what is left out; and that it grows too large."""
    found = outcome.diff.ledger
    wrong = [
        f"{row.url} is dead ({row.reason}): redirect it, or declare it gone by hand" for row in found.dead if row.line
    ]
    wrong += [f"{found.path}:{line}: {text}" for line, text in found.faults]
    text = first_lines("✗ ", wrong, "✗ and")
    text += [f"? {NO_HISTORY}"] if NO_HISTORY in outcome.run.notes else []
    if count := len(outcome.diff.undetermined):
        text.append(f"? {plural(count, 'page')} without an answer: not added")
    if found.lines > MANY:
        text.append(f"? more than {MANY:,} addresses: give each section of the site a config and a ledger of its own")
    return text


@click.command(epilog="Example: sitemap-action redirects --path dist --site-url https://www.example.com/ --write")
@where_argument
@click.option("--write", is_flag=True, help="Add those that are certain to the file of the host or generator.")
@click.option("--format", "form", type=NearChoice(["text", "json"]), default="text", help="Output format.")
@accept_options
def redirects(*, write: bool, form: str, **options: Any) -> int:
    """Propose a redirect for each lost page.

    A target is certain where pages changed their addresses together, git has the source as renamed, or the same content
    has a new address; else the pages are named that have the text of the old one, for a person to choose. Exit 3 where
    not enough was read.
    """
    console = Console(os.environ, quiet=options["quiet"])
    given = read_command_line(Mode.CHECK, options, console)
    require_source(given.config)
    outcome = run_for_list(run, console, given, options, detail=Detail.PATCH)
    found, files = outcome.diff.proposals, [one for one in outcome.details.patch if one.redirects]
    refused = outcome.run.no_pages or outcome.exit_code not in {0, 1}
    if write and files and not refused and not options["dry_run"]:
        apply([FileChange(one.path, one.after or b"", redirects=True) for one in files], Path.cwd())
    if form == "json":
        console.write_report(visible_json([proposal_row(one) for one in found], indent=2) + "\n", prose=False)
    else:
        written = write and not refused and not options["dry_run"]
        lines = [*_describe_proposals(found), *_conclude(outcome, files, written=written, refused=refused)]
        patch = "" if written else "".join(map(unified_diff, files))
        console.write_report("\n".join(map(printable, lines)) + "\n" + (f"\n{patch}" if patch else ""), prose=True)
    return 3 if refused else 0


def _describe_proposals(found: Iterable[ProposedRedirect]) -> list[str]:
    lines = []
    for one in found:
        if one.kind is ProposalKind.NONE:
            lines.append(f"none     {one.url}  {one.why}")
            continue
        others = "".join(f"; or {url} ({share:.0%})" for url, share in one.others)
        place = f"  [{one.file}{f':{one.line}' if one.line else ''}]" if one.file else ""
        lines.append(f"{one.kind:<8} {one.url} → {one.target}  {one.why}{others}{place}")
    return lines


def _conclude(outcome: Outcome, files: Sequence[FileVersions], *, written: bool, refused: bool) -> list[str]:
    notes = [f"note: {note}" for note in outcome.details.notes]
    if refused:
        return [*notes, f"nothing is proposed for certain, or written: {headline_with_cause(outcome)}"]
    if not outcome.diff.proposals:
        return [*notes, "no page is lost that lacks a redirect"]
    if not files:
        return [*notes, *outcome.details.paste]
    verb = "written" if written else "with --write, or by `git apply`"
    return [*notes, *(f"{one.path}: {verb}" for one in files)]
