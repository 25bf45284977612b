"""A whole run: look, decide, plan."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import TypeAlias

import msgspec
from msgspec.structs import replace

from sitemap_action.checks.all import SitePass, check_set
from sitemap_action.checks.base import FileOptions, SiteOptions, file_options
from sitemap_action.checks.severity import Corners, accepted_notes, adjust_severities
from sitemap_action.config.layers import ConfigReader
from sitemap_action.config.lists import with_addresses
from sitemap_action.config.schema import Config, Noindex, TrailingSlash
from sitemap_action.decide.acknowledged import Acknowledgements
from sitemap_action.decide.causes import GuardCounter, failing_site
from sitemap_action.decide.compare import Comparison, join_urls
from sitemap_action.decide.entries import SitemapGenerator, name_uploads
from sitemap_action.decide.extensions import with_extensions
from sitemap_action.decide.judge import Evidence, Grace, judge
from sitemap_action.decide.page_table import PageCollector, RenderedRows
from sitemap_action.decide.policy import SelectPolicy, error_documents, find_host_policy, indexable
from sitemap_action.decide.redirects import Redirects, landing_page
from sitemap_action.decide.spelling import listed_urls
from sitemap_action.decide.verdict import Selector
from sitemap_action.look.address_history import with_history
from sitemap_action.look.documents import digest
from sitemap_action.look.phase import LookResult, look
from sitemap_action.look.redirect_author import with_redirects
from sitemap_action.look.state import inventory
from sitemap_action.look.web_sitemaps import production
from sitemap_action.model.context import Context, Detail, Mode
from sitemap_action.model.finding import NO_LEDGER, Finding, LedgerLine, Severity
from sitemap_action.model.mask import NO_MASK, SECRET_URL, Mask
from sitemap_action.model.observer import Observer
from sitemap_action.model.outcome import (
    Cause,
    CauseKind,
    Diff,
    Outcome,
    PageTable,
    ReportDetails,
    RunInfo,
)
from sitemap_action.model.page import PageKind
from sitemap_action.model.site import Absent, KnownUrl, Reason, Site, Verdict
from sitemap_action.model.sitemap import DocumentKind, SitemapDocument, SitemapFile
from sitemap_action.model.source import HostPolicy
from sitemap_action.model.step import Counts, Published, SiteMark, Step, SyncPullRequest
from sitemap_action.plan import plan
from sitemap_action.reports.all import standing
from sitemap_action.robots.groups import Profile, parse
from sitemap_action.sitemap.write import CommittedSitemap
from sitemap_action.store.inventory import PAGE_COUNTS, UNSUBMITTED, Inventory
from sitemap_action.web.urls import origin

_INTRODUCTION = (  # of a pull request
    "This makes the sitemap list what the site has. Later runs keep it current, and close it when it is not needed any "
    "more. Checks of a pull request that `GITHUB_TOKEN` has opened wait for an approval.\n\n"
)

_DAYS = 60  # with a run, of which the number of pages is kept

Steps: TypeAlias = tuple[Step, ...]


def run(
    config: Config,
    context: Context,
    reading: ConfigReader,
    observer: Observer,
    *,
    addresses: Sequence[str] | None = None,
) -> tuple[Outcome, Steps]:
    """The verdict, and the steps that carry it out.

    `reading`: how `config` was read, for the copy of its file that the target branch of a pull request has.
    `addresses`: what a ledger is made of beside the sitemap and its history; None where none is made.
    """
    with inventory(config, context) as found:
        served = None if context.access.offline else production(config, context.access, found)
        seen = look(config, context, found, reading, observer, production=served, addresses=addresses)
        first_seen = found.first_seen()
        secret = context.access.mask
        for mask in (NO_MASK, secret):  # few runs need the second pass, and none pays for it on every URL
            outcome, grace = _decide(config, context, found, seen, first_seen, mask)
            if not (secret and any(secret.hides_in(file.content) for file in outcome.files)):
                break
        if not outcome.run.lacks(CauseKind.OTHER_BASE):
            found.store_first_seen(grace.first_seen)
            found.store_contents(context.now.date())
            outcome = _with_page_counts(outcome, found, context.now.date())
        outcome = replace(outcome, published=Published(pending=tuple(found.metadata(UNSUBMITTED).split())))
        if (diff := outcome.diff).ledger.dead:
            outcome = with_history(outcome, Path(context.workspace), "" if config.source.url else config.source.path)
        tip = seen.branch
        if tip and tip.superseded:
            outcome = replace(outcome, changed=False, blocked=Cause(CauseKind.SUPERSEDED, tip.superseded))
        if diff.removed or diff.extra or diff.ledger.dead or Detail.PATCH in context.details:
            outcome = with_redirects(outcome, config, context, found, tip, tip.shards if tip else seen.shards)
    shown = secret.value(outcome)
    return shown, plan(outcome, context.mode, seen.shards, _request(outcome, shown, context, seen))


def _with_page_counts(outcome: Outcome, found: Inventory, today: date) -> Outcome:
    """The outcome with the number of pages on each day of a whole run with this state, this one included."""
    if not found.persistent or outcome.incomplete:
        return outcome
    try:
        site, days = msgspec.json.decode(found.metadata(PAGE_COUNTS), type=tuple[str, dict[date, int]])
    except msgspec.DecodeError:  # there is none yet, or it is damaged
        site, days = "", {}
    known = {day: count for day, count in sorted(days.items()) if site == outcome.run.site_url and day < today}
    counts = (*[*known.items()][1 - _DAYS :], (today, outcome.diff.listed))
    with found.transaction():
        found.set_metadata(PAGE_COUNTS, msgspec.json.encode((outcome.run.site_url, dict(counts))).decode())
    if outcome.details.pages is None:
        return outcome
    pages = replace(outcome.details.pages, history=tuple((day.isoformat(), count) for day, count in counts))
    return replace(outcome, details=replace(outcome.details, pages=pages))


def _request(outcome: Outcome, shown: Outcome, context: Context, seen: LookResult) -> SyncPullRequest | None:
    """None where nothing is published, or another run has published what is newer. `shown`: without secrets."""
    if (tip := seen.branch) is None or tip.superseded:
        return None
    copies = {**seen.digests, **seen.copies}
    copies |= {one.path: digest(one.before) for one in outcome.details.patch if one.redirects and one.before}
    path, diff = tip.path_inside(outcome.run.sitemap), outcome.diff
    return SyncPullRequest(
        branch=context.publishing.request_branch(path),
        base=context.publishing.branch,
        expected=tip.tree.commit,
        counts=Counts(added=len(diff.missing), removed=len(diff.extra), changed=len(diff.changed)),
        mark=SiteMark(shown.run.site_url, path, tip.source),
        body=f"{_INTRODUCTION}{standing(shown)}" if context.mode is Mode.PULL_REQUEST else "",
        changes=tip.changes(outcome.files, copies, tip.shards),
    )


def _decide(  # noqa: PLR0913, PLR0917 - what is wanted, what was seen, and what an earlier run knew
    config: Config, context: Context, site: Site, seen: LookResult, first_seen: dict[str, date] | None, mask: Mask
) -> tuple[Outcome, Grace]:
    """Decides once more without extensions that are not valid, where the sitemap would be invalid (R-09)."""
    for repair in (True,) if _has_errors(_adjust(config, seen.committed.findings)) else (False, True):
        grace = Grace(config.policy.grace, first_seen, context.now.date())
        table = _page_collector(config, context, site, seen)
        rendered = RenderedRows() if seen.run.source.rendering else None
        rows = [one for one in (rendered, table) if one is not None]
        evidence = _evidence(config, context, site, seen, grace=grace, rows=rows, repair=repair, mask=mask)
        if not _has_errors(evidence.generated):
            break
    fail_on = config.policy.failing(writing=context.mode.writes)
    if seen.run.judged == "served":
        evidence = replace(evidence, files=name_uploads(evidence.files))
    outcome = judge(evidence, fail_on, config.crawl.allow_undetermined, writing=context.mode.writes)
    if outcome.run.lacks(CauseKind.OTHER_BASE):
        details = ReportDetails(pages=None if table is None else PageTable(rows=(), total=0))
    else:
        shown = None if table is None else table.table(evidence.diff)
        details = ReportDetails(pages=shown, rendered=() if rendered is None else tuple(rendered.rows))
    return replace(outcome, details=details), grace


def _evidence(  # noqa: PLR0913 - what was looked at, and how it is decided
    config: Config,
    context: Context,
    site: Site,
    seen: LookResult,
    *,
    grace: Grace,
    rows: Sequence[PageCollector | RenderedRows],
    repair: bool,
    mask: Mask,
) -> Evidence:
    """One pass over every known URL; nothing here reads files, git, the web or the clock."""
    host = _host_policy(config, site, seen)
    selection = replace(_selection(config, context, site, seen, host), repair=repair)
    selector = Selector(site, selection)
    comparison, guards = _comparison(config, context, seen), GuardCounter(config.policy, config.select.agents)
    checks = SitePass(_site_options(config, context, seen, host, selection, remembers=grace.before is not None))
    generator = _generator(config, seen)
    counted = (comparison.add, guards.on_url, checks.on_url, generator.on_url, *(one.add for one in rows))
    for row, verdict in with_extensions(selection, mask, partial(_verdicts, site, selector, seen, mask)):
        for count in counted:
            count(row, verdict)
    diff = grace.apply(_drop_unproven(_difference(comparison, selector, mask), seen))
    files = (*(_extend_ledger(seen, diff) if context.mode.writes else ()), *generator.finish())
    run = _run_info(seen, selection, selector, diff)
    written = _check_generated(config, context, seen, files)
    of_site = checks.findings(_with_outlived(diff, run, seen, written))
    notes = accepted_notes((*(written if context.mode.writes else seen.committed.findings), *of_site))
    return Evidence(
        run=replace(run, notes=(*run.notes, *notes)),
        diff=diff,
        guards=() if run.no_pages and not run.start_blocked else _find_tripped_guards(guards, diff, seen),
        committed=_adjust(config, seen.committed.findings, generated=seen.run.judged == "built"),
        generated=_adjust(config, written),
        site=grace.findings(_adjust(config, of_site)),
        not_checked=(*seen.committed.not_checked, *checks.not_checked(), *grace.not_checked()),
        files=files,
        debt=seen.debt,
        lacking=_lacking(files, seen),
    )


def _difference(comparison: Comparison, selector: Selector, mask: Mask) -> Diff:
    """After the last row."""
    comparison.add_moved(
        partial(_verdict, selector, mask), lambda page: mask.hides(page.url) or selector.whatever_it_answers(page)
    )
    return comparison.diff()


def _with_outlived(diff: Diff, run: RunInfo, seen: LookResult, written: Iterable[Finding]) -> Diff:
    """The difference with accepted lines that no row of it and no finding on a file is for, where all was seen."""
    known, lines = diff.acknowledged, {*run.baseline.accepted.rows.values()}
    if not lines or run.incomplete or diff.undetermined:
        return diff
    lines -= {*(one.line for one in known.rows), *known.waiting}
    lines -= {one.acknowledged for one in (*seen.committed.findings, *written) if one.acknowledged is not None}
    unknown = {row.rule for row in seen.committed.not_checked}
    left = sorted((line for line in lines if line.name not in unknown), key=lambda one: one.line)
    return replace(diff, acknowledged=replace(known, outlived=tuple(left)))


def _drop_unproven(diff: Diff, seen: LookResult) -> Diff:
    """Without pages that an unread part of the site's sitemap may list, and what an unknown host may redirect."""
    if seen.run.lacks(CauseKind.UNREAD_SITEMAP):
        diff = replace(diff, missing=())
    known = seen.run.source.hosting is None or seen.run.source.hosting.known
    return diff if known else replace(diff, ledger=replace(diff.ledger, dead=(), long_ways=()))


