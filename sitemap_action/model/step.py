"""The effects of a run as values, which a dry run prints instead.

Each has a tag: msgspec encodes them for the process that may write, where another one decides (`cli/isolate.py`).
"""

from collections.abc import Iterable, Iterator
from typing import TypeAlias, assert_never

from msgspec import Struct

from sitemap_action.model.publication import CommitFiles, SubmitUrls, SyncPullRequest, UpsertComment


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
