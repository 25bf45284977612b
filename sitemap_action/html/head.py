"""What a document and its headers say about the document itself: base, canonicals, alternates, directives, refresh."""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from turbohtml import Element, Namespace

from sitemap_action.html import canonical, directives, refresh
from sitemap_action.html.metas import Meta
from sitemap_action.html.tree import HtmlTree
from sitemap_action.model.page import Alternate, Canonical, Directive, Refresh
from sitemap_action.web import headers, urls
from sitemap_action.web.headers import HeaderLink, Headers

_SEEDS = frozenset({"next", "prev", "previous", "canonical"})
_RELATIONS = _SEEDS | {"alternate"}
_ATTRIBUTES = ("hreflang", "lang", "media", "type")
_LONGEST = 1000  # characters of a title
_HTML = Namespace.HTML  # looked up once: an enumeration answers slowly
_MOST = 5000  # <link> elements that are looked at; a page in every language there is has fewer


class Related(NamedTuple):
    """What links say about the document they stand in."""

    canonicals: tuple[Canonical, ...]
    alternates: tuple[Alternate, ...]  # language versions; behind the end of the head they do not count (HTML-21)
    seeds: tuple[str, ...]  # URLs to look at, wherever the link stands (HTML-66)


class _Relation(NamedTuple):
    """A <link> or one link of a Link header, of a kind that matters here."""

    href: str
    url: str | None  # in normal form; None when it is no page that can be followed
    rels: Collection[str]
    attributes: Mapping[str, str]
    source: str  # "link" or "header"
    place: str = ""  # why it stands in the wrong place, "" in the right one


def base_url(tree: HtmlTree, url: str) -> str:
    """The document base URL, without fragment: the first <base href> decides, if it can be a base (HTML-61)."""
    for element in tree.all("base"):
        href = element.attr("href")
        if href is not None:
            joined = (urls.resolve(url, href) or urls.join(url, href) or url).partition("#")[0]
            return url if joined.startswith(("data:", "javascript:")) else joined
    return url


def title(tree: HtmlTree) -> str:
    for element in tree.all("title"):
        if element.namespace is _HTML:
            return " ".join(element.text.split())[:_LONGEST]
    return ""


def related(of: Headers, url: str, trees: Iterable[HtmlTree] = (), base: str = "") -> Related:
    """What links of the headers say, then those of `trees`: the document and the content of <noscript> in its head."""
    canonicals, alternates, seeds = [], [], []
    relations = _of_document(trees, base, url)
    if linked := headers.header_links(of):
        relations = _of_headers(linked, url) + relations
    for href, leads, rels, attributes, source, place in relations:
        if "canonical" in rels:
            canonicals.append(canonical.judge(href, leads, source, place=place, attributes=attributes))
        if leads is None:
            continue
        version = "alternate" in rels and bool(attributes.get("hreflang", "").strip())
        if version and not place:
            alternates.append(Alternate(attributes["hreflang"], leads))
        if version or not _SEEDS.isdisjoint(rels):
            seeds.append(leads)
    return Related(tuple(canonicals), tuple(alternates), tuple(dict.fromkeys(seeds)))


def robots(of: Headers, metas: Iterable[Meta] = ()) -> tuple[Directive, ...]:
    """Directives for every agent: of headers, then of <meta>, wherever it stands (HTML-08)."""
    found = [
        directive for line in headers.header_values(of, "x-robots-tag") for directive in directives.from_header(line)
    ]
    for meta in metas:
        if meta.name:
            found += directives.from_meta(meta.name, meta.content)
    return tuple(found)


def refreshed(of: Headers, url: str, metas: Iterable[Meta] = (), base: str = "") -> Refresh | None:
    """The header comes before anything in the document; <noscript> never asks for a refresh where scripts run."""
    texts = [(value, url) for value in headers.header_values(of, "refresh")]
    texts += [(meta.content, base) for meta in metas if meta.pragma == "refresh"]
    return refresh.first(texts, url) if texts else None


def _of_headers(links: Iterable[HeaderLink], url: str) -> list[_Relation]:
    """Links of Link headers; one with an anchor speaks about another resource (HTML-33)."""
    return [
        _Relation(link.href, urls.resolve(url, link.href), link.rels, link.parameters, "header")
        for link in links
        if not link.rels.isdisjoint(_RELATIONS) and _is_about(link, url)
    ]


def _of_document(trees: Iterable[HtmlTree], base: str, page: str) -> list[_Relation]:
    """Links of <link> elements. `page` is in normal form, and so leads to itself: that most canonicals are."""
    found = []
    for tree in trees:
        for element in tree.all("link")[:_MOST]:
            rels = (element.attr("rel") or "").lower().split()
            if not _RELATIONS.isdisjoint(rels):
                href = element.attr("href") or ""
                url = page if href == page else urls.resolve(base, href)
                found.append(_Relation(href, url, rels, _attributes(element), "link", tree.place(element)))
    return found


def _is_about(link: HeaderLink, url: str) -> bool:
    anchor = link.parameters.get("anchor")
    return not anchor or (urls.resolve(url, anchor) == url and "#" not in anchor)


def _attributes(element: Element) -> dict[str, str]:
    return {name: element.attr(name) or "" for name in element.attrs if name in _ATTRIBUTES}
