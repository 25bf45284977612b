"""The clause of the facts of a page that says why it is a shell (HTML-70), as text."""

from sitemap_action.model.page import Facts

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
