"""Answer → page, the same for a build directory and for a server."""

from collections.abc import Sequence

from sitemap_action.fetch.base import Answer, Failure, Response, Skip
from sitemap_action.html import extract
from sitemap_action.html.links import Resolver
from sitemap_action.model.page import Directive, Facts, Page, PageKind
from sitemap_action.web import media
from sitemap_action.web.blockers import bot_challenge

_GONE = frozenset({204, 404, 410})
_TRANSIENT_FAILURES = frozenset({Failure.DNS, Failure.CONNECT, Failure.TIMEOUT, Failure.BROKEN, Failure.BUSY})
_TRANSIENT_STATUSES = frozenset({408, 425, 429})
_PERMANENT = frozenset({301, 308})


def page_of(answer: Answer, resolver: Resolver | None = None) -> tuple[Page, extract.HtmlDocument | None]:
    """The page, and its document when there is one to follow links from (HTML-40, HTML-41)."""
    (found,) = pages_of([(answer, answer.url, extract.ALL_OPTIONAL)], resolver)
    return found


def pages_of(
    answers: Sequence[tuple[Answer, str, extract.OptionalFacts]],
    resolver: Resolver | None = None,
    host_directives: frozenset[Directive] = frozenset(),
) -> list[tuple[Page, extract.HtmlDocument | None]]:
    """The same for several answers, each with the base URL of its document and the facts to extract from it."""
    pages = [_page_without_document(answer) for answer, _, _ in answers]
    raw = [
        extract.RawDocument(answer.body, answer.headers, at, optional)
        for (answer, at, optional), page in zip(answers, pages, strict=True)
        if page is None and isinstance(answer, Response)
    ]
    documents = extract.read_all(raw, resolver=resolver, host_directives=host_directives)
    return [
        (page, None) if page is not None else page_with_document(answer, next(documents))
        for (answer, _, _), page in zip(answers, pages, strict=True)
    ]


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
        permanent = answer.status in _PERMANENT
        return Page(
            answer.url,
            PageKind.REDIRECT,
            status=answer.status,
            target=answer.target,
            permanent=permanent,
            evidence=answer.evidence,
        )
    if answer.status != 200:
        transient = answer.status >= 500 or answer.status in _TRANSIENT_STATUSES
        reason = f"answered {answer.status}"
        return Page(answer.url, PageKind.UNDETERMINED, status=answer.status, reason=reason, transient=transient)
    return None


def page_with_document(answer: Answer, document: extract.HtmlDocument) -> tuple[Page, extract.HtmlDocument]:
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
    found = [canonical.url for canonical in facts.canonicals if not canonical.ignored]
    found += [alternate.url for alternate in facts.alternates]
    return [*found, facts.refresh.url] if facts.refresh is not None else found
