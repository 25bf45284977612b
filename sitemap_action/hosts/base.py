"""What a host profile offers: made for one build, it answers for a URL as the host's server would."""

import re
from collections.abc import Callable, Container
from typing import NamedTuple, Protocol, TypeAlias

# A 404.html is that of its directory too; another number further down may be an article.
_ERROR_PAGE = re.compile(r"(?:(?:.*/)?404|403|500)\.html?\Z")
_VERIFICATION = re.compile(
    r"(?:google[0-9a-f]{16}|yandex_[0-9a-f]{16}|BingSiteAuth|pinterest-[0-9a-f]+)\.(?:html|xml)\Z"
)

ReadFile: TypeAlias = Callable[[str], bytes | None]
"""The content of a file of the build by its name relative to the build directory; None when there is no such file."""


class HostResponse(NamedTuple):
    """A server's response for one URL path, the body still unread."""

    status: int
    file: str = ""  # whose content is the body: relative to the build directory, with `/`
    location: str = ""  # redirect target, percent-encoded: a path below the deployment, or an absolute URL
    # Names in lower case, repeated ones kept apart; a Content-Type only where it is not the one of the suffix.
    headers: tuple[tuple[str, str], ...] = ()


class Host(Protocol):
    """One host serving one build; can be pickled, for the worker processes that read pages.

    URL paths are percent-encoded, start with `/` and are relative to the deployment.
    """

    def address(self, path: str, /) -> str:
        """The URL path under which the file at this path is listed."""
        ...

    def answer(self, url_path: str, /) -> HostResponse: ...


class HostProfile(Protocol):
    """The rules of one static host."""

    @property
    def name(self) -> str: ...

    def build(self, files: Container[str], read: ReadFile, /) -> Host:
        """`files`: paths of the build; `read`: for the host's control files, called before this returns only."""
        ...


def unlisted(path: str) -> str:
    """The reason as text why no host lists the file at this path (relative, `/`); "" when it may be listed (HOST-04).

    A page that only looks similar stays: `404/index.html` and `google-fonts.html` are pages.
    """
    if _ERROR_PAGE.match(path):
        return "error page of the host"
    if _VERIFICATION.match(path):
        return "ownership verification file"
    return ""
