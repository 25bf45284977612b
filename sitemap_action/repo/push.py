"""The branches of a server's repository, by git: read and committed to from repositories of our own.

The user's checkout has no part in it, so it may be shallow, detached or missing, and nothing in it changes.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self

from msgspec import Struct

from sitemap_action.errors import BaselineError, PublishError
from sitemap_action.model.context import OBJECT_ID, Forge
from sitemap_action.model.step import FileChange
from sitemap_action.model.wording import option
from sitemap_action.repo.failures import StaleBranchError, TransientError
from sitemap_action.repo.git_process import GitAnswer, GitProcess
from sitemap_action.repo.git_server import GitServer
from sitemap_action.repo.git_view import OwnFolder
from sitemap_action.repo.remote import READ_HINT
from sitemap_action.web.file_names import as_seen
from sitemap_action.web.printable import printable

_VERSION = re.compile(rb"git version (\d+)\.(\d+)")
_OLDEST = (2, 31)  # the first that takes settings from the environment
_PREFIX = "sitemap-action-push-"
_CONFIG = """[core]
\trepositoryformatversion = 1
\tbare = true
\tprotectHFS = true
\tprotectNTFS = true
[extensions]
\tobjectformat = {format}
[remote "origin"]
\turl = {address}
"""


# Of a fetch alone: a push would ask for what was left out, to send differences from it.
_PARTIAL = (("remote.origin.promisor", "true"), ("remote.origin.partialclonefilter", "blob:none"))


class OwnRepositories:
    """One for each purpose, in one temporary folder. Their commands raise PublishError, TransientError included."""

    def __init__(self, server: GitServer, process: GitProcess) -> None:
        self.server, self._process = server, process

    def close(self) -> None:
        if (folder := self.__dict__.pop("_folder", None)) is not None:
            folder.close()

    def repository(self, purpose: str, commit: str) -> Path:
        """Its hashes are such as this commit's."""
        known = "sha256" if len(object_id(commit)) == 64 else "sha1"
        own = self._folder.path / f"{purpose}-{known}"
        if not own.exists():
            (own / "objects").mkdir(parents=True)
            (own / "refs").mkdir()
            (own / "HEAD").write_text("ref: refs/heads/none\n")
            (own / "config").write_text(_CONFIG.format(format=known, address=self.server.address))
        return own

    def run(self, own: Path, *arguments: str) -> GitAnswer:
        """A command that reaches no server, whatever it comes to."""
        return self._process.answer(own, *arguments)

    def plumb(
        self, own: Path, *arguments: str, variables: Mapping[str, str] | None = None, stdin: bytes = b""
    ) -> bytes:
        """What a command printed that reaches no server, and has to succeed."""
        done = self._process.answer(own, *arguments, variables=variables, stdin=stdin)
        if done.status != 0:
            said = printable(done.errors.decode(errors="replace").strip().rpartition("\n")[2])
            raise PublishError(f"git {arguments[0]} failed: {said}", hint="free some space, or use commit-method: api")
        return done.output

    def reach(self, own: Path, *arguments: str) -> GitAnswer:
        """A command that reaches the server, whatever it comes to: with the token, and without a home with others."""
        network = [*self._network, *self.server.settings(), *(_PARTIAL if "fetch" in arguments else ())]
        home = str(self._folder.path)
        variables = {**self.server.variables, "HOME": home, "USERPROFILE": home}
        return self._process.answer(own, *arguments, network=network, variables=variables)

    def ask(self, own: Path, what: str, *arguments: str) -> bytes:
        """What a command printed that reaches the server, and has to succeed."""
        done = self.reach(own, *arguments)
        if done.status != 0:
            raise self.server.failure(what, done)
        return done.output

    def list_references(self, reference: str) -> dict[str, str]:
        """Of the server's references that end so, the object ids."""
        listed = self.ask(self._folder.path, f"read {reference}", "ls-remote", self.server.address, reference)
        pairs = (line.partition("\t") for line in listed.decode(errors="replace").splitlines())
        return {found: name for name, _, found in pairs if OBJECT_ID.fullmatch(name)}

    def fetch(self, own: Path, what: str, names: tuple[str, ...], *, depth: int, filtered: str) -> None:
        """`depth`: of the history, 0 for what is no commit. What is here says nothing of what it lacks."""
        command = ("-c", "fetch.negotiationAlgorithm=noop", "fetch", "--quiet", "--no-tags", "--no-write-fetch-head")
        limits = [f"--filter={filtered}", *([f"--depth={depth}"] if depth else [])]
        self.ask(own, what, *command, *limits, "origin", *map(object_id, names))

    @cached_property
    def _network(self) -> list[tuple[str, str]]:
        return self._process.machine_network()

    @cached_property
    def _folder(self) -> OwnFolder:
        try:
            self._process.program()
        except BaselineError as error:
            raise PublishError(str(error), hint="install git, or use commit-method: api") from None
        found = _VERSION.match(self._process.answer(Path("/"), "version").output)
        if found and (int(found[1]), int(found[2])) < _OLDEST:
            what = f"git {int(found[1])}.{int(found[2])} is too old to push with a token"
            raise PublishError(what, hint="install git 2.31 or newer, or use commit-method: api")
        return OwnFolder(_PREFIX)


def object_id(name: str) -> str:
    """The name itself; raises PublishError where it is none."""
    if not OBJECT_ID.fullmatch(name):
        raise PublishError(f"{printable(name)[:80]} is no object id", hint="name the commit by its whole object id")
    return name


def cut_off(own: Path) -> frozenset[str]:
    """The commits whose parents were not fetched."""
    file = own / "shallow"
    return frozenset(file.read_text().split()) if file.exists() else frozenset()


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
