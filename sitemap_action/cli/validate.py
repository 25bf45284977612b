"""`validate`: sitemaps as files, or as they are served, against every rule that needs no site."""

import os
from collections.abc import Collection, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from sitemap_action.checks.all import SetResult, check_set
from sitemap_action.checks.base import FileOptions, FileResult
from sitemap_action.checks.document import broken_sitemaps_report, report_broken
from sitemap_action.checks.removals import expired_settings
from sitemap_action.checks.robots import robots_txt_findings
from sitemap_action.checks.severity import Corners, accepted_notes, adjust_severities
from sitemap_action.cli.options import NearChoice, default_config, network_options, rule_settings
from sitemap_action.cli.read import fetch_sitemap
from sitemap_action.config.schema import Config, OutputConfig
from sitemap_action.console.streams import Console
from sitemap_action.decide.entries import SitemapGenerator
from sitemap_action.errors import UsageError
from sitemap_action.look.documents import (
    DocumentList,
    Documents,
    available_documents,
    standard_input,
    temporary_folder,
    user_named,
)
from sitemap_action.model.finding import Finding, NotChecked, Severity
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.sitemap import (
    BrokenSitemap,
    ChildSitemap,
    DocumentKind,
    Entry,
    Fault,
    SitemapDocument,
    SitemapFile,
)
from sitemap_action.publish.files import replace_bytes
from sitemap_action.reports.sitemap_files import findings_json, findings_text
from sitemap_action.robots.groups import Profile, parse
from sitemap_action.sitemap.extension_faults import valid_extensions
from sitemap_action.sitemap.protocol import FREQUENCIES, is_priority, normal_date
from sitemap_action.sitemap.read import read
from sitemap_action.sitemap.write import compress, index
from sitemap_action.walk.declared import AGENTS
from sitemap_action.walk.folders import WorkTree, sitemap_at
from sitemap_action.walk.sitemap_loading import Loaded, Unavailable
from sitemap_action.web.printable import printable
from sitemap_action.web.urls import is_url, normal_form

_STANDARD_INPUT = "standard input"
_ANY = "*"
_UNKNOWN_ADDRESS = "https://sitemap.invalid/sitemap.xml"  # of parts in an index, which a file without a site needs
_NAMES = ("*sitemap*.xml", "*sitemap*.xml.gz", "*sitemap*.txt", "*sitemap*.txt.gz")


@click.command(epilog="Example: sitemap-action validate public/sitemap.xml")
@click.argument("sitemaps", nargs=-1, metavar="SITEMAP...")
@click.option(
    "--site-url", metavar="URL", default="", help="URL that the sitemap is served below, for rules about its scope."
)
@click.option("--schema", is_flag=False, flag_value="", hidden=True)  # of an earlier version, accepted with a warning
@click.option("--strict", is_flag=True, help="Warnings count as errors.")
@click.option(
    "--fix",
    metavar="DIR",
    help="Write each local file with an error or a warning into this folder, repaired; of a URL nothing.",
)
@click.option("--format", "form", type=NearChoice(["text", "json"]), default="text", help="Output format.")
@network_options
def validate(
    sitemaps: tuple[str, ...], *, site_url: str, schema: str | None, strict: bool, form: str, **network: Any
) -> int:
    """Check sitemaps by every rule that needs no site.

    Indexes with their children, folders of them, or `-`. A URL is a sitemap, or, when it ends in a slash, a site
    with all that it declares.

    Severities are those of the config (`checks`): of --config, else of the repository's own file where it has one.

    Exit 1 on an error, else 3 when a document could not be read.
    """
    console, fix = Console(os.environ), network.pop("fix")
    sitemaps = _without_schema(console, schema, sitemaps)
    with temporary_folder() as folder:
        groups = list(_find_sitemaps((name for name in sitemaps if not is_url(name)), folder))
        urls = [name for name in sitemaps if is_url(name)]
        chosen = rule_settings(network)
        rules = _file_options(network, chosen)
        results = [_check_stored(console, group, site_url, rules) for group in groups]
        if fix:
            for url in urls:
                console.log(f"{url} is not repaired: --fix takes local files only; save it with `curl -O {url}` first")
            _write_repaired(console, zip(groups, results, strict=True), Path(fix))
        results += [_check_served(console, url, network, folder, rules) for url in urls]
    judged = _apply_severities(results, chosen, rules)
    code = _code(judged, strict=strict or chosen.strict)
    console.write_report(findings_json(judged) if form == "json" else findings_text(judged, code), prose=form == "text")
    return code


