"""Everything that one document says to a crawler, from its bytes, its headers and its URL, in one parse.

The parser is turbohtml, chosen by `benchmarks/html.py`. It and lexbor (selectolax) build the tree that html5lib, the
reference, builds; lxml does not, and drops whatever is nested deeper than 256 elements. Of the two, turbohtml is the
faster, and its time is linear: lexbor's grows with the square of the depth, of the attributes of a tag and of the
options of a list (for 10 MB of `<div>`, hours). What is left is the amplification by unclosed formatting elements,
which the HTML algorithm itself prescribes; `tree` takes it out of documents with that many tags.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sitemap_action.html import directives, head, images, jsonld, metas, page_dates, shell, soft404
from sitemap_action.html.canonical import targets
from sitemap_action.html.fingerprint import COUNTED, count_words, fingerprint
from sitemap_action.html.links import Resolver, anchors, follow
from sitemap_action.html.scripts import is_code, redirect
from sitemap_action.html.shell import Detect
from sitemap_action.html.tree import HtmlTree, beginning, hrefs, text
from sitemap_action.model.page import Facts, PageDate
from sitemap_action.web import charset, headers, media
from sitemap_action.web.headers import Headers

_DETECT = Detect()
_TOGETHER = 4  # documents that are read stage by stage: as many as the processor's caches hold
_SMALL = 1 << 20  # bytes of such documents
_EMPTY_PAGE = 20  # words; with fewer, an inline script may be all that the page does (HTML-47)


@dataclass(frozen=True, slots=True)
class HtmlDocument:
    """What a crawler takes from one answer: plain values; the document itself is let go."""

    facts: Facts
    media_type: str
    links: tuple[str, ...] = ()  # URLs of pages, each once, in document order; those in <noscript> come last
    closed: frozenset[str] = frozenset()  # those of them that nofollow closes (HTML-65)
    seeds: tuple[str, ...] = ()  # URLs to fetch that are no internal links (HTML-66)


class Further(NamedTuple):
    """Facts that few runs ask for, and a third of what a page costs. Those that nobody asks for are empty."""

    fingerprint: bool = True
    images: bool = True
    dates: bool = True


EVERYTHING = Further()
NOTHING = Further(fingerprint=False, images=False, dates=False)


class Raw(NamedTuple):
    """An answer that nobody has looked into. `url` is in normal form."""

    body: bytes
    headers: Headers
    url: str
    further: Further = EVERYTHING


def read(  # noqa: PLR0913 - an answer is three things, and three more may be set
    body: bytes,
    of: Headers,
    url: str,
    *,
    detect: Detect = _DETECT,
    agents: Sequence[str] = directives.AGENTS,
    resolver: Resolver | None = None,
) -> HtmlDocument:
    """Facts, links and seeds of an answer. `url` is in normal form. Never raises, whatever the bytes are.

    A body that is no HTML is not looked into: its headers speak for it (HTML-48). Without Content-Type it is HTML.
    `agents` are those whose page-level nofollow holds (HTML-65). One `resolver` for all pages of a site saves time.
    """
    (document,) = read_all([Raw(body, of, url)], detect=detect, agents=agents, resolver=resolver)
    return document


def read_all(
    answers: Sequence[Raw],
    *,
    detect: Detect = _DETECT,
    agents: Sequence[str] = directives.AGENTS,
    resolver: Resolver | None = None,
) -> Iterator[HtmlDocument]:
    """As `read`, one document for each answer. Several small ones are read together, stage by stage.

    What a stage needs of the processor's caches is there for all of them but the first, which saves a sixth.
    """
    resolver = resolver or Resolver()
    for handful in _handfuls(answers):
        pages = [_PageReader(answer, detect, agents, resolver) for answer in handful]
        documents = [page for page in pages if page.is_html]
        for stage in _STAGES:
            for page in documents:
                stage(page)
        for page in pages:
            yield page.document()


def headers_only(of: Headers, url: str, *, size: int = 0) -> HtmlDocument:
    """What the headers alone say about a file of any type (HTML-11, HTML-20)."""
    related = head.related(of, url)
    facts = Facts(
        base=url,
        charset=charset.encoding_of_label(headers.content_type(of)[1]),
        size=size,
        directives=head.robots(of),
        canonicals=related.canonicals,
        refresh=head.refreshed(of, url),
        alternates=related.alternates,
        dates=page_dates.stated((), (), (), of),
    )
    return HtmlDocument(facts, headers.content_type(of)[0], seeds=related.seeds)


class _PageReader:
    """One document while it is read, with what its <noscript> elements hold (HTML-09): a value or a few per stage."""

    def __init__(self, answer: Raw, detect: Detect, agents: Sequence[str], resolver: Resolver) -> None:
        self._body, self._of, self._url, self._further = answer
        self._detect, self._agents, self._resolver = detect, agents, resolver
        self._media_type, self._label = headers.content_type(answer.headers)
        self.is_html = not self._media_type or self._media_type in media.HTML_TYPES

    def parse(self) -> None:
        markup, self._charset = charset.decode(self._body, self._label)
        self._tree = tree = HtmlTree(markup)
        noscripts = list(tree.noscripts())
        self._in_head = [tree, *(content for content, within in noscripts if within)]
        self._everywhere = [tree, *(content for content, _ in noscripts)]
        self._base = head.base_url(tree, self._url)

    def metas(self) -> None:
        self._metas = metas.read(self._tree.all("meta"))
        within = [meta for part in self._in_head[1:] for meta in metas.read(part.all("meta"))]
        self._robots = head.robots(self._of, self._metas + within)
        self._refresh = head.refreshed(self._of, self._url, self._metas, self._base)

    def relations(self) -> None:
        self._related = head.related(self._of, self._url, self._in_head, self._base)

    def links(self) -> None:
        url = self._url
        self._links = self._resolver.at(self._base, url)
        found = anchors(self._everywhere)
        links, origin = self._links.of(found.hrefs), url[: url.find("/", 8)]
        page_nofollow = directives.decide(self._robots, self._agents).nofollow
        self._followed = follow(found, links, page_nofollow=page_nofollow, origin=origin)

    def images(self) -> None:
        self._images: tuple[str, ...] = ()
        if self._further.images:
            found = self._links.of(images.sources(self._everywhere, self._metas))
            self._images = tuple(dict.fromkeys(filter(None, found)))

    def titles(self) -> None:
        self._title = head.title(self._tree)
        self._headings = (self._title, *(heading.text for heading in self._tree.all("h1")[:1]))

    def scripts(self) -> None:
        scripts = self._tree.all("script")
        self._running = [script for script in scripts if is_code(script)]
        wanted = self._further.fingerprint or self._further.dates
        self._blocks = [one.text for one in scripts if jsonld.is_block(one.attr("type"))] if wanted else []

    def dates(self) -> None:
        self._dates: tuple[PageDate, ...] = ()
        if self._further.dates:
            self._dates = page_dates.stated(self._metas, self._tree.all("time"), self._blocks, self._of)

    def shell(self) -> None:
        """From here on the tree is taken apart."""
        self._tree.drop_unseen()
        self._shell = shell.clause(self._tree, len(self._running), self._detect)

    def content(self) -> None:
        self._main = main = self._tree.content()
        whole = self._further.fingerprint
        said = "" if main is None else text(main) if whole else beginning(main, COUNTED)
        self._text = said.encode(errors="replace")
        self._words = count_words(self._text[:COUNTED])

    def fingerprint(self) -> None:
        self._fingerprint = ""
        if self._further.fingerprint:
            marks = self._resolver.marks(self._url[: self._url.find("/", 8)])
            self._fingerprint = fingerprint(self._text, marks.of(self._named()), self._blocks)

    def signals(self) -> None:
        found = targets(self._related.canonicals)
        self._soft404 = soft404.signals(self._headings, self._words, found, self._url)
        self._redirect = redirect(self._running) if self._words < _EMPTY_PAGE else ""

    def document(self) -> HtmlDocument:
        if not self.is_html:
            return headers_only(self._of, self._url, size=len(self._body))
        facts = Facts(
            title=self._title,
            base=self._base,
            charset=self._charset,
            size=len(self._body),
            directives=self._robots,
            canonicals=self._related.canonicals,
            refresh=self._refresh,
            alternates=self._related.alternates,
            images=self._images,
            dates=self._dates,
            fingerprint=self._fingerprint,
            words=self._words,
            soft404=self._soft404,
            shell=self._shell,
            script_redirect=self._redirect,
            hash_routes=self._followed.hash_routes,
            nofollow_links=self._followed.nofollow,
        )
        media_type = self._media_type or "text/html"
        return HtmlDocument(facts, media_type, self._followed.links, self._followed.closed, self._related.seeds)

    def _named(self) -> set[str]:
        """Where links of the main content lead: URLs, and mail addresses and the like as written."""
        found = [] if self._main is None else hrefs(self._main)
        named = set(self._links.of(found))
        if "" in named:
            named.remove("")
            named.update(href for href in found if href.startswith(("mailto:", "tel:")))
        return named


_STAGES = (
    *(
        _PageReader.parse,
        _PageReader.metas,
        _PageReader.relations,
        _PageReader.links,
        _PageReader.images,
        _PageReader.titles,
        _PageReader.scripts,
        _PageReader.dates,
    ),
    *(_PageReader.shell, _PageReader.content, _PageReader.fingerprint, _PageReader.signals),
)


def _handfuls(answers: Sequence[Raw]) -> Iterator[Sequence[Raw]]:
    """A few at a time; a large one alone, for its tree takes many times its size."""
    start = size = 0
    for at, answer in enumerate(answers):
        if at > start and (at - start == _TOGETHER or size + len(answer.body) > _SMALL):
            yield answers[start:at]
            start, size = at, 0
        size += len(answer.body)
    yield answers[start:]
