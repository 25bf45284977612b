"""What a run is for, by what the CI says: GitHub's event, as JSON, or variables of others; and what such a run may do.

Event × author → what is allowed: the one table, for the code and for docs/workflows.md.
"""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.model.context import OBJECT_ID, Deployment, Forge, PullRequest, RunIdentity
from sitemap_action.model.lazy_re import lazy_re

_EPOCH = lazy_re(r"[0-9]{1,10}", re.ASCII)


class ConfigFrom(StrEnum):
    """Whose copy of the config holds on a pull request."""

    HEAD = "head"
    BASE = "base"


def read_forge(environment: Mapping[str, str], token: str) -> Forge | None:
    """The API of the server that runs the workflow: github.com, a tenant of ghe.com, or an Enterprise Server."""
    api, repository = environment.get("GITHUB_API_URL", ""), environment.get("GITHUB_REPOSITORY", "")
    if not (api and repository and token):
        return None
    return Forge(
        api.rstrip("/"),
        repository,
        token,
        graphql=environment.get("GITHUB_GRAPHQL_URL", ""),
        server=environment.get("GITHUB_SERVER_URL", "").rstrip("/"),
    )


def read_pull_request(
    environment: Mapping[str, str], event: bytes, config_from: ConfigFrom = ConfigFrom.HEAD
) -> PullRequest | None:
    """The pull request or merge group that a run is for; None for a branch, or without a runner."""
    found = _find_pull_request(environment, event)
    guarded = config_from is ConfigFrom.BASE or trust(environment, event).guarded
    return replace(found, guarded=guarded) if found else None


def _find_pull_request(environment: Mapping[str, str], event: bytes) -> PullRequest | None:
    """Its parts as the event states them.

    `event` is the payload as the runner wrote it. A part that is missing or of another type stays empty: for a
    deleted fork `head.repo` is null. The environment variables then suffice for the usual checkout. Where GitHub names
    no event, those of other CIs count.
    """
    payload = parse_payload(event)
    match environment.get("GITHUB_EVENT_NAME"):
        case "pull_request":
            merge = object_id(environment.get("GITHUB_SHA"))
            return _pull_request(environment, payload, merge)
        case "pull_request_target":  # here GITHUB_SHA is a commit of the target branch
            return _pull_request(environment, payload, "")
        case "merge_group":
            group = payload.get("merge_group")
            return PullRequest(
                base_ref=text_at(group, "base_ref").removeprefix("refs/heads/"),
                base=object_id(text_at(group, "base_sha")),
                head=object_id(text_at(group, "head_sha")),
                merge=object_id(environment.get("GITHUB_SHA")),
                queued=True,
            )
        case None | "":
            return read_merge_request(environment)
        case _:
            return None


def knows_event(environment: Mapping[str, str]) -> bool:
    """Whether a runner says what the run is for."""
    return bool(environment.get("GITHUB_EVENT_NAME")) or read_merge_request(environment) is not None


def _pull_request(environment: Mapping[str, str], payload: Mapping[str, object], merge: str) -> PullRequest:
    request = payload.get("pull_request")
    base, head = _get(request, "base"), _get(request, "head")
    merge_ref = MERGE_REF.fullmatch(environment.get("GITHUB_REF", ""))
    number = payload.get("number")
    return PullRequest(
        number=number if type(number) is int else int(merge_ref[1]) if merge_ref else 0,
        base_ref=text_at(base, "ref") or environment.get("GITHUB_BASE_REF", ""),
        base=object_id(text_at(base, "sha")),
        head=object_id(text_at(head, "sha")),
        merge=merge,
    )


def parse_payload(event: bytes) -> Mapping[str, object]:
    try:
        payload = json.loads(event)
    except (ValueError, RecursionError):
        return {}
    return payload if isinstance(payload, dict) else {}


def _get(value: object, key: str) -> object:
    return value.get(key) if isinstance(value, dict) else None


def text_at(value: object, *keys: str) -> str:
    """The text at a path of keys in a payload; "" where there is none."""
    for key in keys:
        value = _get(value, key)
    return value if isinstance(value, str) else ""


def object_id(text: str | None) -> str:
    return text if text and OBJECT_ID.fullmatch(text) else ""


def is_fork(environment: Mapping[str, str], event: Mapping[str, object]) -> bool:
    """Whether the head is not in this repository; a deleted fork is null in the event."""
    head = text_at(event, "pull_request", "head", "repo", "full_name")
    head = head or text_at(event, "workflow_run", "head_repository", "full_name")
    here = environment.get("GITHUB_REPOSITORY") or text_at(event, "repository", "full_name")
    return not head or head.lower() != here.lower()


