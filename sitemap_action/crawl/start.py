"""First requests to a site: robots.txt and the start page, and why a site cannot be read (ENV-04, ENV-05)."""

from collections.abc import Sequence
from enum import Enum, auto

from msgspec import Struct

from sitemap_action.fetch.base import HOST_FAILURES, Answer, Failure, Fetcher, Request, Response, Skip, remedy
from sitemap_action.fetch.options import TOKEN
from sitemap_action.loader.discover import Declared, discover
from sitemap_action.model.wording import option
from sitemap_action.robots.groups import Profile, Robots, parse
from sitemap_action.web import blockers, urls
from sitemap_action.web.site_mapping import SiteMapping

_MAX_DELAY = 10.0  # seconds between two requests; a longer Crawl-delay would stall the run (NET-08)


class RulesSource(Enum):
    """Which robots.txt a crawl obeys; that of the site, or of the file, decides what may be listed in any case."""

    SITE = auto()
    FILE = auto()  # of the repository
    NONE = auto()  # the verdict reads that of the site


class StartOptions(Struct, frozen=True):
    """Where the crawl starts, and which rules it obeys."""

    start: str  # where the site is served
    preview: bool  # the site is served at another place than its pages are listed with
    rules: RulesSource
    mapping: SiteMapping
    robots: bytes | None  # the robots.txt of `RulesSource.FILE`
    unreachable_allows: bool
    paths: Sequence[str]  # conventional paths of sitemaps
    asks_page: bool = True  # False for a shard: the first one asks for the start page
    host_policy: bool = (
        True  # a preview that blocks every crawler does so by policy of its host (`select.noindex: auto`)
    )


class StartResult(Struct, frozen=True):
    """What the first requests returned."""

    robots: bytes | None  # decides what may be listed
    obeyed: Robots | None  # by the crawl
    declared: Declared
    start_page: Answer
    delay: float = 0.0  # seconds between two requests
    refused: str = ""  # why no page can be read
    hint: str = ""
    notes: tuple[str, ...] = ()
    incomplete: tuple[str, ...] = ()  # reasons why no verdict is complete

    @property
    def blocked_by_robots(self) -> bool:
        """Whether the start page was not requested because robots.txt blocks it."""
        return (
            self.robots is not None and isinstance(self.start_page, Skip) and self.start_page.failure is Failure.REFUSED
        )


async def request_start(fetcher: Fetcher, options: StartOptions) -> StartResult:
    declared = await discover(fetcher, options.start, options.paths)
    robots = options.robots if options.rules is RulesSource.FILE else declared.robots
    notes, incomplete = [], []
    if options.rules is not RulesSource.FILE and declared.unreachable and not options.unreachable_allows:
        why, hint = _unreachable(options, declared)
        if options.rules is RulesSource.SITE:
            return _not_requested(options, declared, why, hint)
        incomplete.append(f"{why}; {hint}")  # it is crawled, and may be blocked for search engines
    elif _is_policy_of_host(options, robots):
        notes.append(
            f"{declared.robots_url} blocks every crawler on this preview; treated as policy of its host (ENV-04)"
        )
        robots = None
    obeyed = None if robots is None or options.rules is RulesSource.NONE else parse(robots, Profile.RFC)
    if obeyed is not None and (found := obeyed.block((TOKEN,), options.start)):
        why = found.sentence(options.start)
        hint = f"add a group for {TOKEN} to it, or set crawl.robots: ignore for a site of your own (NET-02)"
        return _not_requested(options, declared, why, hint, robots)
    start_page, refused, hint = await _start_page(fetcher, options)
    delay = (obeyed.crawl_delay(TOKEN) or 0.0) if obeyed is not None else 0.0
    if delay:
        notes.append(f"robots.txt requires {delay:g} seconds between requests (Crawl-delay)")
    return StartResult(
        robots=robots,
        obeyed=obeyed,
        declared=declared,
        start_page=start_page,
        delay=min(delay, _MAX_DELAY),
        refused=refused,
        hint=hint,
        notes=tuple(notes),
        incomplete=tuple(incomplete),
    )


async def _start_page(fetcher: Fetcher, options: StartOptions) -> tuple[Answer, str, str]:
    """(answer, why the start page cannot be read, what to do)."""
    if not options.asks_page:
        return Skip(options.start, "the first shard asks for it", failure=Failure.REFUSED), "", ""
    answer = await fetcher.fetch(Request(options.start))
    return answer, *_refusal(options, answer)


def _unreachable(options: StartOptions, declared: Declared) -> tuple[str, str]:
    """(why robots.txt is not known, what to do): where nothing of its host answers, robots.txt is not to blame."""
    if declared.failure in HOST_FAILURES:
        return f"{options.start}: {declared.unreachable}", remedy(declared.failure)
    why = f"{declared.robots_url}: {declared.unreachable}; until it can be read, everything is disallowed"
    return why, "try again, or set crawl.robots-unreachable: allow"


def _is_policy_of_host(options: StartOptions, robots: bytes | None) -> bool:
    """ENV-04: whether a preview blocks every crawler, as hosts do."""
    if robots is None or options.rules is RulesSource.FILE:
        return False
    return options.preview and options.host_policy and _blocks_all(robots, options.start)


def _blocks_all(robots: bytes, url: str) -> bool:
    """Has `Disallow: /` for every crawler."""
    verdict = parse(robots, Profile.RFC).verdict("*", url)
    return not verdict.allowed and verdict.rule.replace(" ", "").lower() == "disallow:/"


def _not_requested(
    options: StartOptions, declared: Declared, why: str, hint: str, robots: bytes | None = None
) -> StartResult:
    """The result when the start page may not be requested; `robots` may also block it for search engines."""
    skip = Skip(options.start, why, failure=Failure.REFUSED)
    return StartResult(robots=robots, obeyed=None, declared=declared, start_page=skip, refused=why, hint=hint)


def _refusal(options: StartOptions, answer: Answer) -> tuple[str, str]:
    """(why the start page cannot be read, what to do), both "" when it can."""
    if isinstance(answer, Skip):
        return f"{options.start}: {answer.reason}", remedy(answer.failure)
    if wall := blockers.start_page_blocker(
        options.start, answer.status, answer.headers, _offsite_target(options, answer)
    ):
        return wall.reason, wall.hint
    if answer.status != 200 and not answer.target:
        hint = f"correct source.url ({option('url')}), or wait until the site is deployed"
        return f"{options.start} answers {answer.status}", hint
    return "", ""


def _offsite_target(options: StartOptions, answer: Response) -> str:
    """The redirect target of the start page, "" when it is another page of the site in either place (ENV-02)."""
    if not answer.target or urls.same_site(answer.target, answer.url):
        return ""
    on_site = options.mapping.to_site(answer.target)
    other_page = on_site != options.mapping.to_site(options.start)
    return "" if other_page and on_site.startswith(options.mapping.site) else answer.target
