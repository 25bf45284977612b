"""`validate` and `diff`: sitemaps as files, with no site behind them."""

import os
import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import click

from sitemap_action.checks.all import SetResult, check_set
from sitemap_action.checks.base import LoadedFile, Options
from sitemap_action.cli import plain
from sitemap_action.compare.sets import differences
from sitemap_action.console.output import Console
from sitemap_action.errors import UsageError
from sitemap_action.inventory.store import temporary
from sitemap_action.model.finding import Severity
from sitemap_action.model.site import Role
from sitemap_action.sitemap.explain import explain
from sitemap_action.sitemap.schema import faults
from sitemap_action.sources import listed
from sitemap_action.sources.baseline import named
from sitemap_action.sources.documents import Document, documents, work_tree

_NAMES = ("*sitemap*.xml", "*sitemap*.xml.gz", "*sitemap*.txt", "*sitemap*.txt.gz")


@click.command(epilog="Example: sitemap-action validate public/sitemap.xml")
@click.argument("sitemaps", nargs=-1, required=True, metavar="SITEMAP...")
@click.option("--site-url", metavar="URL", default="", help="Where the sitemap lives, for rules about its scope.")
@click.option("--schema", is_flag=True, help="Show what the XML schema alone says, and nothing else.")
@click.option("--strict", is_flag=True, help="Warnings count as errors.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="What is printed.")
def validate(sitemaps: tuple[str, ...], *, site_url: str, schema: bool, strict: bool, form: str) -> int:
    """Check sitemaps, indexes with their children, folders of them, or `-`, against every rule that needs no site.

    Exit 1 on an error, 3 when a document could not be read.
    """
    console = Console(os.environ)
    groups = [list(_loaded(files, site_url)) for files in _chosen(sitemaps)]
    if schema:
        return _schema(console, [file for group in groups for file in group])
    results = [check_set(group, Options(datetime.now(UTC))) for group in groups]
    console.report(plain.validation_json(results) if form == "json" else plain.validation_text(results))
    return _code(results, strict=strict)


@click.command(epilog="Example: sitemap-action diff git:origin/main:public/sitemap.xml public/sitemap.xml")
@click.argument("old")
@click.argument("new")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="What is printed.")
def diff(old: str, new: str, form: str) -> int:
    """Compare two sitemaps as sets: files, or git:REF:PATH. Exit 1 when the sets differ.

    Order, sharding, compression and spelling are no difference.
    """
    with temporary() as inventory:
        for role, name in ((Role.BASELINE, old), (Role.COMMITTED, new)):
            listed.store(inventory, role, named(name, Path.cwd()))
        found = list(differences(inventory.entries(Role.BASELINE), inventory.entries(Role.COMMITTED)))
    Console(os.environ).report(plain.diff_json(found) if form == "json" else plain.diff_text(found, old, new))
    return int(bool(found))


def _chosen(names: Iterable[str]) -> Iterator[tuple[Document, ...]]:
    """The documents of each sitemap; in a folder every file that is named like one, children with their index."""
    for name in names:
        path = Path(name)
        if name == "-":
            yield (Document("standard input", sys.stdin.buffer.read()),)
        elif path.is_dir():
            yield from _folder(path)
        else:
            found = documents(path.name, work_tree(path.parent))
            if not found:
                raise UsageError(
                    f"{name}: no such file", hint="name a sitemap, a folder of sitemaps, or - for standard input"
                )
            yield tuple(Document(str(path.parent / file.path), file.content, file.address) for file in found)


def _folder(folder: Path) -> Iterator[tuple[Document, ...]]:
    names = sorted({path.relative_to(folder).as_posix() for pattern in _NAMES for path in folder.rglob(pattern)})
    if not names:
        raise UsageError(
            f"{folder}: no sitemap is in this folder", hint="a sitemap's name holds `sitemap` and ends in .xml"
        )
    groups = [documents(name, work_tree(folder)) for name in names]
    children = {file.path for group in groups for file in group[1:]}
    for group in groups:
        if group[0].path not in children:
            yield tuple(Document(str(folder / file.path), file.content, file.address) for file in group)


def _loaded(files: Iterable[Document], site_url: str) -> Iterator[LoadedFile]:
    """A child lives where its index says; the file that was named lives directly below site-url."""
    for file in files:
        own = f"{site_url.rstrip('/')}/{Path(file.path).name}" if site_url else ""
        yield LoadedFile(file.path, file.content, file.address or own)


def _schema(console: Console, files: Iterable[LoadedFile]) -> int:
    code = 0
    for file in files:
        found = faults(file.content)
        console.report(f"{file.path}: {'invalid' if found else 'valid'}\n")
        for fault in found:
            code = 1
            console.report(f"  line {fault.line}: {fault.detail or fault.code}\n")
        for reason in explain(file.content, found[0].line) if found else ():
            console.report(f"  {reason.path}: {reason.reason}\n")
    return code


def _code(results: Iterable[SetResult], *, strict: bool) -> int:
    failing = {Severity.ERROR, Severity.WARNING} if strict else {Severity.ERROR}
    code = 0
    for result in results:
        if not all(file.complete for file in result.files):
            return 3
        if any(finding.severity in failing for finding in result.findings):
            code = 1
    return code
