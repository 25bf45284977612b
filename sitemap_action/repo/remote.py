"""What a shallow clone reads from a server that has the whole repository."""

from typing import Protocol


class Remote(Protocol):
    def has(self, commit: str) -> bool: ...

    def merge_base(self, base: str, head: str) -> str | None:
        """The newest commit that both share. Raises BaselineError when no answer can be had."""
        ...

    def blob(self, commit: str, path: str) -> bytes | None:
        """The content of a file at a commit; None when there is no such file. Raises BaselineError as above."""
        ...
