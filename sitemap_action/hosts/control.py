"""Files that a host or a search engine reads and no sitemap lists (HOST-04)."""

import re

_ERROR_PAGE = re.compile(r"(?:.*/)?(?:40[34]|50[0-9])\.html?\Z")
_VERIFICATION = re.compile(
    r"(?:google[0-9a-f]{16}|yandex_[0-9a-f]{16}|BingSiteAuth|pinterest-[0-9a-f]+)\.(?:html|xml)\Z"
)


def unlisted(path: str) -> str:
    """The reason as text why the file at this path (relative, `/`) is never listed; "" when it may be.

    A page that only looks similar stays: `404/index.html` and `google-fonts.html` are pages.
    """
    if _ERROR_PAGE.match(path):
        return "error page of the host"
    if _VERIFICATION.match(path):
        return "ownership verification file"
    return ""
