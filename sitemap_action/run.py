"""A whole run: look, decide, plan."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from functools import cached_property, partial
from pathlib import Path
from typing import TypeAlias

import msgspec
from msgspec.structs import replace

from sitemap_action.checks.all import SitePass, check_set
from sitemap_action.checks.base import SiteOptions, file_options
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
            outcome, grace = Decision(config, context, found, seen, mask).decide(first_seen)
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


class Decision:
    """The decision about a site that was looked at; nothing here reads files, git, the web or the clock."""

    def __init__(self, config: Config, context: Context, site: Site, seen: LookResult, mask: Mask = NO_MASK) -> None:
        """`mask`: of secrets; a URL that has one is not listed."""
        self._config, self._context, self._site, self._seen, self._mask = config, context, site, seen, mask
        self._today, self._writing = context.now.date(), context.mode.writes
        self._all_findings = Detail.FINDINGS in context.details
        self._source, self._hosting = seen.run.source, seen.run.source.hosting
        self._robots = None if seen.robots is None else parse(seen.robots, Profile.GOOGLE)
        self._host = self._host_policy()

    def decide(self, first_seen: dict[str, date] | None) -> tuple[Outcome, Grace]:
        """Decides once more without extensions that are not valid, where the sitemap would be invalid (R-09)."""
        config, seen = self._config, self._seen
        for repair in (True,) if _has_errors(self._adjust(seen.committed.findings)) else (False, True):
            grace = Grace(config.policy.grace, first_seen, self._today)
            table, rendered = self._page_collector(), RenderedRows() if self._source.rendering else None
            rows = [one for one in (rendered, table) if one is not None]
            evidence = self._evidence(replace(self.policy, repair=repair), grace, rows)
            if not _has_errors(evidence.generated):
                break
        if seen.run.judged == "served":
            evidence = replace(evidence, files=name_uploads(evidence.files))
        fail_on = config.policy.failing(writing=self._writing)
        outcome = judge(evidence, fail_on, config.crawl.allow_undetermined, writing=self._writing)
        if outcome.run.lacks(CauseKind.OTHER_BASE):
            details = ReportDetails(pages=None if table is None else PageTable(rows=(), total=0))
        else:
            shown = None if table is None else table.table(evidence.diff)
            details = ReportDetails(pages=shown, rendered=() if rendered is None else tuple(rendered.rows))
        return replace(outcome, details=details), grace

    @cached_property
    def policy(self) -> SelectPolicy:
        """What decides about each URL."""
        config, run = self._config, self._seen.run
        return SelectPolicy(
            site_url=run.site_url,
            select=config.select,
            output=config.output,
            robots=self._robots,
            now=self._context.now,
            error_documents=error_documents(self._site, run.site_url, self._source.probes),
            host_directives=self._host.directives,
            repeated=self._source.repeated,
            versions=config.select.versions(run.site_url),
            # Else the config says which spelling a page has.
            stated=() if config.select.asks_for_spelling else self._hosting.stated,
            dates=self._seen.dates,
            listed=listed_urls(self._site) if config.select.trailing_slash is TrailingSlash.KEEP else frozenset(),
        )

    def _evidence(self, policy: SelectPolicy, grace: Grace, rows: Sequence[PageCollector | RenderedRows]) -> Evidence:
        """One pass over every known URL."""
        config, seen = self._config, self._seen
        selector, comparison = Selector(self._site, policy), self._comparison()
        guards, generator = GuardCounter(config.policy, config.select.agents), self._generator()
        checks = SitePass(self._site_options(policy, remembers=grace.before is not None))
        counted = (comparison.add, guards.on_url, checks.on_url, generator.on_url, *(one.add for one in rows))
        for row, verdict in with_extensions(policy, self._mask, partial(self._verdicts, selector)):
            for count in counted:
                count(row, verdict)
        diff = grace.apply(self._drop_unproven(self._difference(comparison, selector)))
        files = (*(self._extend_ledger(diff) if self._writing else ()), *generator.finish())
        run, written = self._run_info(policy, selector, diff), self._check_generated(files)
        of_site = checks.findings(self._with_outlived(diff, run, written))
        notes = accepted_notes((*(written if self._writing else seen.committed.findings), *of_site))
        served, first_run = self._source.kind == "url", seen.run.baseline.missing
        nothing_seen = run.no_pages and not run.start_blocked
        return Evidence(
            run=replace(run, notes=(*run.notes, *notes)),
            diff=diff,
            guards=() if nothing_seen else guards.find_tripped(diff, first_run=first_run, served=served),
            committed=self._adjust(seen.committed.findings, generated=seen.run.judged == "built"),
            generated=self._adjust(written),
            site=grace.findings(self._adjust(of_site)),
            not_checked=(*seen.committed.not_checked, *checks.not_checked(), *grace.not_checked()),
            files=files,
            debt=seen.debt,
            lacking=self._lacking(files),
        )

    def _lacking(self, files: tuple[SitemapFile, ...]) -> tuple[str, ...]:
        """Files beside the judged sitemap that are missing or not up to date."""
        found = self._seen.copies
        return tuple(file.path for file in files if file.path in found and found[file.path] != digest(file.content))

    def _verdicts(self, selector: Selector) -> Iterator[tuple[KnownUrl, Verdict]]:
        for row in join_urls(self._site, same=self._seen.run.baseline.same):
            if not (row.committed is None and row.baseline is None and selector.is_inner_hop(row.page)):
                yield row, self._verdict(selector, row)

    def _verdict(self, selector: Selector, row: KnownUrl) -> Verdict:
        hidden = self._mask.hides(row.page.url)
        return Absent(row.page, Reason.EXCLUDED, SECRET_URL) if hidden else selector.verdict(*row)

    def _difference(self, comparison: Comparison, selector: Selector) -> Diff:
        """After the last row."""
        comparison.add_moved(
            partial(self._verdict, selector),
            lambda page: self._mask.hides(page.url) or selector.whatever_it_answers(page),
        )
        return comparison.diff()

    def _with_outlived(self, diff: Diff, run: RunInfo, written: Iterable[Finding]) -> Diff:
        """The difference with accepted lines that no row of it and no finding on a file is for, where all was seen."""
        known, lines, committed = diff.acknowledged, {*run.baseline.accepted.rows.values()}, self._seen.committed
        if not lines or run.incomplete or diff.undetermined:
            return diff
        lines -= {*(one.line for one in known.rows), *known.waiting}
        lines -= {one.acknowledged for one in (*committed.findings, *written) if one.acknowledged is not None}
        unknown = {row.rule for row in committed.not_checked}
        left = sorted((line for line in lines if line.name not in unknown), key=lambda one: one.line)
        return replace(diff, acknowledged=replace(known, outlived=tuple(left)))

    def _drop_unproven(self, diff: Diff) -> Diff:
        """Without pages that an unread part of the site's sitemap may list, and what an unknown host may redirect."""
        if self._seen.run.lacks(CauseKind.UNREAD_SITEMAP):
            diff = replace(diff, missing=())
        known = self._hosting.known
        return diff if known else replace(diff, ledger=replace(diff.ledger, dead=(), long_ways=()))

    def _extend_ledger(self, diff: Diff) -> Iterator[SitemapFile]:
        """The ledger with the listed pages that it lacks; nothing is removed."""
        ledger, start = self._seen.run.baseline.ledger, len(origin(self._seen.run.site_url))
        if diff.ledger.new:
            content = with_addresses(ledger.content, (LedgerLine(url[start:]) for url in diff.ledger.new))
            yield SitemapFile(ledger.path, content, 0, "ledger", copy=True)

    def _comparison(self) -> Comparison:
        config, seen, base = self._config, self._seen, self._seen.run.baseline
        obeys = self._source.kind == "url" and seen.robots is not None and config.crawl.robots != "ignore"
        removals = config.policy.expected_removals
        return Comparison(
            Acknowledgements(removals, self._today, base.accepted, repairs=self._writing),
            seen.run.site_url,
            self._hosting.places,
            seen.committed.paths,
            same=base.same,
            obeyed=parse(seen.robots or b"", Profile.RFC) if obeys else None,
            ledger=base.ledger,
            moved=self._hosting.moved,
        )

    def _page_collector(self) -> PageCollector | None:
        """None where no report shows every page."""
        if Detail.PAGES not in self._context.details:
            return None
        run = self._seen.run
        return PageCollector(
            self._site,
            run.site_url,
            Redirects(self._site, self._config.select, self._robots),
            clicks=self._source.kind == "url",
            first_run=run.first_run,
            keep_all=Detail.ALL_PAGES in self._context.details,
        )

    def _generator(self) -> SitemapGenerator:
        seen, digests = self._seen, self._seen.digests
        known = CommittedSitemap(
            seen.committed_files, lambda path, content: digests.get(path) == digest(content), seen.others, seen.shards
        )
        return SitemapGenerator(self._config.output, seen.run.sitemap, seen.sitemap_url, known, seen.copies)

    def _run_info(self, policy: SelectPolicy, selector: Selector, diff: Diff) -> RunInfo:
        """The run, with what only the comparison, or all pages together, have shown."""
        run, same = self._seen.run, policy.error_documents.everywhere
        start_blocked = "" if diff.listed else selector.find_block(run.site_url, "the start page")
        base = replace(run.baseline, ledger=NO_LEDGER)
        if base.unasked and not diff.removed:
            base = replace(base, description=base.unasked, alone=True)
        run = replace(run, start_blocked=start_blocked, baseline=base)
        failing = [Cause(CauseKind.UNKNOWN_HOST, one.sentence) for one in policy.stated if one.disagreement]
        failing += [Cause(CauseKind.INCOMPLETE, one) for one in failing_site(diff)]
        reasons = [Cause(CauseKind.SAME_ANSWER, same)] if same else failing
        if not reasons:
            return run
        nothing_known = bool(same) and diff.listed == diff.counts.unverified
        return replace(run, incomplete=(*reasons, *run.incomplete), no_pages=run.no_pages or nothing_known)

    def _host_policy(self) -> HostPolicy:
        """The policy of a preview host; its directives only where the config leaves noindex to `auto` (ENV-03)."""
        source, site_url, select = self._source, self._seen.run.site_url, self._config.select
        start = landing_page(self._site, site_url)
        if start is None or source.kind != "url" or origin(source.location) == origin(site_url):
            return HostPolicy()
        if source.public and indexable(start, select.agents):
            return HostPolicy(exposed=source.location)
        if select.noindex is not Noindex.AUTO:
            return HostPolicy()
        return find_host_policy(self._site.pages(), start, source.probes, select.agents)

    def _site_options(self, policy: SelectPolicy, *, remembers: bool) -> SiteOptions:
        """`remembers`: there is a state."""
        config, seen, hosting = self._config, self._seen, self._hosting
        fallbacks = (page.url for page in self._source.probes if page.kind is PageKind.PAGE)
        known = policy.error_documents.everywhere or hosting.fallback or hosting.partial  # as HOST-09
        return SiteOptions(
            config=config,
            run=seen.run,
            found=self._source,
            robots=self._robots,
            base_robots=None if seen.base_robots is None else parse(seen.base_robots, Profile.GOOGLE),
            site_url_given=seen.site_url_given,
            writing=self._writing,
            repair=policy.repair,
            index=any(file.kind is DocumentKind.INDEX for file in seen.committed.files),
            shipped=seen.shipped,
            host=self._host,
            fallback="" if known else next(fallbacks, ""),
            pings=seen.pings,
            today=self._today,
            remembers=remembers or bool(seen.copies.get(config.output.fingerprints)),
            corners=Corners(config.severities, self._today, seen.run.baseline.accepted, every=self._all_findings),
        )

    def _check_generated(self, files: tuple[SitemapFile, ...]) -> tuple[Finding, ...]:
        """Findings of the rules over the files that would be written: each format is a set of its own (R-03)."""
        sets: dict[str, list[SitemapFile]] = {}
        for file in files:
            if file.format != "json" and not file.copy:
                sets.setdefault(file.format, []).append(file)
        return tuple(finding for one in sets.values() for finding in self._check_files(one))

    def _check_files(self, files: Sequence[SitemapFile]) -> tuple[Finding, ...]:
        """The findings on one set, whose index is the last; those of the committed files where they are equal."""
        seen = self._seen
        if {file.path: digest(file.content) for file in files} == seen.digests:
            return seen.committed.findings
        accepted, directory = seen.run.baseline.accepted, seen.sitemap_url.rpartition("/")[0]
        loaded = (
            SitemapDocument(file.path, file.content, f"{directory}/{file.path.rpartition('/')[2]}")
            for file in (files[-1], *files[:-1])
        )
        options = file_options(self._config, self._context.now, accepted, every=self._all_findings)
        return check_set(loaded, options).findings

    def _adjust(self, findings: tuple[Finding, ...], *, generated: bool = False) -> tuple[Finding, ...]:
        config = self._config
        return adjust_severities(findings, config.severities, strict=config.strict, generated=generated)


def _has_errors(findings: Iterable[Finding]) -> bool:
    return any(finding.severity is Severity.ERROR for finding in findings)