def _extend_ledger(seen: LookResult, diff: Diff) -> Iterator[SitemapFile]:
    """The ledger with the listed pages that it lacks; nothing is removed."""
    ledger, start = seen.run.baseline.ledger, len(origin(seen.run.site_url))
    if diff.ledger.new:
        content = with_addresses(ledger.content, (LedgerLine(url[start:]) for url in diff.ledger.new))
        yield SitemapFile(ledger.path, content, 0, "ledger", copy=True)


def _comparison(config: Config, context: Context, seen: LookResult) -> Comparison:
    obeys = seen.run.source.kind == "url" and seen.robots is not None and config.crawl.robots != "ignore"
    return Comparison(
        Acknowledgements(
            config.policy.expected_removals,
            context.now.date(),
            seen.run.baseline.accepted,
            repairs=context.mode.writes,
        ),
        seen.run.site_url,
        {} if seen.run.source.hosting is None else seen.run.source.hosting.places,
        seen.committed.paths,
        same=seen.run.baseline.same,
        obeyed=parse(seen.robots or b"", Profile.RFC) if obeys else None,
        ledger=seen.run.baseline.ledger,
        moved=() if seen.run.source.hosting is None else seen.run.source.hosting.moved,
    )


def _page_collector(config: Config, context: Context, site: Site, seen: LookResult) -> PageCollector | None:
    """None where no report shows every page."""
    if Detail.PAGES not in context.details:
        return None
    robots = None if seen.robots is None else parse(seen.robots, Profile.GOOGLE)
    return PageCollector(
        site,
        seen.run.site_url,
        Redirects(site, config.select, robots),
        clicks=seen.run.source.kind == "url",
        first_run=seen.run.first_run,
        keep_all=Detail.ALL_PAGES in context.details,
    )


