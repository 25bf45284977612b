"""A repository on GitHub by its API: files at a commit, commits that GitHub signs, and deployments of a commit.

No clone, no credentials of the checkout, no work tree.
https://docs.github.com/en/rest/repos/contents, https://docs.github.com/en/rest/commits/commits,
https://docs.github.com/en/graphql/reference/mutations#createcommitonbranch, https://docs.github.com/en/rest/git,
https://docs.github.com/en/rest/deployments/deployments, https://docs.github.com/en/rest/deployments/statuses
"""

import time
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from secrets import token_hex
from urllib.parse import quote, urlencode

from msgspec import Struct

from sitemap_action.errors import BaselineError, ForgeError, PublishError, UnreachableError, UsageError
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.step import FileChange, is_forges
from sitemap_action.model.wording import option
from sitemap_action.repo.github_api import (
    JSON,
    Api,
    ApiAnswer,
    TransientError,
    remedy,
    require_data,
    require_done,
    text_of,
)
from sitemap_action.runner.event import text_at
from sitemap_action.web.printable import fold_file_name, printable

READ_HINT = (
    "check out with fetch-depth: 0, give the token `contents: read`, or set baseline to git:REF, a path or committed"
)
"""What to do where files of the repository cannot be read."""
_RAW = "application/vnd.github.raw+json"
_PAGE = 100  # the most commits that one answer has


class GitHub(Struct, frozen=True):
    """One repository as it is read. What cannot be read is a ForgeError."""

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
                raise ForgeError(f"{self.api.name}: the answer has no merge base", hint=READ_HINT)

    def blob(self, commit: str, path: str) -> bytes | None:
        """The content of a file; None when there is no such file. The commit is known to be there."""
        answer = self._get(f"contents/{quote(path)}?ref={commit}", _RAW)
        if answer.status == 404:
            return None
        if answer.status != 200:
            raise self._refusal(answer, f"{path} at {commit[:12]}")
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
                raise ForgeError(f"{self.api.name}: the answer has no branch {branch}", hint=READ_HINT)

    def last_change(self, commit: str, path: str) -> tuple[str, str] | None:
        """Object id and message of the newest commit, from this one back, that changed the file."""
        answer = self._get(f"commits?sha={commit}&path={quote(path, safe='')}&per_page=1", JSON)
        match self._json(answer):
            case [{"sha": str(found), "commit": {"message": str(message)}}, *_]:
                return found, message
            case _:
                return None

    def _json(self, answer: ApiAnswer) -> object:
        if answer.status != 200:
            raise self._refusal(answer)
        try:
            return self.api.json(answer)
        except UnreachableError as error:
            raise ForgeError(str(error), hint=READ_HINT) from None

    def _get(self, path: str, accept: str) -> ApiAnswer:
        """Raises ForgeError where the forge does not answer, or refuses: it is no baseline that is missing (W-07)."""
        try:
            answer = self.api.get(path, accept)
        except UnreachableError as error:
            raise ForgeError(str(error), hint="run the job again when the server answers") from None
        if answer.status not in (200, 404, 422):
            raise self._refusal(answer)
        return answer

    def _refusal(self, answer: ApiAnswer, what: str = "") -> ForgeError:
        said = answer.message()
        words = f"{self.api.name}: {what}{': ' if what else ''}answers {answer.status}{f' ({said})' if said else ''}"
        return ForgeError(words, hint=remedy(answer.status) or READ_HINT)


_LARGEST = 20_000_000  # bytes of the files of one GraphQL request; more go as blobs
_SIGNS = "ghs_"  # the token of an app, such as a workflow's own: commits made with it by REST are signed
_NOTHING = "0" * 40  # where a branch is not there
_DRAFT = lazy_re("([0-9a-f]{8})-[0-9a-f]{16}")  # seconds since 1970, and what nobody else knows
_ABANDONED = 3600  # seconds: a run that is alive needs its draft for a few requests
_MUTATION = """mutation($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) { commit { oid } }
}"""
_MOVE = "mutation($input: UpdateRefsInput!) { updateRefs(input: $input) { clientMutationId } }"
_IDENTITY = "query($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { id } }"
_VIEWER = "query { viewer { login databaseId } }"
_FOLDER, _FILES, _NEW = "040000", ("100644", "100755"), "100644"
_KINDS = {"120000": "a symbolic link", "160000": "a submodule", _FOLDER: "a folder"}
_LONGEST = 4095  # bytes of a path
_CLOSED = {"", ".", "..", ".git", "git~1"}


