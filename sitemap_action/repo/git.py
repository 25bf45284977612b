"""Git's plumbing commands, for the checkout that a folder belongs to."""

import os
import re
import sys
from collections.abc import Generator, Iterable
from contextlib import closing
from functools import cached_property
from pathlib import Path, PurePosixPath

from msgspec import Struct, field

from sitemap_action.errors import BaselineError
from sitemap_action.model.context import OBJECT_ID
from sitemap_action.model.wording import option
from sitemap_action.repo.git_process import GitProcess
from sitemap_action.repo.git_view import Checkout, GitView, NotTrustedError, find_checkout

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
        return self._found.top if isinstance(self._found, Checkout) else None

    def refusal(self) -> str:
        """Why the repository that is there is not used; "" when it is, or there is none."""
        return str(self._found) if isinstance(self._found, NotTrustedError) else ""

    def commit(self, name: str) -> str | None:
        """The object id of a commit; None when the name is unknown here. A name that starts with `-` is no name."""
        if name.startswith("-"):
            return None
        answer = self._known("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
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
        return self._known("rev-parse", "--is-shallow-repository") == b"true\n"

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
        partial = self._view is not None and self._view.partial
        if content is None and partial and self._fetch(blob, _ALONE, "--filter=blob:none"):
            content = self._run("cat-file", "blob", blob)
        return content

    def tracked(self, paths: Iterable[str]) -> str:
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

    def listed(self, paths: Iterable[str], commit: str = "") -> frozenset[str]:
        """The files that these paths name, or that are below them: at a commit, without one in the index.

        `paths` are relative to the root.
        """
        if self._view is None:
            return frozenset()
        index = None if commit else self._view.answer("ls-files", "--cached", "-z", "--", *paths)
        if index and index.status == 0:
            return _names(index.output)
        found = self._tree(commit or "HEAD", "--name-only", paths=paths)
        if index and found is None:  # damaged; where there is a commit, only its own repository may be able to read it
            raise self._view.failure(index)
        return _names(found or b"")

    def regular_files(self) -> tuple[str, ...]:
        """All that HEAD has, relative to the root; no link and nothing of a submodule."""
        listed = self._tree("HEAD") or b""
        rows = (row.partition(b"\t") for row in listed.split(b"\0") if row.startswith(_REGULAR))
        return tuple(os.fsdecode(name) for _, _, name in rows)

    def records(self, *arguments: str) -> Generator[bytes, None, None]:
        """What a command prints, by its NULs, while it runs; nothing outside of a checkout. Raises BaselineError."""
        if self._view:
            yield from self._view.records(*arguments)

    def branches(self) -> tuple[str, str]:
        """The default branch of `origin`, and the one that is checked out; "" for what is not known."""
        prefix = b"refs/remotes/origin/"
        default = self._known("symbolic-ref", "--quiet", prefix.decode() + "HEAD")
        here = self._known("symbolic-ref", "--quiet", "HEAD")
        names = (default.strip().removeprefix(prefix), here.strip().removeprefix(b"refs/heads/"))
        return os.fsdecode(names[0]), os.fsdecode(names[1])

    def origin(self) -> str:
        """The address of the remote `origin`, as its configuration has it; "" without one."""
        found = self._found
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
        return not self.offline and self._view is not None and self._view.fetch(*command)

    def _tree(self, commit: str, *options: str, paths: Iterable[str] = ()) -> bytes | None:
        """The records of all that a commit has; None for the HEAD of a repository without a commit."""
        if self._view is None:
            return None
        answer = self._view.answer("ls-tree", "-r", "-z", "--full-tree", *options, commit, "--", *paths)
        if answer.status == 0:
            return answer.output
        if commit == "HEAD" and not self._known("rev-parse", "--verify", "--quiet", "HEAD"):
            return None
        raise self._view.failure(answer)

    def _run(self, *arguments: str) -> bytes | None:
        """What the command printed; None when it failed, and outside of a checkout."""
        answer = self._view.answer(*arguments) if self._view else None
        return answer.output if answer and answer.status == 0 else None

    def _known(self, *arguments: str) -> bytes:
        """What a command printed that ends with 1 where there is no such name: b"" then, and outside of a checkout."""
        if self._view is None:
            return b""
        answer = self._view.answer(*arguments)
        if answer.status not in (0, _UNKNOWN):
            raise self._view.failure(answer)
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
    def _found(self) -> Checkout | NotTrustedError | None:
        self._process.program()
        try:
            return find_checkout(self.directory, self._last, self._process)
        except NotTrustedError as error:
            return error

    @cached_property
    def _view(self) -> GitView | None:
        return GitView(self._found, self._process) if isinstance(self._found, Checkout) else None


def _names(records: bytes) -> frozenset[str]:
    return frozenset(os.fsdecode(records).split("\0")) - {""}


def checked_out(workspace: Path) -> str:
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
