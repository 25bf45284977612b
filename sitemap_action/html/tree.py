"""A document as browsers read it: the encoding of its text, its head as search engines see it, and its main content."""

import codecs
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import cast

import turbohtml.detect  # which registers the standard's decoders: `whatwg-NAME`
from turbohtml import Axis, Document, Element, Text, Token, TokenType, XPath, tokenize

from sitemap_action.model.lazy_re import lazy_re

_MIN_COSTLY_SIZE = 49_152  # characters; a smaller document has too few tags to be costly
_MIN_COSTLY_TAGS = 4096
_SPACE = "\t\n\f\r "  # white space of HTML; a no-break space is none, and ends the head
_AFTER_HEAD = 1000  # characters that are searched for a second head
_MAX_ANCESTORS = 32  # levels that are searched for an enclosing article

# Two steps of the HTML algorithm cost more than their tag: an unclosed formatting element is reconstructed in every
# later block, and every further <html> or <body> adds its attributes to the first. Renamed, they change no fact.
_COSTLY = lazy_re(
    r"<(/?)(?=[bcefhinstu])(b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u|html|body)(?=[\s/>])",
    re.IGNORECASE,
)

# A third is quadratic: ever new attributes of one tag. They are truncated after this many characters, unless one has a
# quote: in a script, `<` may be a comparison, and the quote starts elsewhere.
_MAX_TAG = 1 << 20
_LONG_TAG = lazy_re(rf"""(<[A-Za-z][^<>"']{{{_MAX_TAG}}}[^<>"'\s]*+)[^<>"']*+""")

# HTML-21. The tree builder allows three more in the head (basefont, bgsound, noframes); Google does not.
_NOT_IN_HEAD = ":scope > :not(title, meta, link, script, style, base, noscript, template)"

# Page furniture, by tag and by role; a header or footer of an article or a section is content.
_FURNITURE = ("nav", "aside", "header", "footer")
_ALWAYS_FURNITURE = frozenset({"nav", "aside"})
_SECTIONS = frozenset({"article", "section", "main"})
_FURNITURE_ROLES = frozenset({"navigation", "banner", "contentinfo", "complementary", "search"})
_INVISIBLE = ("script", "style", "noscript", "iframe", "noframes", "noembed")
_INDEXED_TAGS = (*_INVISIBLE, *_FURNITURE, "main", "article")

_HREFS = XPath(".//a/@href")
_HAS_FACTS = lazy_re(r"<(?:a|area|img|link|meta)[\s/]", re.IGNORECASE)
_SECOND_HEAD = lazy_re(r"<(?:html|head)(?:\s[^<>]*)?>", re.IGNORECASE)
_BODY_NEXT = lazy_re(r"</head\s*>\s*<body[\s/>]", re.IGNORECASE)
_BODY = lazy_re(r"<body[\s/>]", re.IGNORECASE)


