"""What a runner gives: GitHub's the inputs and the event as JSON, others variables; and what a run for an event may do.

Event × author → what is allowed: the one table, for the code and for docs/workflows.md.
"""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum

from msgspec import Struct, field
from msgspec.structs import replace

from sitemap_action.config.layers import Setting, inputs
from sitemap_action.config.schema import AUTO
from sitemap_action.errors import UsageError
from sitemap_action.model.context import OBJECT_ID, Deployment, Forge, Mode, PullRequest, RunIdentity, split_list
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.mask import SecretStruct
from sitemap_action.runner.merge_requests import MERGE_REF, read_branch_run, read_merge_request

_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_EPOCH = lazy_re(r"[0-9]{1,10}", re.ASCII)
_HOST = lazy_re(r"[A-Za-z0-9*_-]+(?:\.[A-Za-z0-9*_-]+)*")
_PATHS = frozenset(
    ("path", "sitemap", "config", "baseline", "report-path", "state", "merge")
)  # inputs that may be paths


class ConfigFrom(StrEnum):
    """Whose copy of the config holds on a pull request."""

    HEAD = "head"
    BASE = "base"


class ActionInputs(SecretStruct, frozen=True):
    """All inputs; those that are options are `layers` of the config."""

    mode: Mode
    config: str
    summary: bool
    report_path: str
    layers: tuple[Setting, ...]
    config_from: ConfigFrom = ConfigFrom.HEAD
    state: str = ""
    shard: str = ""  # K/N
    merge: tuple[str, ...] = ()  # states, or folders of them
    headers: str = ""  # secrets, one `Name: value` a line
    tls_verify: bool = True
    allow_private_hosts: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    token: str = ""
    values: Mapping[str, str] = field(default_factory=dict)  # all of them, by name


def read_inputs(environment: Mapping[str, str]) -> ActionInputs:
    """The runner exports `INPUT_SITE-URL`; a shell in between may have changed it to `INPUT_SITE_URL`."""
    values = {
        name.removeprefix("INPUT_").lower().replace("_", "-"): value.strip()
        for name, value in environment.items()
        if name.startswith("INPUT_")
    }
    values |= _relative_paths(values, environment.get("GITHUB_WORKSPACE", "").rstrip("/"))
    _require_url_for_headers(values)
    return ActionInputs(
        mode=_mode(values.get("mode") or Mode.CHECK.value),
        config=values.get("config") or ".github/sitemap.yml",
        summary=_boolean("summary", values.get("summary") or "true"),
        report_path=values.get("report-path") or ".sitemap-action",
        layers=inputs(values),
        config_from=_config_from(values.get("config-from") or ConfigFrom.HEAD.value),
        state=values.get("state", ""),
        shard=values.get("shard", ""),
        merge=split_list(values.get("merge", "")),
        headers=values.get("headers", ""),
        tls_verify=_boolean("tls-verify", values.get("tls-verify") or "true"),
        allow_private_hosts=split_list(values.get("allow-private-hosts", "")),
        hosts=_hosts(values.get("hosts", "")),
        token=values.get("token", ""),
        values=values,
    )


def _relative_paths(values: Mapping[str, str], workspace: str) -> Mapping[str, str]:
    """`${{ github.workspace }}/dist` as dist; the runner has made the container's path of it."""
    absolute = {name: values[name] for name in _PATHS & values.keys() if workspace and values[name].startswith("/")}
    return {
        name: path.removeprefix(workspace).lstrip("/") or "."
        for name, path in absolute.items()
        if path == workspace or path.startswith(f"{workspace}/")
    }


def _require_url_for_headers(values: Mapping[str, str]) -> None:
    """Only inputs choose where secret headers are sent: a pull request can change the config file."""
    if not values.get("headers"):
        return
    if not values.get("url"):
        hint = "give the address as the input url of the same step"
        raise UsageError(
            "input headers is set, and url is not: secrets are sent only to an address from an input", hint=hint
        )
    if values["url"] == AUTO and not values.get("hosts"):
        hint = "give the hosts of your previews, as in hosts: example-*.vercel.app"
        raise UsageError(
            "input headers is set, url is auto, and hosts is not: secrets are sent only to these", hint=hint
        )


def _hosts(text: str) -> tuple[str, ...]:
    names = split_list(text)
    for name in names:
        if not _HOST.fullmatch(name):
            hint = "write a name without scheme, port and path; * stands for anything but a dot"
            raise UsageError(f"input hosts: {name} is not a host", hint=hint)
    return names


def _mode(text: str) -> Mode:
    if text not in {mode.value for mode in Mode}:
        hint = f"use one of {', '.join(mode.value for mode in Mode)}"
        raise UsageError(f"input mode: {text} is not a mode", hint=hint)
    return Mode(text)


def _config_from(text: str) -> ConfigFrom:
    if text not in {choice.value for choice in ConfigFrom}:
        raise UsageError(f"input config-from: {text} is neither head nor base", hint="accepted: head, base")
    return ConfigFrom(text)


def _boolean(name: str, text: str) -> bool:
    if text not in _BOOLEANS:
        raise UsageError(f"input {name}: {text} is neither true nor false", hint=f"accepted: {', '.join(_BOOLEANS)}")
    return _BOOLEANS[text]


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


_BRANCH_EVENTS = ("push", "merge_group", "schedule", "workflow_dispatch", "repository_dispatch", "release", "create")


def read_deployment(environment: Mapping[str, str], event: bytes) -> Deployment | None:
    """None for an event without a commit. A preview is built from the head of a pull request, not from its merge."""
    payload = parse_payload(event)
    match environment.get("GITHUB_EVENT_NAME"):
        case "pull_request" | "pull_request_target":
            commit = object_id(text_at(payload, "pull_request", "head", "sha"))
            return Deployment(commit, trusted=not is_fork(environment, payload)) if commit else None
        case "deployment_status":
            return _deployment_of_status(payload)
        case name if name in _BRANCH_EVENTS:
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
