"""`validate`: sitemaps as files, or as they are served, against every rule that needs no site."""

import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

import click

from sitemap_action.checks.all import FileResult, SetResult, check_set
from sitemap_action.checks.answers import answers_report, tell
from sitemap_action.checks.base import LoadedFile, Options
from sitemap_action.cli import plain
from sitemap_action.cli.network import config, is_url
from sitemap_action.cli.network import network as network_options
from sitemap_action.console.output import Console
from sitemap_action.errors import UsageError
from sitemap_action.loader.documents import SitemapDocument, documents, work_tree
from sitemap_action.model.finding import Severity
from sitemap_action.model.sitemap import Broken, DocumentKind
from sitemap_action.sitemap.explain import explain
from sitemap_action.sitemap.schema import faults

_STANDARD_INPUT = "standard input"
_NAMES = ("*sitemap*.xml", "*sitemap*.xml.gz", "*sitemap*.txt", "*sitemap*.txt.gz")


@click.command(epilog="Example: sitemap-action validate public/sitemap.xml")
@click.argument("sitemaps", nargs=-1, required=True, metavar="SITEMAP...")
@click.option("--site-url", metavar="URL", default="", help="Where the sitemap lives, for rules about its scope.")
@click.option("--schema", is_flag=True, help="Show what the XML schema alone says, and nothing else.")
@click.option("--strict", is_flag=True, help="Warnings count as errors.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="What is printed.")
@network_options
def validate(sitemaps: tuple[str, ...], *, site_url: str, schema: bool, strict: bool, form: str, **network: Any) -> int:
    """Check sitemaps, indexes with their children, folders of them, or `-`, against every rule that needs no site.

    A URL is a sitemap, or, when it ends in a slash, a site with all that it declares.

    Exit 1 on an error, 3 when a document could not be read.
    """
    console = Console(os.environ)
    here = [name for name in sitemaps if not is_url(name)]
    groups = [list(_loaded(files, site_url)) for files in _chosen(here)]
    if schema:
        return _schema(console, chain(chain.from_iterable(groups), _remote(sitemaps, network)))
    limits = config(network).sitemaps
    submitted = limits.search_console_submitted
    rules = Options(datetime.now(UTC), search_console_submitted=submitted, max_inflated=limits.max_inflated)
    results = [_answered(check_set(group, rules), None) for group in groups]
    results += [_checked(console, url, network, rules) for url in sitemaps if is_url(url)]
    console.report(plain.validation_json(results) if form == "json" else plain.validation_text(results))
    return _code(results, strict=strict)


def _checked(console: Console, url: str, network: dict[str, Any], rules: Options) -> SetResult:
    """A document that did not come counts as one that could not be read."""
    from sitemap_action.cli.remote import served  # noqa: PLC0415 - only here is an HTTP client worth its start-up

    with served(url, network) as found:
        result = check_set(found.files(), replace(rules, cross_submitted=found.others))
        result = _answered(result, found.loaded.broken)
    for line in (*found.loaded.notes, *map(str, found.missing)):
        console.say(line)
    missing = (FileResult(one.url, DocumentKind.UNKNOWN, 0, 0, complete=False) for one in found.missing)
    return replace(result, files=(*result.files, *missing))


def _answered(result: SetResult, broken: tuple[Broken, ...] | None) -> SetResult:
    """With what the site says of the sitemaps that it names; None where it was not asked."""
    report = answers_report()
    tell(report, broken, index=any(file.kind is DocumentKind.INDEX for file in result.files), declared=False)
    findings = sorted((*result.findings, *report.findings()), key=lambda one: one.rule.id)
    return replace(result, findings=tuple(findings), not_checked=(*result.not_checked, *report.unchecked()))


def _remote(names: Iterable[str], network: dict[str, Any]) -> Iterator[LoadedFile]:
    from sitemap_action.cli.remote import served  # noqa: PLC0415 - as above

    for url in filter(is_url, names):
        with served(url, network) as found:
            yield from found.files()


def _chosen(names: Iterable[str]) -> Iterator[tuple[SitemapDocument, ...]]:
    """The documents of each sitemap; in a folder every file that is named like one, children with their index."""
    for name in names:
        path = Path(name)
        if name == "-":
            yield (SitemapDocument(_STANDARD_INPUT, sys.stdin.buffer.read()),)
        elif path.is_dir():
            yield from _folder(path)
        else:
            found = documents(path.name, work_tree(path.parent))
            if not found:
                raise UsageError(
                    f"{name}: no such file", hint="name a sitemap, a folder of sitemaps, or - for standard input"
                )
            yield tuple(SitemapDocument(str(path.parent / file.path), file.content, file.address) for file in found)


def _folder(folder: Path) -> Iterator[tuple[SitemapDocument, ...]]:
    names = sorted({path.relative_to(folder).as_posix() for pattern in _NAMES for path in folder.rglob(pattern)})
    if not names:
        raise UsageError(
            f"{folder}: no sitemap is in this folder", hint="a sitemap's name holds `sitemap` and ends in .xml"
        )
    groups = [tuple(documents(name, work_tree(folder))) for name in names]
    children = {file.path for group in groups for file in group[1:]}
    for group in groups:
        if group[0].path not in children:
            yield tuple(SitemapDocument(str(folder / file.path), file.content, file.address) for file in group)


def _loaded(files: Iterable[SitemapDocument], site_url: str) -> Iterator[LoadedFile]:
    """A child lives where its index says; the file that was named lives directly below site-url."""
    for file in files:
        own = f"{site_url.rstrip('/')}/{Path(file.path).name}" if site_url else ""
        yield LoadedFile(file.path, file.content, file.address or own, named=file.path != _STANDARD_INPUT)


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
