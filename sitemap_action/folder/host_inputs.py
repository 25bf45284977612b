"""All that a host profile was told about a build: where it is the same, every file is served as it was."""

import hashlib
from collections.abc import Callable, Iterable
from typing import TypeVar

from msgspec.structs import replace

from sitemap_action.hosts.base import BuildFiles, Host, HostProfile

_Found = TypeVar("_Found")
_NAMES = ("x.html", "x/index.html")  # whose addresses show the spelling that the host lists


class HostInputs:
    """Notes what is read through `noted`."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256(usedforsecurity=False)

    def noted(self, found: BuildFiles) -> BuildFiles:
        return replace(
            found,
            read=self._note(found.read),
            find=self._note(found.find),
            folder=self._note(found.folder),
            workflows=self._note(found.workflows),
        )

    def digest(self, profile: HostProfile, files: Iterable[str], host: Host) -> str:
        """With the profile, the files of the build, and the spellings that the host prefers."""
        found = self._digest.copy()
        parts = (profile.name, *map(host.address, _NAMES), *sorted(files))
        found.update("\0".join(parts).encode(errors="backslashreplace"))
        return found.hexdigest()

    def _note(self, read: Callable[..., _Found]) -> Callable[..., _Found]:
        def noted(*names: str) -> _Found:
            found = read(*names)
            self._digest.update(repr((names, found)).encode(errors="backslashreplace"))
            return found

        return noted
