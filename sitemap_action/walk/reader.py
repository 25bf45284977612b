"""Turns an answer into a visit: the page as it is on the site, its links and its targets; also of a 304."""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeAlias
from zlib import crc32

from msgspec import Struct

from sitemap_action.fetch.base import Answer, Response, Skip
from sitemap_action.fetch.page_from_answer import BlockedResources, pages_of, targets
from sitemap_action.html.document import ALL_OPTIONAL, HtmlDocument, OptionalFacts
from sitemap_action.html.links import Resolver
from sitemap_action.html.soft404 import stub_key
from sitemap_action.html.structured_data import LAST_MODIFIED, MAX_DATES, header_dates
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.page import DEFAULT_THRESHOLDS, Directive, Facts, Page, ShellThresholds
from sitemap_action.store.codec import Visit
from sitemap_action.store.frontier import QueuedUrl
from sitemap_action.web import urls
from sitemap_action.web.headers import Headers, header_values
from sitemap_action.web.patterns import Query
from sitemap_action.web.spellings import NO_RULES, SiteMapping, SpellingRules, count_links

_CACHE_SIZE = 30_000  # URLs
_SHELL_SHARE = 5  # percent of all pages
_MOST_ABSOLUTE, _LONGEST_ABSOLUTE = 8, 300  # links of a page with a host that are kept, and characters of one


class Scope(dict[str, str]):
    """URL as found → its URL on the site, "" for one outside the crawl; a cache, because most URLs are found often."""

    def __init__(self, mapping: SiteMapping, prefix: str, query: Query) -> None:
        super().__init__()
        self._mapping = mapping
        self._prefix = prefix
        self._query = query

    def __missing__(self, url: str) -> str:
        if len(self) >= _CACHE_SIZE:
            self.clear()
        on_site = self._mapping.to_site(url)
        in_scope = self._query.clean(on_site) if on_site.startswith(self._prefix) else ""
        self[url] = in_scope
        return in_scope

    def filter(self, urls: Iterable[str], page_url: str) -> tuple[str, ...]:
        """URLs of the crawl, each once, without that of the page itself."""
        inside = dict.fromkeys(map(self.__getitem__, urls))
        inside.pop("", None)
        inside.pop(page_url, None)
        return tuple(inside)


class FetchedUrl(NamedTuple):
    """A URL, its answer, and what the previous run stored for it."""

    queued: QueuedUrl
    answer: Answer
    previous: Visit | None
    asked: bool = True  # by this run, and not by one of its shards
    seen: bool = False  # a browser was asked

    @property
    def is_unchanged(self) -> bool:
        """Whether a conditional request was answered 304, or a shard has the answer."""
        return self.previous is not None and isinstance(self.answer, Response) and self.answer.status == 304


class FileRules(Protocol):
    """What a build says of a page beside its document."""

    def why_unlisted(self, page: Page, answer: Answer) -> str: ...

    def spellings(self, page: Page) -> Iterable[str]:
        """The spellings of its URL that the config asks for."""
        ...


ReadPages: TypeAlias = Callable[..., "list[tuple[Page, HtmlDocument | None]]"]  # as `pages_of`


