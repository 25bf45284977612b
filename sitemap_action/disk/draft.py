"""Content that is whole on the disk before it takes the place of a file, which happens at once.

A draft has no name until then, so that a killed run leaves none behind. Where the file system makes no such file it has
a random name, and is deleted by that name alone.
"""

import os
from pathlib import Path
from types import TracebackType
from typing import Self

from sitemap_action.disk.folder import Folder

_UNNAMED = getattr(os, "O_TMPFILE", 0) if Path("/proc/self/fd").is_dir() else 0


class Draft:
    """Use as a context: what took no place is gone at its end. Methods raise OSError."""

    def __init__(self, folder: Folder, place: str, content: bytes, *, unnamed: bool = True) -> None:
        """`place`: the file to be replaced or created; what is there and is no regular file is refused.

        `unnamed`: such a draft holds a descriptor, of which a process has few.
        """
        self._folder, self._place, self._name = folder, place, ""
        mode = folder.replaced_mode(place)
        self._descriptor = self._without_name() if unnamed and _UNNAMED else None
        try:
            if self._descriptor is None:
                self._name = random_name()
                with os.fdopen(folder.create(self._name), "wb") as file:
                    _fill(file.fileno(), content, mode)
            else:
                _fill(self._descriptor, content, mode)
        except BaseException:
            self._drop()
            raise

    def _without_name(self) -> int | None:
        try:
            return self._folder.create(".", _UNNAMED)
        except OSError:
            return None  # not on this file system; anything else is an error of the file with a name too

    def take_place(self) -> None:
        self._be_named()
        self._folder.replace(self._name, self._place)
        self._name = ""

    def take_free_place(self) -> None:
        """Where nothing is yet: raises FileExistsError for whatever is there by now."""
        self._be_named()
        self._folder.link(self._name, self._place)
        self._folder.unlink(self._name)
        self._name = ""

    def _be_named(self) -> None:
        if self._descriptor is not None:
            name = random_name()
            self._folder.give_name(self._descriptor, name)
            self._name = name

    def _drop(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
        if self._name:
            self._folder.unlink(self._name)
            self._name = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._drop()


def random_name() -> str:
    return f".sitemap-action-{os.urandom(16).hex()}"


def _fill(descriptor: int, content: bytes, mode: int | None) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
    os.fsync(descriptor)
    if hasattr(os, "fchmod"):
        os.fchmod(descriptor, 0o644 if mode is None else mode)