def read_identity(environment: Mapping[str, str], event: bytes, now: datetime) -> RunIdentity:
    """Which run this is; SOURCE_DATE_EPOCH, as reproducible builds set it, is its date in place of `now`."""
    epoch = environment.get("SOURCE_DATE_EPOCH", "")
    date = datetime.fromtimestamp(int(epoch), UTC) if _EPOCH.fullmatch(epoch) else now
    found = read_branch_run(environment)
    if name := environment.get("GITHUB_EVENT_NAME", ""):
        payload, change = parse_payload(event), _find_pull_request(environment, event)
        run, head = _get(payload, "workflow_run"), _get(_get(payload, "pull_request"), "head")
        found = RunIdentity(
            event=name,
            commit=object_id(text_at(head, "sha") or text_at(run, "head_sha") or environment.get("GITHUB_SHA")),
            branch=text_at(head, "ref") or text_at(run, "head_branch") or environment.get("GITHUB_REF_NAME", ""),
            pull_request=change.number if change else 0,
            link=run_address(environment),
            repository=_repository_address(environment),
        )
    date_text = date.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return replace(found, date=date_text, repository=_without_user(found.repository))


def run_address(environment: Mapping[str, str]) -> str:
    """The page of the workflow run; "" without one."""
    repository, number = _repository_address(environment), environment.get("GITHUB_RUN_ID", "")
    if not (repository and number.isdecimal()):
        return ""
    attempt = environment.get("GITHUB_RUN_ATTEMPT", "1")
    return f"{repository}/actions/runs/{number}{f'/attempts/{attempt}' if attempt.isdecimal() else ''}"


def _repository_address(environment: Mapping[str, str]) -> str:
    server, name = environment.get("GITHUB_SERVER_URL", ""), environment.get("GITHUB_REPOSITORY", "")
    return f"{server}/{name}" if server and name else ""


def _without_user(address: str) -> str:
    """The address without the token that a CI may put into it; "" for one that no browser opens."""
    scheme, _, rest = address.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{path}" if scheme in {"http", "https"} else ""


_PUSHES = ("push", "schedule", "workflow_dispatch", "repository_dispatch", "release", "create", "merge_group")


def read_deployment(environment: Mapping[str, str], event: bytes) -> Deployment | None:
    """None for an event without a commit. A preview is built from the head of a pull request, not from its merge."""
    payload = parse_payload(event)
    match environment.get("GITHUB_EVENT_NAME"):
        case "pull_request" | "pull_request_target":
            commit = object_id(text_at(payload, "pull_request", "head", "sha"))
            return Deployment(commit, trusted=not is_fork(environment, payload)) if commit else None
        case "deployment_status":
            return _deployment_of_status(payload)
        case name if name in _PUSHES:
            commit = object_id(environment.get("GITHUB_SHA"))
            return Deployment(commit) if commit else None
        case _:
            return None


def _deployment_of_status(payload: Mapping[str, object]) -> Deployment | None:
    """Has a URL only where the deployment succeeded with one; another deployment of the commit may then have one."""
    status, commit = payload.get("deployment_status"), object_id(text_at(payload, "deployment", "sha"))
    if not commit:
        return None
    if text_at(status, "state") != "success" or not text_at(status, "environment_url"):
        return Deployment(commit)
    environment = text_at(status, "environment") or text_at(payload, "deployment", "environment")
    return Deployment(commit, text_at(status, "environment_url"), environment)


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
    credentials: str  # what GitHub gives such a run, for docs/workflows.md

    @property
    def state(self) -> bool:
        """Whether a state is believed: on a change of others an earlier step may have run their code, which made it."""
        return not {Author.FORK, Author.BOT} & {*self.authors} and (bool(self.events) or self is _NO_RUNNER)

    @property
    def guarded(self) -> bool:
        """Whether the change is of others, or the event is one that looks at theirs: only ids of the event count."""
        return self.config is ConfigSource.COMMIT or bool({Author.FORK, Author.BOT} & {*self.authors})


_SECRETS = "secrets, the token as `permissions` say"
_READ_ONLY = "no secrets, a token that can only read"

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


# --- merge and pull requests on other CIs: the one table of their documented variables ---

_HASH = lazy_re(r"[0-9a-f]{12,64}")  # Bitbucket may give the first twelve digits alone
MERGE_REF = lazy_re(r"refs/pull/([0-9]{1,18})/merge")
_NUMBER = lazy_re(r"[0-9]{1,18}\Z")


class Variables(Struct, frozen=True):
    """The variables of one CI; "" for what it has none for."""

    ci: str
    documentation: str
    number: str  # is set for a merge or pull request alone: its number, or its address, which ends with that
    target: str = ""  # name of the target branch; without one it is the remote's default branch
    base: str = ""  # commit of the target branch
    head: str = ""  # last commit of the change
    merge: str = ""  # merge commit of the two, where `ref` says that one is checked out
    ref: str = ""
    start: str = ""  # the commit that the change is compared with, unless a merge commit is checked out
    repository: str = ""  # address that it was cloned from
    commit: str = ""  # that is checked out; this and what follows are set for branches too
    branch: str = ""
    run: str = ""  # address of the run
    deeper: str = ""  # how its checkout gets the whole history


