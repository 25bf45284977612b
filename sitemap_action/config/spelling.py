"""Which spelling of a page's URL is listed: `select.trailing-slash` and `select.html-extension` (URL-21)."""

from enum import StrEnum

from sitemap_action.web.spelling_rules import SpellingRules


class TrailingSlash(StrEnum):
    """The final slash of a page's path."""

    VERIFY = "verify"
    KEEP = "keep"
    ADD = "add"
    REMOVE = "remove"


class HtmlExtension(StrEnum):
    """The `.html` of a page's file."""

    HOST = "host"
    KEEP = "keep"
    DROP = "drop"


_SLASH = {TrailingSlash.ADD: True, TrailingSlash.REMOVE: False}
_HTML = {HtmlExtension.KEEP: True, HtmlExtension.DROP: False}


def spelling_rules(slash: TrailingSlash, html: HtmlExtension) -> SpellingRules:
    """What can be said of a URL alone: `keep` depends on the committed sitemap."""
    return SpellingRules(_SLASH.get(slash), _HTML.get(html))
