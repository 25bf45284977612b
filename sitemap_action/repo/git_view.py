"""A git directory of our own over the objects and references of a checkout, whose configuration is not read by git.

A configuration can name commands in dozens of places (hooks, helpers, filters, remotes, other configurations), and
each version of git adds some. So git is given one that we wrote, with the few settings below, each of which is data.
"""

import os
import re
import shutil
import sys
import tempfile
import weakref
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from sitemap_action.errors import BaselineError
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
                found = _pointed(top, entry, process)
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


def _pointed(top: Path, entry: Path, process: GitProcess) -> Checkout:
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
    """The path in a file, resolved against the folder of that file."""
    if not file.is_file():
        return None
    with file.open("rb") as stream:
        text = os.fsdecode(stream.read(_MAX_POINTER)).rstrip("\r\n")
    name = text.removeprefix(prefix)
    if not text.startswith(prefix) or not name or "\0" in name:
        return None
    return Path(os.path.realpath(file.parent / name)) if prefix else _but_the_last(file.parent / name)


def _but_the_last(path: Path) -> Path:
    return Path(os.path.realpath(path.parent)) / path.name


def _is_repository(folder: Path) -> bool:
    return (folder / "HEAD").is_file() and (folder / "objects").is_dir() and (folder / "refs").is_dir()


if sys.platform != "win32":
    import fcntl


class OwnFolder:
    """Is there until `close`, or until nothing refers to it, or until the process ends."""

    def __init__(self, prefix: str) -> None:
        _remove_abandoned(prefix)
        self.path, lock = _make(prefix)
        self._end = weakref.finalize(self, _remove, self.path, lock)

    def close(self) -> None:
        self._end()


def _make(prefix: str) -> tuple[Path, int | None]:
    """The folder with a lock, which ends with this process however that ends."""
    while True:
        path = Path(tempfile.mkdtemp(prefix=prefix))
        if sys.platform == "win32":
            return path, None
        lock = _locked(path)
        if lock is not None and path.exists():  # else another process took it for abandoned in between
            return path, lock
        _remove(path, lock)


def _locked(path: Path) -> int | None:
    """A descriptor of a folder of this user, locked; None where another process has it, or it is none."""
    if sys.platform == "win32":
        return None
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        if os.fstat(descriptor).st_uid == os.geteuid():
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return descriptor
    except OSError:
        pass
    os.close(descriptor)
    return None


def _remove_abandoned(prefix: str) -> None:
    with suppress(OSError):
        for path in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
            lock = _locked(path)
            if lock is not None:
                _remove(path, lock)


def _remove(path: Path, lock: int | None) -> None:
    shutil.rmtree(path, ignore_errors=True)
    if lock is not None:
        os.close(lock)


if sys.platform == "win32":
    import _winapi

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


class GitView:
    """Lives as long as it is referred to. Its `directory` is what git is given as GIT_DIR."""

    def __init__(self, checkout: Checkout, process: GitProcess) -> None:
        self._checkout, self._process = checkout, process
        try:
            self._folder = OwnFolder("sitemap-action-view-")
            self.directory = self._folder.path
            self._settings = process.config(checkout.common / "config")
            self.partial = ("remote.origin.promisor", "true") in self._settings
            self._fill()
        except OSError as error:
            hint = "let this user read the checkout and write to the temporary folder, or set baseline to a file"
            raise BaselineError(f"git cannot be used in {checkout.top}: {error.strerror}", hint=hint) from None

    def answer(self, *arguments: str) -> GitAnswer:
        """How a command ended that reads what is here."""
        return self._process.answer(self.directory, *arguments, top=self._checkout.top)

    def failure(self, answer: GitAnswer) -> BaselineError:
        """In git's own words, about the checkout instead of this directory."""
        text = os.fsdecode(answer.errors).replace(str(self.directory), str(self._checkout.own))
        lines = text.splitlines() or ["it took too long" if answer.status < 0 else f"it ended with {answer.status}"]
        why = _KIND_OF_LINE.sub("", lines[-1])[:_LONGEST_REASON]
        hint = "check out again, whole (actions/checkout without filter); `git fsck` shows what is damaged"
        return BaselineError(f"git cannot read the repository of {self._checkout.top}: {why}", hint=hint)

    def records(self, *arguments: str) -> Iterator[bytes]:
        """What such a command prints, by its NULs, while it runs."""
        return self._process.records(self.directory, *arguments, top=self._checkout.top)

    def fetch(self, *arguments: str) -> bool:
        """A fetch from `origin` to the checkout's own objects; where that cuts its history off is noted there."""
        network = self.directory / "network"
        _write(network, self._network())
        before = self._shallow()
        try:
            top = self._checkout.top
            fetched = self._process.run(self.directory, *arguments, top=top, network=network)
        finally:
            network.unlink()
        return fetched is not None and (self._shallow() == before or self._store_shallow())

    def _fill(self) -> None:
        view, own, common = self.directory, self._checkout.own, self._checkout.common
        (view / "objects").mkdir()
        for entry in os.scandir(common / "objects"):
            if _PART_OF_OBJECTS.fullmatch(entry.name):
                _link(view / "objects" / entry.name, Path(entry.path))
        for name in _LINKED:
            if (common / name).exists():
                _link(view / name, common / name)
        if (own / "index").is_file():
            _link(view / "index", own / "index")
        for folder, name in ((own, "HEAD"), *((own, name) for name in _PSEUDO), (common, "shallow")):
            if (folder / name).is_file() and (folder / name).stat().st_size <= _MAX_COPIED:
                shutil.copyfile(folder / name, view / name)
        _write(view / "config", self._reading())

    def _reading(self) -> Iterator[tuple[str, str]]:
        formats = [(key, value) for key, value in self._settings if value in _FORMAT.get(key, ())]
        yield "core.repositoryformatversion", "1" if formats else "0"
        yield "core.bare", "true"
        yield from formats
        yield from ((key, value) for key, value in self._settings if _UPSTREAM.fullmatch(key))

    def _network(self) -> Iterator[tuple[str, str]]:
        """Where `origin` is, how this machine gets there, and the credentials for it."""
        given = dict(reversed(self._settings))  # of several addresses the first is fetched from
        yield from self._process.machine_network()
        yield from ((key, value) for key, value in self._with_credentials() if _CREDENTIALS.fullmatch(key))
        yield "remote.origin.url", given.get("remote.origin.url", "")
        if self.partial:
            kept = given.get("remote.origin.partialclonefilter", "")
            yield "remote.origin.promisor", "true"
            yield "remote.origin.partialclonefilter", kept if _FILTER.fullmatch(kept) else "blob:none"

    def _with_credentials(self) -> _Settings:
        """Of the checkout, and of the file beside it that actions/checkout 6 keeps them in for this repository."""
        yield from self._settings
        for key, value in self._settings:
            found = _INCLUDED.fullmatch(key)
            if found and Path(value).is_absolute() and os.path.realpath(found[1]) == str(self._checkout.common):
                yield from self._process.config(Path(value))

    def _shallow(self) -> bytes:
        with suppress(FileNotFoundError):
            return (self.directory / "shallow").read_bytes()
        return b""

    def _store_shallow(self) -> bool:
        """In the checkout, by the lock that git itself uses."""
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
            heading = f'{section} "{_escaped(subsection)}"' if subsection else section
            lines.append(f'[{heading}]\n\t{name} = "{_escaped(value)}"\n')
    file.touch(mode=0o600)
    file.write_text("".join(lines), encoding="utf-8", errors="surrogateescape")


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
