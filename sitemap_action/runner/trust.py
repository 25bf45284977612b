"""Event × author → what a run may do: the one table, for the code and for docs/permissions.md."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from sitemap_action.runner.event import is_fork, parse_payload, text_at

_BOT = "dependabot[bot]"


class Author(StrEnum):
    """Who wrote the change that a run checks."""

    REPOSITORY = "the repository's own"
    FORK = "a fork's, also a deleted one's"
    BOT = "Dependabot's"
    ANYONE = "anybody's"


class ConfigSource(StrEnum):
    """Where the config file is read from."""

    CHECKOUT = "the checkout"
    COMMIT = "the commit of the workflow (`GITHUB_SHA`)"


class Trust(Struct, frozen=True):
    """One row; the row without events is for every event that no other row names."""

    events: tuple[str, ...]
    authors: tuple[Author, ...]
    config: ConfigSource
    writes: bool  # whether mode: write writes; else it is a check
    publishes: bool  # whether commits, pull requests and comments are written; else the run is a check
    credentials: str  # what GitHub gives such a run, for docs/permissions.md

    @property
    def state(self) -> bool:
        """Whether a state is believed: on a change of others an earlier step may have run their code, which made it."""
        return not {Author.FORK, Author.BOT} & {*self.authors} and (bool(self.events) or self is _NO_RUNNER)


_SECRETS = "secrets, the token as `permissions` say"
_READ_ONLY = "no secrets, a token that can only read"

_PUSHES = ("push", "schedule", "workflow_dispatch", "repository_dispatch", "release", "create", "merge_group")
_DEPLOYMENTS = ("deployment", "deployment_status")
_DEFAULT_BRANCH = ("pull_request_target", "workflow_run")
_OTHERS = (Author.FORK, Author.BOT)
_CHECKOUT, _COMMIT = ConfigSource.CHECKOUT, ConfigSource.COMMIT

TABLE = (
    Trust(_PUSHES, (Author.REPOSITORY,), _CHECKOUT, writes=True, publishes=True, credentials=_SECRETS),
    Trust(_DEPLOYMENTS, (Author.ANYONE,), _CHECKOUT, writes=True, publishes=True, credentials=_SECRETS),
    Trust(("pull_request",), (Author.REPOSITORY,), _CHECKOUT, writes=True, publishes=True, credentials=_SECRETS),
    Trust(("pull_request",), _OTHERS, _CHECKOUT, writes=True, publishes=False, credentials=_READ_ONLY),
    Trust(_DEFAULT_BRANCH, (Author.REPOSITORY,), _COMMIT, writes=True, publishes=True, credentials=_SECRETS),
    Trust(_DEFAULT_BRANCH, _OTHERS, _COMMIT, writes=False, publishes=False, credentials=_SECRETS),
    Trust((), (Author.ANYONE,), _COMMIT, writes=False, publishes=False, credentials=_SECRETS),
)

_NO_RUNNER = Trust((), (Author.REPOSITORY,), ConfigSource.CHECKOUT, writes=True, publishes=True, credentials="")


def trust(environment: Mapping[str, str], event: bytes) -> Trust:
    """The row for a run. Outside of a runner there is no event, and the user who starts the program decides."""
    name = environment.get("GITHUB_EVENT_NAME", "")
    if not name:
        return _NO_RUNNER
    rows = [row for row in TABLE if name in row.events] or [row for row in TABLE if not row.events]
    if len(rows) == 1:
        return rows[0]
    author = _author(environment, parse_payload(event))
    return next(row for row in rows if author in row.authors)


def _author(environment: Mapping[str, str], event: Mapping[str, object]) -> Author:
    request, run = event.get("pull_request"), event.get("workflow_run")
    login = text_at(request, "user", "login") or text_at(run, "actor", "login")
    if _BOT in {login, environment.get("GITHUB_ACTOR")}:
        return Author.BOT
    return Author.FORK if is_fork(environment, event) else Author.REPOSITORY
