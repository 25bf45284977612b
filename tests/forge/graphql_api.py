"""GraphQL: graphql-core executes every document against GitHub's published schema, over the same state as REST.

https://docs.github.com/en/graphql; errors are 200 with `errors`, each with a `type`.
"""

import base64
import binascii
import json
from functools import lru_cache
from typing import Any

from graphql import GraphQLError, GraphQLResolveInfo, execute, parse, validate
from graphql.language import FieldNode, OperationDefinitionNode

from forge import descriptions
from forge.call import RefusalError
from forge.graphql_shapes import Shapes, failure
from forge.hub import Hub, RefUpdate
from forge.repository import NOTHING, Entry, ObjectError, RefMovedError, Repository
from forge.rest_git import GITHUB, now
from forge.server import Answer, Request
from forge.tokens import Token


def fields(request: Request) -> tuple[str, ...]:
    """The top-level fields of the operations; none of a document that cannot be read."""
    try:
        definitions = parse(json.loads(request.body)["query"]).definitions
    except (ValueError, KeyError, TypeError, GraphQLError):
        return ()
    operations = [one for one in definitions if isinstance(one, OperationDefinitionNode)]
    selected = [node for one in operations for node in one.selection_set.selections]
    return tuple(node.name.value for node in selected if isinstance(node, FieldNode))


def respond(hub: Hub, request: Request, token: Token | None) -> Answer:
    if request.method != "POST":
        raise RefusalError(404, "Not Found")
    if token is None:
        raise RefusalError(
            401, "This endpoint requires you to be authenticated.", docs="https://docs.github.com/graphql"
        )
    if len(request.body) > hub.graphql_limit:
        raise RefusalError(413, "Request body is too large")
    sent = request.json()
    unknown = sent.keys() - {"query", "variables", "operationName"}
    errors = [*_document_errors(sent["query"]), *(GraphQLError(f"{name} is no part of a request") for name in unknown)]
    if errors:
        return _refused(hub, errors)
    root = Mutations(hub, token)
    result = execute(
        descriptions.graphql_schema(),
        parse(sent["query"]),
        root_value=root.root(),
        variable_values=sent.get("variables") or {},
        operation_name=sent.get("operationName"),
        field_resolver=root.resolve,
    )
    assert not hasattr(result, "__await__")
    found = list(result.errors or ())
    if result.data is None and all(error.path is None for error in found):
        return _refused(hub, found)
    failed = [error for error in found if not isinstance(error.original_error, GraphQLError | None)]
    hub.violations += [f"the fake fails at POST /graphql: {error.original_error!r}" for error in failed]
    for name, repository in root.done:
        hub.changed(name, repository)
    return Answer(200, {"data": result.data, **({"errors": [_shown(error) for error in found]} if found else {})})


@lru_cache(64)
def _document_errors(query: str) -> tuple[GraphQLError, ...]:
    try:
        return tuple(validate(descriptions.graphql_schema(), parse(query)))
    except GraphQLError as error:
        return (error,)


def _refused(hub: Hub, errors: list[GraphQLError]) -> Answer:
    """What the schema does not allow."""
    hub.violations += [f"POST /graphql: {error.message}" for error in errors]
    return Answer(200, {"errors": [_shown(error) for error in errors]})


def _shown(error: GraphQLError) -> dict[str, Any]:
    extra = dict(error.extensions or {})
    kind = extra.pop("type", None)
    return {
        **({"type": kind} if kind else {}),
        **({"path": error.path} if error.path else {}),
        **({"extensions": extra} if extra else {}),
        "locations": [{"line": place.line, "column": place.column} for place in error.locations or ()],
        "message": error.message,
    }