def _verdicts(site: Site, selector: Selector, seen: LookResult, mask: Mask) -> Iterator[tuple[KnownUrl, Verdict]]:
    for row in join_urls(site, same=seen.run.baseline.same):
        if not (row.committed is None and row.baseline is None and selector.is_inner_hop(row.page)):
            yield row, _verdict(selector, mask, row)


def _verdict(selector: Selector, mask: Mask, row: KnownUrl) -> Verdict:
    return Absent(row.page, Reason.EXCLUDED, SECRET_URL) if mask.hides(row.page.url) else selector.verdict(*row)


def _generator(config: Config, seen: LookResult) -> SitemapGenerator:
    digests = seen.digests
    known = CommittedSitemap(
        seen.committed_files, lambda path, content: digests.get(path) == digest(content), seen.others, seen.shards
    )
    return SitemapGenerator(config.output, seen.run.sitemap, seen.sitemap_url, known, seen.copies)


def _find_tripped_guards(guards: GuardCounter, diff: Diff, seen: LookResult) -> tuple[Cause, ...]:
    return guards.find_tripped(diff, first_run=seen.run.baseline.missing, served=seen.run.source.kind == "url")


def _run_info(seen: LookResult, selection: SelectPolicy, selector: Selector, diff: Diff) -> RunInfo:
    """The run, with what only the comparison, or all pages together, have shown."""
    same = selection.error_documents.everywhere
    start_blocked = "" if diff.listed else selector.find_block(seen.run.site_url, "the start page")
    base = replace(seen.run.baseline, ledger=NO_LEDGER)
    if base.unasked and not diff.removed:
        base = replace(base, description=base.unasked, alone=True)
    run = replace(seen.run, start_blocked=start_blocked, baseline=base)
    failing = [Cause(CauseKind.UNKNOWN_HOST, one.sentence) for one in selection.stated if one.disagreement]
    failing += [Cause(CauseKind.INCOMPLETE, one) for one in failing_site(diff)]
    reasons = [Cause(CauseKind.SAME_ANSWER, same)] if same else failing
    if not reasons:
        return run
    nothing_known = bool(same) and diff.listed == diff.counts.unverified
    return replace(run, incomplete=(*reasons, *run.incomplete), no_pages=run.no_pages or nothing_known)


