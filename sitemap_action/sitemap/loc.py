"""The URL that a <loc> names, in normal form: http or https, without user name, fragment or control character."""

import re

from sitemap_action.web.urls import BadUrl, normal_form, normalize, origin

_RFC_3986 = re.compile(r"https?://[\w.~:/?\[\]@!$&'()*+,;=%-]+", re.ASCII | re.IGNORECASE)


def normalize_loc(loc: str, base: str) -> tuple[str, str]:
    """(normal form, code of what was corrected) of a URL; `base`: URL of the document, "" when it has none.

    The code is "" when nothing was corrected. Raises BadUrl, whose code is why the URL identifies no page.
    """
    try:
        url = normalize(loc)
    except BadUrl as bad:
        if bad.code != "not-absolute" or not loc.startswith("//") or not base:
            raise
        return normalize(f"{base.partition(':')[0]}:{loc}"), "loc-schemeless"
    return url, "loc-fragment" if "#" in loc else ""


def url_key(loc: str) -> str:
    """The normal form of a URL, or its text when it is none."""
    return normal_form(loc) or loc


def original_spelling(loc: str, url: str) -> str:
    """The URL as the sitemap spells it, without fragment, where RFC 3986 allows that; else its normal form `url`."""
    bare = loc.partition("#")[0]
    return bare if _RFC_3986.fullmatch(bare) else url


def site_host(url: str) -> str:
    """The host of a URL without `www.`: children and entries on the same one are read, under any scheme.

    SM-28 is stricter, and a finding. Raises BadUrl.
    """
    return origin(url).partition("://")[2].removeprefix("www.")
