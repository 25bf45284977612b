"""Everything that one document says to a crawler, from its bytes, its headers and its URL, in one parse.

The parser is turbohtml, chosen by `benchmarks/html.py`. It and lexbor (selectolax) build the tree that html5lib, the
reference, builds; lxml does not, and drops whatever is nested deeper than 256 elements. Of the two, turbohtml is the
faster, and its time is linear: lexbor's grows with the square of the depth, of the attributes of a tag and of the
options of a list (for 10 MB of `<div>`, hours). What is left is the amplification by unclosed formatting elements,
which the HTML algorithm itself prescribes; `tree` takes it out of documents with that many tags.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from turbohtml import Element

from sitemap_action.model.page import Canonical, Facts, Link, PageDate
from sitemap_action.web import charset, dates, directives, head, headers, images, jsonld, metas, shell, soft404
from sitemap_action.web.canonical import targets
from sitemap_action.web.fingerprint import count_words, fingerprint
from sitemap_action.web.headers import Headers
from sitemap_action.web.links import Followed, Resolver, follow, is_qualified
from sitemap_action.web.scripts import is_code, redirect
from sitemap_action.web.shell import Detect
from sitemap_action.web.tree import Content, Tree

PARSED = frozenset({"text/html", "application/xhtml+xml"})
"""Media types whose body is read (HTML-48)."""

_DETECT = Detect()
_EMPTY_PAGE = 20  # words; with fewer, an inline script may be all that the page does (HTML-47)


@dataclass(frozen=True, slots=True)
class Document:
    """What a crawler takes from one answer: plain values; the document itself is let go."""

    facts: Facts
    media_type: str
    links: tuple[Link, ...] = ()  # to pages, each URL once, in document order; those in <noscript> come last
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
    if media_type and media_type not in PARSED:
        return headers_only(of, url, size=len(body))
    text, encoding = charset.decode(body, label)
    page = _Page(Tree(text), url, resolver or Resolver())
    relations = [*head.of_headers(of, url), *head.of_document(page.in_head, page.base)]
    robots = head.robots(of, page.metas + page.noscript_metas)
    canonicals = head.canonicals(relations)
    followed = page.follow(page_nofollow=directives.decide(robots, agents).nofollow)
    pictures = images.sources(page.images(), page.metas)
    title = head.title(page.tree)
    refresh = head.refreshed(of, url, page.metas, page.base)
    said = page.said(title, canonicals, of, detect)  # last: it takes the tree apart
    return Document(
        Facts(
            title=title,
            base=page.base,
            charset=encoding,
            size=len(body),
            directives=robots,
            canonicals=canonicals,
            refresh=refresh,
            alternates=head.alternates(relations),
            images=tuple(dict.fromkeys(link.url for link in page.resolve(pictures).values() if link is not None)),
            dates=said.dates,
            fingerprint=said.fingerprint,
            words=said.words,
            soft404=said.soft404,
            shell=said.shell,
            script_redirect=said.script_redirect,
            hash_routes=followed.hash_routes,
            nofollow_links=followed.nofollow,
        ),
        media_type or "text/html",
        followed.links,
        head.seeds(relations),
    )


def headers_only(of: Headers, url: str, *, size: int = 0) -> Document:
    """What the headers alone say about a file of any type (HTML-11, HTML-20)."""
    relations = head.of_headers(of, url)
    facts = Facts(
        base=url,
        charset=charset.named(headers.media_type(of)[1]),
        size=size,
        directives=head.robots(of),
        canonicals=head.canonicals(relations),
        refresh=head.refreshed(of, url),
        alternates=head.alternates(relations),
        dates=dates.stated((), (), (), of),
    )
    return Document(facts, headers.media_type(of)[0], seeds=head.seeds(relations))


@dataclass(frozen=True, slots=True)
class _Said:
    """Facts about what the page says to a reader."""

    dates: tuple[PageDate, ...]
    fingerprint: str
    words: int
    soft404: tuple[str, ...]
    shell: str
    script_redirect: str


class _Page:
    """One document while it is read, with what its <noscript> elements hold (HTML-09)."""

    def __init__(self, tree: Tree, url: str, resolver: Resolver) -> None:
        noscripts = list(tree.noscripts())
        self.tree = tree
        self.url = url
        self.base = head.base_url(tree, url)
        self.in_head = [tree, *(content for content, within in noscripts if within)]
        self.in_body = [tree, *(content for content, within in noscripts if not within)]
        self.noscript_metas = [meta for part in self.in_head[1:] for meta in metas.read(part.all("meta"))]
        self.metas = metas.read(tree.all("meta"))
        self.anchors = self._anchors()
        self._resolver = resolver
        within = "#" if self.base == url else None  # HTML-63: a place on this very page
        self._targets = self.resolve(href for href in self.anchors if href[:1] != within)

    def resolve(self, hrefs: Iterable[str]) -> dict[str, Link | None]:
        """Each raw href with its link, None when it leads nowhere that can be followed."""
        return self._resolver.resolve(self.base, hrefs)

    def follow(self, *, page_nofollow: bool) -> Followed:
        return follow(self.anchors, self._targets, page_nofollow=page_nofollow)

    def images(self) -> Iterator[Element]:
        return (image for part in self.in_body for image in part.all("img"))

    def said(self, title: str, canonicals: Iterable[Canonical], of: Headers, detect: Detect) -> _Said:
        """Takes the tree apart; nothing can be read from it afterwards."""
        scripts = self.tree.all("script")
        running = [script for script in scripts if is_code(script)]
        blocks = [script.text for script in scripts if jsonld.is_block(script.attr("type"))]
        stated = dates.stated(self.metas, self.tree.all("time"), blocks, of)
        headings = (title, *(heading.text for heading in self.tree.all("h1")[:1]))
        self.tree.drop_unseen()
        empty = shell.clause(self.tree, len(running), detect)
        content = self.tree.content()
        text = content.text.encode(errors="replace")
        words = count_words(text)
        return _Said(
            stated,
            fingerprint(text, self._named(content), blocks),
            words,
            soft404.signals(headings, words, targets(canonicals), self.url),
            empty,
            redirect(running) if words < _EMPTY_PAGE else "",
        )

    def _named(self, content: Content) -> Iterator[str]:
        """Where links of the main content lead; on this site without its origin, which a preview does not share."""
        site = self.url[: self.url.find("/", 8)]
        for href in content.hrefs:
            if (link := self._targets.get(href)) is not None:
                yield link.url.removeprefix(site)
            elif href.startswith(("mailto:", "tel:")):
                yield href

    def _anchors(self) -> dict[str, bool]:
        """Raw hrefs in document order, and whether any of their anchors may be followed (HTML-60, HTML-65)."""
        found: dict[str, bool] = {}
        for part in self.in_body:
            for anchor in part.anchors():
                href = anchor.attr("href")
                if href is not None and not found.get(href):
                    rel = anchor.attr("rel")
                    found[href] = not rel or not is_qualified(rel)
        return found
