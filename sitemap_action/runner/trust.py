"""Event × trust → what may happen: the one table, for the code and for the README."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from sitemap_action.runner.event import payload_of, text_of

_BOT = "dependabot[bot]"


class Whose(StrEnum):
    """Who wrote what is looked at."""

    OWN = "the repository's own"
    FORK = "a fork's, also a deleted one's"
    BOT = "Dependabot's"
    ANYBODY = "anybody's"


class ConfigSource(StrEnum):
    """Where the config file is read."""

    CHECKOUT = "the checkout"
    COMMIT = "the commit of the workflow (`GITHUB_SHA`)"


@dataclass(frozen=True, slots=True)
class Trust:
    """One row; a row without events stands for every event that no other row names."""

    events: tuple[str, ...]
    whose: tuple[Whose, ...]
    config: ConfigSource
    writes: bool  # mode: write is carried out; else it is a check
    gives: str  # what GitHub hands to such a run, for the README


_SECRETS = "secrets, the token as `permissions` say"
_NONE = "no secrets, a token that can only read"

TABLE = (
    Trust(
        ("push", "schedule", "workflow_dispatch", "repository_dispatch", "release", "create", "merge_group"),
        (Whose.OWN,),
        ConfigSource.CHECKOUT,
        writes=True,
        gives=_SECRETS,
    ),
    Trust(("deployment", "deployment_status"), (Whose.ANYBODY,), ConfigSource.CHECKOUT, writes=True, gives=_SECRETS),
    Trust(("pull_request",), (Whose.OWN,), ConfigSource.CHECKOUT, writes=True, gives=_SECRETS),
    Trust(("pull_request",), (Whose.FORK, Whose.BOT), ConfigSource.CHECKOUT, writes=True, gives=_NONE),
    Trust(("pull_request_target", "workflow_run"), (Whose.OWN,), ConfigSource.COMMIT, writes=True, gives=_SECRETS),
    Trust(
        ("pull_request_target", "workflow_run"),
        (Whose.FORK, Whose.BOT),
        ConfigSource.COMMIT,
        writes=False,
        gives=_SECRETS,
    ),
    Trust((), (Whose.ANYBODY,), ConfigSource.COMMIT, writes=False, gives=_SECRETS),
)

_ELSEWHERE = Trust((), (Whose.OWN,), ConfigSource.CHECKOUT, writes=True, gives="")


def trust(environment: Mapping[str, str], event: bytes) -> Trust:
    """The row for a run. Without an event nobody's runner is at work, and whoever starts the program decides."""
    name = environment.get("GITHUB_EVENT_NAME", "")
    if not name:
        return _ELSEWHERE
    rows = [row for row in TABLE if name in row.events] or [row for row in TABLE if not row.events]
    if len(rows) == 1:
        return rows[0]
    whose = _whose(environment, payload_of(event))
    return next(row for row in rows if whose in row.whose)


def _whose(environment: Mapping[str, str], event: Mapping[str, object]) -> Whose:
    request, run = event.get("pull_request"), event.get("workflow_run")
    author = text_of(request, "user", "login") or text_of(run, "actor", "login")
    if _BOT in {author, environment.get("GITHUB_ACTOR")}:
        return Whose.BOT
    return Whose.FORK if of_fork(environment, event) else Whose.OWN


def of_fork(environment: Mapping[str, str], event: Mapping[str, object]) -> bool:
    """A repository that is not named as this one's is a fork's: of a deleted fork the event says null."""
    head = text_of(event, "pull_request", "head", "repo", "full_name")
    head = head or text_of(event, "workflow_run", "head_repository", "full_name")
    here = environment.get("GITHUB_REPOSITORY") or text_of(event, "repository", "full_name")
    return not head or head.lower() != here.lower()
