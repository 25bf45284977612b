"""Which deployment `source.url: auto` stands for, as the event of a GitHub runner tells it."""

from collections.abc import Mapping

from sitemap_action.model.context import Deployment
from sitemap_action.runner.event import object_id, payload_of, text_of
from sitemap_action.runner.trust import of_fork

_OF_A_BRANCH = ("push", "merge_group", "schedule", "workflow_dispatch", "repository_dispatch", "release", "create")


def read_deployment(environment: Mapping[str, str], event: bytes) -> Deployment | None:
    """None where the event is about no commit. A preview is built from the head of a pull request, not the merge."""
    payload = payload_of(event)
    match environment.get("GITHUB_EVENT_NAME"):
        case "pull_request" | "pull_request_target":
            commit = object_id(text_of(payload, "pull_request", "head", "sha"))
            return Deployment(commit, trusted=not of_fork(environment, payload)) if commit else None
        case "deployment_status":
            return _told(payload)
        case name if name in _OF_A_BRANCH:
            commit = object_id(environment.get("GITHUB_SHA"))
            return Deployment(commit) if commit else None
        case _:
            return None


def _told(payload: Mapping[str, object]) -> Deployment | None:
    """Where it is not done, or has no address as a job's own environment has none, another of the commit may have."""
    status, commit = payload.get("deployment_status"), object_id(text_of(payload, "deployment", "sha"))
    if not commit:
        return None
    if text_of(status, "state") != "success" or not text_of(status, "environment_url"):
        return Deployment(commit)
    environment = text_of(status, "environment") or text_of(payload, "deployment", "environment")
    return Deployment(commit, text_of(status, "environment_url"), environment)
