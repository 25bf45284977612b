"""The files of one commit, and the commit that changes them: made without a work tree."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from sitemap_action.errors import PublishError
from sitemap_action.model.publication import FileChange
from sitemap_action.repo.own_repositories import OwnRepositories
from sitemap_action.web.file_names import as_seen
from sitemap_action.web.printable import printable

_MOST_PATHS = 500  # of one command
_FOLDER, _NEW = "040000", "100644"
_LONGEST = 4095  # bytes of a path
_KINDS = {"120000": "a symbolic link", "160000": "a submodule", _FOLDER: "a folder"}
_CLOSED = {"", ".git", "git~1"}  # git skips such a path without an error


class TreeEntry(Struct, frozen=True):
    mode: str
    kind: str
    name: str  # object id

    @property
    def is_file(self) -> bool:
        return self.kind == "blob" and self.mode not in _KINDS


class GitCommit(Struct, frozen=True):
    """Of a commit that is in a repository of our own, its files not included."""

    repositories: OwnRepositories
    own: Path
    commit: str

    def entries(self, paths: Sequence[str]) -> dict[str, TreeEntry]:
        """What is at these paths, and at the folders on the way."""
        found = {}
        for start in range(0, len(paths), _MOST_PATHS):
            some = paths[start : start + _MOST_PATHS]
            listed = self._plumb("ls-tree", "-z", "-t", "--full-tree", self.commit, "--", *some)
            for line in listed.decode(errors="surrogateescape").split("\0")[:-1]:
                entry, _, path = line.partition("\t")
                found[path] = TreeEntry(*entry.split())
        return found

    def changed(self, message: str, changes: Sequence[FileChange], identity: Mapping[str, str]) -> str:
        """The object id of a commit on this one; of this one, where nothing differs."""
        lines = self._index_lines(changes)
        index = self.own / "index.new"
        index.unlink(missing_ok=True)  # of an earlier one
        variables = {"GIT_INDEX_FILE": str(index)}
        self._plumb("read-tree", self.commit, variables=variables)
        self._plumb("update-index", "-z", "--index-info", variables=variables, stdin=lines)
        tree = self._line("write-tree", "--missing-ok", variables=variables)
        if tree == self._line("rev-parse", f"{self.commit}^{{tree}}"):
            return self.commit
        said = message.replace("\0", "").encode(errors="replace")
        return self._line("commit-tree", tree, "-p", self.commit, variables=identity, stdin=said)

    def _index_lines(self, changes: Sequence[FileChange]) -> bytes:
        """Input of `update-index`, where mode 0 removes."""
        known = self.entries([*dict.fromkeys(place for change in changes for place in _places(change.path))])
        lines = []
        for change in changes:
            mode, name = _mode(change.path, known), "0" * len(self.commit)
            if change.content is None:
                mode = "0"
            else:
                name = self._line("hash-object", "-w", "--no-filters", "--stdin", stdin=change.content)
            lines.append(f"{mode} {name}\t{change.path}\0".encode())
        return b"".join(lines)

    def _line(self, *arguments: str, variables: Mapping[str, str] | None = None, stdin: bytes = b"") -> str:
        return self._plumb(*arguments, variables=variables, stdin=stdin).decode().strip()

    def _plumb(self, *arguments: str, variables: Mapping[str, str] | None = None, stdin: bytes = b"") -> bytes:
        return self.repositories.plumb(self.own, *arguments, variables=variables, stdin=stdin)


def _places(path: str) -> list[str]:
    """The path and the folders on the way to it. Raises PublishError for one that no file of a commit may have."""
    names = path.split("/")
    fits = path.isprintable() and "\\" not in path and len(path.encode(errors="replace")) <= _LONGEST
    if not fits or any(as_seen(name) in _CLOSED for name in names):
        hint = "use a path below the root of the repository, without `..` and `.git`, such as public/sitemap.xml"
        raise PublishError(f"{printable(path)[:200]} cannot be committed", hint=hint)
    return ["/".join(names[: count + 1]) for count in range(len(names))]


def _mode(path: str, known: Mapping[str, TreeEntry]) -> str:
    """Of the file: the one it has. Raises PublishError where something else is there, or on the way."""
    *folders, whole = _places(path)
    for place in folders:
        if place in known and known[place].mode != _FOLDER:
            raise _in_the_way(path, place, known[place])
    if whole not in known:
        return _NEW
    if not known[whole].is_file:
        raise _in_the_way(path, whole, known[whole])
    return known[whole].mode


def _in_the_way(path: str, place: str, entry: TreeEntry) -> PublishError:
    what = _KINDS.get(entry.mode, "a file")
    return PublishError(f"{path} cannot be committed: {place} is {what}", hint="name the real path in `sitemap`")
