"""REST: pull requests, their comments and labels, deployments, and who a token speaks for.

https://docs.github.com/en/rest/pulls/pulls, https://docs.github.com/en/rest/issues/comments
"""

from typing import Any

from forge import shapes
from forge.call import Call, RefusalError, invalid, not_found
from forge.hub import Issue, Pull
from forge.repository import Repository
from forge.server import Answer
from forge.tokens import Kind

MOST_OF_A_BODY = 65_536  # characters


# Who is asking


def user(call: Call) -> Any:
    if call.token is None:
        raise RefusalError(401, "Requires authentication")
    if call.token.kind.installation:
        raise RefusalError(403, "Resource not accessible by integration")
    return shapes.user(call.hub, call.token.login)


def app(call: Call) -> Any:
    raise RefusalError(401, "A JSON web token could not be decoded")


def named_user(call: Call) -> Any:
    return shapes.user(call.hub, call.parameters["username"])


def limits(call: Call) -> Any:
    left = {"limit": 1000, "used": 1, "remaining": 999, "reset": 4_000_000_000}
    return {"resources": {"core": left, "search": left, "graphql": left}, "rate": left}


# Pull requests


def pulls(call: Call) -> Answer:
    """`head` counts only as OWNER:BRANCH; GitHub ignores it otherwise."""
    query = call.request.query
    state, head, base = query.get("state", "open"), query.get("head", ""), query.get("base", "")
    found = [
        one
        for one in call.hub.pulls[call.repository.full_name]
        if state in ("all", one.state)
        and (":" not in head or one.label == head)
        and (not base or one.base == base)
    ]  # fmt: skip
    newest_first = query.get("direction", "desc") == "desc"
    return call.page([shapes.pull(call.hub, one) for one in (found[::-1] if newest_first else found)])


def pull(call: Call) -> Any:
    return shapes.pull(call.hub, _pull(call))


def pull_commits(call: Call) -> Answer:
    shown = _pull(call)
    names = call.repository.log("--reverse", f"{call.repository.head(shown.base)}..{shown.head_sha}")
    return call.page([shapes.commit(call.hub, call.repository, name) for name in names])


def create_pull(call: Call) -> Any:
    given, token, hub = call.body, call.speaker, call.hub
    if token.kind is Kind.ACTIONS and not hub.actions_may_open_pulls:
        raise RefusalError(403, "GitHub Actions is not permitted to create or approve pull requests.")
    if "title" not in given:
        raise invalid("PullRequest", field="title", code="missing_field")
    owner, _, branch = given["head"].rpartition(":")
    source = _source(call, owner)
    if source is None or not source.head(branch):
        raise invalid("PullRequest", field="head", code="invalid")
    if not call.repository.head(given["base"]):
        raise invalid("PullRequest", field="base", code="invalid")
    _too_long(given.get("body") or "", "PullRequest", "body")
    _long_title(given["title"], "PullRequest")
    with hub.lock:
        _refuse_duplicate(call, source, branch, given["base"])
        _refuse_empty(call, source, branch, given["base"])
        draft = given.get("draft", False)
        made = hub.open_pull(call.repository, branch, given["base"], login=token.login, source=source, title=given["title"], body=given.get("body") or "", draft=draft)  # fmt: skip
    return shapes.pull(hub, made)


def _source(call: Call, owner: str) -> Repository | None:
    if not owner or owner == call.repository.owner:
        return call.repository
    return call.hub.repositories.get(f"{owner}/{call.repository.name}")


def _refuse_duplicate(call: Call, source: Repository, branch: str, base: str) -> None:
    for one in call.hub.pulls[call.repository.full_name]:
        if one.state == "open" and (one.head_repository, one.head, one.base) == (source, branch, base):
            words = f"A pull request already exists for {source.owner}:{branch}."
            raise invalid("PullRequest", code="custom", message=words)


def _refuse_empty(call: Call, source: Repository, branch: str, base: str) -> None:
    if source is not call.repository:
        call.repository.git("fetch", "--quiet", str(source.directory), source.head(branch))
    if call.repository.is_ancestor(source.head(branch), call.repository.head(base)):
        raise invalid("PullRequest", code="custom", message=f"No commits between {base} and {branch}")


