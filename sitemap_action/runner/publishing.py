"""What inputs and event of a run say about publishing: which branch, which pull request, and whether at all."""

import re
from collections.abc import Mapping

from sitemap_action.errors import UsageError
from sitemap_action.model.context import Mode
from sitemap_action.model.step import CommentWhen, CommitMethod, Publishing, source_of
from sitemap_action.model.wording import option
from sitemap_action.runner.event import Trust, object_id, parse_payload, text_at
from sitemap_action.web.printable import printable

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


_NAME = re.compile(r"[A-Za-z0-9_.-]{1,50}")
_SHOWN = 60  # characters


def comment_name(text: str) -> str:
    """Raises UsageError for what could end the HTML comment that has the name."""
    if not _NAME.fullmatch(text):
        hint = "use 1 to 50 of the characters A-Z a-z 0-9 _ . and -"
        raise UsageError(f"input comment-id: `{printable(text[:_SHOWN])}` is no name of a comment", hint=hint)
    return text


_KEY = re.compile(r"[A-Za-z0-9-]{8,128}")


def index_now_key(text: str) -> str:
    """Raises UsageError, which never contains the key."""
    if not _KEY.fullmatch(text):
        hint = "use 8 to 128 of the characters A-Z a-z 0-9 and -, such as those of `openssl rand -hex 16`"
        raise UsageError("input index-now-key: it is no key of IndexNow", hint=hint)
    return text


PR_BRANCH = "sitemap-action/update"
_MAX_MESSAGE = 10_000  # characters of a commit message
_DEPLOYMENTS = ("deployment", "deployment_status")


def _choice(name: str, values: Mapping[str, str], default: str, allowed: list[str]) -> str:
    text = values.get(name) or default
    if text not in allowed:
        raise UsageError(f"input {name}: {text} is not known", hint=f"use one of {', '.join(allowed)}")
    return text


def _branch(name: str, values: Mapping[str, str]) -> str:
    return branch_name(values[name], f"input {name}") if values.get(name) else ""


def usable_mode(mode: Mode, trusted: Trust, environment: Mapping[str, str], event: bytes) -> tuple[Mode, str]:
    """The mode that this event allows, and why it is not the one that is asked for; "" where it is."""
    if not mode.writes or (trusted.writes and not mode.publishes):
        return mode, ""
    name = environment.get("GITHUB_EVENT_NAME", "")
    if not trusted.writes:
        why = "on this event the workflow is trusted, and the checked content is not"
    elif not trusted.publishes:
        why = "the token of a pull request from a fork or of Dependabot can only read"
    elif name == "merge_group":
        why = "a merge queue takes no commits of others"
    elif mode is Mode.PULL_REQUEST and name.startswith("pull_request"):
        why = "the change is in a pull request already (mode commit adds the sitemap to it)"
    elif _own_push(environment, event):
        why = "this is the push of its own commit"
    else:
        return mode, ""
    return Mode.CHECK, f"mode {mode} is check here: {why}"


def read_publishing(
    values: Mapping[str, str], mode: Mode, trusted: Trust, environment: Mapping[str, str], event: bytes
) -> Publishing:
    """`values`: of the inputs, by name.

    Raises UsageError for one that is not valid, and where a mode needs a branch, and neither input nor event names one.
    """
    message = values.get("commit-message", "")
    if len(message) > _MAX_MESSAGE:
        raise UsageError(f"input commit-message: more than {_MAX_MESSAGE:,} characters", hint="shorten it")
    comment = CommentWhen(_choice("comment", values, CommentWhen.NEVER, list(CommentWhen)))
    method = CommitMethod(_choice("commit-method", values, CommitMethod.API, list(CommitMethod)))
    branch, base, pr_branch = (_branch(name, values) for name in ("branch", "base", "pr-branch"))
    name, key = comment_name(values.get("comment-id") or "sitemap"), values.get("index-now-key", "")
    payload = parse_payload(event)
    number = payload.get("number") if environment.get("GITHUB_EVENT_NAME", "").startswith("pull_request") else 0
    comments = trusted.publishes and comment is not CommentWhen.NEVER and type(number) is int
    pr_branch = (pr_branch or PR_BRANCH) if mode is Mode.PULL_REQUEST else ""
    branch = (base if pr_branch else branch) or _event_branch(mode, environment, payload) if mode.publishes else ""
    if pr_branch and branch == pr_branch:
        hint = "set pr-branch or base to another branch"
        raise UsageError(f"the pull request from {branch} would be into the same branch", hint=hint)
    key = index_now_key(key) if key else ""
    return Publishing(
        branch=branch,
        pr_branch=pr_branch,
        pr_labels=tuple(filter(None, map(str.strip, values.get("pr-labels", "").replace(",", "\n").splitlines()))),
        message=message.strip(),
        method=method,
        comment=comment,
        comment_id=name,
        number=number if comments and isinstance(number, int) else 0,
        source=object_id(text_at(payload, "pull_request", "head", "sha")) or object_id(environment.get("GITHUB_SHA")),
        index_now_key=key if mode.writes and not number else "",
    )


def _event_branch(mode: Mode, environment: Mapping[str, str], payload: Mapping[str, object]) -> str:
    """The branch of the pull request, or of the workflow: its sitemap is judged where no input names another."""
    event = environment.get("GITHUB_EVENT_NAME", "")
    head = text_at(payload, "pull_request", "head", "ref")
    if event.startswith("pull_request") and head:
        return branch_name(head, "the branch of the pull request")
    if environment.get("GITHUB_REF_TYPE") == "branch" and event not in _DEPLOYMENTS:
        return branch_name(environment.get("GITHUB_REF_NAME", ""), "GITHUB_REF_NAME")
    why = f"the event {event} is about no branch" if event else "no event names one"
    name = "base" if mode is Mode.PULL_REQUEST else "branch"
    raise UsageError(f"mode {mode} needs a branch, and {why}", hint=f"name it with {option(name)}")


def _own_push(environment: Mapping[str, str], event: bytes) -> bool:
    """The push of our own commit starts a workflow where an app's token made it: the loop ends here."""
    if environment.get("GITHUB_EVENT_NAME") != "push":
        return False
    return bool(source_of(text_at(parse_payload(event), "head_commit", "message")))
