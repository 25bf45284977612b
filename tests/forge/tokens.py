"""Tokens: who one speaks for, and what it may do."""

from dataclasses import dataclass
from enum import StrEnum

from forge.repository import Person

ACTIONS_LOGIN = "github-actions[bot]"
_LEVELS = ("none", "read", "write")


class Kind(StrEnum):
    ACTIONS = "actions"  # GITHUB_TOKEN of a workflow
    APP = "app"  # of an installed GitHub App
    FINE_GRAINED = "fine-grained"  # a person's, with permissions
    CLASSIC = "classic"  # a person's, with scopes

    @property
    def installation(self) -> bool:
        return self in (Kind.ACTIONS, Kind.APP)


@dataclass(frozen=True)
class Token:
    """The permissions are none, read or write."""

    value: str
    login: str = ACTIONS_LOGIN
    kind: Kind = Kind.ACTIONS
    contents: str = "write"
    pull_requests: str = "write"
    issues: str = "write"
    deployments: str = "read"
    administration: str = "none"
    repositories: frozenset[str] | None = None  # None: all of them

    def may(self, wanted: str) -> bool:
        """`contents=write`, or several such separated by `|`, of which one is enough; "" needs nothing."""
        return not wanted or any(self._may(one) for one in wanted.split("|"))

    def _may(self, wanted: str) -> bool:
        name, _, level = wanted.partition("=")
        return _LEVELS.index(getattr(self, name)) >= _LEVELS.index(level)

    def reaches(self, full_name: str) -> bool:
        return self.repositories is None or full_name in self.repositories

    @property
    def person(self) -> Person:
        """As the author of commits."""
        number = 41898282 if self.login == ACTIONS_LOGIN else 1000
        return Person(self.login, f"{number}+{self.login}@users.noreply.github.com")

    @property
    def refusal(self) -> str:
        """GitHub's words when a permission is missing."""
        if self.kind.installation:
            return "Resource not accessible by integration"
        if self.kind is Kind.FINE_GRAINED:
            return "Resource not accessible by personal access token"
        return "Not Found"  # a scope that is missing hides what it protects
