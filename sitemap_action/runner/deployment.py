"""The deployment that `source.url: auto` stands for, from the event of a GitHub runner."""

from collections.abc import Mapping

from sitemap_action.model.context import Deployment
from sitemap_action.runner.event import object_id, parse_payload, text_at
from sitemap_action.runner.trust import is_fork

_BRANCH_EVENTS = ("push", "merge_group", "schedule", "workflow_dispatch", "repository_dispatch", "release", "create")


def read_deployment(environment: Mapping[str, str], event: bytes) -> Deployment | None:
    """None for an event without a commit. A preview is built from the head of a pull request, not from its merge."""
    payload = parse_payload(event)
    match environment.get("GITHUB_EVENT_NAME"):
        case "pull_request" | "pull_request_target":
            commit = object_id(text_at(payload, "pull_request", "head", "sha"))
            return Deployment(commit, trusted=not is_fork(environment, payload)) if commit else None
        case "deployment_status":
            return _from_status(payload)
        case name if name in _BRANCH_EVENTS:
            commit = object_id(environment.get("GITHUB_SHA"))
            return Deployment(commit) if commit else None
        case _:
            return None


def _from_status(payload: Mapping[str, object]) -> Deployment | None:
    """Without a URL, unless it succeeded and has one; another deployment of the commit may then have one."""
    status, commit = payload.get("deployment_status"), object_id(text_at(payload, "deployment", "sha"))
    if not commit:
        return None
    if text_at(status, "state") != "success" or not text_at(status, "environment_url"):
        return Deployment(commit)
    environment = text_at(status, "environment") or text_at(payload, "deployment", "environment")
    return Deployment(commit, text_at(status, "environment_url"), environment)