def update_pull(call: Call) -> Any:
    shown, given = _pull(call), call.body
    _too_long(given.get("body") or "", "PullRequest", "body")
    _long_title(given.get("title") or "", "PullRequest")
    with call.hub.lock:
        if given.get("state") == "open" and shown.state == "closed":
            _reopen(call, shown)
        elif given.get("state") == "closed":
            shown.state = "closed"
        if (base := given.get("base")) is not None:
            if not call.repository.head(base):
                raise invalid("PullRequest", field="base", code="invalid")
            shown.base = base
        shown.title = given.get("title", shown.title)
        if "body" in given:
            shown.body = given["body"] or ""
    call.hub.settle(call.repository)
    return shapes.pull(call.hub, shown)


def _reopen(call: Call, shown: Pull) -> None:
    """A branch that was moved by force meanwhile cannot be reopened, nor can one without commits."""
    source = shown.head_repository
    head = source.head(shown.head) if source else ""
    if not head or shown.merged:
        why = f"The {shown.head} branch has been deleted." if not head else "The pull request is merged."
    elif call.repository.is_ancestor(head, call.repository.head(shown.base)):
        why = f"There are no new commits on the {shown.label} branch."
    elif not call.repository.is_ancestor(shown.head_sha, head):
        why = f"The {shown.head} branch was force-pushed or recreated."
    else:
        shown.state = "open"
        return
    raise invalid("PullRequest", field="state", code="invalid", message=f"state cannot be changed. {why}")


def _long_title(title: str, resource: str) -> None:
    if len(title) > 256:
        words = "title is too long (maximum is 256 characters)"
        raise invalid(resource, code="custom", field="title", message=words)


# Reviewers, assignees


def reviews(call: Call) -> Answer:
    shown = _pull(call)
    return call.page([shapes.review(call.hub, shown, place, one) for place, one in enumerate(shown.reviews, 1)])


def request_reviews(call: Call) -> Any:
    """All of them or none; who opened it cannot review it."""
    shown, given = _pull(call), call.body
    people, teams = given.get("reviewers", []), given.get("team_reviewers", [])
    if shown.login in people:
        raise invalid("PullRequest", code="custom", message="Review cannot be requested from pull request author.")
    if not {*people} <= call.hub.collaborators or not {*teams} <= call.hub.teams:
        words = "Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the repository."
        raise RefusalError(422, words)
    asked = [*people, *(f"{call.repository.owner}/{name}" for name in teams)]
    shown.reviewers += [name for name in asked if name not in shown.reviewers]
    return shapes.pull(call.hub, shown)


def assign(call: Call) -> Any:
    """Those who may not be assigned are passed over in silence."""
    shown = _numbered(call)
    names = [name for name in call.body["assignees"] if name in call.hub.collaborators]
    shown.assignees += [name for name in names if name not in shown.assignees]
    if isinstance(shown, Issue):
        return shapes.issue(call.hub, shown)
    return shapes.issue(call.hub, Issue(shown.number, shown.repository, shown.login, shown.title, shown.body, assignees=shown.assignees))  # fmt: skip


def _numbered(call: Call) -> Pull | Issue:
    found = call.hub.issue(call.repository, int(call.parameters["issue_number"]))
    return found or _pull(call)


# Issues


def issues(call: Call) -> Answer:
    query = call.request.query
    state, creator = query.get("state", "open"), query.get("creator", "")
    found = [
        one
        for one in call.hub.issues[call.repository.full_name]
        if state in ("all", one.state) and (not creator or one.login == creator)
    ]
    return call.page([shapes.issue(call.hub, one) for one in found[::-1]])


def create_issue(call: Call) -> Any:
    given = call.body
    _long_title(given["title"], "Issue")
    _too_long(given.get("body") or "-", "Issue", "body")
    made = call.hub.open_issue(call.repository, given["title"], given.get("body") or "", login=call.speaker.login)
    made.labels = list(given.get("labels") or ())
    return shapes.issue(call.hub, made)


def update_issue(call: Call) -> Any:
    given, found = call.body, call.hub.issue(call.repository, int(call.parameters["issue_number"]))
    if found is None:
        raise not_found()
    _too_long(given.get("body") or "-", "Issue", "body")
    found.title, found.body = given.get("title", found.title), given.get("body", found.body)
    if "state" in given:
        found.state, found.state_reason = given["state"], given.get("state_reason")
    return shapes.issue(call.hub, found)


