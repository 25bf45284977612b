"""Pull requests by GitHub's API.

https://docs.github.com/en/rest/pulls/pulls, https://docs.github.com/en/rest/issues/labels,
https://docs.github.com/en/rest/pulls/review-requests,
https://docs.github.com/en/graphql/reference/mutations#enablepullrequestautomerge

Our comments on a pull request: found by GraphQL, which knows their author, and written by REST.

https://docs.github.com/en/graphql/reference/objects#issuecomment, https://docs.github.com/en/rest/issues/comments
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import ClassVar, TypeVar
from urllib.parse import urlencode

from msgspec import Struct

from sitemap_action.errors import PublishError
from sitemap_action.repo.github_api import Api, ApiAnswer, TransientError, require_data, require_done, text_of


class OpenRequest(Struct, frozen=True):
    """An open pull request."""

    number: int
    id: str  # for GraphQL
    url: str  # of its page
    base: str
    title: str
    body: str
    labels: frozenset[str]  # in lower case, as all names
    asked: frozenset[str]  # for a review; a team as `org/team`
    assignees: frozenset[str]
    merges: bool  # by itself


class PullRequests(Struct, frozen=True):
    """Of one repository; raises TransientError and PublishError."""

    api: Api

    def find(self, branch: str) -> list[OpenRequest]:
        """The open ones from a branch of this repository; GitHub allows one for each base."""
        owner = self.api.place["owner"]
        answer = self.api.get(f"pulls?{urlencode({'state': 'open', 'head': f'{owner}:{branch}'})}")
        require_done(self.api, answer, "the list of pull requests")
        rows = answer.json_or_none()
        if not isinstance(rows, list):
            raise TransientError(f"{self.api.name}: the list of pull requests cannot be read")
        return [self._request(row) for row in rows if text_of(self.api, "a pull request", row, "head", "ref") == branch]

    def create(self, branch: str, base: str, title: str, body: str, *, draft: bool) -> OpenRequest:
        given = {"title": title, "head": branch, "base": base, "body": body, "draft": draft}
        answer = self.api.send("POST", "pulls", given)
        if answer.status == 422 and any(one.base == base for one in self.find(branch)):
            raise TransientError(f"{self.api.name}: another run opens this pull request")
        require_done(self.api, answer, "a new pull request")
        return self._request(answer.json_or_none())

    def update(self, found: OpenRequest, **values: str) -> None:
        """Title, body, state."""
        answer = self.api.send("PATCH", f"pulls/{found.number}", values)
        require_done(self.api, answer, f"pull request {found.number}")

    def label(self, found: OpenRequest, labels: Sequence[str]) -> None:
        self._post(found, f"issues/{found.number}/labels", {"labels": labels}, "labels")

    def assign(self, found: OpenRequest, people: Sequence[str]) -> None:
        """GitHub passes over those who may not be assigned."""
        done = self._post(found, f"issues/{found.number}/assignees", {"assignees": people}, "assignees").json_or_none()
        taken = _names(done.get("assignees") if isinstance(done, Mapping) else None, "login")
        if left := [name for name in people if name.casefold() not in taken]:
            hint = "name people who may see the repository, or remove them from pr-assignees"
            raise PublishError(f"GitHub does not assign {', '.join(left)} to pull request {found.number}", hint=hint)

    def is_reviewed(self, found: OpenRequest) -> bool:
        answer = self.api.get(f"pulls/{found.number}/reviews?per_page=1")
        require_done(self.api, answer, f"the reviews of pull request {found.number}")
        return bool(answer.json_or_none())

    def ask_for_review(self, found: OpenRequest, reviewers: Sequence[str]) -> None:
        people = [name for name in reviewers if "/" not in name]
        teams = [name.rpartition("/")[2] for name in reviewers if "/" in name]
        asked = {"reviewers": people, "team_reviewers": teams}
        self._post(found, f"pulls/{found.number}/requested_reviewers", asked, "reviewers")

    def merge_later(self, found: OpenRequest, method: str) -> None:
        """Let GitHub merge it once its checks have passed."""
        given = {"pullRequestId": found.id, "mergeMethod": method.upper()}
        answer = self.api.mutate(_AUTO_MERGE, {"input": given})
        require_data(self.api, answer, f"auto-merge of pull request {found.number}")

    def was_stopped(self, found: OpenRequest) -> bool:
        """Whether somebody has turned auto-merge off."""
        given = {**self.api.place, "number": found.number}
        match require_data(self.api, self.api.query(_STOPPED, given), f"pull request {found.number}"):
            case {"repository": {"pullRequest": {"timelineItems": {"totalCount": 0}}}}:
                return False
        return True

    def explain(self, found: OpenRequest, word: str) -> None:
        self._post(found, f"issues/{found.number}/comments", {"body": word}, "a comment")

    def _post(self, found: OpenRequest, path: str, body: Mapping[str, object], what: str) -> ApiAnswer:
        answer = self.api.send("POST", path, body)
        require_done(self.api, answer, f"{what} of pull request {found.number}")
        return answer

    def _request(self, row: object) -> OpenRequest:
        match row:
            case {
                "number": int(number),
                "html_url": str(url),
                "title": str(title),
                "base": {"ref": str(base)},
                **more,
            }:
                body, identity = more.get("body"), more.get("node_id")
                organization = self.api.forge.repository.partition("/")[0].casefold()
                teams = (f"{organization}/{slug}" for slug in _names(more.get("requested_teams"), "slug"))
                return OpenRequest(
                    number=number,
                    id=identity if isinstance(identity, str) else "",
                    url=url,
                    base=base,
                    title=title,
                    body=body.replace("\r\n", "\n") if isinstance(body, str) else "",
                    labels=_names(more.get("labels"), "name"),
                    asked=frozenset((*_names(more.get("requested_reviewers"), "login"), *teams)),
                    assignees=_names(more.get("assignees"), "login"),
                    merges=bool(more.get("auto_merge")),
                )
            case _:
                raise TransientError(f"{self.api.name}: a pull request cannot be read")


def _names(rows: object, key: str) -> frozenset[str]:
    found = [one.get(key) for one in rows if isinstance(one, Mapping)] if isinstance(rows, list) else []
    return frozenset(name.casefold() for name in found if isinstance(name, str))


_AUTO_MERGE = """mutation($input: EnablePullRequestAutoMergeInput!) {
  enablePullRequestAutoMerge(input: $input) { clientMutationId }
}"""
_STOPPED = """query($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) { timelineItems(first: 1, itemTypes: [AUTO_MERGE_DISABLED_EVENT]) { totalCount } }
  }
}"""
_QUERY = """query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      comments(first: 100, after: $after) {
        nodes { fullDatabaseId body isMinimized viewerDidAuthor }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
}"""
_T = TypeVar("_T")
_MOST_PAGES = 100  # GitHub allows 2,500 comments on one pull request
_PAGE = 100  # the most nodes that one answer has


class _Written(Struct, frozen=True):
    """What the token's user wrote. Raises TransientError, UnreachableError, and PublishError with the remedy."""

    permission: ClassVar[str]
    api: Api

    def _nodes(self, what: str, document: str, **variables: object) -> Iterator[object]:
        """Page by page, as they are asked for."""
        given = {**self.api.place, **variables, "after": None}
        for _ in range(_MOST_PAGES):
            answer = self.api.query(document, given)
            match self._require_with_remedy(answer, partial(require_data, self.api, answer, f"the {what}")):
                case {
                    "repository": {"issues": {"nodes": list(nodes), "pageInfo": info}}
                    | {"pullRequest": {"comments": {"nodes": list(nodes), "pageInfo": info}}}
                }:
                    yield from nodes
                case _:
                    raise PublishError(f"{self.api.name}: the {what} cannot be read", hint=self.permission)
            match info:
                case {"hasNextPage": True, "endCursor": str(cursor)}:
                    given["after"] = cursor
                case _:
                    return
        hint = "no comment was written; set comment to never, the summary has the report"
        raise PublishError(f"{self.api.name}: too many {what}", hint=hint)

    def _create(self, path: str, body: Mapping[str, object], what: str, key: str) -> int:
        """What the answer has at `key`, by which the new one is named later."""
        answer = self.api.send("POST", path, body)
        self._require(answer, what)
        found = answer.json_or_none()
        if not isinstance(found, dict) or not isinstance(number := found.get(key), int):
            raise TransientError(f"{self.api.name}: {what}: the answer cannot be read")
        return number

    def _require(self, answer: ApiAnswer, what: str) -> None:
        self._require_with_remedy(answer, partial(require_done, self.api, answer, what))

    def _require_with_remedy(self, answer: ApiAnswer, done: Callable[[], _T]) -> _T:
        """What `done` returns; its refusal with the remedy."""
        try:
            return done()
        except TransientError:
            raise
        except PublishError as error:
            locked = "unlock the conversation" if "locked" in answer.message().lower() else ""
            remedy = self.permission if answer.status in {200, 403, 404, 410} else error.hint
            raise PublishError(str(error), hint=locked or remedy) from None


