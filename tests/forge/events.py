"""What a workflow knows of its event: the payload, held to GitHub's published schema, and the variables of the runner.

    environment = pull_request(hub, pull).written(tmp_path)     # GITHUB_EVENT_NAME, GITHUB_EVENT_PATH, GITHUB_SHA …

https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from forge import descriptions, shapes
from forge.hub import Hub, Pull
from forge.repository import NOTHING, Repository


@dataclass(frozen=True)
class Event:
    name: str
    payload: dict[str, Any]
    sha: str
    ref: str  # "" where a deployment names a commit
    actor: str
    head_ref: str = ""
    base_ref: str = ""

    def written(self, folder: Path) -> dict[str, str]:
        """The variables; the payload lies in the folder."""
        file = folder / "event.json"
        file.write_text(json.dumps(self.payload), encoding="utf-8")
        kind = "tag" if self.ref.startswith("refs/tags/") else "branch" if self.ref else ""
        return {
            "GITHUB_EVENT_NAME": self.name,
            "GITHUB_EVENT_PATH": str(file),
            "GITHUB_SHA": self.sha,
            "GITHUB_REF": self.ref,
            "GITHUB_REF_NAME": self.ref.removeprefix("refs/").partition("/")[2],
            "GITHUB_REF_TYPE": kind,
            "GITHUB_HEAD_REF": self.head_ref,
            "GITHUB_BASE_REF": self.base_ref,
            "GITHUB_ACTOR": self.actor,
        }


def pull_request(
    hub: Hub, pull: Pull, action: str = "opened", *, name: str = "pull_request", actor: str = "mona"
) -> Event:
    """Of a fork, when the pull request comes from one. `name` may be pull_request_target."""
    repository = pull.repository
    shown = shapes.pull(hub, pull)
    given = {"action": action, "number": pull.number, "pull_request": shown, **_about(hub, repository, actor)}
    if action == "synchronize":
        given |= {"before": NOTHING, "after": pull.head_sha}
    payload = descriptions.webhooks().event(f"pull_request${action}", given)
    merge = f"refs/pull/{pull.number}/merge"
    trusted = name == "pull_request_target"
    default = f"refs/heads/{repository.default_branch}"
    ref = default if trusted else merge
    return Event(name, payload, repository.ref(ref), ref, actor, pull.head, pull.base)


def push(hub: Hub, repository: Repository, branch: str = "main", *, actor: str = "mona") -> Event:
    ref, head = f"refs/heads/{branch}", repository.head(branch)
    before = (repository.parents(head) or [NOTHING])[0]
    given = {
        "ref": ref,
        "before": before,
        "after": head,
        "created": before == NOTHING,
        "compare": f"{repository.web}/compare/{before}...{head}",
        "head_commit": _commit(repository, head),
        "commits": [_commit(repository, head)],
        **_about(hub, repository, actor),
    }
    return Event("push", descriptions.webhooks().event("push$event", given), head, ref, actor)


def deployment_status(hub: Hub, repository: Repository, commit: str, url: str, state: str = "success", *, branch: str = "", environment: str = "Production", actor: str = "vercel[bot]") -> Event:  # fmt: skip
    """`branch`: what the deployment names; without one it names the commit, and the run has no reference."""
    made = hub.deployment(repository, commit, (state, url), environment=environment)
    shown = {**shapes.deployment(hub, repository, made), "ref": branch or commit}
    (status,) = shapes.deployment_statuses(hub, repository, made)
    given = {
        "action": "created",
        "deployment": shown,
        "deployment_status": {**status, "environment": environment},
        **_about(hub, repository, actor),
    }
    payload = descriptions.webhooks().event("deployment_status$created", given)
    return Event("deployment_status", payload, commit, f"refs/heads/{branch}" if branch else "", actor)


def schedule(repository: Repository, cron: str = "23 4 * * 1") -> Event:
    """On the default branch; the payload has no schema."""
    payload = {
        "schedule": cron,
        "repository": {"full_name": repository.full_name, "default_branch": repository.default_branch},
    }
    ref = f"refs/heads/{repository.default_branch}"
    return Event("schedule", payload, repository.ref(ref), ref, "mona")


def workflow_dispatch(hub: Hub, repository: Repository, branch: str = "main", *, actor: str = "mona") -> Event:
    given = {"inputs": None, "ref": f"refs/heads/{branch}", "workflow": ".github/workflows/sitemap.yml", **_about(hub, repository, actor)}  # fmt: skip
    payload = descriptions.webhooks().event("workflow_dispatch$event", given)
    return Event("workflow_dispatch", payload, repository.head(branch), f"refs/heads/{branch}", actor)


def _about(hub: Hub, repository: Repository, actor: str) -> dict[str, Any]:
    return {"repository": shapes.repository(hub, repository), "sender": shapes.user(hub, actor)}


def _commit(repository: Repository, name: str) -> dict[str, Any]:
    tree = repository.ask("rev-parse", f"{name}^{{tree}}")
    author, email = repository.ask("log", "-1", "--format=%an%n%ae", name).split("\n")
    person = {"name": author, "email": email}
    return {"id": name, "tree_id": tree, "message": repository.message(name), "url": f"{repository.web}/commit/{name}", "author": person, "committer": person}  # fmt: skip
