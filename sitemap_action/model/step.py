"""What a run would do to the world, as values: a dry run prints these and stops."""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class WriteFile:
    """Replace or create one file, whole: path relative to the workspace."""

    path: str
    content: bytes

    def __str__(self) -> str:
        return f"write {self.path} ({len(self.content):,} bytes)"


@dataclass(frozen=True, slots=True)
class DeleteFile:
    """Remove one stale shard of an earlier run (SM-08)."""

    path: str

    def __str__(self) -> str:
        return f"delete {self.path}"


Step: TypeAlias = WriteFile | DeleteFile
