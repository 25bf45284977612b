"""A repository as git reads it, through a git directory of our own: names, parents, files, history, a fetch.

Theory of operation. A configuration can name commands in dozens of places (hooks, helpers, filters, remotes, other
configurations), and each version of git adds some. So git never reads that of a checkout: it is given a directory of
ours (`GitDirectory`) that links to the checkout's objects and references, with the few settings below, each of which is
data. `find_checkout` says which repository a folder belongs to, and whose are not trusted.
"""

import os
import re
import shutil
import sys
import weakref
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, suppress
from functools import cached_property
from pathlib import Path, PurePosixPath

from msgspec import Struct, field

from sitemap_action.errors import BaselineError
from sitemap_action.model.context import OBJECT_ID
from sitemap_action.model.wording import option
from sitemap_action.repo.git_folder import make_folder
from sitemap_action.repo.git_process import GitAnswer, GitProcess

_MAX_POINTER = 4096  # bytes of a path in a file


class NotTrustedError(Exception):
    """There is a repository, and it is not used."""


class Checkout(Struct, frozen=True):
    top: Path
    own: Path  # the work tree's part of the repository, with HEAD
    common: Path  # objects, references, configuration


def find_checkout(start: Path, ceiling: Path | None, process: GitProcess) -> Checkout | None:
    """The nearest folder with a repository in `.git`, not above the ceiling and not on another file system.

    A bare repository is never one: it is a folder of ordinary files, and a pull request may bring it. Raises
    NotTrustedError where the repository is somebody else's, or a `.git` file leads to one that does not lead back.
    """
    try:
        start = start.resolve()
        owners = {start.stat().st_uid, 0, *([os.geteuid()] if hasattr(os, "geteuid") else [])}
        for top in _upwards(start, ceiling):
            entry = top / ".git"
            if entry.is_symlink():
                raise NotTrustedError(f"{entry} is a symbolic link")
            if entry.is_file():
                found = _follow_pointer(top, entry, process)
            elif _is_repository(entry):
                found = Checkout(top, entry, entry)
            else:
                continue
            if any(path.stat().st_uid not in owners for path in (entry, found.own, found.common)):
                raise NotTrustedError(f"{entry} belongs to another user")
            return found
    except (OSError, RuntimeError):
        return None
    return None


def _upwards(start: Path, ceiling: Path | None) -> Iterator[Path]:
    last, device = ceiling.resolve() if ceiling else None, start.stat().st_dev
    for folder in (start, *start.parents):
        if folder.stat().st_dev != device:
            return
        yield folder
        if folder == last:
            return


def _follow_pointer(top: Path, entry: Path, process: GitProcess) -> Checkout:
    """What a `.git` file leads to: `git worktree` and submodules write one, and the way back."""
    own = _path(entry, "gitdir: ")
    if own is None:
        raise NotTrustedError(f"{entry} names no repository")
    back = _path(own / "gitdir")
    if back == entry and own.parent.name == "worktrees" and _is_repository(own.parents[1]):
        return Checkout(top, own, own.parents[1])
    worktree = dict(process.config(own / "config")).get("core.worktree", "") if _is_repository(own) else ""
    if worktree and (own / worktree).resolve() == top:
        return Checkout(top, own, own)
    raise NotTrustedError(f"{entry} leads to {own}, which is not the repository of this folder")


def _path(file: Path, prefix: str = "") -> Path | None:
    """The path in a file, resolved against the folder of that file; the last part of a way back may be a link."""
    if not file.is_file():
        return None
    with file.open("rb") as stream:
        text = os.fsdecode(stream.read(_MAX_POINTER)).rstrip("\r\n")
    name = text.removeprefix(prefix)
    if not text.startswith(prefix) or not name or "\0" in name:
        return None
    path = file.parent / name
    return Path(os.path.realpath(path)) if prefix else Path(os.path.realpath(path.parent)) / path.name


def _is_repository(folder: Path) -> bool:
    return (folder / "HEAD").is_file() and (folder / "objects").is_dir() and (folder / "refs").is_dir()


_Settings = Iterable[tuple[str, str]]