def _pull(call: Call) -> Pull:
    number = call.parameters.get("pull_number") or call.parameters["issue_number"]
    found = call.hub.pull(call.repository, int(number))
    if found is None:
        raise not_found()
    return found


# Comments


def comments(call: Call) -> Answer:
    """The oldest first; minimised ones too, which REST does not mark."""
    shown = _pull(call)
    found = [one for one in call.hub.comments[call.repository.full_name] if one.issue == shown.number]
    return call.page([shapes.comment(call.hub, one) for one in found])


def create_comment(call: Call) -> Any:
    shown = _pull(call)
    if shown.locked:
        raise RefusalError(403, "Unable to create comment because issue is locked.")
    _too_long(call.body["body"], "IssueComment", "data")
    made = call.hub.comment(call.repository, shown.number, call.body["body"], login=call.speaker.login)
    return shapes.comment(call.hub, made)


def update_comment(call: Call) -> Any:
    found = _comment(call)
    _too_long(call.body["body"], "IssueComment", "data")
    found.body = call.body["body"]
    return shapes.comment(call.hub, found)


def comment(call: Call) -> Any:
    return shapes.comment(call.hub, _comment(call))


def delete_comment(call: Call) -> None:
    call.hub.comments[call.repository.full_name].remove(_comment(call))


def _comment(call: Call) -> Any:
    number = int(call.parameters["comment_id"])
    for one in call.hub.comments[call.repository.full_name]:
        if one.number == number:
            return one
    raise not_found()


def _too_long(body: str, resource: str, field: str) -> None:
    if not body and resource == "IssueComment":
        raise invalid(resource, field="body", code="missing_field")
    if len(body) > MOST_OF_A_BODY:
        words = f"Body is too long (maximum is {MOST_OF_A_BODY} characters)"
        raise invalid(resource, code="unprocessable", field=field, message=words)


# Labels


def labels(call: Call) -> Answer:
    return _shown(call, sorted(call.hub.labels[call.repository.full_name]))


def label(call: Call) -> Any:
    if call.parameters["name"] not in call.hub.labels[call.repository.full_name]:
        raise not_found()
    return shapes.label(call.hub, call.repository, call.parameters["name"])


def create_label(call: Call) -> Any:
    name = call.body["name"]
    if name in call.hub.labels[call.repository.full_name]:
        raise invalid("Label", code="already_exists", field="name")
    call.hub.labels[call.repository.full_name].add(name)
    return shapes.label(call.hub, call.repository, name)


def issue_labels(call: Call) -> Answer:
    return _shown(call, _pull(call).labels)


def add_labels(call: Call) -> Any:
    """Labels that the repository does not have are made."""
    shown = _pull(call)
    return _label(call, [*shown.labels, *(name for name in _names(call) if name not in shown.labels)])


def set_labels(call: Call) -> Any:
    return _label(call, _names(call))


def _label(call: Call, names: list[str]) -> Any:
    _pull(call).labels[:] = names
    call.hub.labels[call.repository.full_name].update(names)
    return [shapes.label(call.hub, call.repository, name) for name in names]


def _names(call: Call) -> list[str]:
    given = call.body["labels"] if isinstance(call.body, dict) else call.body
    names = [one if isinstance(one, str) else one["name"] for one in given]
    if any(len(name) > 50 for name in names):
        words = "name is too long (maximum is 50 characters)"
        raise invalid("Label", code="custom", field="name", message=words)
    return names


def _shown(call: Call, names: list[str]) -> Answer:
    return call.page([shapes.label(call.hub, call.repository, name) for name in names])


# Deployments


def deployments(call: Call) -> Answer:
    query = call.request.query
    found = [
        one
        for one in call.hub.deployments
        if one.repository == call.repository.full_name
        and query.get("sha", one.commit) == one.commit
        and query.get("environment", one.environment) == one.environment
    ]
    return call.page([shapes.deployment(call.hub, call.repository, one) for one in reversed(found)])


def deployment_statuses(call: Call) -> Answer:
    for one in call.hub.deployments:
        if (str(one.number), one.repository) == (call.parameters["deployment_id"], call.repository.full_name):
            return call.page(shapes.deployment_statuses(call.hub, call.repository, one))
    raise not_found()
