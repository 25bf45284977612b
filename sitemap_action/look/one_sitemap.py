"""One sitemap as a search engine would fetch it: redirects, robots.txt, what names it, and what the document is."""

from collections.abc import Iterator
from datetime import datetime

from msgspec.structs import replace

from sitemap_action.checks.all import check_set
from sitemap_action.checks.base import FileOptions
from sitemap_action.fetch.base import (
    TOKEN,
    Failure,
    Fetcher,
    Request,
    RequestKind,
    Response,
    RobotsAnswer,
    Skip,
    fetch_robots,
    remedy,
)
from sitemap_action.fetch.page_from_answer import is_login_page, start_page_blocker
from sitemap_action.fetch.policies import Web, follow_redirects
from sitemap_action.model.answers import AnsweredHop, SitemapAnswer, SitemapContent
from sitemap_action.model.finding import Finding, Place, Severity
from sitemap_action.model.sitemap import ChildSitemap, DocumentStart, Fault, SitemapDocument
from sitemap_action.robots.groups import Profile, RobotsStatus, parse
from sitemap_action.sitemap.decode import inflate
from sitemap_action.sitemap.faults import FATAL, StopReading
from sitemap_action.sitemap.protocol import USUAL_PATHS
from sitemap_action.sitemap.read import read
from sitemap_action.walk.declared import AGENTS
from sitemap_action.web.headers import content_type
from sitemap_action.web.urls import normal_form, origin, resolve


def sitemap_content(
    name: str, content: bytes, now: datetime, *, address: str = "", named: bool = True
) -> SitemapContent:
    """`address`: its URL; `named`: the suffix of the name must fit (no Content-Encoding was decoded)."""
    start = next(read(content))
    assert isinstance(start, DocumentStart)  # noqa: S101 - the first event of every document
    result = check_set([SitemapDocument(name, content, address, named)], FileOptions(now, named=True))
    errors = [one for one in result.findings if one.severity is Severity.ERROR]
    warnings = [one for one in result.findings if one.severity is Severity.WARNING]
    (file,) = result.files
    return SitemapContent(
        kind=start.kind,
        entries=file.entries + file.children,
        encoding=start.encoding,
        compressed=start.compressed,
        bytes=len(content),
        inflated=_inflated_size(content),
        damage="" if file.complete else _damage(content),
        errors=len(errors),
        warnings=len(warnings),
        first=_first(errors or warnings),
    )


def _inflated_size(content: bytes) -> int:
    size = 0
    try:
        for chunk in inflate(content, lambda _fault: None)[0]:
            size += len(chunk)
    except StopReading:
        pass
    return size


def _damage(content: bytes) -> str:
    fault = next((one for one in read(content) if isinstance(one, Fault) and one.fatal), None)
    if fault is None:
        return "it cannot be read to its end"
    where = f"line {fault.line}: " if fault.line else ""
    return f"{where}{FATAL.get(fault.code, fault.code)}{f': {fault.detail}' if fault.detail else ''}"


def _first(findings: list[Finding]) -> str:
    if not findings:
        return ""
    one = min(findings, key=lambda finding: (finding.line or 10**9, finding.rule.id))
    return f"{one.rule.id}{f', line {one.line}' if one.line else ''}: {one.message}"


def named_by_robots(robots_url: str, body: bytes, address: str) -> tuple[Place, ...]:
    """Lines of a robots.txt that name a sitemap."""
    lines = parse(body, Profile.GOOGLE).sitemaps
    return tuple(Place(robots_url, line) for line, text in lines if resolve(robots_url, text) == address)


def named_by_index(name: str, content: bytes, address: str) -> tuple[Place, ...]:
    """The first line of an index that names a sitemap."""
    children = (
        one for one in read(content) if isinstance(one, ChildSitemap) and (normal_form(one.loc) or one.loc) == address
    )
    return tuple(Place(name, child.line) for child in [next(children, None)] if child is not None)


_MOST_INDEXES = 5  # that are asked whether they name it
_NOT_READ = ("what a firewall answers to Googlebot itself: the URL inspection of Search Console shows that",)
_NO_REDIRECT = "name the address that answers with the sitemap itself"