_LINKED = ("refs", "reftable", "packed-refs", "logs")
_PART_OF_OBJECTS = re.compile(r"[0-9a-f]{2}|pack")  # not `info`, whose `alternates` lead to other repositories
_MAX_COPIED = 2**24  # bytes
_PSEUDO = ("FETCH_HEAD", "ORIG_HEAD", "MERGE_HEAD")
_FORMAT = {"extensions.objectformat": {"sha1", "sha256"}, "extensions.refstorage": {"files", "reftable"}}
_UPSTREAM = re.compile(r"branch\..+\.(?:remote|merge)|remote\..+\.fetch")  # what `main@{upstream}` means
_CREDENTIALS = re.compile(r"http\.https://.+\.extraheader")  # as actions/checkout keeps the token: for one host
_INCLUDED = re.compile(r"includeif\.gitdir:(/.+)\.path")
_FILTER = re.compile(r"blob:none|tree:0|blob:limit=[0-9]+[kmg]?")
_KIND_OF_LINE = re.compile(r"(?:fatal|error|warning): ")
_LONGEST_REASON = 200  # characters


class GitDirectory:
    """Lives as long as it is referred to. Its `path` is what git is given as GIT_DIR."""

    def __init__(self, checkout: Checkout, process: GitProcess) -> None:
        self._checkout, self._process = checkout, process
        try:
            self.path, remove = make_folder("sitemap-action-git-")
            weakref.finalize(self, remove)
            self._settings = process.config(checkout.common / "config")
            self.partial = ("remote.origin.promisor", "true") in self._settings
            self._fill()
        except OSError as error:
            hint = "let this user read the checkout and write to the temporary folder, or set baseline to a file"
            raise BaselineError(f"git cannot be used in {checkout.top}: {error.strerror}", hint=hint) from None

    def answer(self, *arguments: str) -> GitAnswer:
        """How a command ended that reads what is here."""
        return self._process.answer(self.path, *arguments, top=self._checkout.top)

    def failure(self, answer: GitAnswer) -> BaselineError:
        """The error in git's own words, about the checkout instead of this directory."""
        text = os.fsdecode(answer.errors).replace(str(self.path), str(self._checkout.own))
        lines = text.splitlines() or ["it took too long" if answer.status < 0 else f"it ended with {answer.status}"]
        why = _KIND_OF_LINE.sub("", lines[-1])[:_LONGEST_REASON]
        hint = "check out again, whole (actions/checkout without filter); `git fsck` shows what is damaged"
        return BaselineError(f"git cannot read the repository of {self._checkout.top}: {why}", hint=hint)

    def records(self, *arguments: str) -> Iterator[bytes]:
        """What such a command prints, by its NULs, while it runs."""
        return self._process.records(self.path, *arguments, top=self._checkout.top)

    def fetch(self, *arguments: str) -> bool:
        """A fetch from `origin` to the checkout's own objects; where that cuts its history off is noted there.

        Credentials are in a file that is gone afterwards, not in the environment of git's helpers.
        """
        network = self.path / "network"
        _write(network, self.network_settings())
        before = self._shallow()
        try:
            included = [("include.path", str(network))]
            done = self._process.answer(self.path, *arguments, top=self._checkout.top, network=included)
        finally:
            network.unlink()
        return done.status == 0 and (self._shallow() == before or self._store_shallow())

    def _fill(self) -> None:
        here, own, common = self.path, self._checkout.own, self._checkout.common
        (here / "objects").mkdir()
        for entry in os.scandir(common / "objects"):
            if _PART_OF_OBJECTS.fullmatch(entry.name):
                _link(here / "objects" / entry.name, Path(entry.path))
        for name in _LINKED:
            if (common / name).exists():
                _link(here / name, common / name)
        if (own / "index").is_file():
            _link(here / "index", own / "index")
        for folder, name in ((own, "HEAD"), *((own, name) for name in _PSEUDO), (common, "shallow")):
            if (folder / name).is_file() and (folder / name).stat().st_size <= _MAX_COPIED:
                shutil.copyfile(folder / name, here / name)
        _write(here / "config", self._read_settings())

    def _read_settings(self) -> Iterator[tuple[str, str]]:
        formats = [(key, value) for key, value in self._settings if value in _FORMAT.get(key, ())]
        yield "core.repositoryformatversion", "1" if formats else "0"
        yield "core.bare", "true"
        yield from formats
        yield from ((key, value) for key, value in self._settings if _UPSTREAM.fullmatch(key))

    def network_settings(self) -> Iterator[tuple[str, str]]:
        """Where `origin` is, how this machine gets there, and the credentials for it."""
        given = dict(reversed(self._settings))  # of several addresses the first is fetched from
        yield from self._process.machine_network()
        yield from ((key, value) for key, value in self._settings_with_credentials() if _CREDENTIALS.fullmatch(key))
        yield "remote.origin.url", given.get("remote.origin.url", "")
        if self.partial:
            kept = given.get("remote.origin.partialclonefilter", "")
            yield "remote.origin.promisor", "true"
            yield "remote.origin.partialclonefilter", kept if _FILTER.fullmatch(kept) else "blob:none"

    def _settings_with_credentials(self) -> _Settings:
        """The settings of the checkout, and of the file where actions/checkout 6 keeps credentials for it."""
        yield from self._settings
        for key, value in self._settings:
            found = _INCLUDED.fullmatch(key)
            if found and Path(value).is_absolute() and os.path.realpath(found[1]) == str(self._checkout.common):
                yield from self._process.config(Path(value))

    def _shallow(self) -> bytes:
        with suppress(FileNotFoundError):
            return (self.path / "shallow").read_bytes()
        return b""

    def _store_shallow(self) -> bool:
        """Replace the list of the checkout, by the lock that git itself uses."""
        target = self._checkout.common / "shallow"
        lock = target.with_name("shallow.lock")
        try:
            with lock.open("xb") as stream:
                stream.write(self._shallow())
        except OSError:
            return False
        try:
            lock.replace(target)
        except OSError:
            lock.unlink(missing_ok=True)
            return False
        return True


