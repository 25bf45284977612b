"""The one place that starts git: with an environment and a configuration of our own, whatever the caller's are.

What a killed process leaves of its temporary folders, where credentials may be, is removed by the next run. The lock of
a folder ends with the process that made it, however that ends.

`find_checkout` says which repository a folder belongs to, and whose are not trusted.
"""

import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import lru_cache, partial
from pathlib import Path
from threading import Thread, Timer
from typing import IO

from msgspec import Struct

from sitemap_action.errors import BaselineError
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.mask import MARK, Mask
from sitemap_action.web.printable import printable

if sys.platform != "win32":
    import fcntl


PROTOCOLS = "https:ssh"  # the remote of a hostile configuration may be a file or a command; only tests add `file`
_TIMEOUT = 120  # seconds, one command
_TIMEOUT_OF_HISTORY = 600  # seconds: each commit of a long one is read
_CHUNK, _LONGEST_RECORD = 2**16, 2**23  # bytes; a sitemap may be one line
_MOST_OUTPUT = 2**30  # bytes of one command; more is no answer
_MOST_ERRORS = 16  # chunks of what a command prints as its errors: the last ones are kept
_LONGEST_REASON = 200  # characters
_KIND_OF_LINE = lazy_re(r"(?:fatal|error|warning): ")
_USERINFO = lazy_re(r"(?<=//)[^/\s@]++@")
_MAX_CONFIG = 1_000_000  # bytes of a configuration that is looked into
_OF_THE_MACHINE = lazy_re(r"http\.(?:https?://.+\.)?(?:proxy|sslcainfo|sslcapath)")
_ALWAYS = ("HOME", "USERPROFILE", "SYSTEMROOT", "TMPDIR", "TEMP", "TMP")
_NETWORK = (
    *("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "SSH_AUTH_SOCK"),
)
_FIXED = {
    "LC_ALL": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",
    "GIT_SSH_COMMAND": "ssh -o BatchMode=yes",
    "GIT_NO_LAZY_FETCH": "1",  # since git 2.39.4; an older one has no promisor to ask, for none is configured
}
# What git would run if a configuration said so. None is read but our own (`git.py`); this is the second line.
_SETTINGS = (
    ("safe.bareRepository", "explicit"),
    ("core.hooksPath", os.devnull),
    ("core.attributesFile", os.devnull),
    ("core.fsmonitor", "false"),
    ("core.pager", "cat"),
    ("core.askPass", ""),
    ("core.gitProxy", ""),
    ("core.sshCommand", "ssh -o BatchMode=yes"),
    ("core.alternateRefsCommand", ":"),
    ("credential.helper", ""),
    ("diff.external", ""),
    ("gpg.program", "false"),
    ("protocol.ext.allow", "never"),
    ("remote.origin.uploadpack", "git-upload-pack"),
    ("fetch.recurseSubmodules", "false"),
    ("fetch.unpackLimit", "1"),
    ("fetch.writeCommitGraph", "false"),
    ("maintenance.auto", "false"),
    ("gc.auto", "0"),
)


class GitAnswer(Struct, frozen=True):
    """How a command ended, and what it printed."""

    status: int  # below 0: it took too long, or printed too much, and was ended
    output: bytes = b""
    errors: bytes = b""  # the last of them

    def said(self, mask: Mask, names: Mapping[str, str] | None = None) -> str:
        """Why it failed, quoted as git's: one line without secrets, and not long. `names`: what is named otherwise."""
        text = os.fsdecode(self.errors).rstrip()
        if not text:
            return "it took too long" if self.status < 0 else f"it ended with {self.status}"
        line = text[text.rfind("\n") + 1 :][: 20 * _LONGEST_REASON]
        for name, shown in (names or {}).items():
            line = line.replace(name, shown)
        line = mask(_USERINFO.sub(f"{MARK}@", _KIND_OF_LINE.sub("", line)))
        return f'git says: "{printable(line[:_LONGEST_REASON])}"'


class GitProcess(Struct, frozen=True):
    """Starts git for one folder, of which no file is run. A missing git is an error."""

    folder: Path
    environment: Mapping[str, str]

    def program(self) -> str:
        if (found := _find_git(self._path())) is None:
            raise BaselineError("git is not installed", hint="install git, or set baseline to a file")
        return found

    def answer(
        self,
        directory: Path,
        *arguments: str,
        top: Path | None = None,
        network: Iterable[tuple[str, str]] | None = None,
        variables: Mapping[str, str] | None = None,
        stdin: bytes = b"",
    ) -> GitAnswer:
        """How a command ends with `directory` as GIT_DIR.

        `network`: settings of a command that reaches a server, which alone gets proxies and authorities. They are in
        no argument, and in no file. `variables`: more of the environment.
        """
        environment = self._environment_of(directory, top, network) | dict(variables or {})
        return self._start(self._command(arguments), environment, stdin)

    def records(self, directory: Path, *arguments: str, top: Path | None = None, end: bytes = b"\0") -> Iterator[bytes]:
        """What a command prints, in parts that `end` so, while it runs; closing the iterator ends it.

        Raises BaselineError.
        """
        command, environment = self._command(arguments), self._environment_of(directory, top)
        started = _start_session(command, environment, subprocess.DEVNULL, subprocess.DEVNULL)
        with started as process, _ended(process, _TIMEOUT_OF_HISTORY):
            rest = b""
            for chunk in _chunks(process.stdout):
                *records, rest = (rest + chunk).split(end)
                yield from records
                if len(rest) > _LONGEST_RECORD:
                    hint = "take dates from elsewhere (output.lastmod), or name a file as the baseline"
                    raise BaselineError("git cannot read the history: a record of it is too long", hint=hint)
            yield from filter(None, [rest])
        if process.returncode != 0:
            hint = "check out with the whole history (fetch-depth: 0), and without a filter of trees"
            raise BaselineError(f"git cannot read the history: git {arguments[0]} failed", hint=hint)

    def _command(self, arguments: Iterable[str]) -> list[str]:
        return [self.program(), "--no-replace-objects", "--no-optional-locks", "--literal-pathspecs", *arguments]

    def _environment_of(
        self, directory: Path, top: Path | None, network: Iterable[tuple[str, str]] | None = None
    ) -> dict[str, str]:
        settings = [*_SETTINGS, ("safe.directory", str(top or directory)), *(network or ())]
        environment = self._environment(_ALWAYS if network is None else _ALWAYS + _NETWORK) | _FIXED
        return environment | {
            **dict(_setting_variables(settings)),
            "GIT_DIR": str(directory),
            "GIT_ALLOW_PROTOCOL": PROTOCOLS,
        }

    def config(self, file: Path) -> list[tuple[str, str]]:
        """The settings of one file, which includes no other. Reading them runs nothing."""
        try:
            status = file.lstat()
        except OSError:
            return []
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MAX_CONFIG:
            return []
        arguments = ("config", "--file", str(file), "--no-includes", "--list", "-z")
        return _parse_settings(self.answer(Path(os.devnull), *arguments))

    def machine_network(self) -> list[tuple[str, str]]:
        """How this machine and its user get to servers: proxies and authorities."""
        environment = {**self._environment(_ALWAYS), "GIT_DIR": os.devnull, "LC_ALL": "C"}
        done = self._start([self.program(), "config", "--includes", "--list", "-z"], environment)
        return [(key, value) for key, value in _parse_settings(done) if _OF_THE_MACHINE.fullmatch(key)]

    def _environment(self, names: tuple[str, ...]) -> dict[str, str]:
        kept = {name: self.environment[name] for name in names if name in self.environment}
        return kept | {"PATH": self._path()}

    def _path(self) -> str:
        return _search_path(self.environment.get("PATH", os.defpath), self.folder)

    @staticmethod
    def _start(command: list[str], environment: dict[str, str], stdin: bytes = b"") -> GitAnswer:
        with (
            _start_session(command, environment, subprocess.PIPE, subprocess.PIPE) as process,
            _ended(process, _TIMEOUT),
        ):
            errors: deque[bytes] = deque(maxlen=_MOST_ERRORS)
            others = [Thread(target=_write, args=(process.stdin, stdin), daemon=True)]
            others += [Thread(target=errors.extend, args=(_chunks(process.stderr),), daemon=True)]
            for other in others:
                other.start()
            pieces, size = [], 0
            for chunk in _chunks(process.stdout):
                pieces.append(chunk)
                size += len(chunk)
                if size > _MOST_OUTPUT:
                    _end(process)
                    return GitAnswer(-1, errors=b"it printed too much")
            for other in others:
                other.join()
        return GitAnswer(process.returncode, b"".join(pieces), b"".join(errors))


@lru_cache
def _search_path(path: str, folder: Path) -> str:
    """Where programs are: never relative to some folder, and never in the one that is looked at."""
    looked_at = folder.resolve()
    inside = () if looked_at == Path(looked_at.anchor) else (looked_at,)
    return os.pathsep.join(
        place
        for place in path.split(os.pathsep)
        if Path(place).is_absolute() and not any(Path(place).resolve().is_relative_to(one) for one in inside)
    )


@lru_cache
def _find_git(path: str) -> str | None:
    return shutil.which("git", path=path or os.devnull)


@contextmanager
def _ended(process: subprocess.Popen[bytes], seconds: int) -> Iterator[None]:
    """With what it has started, after so many seconds and where the caller goes on without it."""
    watch = Timer(seconds, _end, [process])
    watch.daemon = True
    watch.start()
    try:
        yield
    except BaseException:
        _end(process)
        raise
    finally:
        watch.cancel()


def _chunks(stream: IO[bytes] | None) -> Iterator[bytes]:
    with suppress(ValueError):  # it was closed meanwhile
        while stream and (chunk := stream.read(_CHUNK)):
            yield chunk


def _write(stream: IO[bytes] | None, data: bytes) -> None:
    if stream:
        with suppress(OSError, ValueError), stream:
            stream.write(data)


def _start_session(command: list[str], environment: dict[str, str], stdin: int, stderr: int) -> subprocess.Popen[bytes]:
    """Start it in a session of its own, which is ended as a whole: git starts helpers that would outlive it."""
    return subprocess.Popen(
        command,
        cwd=os.sep,
        env=environment,
        start_new_session=True,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=stderr,
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)


def _setting_variables(settings: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Settings by environment, which no argument list of a process shows."""
    yield "GIT_CONFIG_COUNT", str(len(settings))
    for number, (key, value) in enumerate(settings):
        yield f"GIT_CONFIG_KEY_{number}", key
        yield f"GIT_CONFIG_VALUE_{number}", value


def _parse_settings(answer: GitAnswer) -> list[tuple[str, str]]:
    """Keys and values of `git config --list -z`; a key without a value is true."""
    listed = os.fsdecode(answer.output) if answer.status == 0 else ""
    found = (item.partition("\n") for item in listed.split("\0") if item)
    return [(key, value if newline else "true") for key, newline, value in found]


def make_folder(prefix: str) -> tuple[Path, Callable[[], None]]:
    """The folder, and what removes it. Folders with this prefix in which no process works any more are removed, too."""
    with suppress(OSError):
        for path in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
            if (lock := _lock(path)) is not None:
                _remove(path, lock)
    for _ in range(3):
        path = Path(tempfile.mkdtemp(prefix=prefix))
        lock = _lock(path)
        if lock is not None and path.exists():
            return path, partial(_remove, path, lock)
        _remove(path, lock)  # another process took it for abandoned in between
    path = Path(tempfile.mkdtemp(prefix=prefix))  # where nothing is locked: Windows, and some file systems
    return path, partial(_remove, path, None)


def _lock(path: Path) -> int | None:
    """A descriptor of a folder of this user, locked; None where another process has it, and on Windows."""
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


def _remove(path: Path, lock: int | None) -> None:
    shutil.rmtree(path, ignore_errors=True)
    if lock is not None:
        os.close(lock)


# --- the repository that a folder belongs to ---

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
    if file_kind(file) != stat.S_IFREG:
        return None
    with file.open("rb") as stream:
        text = os.fsdecode(stream.read(_MAX_POINTER)).rstrip("\r\n")
    name = text.removeprefix(prefix)
    if not text.startswith(prefix) or not name or "\0" in name:
        return None
    path = file.parent / name
    return Path(os.path.realpath(path)) if prefix else Path(os.path.realpath(path.parent)) / path.name


def _is_repository(folder: Path) -> bool:
    """A link counts, which is refused when git is to read it."""
    return all(os.path.lexists(folder / name) for name in ("HEAD", "objects", "refs"))


ABSENT, OTHER = 0, -1


def file_kind(path: Path) -> int:
    """`stat.S_IFDIR` or `stat.S_IFREG`; `OTHER` for a link, a pipe or a device, and `ABSENT` for nothing."""
    try:
        found = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return ABSENT
    junction = getattr(found, "st_reparse_tag", 0) == getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", -1)
    kind = stat.S_IFMT(found.st_mode)
    return kind if kind in (stat.S_IFDIR, stat.S_IFREG) and not junction else OTHER
