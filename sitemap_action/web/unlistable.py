"""URLs that a page may link to and no sitemap can list: malformed, with a password, too long (URL-20, URL-30, URL-32).

They are never requested; each has a row with the reason.
"""

from collections.abc import Callable

from sitemap_action.web.urls import MAX_LENGTH, BadUrl, join, normalize

MAX_LISTED = 2048
"""Characters from which on no sitemap takes a URL (SM-22)."""

_USER = "***@"  # in the place of user name and password, which no log or report may have
_RULES = {"userinfo": "URL-20", "malformed-escape": "URL-30"}


def unlistable_link(base: str, href: str) -> str:
    """The address that such a link names, without its password; "" for a link that is none or may be listed."""
    url = join(base, href)
    if url is None or not url.startswith(("https://", "http://")):
        return ""
    url = without_password(url.partition("#")[0])[: MAX_LENGTH + 1]
    return url if why_unlistable(url) else ""


def without_password(url: str) -> str:
    scheme, separator, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{separator}{_USER}{host.rpartition('@')[2]}{slash}{path}" if "@" in host else url


def why_unlistable(url: str) -> str:
    """The reason as text; "" for a URL that a sitemap may list."""
    if len(url) > MAX_LENGTH:
        return f"the URL has more than {MAX_LENGTH:,} characters (URL-32)"
    if "%" in url or "@" in url:
        try:
            normalize(url)
        except BadUrl as bad:
            rule = _RULES.get(bad.code)
            return f"{bad} ({rule})" if rule else str(bad)
    if len(url) >= MAX_LISTED:
        return f"the URL has {len(url):,} characters, and a sitemap takes fewer than {MAX_LISTED:,} (URL-32)"
    return ""


def mapped(url: str, to_site: Callable[[str], str]) -> str:
    """The URL as `to_site` maps it, whether or not it has a password."""
    on_site = to_site(url.replace(_USER, "", 1))
    return on_site.replace("://", f"://{_USER}", 1) if f"://{_USER}" in url else on_site


def is_below(url: str, directory: str) -> bool:
    """Whether the URL without its password is below a directory."""
    return url.replace(_USER, "", 1).startswith(directory)
