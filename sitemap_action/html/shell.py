"""Whether a document is the empty shell of a page that scripts build in the browser (HTML-70)."""

import re
from dataclasses import dataclass
from itertools import accumulate

from turbohtml import Element

from sitemap_action.html.fingerprint import count_words
from sitemap_action.html.tree import HtmlTree, children

_NOTICE = 10  # words; a longer text says more than that something is loading


@dataclass(frozen=True, slots=True)
class Detect:
    """Thresholds, named as in `render.detect`."""

    content_length: int = 200  # characters of HTML
    child_nodes: int = 5
    script_count: int = 10
    content_per_script: int = 1000  # characters of HTML
    roots: tuple[str, ...] = ("#root", "#__next", "#app")
    loading: tuple[str, ...] = ("loading", "spinner")
    words: int = 50


def is_selector(text: str) -> bool:
    """Whether a text can stand in `roots`."""
    try:
        Element("div").select_one(text)
    except ValueError:
        return False
    return True


def clause(tree: HtmlTree, scripts: int, detect: Detect) -> str:
    """The clause that calls the document a shell, in words; "" when none does.

    `tree` is without unseen elements, `scripts` counts those that run.
    """
    if tree.body is None:
        return ""
    root = tree.body.select_one(", ".join(detect.roots)) if detect.roots else None
    if _holds_content(tree.body if root is None else root, detect):
        return ""
    return _structure(tree.body, root, len(tree.text), scripts, detect) or _notice(tree.body, detect)


def _structure(body: Element, root: Element | None, length: int, scripts: int, detect: Detect) -> str:
    """The four clauses that count. A document with text and without any script was rendered before it came."""
    if not scripts and has_words(body, 1):
        return ""
    few = children(body, detect.child_nodes) < detect.child_nodes
    if length < detect.content_length:
        return f"under {detect.content_length} characters of HTML"
    if root is not None and few:
        return f"{_name(root)} and fewer than {detect.child_nodes} children of <body>"
    if few and scripts > detect.script_count:
        return f"fewer than {detect.child_nodes} children of <body> and more than {detect.script_count} scripts"
    if root is not None and length < scripts * detect.content_per_script:
        return f"{_name(root)} and under {detect.content_per_script} characters per script"
    return ""


def _notice(body: Element, detect: Detect) -> str:
    """A visitor sees that something is loading: the text says so, or there is none and the name of an element does."""
    if has_words(body, _NOTICE + 1):
        return ""
    seen = " ".join(body.strings).lower()
    if not seen.strip():
        names = (element.attr(name) or "" for element in body.find_all(limit=_NOTICE) for name in ("class", "id"))
        seen = " ".join(names).lower()
    said = (word for word in detect.loading if re.search(rf"(?<![a-z]){re.escape(word.lower())}(?![a-z])", seen))
    return next((f"shows only {word!r}" for word in said), "")


def _holds_content(element: Element, detect: Detect) -> bool:
    return element.find("a", href=True) is not None or has_words(element, detect.words)


def has_words(element: Element, words: int) -> bool:
    """Whether the text of an element has at least so many words; reads no further than it must."""
    return any(total >= words for total in accumulate(_count(text, words) for text in element.stripped_strings))


def _count(text: str, most: int) -> int:
    return len(text.split(None, most)) if text.isascii() else count_words(text.encode(errors="replace"))


def _name(root: Element) -> str:
    return f"<{root.tag} id={root.attr('id')}>" if root.attr("id") else f"<{root.tag}>"
