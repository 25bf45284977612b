"""Reduces GitHub's OpenAPI description (13 MB) to the operations that the fake of its API has, with all that they refer to.

python3 trim.py DESCRIPTION REDUCED
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

REPOSITORY = "/repos/{owner}/{repo}"
PATHS = (
    "/app",
    "/rate_limit",
    "/user",
    "/users/{username}",
    *(
        f"{REPOSITORY}{path}"
        for path in (
            "",
            "/branches/{branch}",
            "/branches/{branch}/protection",
            "/commits",
            "/commits/{ref}",
            "/compare/{basehead}",
            "/contents/{path}",
            "/deployments",
            "/deployments/{deployment_id}/statuses",
            "/git/blobs",
            "/git/blobs/{file_sha}",
            "/git/commits",
            "/git/commits/{commit_sha}",
            "/git/matching-refs/{ref}",
            "/git/ref/{ref}",
            "/git/refs",
            "/git/refs/{ref}",
            "/git/trees",
            "/git/trees/{tree_sha}",
            "/issues",
            "/issues/comments/{comment_id}",
            "/issues/{issue_number}",
            "/issues/{issue_number}/assignees",
            "/issues/{issue_number}/comments",
            "/issues/{issue_number}/labels",
            "/labels",
            "/labels/{name}",
            "/pulls",
            "/pulls/{pull_number}",
            "/pulls/{pull_number}/commits",
            "/pulls/{pull_number}/requested_reviewers",
            "/pulls/{pull_number}/reviews",
            "/rules/branches/{branch}",
        )
    ),
)


def reduced(description: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in description.items() if key not in {"paths", "components", "webhooks"}}
    kept |= {"paths": {path: description["paths"][path] for path in PATHS}, "components": {}}
    waiting = [kept["paths"]]
    seen = set()
    while waiting:
        for reference in _references(waiting.pop()):
            if reference not in seen:
                seen.add(reference)
                waiting.append(_copy(description, kept, reference))
    return kept


def _references(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(found := value.get("$ref"), str):
            yield found
        for inner in value.values():
            yield from _references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _references(inner)


def _copy(description: dict[str, Any], kept: dict[str, Any], reference: str) -> Any:
    """What `#/components/KIND/NAME` refers to, put in its place."""
    _, top, kind, name = reference.split("/")
    found = description[top][kind][name]
    kept[top].setdefault(kind, {})[name] = found
    return found


if __name__ == "__main__":
    source, target = map(Path, sys.argv[1:])
    target.write_text(json.dumps(reduced(json.loads(source.read_bytes()))))
