"""Extracts the facts of one document from its bytes, its headers and its URL, in one parse.

Theory of operation. `decode_html` turns the body into text, `HtmlTree` parses it; <noscript> is parsed separately.
The stages of `_PageReader` read what search engines read: <meta>, <link>, links, images, title, scripts, dates. From
`classify_shell` on they take the tree apart: they remove invisible elements, then all around the main content, and read
words, fingerprint and soft-404 signals from the rest. Only plain values outlive a page. Up to four small documents go
through each stage together, so that what the stage needs stays in the processor's caches. Between pages `Resolver`
alone remembers anything, links and their hashes, in bounded caches that change no result, whatever the order of pages.
Everything from a site is hostile, so time is linear and memory bounded: the fetcher caps bytes; counts of elements,
lengths of values and levels of ancestors are capped here; patterns are possessive or RE2.

The parser is turbohtml, chosen by `benchmarks/html_parsers.py`. It and lexbor (selectolax) build the tree that the
reference, html5lib, builds; lxml does not, and drops what is nested deeper than 256 elements. Of the two, turbohtml is
faster and linear: lexbor's time grows with the square of the depth, of the attributes of a tag and of the options of a
list (for 10 MB of `<div>`, hours). What remains is the amplification by unclosed formatting elements, which the HTML
algorithm itself prescribes; `tree` renames them in documents with that many tags.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Protocol, TypeVar

from xxhash import xxh3_64_hexdigest

from sitemap_action.html import directives, head, shell, soft404
from sitemap_action.html.directives import canonical_targets
from sitemap_action.html.document import HtmlDocument, RawDocument
from sitemap_action.html.fingerprint import COUNTED, count_words, fingerprint, show_addresses
from sitemap_action.html.head import read_meta_tags
from sitemap_action.html.links import (
    Resolver,
    absolute_links,
    content_links,
    count_hash_routes,
    follow_links,
    image_sources,
    read_anchors,
)
from sitemap_action.html.structured_data import is_json_ld, read_articles, read_dates, read_videos
from sitemap_action.html.tree import HtmlTree, decode_html, text, text_prefix
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.page import (
    DEFAULT_THRESHOLDS,
    Directive,
    Facts,
    LinkCounts,
    PageDate,
    PageMedia,
    ShellKind,
    ShellThresholds,
)
from sitemap_action.web import media, urls
from sitemap_action.web.headers import Headers, content_type

_MOST = 4  # as many as the processor's caches hold
_BYTES = 1 << 20


class _HasBody(Protocol):
    @property
    def body(self) -> bytes: ...


_Document = TypeVar("_Document", bound=_HasBody)


def batches(documents: Sequence[_Document]) -> Iterator[Sequence[_Document]]:
    """A few at a time; a large one alone, for its tree takes many times its size."""
    start = size = 0
    for at, document in enumerate(documents):
        if at > start and (at - start == _MOST or size + len(document.body) > _BYTES):
            yield documents[start:at]
            start, size = at, 0
        size += len(document.body)
    yield documents[start:]


_EMPTY_PAGE_WORDS = 20  # with fewer, an inline script may be all that the page does (HTML-47)


def read(  # noqa: PLR0913 - a response is three values, and three options
    body: bytes,
    headers: Headers,
    url: str,
    *,
    thresholds: ShellThresholds = DEFAULT_THRESHOLDS,
    agents: Sequence[str] = directives.AGENTS,
    resolver: Resolver | None = None,
) -> HtmlDocument:
    """Facts and URLs of a response. `url` is in normal form. Never raises, whatever the bytes are.

    Without Content-Type the body is HTML; of any other type only the headers are read (HTML-48).
    `agents` are those whose page-level nofollow applies (HTML-65). One `resolver` for all pages of a site saves time.
    """
    raw = RawDocument(body, headers, url)
    (document,) = read_all([raw], thresholds=thresholds, agents=agents, resolver=resolver)
    return document


def read_all(
    responses: Sequence[RawDocument],
    *,
    thresholds: ShellThresholds = DEFAULT_THRESHOLDS,
    agents: Sequence[str] = directives.AGENTS,
    resolver: Resolver | None = None,
    host_directives: frozenset[Directive] = frozenset(),
) -> Iterator[HtmlDocument]:
    """One document per response, as `read` makes it; small ones go through the stages together, a sixth faster.

    A nofollow among `host_directives` excludes no link (ENV-03).
    """
    resolver = resolver or Resolver()
    for batch in batches(responses):
        pages = [_PageReader(response, thresholds, agents, resolver, host_directives) for response in batch]
        documents = [page for page in pages if page.is_html]
        for stage in _STAGES:
            for page in documents:
                stage(page)
        for page in pages:
            yield page.make_document()


def read_headers(headers: Headers, url: str, *, size: int = 0) -> HtmlDocument:
    """Facts from the headers alone, of a file of any type (HTML-11, HTML-20)."""
    media_type, _ = content_type(headers)
    stated, related = head.read_relations(headers, url)
    facts = Facts(
        base=url,
        size=size,
        head=stated._replace(directives=head.robots_directives(headers)),
        refresh=head.refresh_of(headers, url),
        dates=read_dates((), (), (), headers),
    )
    return HtmlDocument(facts, media_type, related=related)


class _PageReader:
    """One document while it is read, with the content of its <noscript> elements (HTML-09)."""

    def __init__(
        self,
        raw: RawDocument,
        thresholds: ShellThresholds,
        agents: Sequence[str],
        resolver: Resolver,
        host_directives: frozenset[Directive],
    ) -> None:
        self._host_directives = host_directives
        self._body, self._headers, self._url, self._optional, rendered = raw
        self._thresholds = thresholds.after_scripts if rendered else thresholds
        self._agents, self._resolver = agents, resolver
        self._media_type, self._label = content_type(raw.headers)
        self.is_html = not self._media_type or self._media_type in media.HTML_TYPES

    def parse(self) -> None:
        self._tree = tree = HtmlTree(show_addresses(decode_html(self._body, self._label)))
        noscripts = list(tree.noscripts())
        self._head_trees = [tree, *(content for content, in_head in noscripts if in_head)]
        self._all_trees = [tree, *(content for content, _ in noscripts)]
        self._base = head.base_url(tree, self._url)

    def read_metadata(self) -> None:
        self._metas = read_meta_tags(self._tree.all("meta"))
        in_noscript = [meta for tree in self._head_trees[1:] for meta in read_meta_tags(tree.all("meta"))]
        self._directives = head.robots_directives(self._headers, self._metas + in_noscript)
        self._refresh = head.refresh_of(self._headers, self._url, self._metas, self._base)
        self._without_scripts = head.refresh_of((), self._url, in_noscript, self._base)
        named = next((meta.content for meta in self._metas if meta.key == "og:url"), "")
        self._og_url = urls.resolve(self._base, named) or ""

    def read_relations(self) -> None:
        self._head, self._related = head.read_relations(self._headers, self._url, self._head_trees, self._base)

    def read_links(self) -> None:
        url = self._url
        self._page_resolver = self._resolver.for_page(self._base, url)
        hrefs, qualified = read_anchors(self._all_trees)
        links = self._page_resolver.resolve(hrefs)
        own = directives.without_host(self._directives, self._host_directives)
        page_nofollow = directives.has_nofollow(own, self._agents)
        self._unlistable: tuple[str, ...] = ()
        if refused := self._page_resolver.unlistable:
            links = ["" if href in refused else link for href, link in zip(hrefs, links, strict=True)]
            followed = () if page_nofollow else (href for href in refused if href not in qualified)
            self._unlistable = tuple(dict.fromkeys(refused[href] for href in followed))
        self._links, self._nofollow = follow_links(hrefs, qualified, links, page_nofollow=page_nofollow)
        self._absolute = absolute_links(hrefs, links)
        self._hash_routes = count_hash_routes(hrefs, url[: url.find("/", 8)])

    def read_titles(self) -> None:
        self._title = head.title(self._tree)
        self._headings = (self._title, *(heading.text for heading in self._tree.all("h1")[:1]))
        self._not_found = not_found = soft404.is_not_found(self._headings)
        self._fingerprinted = self._optional.fingerprint or not_found or soft404.is_error_title(self._title)

    def read_scripts(self) -> None:
        scripts = self._tree.all("script")
        self._code = [script for script in scripts if shell.is_code(script)]
        self._resources: list[str] = []
        if self._optional.resources:
            sources = [script.attr("src") or "" for script in scripts] + head.style_sheets(self._tree)
            self._resources = self._page_resolver.resolve([source for source in sources if source])
        if self._without_scripts is not None and not shell.goes_elsewhere(self._code):
            self._without_scripts = None
        self._json_ld = [script.text for script in scripts if is_json_ld(script.attr("type"))]

    def find_dates(self) -> None:
        self._dates: tuple[PageDate, ...] = ()
        if self._optional.dates:
            self._dates = read_dates(self._metas, self._tree.all("time"), self._json_ld, self._headers)

    def find_media(self) -> None:
        optional, resolve = self._optional, self._page_resolver.resolve
        images = resolve(image_sources(self._all_trees, self._metas)) if optional.images else ()
        self._images = tuple(dict.fromkeys(filter(None, images)))
        self._videos = read_videos(self._json_ld, self._metas, resolve) if optional.videos else ()
        self._articles = read_articles(self._json_ld, self._metas, self._title) if optional.articles else ()

    def classify_shell(self) -> None:
        """Takes the first things from the tree: all later stages need it without them."""
        self._tree.remove_invisible()
        self._shell = found = shell.find_shell(self._tree, self._code, self._thresholds)
        if found is not None and shell.may_be_stub(found):
            goes = self._refresh is not None or self._without_scripts is not None or shell.script_redirect(self._code)
            self._shell = None if goes else found

    def read_content(self) -> None:
        self._main = main = self._tree.content()
        main_text = "" if main is None else text(main) if self._fingerprinted else text_prefix(main, COUNTED)
        self._text = main_text.encode(errors="replace")
        self._words = count_words(self._text[:COUNTED])
        if self._words < soft404.FEW_WORDS and not self._fingerprinted:  # it may be an error page (HTML-71)
            self._fingerprinted = True
            self._text = b"" if main is None else text(main).encode(errors="replace")

    def make_fingerprint(self) -> None:
        self._fingerprint = ""
        if self._fingerprinted:
            hashes = self._resolver.link_hashes(self._url[: self._url.find("/", 8)])
            self._fingerprint = fingerprint(
                self._text, hashes.total(content_links(self._main, self._page_resolver)), self._json_ld
            )

    def find_signals(self) -> None:
        canonicals = canonical_targets(self._head.canonicals)
        self._soft404 = soft404.signals(self._headings if self._not_found else (), self._words, canonicals, self._url)
        self._script_redirect = shell.script_redirect(self._code) if self._words < _EMPTY_PAGE_WORDS else ""
        # The page goes there with scripts, at once, and without them.
        if self._refresh is None and self._without_scripts is not None and self._words < _EMPTY_PAGE_WORDS:
            self._refresh = self._without_scripts._replace(seconds=0)

    def make_document(self) -> HtmlDocument:
        if not self.is_html:
            return read_headers(self._headers, self._url, size=len(self._body))
        facts = Facts(
            base=self._base,
            size=len(self._body),
            digest=xxh3_64_hexdigest(self._body) if self._optional.digest else "",
            fingerprint=self._fingerprint,
            head=self._head._replace(title=self._title, directives=self._directives, og_url=self._og_url),
            refresh=self._refresh,
            dates=self._dates,
            media=PageMedia(self._images, self._videos, self._articles),
            links=LinkCounts(len(self._links), self._hash_routes),
            words=self._words,
            soft404=self._soft404,
            shell=self._shell,
            script_redirect=self._script_redirect,
        )
        return HtmlDocument(
            facts,
            media_type=self._media_type or "text/html",
            links=self._links,
            nofollow=self._nofollow,
            unlistable=self._unlistable,
            related=self._related,
            resources=tuple(self._resources),
            absolute=self._absolute,
        )


_STAGES = (
    _PageReader.parse,
    _PageReader.read_metadata,
    _PageReader.read_relations,
    _PageReader.read_links,
    _PageReader.read_titles,
    _PageReader.read_scripts,
    _PageReader.find_dates,
    _PageReader.find_media,
    _PageReader.classify_shell,
    _PageReader.read_content,
    _PageReader.make_fingerprint,
    _PageReader.find_signals,
)


_SCRIPT = lazy_re(rb"<script", re.IGNORECASE)


def needs_rendering(body: bytes, headers: Headers, url: str, thresholds: ShellThresholds) -> bool:
    """Whether the facts will show a shell: a document that is merely short is complete, one that redirects no page."""
    if not _SCRIPT.search(body):
        return False
    _, label = content_type(headers)
    tree = HtmlTree(decode_html(body, label))
    scripts = [script for script in tree.all("script") if shell.is_code(script)]
    refresh = head.refresh_of(headers, url, read_meta_tags(tree.all("meta")), head.base_url(tree, url))
    # Another script could make a page of the document instead of leaving it.
    others = any(script.attr("src") or "import" in script.text for script in scripts)
    goes = refresh is not None or (not others and bool(shell.script_redirect(scripts)))
    tree.remove_invisible()
    found = shell.find_shell(tree, scripts, thresholds)
    return found is not None and found.kind is not ShellKind.SHORT and not (goes and shell.may_be_stub(found))
