"""How GitHub shows its objects in REST; what is not stated here is filled in from the description."""

from datetime import UTC, datetime, timedelta
from typing import Any

from forge.call import numbered
from forge.hub import STARTED, Comment, Deployment, Hub, Issue, Pull
from forge.repository import Repository


def user(hub: Hub, login: str) -> dict[str, Any]:
    bot = login.endswith("[bot]")
    number = 41898282 if login == "github-actions[bot]" else 1000
    web = f"{hub.server_url}/apps/{login.removesuffix('[bot]')}" if bot else f"{hub.server_url}/{login}"
    return {"login": login, "id": number, "type": "Bot" if bot else "User", "html_url": web, "site_admin": False}


def repository(hub: Hub, found: Repository) -> dict[str, Any]:
    return {
        "id": numbered(hub, found),
        "name": found.name,
        "full_name": found.full_name,
        "owner": user(hub, found.owner),
        "private": found.private,
        "visibility": "private" if found.private else "public",
        "default_branch": found.default_branch,
        "html_url": found.web,
        "clone_url": f"{found.web}.git",
        "url": f"{hub.api_url}/repos/{found.full_name}",
        "fork": False,
        "archived": False,
    }


def verification(found: Repository, commit: str) -> dict[str, Any]:
    signed = found.signed(commit)
    nothing = {"signature": None, "payload": None, "verified_at": None}
    return {"verified": signed, "reason": "valid" if signed else "unsigned", **nothing}


def _person(found: Repository, commit: str, letter: str) -> dict[str, str]:
    name, email, seconds = found.ask("log", "-1", f"--format=%{letter}n%n%{letter}e%n%{letter}t", commit).split("\n")
    date = datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {"name": name, "email": email, "date": date}


def git_commit(hub: Hub, found: Repository, commit: str) -> dict[str, Any]:
    """An object of the database, as /git/commits shows it."""
    api = f"{hub.api_url}/repos/{found.full_name}/git"
    tree = found.ask("rev-parse", f"{commit}^{{tree}}")
    parents = [
        {"sha": one, "url": f"{api}/commits/{one}", "html_url": f"{found.web}/commit/{one}"}
        for one in found.parents(commit)
    ]
    return {
        "sha": commit,
        "url": f"{api}/commits/{commit}",
        "html_url": f"{found.web}/commit/{commit}",
        "author": _person(found, commit, "a"),
        "committer": _person(found, commit, "c"),
        "message": found.message(commit),
        "tree": {"sha": tree, "url": f"{api}/trees/{tree}"},
        "parents": parents,
        "verification": verification(found, commit),
    }


def commit(hub: Hub, found: Repository, name: str) -> dict[str, Any]:
    """A commit of the history, as /commits shows it."""
    shown = git_commit(hub, found, name)
    author = shown["author"]["name"]
    inner = {key: shown[key] for key in ("author", "committer", "message", "tree", "verification", "url")}
    return {
        "sha": name,
        "url": f"{hub.api_url}/repos/{found.full_name}/commits/{name}",
        "html_url": shown["html_url"],
        "commit": {**inner, "comment_count": 0},
        "author": user(hub, author),
        "committer": user(hub, "web-flow"),
        "parents": shown["parents"],
    }


def reference(hub: Hub, found: Repository, name: str, target: str) -> dict[str, Any]:
    api, kind = f"{hub.api_url}/repos/{found.full_name}/git", found.kind(target)
    shown = {"type": kind, "sha": target, "url": f"{api}/{kind}s/{target}"}
    return {"ref": name, "node_id": f"REF_{name}", "url": f"{api}/{name}", "object": shown}


def pull(hub: Hub, shown: Pull) -> dict[str, Any]:
    base, head = shown.repository, shown.head_repository
    return {
        **_numbered(hub, shown, "pulls"),
        "id": 5000 + shown.number,
        "node_id": f"PR_{shown.number}",
        "html_url": f"{base.web}/pull/{shown.number}",
        "body": shown.body or None,
        "draft": shown.draft,
        "merged": shown.merged,
        "merged_at": STARTED if shown.merged else None,
        "requested_reviewers": [user(hub, name) for name in shown.reviewers if "/" not in name],
        "requested_teams": [team(hub, name) for name in shown.reviewers if "/" in name],
        "auto_merge": _auto_merge(hub, shown),
        "head": _side(hub, head, shown.head_owner, shown.head, shown.head_sha),
        "base": _side(hub, base, base.owner, shown.base, base.head(shown.base)),
    }


