"""Documents that need scripts: empty shells of client-rendered pages (HTML-70), redirects in scripts (HTML-47)."""

import re
from collections.abc import Iterable
from itertools import accumulate

from msgspec import Struct
from msgspec.structs import replace
from turbohtml import Element

from sitemap_action.html.fingerprint import count_words
from sitemap_action.html.tree import HtmlTree, children
from sitemap_action.model.page import Facts


class ShellThresholds(Struct, frozen=True):
    """Named as in `render.detect`."""

    content_length: int = 200  # characters of HTML
    child_nodes: int = 5
    script_count: int = 10
    content_per_script: int = 1000  # characters of HTML
    roots: tuple[str, ...] = ("#root", "#__next", "#app")
    loading: tuple[str, ...] = ("loading", "spinner")
    words: int = 50

    @property
    def after_scripts(self) -> "ShellThresholds":
        """For a rendered document: of that only what is seen tells whether something is missing."""
        return replace(self, content_length=0, child_nodes=0, roots=())


DEFAULT_THRESHOLDS = ShellThresholds()


SHORT = "under"
NOTICE = "shows only"
FEW = "children of <body>"
PER_SCRIPT = "characters per script"
CLAUSES = (NOTICE, FEW, PER_SCRIPT)
"""Of each clause that is evidence, and no hint, a part."""
EMPTY = f"no word, link or image in the {FEW}"


def needs_scripts(facts: Facts | None) -> bool:
    """Whether scripts build the document, by its structure; a page that is merely short is complete (HTML-70)."""
    return facts is not None and bool(facts.shell) and not is_hint(facts.shell)


def may_be_stub(clause: str) -> bool:
    """Whether a document of this clause is none where it redirects: there is nothing that a script would fill."""
    return is_hint(clause) or clause == EMPTY


def is_hint(clause: str) -> bool:
    """Whether a clause is only about the length of the document, and not evidence that scripts build it."""
    return clause.startswith(SHORT)


def is_notice(clause: str) -> bool:
    """Whether a clause says that the document shows a loading notice and nothing else."""
    return clause.startswith(NOTICE)


_CONTENT = ("audio", "button", "canvas", "embed", "form", "iframe", "img", "input", "object", "picture", "svg", "video")
NOTICE_WORDS = 10  # a longer text is more than a loading notice
_MAX_SCRIPT = 20_000  # characters of a script that are searched for a redirect
_REDIRECT = re.compile(
    r"""\blocation\s*+(?:=|\.\s*+(?:href\s*+=|(?:replace|assign)\s*+\())\s*+(?:"([^"\n]+)"|'([^'\n]+)')"""
)


_ASSIGNED = re.compile(r"\blocation\s*+(?:=(?!=)|\.\s*+(?:href\s*+=(?!=)|(?:replace|assign)\s*+\())")


def shell_clause(tree: HtmlTree, scripts: int, thresholds: ShellThresholds) -> str:
    """The clause that classifies the document as a shell, as text; "" when none does.

    `tree` is without invisible elements, `scripts` counts those that run.
    """
    if tree.body is None:
        return ""
    root = tree.body.select_one(", ".join(thresholds.roots)) if thresholds.roots else None
    if _holds_content(tree.body if root is None else root, thresholds):
        return ""
    found = _structure(tree.body, root, len(tree.text), scripts, thresholds) or _notice(tree.body, thresholds)
    short = scripts and len(tree.text) < thresholds.content_length
    if found or short or not scripts:
        return found or (f"{SHORT} {thresholds.content_length} characters of HTML" if short else "")
    return EMPTY if _shows_nothing(tree.body) else ""


def is_code(script: Element) -> bool:
    """Whether a <script> is executed: not JSON, not a template."""
    if not (value := script.attr("type")):
        return True
    script_type = value.strip().lower()
    return not script_type or script_type == "module" or "javascript" in script_type or "ecmascript" in script_type


def script_redirect(scripts: Iterable[Element]) -> str:
    """The first URL that an inline script assigns to `location`, as written; a guess, never followed (HTML-47)."""
    found = (_REDIRECT.search(script.text[:_MAX_SCRIPT]) for script in scripts)
    return next((match[1] or match[2] for match in found if match is not None), "")


def goes_elsewhere(scripts: Iterable[Element]) -> bool:
    """Whether an inline script leaves the page, wherever to."""
    return any(_ASSIGNED.search(script.text[:_MAX_SCRIPT]) for script in scripts)


def _structure(body: Element, root: Element | None, length: int, scripts: int, thresholds: ShellThresholds) -> str:
    """The clauses on counts of elements. A document with text and without scripts was rendered on the server."""
    if not scripts and has_words(body, 1):
        return ""
    few = children(body, thresholds.child_nodes) < thresholds.child_nodes
    if root is not None and few:
        return f"{_name(root)} and fewer than {thresholds.child_nodes} {FEW}"
    if few and scripts > thresholds.script_count:
        return f"fewer than {thresholds.child_nodes} {FEW} and more than {thresholds.script_count} scripts"
    if root is not None and length < scripts * thresholds.content_per_script:
        return f"{_name(root)} and under {thresholds.content_per_script} {PER_SCRIPT}"
    return ""


def _shows_nothing(body: Element) -> bool:
    """As where an application takes <body> itself (Svelte), or an element of its own name (Angular, Nuxt)."""
    return not has_words(body, 1) and all(body.find(name) is None for name in _CONTENT)


def _notice(body: Element, thresholds: ShellThresholds) -> str:
    """A loading notice: in the text, or without any text in the class or id of an element."""
    if has_words(body, NOTICE_WORDS + 1):
        return ""
    visible = " ".join(body.strings).lower()
    if not visible.strip():
        names = (element.attr(name) or "" for element in body.find_all(limit=NOTICE_WORDS) for name in ("class", "id"))
        visible = " ".join(names).lower()
    found = (
        word for word in thresholds.loading if re.search(rf"(?<![a-z]){re.escape(word.lower())}(?![a-z])", visible)
    )
    return next((f"{NOTICE} {word!r}" for word in found), "")


def _holds_content(element: Element, thresholds: ShellThresholds) -> bool:
    return element.find("a", href=True) is not None or has_words(element, thresholds.words)


def has_words(element: Element, words: int) -> bool:
    """Whether the text of an element has at least so many words; stops as soon as it has."""
    return any(total >= words for total in accumulate(_count(text, words) for text in element.stripped_strings))


def _count(text: str, most: int) -> int:
    return len(text.split(None, most)) if text.isascii() else count_words(text.encode(errors="replace"))


def _name(root: Element) -> str:
    return f"<{root.tag} id={root.attr('id')}>" if root.attr("id") else f"<{root.tag}>"
