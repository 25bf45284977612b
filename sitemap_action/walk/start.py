"""First requests to a site: robots.txt and the start page, and why a site cannot be read (ENV-04, ENV-05).

Before them a run may wait for the marker of a new build: a forge reports success before it is served.
"""

import time
from collections.abc import Awaitable, Callable, Sequence
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.config.schema import Config, Noindex, RobotsUnreachable
from sitemap_action.errors import UnreachableError
from sitemap_action.fetch.base import (
    AGENT,
    HOST_FAILURES,
    PRODUCTION_RATE,
    TOKEN,
    Answer,
    Failure,
    Fetcher,
    HttpOptions,
    PendingAnswer,
    Request,
    RequestKind,
    Response,
    Skip,
    remedy,
)
from sitemap_action.fetch.page_from_answer import is_login_page, page_of, start_page_blocker
from sitemap_action.fetch.policies import MAX_DELAY, MAX_HOPS, find_redirect
from sitemap_action.html import directives
from sitemap_action.model.mask import Access
from sitemap_action.model.page import Directive, Page, PageKind
from sitemap_action.model.wording import option
from sitemap_action.robots.groups import Profile, Robots, parse
from sitemap_action.walk.declared import Declared, discover
from sitemap_action.walk.frontier import UrlFilter
from sitemap_action.web import urls
from sitemap_action.web.address_gate import address_kind
from sitemap_action.web.headers import content_type
from sitemap_action.web.media import HTML_TYPES
from sitemap_action.web.redirect_walk import RedirectWalk
from sitemap_action.web.spellings import SiteMapping, is_loopback

_PREVIEW_RATE = 50.0  # requests a second (NET-04)
_POLICY = "treated as policy of its host (ENV-04)"


def http_options(config: Config, access: Access, start: str, *, preview: bool) -> HttpOptions:
    """`start`: the URL of the start page, or ""; its origin alone receives the secrets of `access`."""
    crawl, http = config.crawl, config.http
    return HttpOptions(
        seed=urls.origin(start) if start else "",
        access=access,
        user_agent=http.user_agent or AGENT,
        accept_language=http.accept_language,
        concurrency=http.concurrency,
        rate=http.requests_per_second or _default_rate(start, preview=preview),
        timeout=http.timeout,
        max_body=crawl.max_body,
        max_sitemap=config.sitemaps.max_bytes,
        max_inflated=config.sitemaps.max_inflated,
        retries=http.retries,
        backoff=http.backoff,
        retry_after_max=http.retry_after_max,
        wanted=HTML_TYPES,
    )


def _default_rate(start: str, *, preview: bool) -> float | None:
    if is_loopback(start):
        return None
    return _PREVIEW_RATE if preview else PRODUCTION_RATE


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


async def request_start(  # noqa: PLR0913 - the site, and what is known of it
    fetcher: Fetcher,
    config: Config,
    start: str,
    mapping: SiteMapping,
    *,
    preview: bool,
    robots: bytes | None,
    asks_page: bool = True,
    declared: Declared | None = None,
) -> StartResult:
    """`start`: where the site is served; `preview`: elsewhere than its pages are listed with.

    `robots`: of the repository (`crawl.robots`). `asks_page`: of shards the first does. `declared`: read before.
    """
    ignored, of_site = config.crawl.robots == "ignore", config.crawl.robots in ("auto", "ignore")
    declared = declared or await discover(fetcher, start, config.sitemaps.paths)
    why = hint = ""
    if of_site and declared.unreachable and config.crawl.robots_unreachable is not RobotsUnreachable.ALLOW:
        why, hint = _unreachable(start, declared)
        if not ignored:
            return _not_requested(start, declared, why, hint)
    incomplete = (f"{why}; {hint}",) if why else ()  # it is crawled, and may be blocked for search engines
    robots = declared.robots if of_site else robots
    notes = []
    if of_site and preview and config.select.noindex is not Noindex.RESPECT and blocks_every_crawler(robots, start):
        notes.append(f"{declared.robots_url} blocks every crawler on this preview; {_POLICY}")
        robots = None
    obeyed = None if robots is None or ignored else parse(robots, Profile.RFC)
    if obeyed is not None and (found := obeyed.block((TOKEN,), start)):
        hint = f"add a group for {TOKEN} to it, or set crawl.robots: ignore for a site of your own (NET-02)"
        return _not_requested(start, declared, found.sentence(start), hint, robots)
    start_page: Answer = Skip(start, "the first shard asks for it", failure=Failure.REFUSED)
    start_page = await fetcher.fetch(Request(start)) if asks_page else start_page
    refused, hint = _refusal(start, mapping, start_page) if asks_page else ("", "")
    delay = (obeyed.crawl_delay(TOKEN) or 0.0) if obeyed is not None else 0.0
    if delay:
        notes.append(f"robots.txt requires {delay:g} seconds between requests (Crawl-delay)")
    start_result = StartResult(robots, obeyed, declared, start_page, refused=refused, hint=hint)
    return replace(start_result, delay=min(delay, MAX_DELAY), notes=tuple(notes), incomplete=incomplete)


