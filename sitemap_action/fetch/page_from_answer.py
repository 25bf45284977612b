"""Answer → page, the same for a build directory and for a server."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from msgspec import Struct

from sitemap_action.fetch.base import Answer, Failure, Response, Skip
from sitemap_action.html import extract
from sitemap_action.html.document import (
    ALL_OPTIONAL,
    HtmlDocument,
    OptionalFacts,
    RawDocument,
    follow_script,
    join_documents,
    keep_served,
)
from sitemap_action.html.links import Resolver
from sitemap_action.model.page import DEFAULT_THRESHOLDS, Directive, Facts, Page, PageKind, ShellThresholds
from sitemap_action.robots.groups import Profile, Robots, parse
from sitemap_action.web import media
from sitemap_action.web.blockers import bot_challenge

_GONE = frozenset({204, 404, 410})
_TRANSIENT_FAILURES = frozenset({Failure.DNS, Failure.CONNECT, Failure.TIMEOUT, Failure.BROKEN, Failure.BUSY})
_TRANSIENT_STATUSES = frozenset({408, 425, 429})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_RENDERED_TYPE = ("content-type", "text/html; charset=utf-8")


def page_of(answer: Answer, resolver: Resolver | None = None) -> tuple[Page, HtmlDocument | None]:
    """The page, and its document when there is one to follow links from (HTML-40, HTML-41)."""
    (found,) = pages_of([(answer, answer.url, ALL_OPTIONAL)], resolver)
    return found


def pages_of(
    answers: Sequence[tuple[Answer, str, OptionalFacts]],
    resolver: Resolver | None = None,
    host_directives: frozenset[Directive] = frozenset(),
    thresholds: ShellThresholds = DEFAULT_THRESHOLDS,
) -> list[tuple[Page, HtmlDocument | None]]:
    """The pages of several answers, each with the base URL of its document and the facts to extract from it."""
    pages = [_page_without_document(answer) for answer, _, _ in answers]
    raw = [
        document
        for (answer, at, optional), page in zip(answers, pages, strict=True)
        if page is None and isinstance(answer, Response)
        for document in _raw_documents(answer, at, optional)
    ]
    documents: Iterator[HtmlDocument] = iter(())
    if raw:
        documents = extract.read_all(raw, thresholds=thresholds, resolver=resolver, host_directives=host_directives)
    return [
        (page, None) if page is not None else page_with_document(answer, _document(answer, documents))
        for (answer, _, _), page in zip(answers, pages, strict=True)
    ]


def _raw_documents(answer: Response, at: str, optional: OptionalFacts) -> Iterator[RawDocument]:
    """The served document and, where a browser was asked, the rendered one: their text is compared (HTML-46)."""
    rendered = answer.rendered
    if rendered is None:
        yield RawDocument(answer.body, answer.headers, at, optional)
        return
    optional = optional._replace(fingerprint=True)
    yield RawDocument(answer.body, answer.headers, at, optional)
    if rendered.html:
        headers = (*(header for header in answer.headers if header[0] != "content-type"), _RENDERED_TYPE)
        yield RawDocument(rendered.html, headers, at, optional, rendered=True)


def _document(answer: Answer, documents: Iterator[HtmlDocument]) -> HtmlDocument:
    served = next(documents)
    rendered = answer.rendered if isinstance(answer, Response) else None
    if rendered is None:
        return served
    if rendered.html:
        return join_documents(served, next(documents), rendered.milliseconds, rendered.refused)
    if rendered.redirect:
        return follow_script(served, rendered.redirect, rendered.milliseconds)
    return keep_served(served, rendered.failure, rendered.milliseconds)


def _page_without_document(answer: Answer) -> Page | None:
    """The page of an answer without a document; None where there is one to parse."""
    if isinstance(answer, Skip):
        transient = answer.failure in _TRANSIENT_FAILURES
        return Page(answer.url, PageKind.UNDETERMINED, reason=answer.reason, path=answer.path, transient=transient)
    if service := bot_challenge(answer.headers):
        reason = f"answers {answer.status} with a bot challenge of {service}"
        return Page(answer.url, PageKind.UNDETERMINED, status=answer.status, reason=reason)
    if answer.status in _GONE:
        return Page(answer.url, PageKind.GONE, status=answer.status, evidence=answer.evidence)
    if answer.target:
        return Page(answer.url, PageKind.REDIRECT, status=answer.status, target=answer.target, evidence=answer.evidence)
    if answer.status != 200:
        transient = answer.status >= 500 or answer.status in _TRANSIENT_STATUSES
        nowhere = " without a Location that can be followed" if answer.status in _REDIRECTS else ""
        reason = f"answered {answer.status}{nowhere}"
        return Page(answer.url, PageKind.UNDETERMINED, status=answer.status, reason=reason, transient=transient)
    return None


def page_with_document(answer: Answer, document: HtmlDocument) -> tuple[Page, HtmlDocument]:
    kind = PageKind.PAGE if document.media_type in media.HTML_TYPES else PageKind.FILE
    page = Page(
        answer.url,
        kind,
        200,
        media_type=document.media_type,
        path=answer.path,
        facts=document.facts,
        evidence=answer.evidence if isinstance(answer, Response) else "",
    )
    return page, document


def targets(facts: Facts) -> list[str]:
    """URLs, other than links, whose answers the verdict on the page depends on: canonicals, alternates, a refresh."""
    found = [canonical.url for canonical in facts.head.canonicals if not canonical.ignored]
    found += [alternate.url for alternate in facts.head.alternates]
    return [*found, facts.refresh.url] if facts.refresh is not None else found


_MOST_BLOCKED = 20  # resources that are kept for one page: the rule is broken by the first


class BlockedResources(Struct, frozen=True):
    """Scripts and style sheets that a page needs and the robots.txt of its site disallows (RB-36)."""

    robots: bytes = b""  # none: nothing is read for this rule
    agents: tuple[str, ...] = ()
    origin: str = ""  # of the site, with a slash: the robots.txt of another host is not known

    @property
    def any(self) -> bool:
        return b"disallow" in self.robots.lower()

    def add_to_facts(self, facts: Facts, urls: Iterable[str]) -> Facts:
        """The facts of a page with those of its scripts and style sheets that one of the agents may not fetch."""
        own = (url for url in dict.fromkeys(urls) if url.startswith(self.origin))
        found = tuple(url for url in own if _is_blocked(self.robots, self.agents, url))[:_MOST_BLOCKED]
        return facts if facts.blocked_resources == found else facts._replace(blocked_resources=found)


@lru_cache(maxsize=1)
def _rules(robots: bytes) -> Robots:
    return parse(robots, Profile.GOOGLE)


@lru_cache(maxsize=10_000)
def _is_blocked(robots: bytes, agents: Sequence[str], url: str) -> bool:
    """Every page of a site needs the same few files."""
    return _rules(robots).block(agents, url) is not None
