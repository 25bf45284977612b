"""The one place that starts git: with an environment and a configuration of our own, whatever the caller's are.

What a killed process leaves of its temporary folders, where credentials may be, is removed by the next run. The lock of
a folder ends with the process that made it, however that ends.
"""

import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import Thread, Timer
from typing import IO
from urllib.parse import urlsplit

from msgspec import Struct

from sitemap_action.errors import BaselineError
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.mask import MARK, Mask
from sitemap_action.runner.event import VARIABLES, repository_of_request
from sitemap_action.web.address_gate import address_kind
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
        if (found := shutil.which("git", path=self._path() or os.devnull)) is None:
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
            yield from _by_end(process, end)
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
        """Where programs are: never relative to some folder, and never in the one that is looked at."""
        places = self.environment.get("PATH", os.defpath).split(os.pathsep)
        return os.pathsep.join(place for place in places if Path(place).is_absolute() and not self._inside(place))

    def _inside(self, place: str) -> bool:
        folder = self.folder.resolve()
        return folder != Path(folder.anchor) and Path(place).resolve().is_relative_to(folder)

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


def _by_end(process: subprocess.Popen[bytes], end: bytes) -> Iterator[bytes]:
    rest = b""
    for chunk in _chunks(process.stdout):
        *records, rest = (rest + chunk).split(end)
        yield from records
        if len(rest) > _LONGEST_RECORD:
            hint = "take dates from elsewhere (output.lastmod), or name a file as the baseline"
            raise BaselineError("git cannot read the history: a record of it is too long", hint=hint)
    if rest:
        yield rest


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


_SERVER = lazy_re(r"(https?)://[A-Za-z0-9.-]+(?::[0-9]+)?(?:/[A-Za-z0-9._~-]+)*")
_REPOSITORY = lazy_re(r"[A-Za-z0-9._-]+(?:/[A-Za-z0-9._-]+)+")
_SHORT = lazy_re(r"(?:[^@/:]+@)?(\[[^\]/]*\]|[^\[/:]+):")  # user@host:path, as ssh has it
_PORTS = {"https": 443, "http": 80}
# What a CI says of its own server. GitHub's are not for the steps of a job to change.
_SERVERS = ("CI_SERVER_URL", *(row.repository for row in VARIABLES))
_ORIGIN, _NO_REDIRECTS = "remote.origin.url", {"http.followRedirects": "false"}
_PROXIES = ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")


def repository_address(server: str, repository: str) -> str:
    """The address of a repository on a forge, for git; "" where a part of it is none."""
    fits = _SERVER.fullmatch(server) and _REPOSITORY.fullmatch(repository)
    return f"{server}/{repository}.git" if fits else ""


def judge_origin(named: str, environment: Mapping[str, str]) -> Mapping[str, str]:
    """The settings by which git connects to the address that was judged, and to no other.

    `named`: by the checkout, which counts on no pull request. Raises BaselineError for a refused host or
    repository. On a machine of its own the user has named it; on a runner an artifact or an earlier step may have.
    """
    server, event = environment.get("GITHUB_SERVER_URL", "").rstrip("/"), environment.get("GITHUB_EVENT_NAME", "")
    own = repository_address(server, environment.get("GITHUB_REPOSITORY", ""))
    if own and event.startswith("pull_request"):
        return {_ORIGIN: own, **_NO_REDIRECTS}
    theirs = repository_of_request(environment)
    if theirs and _repository_at(named) != _repository_at(theirs):
        hint = "check out again, and fetch before anything of the change is run; or clone it whole"
        raise BaselineError(
            "git's origin is not fetched from: it is another repository than the CI has cloned", hint=hint
        )
    if not (environment.get("GITHUB_ACTIONS") or environment.get("CI")):
        return {_ORIGIN: named}
    names = ("GITHUB_SERVER_URL",) if environment.get("GITHUB_ACTIONS") else _SERVERS
    host = host_of(named)
    if not host or host in {host_of(environment.get(name, "")) for name in names}:
        return {_ORIGIN: named}
    addresses = [] if any(environment.get(name) for name in _PROXIES) and not _is_literal(host) else _resolve(host)
    for address in addresses:
        if kind := address_kind(address):
            hint = "check out with fetch-depth: 0, so that nothing has to be fetched"
            raise BaselineError(
                f"git's origin is not fetched from: {printable(host)[:253]} has a {kind} address, {address}", hint=hint
            )
    return {_ORIGIN: named, **_NO_REDIRECTS, **_pin(named, host, addresses)}


def host_of(address: str) -> str:
    """The host of an address as git reads it, in lower case; "" for a path or a file."""
    if "://" not in address:
        short = _SHORT.match(address)
        return short[1].strip("[]").lower() if short else ""
    try:
        return (urlsplit(address).hostname or "").lower()
    except ValueError:
        return ""


def _repository_at(address: str) -> tuple[str, str]:
    """Host and path, the same for every spelling of one repository."""
    _, scheme, rest = address.partition("://")
    path = rest.partition("/")[2] if scheme else address.partition(":")[2] or address
    return host_of(address), path.strip("/").removesuffix(".git").lower()


def _is_literal(host: str) -> bool:
    return address_kind(host) != "unreadable"


def _resolve(host: str) -> list[str]:
    """None where the name is not known: then git does not reach it, or ssh has an alias of the user's."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return sorted({str(row[4][0]) for row in found})


def _pin(address: str, host: str, addresses: list[str]) -> Mapping[str, str]:
    """A name that has another address when git asks again would be another host."""
    scheme = address.partition("://")[0]
    if scheme not in _PORTS or not addresses or _is_literal(host):
        return {}
    port = urlsplit(address).port or _PORTS[scheme]
    shown = (f"[{address}]" if ":" in address else address for address in addresses)
    return {"http.curloptResolve": f"{host}:{port}:{','.join(shown)}"}
