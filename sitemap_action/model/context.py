"""Where and when a run happens: read once from the environment, passed to everything else."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import PurePath

from sitemap_action.model.access import Access


class Mode(StrEnum):
    """What may be done with the outcome; only `plan` looks at it."""

    CHECK = "check"
    WRITE = "write"

    @property
    def writes(self) -> bool:
        return self is not Mode.CHECK


@dataclass(frozen=True, slots=True)
class PullRequest:
    """What a run is about when it is about a change; "" and 0 stand for what the event does not say."""

    number: int = 0
    base_ref: str = ""  # the target branch, without refs/heads/
    base: str = ""  # object id: where the target branch was; in the queue, what the group builds on
    head: str = ""  # object id of the last commit of the change
    merge: str = ""  # object id of the commit that the event is about, on `pull_request` the merge commit
    queued: bool = False  # a group of the merge queue


@dataclass(frozen=True, slots=True)
class Deployment:
    """What `source.url: auto` stands for in a run: a commit's, or the one that the event is about."""

    commit: str
    url: str = ""  # "" when it has to be found
    environment: str = ""  # of `url`
    trusted: bool = True  # False: of a fork, and no secret is sent there


@dataclass(frozen=True, slots=True)
class Forge:
    """The server that a repository lives on, and what opens it."""

    api: str  # without final slash: "https://api.github.com"
    repository: str  # owner/name
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Context:
    """The surroundings of one run."""

    mode: Mode
    now: datetime  # with zone
    workspace: PurePath  # absolute; every path of the config is relative to it
    pull_request: PullRequest | None = None
    access: Access = field(default_factory=Access)
    state: PurePath | None = None  # where the inventory is kept for a later run; None: nowhere
    forge: Forge | None = None  # None where no token is given
    deployment: Deployment | None = None  # None where the event is about no commit that could have one
