"""The state that both servers share: repositories, tokens, pull requests, comments, and what a test has planned."""

import copy
import itertools
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

from forge.faults import Planned, Play
from forge.repository import Protection, Repository
from forge.server import Answer, DroppedError, Request
from forge.tokens import Kind, Token

_T = TypeVar("_T")
STARTED = "2026-11-20T12:00:00Z"


@dataclass
class Comment:
    number: int  # its id
    issue: int
    login: str
    body: str
    repository: str
    minimized: bool = False


@dataclass
class Pull:
    """A pull request; `head_repository` is None when the fork is deleted."""

    number: int
    repository: Repository
    head_repository: Repository | None
    head: str
    base: str
    title: str
    body: str
    login: str
    draft: bool = False
    locked: bool = False
    state: str = "open"
    merged: bool = False
    merge_of: tuple[str, str] = ("", "")
    head_sha: str = ""  # while closed, what it was when it was closed
    labels: list[str] = field(default_factory=list)
    reviewers: list[str] = field(default_factory=list)  # asked for; `org/team` is a team
    reviews: list[str] = field(default_factory=list)  # logins of those who have given one
    assignees: list[str] = field(default_factory=list)
    auto_merge: str = ""  # its method
    auto_merge_disabled: int = 0  # how often somebody has turned it off
    head_owner: str = field(init=False)

    def __post_init__(self) -> None:
        self.head_owner = (self.head_repository or self.repository).owner

    @property
    def label(self) -> str:
        return f"{self.head_owner}:{self.head}"


@dataclass
class Issue:
    number: int
    repository: Repository
    login: str
    title: str
    body: str
    state: str = "open"
    state_reason: str | None = None
    locked: bool = False
    labels: list[str] = field(default_factory=list)
    assignees: list[str] = field(default_factory=list)


@dataclass
class Deployment:
    """`statuses`: state and environment_url, the oldest first."""

    number: int
    repository: str
    commit: str
    environment: str
    statuses: list[tuple[str, str]]


@dataclass(frozen=True)
class Logged:
    """A request that was received, and how it was answered; 0: it was not."""

    line: str  # "POST /repos/o/r/pulls"
    request: Request
    token: Token | None
    status: int
    names: tuple[str, ...]  # the line, and the GraphQL fields that were asked for


@dataclass(frozen=True)
class Change:
    """A request that changed something: the number counts from 1."""

    number: int
    name: str  # "POST /repos/o/r/git/blobs", "createCommitOnBranch", "push"
    repository: str


@dataclass(frozen=True)
class RefUpdate:
    """A reference is about to move."""

    repository: Repository
    ref: str
    old: str
    new: str


