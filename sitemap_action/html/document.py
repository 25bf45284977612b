"""A document before and after it is read, and the facts of two as one: as served, and as a browser rendered it.

Joining (HTML-70, HTML-72): a search engine reads both: directives, canonicals and links of either count, so a served
`noindex` holds whatever a script does later. Title, text, headings, dates and images are those of the rendered
document; size, charset and digest those of the served bytes. A document without text and links is no rendered page: the
page stays a shell that no one has seen.
"""

from typing import NamedTuple, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.html.directives import canonical_targets, effects
from sitemap_action.html.soft404 import document_key
from sitemap_action.model.page import DocumentSummary, Facts, Head, Refresh, Rendering, ShellKind
from sitemap_action.web.headers import Headers


class HtmlDocument(Struct, frozen=True):
    """The facts and URLs of one document."""

    facts: Facts
    media_type: str
    links: tuple[str, ...] = ()  # URLs of pages, each once, in document order; those in <noscript> come last
    nofollow: frozenset[str] = frozenset()  # those of them that nofollow excludes (HTML-65)
    unlistable: tuple[str, ...] = ()  # addresses of links that no sitemap can list, as text (URL-30, URL-32)
    resources: tuple[str, ...] = ()  # URLs of scripts and style sheets, where they are requested
    related: tuple[str, ...] = ()  # URLs to fetch that are no internal links: canonical, hreflang, next, prev (HTML-66)
    absolute: tuple[str, ...] = ()  # those of `links` that are written with their host (URL-35)


class OptionalFacts(NamedTuple):
    """Facts that few runs need, and a third of the time for a page. Those not requested stay empty."""

    fingerprint: bool = True
    images: bool = True
    videos: bool = True
    articles: bool = True
    dates: bool = True
    digest: bool = True
    resources: bool = False  # scripts and style sheets, which `fetch.blocked_resources` judges

    def union(self, other: "OptionalFacts") -> "OptionalFacts":
        return OptionalFacts(*(one or two for one, two in zip(self, other, strict=True)))


ALL_OPTIONAL = OptionalFacts()
NO_OPTIONAL = OptionalFacts(*[False] * len(OptionalFacts._fields))


class RawDocument(NamedTuple):
    """A response body that has not been parsed. `url` is in normal form."""

    body: bytes
    headers: Headers
    url: str
    optional: OptionalFacts = ALL_OPTIONAL
    rendered: bool = False  # its scripts have run


EMPTY = "its scripts make no text and no link within render.wait-for-timeout"
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
    served: HtmlDocument, rendered: HtmlDocument, milliseconds: int = 0, refused: str = "", screenshot: str = ""
) -> HtmlDocument:
    """The two documents of one page as one; both were read with a fingerprint, and with the headers of the answer.

    `refused`: what its scripts asked for and were not given, as text.
    """
    before, after = served.facts, rendered.facts
    rendering = _rendering(before, after, milliseconds)._replace(screenshot=screenshot)
    if before.shell and (why := _empty(after)):
        failure = f"{why}; {refused}" if refused else why
        return replace(served, facts=before._replace(rendering=rendering._replace(failure=failure)))
    followable = (set(served.links) - served.nofollow) | (set(rendered.links) - rendered.nofollow)
    links = _union(served.links, rendered.links)
    facts = after._replace(
        size=before.size,
        digest=before.digest,
        head=_join_heads(before.head, after.head),
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
        absolute=_union(served.absolute, rendered.absolute),
    )


def _join_heads(served: Head, rendered: Head) -> Head:
    return Head(
        title=rendered.title,
        directives=_union(served.directives, rendered.directives),
        canonicals=_union(served.canonicals, rendered.canonicals),
        alternates=_union(served.alternates, rendered.alternates),
        header_alternates=served.header_alternates,
        og_url=rendered.og_url or served.og_url,
        markdown=_union(served.markdown, rendered.markdown),
    )


def _rendering(served: Facts, rendered: Facts | None, milliseconds: int) -> Rendering:
    return Rendering(
        served=served.head,
        rendered=None if rendered is None else rendered.head,
        shell=served.shell,
        served_key=document_key(served),
        milliseconds=milliseconds,
        links=(served.links.urls, 0 if rendered is None else rendered.links.urls),
        words=(served.words, 0 if rendered is None else rendered.words),
    )


def summaries(found: Rendering) -> tuple[DocumentSummary, ...]:
    """The document as it is served, and as it is rendered; none of a page that has one alone."""
    if found.failure or found.rendered is None:
        return ()
    return tuple(
        DocumentSummary(
            head.title,
            next(iter(canonical_targets(head.canonicals)), ""),
            tuple(sorted(effects(head.directives))),
            links,
            words,
        )
        for head, links, words in zip((found.served, found.rendered), found.links, found.words, strict=True)
    )


def _empty(facts: Facts) -> str:
    """Why a rendered document shows no page, as text; "" where it does."""
    if not facts.words and not facts.links.urls:
        return EMPTY
    shell = facts.shell
    is_notice = shell is not None and shell.kind is ShellKind.NOTICE
    return f"after render.wait-for-timeout it still {shell.clause}" if shell is not None and is_notice else ""


def _union(one: tuple[_T, ...], other: tuple[_T, ...]) -> tuple[_T, ...]:
    return tuple(dict.fromkeys((*one, *other)))