def _numbered(hub: Hub, shown: Pull | Issue, kind: str) -> dict[str, Any]:
    """What pull requests and issues have in common."""
    found = shown.repository
    return {
        "number": shown.number,
        "url": f"{hub.api_url}/repos/{found.full_name}/{kind}/{shown.number}",
        "state": shown.state,
        "title": shown.title,
        "user": user(hub, shown.login),
        "locked": shown.locked,
        "labels": [label(hub, found, name) for name in shown.labels],
        "assignees": [user(hub, name) for name in shown.assignees],
        "created_at": STARTED,
        "updated_at": STARTED,
        "closed_at": None if shown.state == "open" else STARTED,
    }


def _auto_merge(hub: Hub, shown: Pull) -> dict[str, Any] | None:
    words = {"commit_title": "", "commit_message": ""}
    by = user(hub, shown.login)
    return {"enabled_by": by, "merge_method": shown.auto_merge, **words} if shown.auto_merge else None


def team(hub: Hub, name: str) -> dict[str, Any]:
    slug = name.rpartition("/")[2]
    api = f"{hub.api_url}/organizations/1/team/1"
    return {"id": 1, "node_id": f"T_{slug}", "name": slug, "slug": slug, "url": api, "html_url": f"{hub.server_url}/orgs/{name}", "members_url": f"{api}/members", "repositories_url": f"{api}/repos", "permission": "push", "privacy": "closed", "description": None, "parent": None}  # fmt: skip


def issue(hub: Hub, shown: Issue) -> dict[str, Any]:
    return {
        **_numbered(hub, shown, "issues"),
        "id": 7000 + shown.number,
        "node_id": f"I_{shown.number}",
        "html_url": f"{shown.repository.web}/issues/{shown.number}",
        **({"state_reason": shown.state_reason} if shown.state_reason else {}),
        "body": shown.body,
        "milestone": None,
        "comments": 0,
        "author_association": "CONTRIBUTOR",
    }


def review(hub: Hub, shown: Pull, number: int, login: str) -> dict[str, Any]:
    web = f"{shown.repository.web}/pull/{shown.number}"
    api = f"{hub.api_url}/repos/{shown.repository.full_name}/pulls/{shown.number}"
    return {"id": number, "node_id": f"R_{number}", "user": user(hub, login), "body": "", "state": "APPROVED", "html_url": web, "pull_request_url": api, "_links": {"html": {"href": web}, "pull_request": {"href": api}}, "commit_id": shown.head_sha, "author_association": "MEMBER"}  # fmt: skip


def _side(hub: Hub, found: Repository | None, owner: str, branch: str, sha: str) -> dict[str, Any]:
    """Of a fork that is deleted the owner is still known."""
    repo = repository(hub, found) if found else None
    return {"label": f"{owner}:{branch}", "ref": branch, "sha": sha, "repo": repo, "user": user(hub, owner)}


def label(hub: Hub, found: Repository, name: str) -> dict[str, Any]:
    url = f"{hub.api_url}/repos/{found.full_name}/labels/{name}"
    return {"id": 1, "name": name, "color": "ededed", "default": False, "description": "", "url": url}


def comment(hub: Hub, shown: Comment) -> dict[str, Any]:
    api = f"{hub.api_url}/repos/{shown.repository}/issues"
    return {
        "id": shown.number,
        "node_id": f"IC_{shown.number}",
        "url": f"{api}/comments/{shown.number}",
        "html_url": f"{hub.server_url}/{shown.repository}/pull/{shown.issue}#issuecomment-{shown.number}",
        "issue_url": f"{api}/{shown.issue}",
        "body": shown.body,
        "user": user(hub, shown.login),
        "created_at": STARTED,
        "updated_at": STARTED,
        "author_association": "CONTRIBUTOR" if shown.login.endswith("[bot]") else "MEMBER",
    }


def deployment(hub: Hub, found: Repository, shown: Deployment) -> dict[str, Any]:
    url = f"{hub.api_url}/repos/{found.full_name}/deployments/{shown.number}"
    return {
        "id": shown.number,
        "sha": shown.commit,
        "ref": shown.commit,
        "environment": shown.environment,
        "url": url,
        "statuses_url": f"{url}/statuses",
        "created_at": _minute(shown.number),
        "creator": user(hub, "github-actions[bot]"),
    }


def deployment_statuses(hub: Hub, found: Repository, shown: Deployment) -> list[dict[str, Any]]:
    """The newest first."""
    url = deployment(hub, found, shown)["url"]
    rows = [
        {
            "id": place,
            "state": state,
            "environment_url": address,
            "target_url": "https://ci.example.net/log/1",
            "deployment_url": url,
            "created_at": _minute(place),
            "creator": user(hub, "github-actions[bot]"),
        }
        for place, (state, address) in enumerate(shown.statuses)
    ]
    return rows[::-1]


def _minute(number: int) -> str:
    return (datetime(2026, 11, 20, tzinfo=UTC) + timedelta(minutes=number)).strftime("%Y-%m-%dT%H:%M:%SZ")
