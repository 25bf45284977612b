"""Git repositories in the states that pull requests leave them in."""

import shutil
import subprocess
import tempfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
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


@cache
def _empty() -> tempfile.TemporaryDirectory[str]:
    """What `git init` makes, without its examples of hooks: copied, for a process costs more."""
    made = tempfile.TemporaryDirectory(prefix="sitemap-action-empty-")
    git(Path(made.name), "init", "-q", "-b", "main", "--template=")
    git(Path(made.name), "config", "uploadpack.allowAnySHA1InWant", "true")
    for name in ("hooks", "info"):
        Path(made.name, ".git", name).mkdir()
    return made


def create(directory: Path, origin: Path | None = None) -> Path:
    """An empty repository that serves any commit by its id, as forges do; `origin`: of which it is to be a clone."""
    shutil.copytree(_empty().name, directory, dirs_exist_ok=True)
    if origin:
        with (directory / ".git/config").open("a", encoding="utf-8") as config:
            config.write(
                f'[remote "origin"]\n\turl = {origin.as_uri()}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n'
            )
    return directory


def _commit(number: int, files: FILES, parents: Iterable[str], branch: str) -> str:
    """For fast-import. A parent is a commit's id, or the mark of one: ":1"."""
    who = "committer Test <test@example.com> now\n"
    lines = [f"commit refs/heads/{branch or _NAMELESS}\nmark :{number}\n{who}", _data(f"{len(files)} files")]
    lines += [f"{word} {parent}\n" for word, parent in zip(("from", *["merge"] * 9), parents, strict=False)]
    lines += ["deleteall\n", *(f"M 100644 inline {_quoted(path)}\n{_data(content)}" for path, content in files.items())]
    lines += ["" if branch else f"reset refs/heads/{_NAMELESS}\nfrom {'0' * 40}\n", f"get-mark :{number}\n"]
    return "".join(lines)


def _import(directory: Path, stream: str) -> list[str]:
    """The ids of its commits."""
    command = ("fast-import", "--quiet", "--force", "--date-format=now", "--cat-blob-fd=1")
    return git(directory, *command, given=stream).split()


def commit(directory: Path, files: FILES, *parents: str, branch: str = "") -> str:
    """A commit that holds exactly these files, whatever its parents hold."""
    (made,) = _import(directory, _commit(1, files, parents, branch))
    return made


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
    stream = _commit(1, base, (), "main") + _commit(2, head, [":1"], "topic")
    stream += _commit(3, main, [":1"], "main") if main is not None else "get-mark :1\n"
    stream += _commit(4, merge if merge is not None else head, [":3" if main is not None else ":1", ":2"], "")
    first, change, later, merged = _import(directory, f"{stream}reset refs/pull/12/merge\nfrom :4\n\n")
    return Origin(directory, first, later, change, merged)


def checkout(origin: Path, name: str, directory: Path, *, depth: int = 1) -> Path:
    """As actions/checkout does it; depth 0 is the whole history of every branch."""
    create(directory, origin)
    if depth:
        git(directory, "fetch", "-q", "--no-tags", f"--depth={depth}", "origin", f"+{name}:refs/remotes/pull/12/merge")
    else:
        git(
            directory, "fetch", "-q", "origin", "+refs/heads/*:refs/remotes/origin/*", f"+{name}:refs/remotes/pull/12/x"
        )
    git(directory, "checkout", "-q", "--force", name)
    return directory