class Comments(_Written, frozen=True):
    """Of one pull request."""

    number: int
    marker: str  # the first line of ours

    permission = (
        "give the job `permissions: pull-requests: write`; for a fork and for Dependabot the token can only read"
    )

    def ours(self) -> dict[int, str]:
        """Id → text of those that the token's user wrote and nobody has hidden; the lowest id is the oldest."""
        nodes = self._nodes(f"comments of pull request {self.number}", _QUERY, number=self.number)
        found = {}
        for node in nodes:
            match node:
                case {"viewerDidAuthor": True, "isMinimized": False, "body": str(body), "fullDatabaseId": number}:
                    if body.partition("\n")[0].strip() == self.marker and str(number).isdecimal():
                        found[int(str(number))] = body
        return found

    def create(self, body: str) -> int:
        """The id of the new one."""
        return self._create(f"issues/{self.number}/comments", {"body": body}, "a new comment", "id")

    def update(self, comment: int, body: str) -> None:
        """Raises TransientError where it was deleted meanwhile: another one is to be found, or made."""
        answer = self.api.send("PATCH", f"issues/comments/{comment}", {"body": body})
        if answer.status in (404, 410):
            raise TransientError(f"{self.api.name}: the comment {comment} is gone, or the token may not change it")
        self._require(answer, f"the comment {comment}")

    def delete(self, comment: int) -> None:
        answer = self.api.send("DELETE", f"issues/comments/{comment}")
        if answer.status not in (404, 410):  # another run was faster
            self._require(answer, f"the comment {comment}")


