"""What a host profile answers: which file serves a path, where a path redirects, where a file is listed."""

from collections.abc import Container
from dataclasses import dataclass
from typing import Protocol, TypeAlias


@dataclass(frozen=True, slots=True)
class Serve:
    """The path answers 200 with this file, named relative to the build directory with `/`."""

    path: str


@dataclass(frozen=True, slots=True)
class Redirect:
    """The path answers with a redirect to another path of the same site, percent-encoded."""

    to: str
    status: int


@dataclass(frozen=True, slots=True)
class Missing:
    """No file answers: 404."""


HostAnswer: TypeAlias = Serve | Redirect | Missing


class Host(Protocol):
    """One static host's rules. URL paths are percent-encoded, start with `/` and are relative to the deployment."""

    @property
    def name(self) -> str: ...

    def address(self, path: str) -> str:
        """The URL path under which the host lists this file."""
        ...

    def answer(self, url_path: str, files: Container[str]) -> HostAnswer: ...
