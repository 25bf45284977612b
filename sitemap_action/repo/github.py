"""A repository on GitHub by its API: files at a commit, commits that GitHub signs, and deployments of a commit.

No clone, no credentials of the checkout, no work tree.
https://docs.github.com/en/rest/repos/contents, https://docs.github.com/en/rest/commits/commits,
https://docs.github.com/en/graphql/reference/mutations#createcommitonbranch, https://docs.github.com/en/rest/git,
https://docs.github.com/en/rest/deployments/deployments, https://docs.github.com/en/rest/deployments/statuses
"""

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import quote, urlencode

from msgspec import Struct

from sitemap_action.errors import BaselineError, PublishError, UnreachableError, UsageError
from sitemap_action.model.step import FileChange
from sitemap_action.model.wording import option
from sitemap_action.repo.github_api import JSON, Api, ApiAnswer, TransientError, require_data, require_done

READ_HINT = (
    "check out with fetch-depth: 0, give the token `contents: read`, or set baseline to git:REF, a path or committed"
)
"""What to do where files of the repository cannot be read."""
_RAW = "application/vnd.github.raw+json"
_PAGE = 100  # the most commits that one answer has


class GitHub(Struct, frozen=True):
    """One repository as it is read. What cannot be read is a BaselineError."""

    api: Api

    def has(self, commit: str) -> bool:
        """False too without permission: for a private repository the answer is 404 then."""
        try:
            return self._get(f"git/commits/{commit}", JSON).status == 200
        except BaselineError:
            return False

    def merge_base(self, base: str, head: str) -> str | None:
        """The newest commit that both share."""
        answer = self._get(f"compare/{quote(base, safe='')}...{quote(head, safe='')}?per_page=1", JSON)
        if answer.status == 404:
            return None
        match self._json(answer):
            case {"merge_base_commit": {"sha": str(found)}}:
                return found
            case _:
                raise BaselineError(f"{self.api.name}: the answer has no merge base", hint=READ_HINT)

    def blob(self, commit: str, path: str) -> bytes | None:
        """The content of a file; None when there is no such file. The commit is known to be there."""
        answer = self._get(f"contents/{quote(path)}?ref={commit}", _RAW)
        if answer.status == 404:
            return None
        if answer.status != 200:
            raise BaselineError(f"{self.api.name}: {path} at {commit[:12]}: answers {answer.status}", hint=READ_HINT)
        if answer.media_type == "application/json":
            raise BaselineError(f"{path} is a folder at {commit[:12]}", hint=f"name a file with {option('sitemap')}")
        return answer.body

    def walk_files(self, commit: str) -> Iterator[str]:
        """Every file of a commit; of a tree that is too large for one answer the first part."""
        match self._json(self._get(f"git/trees/{commit}?recursive=1", JSON)):
            case {"tree": [*rows]}:
                yield from (row["path"] for row in rows if isinstance(row, dict) and row.get("type") == "blob")

    def head(self, branch: str) -> str | None:
        """Object id of its newest commit; None where there is no such branch."""
        answer = self._get(f"git/ref/heads/{quote(branch)}", JSON)
        if answer.status == 404:
            return None
        match self._json(answer):
            case {"object": {"sha": str(found)}}:
                return found
            case _:
                raise BaselineError(f"{self.api.name}: the answer has no branch {branch}", hint=READ_HINT)

    def last_change(self, commit: str, path: str) -> tuple[str, str] | None:
        """Object id and message of the newest commit, from this one back, that changed the file."""
        answer = self._get(f"commits?sha={commit}&path={quote(path, safe='')}&per_page=1", JSON)
        match self._json(answer):
            case [{"sha": str(found), "commit": {"message": str(message)}}, *_]:
                return found, message
            case _:
                return None

    def messages(self, base: str, head: str) -> Sequence[str] | None:
        """The messages of commits that `head` adds to `base`, newest last; None where they are too many to be ours."""
        answer = self._get(f"compare/{base}...{head}?per_page={_PAGE}", JSON)
        match self._json(answer):
            case {"total_commits": int(total), "commits": list(rows)} if total == len(rows):
                found = [row["commit"]["message"] for row in rows if isinstance(row, dict)]
                return [message for message in found if isinstance(message, str)]
            case _:
                return None

    def _json(self, answer: ApiAnswer) -> object:
        if answer.status != 200:
            raise BaselineError(f"{self.api.name} answers {answer.status}", hint=READ_HINT)
        try:
            return self.api.json(answer)
        except UnreachableError as error:
            raise BaselineError(str(error), hint=READ_HINT) from None

    def _get(self, path: str, accept: str) -> ApiAnswer:
        try:
            return self.api.get(path, accept)
        except UnreachableError as error:
            raise BaselineError(str(error), hint=READ_HINT) from None


