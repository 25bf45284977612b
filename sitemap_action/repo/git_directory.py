"""The git directory of our own through which git reads a repository, and the address that it fetches from.

Theory of operation. A configuration can name commands in dozens of places (hooks, helpers, filters, remotes, other
configurations), and each version of git adds some. So git never reads that of a checkout: it is given a directory of
ours (`GitDirectory`) that links to the checkout's objects and references, with the few settings below, each of which is
data.

An artifact, an earlier step or a neighbour may have written `.git`. So nothing inside of it is followed out of it
(S-13): a link or a pipe among objects and references is refused before git starts, and one anywhere else is not there.
"""

import os
import shutil
import socket
import stat
import sys
import weakref
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from sitemap_action.errors import BaselineError
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.mask import Mask
from sitemap_action.repo.git_process import ABSENT, OTHER, Checkout, GitAnswer, GitProcess, file_kind, make_folder
from sitemap_action.runner.event import VARIABLES, repository_of_request
from sitemap_action.web.address_gate import address_kind
from sitemap_action.web.printable import printable


def _find_odd(path: Path) -> Path | None:
    """The first that is neither file nor folder, all the way down."""
    kind = file_kind(path)
    if kind != stat.S_IFDIR:
        return path if kind == OTHER else None
    with os.scandir(path) as entries:
        below = [entry.path for entry in entries if not entry.is_file(follow_symlinks=False)]
    return next(filter(None, (_find_odd(Path(entry)) for entry in sorted(below))), None)


_Settings = Iterable[tuple[str, str]]

_STORAGE = ("HEAD", "packed-refs", "shallow", "objects", "refs", "reftable")
_LINKED = ("refs", "reftable", "packed-refs", "logs")
_PART_OF_OBJECTS = lazy_re(r"[0-9a-f]{2}|pack")  # not `info`, whose `alternates` lead to other repositories
_MAX_COPIED = 2**24  # bytes
_PSEUDO = ("FETCH_HEAD", "ORIG_HEAD", "MERGE_HEAD")
_FORMAT = {"extensions.objectformat": {"sha1", "sha256"}, "extensions.refstorage": {"files", "reftable"}}
_UPSTREAM = lazy_re(r"branch\..+\.(?:remote|merge)|remote\..+\.fetch")  # what `main@{upstream}` means
_CREDENTIALS = lazy_re(r"http\.https://.+\.extraheader")  # as actions/checkout keeps the token: for one host
_INCLUDED = lazy_re(r"includeif\.gitdir:(/.+)\.path")
_FILTER = lazy_re(r"blob:none|tree:0|blob:limit=[0-9]+[kmg]?")