class Mutations(Shapes):
    """What can be asked for and done at the root."""

    def __init__(self, hub: Hub, token: Token) -> None:
        super().__init__(hub, token)
        self.done: list[tuple[str, str]] = []

    def root(self) -> dict[str, Any]:
        return {
            **self.queries(),
            "createCommitOnBranch": self.create_commit_on_branch,
            "updateRefs": self.update_refs,
            "enablePullRequestAutoMerge": self.enable_auto_merge,
        }

    def update_refs(self, info: GraphQLResolveInfo, **arguments: Any) -> Any:
        """All of them or none. https://docs.github.com/en/graphql/reference/mutations#updaterefs"""
        given = arguments["input"]
        repository = next((one for one in self.hub.repositories.values() if given["repositoryId"] == f"R_{one.full_name}"), None)  # fmt: skip
        if repository is None:
            raise failure("NOT_FOUND", "Could not resolve to a node with the given global id.")
        if not self.token.may("contents=write") or not self.token.reaches(repository.full_name):
            raise failure("FORBIDDEN", self.token.refusal, saml_failure=False)
        lines = []
        for one in given["refUpdates"]:
            name, after, before = one["name"], one["afterOid"], one.get("beforeOid")
            self._refuse_protected(repository, name.removeprefix("refs/heads/"))
            if after != NOTHING and repository.kind(after) != "commit":
                raise failure("NOT_FOUND", f"Could not resolve to a commit with the oid '{after}'.")
            self.hub.before_ref_update(RefUpdate(repository, name, before or "", after))
            now_at = repository.ref(name) or NOTHING
            forced = one.get("force") or NOTHING in (after, now_at)
            if not forced and not repository.is_ancestor(now_at, after):
                raise failure("UNPROCESSABLE", f"{name} update is not a fast forward")
            old = before or now_at
            lines.append(f"delete {name} {old}" if after == NOTHING else f"update {name} {after} {old}")
        try:
            repository.git("update-ref", "--stdin", given="".join(f"{line}\n" for line in lines).encode())
        except ObjectError:
            raise failure("UNPROCESSABLE", "A reference is not at the value that is expected.") from None
        repository.after_move()
        self.done.append(("updateRefs", repository.full_name))
        return {"clientMutationId": given.get("clientMutationId")}

    def enable_auto_merge(self, info: GraphQLResolveInfo, **arguments: Any) -> Any:
        """https://docs.github.com/en/graphql/reference/mutations#enablepullrequestautomerge"""
        given = arguments["input"]
        pulls = [one for some in self.hub.pulls.values() for one in some]
        found = next((one for one in pulls if given["pullRequestId"] == f"PR_{one.number}"), None)
        if found is None:
            raise failure("NOT_FOUND", f"Could not resolve to a node with the global id of '{given['pullRequestId']}'")
        if not self.token.may("pull_requests=write"):
            raise failure("FORBIDDEN", self.token.refusal, saml_failure=False)
        if not self.hub.auto_merge_allowed:
            raise failure("UNPROCESSABLE", "Auto merge is not allowed for this repository")
        if self.hub.mergeable_now:
            raise failure("UNPROCESSABLE", "Pull request Pull request is in clean status")
        found.auto_merge = given.get("mergeMethod", "MERGE").lower()
        self.done.append(("enablePullRequestAutoMerge", found.repository.full_name))
        return {"clientMutationId": given.get("clientMutationId"), "pullRequest": self.pull(found)}

    def create_commit_on_branch(self, info: GraphQLResolveInfo, **arguments: Any) -> Any:
        """https://docs.github.com/en/graphql/reference/mutations#createcommitonbranch"""
        given = arguments["input"]
        repository, branch = self._branch(given["branch"])
        if not self.token.may("contents=write") or not self.token.reaches(repository.full_name):
            raise failure("FORBIDDEN", self.token.refusal, saml_failure=False)
        expected = given["expectedHeadOid"]
        if repository.kind(expected) != "commit":
            raise failure("NOT_FOUND", f"No commit exists with specified expectedHeadOid '{expected}'.")
        if repository.head(branch) != expected:
            raise failure(
                "STALE_DATA", f'Expected branch to point to "{expected}" but it did not.  Pull and try again.'
            )
        tree = self._tree(repository, expected, given.get("fileChanges") or {})
        message = given["message"]
        text = "\n\n".join(part for part in (message["headline"], message.get("body")) if part)
        author = now(self.token.person)
        new = repository.make_commit(tree, [expected], text, author, now(GITHUB), signed=True)
        self._move(repository, branch, expected, new)
        self.done.append(("createCommitOnBranch", repository.full_name))
        reference = self.ref(repository, f"refs/heads/{branch}")
        return {
            "clientMutationId": given.get("clientMutationId"),
            "commit": self.commit(repository, new),
            "ref": reference,
        }

    def _branch(self, given: dict[str, Any]) -> tuple[Repository, str]:
        name, _, branch = given.get("repositoryNameWithOwner", ""), "", given.get("branchName", "")
        if "id" in given:
            found = [one for one in self.hub.repositories.values() if given["id"].startswith(f"REF_{one.full_name}:")]
            name = found[0].full_name if found else ""
            branch = given["id"].partition(":refs/heads/")[2]
        repository = self.named(name)
        branch = branch.removeprefix("refs/heads/")
        if not repository.head(branch):
            raise failure("NOT_FOUND", f"No such branch: {branch}")
        return repository, branch

    def _tree(self, repository: Repository, commit: str, changes: dict[str, Any]) -> str:
        entries = []
        for one in changes.get("deletions") or ():
            if not repository.entry(commit, one["path"]):
                words = f"A path was requested for deletion which does not exist as of commit oid `{commit}`"
                raise failure("UNPROCESSABLE", words)
            entries.append(Entry(one["path"], None))
        for one in changes.get("additions") or ():
            before = repository.entry(commit, one["path"])
            entries.append(Entry(one["path"], repository.make_blob(_content(one)), before.mode if before else "100644"))
        paths = [entry.path for entry in entries]
        if len(set(paths)) != len(paths):
            raise failure("UNPROCESSABLE", "A path was requested for more than one change")
        try:
            return repository.make_tree(commit, entries)
        except ObjectError:
            raise failure("UNPROCESSABLE", "A path was requested which contains a malformed component") from None

    def _refuse_protected(self, repository: Repository, branch: str) -> None:
        if rule := self.hub.protection(repository, branch, self.token):
            if rule.ruleset:
                raise failure("FORBIDDEN", f"Repository rule violations found\n\n{rule.message}\n\n")
            words = f"protected branch '{branch}' check failed:\n  {rule.message}"
            raise failure("BRANCH_PROTECTION_RULE_VIOLATION", words)

    def _move(self, repository: Repository, branch: str, expected: str, new: str) -> None:
        """A push between GitHub's own check and this is answered FORBIDDEN, as it was seen of GitHub."""
        self._refuse_protected(repository, branch)
        name = f"refs/heads/{branch}"
        self.hub.before_ref_update(RefUpdate(repository, name, expected, new))
        try:
            repository.move(name, new, expected)
        except RefMovedError:
            raise failure("FORBIDDEN", f"is at {repository.head(branch)} but expected {expected}") from None


def _content(addition: dict[str, Any]) -> bytes:
    try:
        return base64.b64decode(addition["contents"], validate=True)
    except binascii.Error:
        raise failure("UNPROCESSABLE", "The contents of an addition are not valid Base64") from None