def _unreachable(start: str, declared: Declared) -> tuple[str, str]:
    """(why robots.txt is not known, what to do): where nothing of its host answers, robots.txt is not to blame."""
    if declared.failure in HOST_FAILURES:
        return f"{start}: {declared.unreachable}", remedy(declared.failure)
    why = f"{declared.robots_url}: {declared.unreachable}; until it can be read, everything is disallowed"
    return why, "try again, or set crawl.robots-unreachable: allow"


def blocks_every_crawler(robots: bytes | None, url: str) -> bool:
    """Has `Disallow: /` for every crawler, as hosts of previews have it (ENV-04)."""
    verdict = parse(robots or b"", Profile.RFC).verdict("*", url)
    return not verdict.allowed and verdict.rule.replace(" ", "").lower() == "disallow:/"


def _not_requested(start: str, declared: Declared, why: str, hint: str, robots: bytes | None = None) -> StartResult:
    """The result when the start page may not be requested; `robots` may also block it for search engines."""
    skip = Skip(start, why, failure=Failure.REFUSED)
    return StartResult(robots=robots, obeyed=None, declared=declared, start_page=skip, refused=why, hint=hint)


def _refusal(start: str, mapping: SiteMapping, answer: Answer) -> tuple[str, str]:
    """(why the start page cannot be read, what to do), both "" when it can."""
    if isinstance(answer, Skip):
        return f"{start}: {answer.reason}", remedy(answer.failure)
    elsewhere = _offsite_target(start, mapping, answer)
    why, hint = start_page_blocker(start, answer.status, answer.headers, elsewhere)
    if not why and answer.status != 200 and not answer.target:
        hint = f"correct source.url ({option('url')}), or wait until the site is deployed"
        return f"{start} answers {answer.status}", hint
    return why, hint


def _offsite_target(start: str, mapping: SiteMapping, answer: Response) -> str:
    """The redirect target of the start page, "" when it is another page of the site in either place (ENV-02)."""
    if not answer.target or urls.same_site(answer.target, answer.url):
        return ""
    on_site = mapping.to_site(answer.target)
    return "" if on_site != mapping.to_site(start) and on_site.startswith(mapping.site) else answer.target


async def login_wall(fetcher: Fetcher, url_filter: UrlFilter, start_page: Answer, probe: Page) -> str:
    """Why no page can be read, "" when pages can; `probe` is the answer for an address that does not exist."""
    if isinstance(start_page, Skip):
        return ""
    if not start_page.target:
        everywhere = probe.status == 200 and _is_login(start_page)
        return "requires a password, and a URL that does not exist also answers 200" if everywhere else ""
    target = url_filter.mapping.to_site(start_page.target)
    if _without_query(target) != _without_query(probe.target) or url_filter.blocks(target, required=True) is not None:
        return ""
    if not _is_login(await fetcher.fetch(Request(start_page.target))):
        return ""
    return f"redirects to {start_page.target}, which requires a password, and so does a URL that does not exist"


def _is_login(answer: Answer) -> bool:
    return isinstance(answer, Response) and is_login_page(content_type(answer.headers)[0], answer.body)


def _without_query(url: str) -> str:
    """The query of a login URL holds the address to return to."""
    return url.partition("?")[0]