_LARGEST = 20_000_000  # bytes of the files of one GraphQL request; more go as blobs
_OBJECT = "application/vnd.github.object+json"  # with it a large file has its id too, without its content
_SIGNS = "ghs_"  # the token of an app, such as a workflow's own: commits made with it by REST are signed
_MUTATION = """mutation($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) { commit { oid } }
}"""


class GitHubCommits(GitHub, frozen=True):
    """The repository as it is written to: PublishErrors, and TransientError for what may be tried again."""

    def blob_ids(self, commit: str, paths: Sequence[str]) -> Mapping[str, str]:
        """Path → git's id of its content, for those that are there."""
        found = {path: self._blob_id(commit, path) for path in paths}
        return {path: oid for path, oid in found.items() if oid}

    def commit(self, branch: str, expected: str, message: str, changes: Sequence[FileChange]) -> str:
        """Object id of the new commit; raises TransientError when `expected` is not the branch's newest one."""
        if sum(len(change.content or b"") for change in changes) <= _LARGEST:
            return self._commit_on_branch(branch, expected, message, changes)
        oid = self._commit_object(message, changes, expected)
        self._move(branch, expected, oid, force=False)
        return oid

    def replace(
        self, branch: str, expected: str | None, message: str, changes: Sequence[FileChange], parent: str
    ) -> str:
        """Move a branch from `expected`, None where there is none yet, to a new commit on `parent`.

        It moves once, from commit to commit: a pull request whose branch equals its base is closed.
        """
        if self.head(branch) != expected:
            raise _stale_branch(branch)
        if self.api.forge.token.startswith(_SIGNS):
            oid = self._commit_object(message, changes, parent)
            self._place(branch, expected, oid)
            return oid
        draft = f"{branch}-draft"  # a user's commits are signed only where GitHub makes them on a branch
        self._place(draft, self.head(draft), parent)
        oid = self.commit(draft, parent, message, changes)
        self._place(branch, expected, oid)
        self._delete(draft)
        return oid

    def delete(self, branch: str, expected: str) -> None:
        """Delete a branch that is still where it was read; raises TransientError otherwise."""
        if self.head(branch) != expected:
            raise _stale_branch(branch)
        self._delete(branch)

    def _get(self, path: str, accept: str) -> ApiAnswer:
        """Raises TransientError where another try may be answered."""
        try:
            answer = self.api.get(path, accept)
        except UnreachableError as error:
            raise TransientError(str(error)) from None
        if answer.limited or answer.status >= 500:
            require_done(self.api, answer, path.partition("?")[0])
        return answer

    def _blob_id(self, commit: str, path: str) -> str:
        answer = self.api.get(f"contents/{quote(path)}?ref={commit}", _OBJECT)
        if answer.status == 404:
            return ""
        require_done(self.api, answer, f"{path} at {commit[:12]}")
        match answer.json_or_none():
            case {"type": "file", "sha": str(found)}:
                return found
            case _:
                raise PublishError(f"{path} at {commit[:12]} is no file", hint=f"name a file with {option('sitemap')}")

    def _commit_on_branch(self, branch: str, expected: str, message: str, changes: Sequence[FileChange]) -> str:
        headline, _, body = message.partition("\n")
        added = [
            {"path": change.path, "contents": b64encode(change.content).decode()}
            for change in changes
            if change.content is not None
        ]
        given = {
            "branch": {"repositoryNameWithOwner": self.api.forge.repository, "branchName": branch},
            "expectedHeadOid": expected,
            "message": {"headline": headline, "body": body.strip()},
            "fileChanges": {
                "additions": added,
                "deletions": [{"path": change.path} for change in changes if change.content is None],
            },
        }
        what = f"a commit to {branch}"
        match require_data(self.api, self.api.graphql(_MUTATION, {"input": given}), what):
            case {"createCommitOnBranch": {"commit": {"oid": str(found)}}}:
                return found
            case _:
                raise TransientError(f"{self.api.name}: {what}: the answer cannot be read")

    def _commit_object(self, message: str, changes: Sequence[FileChange], parent: str) -> str:
        """A commit that no branch has yet. Author and date are left to GitHub, which signs it then."""
        entries = [
            {
                "path": one.path,
                "mode": "100644",
                "type": "blob",
                "sha": None if one.content is None else self._blob(one),
            }
            for one in changes
        ]
        base = self._create("git/trees", {"base_tree": self._tree(parent), "tree": entries}, "a tree")
        return self._create("git/commits", {"message": message, "tree": base, "parents": [parent]}, "a commit")

    def _tree(self, commit: str) -> str:
        answer = self.api.get(f"git/commits/{commit}")
        require_done(self.api, answer, f"the commit {commit[:12]}")
        match answer.json_or_none():
            case {"tree": {"sha": str(found)}}:
                return found
            case _:
                raise TransientError(f"{self.api.name}: the commit {commit[:12]}: the answer cannot be read")

    def _blob(self, change: FileChange) -> str:
        content = b64encode(change.content or b"").decode()
        return self._create("git/blobs", {"content": content, "encoding": "base64"}, f"the file {change.path}")

    def _create(self, path: str, body: Mapping[str, object], what: str) -> str:
        answer = self.api.send("POST", path, body)
        require_done(self.api, answer, what)
        match answer.json_or_none():
            case {"sha": str(found)}:
                return found
            case _:
                raise TransientError(f"{self.api.name}: {what}: the answer cannot be read")

    def _place(self, branch: str, expected: str | None, oid: str) -> None:
        if expected is not None:
            self._move(branch, expected, oid, force=True)
            return
        answer = self.api.send("POST", "git/refs", {"ref": f"refs/heads/{branch}", "sha": oid})
        if answer.status == 422 and self.head(branch) is not None:
            raise _stale_branch(branch)
        require_done(self.api, answer, f"the branch {branch}")

    def _move(self, branch: str, expected: str, oid: str, *, force: bool) -> None:
        answer = self.api.send("PATCH", f"git/refs/heads/{quote(branch)}", {"sha": oid, "force": force})
        if answer.status == 422 and self.head(branch) != expected:
            raise _stale_branch(branch)
        require_done(self.api, answer, f"the branch {branch}")

    def _delete(self, branch: str) -> None:
        answer = self.api.send("DELETE", f"git/refs/heads/{quote(branch)}")
        if answer.status not in (404, 422):  # it is gone already
            require_done(self.api, answer, f"the branch {branch}")


