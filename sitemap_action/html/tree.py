"""A document as the tree that browsers build of it: its head as far as engines read it, and its main content."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import cast

import turbohtml
from turbohtml import Axis, Document, Element, Text, XPath

_LARGE = 49_152  # characters; a smaller document cannot hold tags enough to hurt
_MANY = 4096  # tags
_SPACE = "\t\n\f\r "  # white space of HTML: a no-break space is none and ends a head
_AFTER_HEAD = 1000  # characters that are looked at for a second head
_DEEP = 32  # levels that are looked up for an enclosing article

# Two steps of the HTML algorithm cost more than their tag: an unclosed formatting element is made anew in every later
# block, and every further <html> or <body> hands its attributes to the first. As unknown elements they change no fact.
_COSTLY = re.compile(
    r"<(/?)(?=[bcefhinstu])(b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u|html|body)(?=[\s/>])",
    re.IGNORECASE,
)

# A third grows faster than what causes it: ever new attributes of one tag. What comes behind this many characters of
# them is not read. Nothing is cut that holds a quote: in a script it may be a comparison, and the quote the wrong one.
_LONGEST_TAG = 1 << 20
_LONG_TAG = re.compile(rf"""(<[A-Za-z][^<>"']{{{_LONGEST_TAG}}}[^<>"'\s]*+)[^<>"']*+""")

# HTML-21. The tree builder lets three more stand in the head (basefont, bgsound, noframes); Google does not.
_STRANGERS = ":scope > :not(title, meta, link, script, style, base, noscript, template)"

# What surrounds the content, by tag and by role; a header or footer of an article or a section belongs to it.
_AROUND = ("nav", "aside", "header", "footer")
_SECTIONS = frozenset({"article", "section", "main"})
_ROLES = frozenset({"navigation", "banner", "contentinfo", "complementary", "search"})
_UNSEEN = ("script", "style", "noscript", "iframe", "noframes", "noembed")
_PLACES = (*_UNSEEN, *_AROUND, "main", "article")

_HREFS = XPath(".//a/@href")
_TELLING = re.compile(r"<(?:a|area|img|link|meta)[\s/]", re.IGNORECASE)
_AGAIN = re.compile(r"<(?:html|head)(?:\s[^<>]*)?>", re.IGNORECASE)
_BODY_NEXT = re.compile(r"</head\s*>\s*<body[\s/>]", re.IGNORECASE)
_BODY = re.compile(r"<body[\s/>]", re.IGNORECASE)


class HtmlTree:
    """One parsed document. `noscript` says that it is the content of a <noscript>, read as where scripts do not run."""

    __slots__ = ("_body_place", "_document", "_late", "_places", "_stranger", "body", "head", "text")

    def __init__(self, text: str, *, noscript: bool = False) -> None:
        # Scripting is on, as in browsers and in Google's renderer: the content of <noscript> is plain text, so that an
        # <img> in it does not end the head. What it says is read apart (`noscripts`).
        self._document = turbohtml.parse(
            _one_head(_tamed(_cut(text))), positions=False, scripting=not noscript, allow_declarative_shadow_roots=False
        )
        self.text = text
        root = self._document.root
        self.head = None if root is None else root.find("head", axis=Axis.CHILDREN)
        self.body = None if root is None else root.find("body", axis=Axis.CHILDREN)
        self._stranger = None if self.head is None else self.head.select_one(_STRANGERS)
        self._late = frozenset(() if self._stranger is None else self._stranger.next_siblings)
        self._body_place = ""
        self._places: dict[str, list[Element]] = {}
        if self._document.find_all("template"):
            self._document.remove("template")  # HTML-09: what they hold is no part of the document

    def all(self, tag: str) -> list[Element]:
        """Every element of a tag, in document order. The document keeps an index of tags until something is dropped."""
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

    def place(self, element: Element) -> str:
        """Why an element is not in the head as engines read it: "after <img>"; "" when it is (HTML-20, HTML-21)."""
        if self.head is None or element.parent != self.head:
            return self._in_body()
        return f"after <{self._stranger.tag}>" if self._stranger is not None and element in self._late else ""

    def noscripts(self) -> Iterator[tuple["HtmlTree", bool]]:
        """The content of each <noscript> that says anything, and whether it stands in the head (HTML-09)."""
        for element in self.all("noscript"):
            if _TELLING.search(text := element.text):
                yield HtmlTree(text, noscript=True), self.head is not None and element.parent == self.head

    def drop_unseen(self) -> None:
        """Take out what no reader sees, so that text is what the page says."""
        self._places = {tag: self.all(tag) for tag in _PLACES}
        _drop(element for tag in _UNSEEN for element in self._places[tag])

    def content(self) -> Element | None:
        """What holds the main content, after `drop_unseen`; call it last, because it drops what surrounds that."""
        if self.body is None:
            return None
        places = self._places
        # Roles are asked for only where tags do not say it.
        roles = [] if places["main"] else [(element, _role(element)) for element in self._document.select("[role]")]
        mains = [*places["main"], *(element for element, role in roles if role == "main")][:1]
        if len(places["article"]) == 1:  # a list of articles is no main text
            mains += places["article"]
        if mains:
            _drop(places["nav"])
            _drop(element for element, role in roles if role == "navigation")
        for main in mains:
            if beginning(main, 1):
                return main
        _drop(element for tag in _AROUND for element in places[tag] if _is_of_page(element))
        _drop(element for element, role in roles if role in _ROLES)
        return self.body

    def _in_body(self) -> str:
        """The body begins at the first thing that no head can hold, which is an accident before any <body> tag."""
        if not self._body_place:
            tag = _BODY.search(self.text)
            body = HtmlTree(self.text[: tag.start()]).body if tag else self.body
            first = None if body is None else next(_visible_children(body), None)
            self._body_place = f"after {first}" if first else "in <body>"
        return self._body_place


def text(element: Element) -> str:
    """Its text nodes, one space between them."""
    return " ".join(element.stripped_strings)


def beginning(element: Element, characters: int) -> str:
    """Its text, at least so many characters of it where there are so many; reads no further."""
    taken: list[str] = []
    for found in element.stripped_strings:
        taken.append(found)
        characters -= len(found) + 1
        if characters < 0:
            break
    return " ".join(taken)


def hrefs(within: Document | Element) -> list[str]:
    """The href of every <a> in a part of a document, as written, in document order."""
    return cast("list[str]", _HREFS(within))


def children(element: Element, most: int) -> int:
    """How many elements, and texts but white space, stand directly in an element; not counted beyond `most`."""
    return sum(1 for _ in islice(_visible_children(element), most))


def _visible_children(element: Element) -> Iterator[str]:
    for child in element:
        if isinstance(child, Element):
            yield f"<{child.tag}>"
        elif isinstance(child, Text) and child.data.strip(_SPACE):
            yield "text"


def _drop(elements: Iterable[Element]) -> None:
    for element in elements:
        element.decompose()


def _role(element: Element) -> str:
    return (element.attr("role") or "").strip().lower()


def _is_of_page(element: Element) -> bool:
    """Whether a <nav>, <aside>, <header> or <footer> surrounds the content, and is no part of an article or section."""
    if element.tag in {"nav", "aside"}:
        return True
    above = islice(element.ancestors, _DEEP)
    return not any(isinstance(parent, Element) and parent.tag in _SECTIONS for parent in above)


def _one_head(text: str) -> str:
    """The text without <html> and <head> tags right after the head, which turbohtml 1.15 takes for the start of a body.

    The standard ignores them there ("after head" insertion mode) and everywhere later; where <body> comes next, so
    does turbohtml.
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
    return text[:end] + _AGAIN.sub("", after) + text[end + _AFTER_HEAD :]


def _cut(text: str) -> str:
    """The text with no tag longer than `_LONGEST_TAG`, cut between attributes."""
    half = _LONGEST_TAG // 2  # one of these parts has no > at all, where there is such a tag
    parts = range(0, len(text) - half, half)
    return _LONG_TAG.sub(r"\1", text) if any(text.find(">", at, at + half) < 0 for at in parts) else text


def _tamed(text: str) -> str:
    """The text with `_COSTLY` tags renamed, when it holds so many tags that those could hurt."""
    if len(text) < _LARGE or text.count("<") < _MANY:
        return text
    kept: set[str] = set()

    def rename(match: re.Match[str]) -> str:
        name = match[2].lower()
        if name in {"html", "body"} and not match[1] and name not in kept:
            kept.add(name)
            return match[0]
        return f"<{match[1]}x-{match[2]}"

    return _COSTLY.sub(rename, text)
