"""How GitHub shows its objects in GraphQL; a field that the fake does not have fails the test."""

from typing import Any

from graphql import GraphQLError, GraphQLResolveInfo

from forge.hub import STARTED, Comment, Hub, Issue, Pull
from forge.repository import Repository
from forge.tokens import Token

_MOST = 100


def failure(kind: str, message: str, **extensions: Any) -> GraphQLError:
    return GraphQLError(message, extensions={"type": kind, **extensions})


class Shapes:
    """Objects as dictionaries; a value that is a function is called with the arguments of its field."""

    def __init__(self, hub: Hub, token: Token) -> None:
        self.hub, self.token = hub, token

    def resolve(self, source: Any, info: GraphQLResolveInfo, **arguments: Any) -> Any:
        name = info.field_name
        if name not in source:
            self.hub.violations.append(f"POST /graphql: the fake has no {info.parent_type.name}.{name}")
            raise GraphQLError(f"the fake has no {info.parent_type.name}.{name}")
        value = source[name]
        return value(info, **arguments) if callable(value) else value

    def queries(self) -> dict[str, Any]:
        return {
            "viewer": {
                "__typename": "User",
                "login": self.token.login,
                "id": f"U_{self.token.login}",
                "databaseId": int(self.token.person.email.partition("+")[0]),
            },
            "repository": self.repository,
            "rateLimit": {"limit": 5000, "cost": 1, "remaining": 4999, "resetAt": STARTED, "used": 1, "nodeCount": 1},
        }

    # Repositories and their objects

    def named(self, full_name: str) -> Repository:
        found = self.hub.repositories.get(full_name)
        hidden = found and found.private and not (self.token.reaches(full_name) and self.token.may("contents=read"))
        if found is None or hidden:
            raise failure("NOT_FOUND", f"Could not resolve to a Repository with the name '{full_name}'.")
        return found

    def repository(self, info: GraphQLResolveInfo, owner: str, name: str, **_: Any) -> Any:
        found = self.named(f"{owner}/{name}")
        return {
            "__typename": "Repository",
            "id": f"R_{found.full_name}",
            "name": found.name,
            "nameWithOwner": found.full_name,
            "owner": _actor(found.owner),
            "url": found.web,
            "isPrivate": found.private,
            "isArchived": False,
            "isFork": False,
            "viewerPermission": "WRITE" if self.token.contents == "write" else "READ",
            "defaultBranchRef": lambda _: self.ref(found, f"refs/heads/{found.default_branch}"),
            "ref": lambda _, qualifiedName: self.ref(found, qualifiedName),
            "object": lambda _, oid=None, expression=None: self.object(found, oid or expression or ""),
            "pullRequest": lambda _, number: self._numbered(found, number),
            "issueOrPullRequest": lambda _, number: self._numbered(found, number),
            "pullRequests": lambda info, **given: self._pulls(found, info, given),
            "issues": lambda info, **given: self._issues(found, info, given),
        }

    def ref(self, found: Repository, name: str) -> Any:
        full = next((one for one in (name, f"refs/heads/{name}", f"refs/tags/{name}") if one.startswith("refs/") and found.ref(one)), "")  # fmt: skip
        if not full:
            return None
        prefix, _, short = full.removeprefix("refs/").partition("/")
        return {
            "__typename": "Ref",
            "id": f"REF_{found.full_name}:{full}",
            "name": short,
            "prefix": f"refs/{prefix}/",
            "target": lambda _: self.object(found, found.ref(full)),
            "associatedPullRequests": lambda info, **given: self._pulls(found, info, {**given, "headRefName": short}),
        }

    def object(self, found: Repository, expression: str) -> Any:
        name = found.ask("rev-parse", "--verify", "--quiet", "--end-of-options", expression)
        match found.kind(name) if name else "":
            case "commit":
                return self.commit(found, name)
            case "blob":
                return _blob(found, name)
            case "tree":
                return {"__typename": "Tree", "id": f"T_{name}", "oid": name}
        return None

    def commit(self, found: Repository, name: str) -> dict[str, Any]:
        message = found.message(name)
        headline, _, body = message.partition("\n\n")
        author, email = found.ask("log", "-1", "--format=%an%n%ae", name).split("\n")
        return {
            "__typename": "Commit",
            "id": f"C_{name}",
            "oid": name,
            "abbreviatedOid": name[:7],
            "url": f"{found.web}/commit/{name}",
            "message": message,
            "messageHeadline": headline,
            "messageBody": body,
            "committedDate": found.ask("log", "-1", "--format=%cI", name),
            "author": {"name": author, "email": email, "user": None if author.endswith("[bot]") else _actor(author)},
            "tree": {"__typename": "Tree", "id": f"T_{name}", "oid": found.ask("rev-parse", f"{name}^{{tree}}")},
            "signature": {"__typename": "GpgSignature", "isValid": True} if found.signed(name) else None,
            "parents": lambda info, **given: _connection(info, given, [self.commit(found, one) for one in found.parents(name)]),
            "history": lambda info, **given: _connection(info, given, [self.commit(found, one) for one in found.log(name)]),
            "file": lambda _, path: self._file(found, name, path),
        }  # fmt: skip

    def _file(self, found: Repository, commit: str, path: str) -> Any:
        if not (entry := found.entry(commit, path)):
            return None
        return {"path": path, "oid": entry.name, "mode": int(entry.mode, 8), "object": lambda _: self.object(found, entry.name or "")}  # fmt: skip

    # Pull requests and comments

    def _numbered(self, found: Repository, number: int) -> Any:
        pull = self.hub.pull(found, number)
        if pull is None:
            raise failure("NOT_FOUND", f"Could not resolve to a PullRequest with the number of {number}.")
        return self.pull(pull)

    def _pulls(self, found: Repository, info: GraphQLResolveInfo, given: dict[str, Any]) -> Any:
        if not self.token.may("pull_requests=read"):
            raise failure("FORBIDDEN", self.token.refusal, saml_failure=False)
        states, head, base = given.get("states"), given.get("headRefName"), given.get("baseRefName")
        kept = [
            one
            for one in self.hub.pulls[found.full_name]
            if (not states or _state(one) in states)
            and (head is None or one.head == head)
            and (base is None or one.base == base)
        ]  # fmt: skip
        return _connection(info, given, [self.pull(one) for one in kept])

    def _issues(self, found: Repository, info: GraphQLResolveInfo, given: dict[str, Any]) -> Any:
        if not self.token.may("issues=read"):
            raise failure("FORBIDDEN", self.token.refusal, saml_failure=False)
        states = given.get("states")
        kept = [one for one in self.hub.issues[found.full_name] if not states or one.state.upper() in states]
        newest_first = (given.get("orderBy") or {}).get("direction") == "DESC"
        return _connection(info, given, [self.issue(one) for one in (kept[::-1] if newest_first else kept)])

    def issue(self, shown: Issue) -> dict[str, Any]:
        return {
            "__typename": "Issue",
            "id": f"I_{shown.number}",
            "number": shown.number,
            "url": f"{shown.repository.web}/issues/{shown.number}",
            "title": shown.title,
            "body": shown.body,
            "state": shown.state.upper(),
            "author": _actor(shown.login),
            "viewerDidAuthor": shown.login == self.token.login,
        }

    def pull(self, shown: Pull) -> dict[str, Any]:
        head = shown.head_repository
        return {
            "__typename": "PullRequest",
            "id": f"PR_{shown.number}",
            "number": shown.number,
            "url": f"{shown.repository.web}/pull/{shown.number}",
            "title": shown.title,
            "body": shown.body,
            "state": _state(shown),
            "closed": shown.state == "closed",
            "merged": shown.merged,
            "isDraft": shown.draft,
            "isCrossRepository": head is not shown.repository,
            "author": _actor(shown.login),
            "headRefName": shown.head,
            "headRefOid": shown.head_sha,
            "baseRefName": shown.base,
            "baseRefOid": shown.repository.head(shown.base),
            "headRepository": {"__typename": "Repository", "nameWithOwner": head.full_name, "name": head.name, "owner": _actor(head.owner)} if head else None,
            "headRepositoryOwner": _actor(head.owner) if head else None,
            "labels": lambda info, **given: _connection(info, given, [{"__typename": "Label", "name": name} for name in shown.labels]),
            "comments": lambda info, **given: self._comments(shown, info, given),
            "timelineItems": {"totalCount": shown.auto_merge_disabled},  # of the one kind that is asked for
        }  # fmt: skip

    def _comments(self, shown: Pull, info: GraphQLResolveInfo, given: dict[str, Any]) -> Any:
        found = [one for one in self.hub.comments[shown.repository.full_name] if one.issue == shown.number]
        return _connection(info, given, [self._comment(one) for one in found])

    def _comment(self, shown: Comment) -> dict[str, Any]:
        return {
            "__typename": "IssueComment",
            "id": f"IC_{shown.number}",
            "databaseId": shown.number,
            "fullDatabaseId": str(shown.number),
            "url": f"{self.hub.server_url}/{shown.repository}/pull/{shown.issue}#issuecomment-{shown.number}",
            "body": shown.body,
            "author": _actor(shown.login),
            "isMinimized": shown.minimized,
            "minimizedReason": "outdated" if shown.minimized else None,
            "viewerDidAuthor": shown.login == self.token.login,
            "viewerCanUpdate": self.token.may("issues=write|pull_requests=write"),
            "createdAt": STARTED,
            "updatedAt": STARTED,
        }