def _without_schema(console: Console, schema: str | None, sitemaps: tuple[str, ...]) -> tuple[str, ...]:
    """The sitemaps that are named: what follows `--schema`, an option no more, is one unless it is a schema."""
    own = schema is not None and schema.lower().endswith(".xsd")
    if schema is not None:
        advice = f"; for {schema} use `xmllint --schema {schema}`" if own else ""
        console.log(f"--schema is no option any more: validate always checks the XML schema of sitemaps{advice}")
    names = (schema, *sitemaps) if schema and not own else sitemaps
    if not names:
        raise UsageError("Missing argument 'SITEMAP...'", hint="name a sitemap, a folder of them, a URL, or -")
    return names


def _file_options(network: dict[str, Any], chosen: Config) -> FileOptions:
    settings, now = default_config(network), datetime.now(UTC)
    return FileOptions(
        now,
        search_console_submitted=settings.sitemaps.search_console_submitted,
        max_inflated=settings.sitemaps.max_inflated,
        named=True,
        corners=Corners(chosen.severities, now.date()),
    )


def _apply_severities(results: Iterable[SetResult], chosen: Config, rules: FileOptions) -> list[SetResult]:
    """The results with the severities of the config, and once its settings whose last day has passed."""
    expired = expired_settings(rules.corners)
    judged = []
    for result in results:
        findings = (*expired, *result.findings)
        kept = adjust_severities(findings, chosen.severities, strict=False)
        judged.append(replace(result, findings=kept, accepted=accepted_notes(findings)))
        expired = ()
    return judged


def _check_served(console: Console, url: str, network: dict[str, Any], folder: Path, rules: FileOptions) -> SetResult:
    """A document that was not received counts as one that could not be read."""
    documents, loaded, others = fetch_sitemap(url, network, folder, cross=True)
    result = check_set(documents, replace(rules, cross_submitted=others))
    result = _add_site_findings(_add_broken(result, loaded.broken, rules, asked=True), loaded, rules.corners)
    return _add_missing(console, result, documents.missing, loaded.notes)


def _check_stored(console: Console, group: Documents, site_url: str, rules: FileOptions) -> SetResult:
    result = _add_broken(check_set(_set_addresses(group, site_url), rules), group.broken, rules, asked=False)
    return _add_missing(console, result, group.missing)


def _add_missing(
    console: Console, result: SetResult, missing: Iterable[Unavailable], notes: Iterable[str] = ()
) -> SetResult:
    """The result with the documents that could not be read."""
    files = list(result.files)
    for note in notes:
        console.log(note)
    for one in missing:
        console.log(str(one))
        files.append(FileResult(one.url, DocumentKind.UNKNOWN, 0, 0, complete=False, received=False))
    return replace(result, files=tuple(files))


def _add_broken(result: SetResult, broken: tuple[BrokenSitemap, ...], rules: FileOptions, *, asked: bool) -> SetResult:
    """The result with findings on the sitemaps that an index or the site names; `asked`: their host was asked."""
    report = broken_sitemaps_report(rules.corners)
    index = any(file.kind is DocumentKind.INDEX for file in result.files)
    if not asked:
        report_broken(report, None, index=index, declared=False)
    report_broken(report, broken, index=index, declared=False)
    findings = sorted((*result.findings, *report.findings()), key=lambda one: one.rule.id)
    return replace(result, findings=tuple(findings), not_checked=(*result.not_checked, *report.not_checked()))