class GitDirectory:
    """Lives as long as it is referred to. Its `path` is what git is given as GIT_DIR."""

    def __init__(self, checkout: Checkout, process: GitProcess) -> None:
        self._checkout, self._process = checkout, process
        try:
            self.path, remove = make_folder("sitemap-action-git-")
            weakref.finalize(self, remove)
            self._require_plain([checkout.own / "HEAD", *(checkout.common / name for name in _STORAGE)])
            self._settings = process.config(checkout.common / "config")
            self.partial = ("remote.origin.promisor", "true") in self._settings
            self._kept_here = not os.access(checkout.common / "objects/pack", os.W_OK)
            self._fill()
        except OSError as error:
            hint = "let this user read the checkout and write to the temporary folder, or set baseline to a file"
            raise BaselineError(f"git cannot be used in {checkout.top}: {error.strerror}", hint=hint) from None

    def answer(self, *arguments: str, stdin: bytes = b"") -> GitAnswer:
        """How a command ended that reads what is here."""
        return self._process.answer(self.path, *arguments, top=self._checkout.top, stdin=stdin)

    def failure(self, answer: GitAnswer) -> BaselineError:
        """The error in git's own words, about the checkout instead of this directory."""
        # What git says may be a line of a file or an address: the credentials of the checkout are in neither.
        mask = Mask(value.rpartition(" ")[2] for _, value in self._credentials())
        why = answer.said(mask, {str(self.path): str(self._checkout.own)})
        hint = "check out again, whole (actions/checkout without filter); `git fsck` shows what is damaged"
        return BaselineError(f"git cannot read the repository of {self._checkout.top}: {why}", hint=hint)

    def records(self, *arguments: str, end: bytes = b"\0") -> Iterator[bytes]:
        """What such a command prints, in parts that `end` so, while it runs."""
        return self._process.records(self.path, *arguments, top=self._checkout.top, end=end)

    def fetch(self, *arguments: str) -> bool:
        """A fetch from `origin` to the checkout's own objects; where that cuts its history off is noted there.

        A checkout that cannot be written stays as it is: what is fetched is here, as long as this directory.
        """
        before = self._shallow()
        done = self.ask_remote(*arguments)
        return done.status == 0 and (self._kept_here or self._shallow() == before or self._store_shallow())

    def ask_remote(self, *arguments: str) -> GitAnswer:
        """How a command ended that reaches `origin`.

        Credentials are in a file that is gone afterwards, not in the environment of git's helpers.
        """
        network = self.path / "network"
        _write(network, self.network_settings())
        try:
            included = [("include.path", str(network))]
            return self._process.answer(self.path, *arguments, top=self._checkout.top, network=included)
        finally:
            network.unlink()

    def _require_plain(self, places: Iterable[Path]) -> None:
        """Raises BaselineError, which names the first link, pipe or device among objects and references (S-13)."""
        if odd := next(filter(None, map(_find_odd, places)), None):
            what = "a symbolic link" if odd.is_symlink() else "no regular file"
            shown = printable(os.path.relpath(odd, self._checkout.top))
            hint = "check out again; where a program of yours makes such links, let it make copies"
            raise BaselineError(f"git is not used here: {shown} is {what}, which could lead to other files", hint=hint)

    def _fill(self) -> None:
        here, own, common = self.path, self._checkout.own, self._checkout.common
        (here / "objects").mkdir()
        for entry in os.scandir(common / "objects"):
            if entry.name == "pack" and self._kept_here:
                (here / "objects/pack").mkdir()
                for pack in os.scandir(entry.path):
                    _link(here / "objects/pack" / pack.name, Path(pack.path))
            elif _PART_OF_OBJECTS.fullmatch(entry.name):
                _link(here / "objects" / entry.name, Path(entry.path))
        for name in _LINKED:
            if file_kind(common / name) != ABSENT and _find_odd(common / name) is None:
                _link(here / name, common / name)
        if file_kind(own / "index") == stat.S_IFREG:
            _link(here / "index", own / "index")
        for folder, name in ((own, "HEAD"), *((own, name) for name in _PSEUDO), (common, "shallow")):
            if file_kind(folder / name) == stat.S_IFREG and (folder / name).lstat().st_size <= _MAX_COPIED:
                shutil.copyfile(folder / name, here / name)
        _write(here / "config", self._read_settings())

    def _read_settings(self) -> Iterator[tuple[str, str]]:
        formats = [(key, value) for key, value in self._settings if value in _FORMAT.get(key, ())]
        yield "core.repositoryformatversion", "1" if formats else "0"
        yield "core.bare", "true"
        yield from formats
        yield from ((key, value) for key, value in self._settings if _UPSTREAM.fullmatch(key))

    def network_settings(self) -> Iterator[tuple[str, str]]:
        """Where `origin` is, how this machine gets there, and the credentials for it. Raises BaselineError."""
        given = dict(reversed(self._settings))  # of several addresses the first is fetched from
        yield from self._process.machine_network()
        yield from self._credentials()
        yield from judge_origin(given.get("remote.origin.url", ""), self._process.environment).items()
        if self.partial:
            kept = given.get("remote.origin.partialclonefilter", "")
            yield "remote.origin.promisor", "true"
            yield "remote.origin.partialclonefilter", kept if _FILTER.fullmatch(kept) else "blob:none"

    def _credentials(self) -> _Settings:
        """Those of the checkout, and of the file where actions/checkout 6 keeps them for it."""
        settings = [*self._settings]
        for key, value in self._settings:
            found = _INCLUDED.fullmatch(key)
            if found and Path(value).is_absolute() and os.path.realpath(found[1]) == str(self._checkout.common):
                settings += self._process.config(Path(value))
        return [(key, value) for key, value in settings if _CREDENTIALS.fullmatch(key)]

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


# --- where `origin` is ---

_SERVER = lazy_re(r"(https?)://[A-Za-z0-9.-]+(?::[0-9]+)?(?:/[A-Za-z0-9._~-]+)*")
_REPOSITORY = lazy_re(r"[A-Za-z0-9._-]+(?:/[A-Za-z0-9._-]+)+")
_SHORT = lazy_re(r"(?:[^@/:]+@)?(\[[^\]/]*\]|[^\[/:]+):")  # user@host:path, as ssh has it
_PORTS = {"https": 443, "http": 80}
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
    # What a CI says of its own server. GitHub's is not for the steps of a job to change.
    github = bool(environment.get("GITHUB_ACTIONS"))
    names = ("GITHUB_SERVER_URL",) if github else ("CI_SERVER_URL", *(row.repository for row in VARIABLES))
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