class HtmlTree:
    """One parsed document. `noscript`: the content of a <noscript>, parsed as without scripting."""

    __slots__ = ("_after_head_end", "_body_position", "_by_tag", "_document", "_head_end", "body", "head", "text")

    def __init__(self, text: str, *, noscript: bool = False) -> None:
        # Scripting is on, as in browsers and in Google's renderer: the content of <noscript> is text, so that an <img>
        # in it does not end the head. It is parsed separately (`noscripts`).
        self._document = turbohtml.parse(
            _without_second_head(_rename_costly(_truncate_tags(text))),
            positions=False,
            scripting=not noscript,
            allow_declarative_shadow_roots=False,
        )
        self.text = text
        root = self._document.root
        self.head = None if root is None else root.find("head", axis=Axis.CHILDREN)
        self.body = None if root is None else root.find("body", axis=Axis.CHILDREN)
        self._head_end = None if self.head is None else self.head.select_one(_NOT_IN_HEAD)
        self._after_head_end = frozenset(() if self._head_end is None else self._head_end.next_siblings)
        self._body_position = ""
        self._by_tag: dict[str, list[Element]] = {}
        if self._document.find_all("template"):
            self._document.remove("template")  # HTML-09: their content is not part of the document

    def all(self, tag: str) -> list[Element]:
        """Every element of a tag, in document order; from an index of tags until an element is removed."""
        return self._document.find_all(tag)

    def anchors(self) -> list[Element]:
        """Every <a> and <area>, in document order."""
        return self._document.select("a, area") if self.all("area") else self.all("a")

    def hrefs(self) -> list[str]:
        """The href of every <a>, as written, in document order."""
        return hrefs(self._document)

    def rels(self) -> list[str]:
        """The rel of every <a>, as written."""
        return [element.attr("rel") or "" for element in self._document.find_all("a", rel=True)]

    def why_misplaced(self, element: Element) -> str:
        """Why an element is not in the head for search engines: "after <img>"; "" if it is (HTML-20, HTML-21)."""
        if self.head is None or element.parent != self.head:
            return self._position_in_body()
        return f"after <{self._head_end.tag}>" if self._head_end is not None and element in self._after_head_end else ""

    def noscripts(self) -> Iterator[tuple["HtmlTree", bool]]:
        """The content of each <noscript> with facts, and whether it is in the head (HTML-09)."""
        for element in self.all("noscript"):
            if _HAS_FACTS.search(text := element.text):
                yield HtmlTree(text, noscript=True), self.head is not None and element.parent == self.head

    def remove_invisible(self) -> None:
        """Removes elements without visible text, so that the text of the tree is that of the page."""
        self._by_tag = {tag: self.all(tag) for tag in _INDEXED_TAGS}
        _remove(element for tag in _INVISIBLE for element in self._by_tag[tag])

    def content(self) -> Element | None:
        """The element with the main content, after `remove_invisible`; last, because it removes the furniture."""
        if self.body is None:
            return None
        by_tag = self._by_tag
        # Roles are read only where no tag marks the content.
        named = () if by_tag["main"] else self._document.select("[role]")
        roles = [(element, (element.attr("role") or "").strip().lower()) for element in named]
        mains = [*by_tag["main"], *(element for element, role in roles if role == "main")][:1]
        if len(by_tag["article"]) == 1:  # several articles are a list
            mains += by_tag["article"]
        if mains:
            _remove(by_tag["nav"])
            _remove(element for element, role in roles if role == "navigation")
        for main in mains:
            if text_prefix(main, 1):
                return main
        _remove(element for tag in _FURNITURE for element in by_tag[tag] if _is_furniture(element))
        _remove(element for element, role in roles if role in _FURNITURE_ROLES)
        return self.body

    def _position_in_body(self) -> str:
        """The body starts at the first node that a head cannot contain, even before any <body> tag."""
        if not self._body_position:
            tag = _BODY.search(self.text)
            body = HtmlTree(self.text[: tag.start()]).body if tag else self.body
            first = None if body is None else next(_visible_children(body), None)
            self._body_position = f"after {first}" if first else "in <body>"
        return self._body_position


def text(element: Element) -> str:
    """Its text nodes, one space between them."""
    return " ".join(element.stripped_strings)


def text_prefix(element: Element, characters: int) -> str:
    """Its text, at least so many characters if it has as many; then stops reading."""
    strings: list[str] = []
    for found in element.stripped_strings:
        strings.append(found)
        characters -= len(found) + 1
        if characters < 0:
            break
    return " ".join(strings)


def hrefs(within: Document | Element) -> list[str]:
    """The href of every <a> in a part of a document, as written, in document order."""
    return cast("list[str]", _HREFS(within))


def children(element: Element, most: int) -> int:
    """The number of child elements and texts but white space, up to `most`."""
    return sum(1 for _ in islice(_visible_children(element), most))


def _visible_children(element: Element) -> Iterator[str]:
    for child in element:
        if isinstance(child, Element):
            yield f"<{child.tag}>"
        elif isinstance(child, Text) and child.data.strip(_SPACE):
            yield "text"


def _remove(elements: Iterable[Element]) -> None:
    for element in elements:
        element.decompose()


def in_furniture(element: Element) -> bool:
    """Whether an element is in the furniture of the page, as `HtmlTree.content` has it by tags."""
    found = False
    for parent in islice(element.ancestors, _MAX_ANCESTORS):
        tag = parent.tag if isinstance(parent, Element) else ""
        if tag in _FURNITURE:
            found = True
            if tag in _ALWAYS_FURNITURE:
                break
        elif tag in _SECTIONS:
            found = False
    return found


def _is_furniture(element: Element) -> bool:
    """Whether a <nav>, <aside>, <header> or <footer> is outside of every article and section."""
    if element.tag in _ALWAYS_FURNITURE:
        return True
    ancestors = islice(element.ancestors, _MAX_ANCESTORS)
    return not any(isinstance(parent, Element) and parent.tag in _SECTIONS for parent in ancestors)


