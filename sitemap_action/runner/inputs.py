"""The inputs of the action, and what they and the event say about publishing: which branch, and whether at all."""

from collections.abc import Mapping

from msgspec import field

from sitemap_action.config.layers import Setting, inputs
from sitemap_action.config.schema import AUTO
from sitemap_action.errors import UsageError
from sitemap_action.model.context import Mode, split_list
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.mask import SecretStruct
from sitemap_action.model.step import (
    LONGEST_TITLE,
    PR_BRANCH,
    CommentWhen,
    CommitMethod,
    Publishing,
    RequestOptions,
    is_forges,
    source_of,
    trailers,
)
from sitemap_action.model.wording import option
from sitemap_action.runner.event import ConfigFrom, object_id, parse_payload, run_address, text_at, trust
from sitemap_action.web.printable import printable

_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_HOST = lazy_re(r"[A-Za-z0-9*_-]+(?:\.[A-Za-z0-9*_-]+)*")
_PATHS = frozenset(
    ("path", "sitemap", "config", "baseline", "report-path", "state", "merge")
)  # inputs that may be paths


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


# --- publishing ---

_LONGEST = 244  # bytes: refs/heads/NAME.lock is a file on some servers
_FORBIDDEN = frozenset(" ~^:?*[\\\x7f")
_HINT = "name a branch as git does, without `refs/heads/`, such as main or sitemap-action/update"
_PREFIX = "refs/"


def branch_name(text: str, what: str) -> str:
    """The name itself; raises UsageError where no branch may have it. `what`: the input that states it."""
    if problem := _problem(text):
        raise UsageError(f"{what}: {printable(text)[:200]!r} is no name of a branch: {problem}", hint=_HINT)
    return text


def _problem(text: str) -> str:
    parts = text.split("/")
    checks = (
        (not text, "it is empty"),
        (len(text.encode(errors="replace")) > _LONGEST, f"it has more than {_LONGEST} bytes"),
        (text == "HEAD" or text.startswith(_PREFIX), "it is a reference, not a branch"),
        (text.startswith("-"), "it starts with `-`"),
        (not text.isprintable(), "it has a control or invisible character"),
        (bool(_FORBIDDEN & {*text}), "it has a space or one of ~ ^ : ? * [ \\"),
        (".." in text, "it has `..`"),
        ("@{" in text or text == "@", "it has `@{`, or is `@`"),
        ("" in parts, "a `/` is at its start or end, or follows another"),
        (any(part.startswith(".") for part in parts), "a part of it starts with `.`"),
        (any(part.lower().endswith(".lock") for part in parts), "a part of it ends in `.lock`"),
        (text.endswith("."), "it ends in `.`"),
    )
    return next((said for wrong, said in checks if wrong), "")


_NAME = lazy_re(r"[A-Za-z0-9_.-]{1,50}")
_SHOWN = 60  # characters


def comment_name(text: str) -> str:
    """Raises UsageError for what could end the HTML comment that has the name."""
    if not _NAME.fullmatch(text):
        hint = "use 1 to 50 of the characters A-Z a-z 0-9 _ . and -"
        raise UsageError(f"input comment-id: `{printable(text[:_SHOWN])}` is no name of a comment", hint=hint)
    return text


_KEY = lazy_re(r"[A-Za-z0-9-]{8,128}")


def index_now_key(text: str) -> str:
    """Raises UsageError, which never contains the key."""
    if not _KEY.fullmatch(text):
        hint = "use 8 to 128 of the characters A-Z a-z 0-9 and -, such as those of `openssl rand -hex 16`"
        raise UsageError("input index-now-key: it is no key of IndexNow", hint=hint)
    return text


_MERGES = ("merge", "squash", "rebase")
_MAX_MESSAGE = 10_000  # characters of a commit message
_DEPLOYMENTS = ("deployment", "deployment_status")


def _choice(name: str, values: Mapping[str, str], default: str, allowed: list[str]) -> str:
    text = values.get(name) or default
    if text not in allowed:
        raise UsageError(f"input {name}: {text} is not known", hint=f"use one of {', '.join(allowed)}")
    return text


