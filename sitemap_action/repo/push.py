"""Commits to a branch of GitHub by git: a shallow clone without files, one commit, and a push with a lease.

What is read is read by GitHub's API. The clone is a bare repository of our own in a temporary folder: it gets one
commit and its folders (`--depth=1 --filter=blob:none`), and `git fast-import` makes the new commit of them. No file is
checked out, so nothing that the repository has (attributes, filters, hooks, links) plays a part, and a large one costs
no more than its folders. A lease lets the push move the branch from the commit that was read, and from no other. The
token reaches git by its environment alone, and only for commands that reach the server. The user's checkout may be
shallow, detached or missing, and nothing in it changes.
"""

import base64
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from sitemap_action.errors import BaselineError, PublishError
from sitemap_action.model.context import OBJECT_ID, Forge
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.mask import Mask
from sitemap_action.model.step import FileChange
from sitemap_action.repo.git_directory import repository_address
from sitemap_action.repo.git_process import GitProcess, make_folder
from sitemap_action.repo.github import GitHubCommits, file_mode
from sitemap_action.repo.github_api import git_failure
from sitemap_action.web.printable import printable

_VERSION = lazy_re(rb"git version (\d+)\.(\d+)")
_OLDEST = (2, 31)  # the first that takes settings from the environment
_IDENTITY = "github-actions[bot] <41898282+github-actions[bot]@users.noreply.github.com>"
_MADE = "refs/heads/made"


class GitPush(GitHubCommits, frozen=True):
    """The branches of a repository, read by GitHub's API and written to by git."""

    process: GitProcess | None = None
    drafts = False

    def commit(self, branch: str, expected: str, message: str, changes: Sequence[FileChange]) -> str:
        """`expected` itself where nothing differs from it."""
        with self._open_clone(expected) as clone:  # which refuses what git cannot use, before anything is asked
            entries = self.entries(expected, [change.path for change in changes])
            made = clone.commit(message, changes, entries)
            if made != expected:
                clone.push(branch, expected, made)
            return made

    def replace(
        self, branch: str, expected: str | None, message: str, changes: Sequence[FileChange], parent: str
    ) -> str:
        with self._open_clone(parent) as clone:
            entries = self.entries(parent, [change.path for change in changes])
            made = clone.commit(message, changes, entries)
            if made == parent:  # a pull request without a difference is closed for good
                raise PublishError(
                    f"{branch} would have no change", hint="nothing is to be done: close the pull request"
                )
            clone.push(branch, expected, made)
            return made

    def signature(self) -> str:
        return _IDENTITY

    def delete(self, branch: str, expected: str) -> None:
        with self._open_clone(expected) as clone:
            clone.push(branch, expected, "")

    @contextmanager
    def _open_clone(self, commit: str) -> Iterator["_Clone"]:
        folder = Path(os.environ.get("GITHUB_WORKSPACE") or Path.cwd())  # programs of the workspace are not started
        process = self.process or GitProcess(folder, dict(os.environ))
        _require_version(process)
        place, remove = make_folder("sitemap-action-commit-")
        try:
            yield _Clone(self.api.forge, process, place, commit)
        finally:
            remove()


def _require_version(process: GitProcess) -> None:
    try:
        found = _VERSION.match(process.answer(Path("/"), "version").output)
    except BaselineError as error:
        raise PublishError(str(error), hint="install git, or use commit-method: api") from None
    if found and (int(found[1]), int(found[2])) < _OLDEST:
        what = f"git {int(found[1])}.{int(found[2])} is too old to push with a token"
        raise PublishError(what, hint="install git 2.31 or newer, or use commit-method: api")