class BranchCommit(Struct, frozen=True):
    """One commit that a branch adds to another."""

    message: str
    committer: str  # e-mail address
    merges: bool = False

    @property
    def is_update(self) -> bool:
        """Whether the forge has merged something, as its button "Update branch" does; what, other commits show."""
        return self.merges and is_forges(self.committer)


def path_places(path: str) -> list[str]:
    """The path and the folders on the way to it. Raises PublishError for one that no file of a commit may have."""
    names = path.split("/")
    fits = path.isprintable() and "\\" not in path and len(path.encode(errors="replace")) <= _LONGEST
    if not fits or any(fold_file_name(name) in _CLOSED for name in names):
        hint = "use a path below the root of the repository, without `..` and `.git`, such as public/sitemap.xml"
        raise PublishError(f"{printable(path)[:200]} cannot be committed", hint=hint)
    return ["/".join(names[: count + 1]) for count in range(len(names))]


def file_mode(path: str, entries: Mapping[str, tuple[str, str]]) -> str:
    """The mode that a file has, or gets. Raises PublishError where something else is there, or on the way (W-15).

    `entries`: place → (mode, id).
    """
    modes = {place: mode for place, (mode, _) in entries.items()}
    *folders, whole = path_places(path)
    wrong = next((place for place in folders if modes.get(place, _FOLDER) != _FOLDER), "")
    wrong = wrong or (whole if modes.get(whole, _NEW) not in _FILES else "")
    if wrong:
        what = _KINDS.get(modes[wrong], "a file")
        raise PublishError(f"{path} cannot be committed: {wrong} is {what}", hint="name the real path in `sitemap`")
    return modes.get(whole, _NEW)


