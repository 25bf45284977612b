"""The branches of a server's repository, by git: read and committed to from repositories of our own.

The user's checkout has no part in it, so it may be shallow, detached or missing, and nothing in it changes.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from msgspec import Struct

from sitemap_action.errors import BaselineError, PublishError
from sitemap_action.model.context import Forge
from sitemap_action.model.publication import FileChange
from sitemap_action.model.wording import option
from sitemap_action.repo.git_commit import GitCommit
from sitemap_action.repo.git_process import GitProcess
from sitemap_action.repo.git_server import GitServer
from sitemap_action.repo.own_repositories import OwnRepositories, cut_off, object_id
from sitemap_action.repo.refusals import StaleBranchError, TransientError
from sitemap_action.repo.remote import READ_HINT
from sitemap_action.web.printable import printable

_DEPTHS = (64, 1024, 2**31 - 1)  # of a history that is fetched as deep as needed; the last is git's word for all of it
_MOST_BYTES = 67_108_864  # of one file: more than a sitemap may have (SM-07)
_MOST_MESSAGES = 100  # as many as one answer of GitHub's API has
_UNKNOWN = "not our ref"  # git's word for an object that a server has not


class Identity(Struct, frozen=True):
    """Author and committer."""

    name: str = "github-actions[bot]"
    email: str = "41898282+github-actions[bot]@users.noreply.github.com"

    def variables(self) -> dict[str, str]:
        parts = {"NAME": printable(self.name), "EMAIL": printable(self.email)}
        return {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in parts.items()}


class GitRemote:
    """Implements WritableBranches. What it keeps on the disk goes with it, or by `close`."""

    def __init__(self, forge: Forge, process: GitProcess | None = None, identity: Identity | None = None) -> None:
        self._identity = identity or Identity()
        self._repositories = OwnRepositories(GitServer(forge), process or _process())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._repositories.close()

    def head(self, branch: str) -> str | None:
        with _reading():
            return self._head(branch)

    def has(self, commit: str) -> bool:
        try:
            self._history("commits", (commit,), 1)
        except PublishError:
            return False
        return True

    def merge_base(self, base: str, head: str) -> str | None:
        """None where they share none, or the server does not know them."""
        try:
            return self._merge_base(object_id(base), object_id(head))
        except PublishError as error:
            if _UNKNOWN in str(error):
                return None
            raise BaselineError(str(error), hint=READ_HINT) from None

    def blob(self, commit: str, path: str) -> bytes | None:
        with _reading():
            found = self._at(commit)
            entry = found.entries([path]).get(path)
            if entry is None:
                return None
            if not entry.is_file:
                raise BaselineError(f"{path} is no file at {commit[:12]}", hint=f"name a file with {option('sitemap')}")
            return self._content(found.own, entry.name, path)

    def blob_ids(self, commit: str, paths: Sequence[str]) -> dict[str, str]:
        with _reading():
            entries = self._at(commit).entries(paths)
        return {path: entries[path].name for path in paths if path in entries and entries[path].is_file}

    def last_change(self, commit: str, path: str) -> tuple[str, str] | None:
        with _reading():
            for depth in _DEPTHS:
                own = self._history("changes", (commit,), depth)
                shown = self._repositories.plumb(own, "log", "-1", "--format=%H%n%B", commit, "--", path)
                name, _, message = shown.decode(errors="replace").partition("\n")
                if not (cut := cut_off(own)) or (name and name not in cut):  # where it is cut off, every file seems new
                    return (name, message.removesuffix("\n")) if name else None
        return None

    def messages(self, base: str, head: str) -> Sequence[str] | None:
        with _reading():
            self._merge_base(object_id(base), object_id(head))
            own = self._repositories.repository("commits", base)
            shown = self._repositories.plumb(own, "log", "--reverse", "-z", "--format=%H%n%B", f"^{base}", head, "--")
        rows = [row.partition("\n") for row in shown.decode(errors="replace").split("\0") if row]
        if len(rows) > _MOST_MESSAGES or cut_off(own) & {name for name, _, _ in rows}:
            return None
        return [message for _, _, message in rows]

    def commit(self, branch: str, expected: str, message: str, changes: Sequence[FileChange]) -> str:
        """`expected` itself where nothing differs from it."""
        if self._head(branch) != object_id(expected):
            raise StaleBranchError(f"the branch {branch}")
        made = self._commit(expected, message, changes)
        if made != expected:
            self._push(expected, branch, expected, made)
        return made

    def replace(
        self, branch: str, expected: str | None, message: str, changes: Sequence[FileChange], parent: str
    ) -> str:
        made = self._commit(parent, message, changes)
        if made == parent:  # a pull request without a difference is closed for good
            raise PublishError(f"{branch} would have no change", hint="nothing is to be done: close the pull request")
        self._push(parent, branch, expected, made)
        return made

    def delete(self, branch: str, expected: str) -> None:
        self._push(expected, branch, expected, "")

    def _head(self, branch: str) -> str | None:
        reference = f"refs/heads/{branch}"
        return self._repositories.list_references(reference).get(reference)

    def _commit(self, parent: str, message: str, changes: Sequence[FileChange]) -> str:
        return self._at(parent).changed(message, changes, self._identity.variables())

    def _push(self, parent: str, branch: str, expected: str | None, made: str) -> None:
        """Move the branch from `expected`, and from nothing else; a push whose answer got lost counts as done."""
        reference = f"refs/heads/{branch}"
        lease = f"--force-with-lease={reference}:{object_id(expected) if expected else ''}"
        command = ("push", "--porcelain", "--no-verify", "--no-thin", lease, "origin", f"{made}:{reference}")
        done = self._repositories.reach(self._repositories.repository("files", parent), *command)
        if done.status == 0:
            return
        failure = self._repositories.server.failure(f"push to {branch}", done)
        if isinstance(failure, TransientError):
            now = self._head(branch)
            if now == (made or None):
                return
            if now != expected:
                raise StaleBranchError(f"the branch {branch}")
        raise failure

    def _at(self, commit: str) -> GitCommit:
        """The commit with its folders; files come when they are read."""
        own = self._repositories.repository("files", commit)
        if self._repositories.run(own, "cat-file", "-e", f"{commit}^{{tree}}").status != 0:
            self._repositories.fetch(own, f"read {commit[:12]}", (commit,), depth=1, filtered="blob:none")
        return GitCommit(self._repositories, own, commit)

    def _content(self, own: Path, blob: str, path: str) -> bytes:
        if self._repositories.run(own, "cat-file", "-e", blob).status != 0:
            self._repositories.fetch(own, f"read {path}", (blob,), depth=0, filtered="blob:none")
        if int(self._repositories.plumb(own, "cat-file", "-s", blob)) > _MOST_BYTES:
            hint = f"name a file with {option('sitemap')}"
            raise BaselineError(f"{path} has more than {_MOST_BYTES:,} bytes", hint=hint)
        return self._repositories.plumb(own, "cat-file", "blob", blob)

    def _history(self, purpose: str, commits: tuple[str, ...], depth: int) -> Path:
        """The repository with so many of the commits before these: alone, or (`changes`) with their folders."""
        own = self._repositories.repository(purpose, commits[0])
        filtered = "tree:0" if purpose == "commits" else "blob:none"
        self._repositories.fetch(own, "read the history", commits, depth=depth, filtered=filtered)
        return own

    def _merge_base(self, base: str, head: str) -> str | None:
        found = ""
        for depth in _DEPTHS:
            own = self._history("commits", (base, head), depth)
            found = self._repositories.run(own, "merge-base", base, head).output.decode().strip()
            if not (cut := cut_off(own)) or (found and self._is_newest(own, found, cut)):
                break
        return found or None

    def _is_newest(self, own: Path, found: str, cut: frozenset[str]) -> bool:
        """Whether what was not fetched is older than the commit, so that no newer one is shared."""
        asked = "\n".join((found, *cut)).encode()
        lines = self._repositories.plumb(own, "log", "--no-walk=unsorted", "--stdin", "--format=%H %ct", stdin=asked)
        dates = {name.decode(): int(date) for name, date in (line.split() for line in lines.splitlines())}
        return all(date <= dates[found] for date in dates.values())


@contextmanager
def _reading() -> Iterator[None]:
    """What cannot be read is no BaselineError only where another try may read it."""
    try:
        yield
    except TransientError:
        raise
    except PublishError as error:
        raise BaselineError(str(error), hint=error.hint) from None


def _process() -> GitProcess:
    """Programs of the workspace are not started."""
    return GitProcess(Path(os.environ.get("GITHUB_WORKSPACE") or Path.cwd()), dict(os.environ))