def _stale_branch(branch: str) -> TransientError:
    return TransientError(f"the branch {branch} moved meanwhile")


_PERMISSION = "give the job `permissions: deployments: read`, and the action its token"
_PAGE_SIZE = 100  # the most that GitHub allows


class ListedDeployment(Struct, frozen=True):
    """One deployment with its newest status."""

    environment: str
    state: str  # "success", "pending", "failure", …; "" before there is a status
    url: str  # environment_url; "" where there is none


def deployments(api: Api, commit: str, environment: str = "") -> Iterator[ListedDeployment]:
    """The newest first; the status of each is requested when it is iterated. Raises UsageError, UnreachableError."""
    wanted = {"sha": commit, **({"environment": environment} if environment else {}), "per_page": _PAGE_SIZE}
    answer = api.get(f"deployments?{urlencode(wanted)}")
    if answer.status in (401, 403, 404) and not answer.limited:
        why = "the token is not accepted" if answer.status == 401 else "the token may not read deployments"
        raise UsageError(f"{api.name} answers {answer.status}: {why}", hint=_PERMISSION)
    for row in _newest_first(api, answer):
        if row.get("sha") == commit and isinstance(number := row.get("id"), int):
            yield _read_newest_status(api, number, _text(row, "environment"))


def _read_newest_status(api: Api, number: int, environment: str) -> ListedDeployment:
    """The newest status that is not inactive: a later deployment sets that, and this one may still be served."""
    answer = api.get(f"deployments/{number}/statuses?per_page={_PAGE_SIZE}")
    rows = [] if answer.status == 404 else _newest_first(api, answer)  # 404: it was deleted meanwhile
    newest = next((row for row in rows if row.get("state") != "inactive"), {})
    return ListedDeployment(environment, _text(newest, "state"), _text(newest, "environment_url"))


def _newest_first(api: Api, answer: ApiAnswer) -> list[Mapping[str, object]]:
    if answer.status != 200:
        raise UnreachableError(f"{api.name} answers {answer.status}", hint="try again")
    found = api.json(answer)
    rows = [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []
    return sorted(rows, key=lambda row: _text(row, "created_at"), reverse=True)  # stable: as GitHub sorts them


def _text(row: Mapping[str, object], key: str) -> str:
    value = row.get(key)
    return value if isinstance(value, str) else ""
