"""What every fetcher takes and gives: a request, and a response or the reason why there is none."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, TypeAlias


class Want(StrEnum):
    """What is asked for; sets caps, accepted types and redirect handling."""

    PAGE = "page"
    ROBOTS = "robots"


@dataclass(frozen=True, slots=True)
class Request:
    """One URL to ask for, in normal form."""

    url: str
    want: Want = Want.PAGE


@dataclass(frozen=True, slots=True)
class Response:
    """An answer. A redirect is one too: `target` is where it leads, and nobody has gone there."""

    url: str
    status: int
    headers: tuple[tuple[str, str], ...] = ()  # names lower-case, repeated headers kept apart (HTML-12)
    body: bytes = b""
    target: str = ""
    path: str = ""  # the file that answered, relative to the build directory


@dataclass(frozen=True, slots=True)
class Skip:
    """No usable answer: undetermined, never gone (HTML-40)."""

    url: str
    reason: str
    path: str = ""  # the file that could not be read, relative to the build directory


Answer: TypeAlias = Response | Skip


class Fetcher(Protocol):
    """A failed page is a value, never an exception."""

    async def fetch(self, request: Request) -> Answer: ...
