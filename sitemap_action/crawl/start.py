"""The first requests to a deployed site: robots.txt, the start page, and what stands in the way (ENV-04, ENV-05)."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from sitemap_action.fetch.base import Answer, Failure, Fetcher, Request, Response, Skip
from sitemap_action.fetch.options import TOKEN
from sitemap_action.loader.discover import Declared, discover
from sitemap_action.robots.groups import Profile, Robots, parse
from sitemap_action.web import blockers, urls
from sitemap_action.web.site_mapping import SiteMapping

_MAX_DELAY = 10.0  # seconds between two requests; a longer Crawl-delay would hang the run (NET-08)


class RulesSource(Enum):
    """Whose robots.txt a crawl obeys."""

    SITE = auto()
    FILE = auto()  # of the repository
    NONE = auto()


@dataclass(frozen=True, slots=True)
class StartOptions:
    """How to begin."""

    start: str  # where the site is served
    preview: bool  # that is not where its pages will live
    rules: RulesSource
    mapping: SiteMapping
    robots: bytes | None  # the rules, where the repository has them
    unreachable_allows: bool
    paths: Sequence[str]  # usual places of sitemaps
    host_policy: bool  # a preview that keeps everybody out is its host's doing (`select.noindex: auto`)


@dataclass(frozen=True, slots=True)
class StartResult:
    """What the first requests brought."""

    robots: bytes | None  # that decide what may be listed
    obeyed: Robots | None  # by the crawl
    declared: Declared
    first: Answer
    delay: float = 0.0  # seconds between two requests
    refused: str = ""  # why nothing can be seen
    hint: str = ""
    notes: tuple[str, ...] = ()


async def begin(fetcher: Fetcher, asked: StartOptions) -> StartResult:
    declared = await discover(fetcher, asked.start, asked.paths)
    robots, notes = declared.robots, []
    if asked.rules is not RulesSource.SITE:
        robots = asked.robots
    elif declared.unreachable and not asked.unreachable_allows:
        why = f"{declared.robots_url}: {declared.unreachable}; until it can be read it forbids everything"
        return _unasked(asked, declared, why, "try again, or set crawl.robots-unreachable: allow")
    elif asked.preview and asked.host_policy and robots is not None and _shuts_out(robots, asked.start):
        notes.append(f"{declared.robots_url} keeps everybody out of this preview; taken for its host's doing (ENV-04)")
        robots = None
    obeyed = None if robots is None or asked.rules is RulesSource.NONE else parse(robots, Profile.RFC)
    if obeyed is not None and not (verdict := obeyed.verdict(TOKEN, asked.start)).allowed:
        why = f"robots.txt line {verdict.line} keeps {TOKEN} out of {asked.start}: {verdict.rule}"
        hint = f"add a group for {TOKEN} to it, or set crawl.robots: ignore for a site of your own (NET-02)"
        return _unasked(asked, declared, why, hint)
    first = await fetcher.fetch(Request(asked.start))
    refused, hint = _refused(asked, first)
    delay = (obeyed.crawl_delay(TOKEN) or 0.0) if obeyed is not None else 0.0
    if delay:
        notes.append(f"robots.txt asks for {delay:g} seconds between requests (Crawl-delay)")
    return StartResult(robots, obeyed, declared, first, min(delay, _MAX_DELAY), refused, hint, tuple(notes))


def _shuts_out(robots: bytes, url: str) -> bool:
    """A blanket `Disallow: /` for everybody."""
    verdict = parse(robots, Profile.RFC).verdict("*", url)
    return not verdict.allowed and verdict.rule.replace(" ", "").lower() == "disallow:/"


def _unasked(asked: StartOptions, declared: Declared, why: str, hint: str) -> StartResult:
    """The start page may not be asked for."""
    first = Skip(asked.start, why, failure=Failure.REFUSED)
    return StartResult(None, None, declared, first, refused=why, hint=hint)


def _refused(asked: StartOptions, first: Answer) -> tuple[str, str]:
    """Why the start page cannot be seen, and what to do."""
    if isinstance(first, Skip):
        return f"{asked.start}: {first.reason}", "is the server up, and the address right?"
    if blocker := blockers.start_page_blocker(asked.start, first.status, first.headers, _elsewhere(asked, first)):
        return blocker.reason, blocker.hint
    if first.status != 200 and not first.target:
        return f"{asked.start} answers {first.status}", "correct source.url (--url), or wait until the site is deployed"
    return "", ""


def _elsewhere(asked: StartOptions, first: Response) -> str:
    """Where the start page redirects to, when that is no other page of the site in either place (ENV-02)."""
    if not first.target or urls.same_site(first.target, first.url):
        return ""
    on_site = asked.mapping.to_site(first.target)
    other_page = on_site != asked.mapping.to_site(asked.start)
    return "" if other_page and on_site.startswith(asked.mapping.site) else first.target
