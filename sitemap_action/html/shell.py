"""Documents that need scripts: empty shells of client-rendered pages (HTML-70), redirects in scripts (HTML-47)."""

import re
from collections.abc import Iterable, Sequence
from itertools import accumulate

from turbohtml import Element

from sitemap_action.html.fingerprint import count_words
from sitemap_action.html.tree import HtmlTree, children
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.page import Shell, ShellKind, ShellThresholds

_STUBS = frozenset({ShellKind.SHORT, ShellKind.SCANT, ShellKind.NOTHING})
_MOUNTS = frozenset({"div", "main", "section"})
_MOUNT_WORDS = 10  # a logo and a heading may be there before


def may_be_stub(shell: Shell) -> bool:
    """Whether the document is no shell where it redirects: there is nothing in it that a script would fill."""
    return shell.kind in _STUBS


_CONTENT = ("audio", "button", "canvas", "embed", "form", "iframe", "img", "input", "object", "picture", "svg", "video")
NOTICE_WORDS = 10  # a longer text is more than a loading notice
_MAX_SCRIPT = 20_000  # characters of a script that are searched for a redirect
_REDIRECT = lazy_re(
    r"""\blocation\s*+(?:=|\.\s*+(?:href\s*+=|(?:replace|assign)\s*+\())\s*+(?:"([^"\n]+)"|'([^'\n]+)')"""
)


_ASSIGNED = lazy_re(r"\blocation\s*+(?:=(?!=)|\.\s*+(?:href\s*+=(?!=)|(?:replace|assign)\s*+\())")


def find_shell(tree: HtmlTree, code: Sequence[Element], thresholds: ShellThresholds) -> Shell | None:
    """The first clause of HTML-70 that the document meets; None when it meets none.

    `tree` is without invisible elements; `code`: the scripts that run.
    """
    body, length, scripts = tree.body, len(tree.text), len(code)
    root = body.select_one(", ".join(thresholds.roots)) if body is not None and thresholds.roots else None
    if body is None or _holds_content(body if root is None else root, thresholds.words):
        return _scant(body, code, thresholds) if body is not None and root is None else None
    if shell := _structure(body, root, length, scripts, thresholds):
        return shell
    if word := _loading_word(body, thresholds):
        return Shell(ShellKind.NOTICE, f"shows only {word!r}", "render.detect.loading")
    return _scant(body, code, thresholds) or (_hint(body, length, thresholds) if code else None)


def _hint(body: Element, length: int, thresholds: ShellThresholds) -> Shell | None:
    if length < thresholds.content_length:
        key = "render.when: always renders it"
        return Shell(ShellKind.SHORT, f"under {thresholds.content_length} characters of HTML", key)
    clause, key = "no word, link or image in the children of <body>", "render.when: never keeps it as served"
    return Shell(ShellKind.NOTHING, clause, key) if _is_blank(body) else None


def _scant(body: Element, code: Sequence[Element], thresholds: ShellThresholds) -> Shell | None:
    """G-06: few words, a script that waits for the document, and an element without links that it may fill."""
    waits = any(one.attr("type") == "module" for one in code)
    waits = waits or (any(one.attr("defer") is not None for one in code) and body.find("a", href=True) is None)
    if not (waits and thresholds.child_nodes) or has_words(body, thresholds.words):
        return None
    mount = next(
        (one for one in body.select("[id]") if one.tag in _MOUNTS and not _holds_content(one, _MOUNT_WORDS)), None
    )
    clause = f"under {thresholds.words} words beside a script that waits for the document"
    return None if mount is None else Shell(ShellKind.SCANT, f"{clause}, and {_name(mount)}", "render.detect.words")


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


def _structure(
    body: Element, root: Element | None, length: int, scripts: int, thresholds: ShellThresholds
) -> Shell | None:
    """The clauses on counts of elements. A document with text and without scripts was rendered on the server."""
    if not scripts and has_words(body, 1):
        return None
    few = children(body, thresholds.child_nodes) < thresholds.child_nodes
    clause, key = f"fewer than {thresholds.child_nodes} children of <body>", "render.detect.roots"
    if root is not None and few:
        clause = f"{_name(root)} and {clause}"
    elif few and scripts > thresholds.script_count:
        clause, key = f"{clause} and more than {thresholds.script_count} scripts", "render.detect.script-count"
    elif root is not None and length < scripts * thresholds.content_per_script:
        clause = f"{_name(root)} and under {thresholds.content_per_script} characters per script"
        key = "render.detect.content-per-script"
    else:
        return None
    return Shell(ShellKind.STRUCTURE, clause, key)


def _is_blank(body: Element) -> bool:
    """Whether nothing is seen: an application takes <body> itself (Svelte), or an element of its own name (Angular)."""
    return not has_words(body, 1) and all(body.find(name) is None for name in _CONTENT)


def _loading_word(body: Element, thresholds: ShellThresholds) -> str:
    """The word of a loading notice: in the text, or without any text in the class or id of an element."""
    if has_words(body, NOTICE_WORDS + 1):
        return ""
    visible = " ".join(body.strings).lower()
    if not visible.strip():
        names = (element.attr(name) or "" for element in body.find_all(limit=NOTICE_WORDS) for name in ("class", "id"))
        visible = " ".join(names).lower()
    found = (
        word for word in thresholds.loading if re.search(rf"(?<![a-z]){re.escape(word.lower())}(?![a-z])", visible)
    )
    return next(found, "")


def _holds_content(element: Element, words: int) -> bool:
    return element.find("a", href=True) is not None or has_words(element, words)


def has_words(element: Element, words: int) -> bool:
    """Whether the text of an element has at least so many words; stops as soon as it has."""
    counts = (
        len(text.split(None, words)) if text.isascii() else count_words(text.encode(errors="replace"))
        for text in element.stripped_strings
    )
    return any(total >= words for total in accumulate(counts))


def _name(root: Element) -> str:
    return f"<{root.tag} id={root.attr('id')}>" if root.attr("id") else f"<{root.tag}>"