def _find_sitemaps(names: Iterable[str], folder: Path) -> Iterator[Documents]:
    """The documents of each sitemap; in a directory every file that is named like one, children with their index."""
    for name in names:
        path = Path(name)
        if name == "-":
            documents = DocumentList(folder)
            documents.add(_STANDARD_INPUT, SitemapDocument(_STANDARD_INPUT, standard_input(), named=False))
            yield documents.documents()
        elif path.is_dir():
            yield from _directory(path)
        elif name.startswith("git:"):
            yield available_documents(user_named(name), folder)
        else:
            source = sitemap_at(WorkTree(Path(), named=path.as_posix()), path.as_posix())
            if source is None:
                hint = "name a sitemap, a folder of sitemaps, or - for standard input"
                raise UsageError(f"{name}: no such file", hint=hint)
            yield available_documents(source)


def _directory(directory: Path) -> Iterator[Documents]:
    paths = sorted({path.as_posix() for pattern in _NAMES for path in directory.rglob(pattern)})
    if not paths:
        hint = "a sitemap's name contains `sitemap` and ends in .xml"
        raise UsageError(f"{directory}: no sitemap in this folder", hint=hint)
    store = WorkTree(Path(), named=(directory / _ANY).as_posix())  # the folder is named, its files are not
    sources = [source for path in paths if (source := sitemap_at(store, path))]
    groups = [available_documents(source) for source in sources]
    children = {row.path for group in groups for row in group.rows[1:]}
    yield from (group for group in groups if group.rows[0].path not in children)


def _set_addresses(documents: Documents, site_url: str) -> Iterator[SitemapDocument]:
    """The URL of a child is the one in its index; a file that was named is directly below site-url."""
    for document in documents:
        own = f"{site_url.rstrip('/')}/{Path(document.path).name}" if site_url else ""
        yield replace(document, address=document.address or own)


def _code(results: Iterable[SetResult], *, strict: bool) -> int:
    """A failing finding is proof, whatever could not be read."""
    failing = {Severity.ERROR, Severity.WARNING} if strict else {Severity.ERROR}
    results = tuple(results)
    files = [file for result in results for file in result.files]
    proven = any(finding.severity in failing for result in results for finding in result.findings)
    if proven:
        return 1
    return 0 if all(file.complete for file in files) else 3


# --- files as `write` writes them ---


_SHOWN = 3  # places of one kind, of what is left out of a file
_BARE = lazy_re(rb"&(?!(?:[A-Za-z]\w{0,30}|#\d{1,7}|#x[0-9A-Fa-f]{1,6});)")


def _write_repaired(console: Console, found: Iterable[tuple[Documents, SetResult]], folder: Path) -> None:
    """Each file with an error or a warning under its own name, and what is left out of it (U-32)."""
    names = set[str]()
    for documents, result in found:
        severe = [one for one in result.findings if one.severity in {Severity.ERROR, Severity.WARNING}]
        faulty = {one.path for one in severe}
        for document, file in zip(documents, result.files, strict=False):
            name = Path(document.path).name
            if document.path not in faulty:
                continue
            whole, escaped = (document, 0) if file.complete else _escape_ampersands(document)
            if why := _why_not_repaired(file, folder / name, names, whole=file.complete or escaped > 0):
                console.log(f"{document.path} is not repaired: {why}")
                continue
            names.add(name)
            left_out: dict[str, list[str]] = {}
            for one in _repair_document(whole, (folder / name).as_posix(), left_out):
                replace_bytes(Path(one.path), one.content)
                console.log(f"wrote {one.path}")
            if escaped:
                console.log(f"  each bare & is &amp; now ({escaped:,})")
            for what, places in left_out.items():
                more = f"; and {len(places) - _SHOWN:,} more" if len(places) > _SHOWN else ""
                console.log(f"  left out, {what}: {', '.join(places[:_SHOWN])}{more}")


