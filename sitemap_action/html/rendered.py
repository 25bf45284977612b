"""Joins the facts of a document as it was served and as a browser rendered it (HTML-70, HTML-72).

A search engine reads both: directives, canonicals and links of either count, so a served `noindex` holds whatever a
script does later. Title, text, headings, dates and images are those of the rendered document; size, charset and digest
those of the served bytes. A document without text and links is no rendered page: the page stays a shell that no one has
seen.
"""

from typing import TypeVar

from msgspec.structs import replace

from sitemap_action.html.document import HtmlDocument
from sitemap_action.html.soft404 import document_key
from sitemap_action.model.page import Facts, Head, Refresh, Rendering, ShellKind

EMPTY = "its scripts make no text and no link"
_T = TypeVar("_T")


def keep_served(served: HtmlDocument, why: str, milliseconds: int = 0) -> HtmlDocument:
    """A document that no browser could render: its facts are those that were served."""
    rendering = _rendering(served.facts, None, milliseconds)._replace(failure=why)
    return replace(served, facts=served.facts._replace(rendering=rendering))


def follow_script(served: HtmlDocument, target: str, milliseconds: int = 0) -> HtmlDocument:
    """A document whose script goes to another page: as with a refresh after 0 seconds, that one is the page."""
    facts = served.facts
    rendering = _rendering(facts, None, milliseconds)._replace(redirect=target)
    facts = facts._replace(
        refresh=facts.refresh or Refresh(0, target), shell=None, script_redirect="", rendering=rendering
    )
    return replace(served, facts=facts)


def join_documents(
    served: HtmlDocument, rendered: HtmlDocument, milliseconds: int = 0, refused: str = ""
) -> HtmlDocument:
    """The two documents of one page as one; both were read with a fingerprint, and with the headers of the answer.

    `refused`: what its scripts asked for and were not given, as text.
    """
    before, after = served.facts, rendered.facts
    rendering = _rendering(before, after, milliseconds)
    if before.shell and (why := _empty(after)):
        failure = f"{why}; {refused}" if refused else why
        return replace(served, facts=before._replace(rendering=rendering._replace(failure=failure)))
    followable = (set(served.links) - served.nofollow) | (set(rendered.links) - rendered.nofollow)
    links = _union(served.links, rendered.links)
    facts = after._replace(
        size=before.size,
        digest=before.digest,
        head=Head(
            title=after.head.title,
            directives=_union(before.head.directives, after.head.directives),
            canonicals=_union(before.head.canonicals, after.head.canonicals),
            alternates=_union(before.head.alternates, after.head.alternates),
            header_alternates=before.head.header_alternates,
        ),
        refresh=before.refresh or after.refresh,
        shell=None,
        script_redirect="",
        links=after.links._replace(urls=len(links)),
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
        served=served.head,
        rendered=None if rendered is None else rendered.head,
        shell=served.shell,
        served_key=document_key(served),
        milliseconds=milliseconds,
    )


def _empty(facts: Facts) -> str:
    """Why a rendered document shows no page, as text; "" where it does."""
    if not facts.words and not facts.links.urls:
        return EMPTY
    shell = facts.shell
    is_notice = shell is not None and shell.kind is ShellKind.NOTICE
    return f"after its scripts it still {shell.clause}" if shell is not None and is_notice else ""


def _union(one: tuple[_T, ...], other: tuple[_T, ...]) -> tuple[_T, ...]:
    return tuple(dict.fromkeys((*one, *other)))