class GitHubCommits(GitHub, frozen=True):
    """The repository as it is written to: PublishErrors, and TransientError for what may be tried again.

    A branch moves only from where it was seen: by `expectedHeadOid`, by `beforeOid` of `updateRefs`, forward alone, or
    by a creation that fails where there is one (W-14).
    """

    @property
    def drafts(self) -> bool:
        """Whether a new commit needs a branch of its own: a user's is signed only where GitHub makes it on one."""
        return not self.api.forge.token.startswith(_SIGNS)

    def entries(self, commit: str, paths: Sequence[str]) -> Mapping[str, tuple[str, str]]:
        """Place → (mode, id), for what is there of the paths and of the folders on the way to them."""
        found: dict[str, tuple[str, str]] = {}
        folders = {"": self._listing(commit)}
        for place in sorted({place for path in paths for place in path_places(path)}):
            parent, _, name = place.rpartition("/")
            if entry := folders.get(parent, {}).get(name):
                found[place] = entry
                mode, tree = entry
                if mode == _FOLDER:
                    folders[place] = self._listing(tree)
        return found

    def blob_ids(self, commit: str, paths: Sequence[str]) -> Mapping[str, str]:
        """Path → git's id of its content, for those that are there. Raises as `file_mode`."""
        found = self.entries(commit, paths)
        return {path: found[path][1] for path in paths if file_mode(path, found) and path in found}

    def compare(self, base: str, head: str) -> tuple[str, tuple[BranchCommit, ...], bool]:
        """(merge base, what `head` adds to `base`, whether that is all); "" where they share no history."""
        answer = self._get(f"compare/{base}...{head}?per_page={_PAGE}", JSON)
        if answer.status == 404:
            return "", (), False
        match self._json(answer):
            case {"merge_base_commit": {"sha": str(shared)}, "total_commits": int(total), "commits": list(rows)}:
                commits = tuple(map(_branch_commit, rows))
                return shared, commits, total == len(commits)
            case _:
                raise ForgeError(f"{self.api.name}: the comparison cannot be read", hint=READ_HINT)

    def newest(self, head: str) -> BranchCommit:
        return _branch_commit(self._json(self._get(f"commits?sha={head}&per_page=1", JSON)))

    def commit(self, branch: str, expected: str, message: str, changes: Sequence[FileChange]) -> str:
        """Object id of the new commit; raises TransientError when `expected` is not the branch's newest one."""
        entries = self.entries(expected, [change.path for change in changes])
        usual = all(file_mode(change.path, entries) == _NEW for change in changes)  # GraphQL keeps no mode
        if usual and sum(len(change.content or b"") for change in changes) <= _LARGEST:
            return self._commit_on_branch(branch, expected, message, changes)
        oid = self._commit_object(message, changes, expected)
        answer = self.api.send("PATCH", f"git/refs/heads/{quote(branch)}", {"sha": oid, "force": False})
        if answer.status == 422 and self.head(branch) != expected:
            raise _stale_branch(branch)
        require_done(self.api, answer, f"the branch {branch}")
        return oid

    def replace(
        self, branch: str, expected: str | None, message: str, changes: Sequence[FileChange], parent: str
    ) -> str:
        """Move a branch from `expected`, None where there is none yet, to a new commit on `parent`.

        It moves once, from commit to commit: a pull request whose branch equals its base is closed.
        """
        if not self.drafts:
            oid = self._commit_object(message, changes, parent)
            self._place(branch, expected, oid)
            return oid
        draft = f"{_draft_of(branch)}{int(time.time()):08x}-{token_hex(8)}"  # that nobody else knows (W-01)
        try:
            if self._make(draft, parent):
                oid = self.commit(draft, parent, message, changes)
                self._move({branch: (expected or "", oid), draft: (oid, "")})
                return oid
        except (PublishError, UnreachableError):
            self._drop(draft)
            raise
        raise _stale_branch(draft)

    def delete(self, branch: str, expected: str) -> None:
        """Delete a branch that is still where it was read; raises TransientError otherwise."""
        self._move({branch: (expected, "")})

    def signature(self) -> str:
        """Name and address of the token's user, as in the commits that are made with it."""
        what = "the user of the token"
        match require_data(self.api, self.api.query(_VIEWER, {}), what):
            case {"viewer": {"login": str(login), "databaseId": int(number)}}:
                return f"{login} <{number}+{login}@users.noreply.github.com>"
            case _:
                raise PublishError(f"{self.api.name}: {what} cannot be read", hint="leave sign-off out")

    def _listing(self, tree: str) -> Mapping[str, tuple[str, str]]:
        """Name → (mode, id) in a folder; `tree` may be a commit."""
        answer = self.api.get(f"git/trees/{tree}")
        require_done(self.api, answer, f"the tree {tree[:12]}")
        match answer.json_or_none():
            case {"tree": list(rows)}:
                return {
                    row["path"]: (row["mode"], row["sha"])
                    for row in rows
                    if isinstance(row, dict) and all(isinstance(row.get(key), str) for key in ("path", "mode", "sha"))
                }
            case _:
                raise TransientError(f"{self.api.name}: the tree {tree[:12]} cannot be read")

    def _commit_on_branch(self, branch: str, expected: str, message: str, changes: Sequence[FileChange]) -> str:
        headline, _, body = message.partition("\n")
        whole = [(one.path, one.content) for one in changes]
        given = {
            "branch": {"repositoryNameWithOwner": self.api.forge.repository, "branchName": branch},
            "expectedHeadOid": expected,
            "message": {"headline": headline, "body": body.strip()},
            "fileChanges": {
                "additions": [
                    {"path": path, "contents": b64encode(text).decode()} for path, text in whole if text is not None
                ],
                "deletions": [{"path": path} for path, text in whole if text is None],
            },
        }
        what = f"a commit to {branch}"
        data = require_data(self.api, self.api.mutate(_MUTATION, {"input": given}), what)
        return text_of(self.api, what, data, "createCommitOnBranch", "commit", "oid")

    def _commit_object(self, message: str, changes: Sequence[FileChange], parent: str) -> str:
        """A commit that no branch has yet. Author and date are left to GitHub, which signs it then."""
        there = self.entries(parent, [change.path for change in changes])
        entries = [
            {
                "path": one.path,
                "mode": file_mode(one.path, there),
                "type": "blob",
                "sha": None if one.content is None else self._blob(one),
            }
            for one in changes
        ]
        answer, what = self.api.get(f"git/commits/{parent}"), f"the commit {parent[:12]}"
        require_done(self.api, answer, what)
        before = text_of(self.api, what, answer.json_or_none(), "tree", "sha")
        base = self._create("git/trees", {"base_tree": before, "tree": entries}, "a tree")
        return self._create("git/commits", {"message": message, "tree": base, "parents": [parent]}, "a commit")

    def _blob(self, change: FileChange) -> str:
        content = b64encode(change.content or b"").decode()
        return self._create("git/blobs", {"content": content, "encoding": "base64"}, f"the file {change.path}")

    def _create(self, path: str, body: Mapping[str, object], what: str) -> str:
        answer = self.api.send("POST", path, body)
        require_done(self.api, answer, what)
        return text_of(self.api, what, answer.json_or_none(), "sha")

    def _place(self, branch: str, expected: str | None, oid: str) -> None:
        if expected is not None:
            self._move({branch: (expected, oid)})
        elif not self._make(branch, oid):
            raise _stale_branch(branch)

    def _make(self, branch: str, oid: str) -> bool:
        """Create a branch; False where there is one of that name."""
        answer = self.api.send("POST", "git/refs", {"ref": f"refs/heads/{branch}", "sha": oid})
        if answer.status == 422 and self.head(branch) is not None:
            return False
        require_done(self.api, answer, f"the branch {branch}")
        return True

    def drop_drafts(self, branch: str, base: str, owns: Callable[[BranchCommit], bool]) -> None:
        """Delete what runs have left that were killed: named as drafts are, an hour old, without a commit of others."""
        with suppress(PublishError, UnreachableError, ForgeError):
            for draft, head in self._old_drafts(_draft_of(branch)) if self.drafts else ():
                _, commits, whole = self.compare(base, head)
                if whole and all(map(owns, commits)):
                    self.delete(draft, head)

    def _old_drafts(self, prefix: str) -> Iterator[tuple[str, str]]:
        rows = self._json(self._get(f"git/matching-refs/heads/{quote(prefix)}", JSON))
        for row in rows if isinstance(rows, list) else ():
            match row:
                case {"ref": str(ref), "object": {"sha": str(head)}}:
                    draft = ref.removeprefix("refs/heads/")
                    made = _DRAFT.fullmatch(draft.removeprefix(prefix))
                    if made and time.time() - int(made[1], 16) >= _ABANDONED:
                        yield draft, head

    def _drop(self, draft: str) -> None:
        """Delete a draft of this run, if that can be done: the first error counts."""
        with suppress(PublishError, UnreachableError, ForgeError):
            if head := self.head(draft):
                self.delete(draft, head)

    def _move(self, moves: Mapping[str, tuple[str, str]]) -> None:
        """Move branches at once, each from the first commit to the second, "" for none; or none of them."""
        updates = [
            {
                "name": f"refs/heads/{branch}",
                "beforeOid": before or _NOTHING,
                "afterOid": after or _NOTHING,
                "force": True,
            }
            for branch, (before, after) in moves.items()
        ]
        data = require_data(self.api, self.api.query(_IDENTITY, self.api.place), what := "the repository")
        given = {"repositoryId": text_of(self.api, what, data, "repository", "id"), "refUpdates": updates}
        what = f"the branch {next(iter(moves))}"
        try:
            require_data(self.api, self.api.mutate(_MOVE, {"input": given}), what)
        except TransientError:
            raise
        except PublishError:
            for branch, (before, _) in moves.items():
                if (self.head(branch) or "") != before:
                    raise _stale_branch(branch) from None
            raise


