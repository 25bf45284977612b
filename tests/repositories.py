"""Git repositories in the states that pull requests leave them in."""

import subprocess
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

FILES = Mapping[str, str]  # path → content; a whole tree


_NAMELESS = "nameless"  # a commit of no branch has one while it is made


def git(directory: Path, *arguments: str, given: str = "") -> str:
    command = ["git", "-C", str(directory), *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True, input=given)
    return done.stdout.strip()


def _data(content: str) -> str:
    return f"data {len(content.encode())}\n{content}\n"


def _quoted(path: str) -> str:
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def create(directory: Path) -> Path:
    """An empty repository that serves any commit by its id, as forges do."""
    directory.mkdir(parents=True)
    git(directory, "init", "-q", "-b", "main")
    git(directory, "config", "uploadpack.allowAnySHA1InWant", "true")
    return directory


def commit(directory: Path, files: FILES, *parents: str, branch: str = "") -> str:
    """A commit that holds exactly these files, whatever its parents hold."""
    who = "committer Test <test@example.com> now\n"
    lines = [f"commit refs/heads/{branch or _NAMELESS}\nmark :1\n{who}", _data(f"{len(files)} files")]
    lines += [f"{word} {parent}\n" for word, parent in zip(("from", *["merge"] * len(parents)), parents, strict=False)]
    lines += ["deleteall\n", *(f"M 100644 inline {_quoted(path)}\n{_data(content)}" for path, content in files.items())]
    lines += ["" if branch else f"reset refs/heads/{_NAMELESS}\nfrom {'0' * 40}\n", "get-mark :1\n"]
    stream = "".join(lines)
    return git(directory, "fast-import", "--quiet", "--force", "--date-format=now", "--cat-blob-fd=1", given=stream)


@dataclass(frozen=True, slots=True)
class Origin:
    """`main` went from `base` to `main`; a pull request branched off at `base`; `merge` is what is checked out."""

    directory: Path
    base: str
    main: str
    head: str
    merge: str


def forge_object(directory: Path, name: str, content: bytes, kind: str = "blob") -> None:
    """Other content under the id of a loose object; no reader of git's notices."""
    place = directory / ".git/objects" / name[:2] / name[2:]
    place.parent.mkdir(exist_ok=True)
    place.unlink(missing_ok=True)
    place.write_bytes(zlib.compress(f"{kind} {len(content)}\0".encode() + content))


def forge_from(directory: Path, name: str, other: str) -> None:
    """The content of another object under the id of one."""
    kind = git(directory, "cat-file", "-t", other)
    command = ["git", "-C", str(directory), "cat-file", kind, other]
    forge_object(directory, name, subprocess.run(command, check=True, capture_output=True).stdout, kind)


def pull_request(directory: Path, base: FILES, head: FILES, main: FILES | None = None, merge: FILES | None = None) -> Origin:  # fmt: skip
    create(directory)
    first = commit(directory, base, branch="main")
    change = commit(directory, head, first, branch="topic")
    later = commit(directory, main, first, branch="main") if main is not None else first
    merged = commit(directory, merge if merge is not None else head, later, change)
    git(directory, "update-ref", "refs/pull/12/merge", merged)
    return Origin(directory, first, later, change, merged)


def checkout(origin: Path, name: str, directory: Path, *, depth: int = 1) -> Path:
    """As actions/checkout does it; depth 0 is the whole history of every branch."""
    directory.mkdir()
    git(directory, "init", "-q")
    git(directory, "remote", "add", "origin", origin.as_uri())
    if depth:
        git(directory, "fetch", "-q", "--no-tags", f"--depth={depth}", "origin", f"+{name}:refs/remotes/pull/12/merge")
    else:
        git(
            directory, "fetch", "-q", "origin", "+refs/heads/*:refs/remotes/origin/*", f"+{name}:refs/remotes/pull/12/x"
        )
    git(directory, "checkout", "-q", "--force", name)
    return directory