VARIABLES = (
    Variables(
        ci="GitLab CI/CD",
        documentation="https://docs.gitlab.com/ci/variables/predefined_variables/",
        number="CI_MERGE_REQUEST_IID",
        target="CI_MERGE_REQUEST_TARGET_BRANCH_NAME",
        base="CI_MERGE_REQUEST_TARGET_BRANCH_SHA",  # these two in merged results pipelines and merge trains alone
        head="CI_MERGE_REQUEST_SOURCE_BRANCH_SHA",
        start="CI_MERGE_REQUEST_DIFF_BASE_SHA",
        repository="CI_REPOSITORY_URL",
        commit="CI_COMMIT_SHA",
        branch="CI_COMMIT_REF_NAME",
        run="CI_JOB_URL",
        deeper='GIT_DEPTH: "0"',
    ),
    Variables(  # checks out the source with the target merged in
        ci="Bitbucket Pipelines",
        documentation="https://support.atlassian.com/bitbucket-cloud/docs/variables-and-secrets/",
        number="BITBUCKET_PR_ID",
        target="BITBUCKET_PR_DESTINATION_BRANCH",
        start="BITBUCKET_PR_DESTINATION_COMMIT",
        repository="BITBUCKET_GIT_HTTP_ORIGIN",
        commit="BITBUCKET_COMMIT",
        branch="BITBUCKET_BRANCH",
        deeper="clone: {depth: full}",
    ),
    Variables(  # checks out a merge commit, whose first parent is the target branch
        ci="Azure Pipelines",
        documentation="https://learn.microsoft.com/azure/devops/pipelines/build/variables",
        number="SYSTEM_PULLREQUEST_PULLREQUESTID",
        target="SYSTEM_PULLREQUEST_TARGETBRANCH",
        head="SYSTEM_PULLREQUEST_SOURCECOMMITID",
        merge="BUILD_SOURCEVERSION",
        ref="BUILD_SOURCEBRANCH",
        repository="BUILD_REPOSITORY_URI",
        commit="BUILD_SOURCEVERSION",
        branch="BUILD_SOURCEBRANCH",
        deeper="fetchDepth: 0",
    ),
    Variables(
        ci="CircleCI",
        documentation="https://circleci.com/docs/reference/variables/",
        number="CIRCLE_PULL_REQUEST",
        head="CIRCLE_SHA1",
        repository="CIRCLE_REPOSITORY_URL",
        commit="CIRCLE_SHA1",
        branch="CIRCLE_BRANCH",
        run="CIRCLE_BUILD_URL",
        deeper="checkout: {method: full}",
    ),
    Variables(
        ci="Jenkins",
        documentation="https://www.jenkins.io/doc/book/pipeline/multibranch/",
        number="CHANGE_ID",
        target="CHANGE_TARGET",
        repository="GIT_URL",
        commit="GIT_COMMIT",
        branch="BRANCH_NAME",
        run="BUILD_URL",
        deeper="a clone that is not shallow",
    ),
)


def read_merge_request(environment: Mapping[str, str]) -> PullRequest | None:
    """The merge or pull request of the first CI whose variables say that there is one."""
    if (row := _find_row(environment)) is None:
        return None
    number = _NUMBER.search(environment[row.number])
    return PullRequest(
        number=int(number[0]) if number else 0,
        base_ref=environment.get(row.target, "").removeprefix("refs/heads/"),
        base=_commit_of(environment, row.base),
        head=_commit_of(environment, row.head),
        merge=_commit_of(environment, row.merge) if MERGE_REF.fullmatch(environment.get(row.ref, "")) else "",
        start=_commit_of(environment, row.start),
        deeper=row.deeper,
    )


def read_branch_run(environment: Mapping[str, str]) -> RunIdentity:
    """Which run of the first CI whose variables name a commit; without date and number."""
    row = next((row for row in VARIABLES if environment.get(row.commit)), None)
    if row is None:
        return RunIdentity()
    change = read_merge_request(environment)
    return RunIdentity(
        event=row.ci,
        commit=(change.head if change else "") or _commit_of(environment, row.commit),
        branch=environment.get(row.branch, "").removeprefix("refs/heads/"),
        pull_request=change.number if change else 0,
        link=environment.get(row.run, ""),
        repository=environment.get(row.repository, ""),
    )


def repository_of_request(environment: Mapping[str, str]) -> str:
    """The address that the CI names for the repository of a merge request; "" where it names none (S-17)."""
    row = None if environment.get("GITHUB_EVENT_NAME") else _find_row(environment)
    return environment.get(row.repository, "") if row else ""


def _find_row(environment: Mapping[str, str]) -> Variables | None:
    return next((row for row in VARIABLES if environment.get(row.number)), None)


def _commit_of(environment: Mapping[str, str], name: str) -> str:
    text = environment.get(name, "")
    return text if _HASH.fullmatch(text) else ""