def _branch_commit(row: object) -> BranchCommit:
    """What cannot be read is nobody's, and so not ours."""
    match row:
        case [first, *_]:
            return _branch_commit(first)
        case {"commit": {"message": str(message), "committer": {"email": str(email)}}, **more}:
            parents = more.get("parents")
            return BranchCommit(message, email, isinstance(parents, list) and len(parents) > 1)
        case _:
            return BranchCommit("", "")


def _draft_of(branch: str) -> str:
    """What the names of its drafts begin with: a name has 255 bytes at most."""
    return f"{branch[:180]}-draft-"


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
            status = api.get(f"deployments/{number}/statuses?per_page={_PAGE_SIZE}")
            rows = [] if status.status == 404 else _newest_first(api, status)  # 404: it was deleted meanwhile
            # A later deployment sets `inactive`, and this one may still be served.
            newest = next((one for one in rows if one.get("state") != "inactive"), {})
            state, address = text_at(newest, "state"), text_at(newest, "environment_url")
            yield ListedDeployment(text_at(row, "environment"), state, address)


def _newest_first(api: Api, answer: ApiAnswer) -> list[Mapping[str, object]]:
    if answer.status != 200:
        raise UnreachableError(f"{api.name} answers {answer.status}", hint="try again")
    found = api.json(answer)
    rows = [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []
    return sorted(rows, key=lambda row: text_at(row, "created_at"), reverse=True)  # stable: as GitHub sorts them