def _escape_ampersands(document: SitemapDocument) -> tuple[SitemapDocument, int]:
    """The document with `&amp;` for each bare `&`, and their number; 0 where that does not make it whole."""
    content, count = _BARE.subn(b"&amp;", document.content)
    if not count or b"<![CDATA[" in content:  # where a `&` is no mistake
        return document, 0
    escaped = replace(document, content=content)
    whole = not any(isinstance(one, Fault) and one.fatal for one in read(content, address=document.address))
    return (escaped, count) if whole else (document, 0)


def _why_not_repaired(file: FileResult, place: Path, names: Collection[str], *, whole: bool) -> str:
    if place.resolve() == Path(file.path).resolve():
        return "it would replace itself: name another folder"
    if place.name in names:
        return "another one of its name is repaired"
    if file.kind is DocumentKind.UNKNOWN:
        return "it is no sitemap"
    return "" if whole else "half a file does not tell the rest"


def _repair_document(document: SitemapDocument, path: str, left_out: dict[str, list[str]]) -> Iterable[SitemapFile]:
    """The file as `write` writes its entries: one, or an index and numbered files past the limits of one."""
    seen = set[str]()
    generator = SitemapGenerator(OutputConfig(), path, document.address or _UNKNOWN_ADDRESS)
    children = []
    for one in read(document.content, address=document.address):
        if not isinstance(one, Entry | ChildSitemap):
            continue
        url = normal_form(one.loc)
        if not url or url in seen:
            place = f"{printable(one.loc[:200])} (line {one.line})"
            left_out.setdefault("listed twice" if url else "no URL", []).append(place)
        elif isinstance(one, ChildSitemap):
            children.append(replace(one, loc=url))
        else:
            generator.add(_valid_fields(one, url, left_out))
        seen.add(url)
    if children:
        content = index(children)
        return [SitemapFile(path, compress(content) if path.endswith(".gz") else content, 0)]
    return generator.finish()


def _valid_fields(entry: Entry, url: str, left_out: dict[str, list[str]]) -> Entry:
    """The entry with what is valid of it."""
    fields = {
        "lastmod": normal_date(entry.lastmod),
        "changefreq": entry.changefreq if entry.changefreq in FREQUENCIES else "",
        "priority": entry.priority if is_priority(entry.priority) else "",
    }
    extensions = valid_extensions(entry.extensions, url)
    wrong = [f"wrong {name}" for name, value in fields.items() if getattr(entry, name) and not value]
    if len(extensions) < len(entry.extensions):
        wrong.append("wrong elements of extensions")
    for what in wrong:
        left_out.setdefault(what, []).append(f"{url[:200]} (line {entry.line})")
    return Entry(url, fields["lastmod"], fields["changefreq"], fields["priority"], (), (), extensions, entry.line)


# --- a named site beside its sitemaps: its robots.txt, and the rules that need its pages ---

_PAGES = {
    "HTML-10": "whether a listed page has noindex",
    "HTML-24": "whether a listed page names another one as its canonical",
    "HTML-40": "whether a listed page answers 200",
    "HTML-41": "whether a listed URL redirects",
    "RB-30": "whether robots.txt disallows a listed page",
}
"""Rules over listed pages, which this command does not request, by what they would say."""


def _add_site_findings(result: SetResult, loaded: Loaded, corners: Corners) -> SetResult:
    """The result with findings on the robots.txt of a site, where one is named and not the address of a sitemap."""
    if not loaded.robots_url:
        return result
    findings: Iterable[Finding] = ()
    if loaded.robots is not None:
        findings = robots_txt_findings(parse(loaded.robots, Profile.GOOGLE), loaded.robots_url, AGENTS, corners)
    start = loaded.robots_url.removesuffix("robots.txt")
    hint = f"`sitemap-action check {start}` requests every listed page"
    unchecked = (NotChecked(rule, f"the pages, to say {what}", hint) for rule, what in _PAGES.items())
    return replace(
        result,
        findings=tuple(sorted((*result.findings, *findings), key=lambda one: one.rule.id)),
        not_checked=(*result.not_checked, *unchecked),
    )
