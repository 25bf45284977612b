"""The scripts of a page, as far as a crawler that runs none must know them."""

import re
from collections.abc import Iterable

from turbohtml import Element

_LONGEST = 20_000  # characters of one script that are looked at
_REDIRECT = re.compile(
    r"""\blocation\s*+(?:=|\.\s*+(?:href\s*+=|(?:replace|assign)\s*+\())\s*+(?:"([^"\n]+)"|'([^'\n]+)')"""
)


def is_code(script: Element) -> bool:
    """Whether a <script> is run: not JSON, not a template."""
    if not (written := script.attr("type")):
        return True
    kind = written.strip().lower()
    return not kind or kind == "module" or "javascript" in kind or "ecmascript" in kind


def redirect(scripts: Iterable[Element]) -> str:
    """The first place that an inline script assigns to `location`, as written; a guess, never followed (HTML-47)."""
    found = (_REDIRECT.search(script.text[:_LONGEST]) for script in scripts)
    return next((match[1] or match[2] for match in found if match is not None), "")
