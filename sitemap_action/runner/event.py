"""What a GitHub runner hands to an action: inputs as variables of the environment, and the event as JSON."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from sitemap_action.config.layers import Setting, inputs
from sitemap_action.config.locations import AUTO
from sitemap_action.errors import UsageError
from sitemap_action.model.context import Forge, Mode, PullRequest

_TRUTH = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_OBJECT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_HOST = re.compile(r"[A-Za-z0-9*_-]+(?:\.[A-Za-z0-9*_-]+)*")
_MERGE_REF = re.compile(r"refs/pull/([0-9]{1,18})/merge")


@dataclass(frozen=True, slots=True)
class Action:
    """Inputs that are no options, and those that are, as layers of the config."""

    mode: Mode
    config: str
    summary: bool
    report_path: str
    layers: tuple[Setting, ...]
    state: str = ""
    headers: str = field(default="", repr=False)  # secrets, one `Name: value` a line
    tls_verify: bool = True
    allow_private_hosts: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    token: str = field(default="", repr=False)


def read_action(environment: Mapping[str, str]) -> Action:
    """The runner exports `INPUT_SITE-URL`; a shell between it and us may have made `INPUT_SITE_URL` of it."""
    values = {
        name.removeprefix("INPUT_").lower().replace("_", "-"): value.strip()
        for name, value in environment.items()
        if name.startswith("INPUT_")
    }
    _secrets_have_a_place(values)
    return Action(
        mode=_mode(values.get("mode") or Mode.CHECK.value),
        config=values.get("config") or ".github/sitemap.yml",
        summary=_flag("summary", values.get("summary") or "true"),
        report_path=values.get("report-path") or ".sitemap-action",
        layers=inputs(values),
        state=values.get("state", ""),
        headers=values.get("headers", ""),
        tls_verify=_flag("tls-verify", values.get("tls-verify") or "true"),
        allow_private_hosts=words(values.get("allow-private-hosts", "")),
        hosts=_hosts(values.get("hosts", "")),
        token=values.get("token", ""),
    )


def _secrets_have_a_place(values: Mapping[str, str]) -> None:
    """A config file could choose where secrets are sent, and a pull request can change the config file."""
    if not values.get("headers"):
        return
    if not values.get("url"):
        hint = "give the address as the input url of the same step"
        raise UsageError("input headers is set, and url is not: secrets go only where an input says", hint=hint)
    if values["url"] == AUTO and not values.get("hosts"):
        hint = "name the hosts of your previews, as in hosts: example-*.vercel.app"
        raise UsageError("input headers is set, url is auto, and hosts is not: secrets go only there", hint=hint)


def _hosts(text: str) -> tuple[str, ...]:
    found = words(text)
    for name in found:
        if not _HOST.fullmatch(name):
            hint = "write a name without scheme, port and path; * stands for anything but a dot"
            raise UsageError(f"input hosts: {name} is no host", hint=hint)
    return found


def words(text: str) -> tuple[str, ...]:
    """A list as an input or a flag gives it: parted by commas or line breaks."""
    return tuple(filter(None, map(str.strip, text.replace(",", "\n").splitlines())))


def _mode(text: str) -> Mode:
    if text not in {mode.value for mode in Mode}:
        hint = f"use one of {', '.join(mode.value for mode in Mode)}"
        raise UsageError(f"input mode: {text} is no mode", hint=hint)
    return Mode(text)


def _flag(name: str, text: str) -> bool:
    if text not in _TRUTH:
        raise UsageError(f"input {name}: {text} is neither true nor false", hint=f"accepted: {', '.join(_TRUTH)}")
    return _TRUTH[text]


def read_forge(environment: Mapping[str, str], token: str) -> Forge | None:
    """The API of the server that runs this: github.com's, a tenant's of ghe.com, or an Enterprise Server's."""
    api, repository = environment.get("GITHUB_API_URL", ""), environment.get("GITHUB_REPOSITORY", "")
    return Forge(api.rstrip("/"), repository, token) if api and repository and token else None


def read_pull_request(environment: Mapping[str, str], event: bytes) -> PullRequest | None:
    """The change that a run is about; None when it is about a branch, or on nobody's runner.

    `event` is the payload as the runner wrote it. A part that is missing or of another type stays unsaid: of a
    deleted fork `head.repo` is null, and the variables of the environment tell enough for the usual checkout.
    """
    payload = payload_of(event)
    match environment.get("GITHUB_EVENT_NAME"):
        case "pull_request":
            merge = object_id(environment.get("GITHUB_SHA"))
            return _pull_request(environment, payload, merge)
        case "pull_request_target":  # here GITHUB_SHA is the target branch's own commit
            return _pull_request(environment, payload, "")
        case "merge_group":
            group = payload.get("merge_group")
            return PullRequest(
                base_ref=text_of(group, "base_ref").removeprefix("refs/heads/"),
                base=object_id(text_of(group, "base_sha")),
                head=object_id(text_of(group, "head_sha")),
                merge=object_id(environment.get("GITHUB_SHA")),
                queued=True,
            )
        case _:
            return None


def _pull_request(environment: Mapping[str, str], payload: Mapping[str, object], merge: str) -> PullRequest:
    request = payload.get("pull_request")
    base, head = _part(request, "base"), _part(request, "head")
    named = _MERGE_REF.fullmatch(environment.get("GITHUB_REF", ""))
    number = payload.get("number")
    return PullRequest(
        number=number if type(number) is int else int(named[1]) if named else 0,
        base_ref=text_of(base, "ref") or environment.get("GITHUB_BASE_REF", ""),
        base=object_id(text_of(base, "sha")),
        head=object_id(text_of(head, "sha")),
        merge=merge,
    )


def payload_of(event: bytes) -> Mapping[str, object]:
    try:
        payload = json.loads(event)
    except (ValueError, RecursionError):
        return {}
    return payload if isinstance(payload, dict) else {}


def _part(value: object, key: str) -> object:
    return value.get(key) if isinstance(value, dict) else None


def text_of(value: object, *keys: str) -> str:
    """The text at the end of a path through a payload; "" where there is none."""
    for key in keys:
        value = _part(value, key)
    return value if isinstance(value, str) else ""


def object_id(text: str | None) -> str:
    return text if text and _OBJECT_ID.fullmatch(text) else ""