def _host_policy(config: Config, site: Site, seen: LookResult) -> HostPolicy:
    """The policy of a preview host; its directives only where the config leaves noindex to `auto` (ENV-03)."""
    run, agents = seen.run, config.select.agents
    start = landing_page(site, run.site_url)
    if start is None or run.source.kind != "url" or origin(run.source.location) == origin(run.site_url):
        return HostPolicy()
    if seen.run.source.public and indexable(start, agents):
        return HostPolicy(exposed=run.source.location)
    if config.select.noindex is not Noindex.AUTO:
        return HostPolicy()
    return find_host_policy(site.pages(), start, seen.run.source.probes, agents)


def select_policy(config: Config, context: Context, site: Site, seen: LookResult) -> SelectPolicy:
    """What decides about each URL."""
    return _selection(config, context, site, seen, _host_policy(config, site, seen))


def _selection(config: Config, context: Context, site: Site, seen: LookResult, host: HostPolicy) -> SelectPolicy:
    robots = None if seen.robots is None else parse(seen.robots, Profile.GOOGLE)
    hosting = seen.run.source.hosting
    return SelectPolicy(
        site_url=seen.run.site_url,
        select=config.select,
        output=config.output,
        robots=robots,
        now=context.now,
        error_documents=error_documents(site, seen.run.site_url, seen.run.source.probes),
        host_directives=host.directives,
        repeated=seen.run.source.repeated,
        versions=config.select.versions(seen.run.site_url),
        # Else the config says which spelling a page has.
        stated=() if hosting is None or config.select.asks_for_spelling else hosting.stated,
        dates=seen.dates,
        listed=listed_urls(site) if config.select.trailing_slash is TrailingSlash.KEEP else frozenset(),
    )


