"""Extension elements of an entry without what makes a sitemap invalid (R-09): images, videos, news, unknown elements.

A value that is not valid is left out, and its element with it where the value is required. Nothing is shortened or
guessed; what is certain is written in its normal spelling: a namespace with https or another letter case, a language in
capitals. Of language versions what makes a set invalid is left out (HL-01, HL-05, HL-06).
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache

from msgspec.structs import replace

from sitemap_action.model.page import Alternate
from sitemap_action.sitemap import escape
from sitemap_action.sitemap.dates import date_fault, parse_date
from sitemap_action.sitemap.extension_values import (
    DATES,
    MAX_TAGS,
    MEDIA_URLS,
    REPEATABLE,
    missing_elements,
    normal_hreflang,
    same_url,
    value_faults,
)
from sitemap_action.sitemap.extensions import MARK, ExtensionNode, parse_extension
from sitemap_action.sitemap.protocol import EXTENSIONS, SITEMAP, XHTML
from sitemap_action.sitemap.schema import schema_faults
from sitemap_action.web.site_mapping import leaks
from sitemap_action.web.urls import BadUrl, normal_form, normalize

LINK = f'<xhtml:link xmlns:xhtml="{XHTML}"'

MAX_IMAGES = 1_000
"""Of one entry (IMG-02)."""

_OUTERMOST = re.compile(r"<([^\s:<>/]+):")
_DECLARATION = re.compile(r' xmlns:([^\s="]+)="([^"]*)"')
_NEWS_LANGUAGE = re.compile(r"[a-z]{2,3}|zh-cn|zh-tw")
_IMAGE_ELEMENTS = frozenset(("image:caption", "image:geo_location", "image:title", "image:license"))
_NEWS_ELEMENTS = frozenset(
    f"news:{name}"
    for name in ("publication", "publication_date", "title", "access", "genres", "keywords", "stock_tickers")
)
_ATTRIBUTES = {
    "video:player_loc": ("allow_embed", "autoplay"),
    "video:restriction": ("relationship",),
    "video:platform": ("relationship",),
    "video:uploader": ("info",),
    "video:id": ("type",),
    "video:content_segment_loc": ("duration",),
    "video:gallery_loc": ("title",),
    "video:price": ("currency", "type", "resolution"),
}
_BARE = {uri.partition("://")[2].lower(): prefix for prefix, uri in EXTENSIONS.items()}


def repaired_extensions(extensions: tuple[str, ...], loc: str) -> tuple[str, ...]:
    """The elements that are valid, or can be; `loc`: URL of the entry. Language versions are left as they are."""
    found = [fixed for one in extensions if (fixed := _element(with_own_namespace(one), loc))]
    counts: Counter[str] = Counter()
    kept = []
    for one in found:
        prefix = one[1 : one.index(":")]
        counts[prefix] += 1
        if counts[prefix] <= {"image": MAX_IMAGES, "news": 1}.get(prefix, counts[prefix]):
            kept.append(one)
    return tuple(kept)


def with_own_namespace(element: str) -> str:
    """A canonical element whose namespace is another spelling of an extension's, with that one and its prefix."""
    for prefix, uri in _DECLARATION.findall(element):
        own = _BARE.get(escape.unescape(uri).partition("://")[2].rstrip("/").lower())
        if own and EXTENSIONS[own] != uri:
            element = element.replace(f' xmlns:{prefix}="{uri}"', f' xmlns:{own}="{EXTENSIONS[own]}"', 1)
            element = re.sub(rf"(</?){re.escape(prefix)}:", rf"\g<1>{own}:", element)
    return element


def _element(element: str, loc: str) -> str:
    """The element as it can be written; "" for one that is left out."""
    match = _OUTERMOST.match(element)
    if match is None or f'"{MARK}' in element:
        return ""
    repair = _REPAIRS.get(match[1])
    if repair is None:
        return element
    fixed = repair(element, loc)
    return fixed if fixed and _fits_schema(fixed) else ""


def _link(element: str, _loc: str) -> str:
    return element if element.startswith(f"{LINK} ") or element == f"{LINK}/>" else ""


def _image(element: str, _loc: str) -> str:
    node = parse_extension(element)
    if node.name != "image:image":
        return ""
    locs = [child for child in node.all("image:loc") if _is_url(child.text)]
    others = _once(child for child in node.children if child.name in _IMAGE_ELEMENTS)
    children = tuple(_plain(child) for child in (*locs[:1], *others))
    return canonical(ExtensionNode(node.name, children=children), "image") if locs else ""


def _video(element: str, loc: str) -> str:
    node = parse_extension(element)
    if node.name != "video:video":
        return ""
    fitting = (_plain(child) for child in node.children if not _is_faulty(child, loc))
    tags = node.all("video:tag")[:MAX_TAGS]
    children = [child for child in _once(fitting, REPEATABLE) if child.name != "video:tag"]
    video = ExtensionNode(node.name, children=(*children, *map(_plain, tags)))
    return "" if missing_elements(video) else canonical(video, "video")


