"""The REST half of the fake: who asks, which operation it is, whether the description allows it, and its answer."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from forge import descriptions, graphql_api, rest_git, rest_issues
from forge.call import Call, RefusalError, numbered
from forge.descriptions import Operation
from forge.hub import Hub, Logged
from forge.server import Answer, Request
from forge.tokens import Token

REPOSITORY = "/repos/{owner}/{repo}"
VERSIONS = ("", "2022-11-28", "2026-03-10")
_SLASHES = {"ref", "path", "branch", "basehead"}  # GitHub takes these as they are; the description wants one segment
_LIMITS = {"x-ratelimit-limit": "1000", "x-ratelimit-remaining": "999", "x-ratelimit-used": "1", "x-ratelimit-reset": "4000000000", "x-ratelimit-resource": "core"}  # fmt: skip


class Route(NamedTuple):
    operation: Operation
    needs: str  # permission, as `Token.may` reads it
    status: int
    answer: Callable[[Call], Any]
    pattern: re.Pattern[str]


def _route(line: str, needs: str, answer: Callable[[Call], Any], status: int = 200) -> Route:
    method, _, path = line.partition(" ")
    template = path.replace("~", REPOSITORY, 1)
    pattern = re.sub(
        r"\{(\w+)\}", lambda found: f"(?P<{found[1]}>{'.+' if found[1] in _SLASHES else '[^/]+'})", template
    )
    return Route(Operation(method, template), needs, status, answer, re.compile(pattern))


_READ = "contents=read"
_WRITE = "contents=write"
_PULLS = "pull_requests=write"
_COMMENTS_READ = "issues=read|pull_requests=read"
_COMMENTS = "issues=write|pull_requests=write"

ROUTES = (
    _route("GET /user", "", rest_issues.user),
    _route("GET /app", "", rest_issues.app),
    _route("GET /users/{username}", "", rest_issues.named_user),
    _route("GET /rate_limit", "", rest_issues.limits),
    _route("GET ~", "", rest_git.repository),
    _route("GET ~/branches/{branch}/protection", "administration=read", rest_git.protection),
    _route("GET ~/branches/{branch}", _READ, rest_git.branch),
    _route("GET ~/rules/branches/{branch}", "", rest_git.rules),
    _route("GET ~/git/ref/{ref}", _READ, rest_git.reference),
    _route("GET ~/git/matching-refs/{ref}", _READ, rest_git.matching_references),
    _route("POST ~/git/refs", _WRITE, rest_git.create_reference, 201),
    _route("PATCH ~/git/refs/{ref}", _WRITE, rest_git.update_reference),
    _route("DELETE ~/git/refs/{ref}", _WRITE, rest_git.delete_reference, 204),
    _route("POST ~/git/blobs", _WRITE, rest_git.create_blob, 201),
    _route("GET ~/git/blobs/{file_sha}", _READ, rest_git.blob),
    _route("POST ~/git/trees", _WRITE, rest_git.create_tree, 201),
    _route("GET ~/git/trees/{tree_sha}", _READ, rest_git.tree),
    _route("POST ~/git/commits", _WRITE, rest_git.create_commit, 201),
    _route("GET ~/git/commits/{commit_sha}", _READ, rest_git.git_commit),
    _route("GET ~/commits", _READ, rest_git.commits),
    _route("GET ~/commits/{ref}", _READ, rest_git.commit),
    _route("GET ~/compare/{basehead}", _READ, rest_git.compare),
    _route("GET ~/contents/{path}", _READ, rest_git.contents),
    _route("GET ~/deployments", "deployments=read", rest_issues.deployments),
    _route("GET ~/deployments/{deployment_id}/statuses", "deployments=read", rest_issues.deployment_statuses),
    _route("GET ~/pulls", "pull_requests=read", rest_issues.pulls),
    _route("POST ~/pulls", _PULLS, rest_issues.create_pull, 201),
    _route("GET ~/pulls/{pull_number}", "pull_requests=read", rest_issues.pull),
    _route("PATCH ~/pulls/{pull_number}", _PULLS, rest_issues.update_pull),
    _route("GET ~/pulls/{pull_number}/commits", "pull_requests=read", rest_issues.pull_commits),
    _route("GET ~/pulls/{pull_number}/reviews", "pull_requests=read", rest_issues.reviews),
    _route("POST ~/pulls/{pull_number}/requested_reviewers", _PULLS, rest_issues.request_reviews, 201),
    _route("POST ~/issues/{issue_number}/assignees", _COMMENTS, rest_issues.assign, 201),
    _route("GET ~/issues", "issues=read", rest_issues.issues),
    _route("POST ~/issues", "issues=write", rest_issues.create_issue, 201),
    _route("PATCH ~/issues/{issue_number}", "issues=write", rest_issues.update_issue),
    _route("GET ~/issues/{issue_number}/comments", _COMMENTS_READ, rest_issues.comments),
    _route("POST ~/issues/{issue_number}/comments", _COMMENTS, rest_issues.create_comment, 201),
    _route("GET ~/issues/comments/{comment_id}", _COMMENTS_READ, rest_issues.comment),
    _route("PATCH ~/issues/comments/{comment_id}", _COMMENTS, rest_issues.update_comment),
    _route("DELETE ~/issues/comments/{comment_id}", _COMMENTS, rest_issues.delete_comment, 204),
    _route("GET ~/labels", _COMMENTS_READ, rest_issues.labels),
    _route("POST ~/labels", _COMMENTS, rest_issues.create_label, 201),
    _route("GET ~/labels/{name}", _COMMENTS_READ, rest_issues.label),
    _route("GET ~/issues/{issue_number}/labels", _COMMENTS_READ, rest_issues.issue_labels),
    _route("POST ~/issues/{issue_number}/labels", _COMMENTS, rest_issues.add_labels),
    _route("PUT ~/issues/{issue_number}/labels", _COMMENTS, rest_issues.set_labels),
)


def respond(hub: Hub, request: Request) -> Answer:
    """Every request to the API, REST or GraphQL; what it was and how it ended is in the log."""
    request = replace(request, path=_below(request.path))
    line = f"{request.method} {request.path}"
    names = (line, *graphql_api.fields(request)) if request.path == "/graphql" else (line,)
    status, token = 0, hub.tokens.get(_token(request))
    try:
        hub.before_request(names)
        answer = hub.play(names, lambda: _answer(hub, request, token))
        status = answer.status
    except RefusalError as refusal:
        answer = refusal.answer()
        status = answer.status
    finally:
        hub.log.append(Logged(line, request, token, status, names))
    return Answer(answer.status, answer.body, {**_LIMITS, **answer.headers})


def _below(path: str) -> str:
    """An Enterprise Server has the same below /api/v3, and GraphQL beside it."""
    return "/graphql" if path == "/api/graphql" else path.removeprefix("/api/v3")


def _answer(hub: Hub, request: Request, token: Token | None) -> Answer:
    _admit(hub, request, token)
    if request.path == "/graphql":
        return graphql_api.respond(hub, request, token)
    path = _named(hub, request.path)
    for route in ROUTES:
        if route.operation.method == request.method and (found := route.pattern.fullmatch(path)):
            return _rest(hub, request, token, route, {name: _plain(value) for name, value in found.groupdict().items()})
    hub.violations.append(f"{request.method} {request.path}: GitHub's API, or this fake of it, has no such operation")
    raise RefusalError(404, "Not Found")


def _admit(hub: Hub, request: Request, token: Token | None) -> None:
    if not request.header("user-agent"):
        raise RefusalError(
            403, "Request forbidden by administrative rules. Please make sure your request has a User-Agent header"
        )
    if request.authorizations and token is None:
        raise RefusalError(401, "Bad credentials")
    if (version := request.header("x-github-api-version")) not in VERSIONS:
        hub.violations.append(f"{request.method} {request.path}: API version {version} is none of GitHub's")
        raise RefusalError(400, f"The API version {version} is not supported")
    if request.body and "json" not in request.header("content-type"):
        hub.violations.append(f"{request.method} {request.path}: the body is not marked as JSON")
    if request.body:
        try:
            request.json()
        except ValueError:
            hub.violations.append(f"{request.method} {request.path}: the body is no JSON")
            raise RefusalError(400, "Problems parsing JSON") from None


def _rest(hub: Hub, request: Request, token: Token | None, route: Route, parameters: dict[str, str]) -> Answer:
    found = hub.repositories.get(f"{parameters['owner']}/{parameters['repo']}") if "owner" in parameters else None
    wrong = descriptions.openapi().faults_of_request(route.operation, parameters, request)
    hub.violations += [f"{request.method} {request.path}: {one}" for one in wrong]
    if wrong:
        raise RefusalError(422, f"Invalid request.\n\n{wrong[0]}")
    call = Call(hub, token, request, parameters, found)
    try:
        _permit(call, route)
        answer = _whole(route, route.answer(call))
    except RefusalError as refusal:
        answer = refusal.answer()
    faults = descriptions.openapi().faults_of_answer(route.operation, parameters, request, answer)
    hub.violations += [f"the fake answers {request.method} {request.path} wrongly: {one}" for one in faults]
    if answer.status >= 400:
        return answer
    if request.method != "GET":
        hub.changed(f"{request.method} {request.path}", found.full_name if found else "")
    return answer


def _permit(call: Call, route: Route) -> None:
    token, name = call.token, f"{call.parameters.get('owner')}/{call.parameters.get('repo')}"
    if "owner" in call.parameters:
        hidden = call.found is None or (call.found.private and (token is None or not token.may(_READ)))
        if hidden or (token and not token.reaches(name) and call.repository.private):
            raise RefusalError(404, "Not Found")
    if token is None and call.request.method != "GET":
        raise RefusalError(401, "Requires authentication")
    writes = "write" in route.needs
    if token and (not token.may(route.needs) or (writes and not token.reaches(name))):
        refusal = RefusalError(404 if token.refusal == "Not Found" else 403, token.refusal)
        refusal.headers["x-accepted-github-permissions"] = route.needs.replace("|", "; ")
        raise refusal


def _whole(route: Route, value: Any) -> Answer:
    """With the status of a success, and every property that GitHub sends."""
    if isinstance(value, Answer) and isinstance(value.body, bytes):
        return value
    body, headers = (value.body, value.headers) if isinstance(value, Answer) else (value, {})
    if route.status == 204:
        return Answer(204, b"", headers)
    return Answer(route.status, descriptions.openapi().complete(route.operation, route.status, body), headers)


def _token(request: Request) -> str:
    """Bearer, or the older `token`; one header."""
    scheme, _, value = (request.authorizations or [""])[0].partition(" ")
    return value if scheme.lower() in ("bearer", "token") and len(request.authorizations) == 1 else ""


def _named(hub: Hub, path: str) -> str:
    """/repositories/9000/…, as in GitHub's links, with the name of that repository."""
    if found := re.match(r"/repositories/(\d+)(?=/|$)", path):
        for one in hub.repositories.values():
            if numbered(hub, one) == int(found[1]):
                return f"/repos/{one.full_name}{path[found.end() :]}"
    return path


def _plain(value: str) -> str:
    from urllib.parse import unquote

    return unquote(value)
