"""Commits to a branch by GitHub's API, signed by GitHub: no clone, no credentials of the checkout, no work tree.

https://docs.github.com/en/graphql/reference/mutations#createcommitonbranch, https://docs.github.com/en/rest/git
"""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from sitemap_action.errors import PublishError, UnreachableError
from sitemap_action.model.publication import FileChange
from sitemap_action.model.wording import option
from sitemap_action.repo.api import ApiAnswer
from sitemap_action.repo.github import GitHub
from sitemap_action.repo.refusals import StaleBranchError, TransientError, require_data, require_done

_LARGEST = 20_000_000  # bytes of the files of one GraphQL request; more go as blobs
_OBJECT = "application/vnd.github.object+json"  # with it a large file has its id too, without its content
_SIGNS = "ghs_"  # the token of an app, such as a workflow's own: commits made with it by REST are signed
_MUTATION = """mutation($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) { commit { oid } }
}"""


class GitHubCommits(GitHub, frozen=True):
    """Implements WritableBranches."""

    def blob_ids(self, commit: str, paths: Sequence[str]) -> Mapping[str, str]:
        found = {path: self._blob_id(commit, path) for path in paths}
        return {path: oid for path, oid in found.items() if oid}

    def commit(self, branch: str, expected: str, message: str, changes: Sequence[FileChange]) -> str:
        if sum(len(change.content or b"") for change in changes) <= _LARGEST:
            return self._commit_on_branch(branch, expected, message, changes)
        oid = self._commit_object(message, changes, expected)
        self._move(branch, oid, force=False)
        return oid

    def replace(
        self, branch: str, expected: str | None, message: str, changes: Sequence[FileChange], parent: str
    ) -> str:
        """The branch moves once, from commit to commit: a pull request whose branch equals its base is closed."""
        if self.head(branch) != expected:
            raise StaleBranchError(f"the branch {branch}")
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
        if self.head(branch) != expected:
            raise StaleBranchError(f"the branch {branch}")
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
        match answer.parsed():
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
        base = self._created("git/trees", {"base_tree": self._tree(parent), "tree": entries}, "a tree")
        return self._created("git/commits", {"message": message, "tree": base, "parents": [parent]}, "a commit")

    def _tree(self, commit: str) -> str:
        answer = self.api.get(f"git/commits/{commit}")
        require_done(self.api, answer, f"the commit {commit[:12]}")
        match answer.parsed():
            case {"tree": {"sha": str(found)}}:
                return found
            case _:
                raise TransientError(f"{self.api.name}: the commit {commit[:12]}: the answer cannot be read")

    def _blob(self, change: FileChange) -> str:
        content = b64encode(change.content or b"").decode()
        return self._created("git/blobs", {"content": content, "encoding": "base64"}, f"the file {change.path}")

    def _created(self, path: str, body: Mapping[str, object], what: str) -> str:
        answer = self.api.send("POST", path, body)
        require_done(self.api, answer, what)
        match answer.parsed():
            case {"sha": str(found)}:
                return found
            case _:
                raise TransientError(f"{self.api.name}: {what}: the answer cannot be read")

    def _place(self, branch: str, expected: str | None, oid: str) -> None:
        if expected is not None:
            self._move(branch, oid, force=True)
            return
        answer = self.api.send("POST", "git/refs", {"ref": f"refs/heads/{branch}", "sha": oid})
        if answer.status == 422 and "already exists" in answer.message().lower():
            raise StaleBranchError(f"the branch {branch}")
        require_done(self.api, answer, f"the branch {branch}")

    def _move(self, branch: str, oid: str, *, force: bool) -> None:
        answer = self.api.send("PATCH", f"git/refs/heads/{quote(branch)}", {"sha": oid, "force": force})
        if answer.status == 422 and any(
            word in answer.message().lower() for word in ("fast forward", "does not exist")
        ):
            raise StaleBranchError(f"the branch {branch}")
        require_done(self.api, answer, f"the branch {branch}")

    def _delete(self, branch: str) -> None:
        answer = self.api.send("DELETE", f"git/refs/heads/{quote(branch)}")
        if answer.status not in (404, 422):  # it is gone already
            require_done(self.api, answer, f"the branch {branch}")
