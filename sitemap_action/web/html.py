"""Everything that one document says to a crawler, from its bytes, its headers and its URL, in one parse.

The parser is turbohtml, chosen by `benchmarks/html.py`. It and lexbor (selectolax) build the tree that html5lib, the
reference, builds; lxml does not, and drops whatever is nested deeper than 256 elements. Of the two, turbohtml is the
faster, and its time is linear: lexbor's grows with the square of the depth, of the attributes of a tag and of the
options of a list (for 10 MB of `<div>`, hours). What is left is the amplification by unclosed formatting elements,
which the HTML algorithm itself prescribes; `tree` takes it out of documents with that many tags.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sitemap_action.model.page import Canonical, Directive, Facts, PageDate
from sitemap_action.web import charset, dates, directives, head, headers, images, jsonld, media, metas, shell, soft404
from sitemap_action.web.canonical import targets
from sitemap_action.web.fingerprint import fingerprint, weigh
from sitemap_action.web.head import Related
from sitemap_action.web.headers import Headers
from sitemap_action.web.links import Followed, Resolver, anchors, follow
from sitemap_action.web.scripts import is_code, redirect
from sitemap_action.web.shell import Detect
from sitemap_action.web.tree import Content, Tree

_DETECT = Detect()
_EMPTY_PAGE = 20  # words; with fewer, an inline script may be all that the page does (HTML-47)


@dataclass(frozen=True, slots=True)
class Document:
    """What a crawler takes from one answer: plain values; the document itself is let go."""

    facts: Facts
    media_type: str
    links: tuple[str, ...] = ()  # URLs of pages, each once, in document order; those in <noscript> come last
    closed: frozenset[str] = frozenset()  # those of them that nofollow closes (HTML-65)
    seeds: tuple[str, ...] = ()  # URLs to fetch that are no internal links (HTML-66)


def read(  # noqa: PLR0913 - an answer is three things, and three more may be set
    body: bytes,
    of: Headers,
    url: str,
    *,
    detect: Detect = _DETECT,
    agents: Sequence[str] = directives.AGENTS,
    resolver: Resolver | None = None,
) -> Document:
    """Facts, links and seeds of an answer. `url` is in normal form. Never raises, whatever the bytes are.

    A body that is no HTML is not looked into: its headers speak for it (HTML-48). Without Content-Type it is HTML.
    `agents` are those whose page-level nofollow holds (HTML-65). One `resolver` for all pages of a site saves time.
    """
    media_type, label = headers.media_type(of)
    if media_type and media_type not in media.HTML:
        return headers_only(of, url, size=len(body))
    page = _Page(body, label, of, url, resolver or Resolver())
    related = page.related()
    robots = page.robots()
    followed = page.follow(page_nofollow=directives.decide(robots, agents).nofollow)
    facts = page.facts(related, robots, followed, detect)
    return Document(facts, media_type or "text/html", followed.links, followed.closed, related.seeds)


def headers_only(of: Headers, url: str, *, size: int = 0) -> Document:
    """What the headers alone say about a file of any type (HTML-11, HTML-20)."""
    related = head.related(of, url)
    facts = Facts(
        base=url,
        charset=charset.named(headers.media_type(of)[1]),
        size=size,
        directives=head.robots(of),
        canonicals=related.canonicals,
        refresh=head.refreshed(of, url),
        alternates=related.alternates,
        dates=dates.stated((), (), (), of),
    )
    return Document(facts, headers.media_type(of)[0], seeds=related.seeds)


class _Said(NamedTuple):
    """Facts about what the page says to a reader."""

    dates: tuple[PageDate, ...]
    fingerprint: str
    words: int
    soft404: tuple[str, ...]
    shell: str
    script_redirect: str


class _Page:
    """One document while it is read, with what its <noscript> elements hold (HTML-09)."""

    def __init__(self, body: bytes, label: str, of: Headers, url: str, resolver: Resolver) -> None:
        text, self._charset = charset.decode(body, label)
        self._size = len(body)
        self._of = of
        self._url = url
        self._tree = tree = Tree(text)
        noscripts = list(tree.noscripts())
        self._in_head = [tree, *(content for content, within in noscripts if within)]
        self._everywhere = [tree, *(content for content, _ in noscripts)]
        self._base = head.base_url(tree, url)
        self._metas = metas.read(tree.all("meta"))
        self._anchors = anchors(self._everywhere)
        self._links = resolver.at(self._base, url)
        self._origin = url[: url.find("/", 8)]
        self._marks = resolver.marks(self._origin)

    def related(self) -> Related:
        return head.related(self._of, self._url, self._in_head, self._base)

    def robots(self) -> tuple[Directive, ...]:
        within = [meta for part in self._in_head[1:] for meta in metas.read(part.all("meta"))]
        return head.robots(self._of, self._metas + within)

    def follow(self, *, page_nofollow: bool) -> Followed:
        links = self._links.of(self._anchors.hrefs)
        return follow(self._anchors, links, page_nofollow=page_nofollow, origin=self._origin)

    def facts(self, related: Related, robots: tuple[Directive, ...], followed: Followed, detect: Detect) -> Facts:
        """Takes the tree apart; nothing can be read from it afterwards."""
        title = head.title(self._tree)
        pictures = images.sources(self._everywhere, self._metas)
        said = self._said(title, related.canonicals, detect)
        return Facts(
            title=title,
            base=self._base,
            charset=self._charset,
            size=self._size,
            directives=robots,
            canonicals=related.canonicals,
            refresh=head.refreshed(self._of, self._url, self._metas, self._base),
            alternates=related.alternates,
            images=tuple(dict.fromkeys(filter(None, self._links.of(pictures)))),
            dates=said.dates,
            fingerprint=said.fingerprint,
            words=said.words,
            soft404=said.soft404,
            shell=said.shell,
            script_redirect=said.script_redirect,
            hash_routes=followed.hash_routes,
            nofollow_links=followed.nofollow,
        )

    def _said(self, title: str, canonicals: Iterable[Canonical], detect: Detect) -> _Said:
        tree = self._tree
        scripts = tree.all("script")
        running = [script for script in scripts if is_code(script)]
        blocks = [script.text for script in scripts if jsonld.is_block(script.attr("type"))]
        stated = dates.stated(self._metas, tree.all("time"), blocks, self._of)
        headings = (title, *(heading.text for heading in tree.all("h1")[:1]))
        tree.drop_unseen()
        clause = shell.clause(tree, len(running), detect)
        content = tree.content()
        steady, words = weigh(content.text.encode(errors="replace"))
        return _Said(
            dates=stated,
            fingerprint=fingerprint(steady, self._marks.of(self._named(content)), blocks),
            words=words,
            soft404=soft404.signals(headings, words, targets(canonicals), self._url),
            shell=clause,
            script_redirect=redirect(running) if words < _EMPTY_PAGE else "",
        )

    def _named(self, content: Content) -> set[str]:
        """Where links of the main content lead: URLs, and mail addresses and the like as written."""
        named = set(self._links.of(content.hrefs))
        if "" in named:
            named.remove("")
            named.update(href for href in content.hrefs if href.startswith(("mailto:", "tel:")))
        return named