def _branch(name: str, values: Mapping[str, str]) -> str:
    return branch_name(values[name], f"input {name}") if values.get(name) else ""


class PublishingInputs:
    """What the inputs and the event of a run say about publishing; `values`: of the inputs, by name."""

    def __init__(self, values: Mapping[str, str], environment: Mapping[str, str], event: bytes) -> None:
        self.trusted = trust(environment, event)
        self._values, self._environment, self._payload = values, environment, parse_payload(event)
        self._event = environment.get("GITHUB_EVENT_NAME", "")

    def usable_mode(self, mode: Mode) -> tuple[Mode, str]:
        """The mode that this event allows, and why it is not the one that is asked for; "" where it is."""
        if not mode.writes or (self.trusted.writes and not mode.publishes):
            return mode, ""
        if not self.trusted.writes:
            why = "on this event the workflow is trusted, and the checked content is not"
        elif not self.trusted.publishes:
            why = "the token of a pull request from a fork or of Dependabot can only read"
        elif self._event == "merge_group":
            why = "a merge queue takes no commits of others"
        elif mode is Mode.PULL_REQUEST and self._event.startswith("pull_request"):
            why = "the change is in a pull request already (mode commit adds the sitemap to it)"
        else:
            why = self._why_elsewhere(mode)
        return (Mode.CHECK, f"mode {mode} is check here: {why}") if why else (mode, "")

    def _why_elsewhere(self, mode: Mode) -> str:
        """Why the pages that are judged are not those of the branch that would be changed (W-03, W-06, W-15)."""
        request, head, values = self._payload.get("pull_request"), self._content_branch(), self._values
        given = values.get("base" if mode is Mode.PULL_REQUEST else "branch") or head
        if head and given != head:
            return f"the pages are those of {head}, and not of {given}"
        if request and text_at(request, "state") == "closed":
            return "the pull request is closed, and nobody would merge a commit to its branch"
        if mode is Mode.PULL_REQUEST:
            name, own = self._environment.get("GITHUB_REF_NAME", ""), values.get("pr-branch")
            is_own = name == own if own else name.startswith(PR_BRANCH)
            return "this is the push of its own branch" if is_own else ""
        again = "After" in trailers(self._own_push())
        return "this is the second push of its own commits in a row, so the site keeps changing" if again else ""

    def _content_branch(self) -> str:
        """The branch of the pull request whose pages are judged; "" where no pull request is behind the event."""
        if self._event == "workflow_run":
            caused = text_at(self._payload, "workflow_run", "event").startswith("pull_request")
            return text_at(self._payload, "workflow_run", "head_branch") if caused else ""
        return text_at(self._payload, "pull_request", "head", "ref")

    def read(self, mode: Mode) -> Publishing:
        """Raises UsageError for an input that is not valid.

        And where a mode needs a branch, and neither input nor event names one.
        """
        values, environment, payload = self._values, self._environment, self._payload
        message = values.get("commit-message", "")
        if len(message) > _MAX_MESSAGE:
            raise UsageError(f"input commit-message: more than {_MAX_MESSAGE:,} characters", hint="shorten it")
        comment = CommentWhen(_choice("comment", values, CommentWhen.NEVER, list(CommentWhen)))
        method = CommitMethod(_choice("commit-method", values, CommitMethod.API, list(CommitMethod)))
        branch, base, pr_branch = (_branch(name, values) for name in ("branch", "base", "pr-branch"))
        name, key = values.get("comment-id", ""), values.get("index-now-key", "")
        number = payload.get("number") if self._event.startswith("pull_request") else 0
        comments = self.trusted.publishes and comment is not CommentWhen.NEVER
        opens = mode is Mode.PULL_REQUEST
        branch = (base if opens else branch) or self._event_branch(mode) if mode.publishes else ""
        if opens and branch == pr_branch:
            hint = "set pr-branch or base to another branch"
            raise UsageError(f"the pull request from {branch} would be into the same branch", hint=hint)
        key = index_now_key(key) if key else ""
        return Publishing(
            branch=branch,
            request=_request_options(values) if opens else None,
            pr_branch=pr_branch,
            message=message.strip(),
            method=method,
            comment=comment,
            comment_id=comment_name(name) if name else "",
            number=number if comments and type(number) is int else 0,
            source=self._content_commit(),
            index_now_key=key if mode.writes and not number and not self._content_branch() else "",
            run=run_address(environment) or "command-line",
            after=object_id(environment.get("GITHUB_SHA")) if self._own_push() else "",
            sign_off=_flag("sign-off", values),
            issue=self._keeps_issue() and self.trusted.publishes,
        )

    def _keeps_issue(self) -> bool:
        """Whether a run that says something about the site as it is keeps the issue: a proposed change has a report."""
        if not _choice("report-to", self._values, "", ["", "issue"]):
            return False
        return not self._event.startswith(("pull_request", "merge_group")) and not self._content_branch()

    def _content_commit(self) -> str:
        """The commit that is built or deployed: on a pull request its head, and that of the run that has ended."""
        payload = self._payload
        found = text_at(payload, "pull_request", "head", "sha") or text_at(payload, "workflow_run", "head_sha")
        return object_id(found) or object_id(self._environment.get("GITHUB_SHA"))

    def _event_branch(self, mode: Mode) -> str:
        """The branch of the pull request, or of the workflow: its sitemap is judged where no input names another."""
        event, environment = self._event, self._environment
        head = text_at(self._payload, "pull_request", "head", "ref")
        if event.startswith("pull_request") and head:
            return branch_name(head, "the branch of the pull request")
        if event == "workflow_run":  # GITHUB_REF is the default branch, whatever was built
            return branch_name(text_at(self._payload, "workflow_run", "head_branch"), "the branch of the workflow run")
        if environment.get("GITHUB_REF_TYPE") == "branch" and event not in _DEPLOYMENTS:
            return branch_name(environment.get("GITHUB_REF_NAME", ""), "GITHUB_REF_NAME")
        why = f"the event {event} is about no branch" if event else "no event names one"
        name = "base" if mode is Mode.PULL_REQUEST else "branch"
        raise UsageError(f"mode {mode} needs a branch, and {why}", hint=f"name it with {option(name)}")

    def _own_push(self) -> str:
        """The message of our own commit, whose push starts a workflow where an app's token made it; "" for any other.

        A squash merge has the forge's committer, too: it quotes our trailers in the last paragraph only where it is of
        our own request. Such a push is published once, and the trailer `After` of that commit ends the loop (W-06).
        """
        head = self._payload.get("head_commit")
        message = text_at(head, "message")
        ours = source_of(message) and is_forges(text_at(head, "committer", "email"))
        return message if ours and self._event == "push" else ""


