"""Which page an entry names: only http and https leave here, without user names, fragments or control characters."""

import re

from sitemap_action.web.urls import BadUrl, normal, origin

# What RFC 3986 knows; anything else is not handed on as it was written.
_WRITTEN = re.compile(r"https?://[\w.~:/?\[\]@!$&'()*+,;=%-]+", re.ASCII | re.IGNORECASE)


def identify(loc: str, base: str) -> tuple[str, str]:
    """(identity, what was put right) of a URL; `base`: the document's own, "" when it has none.

    Nothing was put right when the code is "". Raises BadUrl, whose code says why the URL identifies no page.
    """
    try:
        key = normal(loc)
    except BadUrl as bad:
        if bad.code != "not-absolute" or not loc.startswith("//") or not base:
            raise
        return normal(f"{base.partition(':')[0]}:{loc}"), "loc-schemeless"
    return key, "loc-fragment" if "#" in loc else ""


def written(loc: str, key: str) -> str:
    """The URL as its sitemap spells it where that is a URL (RFC 3986), else its identity."""
    bare = loc.partition("#")[0]
    return bare if _WRITTEN.fullmatch(bare) else key


def site(url: str) -> str:
    """The site that a URL is part of, for children and entries: its host, with or without `www.`, under any scheme.

    Stricter is SM-28, which is a finding; what is only spelled otherwise is still read. Raises BadUrl.
    """
    return origin(url).partition("://")[2].removeprefix("www.")
