"""An answer becomes a page: the same for a build directory and for a server."""

from sitemap_action.fetch.base import Answer, Skip
from sitemap_action.model.page import Kind, Page
from sitemap_action.web import html, media
from sitemap_action.web.links import Resolver

_GONE = frozenset({204, 404, 410})
_PERMANENT = frozenset({301, 308})


def read(answer: Answer, resolver: Resolver | None = None, at: str = "") -> tuple[Page, html.Document | None]:
    """The page, and its document when there is one to follow links from (HTML-40, HTML-41).

    `at`: the address that the document is read at, when that is not the one that was asked.
    """
    if isinstance(answer, Skip):
        return Page(answer.url, Kind.UNDETERMINED, reason=answer.reason, path=answer.path), None
    if answer.status in _GONE:
        return Page(answer.url, Kind.GONE, status=answer.status), None
    if answer.target:
        permanent = answer.status in _PERMANENT
        return Page(answer.url, Kind.REDIRECT, status=answer.status, target=answer.target, permanent=permanent), None
    if answer.status != 200:
        return Page(answer.url, Kind.UNDETERMINED, status=answer.status, reason=f"answered {answer.status}"), None
    document = html.read(answer.body, answer.headers, at or answer.url, resolver=resolver)
    kind = Kind.PAGE if document.media_type in media.HTML else Kind.FILE
    return (
        Page(
            answer.url,
            kind,
            status=200,
            media_type=document.media_type,
            path=answer.path,
            facts=document.facts,
        ),
        document,
    )