def _blob(found: Repository, name: str) -> dict[str, Any]:
    content = found.blob(name)
    binary = b"\0" in content
    text = None if binary else content[:512_000].decode(errors="replace")
    shown = {"oid": name, "byteSize": len(content), "text": text, "isBinary": binary}
    return {"__typename": "Blob", "id": f"B_{name}", **shown, "isTruncated": len(content) > 512_000}


def _state(pull: Pull) -> str:
    return "MERGED" if pull.merged else pull.state.upper()


def _actor(login: str) -> dict[str, str]:
    """A bot is called without its `[bot]` here, unlike in REST and unlike `viewer`."""
    bot = login.endswith("[bot]")
    return {"__typename": "Bot" if bot else "User", "login": login.removesuffix("[bot]"), "id": f"U_{login}"}


def _connection(info: GraphQLResolveInfo, given: dict[str, Any], nodes: list[Any]) -> dict[str, Any]:
    """The part of a list that `first` and `after`, or `last` and `before`, name."""
    first, last, name = given.get("first"), given.get("last"), info.field_name
    if first is None and last is None:
        words = f"You must provide a `first` or `last` value to properly paginate the `{name}` connection."
        raise failure("MISSING_PAGINATION_BOUNDARIES", words)
    if max(first or 0, last or 0) > _MOST:
        words = f"Requesting {max(first or 0, last or 0)} records on the `{name}` connection exceeds the `first` limit of {_MOST} records."
        raise failure("EXCESSIVE_PAGINATION", words)
    start = int(given["after"]) if given.get("after") else 0
    stop = int(given["before"]) - 1 if given.get("before") else len(nodes)
    if first is not None:
        stop = min(stop, start + first)
    if last is not None:
        start = max(start, stop - last)
    edges = [{"cursor": str(place + 1), "node": nodes[place]} for place in range(start, stop)]
    return {
        "totalCount": len(nodes),
        "nodes": nodes[start:stop],
        "edges": edges,
        "pageInfo": {
            "hasNextPage": stop < len(nodes),
            "hasPreviousPage": start > 0,
            "startCursor": edges[0]["cursor"] if edges else None,
            "endCursor": edges[-1]["cursor"] if edges else None,
        },
    }