class _Clone:
    """One commit of the server's repository, with its folders. Raises PublishError, TransientError included."""

    def __init__(self, forge: Forge, process: GitProcess, folder: Path, commit: str) -> None:
        if not OBJECT_ID.fullmatch(commit):
            raise PublishError(
                f"{printable(commit)[:80]} is no object id", hint="name the commit by its whole object id"
            )
        self._forge, self._process, self._folder, self._parent = forge, process, folder, commit
        if not (address := repository_address(forge.server, forge.repository)):
            names = "GITHUB_SERVER_URL and GITHUB_REPOSITORY name the repository"
            hint = f"{names}, such as https://github.com and owner/name"
            raise PublishError("the address of the repository cannot be used for git", hint=hint)
        self._address = address
        kind = "sha256" if len(commit) == 64 else "sha1"
        self._run("init", "--quiet", "--bare", "--template=", f"--object-format={kind}")
        options = ("--quiet", "--no-tags", "--no-write-fetch-head", "--depth=1", "--filter=blob:none")
        self._reach(f"read {commit[:12]}", "fetch", *options, "origin", commit)

    def commit(self, message: str, changes: Sequence[FileChange], entries: Mapping[str, tuple[str, str]]) -> str:
        """The object id of a commit on this one; of this one, where nothing differs. `entries`: what it has there."""
        text = message.replace("\0", "").rstrip().encode(errors="replace") + b"\n"
        stream = [
            f"commit {_MADE}\ncommitter {_IDENTITY} now\n".encode(),
            _data(text),
            f"from {self._parent}\n".encode(),
        ]
        for change in changes:
            mode, path = file_mode(change.path, entries), _quote(change.path)
            if change.content is None:
                stream.append(b"D %b\n" % path)
            else:
                stream += [b"M %b inline %b\n" % (mode.encode(), path), _data(change.content)]
        self._run("fast-import", "--quiet", "--date-format=now", stdin=b"".join(stream))
        names = self._run("rev-parse", _MADE, f"{_MADE}^{{tree}}", f"{self._parent}^{{tree}}")
        made, tree, before = names.decode().split()
        return self._parent if tree == before else made

    def push(self, branch: str, expected: str | None, made: str) -> None:
        """Move the branch from `expected`, and from nothing else; made = "" deletes it."""
        reference = f"refs/heads/{branch}"
        options = ("--porcelain", "--no-verify", "--no-thin", f"--force-with-lease={reference}:{expected or ''}")
        self._reach(f"push to {branch}", "push", *options, "origin", f"{made}:{reference}")

    def _run(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """What a command printed that reaches no server, and has to succeed."""
        done = self._process.answer(self._folder, *arguments, stdin=stdin)
        if done.status != 0:
            raise PublishError(
                f"git {arguments[0]} failed: {done.said(Mask([self._forge.token]))}",
                hint="free some space, or use commit-method: api",
            )
        return done.output

    def _reach(self, what: str, command: str, *arguments: str) -> None:
        """Run a command that reaches the server: with the token, and with an empty home."""
        server, home = self._forge.server, str(self._folder)
        basic = base64.b64encode(f"x-access-token:{self._forge.token}".encode()).decode()
        settings = [
            *self._process.machine_network(),
            ("remote.origin.url", self._address),
            (f"http.{server}/.extraheader", f"AUTHORIZATION: basic {basic}"),
            ("http.followRedirects", "false"),  # nor are another server's objects fetched
            ("http.lowSpeedLimit", "1"),
            ("http.lowSpeedTime", "60"),
            ("protocol.version", "2"),
        ]
        if command == "fetch":  # a push would ask for what was left out, to send differences from it
            settings += [("remote.origin.promisor", "true"), ("remote.origin.partialclonefilter", "blob:none")]
        variables = {"GIT_ALLOW_PROTOCOL": server.partition(":")[0], "HOME": home, "USERPROFILE": home}
        done = self._process.answer(self._folder, command, *arguments, network=settings, variables=variables)
        if done.status != 0:
            mask = Mask([basic, self._forge.token])
            output, errors = (mask(printed.decode(errors="replace")) for printed in (done.output, done.errors))
            raise git_failure(f"{server} ({self._forge.repository}): {what}", done.status, output, errors)


def _data(content: bytes) -> bytes:
    return b"data %d\n%b\n" % (len(content), content)


def _quote(path: str) -> bytes:
    """A path as `fast-import` reads it; it is printable (`path_places`)."""
    escaped = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'.encode()