def _site_options(  # noqa: PLR0913 - what is wanted, and what was seen
    config: Config, context: Context, seen: LookResult, host: HostPolicy, selection: SelectPolicy, *, remembers: bool
) -> SiteOptions:
    """`remembers`: there is a state."""
    fallbacks = (page.url for page in seen.run.source.probes if page.kind is PageKind.PAGE)
    hosting = seen.run.source.hosting
    known = selection.error_documents.everywhere or (hosting and (hosting.fallback or hosting.partial))  # as HOST-09
    return SiteOptions(
        config=config,
        run=seen.run,
        found=seen.run.source,
        robots=selection.robots,
        base_robots=None if seen.base_robots is None else parse(seen.base_robots, Profile.GOOGLE),
        site_url_given=seen.site_url_given,
        writing=context.mode.writes,
        repair=selection.repair,
        index=any(file.kind is DocumentKind.INDEX for file in seen.committed.files),
        shipped=seen.shipped,
        host=host,
        fallback="" if known else next(fallbacks, ""),
        pings=seen.pings,
        today=context.now.date(),
        remembers=remembers or bool(seen.copies.get(config.output.fingerprints)),
        corners=Corners(
            config.severities,
            context.now.date(),
            seen.run.baseline.accepted,
            every=Detail.FINDINGS in context.details,
        ),
    )


def _check_generated(
    config: Config, context: Context, seen: LookResult, files: tuple[SitemapFile, ...]
) -> tuple[Finding, ...]:
    """Findings of the rules over the files that would be written: each format is a set of its own (R-03)."""
    sets: dict[str, list[SitemapFile]] = {}
    for file in files:
        if file.format != "json" and not file.copy:
            sets.setdefault(file.format, []).append(file)
    options = file_options(config, context.now, seen.run.baseline.accepted, every=Detail.FINDINGS in context.details)
    directory = seen.sitemap_url.rpartition("/")[0]
    return tuple(finding for one in sets.values() for finding in _check_files(one, seen, options, directory))


def _check_files(
    files: Sequence[SitemapFile], seen: LookResult, options: FileOptions, directory: str
) -> tuple[Finding, ...]:
    """The findings on one set, whose index is the last; those of the committed files where they are equal."""
    if {file.path: digest(file.content) for file in files} == seen.digests:
        return seen.committed.findings
    index_first = (files[-1], *files[:-1])
    loaded = (
        SitemapDocument(file.path, file.content, f"{directory}/{file.path.rpartition('/')[2]}") for file in index_first
    )
    return check_set(loaded, options).findings


def _lacking(files: tuple[SitemapFile, ...], seen: LookResult) -> tuple[str, ...]:
    """Files beside the judged sitemap that are missing or not up to date."""
    found = seen.copies
    return tuple(file.path for file in files if file.path in found and found[file.path] != digest(file.content))


def _adjust(config: Config, findings: tuple[Finding, ...], *, generated: bool = False) -> tuple[Finding, ...]:
    return adjust_severities(findings, config.severities, strict=config.strict, generated=generated)


def _has_errors(findings: Iterable[Finding]) -> bool:
    return any(finding.severity is Severity.ERROR for finding in findings)