class Hub:
    """One GitHub. A test may replace `before_request` (which gets the names that `fail` knows), `before_ref_update` (after
    all checks, so that what is pushed in it wins) and `after_change`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.api_url = self.server_url = ""
        self.lock = threading.RLock()
        self.repositories: dict[str, Repository] = {}
        self.tokens: dict[str, Token] = {}
        self.pulls: dict[str, list[Pull]] = {}
        self.comments: dict[str, list[Comment]] = {}
        self.issues: dict[str, list[Issue]] = {}
        self.collaborators = {"mona", "hubot"}  # who may be asked for a review, and assigned
        self.teams = {"docs"}
        self.auto_merge_allowed = True  # the setting of the repository
        self.mergeable_now = False  # nothing has to be waited for: GitHub refuses auto-merge
        self.deployments: list[Deployment] = []
        self.labels: dict[str, set[str]] = {}
        self.actions_may_open_pulls = True  # "Allow GitHub Actions to create and approve pull requests"
        self.graphql_limit = 45_000_000  # bytes of one request
        self.log: list[Logged] = []
        self.changes: list[Change] = []
        self.violations: list[str] = []
        self.before_request: Callable[[tuple[str, ...]], None] = lambda _: None
        self.before_ref_update: Callable[[RefUpdate], None] = lambda _: None
        self.after_change: Callable[[Change], None] = lambda _: None
        self.down = False
        self._planned: list[Planned] = []
        self._stop_at: int | None = None
        self._numbers = itertools.count(1)
        self._ids = itertools.count(1_000)

    @property
    def graphql_url(self) -> str:
        return f"{self.api_url.removesuffix('/v3')}/graphql"

    # Set-up

    def repository(self, full_name: str = "octo-org/site", *, private: bool = False) -> Repository:
        """A new one with a first commit on `main`."""
        made = Repository(self.folder / f"{full_name}.git", full_name, self.server_url)
        made.private = private
        made.commit({"README.md": "# A site\n"}, message="Initial commit")
        self._add(made)
        return made

    def copy(self, source: Repository, full_name: str) -> Repository:
        """With everything that a repository has, its pull requests, comments and issues too."""
        made = Repository(self.folder / f"{full_name}.git", full_name, self.server_url, source)
        self._add(made)
        here, name = {"repository": made}, source.full_name
        self.pulls[full_name] = [_copied(one, head_repository=made, **here) for one in self.pulls[name]]
        self.issues[full_name] = [_copied(one, **here) for one in self.issues[name]]
        self.comments[full_name] = [_copied(one, repository=full_name) for one in self.comments[name]]
        return made

    def fork(self, source: Repository, owner: str) -> Repository:
        """With everything that the source has; a pull request can come from it."""
        made = Repository(self.folder / f"{owner}/{source.name}.git", f"{owner}/{source.name}", self.server_url)
        made.git("fetch", "--quiet", str(source.directory), "+refs/heads/*:refs/heads/*")
        self._add(made)
        return made

    def _add(self, made: Repository) -> None:
        made.after_move = partial(self.settle, made)
        self.repositories[made.full_name] = made
        self.pulls[made.full_name], self.comments[made.full_name], self.issues[made.full_name] = [], [], []
        self.labels[made.full_name] = {"bug", "documentation"}

    def token(self, value: str = "ghs_forge", **given: object) -> Token:
        """A token with every right that `permissions:` can give; keywords are those of `Token`."""
        made = Token(value, **given)  # type: ignore[arg-type]
        self.tokens[value] = made
        return made

    def read_only(self, value: str = "ghs_readonly") -> Token:
        """As a workflow of a fork's pull request, or of Dependabot, gets it."""
        return self.token(value, contents="read", pull_requests="read", issues="read")

    def person(self, login: str = "mona", value: str = "ghp_mona") -> Token:
        return self.token(value, login=login, kind=Kind.CLASSIC, administration="write")

    def environment(self, token: Token, repository: Repository) -> dict[str, str]:
        """What a runner sets for a step."""
        return {
            "GITHUB_API_URL": self.api_url,
            "GITHUB_GRAPHQL_URL": self.graphql_url,
            "GITHUB_SERVER_URL": self.server_url,
            "GITHUB_REPOSITORY": repository.full_name,
            "INPUT_TOKEN": token.value,
        }

    def enterprise(self) -> None:
        """From now on the addresses are those of an Enterprise Server."""
        self.api_url += "/api/v3"

    # Plans of a test

    def fail(self, play: Play, *, on: str = "*", times: int = 1, skip: int = 0) -> None:
        """`on`: a pattern for `METHOD /path`, or for the name of a GraphQL field; `skip` requests go well before."""
        self._planned.append(Planned(play, on, times, skip))

    def stop_after(self, changes: int) -> None:
        """The client is dead after so many more changes: the last one is made and not answered, nor is anything else."""
        self._stop_at = len(self.changes) + changes
        self.down = changes == 0

    def resume(self) -> None:
        self._stop_at, self.down = None, False

    @contextmanager
    def wrong_request(self) -> Iterator[list[str]]:
        """What is wrong with the requests in this block, which therefore does not fail the test."""
        before, self.violations = self.violations, []
        found = self.violations
        try:
            yield found
        finally:
            self.violations = before

    # What was received

    def asked(self, pattern: str = "*") -> list[Logged]:
        from fnmatch import fnmatchcase

        return [one for one in self.log if any(fnmatchcase(name, pattern) for name in one.names)]

    def carried_out(self) -> list[str]:
        return [change.name for change in self.changes]

    def play(self, names: tuple[str, ...], carry_out: Callable[[], Answer]) -> Answer:
        """With the fault that is planned for it, if any."""
        if self.down:
            raise DroppedError
        with self.lock:
            fault = next((one for one in self._planned if one.takes(names)), None)
        return fault.play(carry_out) if fault else carry_out()

    def changed(self, name: str, repository: str) -> None:
        """Called after each request that changed something, before it is answered."""
        with self.lock:
            change = Change(len(self.changes) + 1, name, repository)
            self.changes.append(change)
            stopped = self._stop_at is not None and change.number >= self._stop_at
            self.down = self.down or stopped
        self.after_change(change)
        if stopped:
            raise DroppedError

    # Pull requests

    def next_number(self) -> int:
        return next(self._numbers)

    def next_id(self) -> int:
        return next(self._ids)

    def pull(self, repository: Repository, number: int) -> Pull | None:
        return next((one for one in self.pulls[repository.full_name] if one.number == number), None)

    def issue(self, repository: Repository, number: int) -> Issue | None:
        return next((one for one in self.issues[repository.full_name] if one.number == number), None)

    def open_issue(self, repository: Repository, title: str, body: str = "", *, login: str = "mona") -> Issue:
        made = Issue(self.next_number(), repository, login, title, body)
        with self.lock:
            self.issues[repository.full_name].append(made)
        return made

    def open_pull(self, repository: Repository, head: str, base: str = "main", *, login: str = "mona", source: Repository | None = None, title: str = "A change", body: str = "", draft: bool = False) -> Pull:  # fmt: skip
        """A pull request from a branch of this repository, or of `source`, which has forked it."""
        source = source or repository
        pull = Pull(self.next_number(), repository, source, head, base, title, body, login, draft)
        with self.lock:
            self.pulls[repository.full_name].append(pull)
        self.settle(repository)
        return pull

    def comment(self, repository: Repository, number: int, body: str, *, login: str = "mona", minimized: bool = False) -> Comment:  # fmt: skip
        made = Comment(self.next_id(), number, login, body, repository.full_name, minimized)
        with self.lock:
            self.comments[repository.full_name].append(made)
        return made

    def deployment(self, repository: Repository, commit: str, *statuses: tuple[str, str], environment: str = "Preview") -> Deployment:  # fmt: skip
        """`statuses`: state and environment_url of each, the oldest first."""
        made = Deployment(self.next_id(), repository.full_name, commit, environment, list(statuses))
        self.deployments.append(made)
        return made

    def settle(self, moved: Repository) -> None:
        """What follows for its pull requests when a branch has moved: each one without a commit of its own is closed."""
        with self.lock:
            for pull in itertools.chain.from_iterable(self.pulls.values()):
                if pull.state == "open" and moved in (pull.repository, pull.head_repository):
                    _follow(pull)

    def protection(self, repository: Repository, branch: str, token: Token) -> Protection | None:
        found = repository.protected.get(branch)
        return found if found and token.login not in found.bypass else None


