"""Whether scripts build a document, before its facts are read: a browser may have to render it first (HTML-70)."""

import re

from sitemap_action.html import shell
from sitemap_action.html.shell_thresholds import ShellThresholds
from sitemap_action.html.tree import HtmlTree
from sitemap_action.web import charset
from sitemap_action.web.headers import Headers, content_type

_SCRIPT = re.compile(rb"<script", re.IGNORECASE)


def needs_rendering(body: bytes, headers: Headers, thresholds: ShellThresholds) -> bool:
    """As the facts will say: a document that is merely short is complete."""
    if not _SCRIPT.search(body):
        return False
    _, label = content_type(headers)
    markup, _ = charset.decode(body, label)
    tree = HtmlTree(markup)
    scripts = [script for script in tree.all("script") if shell.is_code(script)]
    tree.remove_invisible()
    clause = shell.shell_clause(tree, len(scripts), thresholds)
    return bool(clause) and not shell.is_hint(clause)