async def start_documents(fetcher: Fetcher, start: Answer, mapping: SiteMapping) -> dict[str, Answer]:
    """The start page and the pages that it redirects to on the site, by their URLs where they are served."""
    answers = {start.url: start}
    walk = RedirectWalk(start, find_redirect, MAX_HOPS)
    for redirect in walk:
        url = mapping.to_served(mapping.to_site(redirect.target))
        if mapping.to_site(url).startswith(mapping.site):
            walk.found = answers[url] = answers.get(url) or await fetcher.fetch(Request(url))
    return answers


def preview_directives(start: Answer, probe: Page | None, agents: Sequence[str]) -> frozenset[Directive]:
    """Directives beside the noindex of the start page, unless a random path answers 200 without them.

    They do not stop a crawl. Whether they count is decided when all pages are known.
    """
    page, _ = page_of(start)
    found = directives.beside_noindex(() if page.facts is None else page.facts.head.directives, agents)
    if probe is not None and probe.kind is PageKind.PAGE and probe.facts is not None:
        found &= frozenset(probe.facts.head.directives)
    return found


class PrefetchedStart:
    """Returns the answer that the start page already has for the first request, and fetches everything else."""

    def __init__(self, fetcher: Fetcher, answers: dict[str, Answer]) -> None:
        self._fetcher = fetcher
        self._answers = answers

    def fetch(self, request: Request) -> PendingAnswer:
        return self._return(request.url) if request.url in self._answers else self._fetcher.fetch(request)

    async def _return(self, url: str) -> Answer:
        return self._answers.pop(url)


async def wait_for_build(fetcher: Fetcher, config: Config) -> tuple[str, ...]:
    """Wait for the marker, when one is configured; returns notes."""
    crawl = config.crawl
    if not crawl.wait_for:
        return ()
    url = urls.origin(config.source.url) + crawl.wait_path
    timeout = TIMEOUT if crawl.wait_timeout is None else crawl.wait_timeout
    seconds = await wait_for_marker(fetcher, url, crawl.wait_for, timeout)
    return (f"{url} serves {crawl.wait_for!r} after {seconds:.0f} seconds",)


TIMEOUT = 600.0  # seconds, where crawl.wait-timeout says nothing
_HITS = 2  # consecutive ones: one of several servers is not all of them
_PAUSE = 5.0  # seconds between two requests
_SHORT_PAUSE = 1.0  # after a hit


async def wait_for_marker(  # noqa: PLR0913 - what to wait for, and by which clock
    fetcher: Fetcher,
    url: str,
    text: str,
    timeout: float,  # noqa: ASYNC109 - seconds by the clock that is passed in
    *,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], Awaitable[None]] | None = None,
) -> float:
    """Seconds that it took until `url` had the text. Raises UnreachableError: the old site must not be checked."""
    import asyncio  # noqa: PLC0415 - a run of files loads none

    sleep = sleep or asyncio.sleep
    began, hits, answer = clock(), 0, None
    marker = text.encode()
    for attempt in range(1_000_000):
        # A cache may hold the old page; no other request has a made-up query.
        query = "&" if "?" in url else "?"
        answer = await fetcher.fetch(Request(f"{url}{query}sitemap-action={attempt}", RequestKind.WAIT))
        hits = hits + 1 if isinstance(answer, Response) and marker in answer.body else 0
        if hits >= _HITS:
            break
        pause = _SHORT_PAUSE if hits else _PAUSE
        remaining = timeout - (clock() - began)
        if remaining <= 0:
            raise UnreachableError(
                f"{url} does not serve {text!r} after {clock() - began:.0f} seconds: {_state(answer)}",
                hint="check that the deployment is done and that only the new build has the text (crawl.wait)",
            )
        await sleep(min(pause, remaining))
    return clock() - began


def _state(answer: Answer) -> str:
    return f"it answers {answer.status}" if isinstance(answer, Response) else answer.reason


async def is_public(url: str) -> bool:
    """Whether every address of the URL's host is a public one; False where the name cannot be resolved."""
    host = urlsplit(url).hostname
    try:
        import asyncio  # noqa: PLC0415 - as above

        found = await asyncio.get_running_loop().getaddrinfo(host, None)
    except (OSError, UnicodeError):  # a name that is not one
        return False
    return bool(found) and not any(address_kind(str(address)) for *_, (address, *_) in found)
