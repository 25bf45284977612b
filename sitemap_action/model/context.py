"""Where and when a run happens, and what it may send: read once from the environment and passed to everything else."""

import re
from collections.abc import Callable
from datetime import datetime
from enum import Enum, StrEnum, auto
from pathlib import PurePath

from msgspec import Struct, field

from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.mask import Access, SecretStruct
from sitemap_action.model.site import SiteShard
from sitemap_action.model.step import Publishing

_LINK = lazy_re(r"https?://[A-Za-z0-9.-]+(?::[0-9]{1,5})?(?:/[A-Za-z0-9_.~%+-]+)*/?(?:\?buildId=[0-9]+)?", re.ASCII)


class ShardResult(Struct, frozen=True):
    """Of `check --shard K/N`."""

    shard: SiteShard
    state: str  # file
    looked_at: int  # URLs, or files of a build
    files: bool  # whether a build was read
    incomplete: tuple[str, ...] = ()  # why not all of it was seen
    interrupted: int = 0  # exit code of the signal that ended the run
    notes: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        return self.interrupted or (3 if self.incomplete else 0)

    def text(self) -> str:
        """What the run has seen, in words."""
        noun, done = ("file", "read") if self.files else ("URL", "asked for")
        many = f"{noun} was" if self.looked_at == 1 else f"{noun}s were"
        lines = [f"shard {self.shard}: {self.looked_at:,} {many} {done}; merge gives the verdict, with {self.state}"]
        lines += [f"note: {note}" for note in self.notes]
        lines += [f"not all of the part was seen: {why}" for why in self.incomplete]
        return "\n".join(lines) + "\n"


OBJECT_ID = lazy_re(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
"""Whole, of SHA-1 or SHA-256."""


def split_list(text: str) -> tuple[str, ...]:
    """The items of an input or a flag, separated by commas or line breaks."""
    return tuple(filter(None, map(str.strip, text.replace(",", "\n").splitlines())))


class Mode(StrEnum):
    """What may be done with the outcome; only `plan` reads it."""

    CHECK = "check"
    WRITE = "write"
    COMMIT = "commit"
    PULL_REQUEST = "pull-request"
    VALIDATE = "validate"  # a sitemap alone, without its site

    @property
    def writes(self) -> bool:
        return self not in {Mode.CHECK, Mode.VALIDATE}

    @property
    def publishes(self) -> bool:
        """Whether the sitemap on a branch is judged, and changed there."""
        return self in {Mode.COMMIT, Mode.PULL_REQUEST}


class PullRequest(Struct, frozen=True):
    """The change that a run checks; "" and 0 where the event does not state a value."""

    number: int = 0
    base_ref: str = ""  # the target branch, without refs/heads/
    base: str = ""  # object id: tip of the target branch; in the merge queue, the commit that the group builds on
    head: str = ""  # object id of the last commit of the change
    merge: str = ""  # object id of the event's commit, on `pull_request` the merge commit
    queued: bool = False  # a group of the merge queue
    guarded: bool = False  # the checkout is not asked which commit it is compared with (S-14)
    start: str = ""  # object id to compare with unless HEAD is the forge's merge commit; or how it begins
    deeper: str = "fetch-depth: 0"  # how the CI is told to check out the whole history


class Deployment(Struct, frozen=True):
    """What `source.url: auto` resolves to: the deployment of a commit, or the event's own."""

    commit: str
    url: str = ""  # "" when it has to be discovered
    environment: str = ""  # of `url`
    trusted: bool = True  # False for a fork's; no secret is sent there


class Forge(SecretStruct, frozen=True):
    """The API of the server that hosts the repository, with its token."""

    api: str  # without final slash: "https://api.github.com"
    repository: str  # owner/name
    token: str
    graphql: str = ""  # "" where it is beside the REST API
    server: str = ""  # that git talks to: "https://github.com"
    relay: Callable[[str, str], bytes] | None = None  # of a process without the token: (URL, media type) → answer


class Detail(Enum):
    """What most runs need not know."""

    PAGES = auto()  # a row for each page
    ALL_PAGES = auto()  # for a large site too
    PATCH = auto()  # both versions of each file that would change
    FINDINGS = auto()  # each finding stands alone, however many are alike


class RunIdentity(Struct, frozen=True):
    """Which run a report is of; "" and 0 for what is not known. What a change names, such as a branch, is hostile."""

    date: str = ""  # in UTC, as RFC 3339 has it
    event: str = ""
    commit: str = ""  # object id: of a pull request the last commit of its source branch
    branch: str = ""
    pull_request: int = 0
    link: str = ""  # address of the run
    repository: str = ""  # its address, without user and password
    config: str = ""  # path of the config file that was read

    @property
    def shown_link(self) -> str:
        """The address of the run where it is one that no Markdown or HTML changes; it comes from the environment."""
        return self.link if _LINK.fullmatch(self.link) else ""


class Context(Struct, frozen=True):
    """The environment of one run."""

    mode: Mode
    now: datetime  # with zone
    workspace: PurePath  # absolute; every path of the config is relative to it
    pull_request: PullRequest | None = None
    access: Access = field(default_factory=Access)
    state: PurePath | None = None  # file that keeps the inventory for a later run
    shard: SiteShard | None = None  # that this run looks at; None for the whole site
    shards: tuple[PurePath, ...] = ()  # states of all shards, or folders of them, that this run merges
    forge: Forge | None = None  # None without a token
    deployment: Deployment | None = None  # None where the event has no commit that could be deployed
    publishing: Publishing = field(default_factory=Publishing)
    judged_at: str = ""  # object id of the commit whose sitemap is judged; "" for the newest of the branch
    details: frozenset[Detail] = frozenset()  # what the reports that are asked for show
    command_line: frozenset[str] = frozenset()  # keys that it sets: a path of these may lead out of the workspace
    event: bool = False  # whether a runner says what the run is for
    identity: RunIdentity = RunIdentity()

    def names(self, key: str) -> bool:
        """Whether the command line sets this key, or the section that it is in."""
        return key in self.command_line or key.partition(".")[0] in self.command_line