def _copied(record: _T, **other: object) -> _T:
    """With other values, and lists of its own."""
    made = copy.copy(record)
    vars(made).update({name: [*value] for name, value in vars(made).items() if isinstance(value, list)} | other)
    return made


def _follow(pull: Pull) -> None:
    base = pull.repository.head(pull.base)
    head = pull.head_repository.head(pull.head) if pull.head_repository else pull.head_sha
    before, pull.head_sha = pull.head_sha, head or pull.head_sha
    if not head or not base:
        pull.state, pull.head_sha = "closed", before
        return
    if pull.head_repository is not pull.repository and pull.head_repository:
        pull.repository.git("fetch", "--quiet", str(pull.head_repository.directory), head)
    if head != before:
        pull.repository.git("update-ref", f"refs/pull/{pull.number}/head", head)
    if (base, head) != pull.merge_of:
        pull.merge_of = (base, head)
        _merge(pull, base, head)
    if pull.repository.is_ancestor(head, base):
        pull.state = "closed"
        pull.merged = head == before  # the base took the commits; otherwise the head was moved to the base,
        pull.head_sha = before  # and what it was before is no ancestor of what may come: it stays closed


def _merge(pull: Pull, base: str, head: str) -> None:
    """refs/pull/N/merge, which a workflow checks out; there is none where the two conflict."""
    name = f"refs/pull/{pull.number}/merge"
    tree = pull.repository.ask("merge-tree", "--write-tree", base, head)
    if not tree or "\n" in tree:
        pull.repository.ask("update-ref", "-d", name)
        return
    merged = pull.repository.make_commit(tree, [base, head], f"Merge {head} into {base}")
    pull.repository.git("update-ref", name, merged)


def new_folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="sitemap-action-forge-"))


def remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
