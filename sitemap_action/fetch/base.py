"""What every fetcher takes and gives: a request, and a response or the reason why there is none."""

from collections.abc import Coroutine
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, Protocol, TypeAlias

Headers: TypeAlias = tuple[tuple[str, str], ...]


class Want(StrEnum):
    """What a request is for; sets caps, accepted types and redirect handling."""

    PAGE = "page"
    ROBOTS = "robots"  # follows redirects inline, five hops at most (RB-19)
    SITEMAP = "sitemap"  # the same
    PROBE = "probe"  # a random path: what the host says of a page that is not there (HTML-46)
    WAIT = "wait"  # is the marker served yet


@dataclass(frozen=True, slots=True)
class Request:
    """One URL to ask for, in normal form."""

    url: str
    want: Want = Want.PAGE
    etag: str = ""  # validators of an earlier answer: the server may say 304
    modified: str = ""
    headers: Headers = field(default=(), repr=False)  # secrets: only the guard adds them (NET-12)


class Response(NamedTuple):
    """An answer. A redirect is one too: `target` is where it leads, and nobody has gone there."""

    url: str
    status: int
    headers: Headers = ()  # names lower-case, repeated headers kept apart (HTML-12)
    body: bytes = b""
    target: str = ""
    path: str = ""  # the file that answered, relative to the build directory
    unread: bool = False  # the body was left on the wire: its media type is not one that was wanted
    hops: tuple[str, ...] = ()  # URLs that redirects led through, where they are followed inline; the last one answered
    seconds: float = 0.0  # until the first byte of the answer


class Failure(StrEnum):
    """Why there is no usable answer."""

    REFUSED = "refused"  # by our own guard: nothing was sent
    DNS = "dns"
    CONNECT = "connect"
    TLS = "tls"
    TIMEOUT = "timeout"
    BROKEN = "broken"  # reset, cut short, not HTTP
    TOO_LARGE = "too-large"
    REDIRECTS = "redirects"  # too many, where they are followed inline
    BUSY = "busy"  # asked to wait longer than is allowed (NET-05)
    FILE = "file"  # a file of the build that cannot be read


class Skip(NamedTuple):
    """No usable answer: undetermined, never gone (HTML-40)."""

    url: str
    reason: str
    path: str = ""  # the file that could not be read, relative to the build directory
    failure: Failure = Failure.FILE


Answer: TypeAlias = Response | Skip
Asking: TypeAlias = Coroutine[object, object, Answer]
"""What `fetch` returns; a fetcher round another hands on the one from inside where it has nothing to add."""


class Fetcher(Protocol):
    """A failed page is a value, never an exception."""

    def fetch(self, request: Request) -> Asking: ...


class Engine(Fetcher, Protocol):
    """A fetcher that holds connections until it is closed."""

    async def close(self) -> None: ...