_ISSUES = """query($owner: String!, $name: String!, $states: [IssueState!], $after: String) {
  repository(owner: $owner, name: $name) {
    issues(first: 100, after: $after, states: $states, orderBy: {field: UPDATED_AT, direction: DESC}) {
      nodes { number title body viewerDidAuthor }
      pageInfo { hasNextPage endCursor }
    }
  }
}"""


class Issue(Struct, frozen=True):
    number: int
    title: str
    body: str
    open: bool


class Issues(_Written, frozen=True):
    """Those of one repository."""

    permission = "give the job `permissions: issues: write`"

    def ours(self, owns: Callable[[str], object], *, closed: bool = False) -> dict[int, Issue]:
        """Those that are open, by their bodies; with `closed`, where none is, of those that were changed last."""
        found = {one.number: one for one in self._read("OPEN", _MOST_PAGES) if owns(one.body)}
        return found or ({one.number: one for one in self._read("CLOSED", 1) if owns(one.body)} if closed else {})

    def create(self, title: str, body: str) -> int:
        return self._create("issues", {"title": title, "body": body}, "a new issue", "number")

    def update(self, number: int, **values: str) -> None:
        self._require(self.api.send("PATCH", f"issues/{number}", values), f"issue {number}")

    def _read(self, state: str, pages: int) -> Iterator[Issue]:
        for node in islice(self._nodes("issues", _ISSUES, states=[state]), pages * _PAGE):
            match node:
                case {"viewerDidAuthor": True, "number": int(number), "title": str(title), "body": str(body)}:
                    yield Issue(number, title, body.replace("\r\n", "\n"), state == "OPEN")
