"""Metadata of a document and its headers: base URL, title, canonicals, alternates, directives, refresh; their lines."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from turbohtml import Element, Namespace, Token, TokenType, tokenize

from sitemap_action.html import directives
from sitemap_action.html.directives import CONDITIONAL_ATTRIBUTES, classify_canonical
from sitemap_action.html.tree import HtmlTree
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.page import Alternate, Directive, Head, Refresh
from sitemap_action.web import urls
from sitemap_action.web.headers import Headers, header_links, header_values

_MAX_ELEMENTS = 1000  # the rest is ignored


class MetaTag(NamedTuple):
    """One <meta> with content; names in lower case, "" for a missing one."""

    name: str
    key: str  # property, else name, else itemprop
    pragma: str  # http-equiv
    content: str


def read_meta_tags(elements: Sequence[Element]) -> list[MetaTag]:
    found = []
    for element in elements[:_MAX_ELEMENTS]:
        attr = element.attr
        if content := attr("content"):
            name = _lower(attr("name"))
            key = _lower(attr("property")) or name or _lower(attr("itemprop"))
            found.append(MetaTag(name, key, "" if key else _lower(attr("http-equiv")), content.strip()))
    return found


def _lower(value: str | None) -> str:
    return value.strip().lower() if value else ""


_MAX_DIGITS = 9  # of the seconds; more is never

_SPACE = "\t\n\f\r "
_TIME = lazy_re(r"([0-9]++)?+([.0-9]*+)")
_URL = lazy_re(r"""(?:url[\t\n\f\r ]*+=[\t\n\f\r ]*+)?+(?:"([^"]*+)|'([^']*+)|(.*+))""", re.IGNORECASE | re.DOTALL)


def first_refresh(texts: Iterable[tuple[str, str]], page: str) -> Refresh | None:
    """The first valid one of (text, base URL); None when it reloads the page, or none is valid."""
    for text, base in texts:
        parsed = parse_refresh(text)
        if parsed is None:
            continue
        seconds, href = parsed
        if not href:
            return None
        url = urls.resolve(base, href)
        if url is not None:
            return None if url == page else Refresh(seconds, url)
    return None


def parse_refresh(text: str) -> tuple[int, str] | None:
    """Seconds and URL as written, "" without one; None when invalid (WHATWG HTML, declarative refresh steps)."""
    text = text.lstrip(_SPACE)
    time = _TIME.match(text)
    if time is None or not time[0]:
        return None
    seconds, rest = int((time[1] or "0")[:_MAX_DIGITS]), text[time.end() :]
    if not rest:
        return seconds, ""
    if rest[0] not in ";," + _SPACE:
        return None
    rest = rest.lstrip(_SPACE)
    if rest.startswith((";", ",")):
        rest = rest[1:].lstrip(_SPACE)
    url = _URL.match(rest)
    return seconds, "" if url is None else url[url.lastindex or 3]


_SERIES = frozenset({"next", "prev", "previous"})
_RELATIONS = _SERIES | {"alternate", "canonical"}
_MAX_TITLE = 1000  # characters
_HTML = Namespace.HTML  # looked up once: access to an enumeration is slow
_MARKDOWN = "text/markdown"
_MAX_TWINS = 5  # the rest is ignored
_MAX_LINK_ELEMENTS = 5000  # the rest is ignored; a page with every hreflang there is has fewer


# A <link>, or one link of a Link header, with one of `_RELATIONS`: href, its URL (normal, None when it cannot be
# followed), rels, attributes, "link" or "header", and why its position is invalid ("" for a valid one).
_Relation: TypeAlias = tuple[str, str | None, Collection[str], Mapping[str, str], str, str]


def base_url(tree: HtmlTree, url: str) -> str:
    """The document base URL, without fragment: the first <base href>, if it is a valid base (HTML-61)."""
    for element in tree.all("base"):
        href = element.attr("href")
        if href is not None:
            joined = (urls.resolve(url, href) or urls.join(url, href) or url).partition("#")[0]
            return url if joined.startswith(("data:", "javascript:")) else joined
    return url


def title(tree: HtmlTree) -> str:
    for element in tree.all("title"):
        if element.namespace is _HTML:
            return " ".join(element.text.split())[:_MAX_TITLE]
    return ""


def read_relations(
    headers: Headers, url: str, trees: Iterable[HtmlTree] = (), base: str = ""
) -> tuple[Head, tuple[str, ...]]:
    """The canonicals and language versions of a document, and the URLs to fetch, wherever their link is (HTML-66).

    They are of Link headers, then of the <link> elements of `trees`: the document and the content of <noscript> in its
    head. A language version after the end of the head does not count (HTML-21), and a canonical that does not is not
    fetched for it (HTML-22, HTML-27).
    """
    canonicals, alternates, markdown, found = [], [], [], []
    in_headers = 0
    relations = _read_link_elements(trees, base, url)
    relations = _read_header_links(headers, url) + relations
    for href, target, rels, attributes, source, misplaced in relations:
        names_page = False
        if "canonical" in rels:
            canonical = classify_canonical(href, target, source, misplaced=misplaced, attributes=attributes)
            names_page = not canonical.ignored
            canonicals.append(canonical)
        if target is None:
            continue
        if "alternate" in rels and attributes.get("type", "").strip().lower() == _MARKDOWN:
            markdown.append(target)
        is_version = "alternate" in rels and bool(attributes.get("hreflang", "").strip())
        if is_version and not misplaced:
            alternates.append(Alternate(attributes["hreflang"], target))
            in_headers += source == "header"
        if is_version or names_page or not _SERIES.isdisjoint(rels):
            found.append(target)
    twins = tuple(dict.fromkeys(markdown))[:_MAX_TWINS]
    head = Head(
        canonicals=tuple(canonicals), alternates=tuple(alternates), header_alternates=in_headers, markdown=twins
    )
    return head, tuple(dict.fromkeys(found))


def style_sheets(tree: HtmlTree) -> list[str]:
    """The href of every <link rel=stylesheet>, as written."""
    links = tree.all("link")[:_MAX_LINK_ELEMENTS]
    return [link.attr("href") or "" for link in links if "stylesheet" in (link.attr("rel") or "").lower().split()]


def robots_directives(headers: Headers, metas: Iterable[MetaTag] = ()) -> tuple[Directive, ...]:
    """Directives for every agent: of headers, then of <meta>, in the head or not (HTML-08)."""
    found = [
        directive for line in header_values(headers, "x-robots-tag") for directive in directives.parse_header(line)
    ]
    for meta in metas:
        if meta.name:
            found += directives.parse_meta(meta.name, meta.content)
    return tuple(found)


def refresh_of(headers: Headers, url: str, metas: Iterable[MetaTag] = (), base: str = "") -> Refresh | None:
    """The header before the document; a refresh in <noscript> has no effect where scripts run."""
    texts = [(value, url) for value in header_values(headers, "refresh")]
    texts += [(meta.content, base) for meta in metas if meta.pragma == "refresh"]
    return first_refresh(texts, url) if texts else None


def _read_header_links(headers: Headers, url: str) -> list[_Relation]:
    """Links of Link headers; one with an anchor is about another resource (HTML-33)."""
    found: list[_Relation] = []
    for href, parameters in header_links(headers):
        rels, anchor = parameters.get("rel", "").lower().split(), parameters.get("anchor")
        if _RELATIONS.isdisjoint(rels):
            continue
        if not anchor or (urls.resolve(url, anchor) == url and "#" not in anchor):
            found.append((href, urls.resolve(url, href), rels, parameters, "header", ""))
    return found


def _read_link_elements(trees: Iterable[HtmlTree], base: str, page: str) -> list[_Relation]:
    """Links of <link> elements. `page` is in normal form, so the usual canonical, to itself, is not resolved."""
    found: list[_Relation] = []
    for tree in trees:
        for element in tree.all("link")[:_MAX_LINK_ELEMENTS]:
            rels = (element.attr("rel") or "").lower().split()
            if not _RELATIONS.isdisjoint(rels):
                href = element.attr("href") or ""
                url = page if href == page else urls.resolve(base, href)
                attributes = {
                    name: element.attr(name) or "" for name in element.attrs if name in CONDITIONAL_ATTRIBUTES
                }
                found.append((href, url, rels, attributes, "link", tree.why_misplaced(element)))
    return found


_MAX_SOURCE = 2**19  # bytes


def noindex_line(body: bytes) -> int:
    """The line of the first meta whose content has noindex, none or unavailable_after; 0 for none."""
    words = ("noindex", "none", "unavailable_after")
    return _line(body, "meta", lambda tag: any(word in (tag.attr("content") or "").lower() for word in words))


def canonical_line(body: bytes) -> int:
    """The line of the first link with rel=canonical; 0 for none."""
    return _line(body, "link", lambda tag: "canonical" in (tag.attr("rel") or "").lower().split())


def _line(body: bytes, name: str, wanted: Callable[[Token], bool]) -> int:
    tags = (one for one in tokenize(body[:_MAX_SOURCE].decode(errors="replace")) if one.tag == name)
    return next((tag.line for tag in tags if tag.type is TokenType.START_TAG and wanted(tag)), 0)
