"""The effects of a run as values, which a dry run prints instead: files, a commit, a pull request, a comment, URLs.

Each step has a tag: msgspec encodes it for the process that may write, where another one decides (`cli/isolate.py`).
"""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import TypeAlias, assert_never

from msgspec import Struct

TRAILER = "Sitemap-Action-Source"
"""Of the message of our commits: the commit whose build it lists, or `served`."""


class CommitMethod(StrEnum):
    API = "api"  # signed by GitHub
    GIT = "git"  # pushed


class CommentWhen(StrEnum):
    NEVER = "never"
    ON_CHANGE = "on-change"
    ALWAYS = "always"


class Operation(StrEnum):
    """What was done about a pull request."""

    CREATED = "created"
    UPDATED = "updated"
    CLOSED = "closed"
    NONE = "none"


class Counts(Struct, frozen=True):
    """Of URLs; the only part of a message that depends on the site."""

    added: int
    removed: int
    changed: int

    def __str__(self) -> str:
        found = [(self.added, "added"), (self.removed, "removed"), (self.changed, "changed")]
        return ", ".join(f"{count:,} {what}" for count, what in found if count) or "rewritten"


class Publishing(Struct, frozen=True):
    """Where the inputs and the event allow something to be published, and how; "" where it is nothing."""

    branch: str = ""  # that is committed to, or that the pull request is for
    pr_branch: str = ""  # of the pull request
    pr_labels: tuple[str, ...] = ()
    message: str = ""  # the whole commit message; "" for one of ours
    method: CommitMethod = CommitMethod.API
    comment: CommentWhen = CommentWhen.NEVER
    comment_id: str = "sitemap"
    number: int = 0  # of the pull request that is commented on
    source: str = ""  # object id of the commit that is built or deployed
    index_now_key: str = ""

    def title(self, counts: Counts) -> str:
        """The first line of the commit message, and the title of the pull request."""
        first = self.message.partition("\n")[0].strip()
        return first or f"Update sitemap: {counts}"

    def commit_message(self, counts: Counts, source: str) -> str:
        body = self.message.partition("\n")[2].strip()
        parts = [self.title(counts), body] if body else [self.title(counts)]
        joined = "\n\n".join(parts)
        return f"{joined}{_before_trailer(body)}{TRAILER}: {source or 'served'}\n"


def _before_trailer(body: str) -> str:
    """A trailer follows other trailers directly, and everything else after an empty line."""
    last = body.rpartition("\n")[2]
    key, colon, _ = last.partition(": ")
    return "\n" if colon and key.replace("-", "").isalnum() else "\n\n"


def source_of(message: str) -> str:
    """What the trailer of a commit states; "" when it is not ours."""
    for line in reversed(message.splitlines()):
        key, _, value = line.partition(": ")
        if key == TRAILER:
            return value.strip()
    return ""


class FileChange(Struct, frozen=True):
    """One file of a commit: path in the repository, content, None where it is deleted."""

    path: str
    content: bytes | None


class CommitFiles(Struct, frozen=True, tag=True):
    """Commit files to a branch, on the commit that they were judged against."""

    branch: str
    expected: str  # object id of that commit
    counts: Counts
    source: str  # object id of the commit that is built or deployed; "" for a site that is served
    changes: tuple[FileChange, ...]

    def __str__(self) -> str:
        return f"commit {_files(self.changes)} to {self.branch} ({self.counts})"


class SyncPullRequest(Struct, frozen=True, tag=True):
    """Open or update the one pull request; without changes, close it."""

    branch: str
    base: str
    expected: str  # object id of the base that the files were judged against
    counts: Counts
    source: str
    body: str  # Markdown
    changes: tuple[FileChange, ...]

    def __str__(self) -> str:
        if not self.changes:
            return f"close the pull request from {self.branch}, if one is open"
        return f"open or update the pull request from {self.branch} into {self.base}: {_files(self.changes)}"


class UpsertComment(Struct, frozen=True, tag=True):
    """Update our comment on a pull request; create it where that is asked for."""

    number: int
    name: str  # the input comment-id
    body: str  # Markdown, without the marker
    create: bool

    def __str__(self) -> str:
        return f"{'write' if self.create else 'update'} the comment {self.name} on pull request {self.number}"


class SubmitUrls(Struct, frozen=True, tag=True):
    """Tell search engines which pages changed (IndexNow)."""

    site_url: str
    urls: tuple[str, ...]

    def __str__(self) -> str:
        return f"submit {len(self.urls):,} URLs to IndexNow"


class Published(Struct, frozen=True):
    """What carrying out the steps came to."""

    commit: str = ""  # object id
    number: int = 0  # of the pull request
    url: str = ""
    operation: Operation = Operation.NONE
    moved: str = ""  # object id of the branch's newer commit, which has other sitemap files: to be judged again
    notes: tuple[str, ...] = ()


def _files(changes: tuple[FileChange, ...]) -> str:
    return f"{len(changes):,} file{'' if len(changes) == 1 else 's'}"


class WriteFile(Struct, frozen=True, tag=True):
    """Replace or create one file, whole: path relative to the workspace."""

    path: str
    content: bytes

    def __str__(self) -> str:
        return f"write {self.path} ({len(self.content):,} bytes)"


class DeleteFile(Struct, frozen=True, tag=True):
    """Remove one stale shard of an earlier run (SM-08)."""

    path: str

    def __str__(self) -> str:
        return f"delete {self.path}"


Step: TypeAlias = WriteFile | DeleteFile | CommitFiles | SyncPullRequest | UpsertComment | SubmitUrls


def written_paths(steps: Iterable[Step]) -> Iterator[str]:
    """Paths of the files that the steps write, for events."""
    for step in steps:
        match step:
            case WriteFile(path=path):
                yield path
            case DeleteFile() | CommitFiles() | SyncPullRequest() | UpsertComment() | SubmitUrls():
                pass
            case _:
                assert_never(step)
