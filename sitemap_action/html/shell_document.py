"""Whether scripts build a document, before its facts are read: a browser may have to render it first (HTML-70)."""

import re
from collections.abc import Sequence

from turbohtml import Element

from sitemap_action.html import head, shell, shell_clauses
from sitemap_action.html.meta_tags import read_meta_tags
from sitemap_action.html.shell_thresholds import ShellThresholds
from sitemap_action.html.tree import HtmlTree
from sitemap_action.web import charset
from sitemap_action.web.headers import Headers, content_type

_SCRIPT = re.compile(rb"<script", re.IGNORECASE)


def needs_rendering(body: bytes, headers: Headers, url: str, thresholds: ShellThresholds) -> bool:
    """As the facts will say: a document that is merely short is complete, and one that redirects is no page."""
    if not _SCRIPT.search(body):
        return False
    _, label = content_type(headers)
    markup, _ = charset.decode(body, label)
    tree = HtmlTree(markup)
    scripts = [script for script in tree.all("script") if shell.is_code(script)]
    refresh = head.refresh_of(headers, url, read_meta_tags(tree.all("meta")), head.base_url(tree, url))
    goes = refresh is not None or _only_redirects(scripts)
    tree.remove_invisible()
    clause = shell.shell_clause(tree, len(scripts), thresholds)
    return bool(clause) and not shell_clauses.is_hint(clause) and not (goes and shell_clauses.may_be_stub(clause))


def _only_redirects(scripts: Sequence[Element]) -> bool:
    """Whether no script is there that could make a page of the document instead of leaving it."""
    if any(script.attr("src") or "import" in script.text for script in scripts):
        return False
    return bool(shell.script_redirect(scripts))
