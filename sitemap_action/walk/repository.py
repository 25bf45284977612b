"""Files of the repository: what configures the host of a build, through no link, and what pings search engines."""

import errno
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct, field

from sitemap_action.disk.folder import Workspace, path_names
from sitemap_action.hosts.base import ControlFile
from sitemap_action.model.source import Ping

_MAX_FILE = 4 * 2**20 + 1  # bytes: of a larger one, enough to tell that it is
_WORKFLOWS = ".github/workflows"
_MAX_WORKFLOWS = 100
_PING = re.compile(
    rb"\b(google|bing)\.[a-z.]{2,6}/(?:webmasters?/(?:tools/|sitemaps/)?)?ping(?:\.aspx)?\?sitemap=", re.IGNORECASE
)
_SCRIPTS = "package.json"
_ABSENT = (FileNotFoundError, NotADirectoryError, IsADirectoryError)


class Repository(Struct):
    """`build`: path of the build directory; one outside of the workspace has no folders above it in there."""

    workspace: Path
    build: str
    unreadable: list[str] = field(default_factory=list)  # sentences

    def find(self, name: str) -> ControlFile | None:
        """The nearest file of this name."""
        for distance, place in enumerate(self._places()):
            path = f"{place}{name}"
            try:
                return ControlFile(path, Workspace(self.workspace).read_head(path, _MAX_FILE), distance)
            except _ABSENT:
                continue
            except OSError as error:
                self._refuse(path, error)
        return None

    def folder(self, name: str) -> str | None:
        """Path of the nearest folder of this name, the build itself aside."""
        for place in self._places()[1:]:
            try:
                Workspace(self.workspace).folder_path(f"{place}{name}")
            except OSError:
                continue
            return f"{place}{name}"
        return None

    def workflows(self) -> Sequence[ControlFile]:
        return list(self._workflows())

    def _workflows(self) -> Iterator[ControlFile]:
        try:
            with Workspace(self.workspace).folder(_WORKFLOWS) as folder:
                names = sorted(name for name in folder.names() if name.endswith((".yml", ".yaml")))
        except OSError:
            return
        for name in names[:_MAX_WORKFLOWS]:
            path = f"{_WORKFLOWS}/{name}"
            try:
                yield ControlFile(path, Workspace(self.workspace).read_head(path, _MAX_FILE))
            except OSError as error:
                self._refuse(path, error)

    def _places(self) -> list[str]:
        """The build and the folders above it, nearest first, each "" or with a final slash."""
        try:
            names = path_names(self.build, self.workspace)
        except OSError:
            return [""]
        return ["".join(f"{name}/" for name in names[:end]) for end in range(len(names), -1, -1)]

    def _refuse(self, path: str, error: OSError) -> None:
        why = error.strerror or errno.errorcode.get(error.errno or 0, "it cannot be opened")
        sentence = f"{path} is not read: {why}"
        if sentence not in self.unreadable:
            self.unreadable.append(sentence)


def find_pings(workspace: Path) -> tuple[Ping, ...]:
    """Lines of workflows and npm scripts that ping search engines about a sitemap (SM-69); a comment is none."""
    repository = Repository(workspace, ".")
    files = [*repository.workflows(), *filter(None, [repository.find(_SCRIPTS)])]
    return tuple(found for file in files for found in _pings_in(file.path, file.content))


def _pings_in(path: str, content: bytes) -> Iterator[Ping]:
    if b"ping" not in content:
        return
    for number, line in enumerate(content.splitlines(), 1):
        if (found := _PING.search(line)) and not line.lstrip().startswith(b"#"):
            yield Ping(path, number, found[1].decode().lower())