def _without_second_head(text: str) -> str:
    """The text without <html> and <head> tags after the head, which turbohtml 1.15 reads as the start of the body.

    The standard ignores them there ("after head" insertion mode) and everywhere later; before <body>, so does
    turbohtml.
    """
    end = text.find("</head")
    if end < 0:
        end = text.find("</HEAD")
    if end < 0 or _BODY_NEXT.match(text, end):
        return text
    after = text[end : end + _AFTER_HEAD]
    tags = after.lower()
    if "<html" not in tags and tags.count("<head") == tags.count("<header"):
        return text
    return text[:end] + _SECOND_HEAD.sub("", after) + text[end + _AFTER_HEAD :]


def _truncate_tags(text: str) -> str:
    """The text with tags truncated to `_MAX_TAG`, between attributes."""
    half = _MAX_TAG // 2  # where there is such a tag, one of these parts has no >
    parts = range(0, len(text) - half, half)
    return _LONG_TAG.sub(r"\1", text) if any(text.find(">", at, at + half) < 0 for at in parts) else text


def _rename_costly(text: str) -> str:
    """The text with `_COSTLY` tags renamed, when it has so many tags that they could be costly."""
    if len(text) < _MIN_COSTLY_SIZE or text.count("<") < _MIN_COSTLY_TAGS:
        return text
    seen: set[str] = set()

    def rename(match: re.Match[str]) -> str:
        name = match[2].lower()
        if name in {"html", "body"} and not match[1] and name not in seen:
            seen.add(name)
            return match[0]
        return f"<{match[1]}x-{match[2]}"

    return _COSTLY.sub(rename, text)


# --- the encoding (HTML-50) ---

_PRESCAN = 1024
"""Bytes; a declaration that starts later is ignored (WHATWG HTML, prescan a byte stream)."""
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_BE, "utf-16-be"), (codecs.BOM_UTF16_LE, "utf-16-le"))
# A declaration in ASCII bytes cannot be in UTF-16 (WHATWG HTML, prescan a byte stream).
_AS_DECLARED = {"utf-16be": "utf-8", "utf-16le": "utf-8", "x-user-defined": "windows-1252"}
_XML = lazy_re(rb"""<\?xml[^>]*?\sencoding\s*=\s*["']([^"'>]*)["']""")
_CONTENT = lazy_re(r"""charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r ;"']+))""", re.IGNORECASE)


def decode_html(body: bytes, label: str) -> str:
    """The text without byte order mark; `label` is the charset of Content-Type, or ""."""
    for mark, codec in _BOMS:
        if body.startswith(mark):
            return body[len(mark) :].decode(codec, "replace")
    name = (label and encoding_of_label(label)) or declared_encoding(body)
    if name:
        return body.decode(name if name == "utf-8" else f"whatwg-{name}", "replace")
    try:
        # Not final: a document truncated inside a character is still UTF-8.
        return codecs.utf_8_decode(body, "strict", False)[0]
    except UnicodeDecodeError:
        return body.decode("cp1252", "replace")


@lru_cache(maxsize=64)
def encoding_of_label(label: str) -> str:
    """The name of an encoding in lower case, "" for an unknown label (WHATWG Encoding, get an encoding)."""
    try:
        return (turbohtml.parse(b"", encoding=label.strip("\t\n\f\r ")).encoding or "").lower()
    except (LookupError, UnicodeEncodeError):
        return ""


def declared_encoding(body: bytes) -> str:
    """The encoding in a <meta> of the first 1,024 bytes, else in the XML declaration; "" without either."""
    start = body[:_PRESCAN]
    if b"charset" in start.lower():
        for token in tokenize(start.decode("latin-1")):
            if token.tag == "meta" and token.type is TokenType.START_TAG and (name := _meta_encoding(token)):
                return _AS_DECLARED.get(name, name)
    xml = _XML.match(start)
    return encoding_of_label(xml[1].decode("ascii", "replace")) if xml else ""


def _meta_encoding(meta: Token) -> str:
    """The encoding in `charset`, or in `content` beside http-equiv=content-type."""
    label = meta.attr("charset")
    if label is None and (meta.attr("http-equiv") or "").lower() == "content-type":
        found = _CONTENT.search(meta.attr("content") or "")
        label = found and (found[1] or found[2] or found[3])
    return encoding_of_label(label) if label else ""