class Reader(Struct, frozen=True):
    """Reads the answers of one site: a `files` of None is that of a served one."""

    mapping: SiteMapping
    scope: Scope
    follow_nofollow: bool = False
    resolver: Resolver | None = None
    host_directives: frozenset[Directive] = frozenset()  # of a preview host: no nofollow among them counts (ENV-03)
    optional_facts: Callable[[str], OptionalFacts] = lambda _: ALL_OPTIONAL  # of a URL
    blocked_resources: BlockedResources = BlockedResources()
    other_origins: tuple[str, ...] = ()  # of the site (URL-28)
    asked: SpellingRules = NO_RULES  # whose spellings of each page are requested too
    thresholds: ShellThresholds = DEFAULT_THRESHOLDS
    files: FileRules | None = None
    read_pages: ReadPages = pages_of

    def visits(self, depth: int, fetched: Sequence[FetchedUrl]) -> list[Visit]:
        """The visits of these URLs, in their order."""
        changed = [one for one in fetched if not one.is_unchanged]
        answers = [(one.queued, one.answer, self.optional_facts(one.queued.url)) for one in changed]
        read = iter(self.read(depth, answers))
        return [self._reuse(one, depth) if one.is_unchanged else next(read) for one in fetched]

    def read(self, depth: int, answers: Sequence[tuple[QueuedUrl, Answer, OptionalFacts]]) -> list[Visit]:
        """The visits of these answers, in their order; they depend on nothing else."""
        same_paths = self.mapping.same_paths
        read = self.read_pages(
            [(answer, queued.url if same_paths else answer.url, optional) for queued, answer, optional in answers],
            self.resolver,
            host_directives=self.host_directives,
            thresholds=self.thresholds,
        )
        return [
            self._visit(queued, answer, depth, *found) for (queued, answer, _), found in zip(answers, read, strict=True)
        ]

    def _visit(self, queued: QueuedUrl, answer: Answer, depth: int, page: Page, document: HtmlDocument | None) -> Visit:
        url = queued.url
        page = page._replace(
            url=url,
            target=page.target and self._redirect_target(page.target, url),
            depth=depth,
            found_on=queued.referrer,
            facts=self._facts(page, document, url),
        )
        if self.files is not None and (why := self.files.why_unlisted(page, answer)):
            page = page._replace(unlisted=why)
        if page.target:
            return Visit(queued.id, page, targets=self.scope.filter([page.target], url))
        if document is None or page.facts is None or isinstance(answer, Skip):
            return Visit(queued.id, page)
        links: Iterable[str] = document.links
        if document.nofollow and not self.follow_nofollow:
            links = [link for link in links if link not in document.nofollow]
        visit = Visit(
            id=queued.id,
            page=page,
            links=self.scope.filter(links, url),
            targets=self._targets(page, page.facts, document),
        )
        return visit if self.files is not None else self._for_later_run(visit, answer, document)

    def _targets(self, page: Page, facts: Facts, document: HtmlDocument) -> tuple[str, ...]:
        """What needs an answer of its own, as a verdict depends on it, as the config asks for it, or as text."""
        named = targets(facts)
        if self.files is not None:
            named += self.files.spellings(page)
        else:
            asked = self.asked.spelling_to_request(page.url, self.mapping.site) if self.asked.any else ""
            named += (*document.related, served_directory(page.url), asked)
        return (*self.scope.filter(named, page.url), *self._unlistable(document.unlistable))

    def _for_later_run(self, visit: Visit, answer: Response, document: HtmlDocument) -> Visit:
        headers = dict(answer.headers)
        return visit._replace(
            etag=headers.get("etag", ""),
            modified=headers.get("last-modified", ""),
            resources=tuple(self.mapping.to_site(url) for url in document.resources if url),
            headers=tuple(header_digests(answer.headers)),
        )

    def _facts(self, page: Page, document: HtmlDocument | None, url: str) -> Facts | None:
        """The facts of a page as they will be on the site, with what its links and files tell."""
        if page.facts is None or document is None:
            return page.facts and self.mapping.map_facts(page.facts, url)
        facts = self.mapping.map_facts(page.facts, url)
        others, absolute = count_links(self.other_origins, document.links), self._absolute_links(document, url)
        if others or absolute:
            facts = facts._replace(links=facts.links._replace(other_spellings=others, absolute=absolute))
        if document.resources:
            facts = self.blocked_resources.add_to_facts(facts, map(self.mapping.to_site, document.resources))
        return facts

    def _absolute_links(self, document: HtmlDocument, url: str) -> tuple[str, ...]:
        """Some of the links with a host, of each page others, without those to the page itself on any site (URL-35).

        A version, a translation or a mirror has a page at the same path, which says nothing of this site.
        """
        path = url.removeprefix(self.mapping.site)
        named = (self.mapping.to_site(link) for link in document.absolute if len(link) <= _LONGEST_ABSOLUTE)
        found = [link for link in named if link.count("/") > 3 and not (path and link.endswith(f"/{path}"))]
        start = crc32(url.encode()) % len(found) if len(found) > _MOST_ABSOLUTE else 0
        return tuple((*found[start:], *found[:start])[:_MOST_ABSOLUTE])

    def _reuse(self, fetched: FetchedUrl, depth: int) -> Visit:
        """The visit of the previous run, for a page that has not changed; what other files say of it is of today."""
        queued, answer, previous = fetched.queued, fetched.answer, fetched.previous
        assert previous is not None and isinstance(answer, Response)  # noqa: S101, PT018 - it is `is_unchanged`
        page = previous.page._replace(depth=depth, found_on=queued.referrer, twin="", same_document="")
        if page.facts is not None:
            facts = self.blocked_resources.add_to_facts(page.facts, previous.resources)
            page = page._replace(facts=with_header_dates(facts, answer.headers))
        headers = dict(answer.headers)
        return Visit(
            id=queued.id,
            page=page,
            links=previous.links,
            targets=previous.targets,
            etag=headers.get("etag", previous.etag),
            modified=headers.get("last-modified", previous.modified),
            resources=previous.resources,
            headers=previous.headers,
        )

    def _unlistable(self, links: Iterable[str]) -> Iterator[str]:
        """Addresses of the site that no sitemap can list: the filter gives each a row."""
        for link in links:
            address = urls.map_unlistable(link, self.mapping.to_site)
            if urls.is_below(address, self.mapping.site):
                yield address

    def _redirect_target(self, target: str, url: str) -> str:
        """The target as a URL of the crawl, without parameters that do not make a page of their own (URL-24)."""
        target = _normal(self.mapping.to_site(target))
        in_scope = self.scope[target]
        return in_scope if in_scope and in_scope != url else target


