"""A bare git repository as GitHub keeps it: objects made by git's plumbing, references moved by compare and swap."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

NOTHING = "0" * 40
_SIGNATURE = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n made by the fake of GitHub\n -----END PGP SIGNATURE-----\n"

_WRONG = {"", ".", "..", ".git"}
_CONFIG = """[http]
	receivepack = true
[uploadpack]
	allowAnySHA1InWant = true
[receive]
	hideRefs = refs/pull
	autogc = false
[gc]
	auto = 0
"""
_HOOK = r"""#!/bin/sh
# What protects a branch lies in protection/BRANCH: who may go round it, and what GitHub answers everybody else.
rule="$GIT_DIR/protection/${1#refs/heads/}"
[ -f "$rule" ] || exit 0
while read -r login; do [ "$login" = "$FORGE_LOGIN" ] && exit 0; done <"$rule.bypass"
cat "$rule" >&2
exit 1
"""


class Person(NamedTuple):
    """Author or committer."""

    name: str
    email: str
    date: str = "1767225600 +0000"

    @property
    def line(self) -> str:
        return f"{self.name} <{self.email}> {self.date}"


TEST = Person("Test", "test@example.com")


class RefMovedError(Exception):
    """The reference is no longer where it was when it was read."""


class ObjectError(Exception):
    """Git does not make this object."""


class Entry(NamedTuple):
    """A line of a tree, or of what changes in it; without a name the path goes."""

    path: str
    name: str | None
    mode: str = "100644"


@dataclass(frozen=True)
class Protection:
    """Why a branch is not written to."""

    message: str  # "Changes must be made through a pull request."
    ruleset: bool
    bypass: tuple[str, ...] = ()


class Repository:
    def __init__(self, directory: Path, full_name: str, web: str, copied: "Repository | None" = None) -> None:
        self.directory, self.full_name = directory, full_name
        self.owner, self.name = full_name.split("/")
        self.web = f"{web}/{full_name}"
        self.private = False
        self.default_branch = "main"
        self.protected: dict[str, Protection] = {}
        self.after_move: Callable[[], None] = lambda: None
        if copied:
            shutil.copytree(copied.directory, directory)
            return
        directory.mkdir(parents=True)
        self.git("init", "--quiet", "--bare", "--template=", "--initial-branch=main")
        with (directory / "config").open("a") as config:
            config.write(_CONFIG)
        (directory / "protection").mkdir()
        hook = directory / "hooks/update"
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(_HOOK)
        hook.chmod(0o755)

    def git(self, *arguments: str, given: bytes = b"", env: Mapping[str, str] | None = None) -> bytes:
        """What git printed. Raises ObjectError with what it said when it failed."""
        command = ["git", f"--git-dir={self.directory}", *arguments]
        done = subprocess.run(command, input=given, capture_output=True, check=False, env={**os.environ, **(env or {})})
        if done.returncode:
            raise ObjectError(done.stderr.decode(errors="replace").strip())
        return done.stdout

    def ask(self, *arguments: str) -> str:
        """What git printed, or "" when it failed."""
        try:
            return self.git(*arguments).decode(errors="replace").strip()
        except ObjectError:
            return ""

    # Reading

    def head(self, branch: str = "main") -> str:
        """The commit that a branch names; "" without such a branch."""
        return self.ref(f"refs/heads/{branch}")

    def ref(self, name: str) -> str:
        return self.ask("rev-parse", "--verify", "--quiet", name)

    def refs(self, prefix: str) -> dict[str, str]:
        lines = self.ask("for-each-ref", "--format=%(refname) %(objectname)", prefix).splitlines()
        return dict(line.split(" ") for line in lines)

    def kind(self, name: str) -> str:
        """`blob`, `tree`, `commit`, `tag`; "" when there is no such object."""
        return self.ask("cat-file", "-t", name)

    def commit_of(self, name: str) -> str:
        """A branch, a tag or an object name, as GitHub resolves it."""
        for candidate in (f"refs/heads/{name}", f"refs/tags/{name}", name):
            if found := self.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{candidate}^{{commit}}"):
                return found
        return ""

    def blob(self, name: str) -> bytes:
        return self.git("cat-file", "blob", name)

    def read(self, path: str, at: str = "main") -> bytes | None:
        """A file of a branch or commit; None without it."""
        found = self.entry(self.commit_of(at), path)
        return self.blob(found.name) if found and found.name else None

    def files(self, at: str = "main") -> dict[str, bytes]:
        entries = self.tree(self.commit_of(at), recursive=True)
        return {entry.path: self.blob(entry.name) for entry in entries if entry.name}

    def tree(self, name: str, *, recursive: bool = False) -> list[Entry]:
        listed = self.git("ls-tree", "-z", *(["-r"] if recursive else []), name).decode()
        return [self._entry(line) for line in listed.split("\0") if line]

    def entry(self, commit: str, path: str) -> Entry | None:
        if _WRONG & set(path.lower().split("/")):
            return None
        listed = self.git("--literal-pathspecs", "ls-tree", "-z", commit, "--", path).decode()
        return next((self._entry(line) for line in listed.split("\0") if line), None)

    @staticmethod
    def _entry(line: str) -> Entry:
        head, _, path = line.partition("\t")
        mode, _, name = head.split(" ")
        return Entry(path, name, mode)

    def parents(self, commit: str) -> list[str]:
        return self.ask("rev-list", "--parents", "-1", commit).split()[1:]

    def is_ancestor(self, old: str, new: str) -> bool:
        return self.ask("merge-base", old, new) == old

    def log(self, *range_: str) -> list[str]:
        """Commits, newest first."""
        return self.ask("rev-list", *range_).splitlines()

    def message(self, commit: str) -> str:
        return self.git("log", "-1", "--format=%B", commit).decode().rstrip("\n")

    def signed(self, commit: str) -> bool:
        return b"\ngpgsig " in self.git("cat-file", "commit", commit).partition(b"\n\n")[0]

    # Making objects

    def make_blob(self, content: bytes) -> str:
        return self.git("hash-object", "-w", "--stdin", given=content).decode().strip()

    def make_tree(self, base: str, entries: Iterable[Entry]) -> str:
        """`base`: a tree or commit to start from; "" for none. Raises ObjectError for a path that is none."""
        index = self.directory / f"index-{os.urandom(6).hex()}"
        env = {"GIT_INDEX_FILE": str(index)}
        entries = list(entries)
        if wrong := [entry.path for entry in entries if _WRONG & set(entry.path.lower().split("/"))]:
            raise ObjectError(f"{wrong[0]} is no path")  # git itself passes over these
        lines = [f"{entry.mode if entry.name else '0'} {entry.name or NOTHING}\t{entry.path}\0" for entry in entries]
        try:
            self.git("read-tree", *([base] if base else ["--empty"]), env=env)
            self.git("update-index", "-z", "--add", "--replace", "--index-info", given="".join(lines).encode(), env=env)
            return self.git("write-tree", env=env).decode().strip()
        finally:
            index.unlink(missing_ok=True)

    def make_commit(
        self, tree: str, parents: Iterable[str], message: str, author: Person = TEST, committer: Person | None = None, *, signed: bool = False
    ) -> str:  # fmt: skip
        lines = [f"tree {tree}\n", *(f"parent {parent}\n" for parent in parents)]
        lines += [f"author {author.line}\n", f"committer {(committer or author).line}\n", _SIGNATURE if signed else ""]
        text = f"{''.join(lines)}\n{message}"
        return self.git("hash-object", "-t", "commit", "-w", "--stdin", given=text.encode()).decode().strip()

    # Moving references

    def move(self, ref: str, new: str, old: str) -> None:
        """From `old` to `new`; NOTHING stands for no reference. Raises RefMovedError when it is elsewhere by now."""
        arguments = ["-d", ref, old] if new == NOTHING else [ref, new, old]
        try:
            self.git("update-ref", *arguments)
        except ObjectError as error:
            raise RefMovedError(str(error)) from None
        self.after_move()

    def commit(self, files: Mapping[str, str | bytes | None], branch: str = "main", *, message: str = "A person's change", author: Person = TEST) -> str:  # fmt: skip
        """A person pushes: these files are added, changed or (None) deleted on the branch, which may be new."""
        old = self.head(branch)
        parent = old or self.head(self.default_branch)
        entries = [
            Entry(path, None if text is None else self.make_blob(text.encode() if isinstance(text, str) else text))
            for path, text in files.items()
        ]
        new = self.make_commit(self.make_tree(parent, entries), [parent] if parent else [], message, author)
        self.move(f"refs/heads/{branch}", new, old or NOTHING)
        return new

    # Protection

    def protect(self, branch: str = "main", message: str = "Changes must be made through a pull request.", *, ruleset: bool = False, bypass: tuple[str, ...] = ()) -> None:  # fmt: skip
        """A protected branch (GH006), or a ruleset (GH013); `bypass`: logins that may push all the same."""
        self.protected[branch] = Protection(message, ruleset, bypass)
        rule = self.directory / "protection" / branch
        rule.parent.mkdir(parents=True, exist_ok=True)
        if ruleset:
            review = f"Review all repository rules at {self.web}/rules?ref=refs%2Fheads%2F{branch.replace('/', '%2F')}"
            rule.write_text(
                f"error: GH013: Repository rule violations found for refs/heads/{branch}.\n{review}\n\n- {message}\n\n"
            )
        else:
            rule.write_text(f"error: GH006: Protected branch update failed for refs/heads/{branch}.\n\n- {message}\n")
        rule.with_name(rule.name + ".bypass").write_text("".join(f"{login}\n" for login in bypass))
