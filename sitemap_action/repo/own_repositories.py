"""Bare repositories of our own, over which git works for one server's repository."""

import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from sitemap_action.errors import BaselineError, PublishError
from sitemap_action.model.object_id import OBJECT_ID
from sitemap_action.repo.git_process import GitAnswer, GitProcess
from sitemap_action.repo.git_server import GitServer
from sitemap_action.repo.own_folder import OwnFolder
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
