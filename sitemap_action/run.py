"""A whole run: look, decide, plan."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from functools import partial
from typing import TypeAlias

from msgspec.structs import replace

from sitemap_action.checks.all import SitePass, check_set
from sitemap_action.checks.base import FileOptions, SiteOptions, file_options
from sitemap_action.checks.severity import Corners, accepted_notes, adjust_severities
from sitemap_action.config.layers import ConfigReader
from sitemap_action.config.schema import Config, Noindex, TrailingSlash
from sitemap_action.decide.causes import failing_site
from sitemap_action.decide.compare import Comparison, ExpectedRemovals, join_urls
from sitemap_action.decide.error_documents import error_documents
from sitemap_action.decide.extensions import with_extensions
from sitemap_action.decide.generate import SitemapGenerator
from sitemap_action.decide.guards import GuardCounter
from sitemap_action.decide.judge import Evidence, Grace, judge
from sitemap_action.decide.page_table import PageCollector
from sitemap_action.decide.policy import HostPolicy, SelectPolicy, find_host_policy, indexable
from sitemap_action.decide.redirects import Redirects, landing_page
from sitemap_action.decide.spelling import listed_urls
from sitemap_action.decide.verdict import Selector
from sitemap_action.look.baseline import production
from sitemap_action.look.documents import digest
from sitemap_action.look.phase import LookResult, look
from sitemap_action.look.state import inventory
from sitemap_action.model.context import Context, Mode
from sitemap_action.model.finding import Finding, Severity
from sitemap_action.model.mask import NO_MASK, SECRET_URL
from sitemap_action.model.observer import Observer
from sitemap_action.model.outcome import Cause, CauseKind, Diff, Outcome, RunInfo, TrippedGuard
from sitemap_action.model.page import PageKind
from sitemap_action.model.site import Absent, KnownUrl, Reason, Site, Verdict
from sitemap_action.model.sitemap import DocumentKind, SitemapDocument, SitemapFile
from sitemap_action.model.step import Step
from sitemap_action.plan import Publication, plan
from sitemap_action.reports.all import render
from sitemap_action.robots.groups import Profile, parse
from sitemap_action.sitemap.committed_files import CommittedSitemap
from sitemap_action.web.urls import origin

_INTRODUCTION = (  # of a pull request
    "This makes the sitemap list what the site has. Later runs keep it current, and close it when it is not needed any "
    "more. Checks of a pull request that `GITHUB_TOKEN` has opened wait for an approval.\n\n"
)

Steps: TypeAlias = tuple[Step, ...]
PageRows: TypeAlias = PageCollector | None  # None where no report shows every page


def run(config: Config, context: Context, reading: ConfigReader, observer: Observer) -> tuple[Outcome, Steps]:
    """The verdict, and the steps that carry it out.

    `reading`: how `config` was read, for the copy of its file that the target branch of a pull request has.
    """
    with inventory(config, context) as found:
        served = None if context.access.offline else production(config, context.access, found)
        seen = look(config, context, found, reading, observer, production=served)
        first_seen = found.first_seen()
        secret = context.access.mask
        for mask in (NO_MASK, secret):  # few runs need the second pass, and none pays for it on every URL
            outcome, grace = _decide(config, context, found, replace(seen, mask=mask), first_seen)
            if not (secret and any(secret.hides_in(file.content) for file in outcome.files)):
                break
        found.store_first_seen(grace.first_seen)
        found.store_contents(context.now.date())
    if seen.superseded:
        outcome = replace(outcome, changed=False, blocked=Cause(CauseKind.SUPERSEDED, seen.superseded))
    shown = secret.value(outcome)
    return shown, plan(outcome, context.mode, seen.shards, _publication(outcome, shown, context, seen))


def _publication(outcome: Outcome, shown: Outcome, context: Context, seen: LookResult) -> Publication | None:
    """None where nothing is published, or another run has published what is newer. `shown`: without secrets."""
    if seen.tip is None or seen.superseded:
        return None
    return Publication(
        publishing=context.publishing,
        expected=seen.tip.commit,
        changes=seen.tip.changes(outcome.files, {**seen.digests, **seen.copies}, seen.branch_shards),
        source=seen.tip.source,
        body=f"{_INTRODUCTION}{render('markdown', shown)}" if context.mode is Mode.PULL_REQUEST else "",
    )


def _decide(
    config: Config, context: Context, site: Site, seen: LookResult, first_seen: dict[str, date] | None
) -> tuple[Outcome, Grace]:
    """Once more with the committed extensions repaired, where the sitemap would be invalid without that (R-09)."""
    for repair in (True,) if _has_errors(_adjusted(config, seen.committed.findings)) else (False, True):
        grace = Grace(config.policy.grace, first_seen, context.now.date())
        table = _page_collector(config, context, site, seen)
        evidence = _evidence(config, context, site, seen, grace=grace, rows=table, repair=repair)
        if not _has_errors(evidence.generated):
            break
    fail_on = config.policy.failing(writing=context.mode.writes)
    outcome = judge(evidence, fail_on, config.crawl.allow_undetermined, writing=context.mode.writes)
    return (replace(outcome, pages=table.table(evidence.diff)) if table is not None else outcome), grace


def _evidence(  # noqa: PLR0913 - what was looked at, and how it is decided
    config: Config, context: Context, site: Site, seen: LookResult, *, grace: Grace, rows: PageRows, repair: bool
) -> Evidence:
    """One pass over every known URL; nothing here reads files, git, the web or the clock."""
    host = _host_policy(config, site, seen)
    selection = replace(_selection(config, context, site, seen, host), repair=repair)
    selector = Selector(site, selection)
    comparison = _comparison(config, context, seen)
    guards = GuardCounter(config.policy, config.select.agents)
    options = _site_options(config, context, seen, host, selection)
    checks = SitePass(replace(options, remembers=grace.before is not None or seen.fingerprints))
    generator = _generator(config, seen)
    for row, verdict in with_extensions(selection, seen.mask, partial(_verdicts, site, selector, seen)):
        if rows is not None:
            rows.add(row, verdict)
        comparison.add(row, verdict)
        guards.on_url(row, verdict)
        checks.on_url(row, verdict)
        generator.on_url(row, verdict)
    files = generator.finish()
    diff = grace.apply(comparison.diff())
    run = _run_info(seen, selection, diff)
    start_blocked = "" if diff.listed else selector.blocked(seen.run.site_url, "the start page")
    written, of_site = _generated(config, context, seen, files), checks.findings(diff)
    accepted = accepted_notes((*(written if context.mode.writes else seen.committed.findings), *of_site))
    return Evidence(
        run=replace(run, start_blocked=start_blocked, notes=(*run.notes, *accepted)),
        diff=diff,
        guards=() if run.no_pages and not start_blocked else _tripped(guards, diff, seen),
        committed=_adjusted(config, seen.committed.findings),
        generated=_adjusted(config, written),
        site=grace.findings(_adjusted(config, of_site)),
        not_checked=(*seen.committed.not_checked, *checks.not_checked(), *grace.not_checked()),
        files=files,
        debt=seen.debt,
        lacking=_lacking(files, seen),
    )


def _comparison(config: Config, context: Context, seen: LookResult) -> Comparison:
    obeys = seen.run.kind == "url" and seen.robots is not None and config.crawl.robots != "ignore"
    return Comparison(
        ExpectedRemovals(config.policy.expected_removals, context.now.date()),
        seen.run.site_url,
        seen.places,
        seen.committed.paths,
        same=seen.run.same_baseline,
        obeyed=parse(seen.robots or b"", Profile.RFC) if obeys else None,
    )


def _page_collector(config: Config, context: Context, site: Site, seen: LookResult) -> PageRows:
    if not context.page_table:
        return None
    robots = None if seen.robots is None else parse(seen.robots, Profile.GOOGLE)
    return PageCollector(
        site,
        seen.run.site_url,
        Redirects(site, config.select, robots),
        clicks=seen.run.kind == "url",
        first_run=seen.run.first_run,
        keep_all=context.all_pages,
    )


def _verdicts(site: Site, selector: Selector, seen: LookResult) -> Iterator[tuple[KnownUrl, Verdict]]:
    for row in join_urls(site, same=seen.run.same_baseline):
        if seen.mask.hides(row.page.url):
            yield row, Absent(row.page, Reason.EXCLUDED, SECRET_URL)
        else:
            yield row, selector.verdict(*row)


def _generator(config: Config, seen: LookResult) -> SitemapGenerator:
    digests = seen.digests
    known = CommittedSitemap(seen.committed_files, lambda path, content: digests.get(path) == digest(content))
    return SitemapGenerator(config.output, seen.run.sitemap, seen.sitemap_url, known)


def _tripped(guards: GuardCounter, diff: Diff, seen: LookResult) -> tuple[TrippedGuard, ...]:
    return guards.tripped(diff, first_run=seen.run.no_baseline, served=seen.run.kind == "url")


def _run_info(seen: LookResult, selection: SelectPolicy, diff: Diff) -> RunInfo:
    """With what only the comparison, or all pages together, have shown."""
    run, same = seen.run, selection.error_documents.everywhere
    failing = [Cause(CauseKind.INCOMPLETE, one) for one in failing_site(diff)]
    reasons = [Cause(CauseKind.SAME_ANSWER, same)] if same else failing
    if not reasons:
        return run
    nothing_known = bool(same) and diff.listed == diff.unverified
    return replace(run, incomplete=(*reasons, *run.incomplete), no_pages=run.no_pages or nothing_known)


def _host_policy(config: Config, site: Site, seen: LookResult) -> HostPolicy:
    """Of a preview; directives of the host only where the config leaves noindex to `auto` (ENV-03)."""
    run, agents = seen.run, config.select.agents
    start = landing_page(site, run.site_url)
    if start is None or run.kind != "url" or origin(run.location) == origin(run.site_url):
        return HostPolicy()
    if seen.public and indexable(start, agents):
        return HostPolicy(exposed=run.location)
    if config.select.noindex is not Noindex.AUTO:
        return HostPolicy()
    return find_host_policy(site.pages(), start, seen.probes, agents)


def select_policy(config: Config, context: Context, site: Site, seen: LookResult) -> SelectPolicy:
    """What decides about each URL."""
    return _selection(config, context, site, seen, _host_policy(config, site, seen))


def _selection(config: Config, context: Context, site: Site, seen: LookResult, host: HostPolicy) -> SelectPolicy:
    robots = None if seen.robots is None else parse(seen.robots, Profile.GOOGLE)
    return SelectPolicy(
        site_url=seen.run.site_url,
        select=config.select,
        output=config.output,
        robots=robots,
        now=context.now,
        error_documents=error_documents(site, seen.run.site_url, seen.probes),
        host_directives=host.directives,
        repeated=seen.repeated,
        dates=seen.dates,
        listed=listed_urls(site) if config.select.trailing_slash is TrailingSlash.KEEP else frozenset(),
    )


def _site_options(
    config: Config, context: Context, seen: LookResult, host: HostPolicy, selection: SelectPolicy
) -> SiteOptions:
    fallbacks = (page.url for page in seen.probes if page.kind is PageKind.PAGE)
    hosting = seen.hosting is not None and (seen.hosting.fallback or seen.hosting.partial)  # the same, as HOST-09
    told = selection.error_documents.everywhere or hosting
    return SiteOptions(
        site_url=seen.run.site_url,
        robots=selection.robots,
        agents=config.select.agents,
        site_url_given=seen.site_url_given,
        policy=seen.run.policy,
        base_robots=None if seen.base_robots is None else parse(seen.base_robots, Profile.GOOGLE),
        redirect_required=config.policy.redirect_required,
        fail_on=config.policy.failing(writing=context.mode.writes),
        writing=context.mode.writes,
        repair=selection.repair,
        index=any(file.kind is DocumentKind.INDEX for file in seen.committed.files),
        broken=seen.broken,
        shipped=seen.shipped,
        exposed=host.exposed,
        host_policy=host.note,
        host_directives=host.directives,
        noindex_counts=config.select.noindex is not Noindex.IGNORE,
        fallback="" if told else next(fallbacks, ""),
        repeated=seen.repeated,
        hosting=seen.hosting,
        pings=seen.pings,
        today=context.now.date(),
        corners=Corners(config.checks.severities, context.now.date()),
    )


def _generated(
    config: Config, context: Context, seen: LookResult, files: tuple[SitemapFile, ...]
) -> tuple[Finding, ...]:
    """Findings of the rules over the files that would be written: each format is a set of its own (R-03)."""
    sets: dict[str, list[SitemapFile]] = {}
    for file in files:
        if file.format != "json" and not file.copy:
            sets.setdefault(file.format, []).append(file)
    options = file_options(config, context.now)
    directory = seen.sitemap_url.rpartition("/")[0]
    return tuple(finding for one in sets.values() for finding in _findings_on(one, seen, options, directory))


def _findings_on(
    files: Sequence[SitemapFile], seen: LookResult, options: FileOptions, directory: str
) -> tuple[Finding, ...]:
    """Of one set, whose index is the last; those of the committed files where they are equal."""
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


def _adjusted(config: Config, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    return adjust_severities(findings, config.checks.severities, strict=config.checks.strict)


def _has_errors(findings: Iterable[Finding]) -> bool:
    return any(finding.severity is Severity.ERROR for finding in findings)