def depends_on_scripts(page: Page) -> bool:
    """Whether a page may be another one although the same bytes are served: its scripts may have changed."""
    return page.facts is not None and (page.facts.rendering is not None or page.needs_scripts)


def stub_of(page: Page) -> str:
    """The key of a short document (HTML-71), "" for any other page."""
    return "" if page.facts is None else stub_key(page.facts)


def _normal(url: str) -> str:
    return urls.normal_form(url) or urls.without_password(url)


# What a 304 says beside "not modified": its headers take the place of stored ones (RFC 9111 §3.2, §4.3.4). A
# validator and a date that are new are taken over. Where a header that decides what the page says is another one than
# was read with it, or is missing, the page is requested once more, without a condition: many servers send fewer
# headers with a 304, and none tells a directive that was taken back from one that was left out. Headers are stored as
# digests, for a server may echo a secret in them. Content-Type is not looked at: where there is no content, many
# servers send a default.
_DECISIVE: Mapping[str, Callable[[str], object]] = {  # header → whether a value of it does
    "link": lazy_re(r"canonical|alternate", re.IGNORECASE).search,  # most only preload
    "refresh": bool,
    "x-robots-tag": lazy_re(r"(?!(?:(?:all|index|follow)[\s,]*)*\Z)", re.IGNORECASE).match,
}


def header_digests(headers: Headers) -> Iterator[str]:
    """A line for each decisive header that an answer has."""
    for name, decides in _DECISIVE.items():
        values = header_values(headers, name)
        if any(map(decides, values)):
            yield f"{name} {hashlib.sha256(repr(values).encode(errors='replace')).hexdigest()[:32]}"


def contradicts(answer: Answer, previous: Visit) -> bool:
    """Whether a 304 has other decisive headers than the stored page."""
    if not isinstance(answer, Response) or answer.status != 304:
        return False
    return set(previous.headers) != set(header_digests(answer.headers))


def with_header_dates(facts: Facts, headers: Headers) -> Facts:
    """The facts of the stored page with the date that a 304 has sent."""
    dates = header_dates(headers)
    if not dates:
        return facts
    kept = [date for date in facts.dates if date.source != LAST_MODIFIED]
    return facts._replace(dates=tuple(dict.fromkeys((*kept, *dates)))[:MAX_DATES])


def are_many_shells(count: int, pages: int) -> bool:
    """Whether so many of these pages are built by scripts that what they link to matters."""
    return count * 100 >= pages * _SHELL_SHARE


def scripted_links_reason(count: int, url: str, why: str) -> str:
    """Why a site is not known as a whole; `why` the scripts were not run, of the page at `url`, one of `count`."""
    text = "page creates its" if count == 1 else "pages create their"
    return f"{count:,} {text} links with scripts, {why}: {url}"


def served_directory(url: str) -> str:
    """The directory that every server has where it has this URL: only an index.html is one's page everywhere."""
    return url.removesuffix("index.html") if url.endswith("/index.html") else ""


def random_name(directory: str) -> str:
    """Unlike the name of any page, and the same in every run (NET-16)."""
    return hashlib.sha256(f"sitemap-action {directory}".encode()).hexdigest()[:25]