async def fetch_one_sitemap(web: Web, url: str, now: datetime, agents: tuple[str, ...] = AGENTS) -> SitemapAnswer:
    robots = await fetch_robots(web.fetcher, url)
    answer = _with_robots(SitemapAnswer(url, not_read=_NOT_READ), robots, agents)
    if robots.status is RobotsStatus.UNREACHABLE:
        why = f"{robots.url}: {robots.reason}; until it can be read, everything is disallowed"
        return replace(answer, failure=why, no_robots="")
    answer = replace(answer, named=named_by_robots(robots.url, robots.body, url))
    rules = parse(robots.body, Profile.RFC)
    if not (verdict := rules.verdict(TOKEN, url)).allowed:
        why = f"{robots.url}:{verdict.line} forbids this program to request it: {verdict.rule}"
        return replace(answer, failure=why, remedy=f"allow {TOKEN} in it, or give the file")
    last, redirects = await follow_redirects(web.single, Request(url, RequestKind.SITEMAP))
    answer = replace(answer, hops=tuple(AnsweredHop(one.url, one.status, one.target) for one in redirects))
    if isinstance(last, Skip):
        hint = _NO_REDIRECT if last.failure is Failure.REDIRECTS else remedy(last.failure)
        answer = replace(answer, failure=last.reason, remedy=hint)
    else:
        answer = _with_answer(answer, last, now)
    return answer if answer.named else replace(answer, named=await _named_by_indexes(web.fetcher, robots, url))


def _with_robots(answer: SitemapAnswer, robots: RobotsAnswer, agents: tuple[str, ...]) -> SitemapAnswer:
    if robots.status is not RobotsStatus.PARSE:
        return replace(answer, robots_name=robots.url, no_robots=f"{robots.url}: {robots.reason}")
    lines = parse(robots.body, Profile.GOOGLE).lines(agents, answer.address)
    return replace(answer, robots_name=robots.url, robots=tuple(lines))


def _with_answer(answer: SitemapAnswer, last: Response, now: datetime) -> SitemapAnswer:
    headers = dict(last.headers)
    media, _ = content_type(last.headers)
    elsewhere = last.url if origin(last.url) != origin(answer.address) and last.status != 200 else ""
    blocked, remedy = start_page_blocker(last.url, last.status, last.headers, elsewhere)
    coding, length = headers.get("content-encoding", ""), headers.get("content-length", "")
    answer = replace(
        answer,
        status=last.status,
        media_type=media,
        coding=coding[:40],
        transferred=int(length) if coding and length.isascii() and length.isdecimal() and len(length) < 16 else 0,
        failure=blocked or ("" if last.status == 200 else f"{last.url} answers {last.status}"),
        remedy=remedy,
    )
    if answer.failure:
        return answer
    found = sitemap_content(last.url, last.body, now, address=last.url, named=not coding)
    if is_login_page(media, last.body):
        return replace(answer, content=found, failure=f"{last.url} answers with a page that asks for a password")
    return replace(answer, content=found)


async def _named_by_indexes(fetcher: Fetcher, robots: RobotsAnswer, url: str) -> tuple[Place, ...]:
    """Where robots.txt does not name it: lines of the indexes that the site declares, or has at usual places."""
    named: list[Place] = []
    for address in list(dict.fromkeys(_indexes(robots, url)))[:_MOST_INDEXES]:
        answer = await fetcher.fetch(Request(address, RequestKind.SITEMAP))
        if isinstance(answer, Response) and answer.status == 200:
            named += named_by_index(address, answer.body, url)
    return tuple(named)


def _indexes(robots: RobotsAnswer, url: str) -> Iterator[str]:
    """RB-31: an address that the robots.txt disallows is not requested."""
    rules = parse(robots.body, Profile.RFC)
    declared = [resolve(robots.url, text) or "" for _, text in rules.sitemaps]
    for address in declared or [f"{origin(url)}{path}" for path in USUAL_PATHS]:
        own = address.startswith(f"{origin(url)}/")
        if address and address != url and (not own or rules.verdict(TOKEN, address).allowed):
            yield address
