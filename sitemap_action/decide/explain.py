"""Why one URL is, or is not, in the sitemap: its verdict with everything that decided, for `explain`."""

from collections.abc import Mapping, Sequence

from sitemap_action.decide.policy import SelectPolicy
from sitemap_action.decide.redirects import Redirects
from sitemap_action.decide.verdict import Selector
from sitemap_action.html.directives import canonical_targets
from sitemap_action.model.answers import AnsweredHop, SeenAround, UrlAnswer
from sitemap_action.model.finding import Place
from sitemap_action.model.page import Page, PageKind, RobotsLine
from sitemap_action.model.site import Absent, DeindexedBy, Reason, Role, Site, Verdict
from sitemap_action.model.sitemap import Entry
from sitemap_action.web.spellings import NearUrls
from sitemap_action.web.urls import is_host_of, origin

_REDIRECTING = 3  # pages that are named
_READ = frozenset({PageKind.PAGE, PageKind.FILE})


_ONE_QUERY = "a file of a build has many such URLs: one counts where a sitemap or a canonical names it"


def answer_url(  # noqa: PLR0913 - the page, what is around it, and the sitemaps
    site: Site, policy: SelectPolicy, page: Page, seen: SeenAround, *, names: Mapping[Role, str], files: Sequence[str]
) -> UrlAnswer:
    """`names`: of the compared sitemaps, without the baseline where that is the committed one.

    `files`: documents of the judged sitemap, by the number that an entry has.
    """
    entries = {role: next((one for key, one in site.entries(role) if key == page.url), None) for role in names}
    same = Role.BASELINE not in names
    committed = entries.get(Role.COMMITTED)
    baseline = entries.get(Role.BASELINE, committed)
    verdict = Selector(site, policy).verdict(page, committed, baseline)
    verdict = _query_verdict(site, page, verdict) if seen.file and not (committed or baseline) else verdict
    redirects = Redirects(site, policy.select, policy.robots)
    hops = tuple(AnsweredHop(one.page.url, one.page.status, one.target) for one in redirects.follow(page).hops)
    slip = page.kind in {PageKind.FOREIGN, PageKind.UNDETERMINED}  # of the pen, perhaps: what is near it is looked for
    searched = isinstance(verdict, Absent) and (slip or verdict.reason is Reason.GONE)
    near, redirecting = _others(site, redirects, page, searched=searched)
    return UrlAnswer(
        verdict=verdict,
        outside="" if page.url.startswith(policy.site_url) else _describe_outside(page, policy.site_url),
        place=_place(verdict, seen),
        found_on=seen.referrer or page.found_on or seen.file,
        links=page.inlinks if seen.links_known else None,
        seen=seen,
        hops=hops,
        last=(site.page(hops[-1].to) if hops else page) or Page("", PageKind.UNDETERMINED),
        robots=_robots_lines(policy, page.url),
        committed=_name_document(files, committed),
        baseline=_name_document(files, committed) if same else _in_baseline(names[Role.BASELINE], baseline),
        judged=names[Role.COMMITTED],
        compared=names.get(Role.BASELINE, ""),
        near=near,
        redirected_from=redirecting,
    )


def _describe_outside(page: Page, site_url: str) -> str:
    if page.target or is_host_of(page.url, site_url):
        return f"not below {site_url} (site-url)"
    return f"not of this site: its host is another than that of {site_url} (site-url)"


def _name_document(files: Sequence[str], entry: Entry | None) -> Place | None:
    return None if entry is None else Place(files[entry.file], entry.line)


def _in_baseline(name: str, entry: Entry | None) -> Place | None:
    """Its files are not known by their names: where it is an index, no line is shown."""
    return None if entry is None else Place(name, 0 if entry.file else entry.line)


def _place(verdict: Verdict, seen: SeenAround) -> str:
    line = 0
    if isinstance(verdict, Absent) and verdict.by is DeindexedBy.META:
        line = seen.directive_line
    elif isinstance(verdict, Absent) and verdict.by is DeindexedBy.CANONICAL:
        line = seen.canonical_line
    return f"line {line} of {seen.file or verdict.page.url}" if line else ""


def _robots_lines(policy: SelectPolicy, url: str) -> tuple[RobotsLine, ...]:
    if policy.robots is None or not url.startswith(f"{origin(policy.site_url)}/"):
        return ()
    return tuple(policy.robots.lines(policy.select.agents, url))


def _others(
    site: Site, redirects: Redirects, asked: Page, *, searched: bool
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(URLs that may have been meant, pages that redirect here): one pass over all that is known."""
    url, counterpart = asked.url, site.page(asked.target) if asked.kind is PageKind.FOREIGN else None
    near, redirecting = NearUrls(asked.target if asked.kind is PageKind.FOREIGN and asked.target else url), list[str]()
    for page in site.pages():
        if page.kind in _READ:
            if searched and not page.twin:
                near.add(page.url)
            if page.facts is None or page.facts.refresh is None:
                continue
        if (
            len(redirecting) < _REDIRECTING
            and page.url != url
            and (found := redirects.hop(page))
            and found.target == url
        ):
            redirecting.append(page.url)
    for role in Role if searched else ():
        for key, _ in site.entries(role):
            if site.page(key) is None:
                near.add(key)
    same = (counterpart.url,) if counterpart is not None and counterpart.kind in _READ else ()
    return (*same, *near.best())[:3], tuple(redirecting)


def _query_verdict(site: Site, page: Page, verdict: Verdict) -> Verdict:
    """The verdict on a file's address with a query: a run looks at it where a sitemap or a canonical names it."""
    if "?" not in page.url or isinstance(verdict, Absent):
        return verdict
    facts = (one.facts for one in site.pages())
    named = any(page.url in canonical_targets(one.head.canonicals) for one in facts if one is not None)
    return verdict if named else Absent(page, Reason.EXCLUDED, _ONE_QUERY)
