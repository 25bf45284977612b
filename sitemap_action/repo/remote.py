"""What is asked of a server that has the whole repository: files at a commit, branches, and commits to them."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from sitemap_action.model.step import FileChange

READ_HINT = (
    "check out with fetch-depth: 0, give the token `contents: read`, or set baseline to git:REF, a path or committed"
)
"""What to do where files of the repository cannot be read."""


class Remote(Protocol):
    def has(self, commit: str) -> bool: ...

    def merge_base(self, base: str, head: str) -> str | None:
        """The newest commit that both share. Raises BaselineError when no answer can be had."""
        ...

    def blob(self, commit: str, path: str) -> bytes | None:
        """The content of a file at a commit; None when there is no such file. Raises BaselineError as above."""
        ...


class Branches(Remote, Protocol):
    """Errors of reading are BaselineErrors, those of writing PublishErrors; TransientError asks to try again."""

    def head(self, branch: str) -> str | None:
        """Object id of its newest commit; None where there is no such branch."""
        ...

    def last_change(self, commit: str, path: str) -> tuple[str, str] | None:
        """Object id and message of the newest commit, from this one back, that changed the file."""
        ...

    def messages(self, base: str, head: str) -> Sequence[str] | None:
        """Of the commits that `head` has and `base` has not, newest last; None where they are too many to be ours."""
        ...


class WritableBranches(Branches, Protocol):
    def blob_ids(self, commit: str, paths: Sequence[str]) -> Mapping[str, str]:
        """Path → git's id of its content, for those that are there."""
        ...

    def commit(self, branch: str, expected: str, message: str, changes: Sequence[FileChange]) -> str:
        """Object id of the new commit; raises StaleBranchError when `expected` is not the branch's newest one."""
        ...

    def replace(
        self, branch: str, expected: str | None, message: str, changes: Sequence[FileChange], parent: str
    ) -> str:
        """Move a branch from `expected`, None where there is none yet, to a new commit on `parent`. Raises as above."""
        ...

    def delete(self, branch: str, expected: str) -> None:
        """Delete a branch that is still where it was read; raises StaleBranchError otherwise."""
        ...
