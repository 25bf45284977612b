"""Joins the facts of a document as it was served and as a browser rendered it (HTML-70, HTML-72).

A search engine reads both: directives, canonicals and links of either count, so a served `noindex` holds whatever a
script does later. Title, text, headings, dates and images are those of the rendered document; size, charset and digest
those of the served bytes. A document without text and links is no rendered page: the page stays a shell that no one has
seen.
"""

from typing import TypeVar

from msgspec.structs import replace

from sitemap_action.html.document import HtmlDocument
from sitemap_action.html.shell import is_notice
from sitemap_action.html.soft404 import document_key
from sitemap_action.model.page import Facts, Refresh, Rendering, StatedHead

EMPTY = "its scripts make no text and no link"
_T = TypeVar("_T")


def unseen(served: HtmlDocument, why: str, milliseconds: int = 0) -> HtmlDocument:
    """A document that no browser could render: its facts are those that were served."""
    rendering = _rendering(served.facts, None, milliseconds)._replace(failure=why)
    return replace(served, facts=served.facts._replace(rendering=rendering))


def left(served: HtmlDocument, target: str, milliseconds: int = 0) -> HtmlDocument:
    """A document whose script goes to another page: as with a refresh after 0 seconds, that one is the page."""
    facts = served.facts
    rendering = _rendering(facts, None, milliseconds)._replace(redirect=target)
    facts = facts._replace(
        refresh=facts.refresh or Refresh(0, target), shell="", script_redirect="", rendering=rendering
    )
    return replace(served, facts=facts)


def joined(served: HtmlDocument, rendered: HtmlDocument, milliseconds: int = 0, refused: str = "") -> HtmlDocument:
    """Of one page; both were read with a fingerprint, and with the headers of the answer.

    `refused`: what its scripts asked for and were not given, as text.
    """
    before, after = served.facts, rendered.facts
    rendering = _rendering(before, after, milliseconds)
    if before.shell and (why := _empty(after)):
        failure = f"{why}; {refused}" if refused else why
        return replace(served, facts=before._replace(rendering=rendering._replace(failure=failure)))
    followable = (set(served.links) - served.nofollow) | (set(rendered.links) - rendered.nofollow)
    links = _union(served.links, rendered.links)
    alternates = _union(before.alternates, after.alternates)
    facts = after._replace(
        charset=before.charset,
        size=before.size,
        digest=before.digest,
        directives=_union(before.directives, after.directives),
        canonicals=_union(before.canonicals, after.canonicals),
        refresh=before.refresh or after.refresh,
        alternates=alternates,
        header_alternates=before.header_alternates,
        shell="",
        script_redirect="",
        links=len(links),
        rendering=rendering,
    )
    return HtmlDocument(
        facts,
        media_type=served.media_type,
        links=links,
        nofollow=frozenset(links) - followable,
        unlistable=_union(served.unlistable, rendered.unlistable),
        resources=_union(served.resources, rendered.resources),
        related=_union(served.related, rendered.related),
    )


def _rendering(served: Facts, rendered: Facts | None, milliseconds: int) -> Rendering:
    return Rendering(
        served=_head(served),
        rendered=None if rendered is None else _head(rendered),
        shell=served.shell,
        served_key=document_key(served),
        milliseconds=milliseconds,
    )


def _head(facts: Facts) -> StatedHead:
    return StatedHead(facts.title, facts.directives, facts.canonicals, facts.alternates)


def _empty(facts: Facts) -> str:
    """Why a rendered document shows no page, as text; "" where it does."""
    if not facts.words and not facts.links:
        return EMPTY
    return f"after its scripts it still {facts.shell}" if is_notice(facts.shell) else ""


def _union(one: tuple[_T, ...], other: tuple[_T, ...]) -> tuple[_T, ...]:
    return tuple(dict.fromkeys((*one, *other)))