def _request_options(values: Mapping[str, str]) -> RequestOptions:
    """Raises UsageError for what GitHub would refuse once the branch is there (W-09)."""
    found = RequestOptions(
        title=values.get("pr-title", "").partition("\n")[0].strip(),
        labels=split_list(values.get("pr-labels", "")),
        draft=_flag("pr-draft", values),
        reviewers=split_list(values.get("pr-reviewers", "")),
        assignees=split_list(values.get("pr-assignees", "")),
        auto_merge=_choice("pr-auto-merge", values, "", ["", *_MERGES]),
    )
    if found.draft and found.auto_merge:
        hint = "leave one of them out"
        raise UsageError("inputs pr-draft and pr-auto-merge are both set, and no draft is merged", hint=hint)
    for name, texts, most, longest in (
        ("pr-labels", found.labels, 100, 50),
        ("pr-reviewers", found.reviewers, 15, 140),
        ("pr-assignees", found.assignees, 10, 40),
    ):
        if len(texts) > most or any(len(text) > longest for text in texts):
            hint = f"GitHub takes {most} at most, of {longest} characters at most"
            raise UsageError(f"input {name}: too many, or one is too long", hint=hint)
    if len(found.title) > LONGEST_TITLE:
        raise UsageError(f"input pr-title: more than {LONGEST_TITLE} characters", hint="shorten it")
    return found


def _flag(name: str, values: Mapping[str, str]) -> bool:
    return _choice(name, {name: values.get(name, "").lower()}, "false", ["true", "false"]) == "true"