def _link(place: Path, target: Path) -> None:
    """A symbolic link; on Windows, where few users may make one, a junction or the copy of a file."""
    if sys.platform != "win32":
        place.symlink_to(target)
    elif target.is_dir():
        import _winapi  # noqa: PLC0415 - only Windows has it

        _winapi.CreateJunction(str(target), str(place))
    else:
        shutil.copyfile(target, place)


def _write(file: Path, settings: _Settings) -> None:
    """A configuration that this user alone may read; what has a control character is no setting of anybody's."""
    lines = []
    for key, value in settings:
        section, _, rest = key.partition(".")
        subsection, _, name = rest.rpartition(".")
        if (key + value).isprintable():
            heading = f'{section} "{_escape(subsection)}"' if subsection else section
            lines.append(f'[{heading}]\n\t{name} = "{_escape(value)}"\n')
    file.touch(mode=0o600)
    file.write_text("".join(lines), encoding="utf-8", errors="surrogateescape")


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


_UNKNOWN = 1  # the status of a command that was asked for a name that there is not
_SYMLINK = "120000"
_REGULAR = (b"100644 ", b"100755 ")
_ALONE = ("-c", "fetch.negotiationAlgorithm=noop")  # what a partial clone has of a commit says nothing of its blobs


class Git(Struct, frozen=True, dict=True):
    """One work tree, as first seen. Unknown names give None.

    No git, a repository that git cannot read, and a file of it that is there and cannot be read are a BaselineError.
    """

    directory: Path
    environment: dict[str, str] = field(default_factory=lambda: dict(os.environ))
    offline: bool = False  # nothing is fetched
    ceiling: Path | None = None  # no repository above it counts; without one the runner's workspace, where it is set

    def top(self) -> Path | None:
        """The root of the work tree; None outside of one, and where its repository is not trusted."""
        return self._checkout.top if isinstance(self._checkout, Checkout) else None

    def refusal(self) -> str:
        """Why the repository that is there is not used; "" when it is, or there is none."""
        return str(self._checkout) if isinstance(self._checkout, NotTrustedError) else ""

    def commit(self, name: str) -> str | None:
        """The object id of a commit; None when the name is unknown here. A name that starts with `-` is no name."""
        if name.startswith("-"):
            return None
        answer = self._ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        return answer.decode().strip() or None

    def parents(self, commit: str) -> tuple[str, ...]:
        """The parents as the commit itself states them, so that a depth-1 clone still knows them."""
        text = self._run("cat-file", "commit", commit) or b""
        header = text.partition(b"\n\n")[0].decode(errors="replace")
        return tuple(line[7:] for line in header.splitlines() if line.startswith("parent "))

    def merge_base(self, commit: str, *others: str) -> str | None:
        """The newest commit that `commit` shares with any of the others; None when none is known here."""
        answer = self._run("merge-base", commit, *others) if others else None
        return answer.decode().split()[0] if answer else None

    def shallow(self) -> bool:
        """History is cut off somewhere."""
        return self._ask("rev-parse", "--is-shallow-repository") == b"true\n"

    def has(self, commit: str) -> bool:
        return self._run("cat-file", "-e", f"{commit}^{{commit}}") is not None

    def blob(self, commit: str, path: str) -> bytes | None:
        """The content of a file at a commit; None when there is no such file.

        Raises BaselineError for what is there and cannot be read: taken for absence, it would hide every removal.
        """
        listing = self._run("ls-tree", "-z", "--full-tree", commit, "--", path)
        if listing == b"":
            return None
        mode, kind, name = (listing or b"").partition(b"\t")[0].decode().split() or ("", "", "")
        if kind == "blob" and mode == _SYMLINK:
            hint = f"name the file that it points to with {option('sitemap')}"
            raise BaselineError(f"{path} is a symbolic link at {commit[:12]}, and git does not follow it", hint=hint)
        content = self._content(name) if kind == "blob" else None
        if content is None:
            hint = "check out with history and files (actions/checkout without filter), or set baseline to a file"
            raise BaselineError(f"git cannot read {path} at {commit[:12]}", hint=hint)
        return content

    def _content(self, blob: str) -> bytes | None:
        """A partial clone has promised the blobs that it lacks, and they are asked for here, not by git on its own."""
        content = self._run("cat-file", "blob", blob)
        partial = self._git_directory is not None and self._git_directory.partial
        if content is None and partial and self._fetch(blob, _ALONE, "--filter=blob:none"):
            content = self._run("cat-file", "blob", blob)
        return content

    def find_tracked(self, paths: Iterable[str]) -> str:
        """The first of the paths that HEAD has, or that lies in a submodule; "" when there is none.

        `paths` are relative to the root. Letter case counts where the file system distinguishes it.
        """
        listed = self._tree("HEAD", "--name-only") or b""
        fold = str.casefold if sys.platform in {"darwin", "win32"} else str
        known = {fold(name) for name in os.fsdecode(listed).split("\0")}
        for path in paths:
            if any(fold(place.as_posix()) in known for place in (PurePosixPath(path), *PurePosixPath(path).parents)):
                return path
        return ""

    def list_files(self, paths: Iterable[str], commit: str = "") -> frozenset[str]:
        """The files that these paths name, or that are below them: at a commit, without one in the index.

        `paths` are relative to the root.
        """
        if self._git_directory is None:
            return frozenset()
        index = None if commit else self._git_directory.answer("ls-files", "--cached", "-z", "--", *paths)
        if index and index.status == 0:
            return _names(index.output)
        found = self._tree(commit or "HEAD", "--name-only", paths=paths)
        if index and found is None:  # damaged; where there is a commit, only its own repository may be able to read it
            raise self._git_directory.failure(index)
        return _names(found or b"")

    def regular_files(self) -> tuple[str, ...]:
        """All that HEAD has, relative to the root; no link and nothing of a submodule."""
        listed = self._tree("HEAD") or b""
        rows = (row.partition(b"\t") for row in listed.split(b"\0") if row.startswith(_REGULAR))
        return tuple(os.fsdecode(name) for _, _, name in rows)

    def records(self, *arguments: str) -> Generator[bytes, None, None]:
        """What a command prints, by its NULs, while it runs; nothing outside of a checkout. Raises BaselineError."""
        if self._git_directory:
            yield from self._git_directory.records(*arguments)

    def branches(self) -> tuple[str, str]:
        """The default branch of `origin`, and the one that is checked out; "" for what is not known."""
        prefix = b"refs/remotes/origin/"
        default = self._ask("symbolic-ref", "--quiet", prefix.decode() + "HEAD")
        here = self._ask("symbolic-ref", "--quiet", "HEAD")
        names = (default.strip().removeprefix(prefix), here.strip().removeprefix(b"refs/heads/"))
        return os.fsdecode(names[0]), os.fsdecode(names[1])

    def origin(self) -> str:
        """The address of the remote `origin`, as its configuration has it; "" without one."""
        found = self._checkout
        settings = dict(self._process.config(found.common / "config")) if isinstance(found, Checkout) else {}
        return settings.get("remote.origin.url", "")

    def fetch(self, commit: str) -> bool:
        """Fetch one commit from `origin`; a shallow clone gets no more history by it.

        Nothing but the object store changes, and that by whole packs: a loose object would leave a directory behind
        that a later step under another user cannot write to.
        """
        if not OBJECT_ID.fullmatch(commit):
            return False
        return self._fetch(commit, (), *(["--depth=1"] if self.shallow() else []))

    def _fetch(self, name: str, settings: tuple[str, ...], *options: str) -> bool:
        command = (*settings, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", *options, "origin", name)
        return not self.offline and self._git_directory is not None and self._git_directory.fetch(*command)

    def _tree(self, commit: str, *options: str, paths: Iterable[str] = ()) -> bytes | None:
        """The records of all that a commit has; None for the HEAD of a repository without a commit."""
        if self._git_directory is None:
            return None
        answer = self._git_directory.answer("ls-tree", "-r", "-z", "--full-tree", *options, commit, "--", *paths)
        if answer.status == 0:
            return answer.output
        if commit == "HEAD" and not self._ask("rev-parse", "--verify", "--quiet", "HEAD"):
            return None
        raise self._git_directory.failure(answer)

    def _run(self, *arguments: str) -> bytes | None:
        """What the command printed; None when it failed, and outside of a checkout."""
        answer = self._git_directory.answer(*arguments) if self._git_directory else None
        return answer.output if answer and answer.status == 0 else None

    def _ask(self, *arguments: str) -> bytes:
        """What a command printed that ends with 1 where there is no such name: b"" then, and outside of a checkout."""
        if self._git_directory is None:
            return b""
        answer = self._git_directory.answer(*arguments)
        if answer.status not in (0, _UNKNOWN):
            raise self._git_directory.failure(answer)
        return answer.output

    @cached_property
    def _last(self) -> Path | None:
        """The folder above which nothing counts."""
        runner = self.environment.get("GITHUB_WORKSPACE", "")
        known = self.ceiling or (Path(runner) if runner else None)
        return known if known and self.directory.resolve().is_relative_to(known.resolve()) else None

    @cached_property
    def _process(self) -> GitProcess:
        return GitProcess(self._last or self.directory, self.environment)

    @cached_property
    def _checkout(self) -> Checkout | NotTrustedError | None:
        self._process.program()
        try:
            return find_checkout(self.directory, self._last, self._process)
        except NotTrustedError as error:
            return error

    @cached_property
    def _git_directory(self) -> GitDirectory | None:
        return GitDirectory(self._checkout, self._process) if isinstance(self._checkout, Checkout) else None


def _names(records: bytes) -> frozenset[str]:
    return frozenset(os.fsdecode(records).split("\0")) - {""}


def find_head(workspace: Path) -> str:
    """The commit of HEAD; "" where there is none, and where git cannot say."""
    try:
        return Git(workspace).commit("HEAD") or ""
    except BaselineError:
        return ""


# As `git log --follow` walks: from HEAD, newest commit first, no path left out of the walk, and no merge shown. Of the
# newest change of a file its name is enough, so that a rename needs no search: it is a change of the new name.
_LOG = (
    *("log", "-z", "--no-merges", "--name-only", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-notes"),
    *("--no-show-signature", "--no-color", "--no-decorate", "--format=%x01%aI", "HEAD", "--"),
)
_COMMIT = b"\x01"
_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)", re.ASCII)


def git_dates(git: Git, paths: Iterable[str]) -> dict[str, str]:
    """Author date of the newest change, by path in the repository; "" for one that no calendar has.

    Raises BaselineError for a history that cannot be read.
    """
    wanted = {os.fsencode(path): path for path in paths}
    found: dict[str, str] = {}
    if not wanted:
        return found
    date = ""
    with closing(git.records(*_LOG)) as records:
        for record in records:
            if record.startswith(_COMMIT):
                text = record[1:].decode(errors="replace")
                date = text if _DATE.fullmatch(text) else ""
            elif (path := wanted.pop(record.removeprefix(b"\n"), None)) is not None:
                found[path] = date
                if not wanted:
                    break
    return found