def _is_faulty(child: ExtensionNode, loc: str) -> bool:
    if not child.text or next(value_faults(child), None) is not None:
        return True
    if child.name in DATES:
        return date_fault(child.text) is not None
    return child.name in MEDIA_URLS and same_url(child.text, loc)


def _news(element: str, _loc: str) -> str:
    node = parse_extension(element)
    if node.name != "news:news":
        return ""
    children = []
    for child in _once(node.children):
        if child.name == "news:publication":
            parts = [_plain(part) for part in _once(child.children)]
            parts = [replace(one, text=one.text.lower()) if one.name == "news:language" else one for one in parts]
            children.append(ExtensionNode(child.name, children=tuple(parts)))
        elif child.text and child.name in _NEWS_ELEMENTS:
            children.append(_plain(child))
    news = ExtensionNode(node.name, children=tuple(children))
    publication, date = news.first("news:publication"), news.first("news:publication_date").text
    complete = publication.first("news:name").text and news.first("news:title").text
    language = _NEWS_LANGUAGE.fullmatch(publication.first("news:language").text)
    return canonical(news, "news") if complete and language and _is_news_date(date) else ""


def _is_news_date(text: str) -> bool:
    """NEWS-04."""
    found = parse_date(text)
    return found is not None and bool(found.day) and (not date_fault(text) or found.timed)


def _once(
    children: Iterator[ExtensionNode] | tuple[ExtensionNode, ...], repeatable: frozenset[str] = frozenset()
) -> Iterator[ExtensionNode]:
    """The first child of each name."""
    seen: set[str] = set()
    for child in children:
        if child.name not in seen or child.name in repeatable:
            seen.add(child.name)
            yield child


def _plain(node: ExtensionNode) -> ExtensionNode:
    """A value: its text, and the attributes that it may have."""
    known = _ATTRIBUTES.get(node.name, ())
    return ExtensionNode(node.name, tuple(pair for pair in node.attributes if pair[0] in known), node.text.strip())


def canonical(node: ExtensionNode, prefix: str) -> str:
    """As the reader makes it of an element whose names have one prefix; children of other prefixes are left out."""
    return _canonical(node, prefix, f' xmlns:{prefix}="{EXTENSIONS[prefix]}"')


def _canonical(node: ExtensionNode, prefix: str, declaration: str) -> str:
    pairs = "".join(f' {key}="{escape.attribute(value)}"' for key, value in sorted(node.attributes))
    inner = "".join(_canonical(one, prefix, "") for one in node.children if one.name.startswith(f"{prefix}:"))
    content = inner or escape.text(node.text)
    start = f"<{node.name}{declaration}{pairs}"
    return f"{start}>{content}</{node.name}>" if content else f"{start}/>"


def _is_url(text: str) -> bool:
    try:
        return bool(normalize(text))
    except BadUrl:
        return False


@lru_cache(maxsize=4096)
def _fits_schema(element: str) -> bool:
    """Whether the schema gate accepts an entry with this element."""
    document = f'<urlset xmlns="{SITEMAP}"><url><loc>https://www.example.com/</loc>{element}</url></urlset>'
    return not schema_faults(document.encode("utf-8", "replace"))


_REPAIRS: dict[str, Callable[[str, str], str]] = {"xhtml": _link, "image": _image, "video": _video, "news": _news}


def is_version(element: str) -> bool:
    """Whether a canonical element is a link with an hreflang."""
    return element.startswith(LINK) and " hreflang=" in element


def named_versions(extensions: Iterable[str], loc: str) -> Mapping[str, str]:
    """Code → address, of the links that are valid alone; of two with one code the first counts.

    A locale's spelling (`en_US`) is normal where it is a code; any other bad code is left out.
    """
    found: dict[str, str] = {}
    seen: set[str] = set()
    for node in map(parse_extension, filter(is_version, extensions)):
        code, href = normal_hreflang(node.get("hreflang") or ""), (node.get("href") or "").strip()
        url = normal_form(href)
        if "alternate" not in (node.get("rel") or "").lower().split() or not url or leaks(url, loc):
            continue
        if code and code.lower() not in seen:
            seen.add(code.lower())
            found[code] = href
    return found


def with_versions(
    extensions: tuple[str, ...], versions: Mapping[str, str]
) -> tuple[tuple[Alternate, ...], tuple[str, ...]]:
    """(alternates, extensions) of an entry with these versions and no other."""
    links = [
        canonical(
            ExtensionNode("xhtml:link", (("href", href), ("hreflang", code), ("rel", "alternate"))),
            "xhtml",
        )
        for code, href in versions.items()
    ]
    alternates = tuple(Alternate(code, href) for code, href in versions.items())
    return alternates, (*links, *(one for one in extensions if not is_version(one)))
