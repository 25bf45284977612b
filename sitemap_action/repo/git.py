"""A repository as git reads it: names, parents, files, history, a fetch.

A file of a commit is read along a verified path (S-14): the commit's id, its tree, each folder, the file, each hashed
here. Git itself compares no id with a content that it reads, so that whoever may write below `.git` would say what the
target branch has. Names are not verified: a reference is what the checkout says it is.
"""

import hashlib
import os
import sys
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from msgspec import Struct, field

from sitemap_action.errors import BaselineError
from sitemap_action.model.context import OBJECT_ID
from sitemap_action.model.wording import option
from sitemap_action.repo.git_directory import GitDirectory
from sitemap_action.repo.git_process import Checkout, GitProcess, NotTrustedError, find_checkout

_UNKNOWN = 1  # the status of a command that was asked for a name that there is not
_SYMLINK, _FOLDER = "120000", "40000"
_FILES = ("100644", "100755", "100664")
_REGULAR = (b"100644 ", b"100755 ")
_ALONE = ("-c", "fetch.negotiationAlgorithm=noop")  # what a partial clone has of a commit says nothing of its blobs
_FORMS = {40: "sha1", 64: "sha256"}  # characters of an id
_RENAMES = ("-M", "-l1000", "--no-ext-diff", "--no-textconv", "--ignore-submodules")
_LARGEST, _MOST_BYTES = 2**20, 2**28  # of a file, and of all files that are read at once
_FORGED = "check out again, and look for the step that changes `.git`: `git fsck` names what is damaged"


class FileDiff(NamedTuple):
    """A file that was added (A), deleted (D), edited (M) or renamed (R); "" for the side that has none."""

    status: str
    old: str  # path, relative to the root
    new: str
    old_blob: str
    new_blob: str


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
        return self._checkout.top if isinstance(self._checkout, Checkout) else None

    def refusal(self) -> str:
        """Why the repository that is there is not used; "" when it is, or there is none."""
        return str(self._checkout) if isinstance(self._checkout, NotTrustedError) else ""

    def commit(self, name: str) -> str | None:
        """The object id of a commit; None when the name is unknown here. A name that starts with `-` is no name."""
        if name.startswith("-"):
            return None
        answer = self._ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        return answer.decode().strip() or None

    def parents(self, commit: str) -> tuple[str, ...]:
        """The parents as the commit itself states them, so that a depth-1 clone still knows them."""
        return _stated(self._commit(commit), "parent ")

    def merge_base(self, commit: str, *others: str) -> str | None:
        """The newest commit that `commit` shares with any of the others; None when none is known here."""
        answer = self._run("merge-base", commit, *others) if others else None
        return answer.decode().split()[0] if answer else None

    def proven_merge_base(self, commit: str, other: str) -> str | None:
        """The merge base by commits that are hashed here; None where one of the histories is not whole, or has several.

        Both are object ids. Which commits there are git may say: one that it keeps back is missing as a parent.
        """
        listed = self._run("rev-list", commit, other) if {len(commit), len(other)} <= _FORMS.keys() else None
        printed = self._run("cat-file", "--batch", stdin=listed) if listed else None
        commits = ((name, text) for name, kind, text in _read_objects(printed or b"") if kind == "commit")
        known = {name: _stated(text, "parent ") for name, text in commits if text is not None}
        mine = _reach(known, [commit])
        theirs = _reach(known, [other], mine) if mine else None
        if not mine or theirs is None:
            return None
        shared = {parent for name in theirs for parent in known[name] if parent in mine} or ({other} & mine)
        best = shared - (_reach(known, [parent for name in shared for parent in known[name]]) or set())
        return best.pop() if len(best) == 1 else None

    def shallow(self) -> bool:
        """History is cut off somewhere."""
        return self._ask("rev-parse", "--is-shallow-repository") == b"true\n"

    def has(self, commit: str) -> bool:
        return self._run("cat-file", "-e", f"{commit}^{{commit}}") is not None

    def blob(self, commit: str, path: str) -> bytes | None:
        """The content of a file at a commit; None when there is no such file.

        Raises BaselineError for what is there and cannot be read: taken for absence, it would hide every removal.
        """
        found = self._entry(commit, path)
        if found is None:
            return None
        mode, name = found
        if mode == _SYMLINK:
            hint = f"name the file that it points to with {option('sitemap')}"
            raise BaselineError(f"{path} is a symbolic link at {commit[:12]}, and git does not follow it", hint=hint)
        content = self._content(name) if mode in _FILES else None
        if content is None:
            raise _unreadable(path, commit)
        return content

    def find_first(self, commit: str, paths: Sequence[str]) -> str:
        """The first of the paths that a commit has a file at; "" when it has none. Raises BaselineError."""
        return next((path for path in paths if (self._entry(commit, path) or (_FOLDER,))[0] != _FOLDER), "")

    def walk_files(self, commit: str) -> Iterator[str]:
        """Every regular file of a commit, folder by folder; each level of folders is read at once."""
        level = {"": self._root(commit)}
        while level and self._git_directory is not None:
            wanted = "".join(f"{tree}\n" for tree in {*level.values()} - self._trees.keys()).encode()
            answer = self._git_directory.answer("cat-file", "--batch", stdin=wanted)
            for name, kind, content in _read_objects(answer.output):
                if kind == "tree" and content is not None:
                    self._trees[name] = _read_tree(content, len(name) // 2)
            below = {}
            for folder, tree in level.items():
                if (entries := self._entries(tree)) is None:
                    raise _unreadable(folder or "the files", commit)
                for part, (mode, name) in entries.items():
                    path = f"{folder}{os.fsdecode(part)}"
                    if mode == _FOLDER:
                        below[f"{path}/"] = name
                    elif mode in _FILES:
                        yield path
            level = below

    def _entry(self, commit: str, path: str) -> tuple[str, str] | None:
        """(mode, id) of what a commit has at a path; None when it has nothing there."""
        parts = PurePosixPath(path).parts
        found = (_FOLDER, self._root(commit, parts))
        for number, part in enumerate(parts):
            if found[0] != _FOLDER:
                return None
            if (entries := self._entries(found[1], parts[number:])) is None:
                raise _unreadable(path, commit)
            below = entries.get(os.fsencode(part))
            if below is None:
                return None
            found = below
        return found

    def _root(self, commit: str, parts: Sequence[str] = ()) -> str:
        """The id of a commit's files; "" where it is not here, or names them by what is no id."""
        tree = next(iter(_stated(self._commit(commit, parts), "tree ")), "")
        return tree if OBJECT_ID.fullmatch(tree) else ""

    def _commit(self, commit: str, parts: Sequence[str] = ()) -> bytes:
        """The text of a commit, read once; b"" where it is not here, which a fetch may change."""
        if commit not in self._commits:
            name = commit if OBJECT_ID.fullmatch(commit) else self.commit(commit)
            text = self._object("commit", name, parts) if name else None
            if not text:
                return b""
            self._commits[commit] = text
        return self._commits[commit]

    @cached_property
    def _commits(self) -> dict[str, bytes]:
        return {}

    def _entries(self, tree: str, parts: Sequence[str] = ()) -> Mapping[bytes, tuple[str, str]] | None:
        if tree not in self._trees:
            content = self._object("tree", tree, parts) if tree else None
            if content is None:
                return None
            self._trees[tree] = _read_tree(content, len(tree) // 2)
        return self._trees[tree]

    @cached_property
    def _trees(self) -> dict[str, Mapping[bytes, tuple[str, str]]]:
        return {}

    def _content(self, blob: str) -> bytes | None:
        """A partial clone has promised the blobs that it lacks, and they are asked for here, not by git on its own."""
        content = self._object("blob", blob)
        partial = self._git_directory is not None and self._git_directory.partial
        if content is None and partial and self._fetch(blob, _ALONE, "--filter=blob:none"):
            content = self._object("blob", blob)
        return content

    def _object(self, kind: str, name: str, parts: Sequence[str] = ()) -> bytes | None:
        """The content that an id stands for, hashed here; None where it is not here. Raises BaselineError.

        `parts`: of a path below it, of which git prints what it has, too: a process for each costs more. It is taken
        by the ids that the walk finds, and by nothing that git says of it.
        """
        if self._git_directory is None:
            return None
        if self._ahead.get(name, ("",))[0] == kind:
            return self._ahead.pop(name)[1]
        below = [] if "\n" in "".join(parts) else ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
        root = [f"{name}^{{tree}}"] if kind == "commit" and below else []
        asked = "".join(f"{one}\n" for one in (name, *root, *(f"{name}:{path}" for path in below)))
        answer = self._git_directory.answer("cat-file", "--batch", stdin=os.fsencode(asked))
        if answer.status != 0 and below:
            return self._object(kind, name)
        objects = _read_objects(answer.output)
        found = next(objects, None)
        self._ahead.update({one: (what, content) for one, what, content in objects if content is not None})
        if answer.status != 0 or found is None:  # `ID missing`; a damaged one ends git
            if answer.status == 0 or b"missing" in answer.errors:
                return None
            raise self._git_directory.failure(answer)
        *what, content = found
        if content is None or what != [name, kind]:
            where = self.top()
            raise BaselineError(
                f"the {kind} {name[:12]} is not what its id says, in {where}: it was rewritten", hint=_FORGED
            )
        return content

    @cached_property
    def _ahead(self) -> dict[str, tuple[str, bytes]]:
        """Id → kind and content of what git has printed before it was asked for."""
        return {}

    def find_tracked(self, paths: Iterable[str]) -> str:
        """The first of the paths that HEAD has, or that lies in a submodule; "" when there is none.

        `paths` are relative to the root. Letter case counts where the file system distinguishes it.
        """
        listed = self._tree("--name-only") or b""
        fold = str.casefold if sys.platform in {"darwin", "win32"} else str
        known = {fold(name) for name in os.fsdecode(listed).split("\0")}
        for path in paths:
            if any(fold(place.as_posix()) in known for place in (PurePosixPath(path), *PurePosixPath(path).parents)):
                return path
        return ""

    def list_files(self, paths: Iterable[str]) -> frozenset[str]:
        """The files that these paths name, or that are below them, in the index; `paths` are relative to the root."""
        if self._git_directory is None:
            return frozenset()
        index = self._git_directory.answer("ls-files", "--cached", "-z", "--", *paths)
        if index.status == 0:
            return _names(index.output)
        found = self._tree("--name-only", paths=paths)
        if found is None:  # damaged; where there is a commit, only its own repository may be able to read it
            raise self._git_directory.failure(index)
        return _names(found)

    def regular_files(self) -> tuple[str, ...]:
        """All that HEAD has, relative to the root; no link and nothing of a submodule."""
        listed = self._tree() or b""
        rows = (row.partition(b"\t") for row in listed.split(b"\0") if row.startswith(_REGULAR))
        return tuple(os.fsdecode(name) for _, _, name in rows)

    def list_changes(self, commit: str) -> Iterator[FileDiff]:
        """Regular files that differ between a commit and the index, with renames. Raises BaselineError."""
        fields = iter(self._ask("diff-index", "--cached", "--raw", "-z", *_RENAMES, commit, "--").split(b"\0"))
        for head in filter(None, fields):
            old_mode, new_mode, old_blob, new_blob, status = head.decode(errors="replace").lstrip(":").split(" ")
            old = os.fsdecode(next(fields))
            new = os.fsdecode(next(fields)) if status.startswith("R") else old
            found = FileDiff(status[0], old, new, old_blob, new_blob)
            if {old_mode, new_mode} <= {*_FILES, "000000"}:
                yield found._replace(old="" if status == "A" else old, new="" if status == "D" else new)

    def read_blobs(self, blobs: Iterable[str]) -> Mapping[str, bytes]:
        """Id → content, each hashed here; what is missing or too large is left out."""
        names = "".join(f"{blob}\n" for blob in dict.fromkeys(blobs)).encode()
        listed = (self._run("cat-file", "--batch-check", stdin=names) or b"").decode(errors="replace")
        wanted, left = [], _MOST_BYTES
        for name, *rest in map(str.split, listed.splitlines()):
            size = int(rest[1]) if rest[:1] == ["blob"] else left + 1
            if size <= min(left, _LARGEST):
                wanted.append(f"{name}\n")
                left -= size
        printed = self._run("cat-file", "--batch", stdin="".join(wanted).encode()) if wanted else None
        return {name: content for name, _, content in _read_objects(printed or b"") if content is not None}

    def records(self, *arguments: str, end: bytes = b"\0") -> Generator[bytes, None, None]:
        """What a command prints, in parts that `end` so, while it runs; nothing outside of a checkout.

        Raises BaselineError.
        """
        if self._git_directory:
            yield from self._git_directory.records(*arguments, end=end)

    def branches(self) -> tuple[str, str]:
        """The default branch of `origin`, and the one that is checked out; "" for what is not known."""
        prefix = b"refs/remotes/origin/"
        default = self._ask("symbolic-ref", "--quiet", prefix.decode() + "HEAD")
        here = self._ask("symbolic-ref", "--quiet", "HEAD")
        names = (default.strip().removeprefix(prefix), here.strip().removeprefix(b"refs/heads/"))
        return os.fsdecode(names[0]), os.fsdecode(names[1])

    def origin(self) -> str:
        """The address of the remote `origin`, as its configuration has it; "" without one."""
        found = self._checkout
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

    def branch_tip(self, branch: str) -> str:
        """The newest commit of a branch of `origin`, fetched; "" stands for its default one, and for no answer."""
        if self.offline or self._git_directory is None:
            return ""
        name = f"refs/heads/{branch}" if branch else "HEAD"
        answer = self._git_directory.ask_remote("ls-remote", "--quiet", "origin", name)
        rows = (line.split("\t") for line in os.fsdecode(answer.output).splitlines() if answer.status == 0)
        found = next((commit for commit, *names in rows if names == [name] and OBJECT_ID.fullmatch(commit)), "")
        return found if found and (self.has(found) or self.fetch(found)) else ""

    def _fetch(self, name: str, settings: tuple[str, ...], *options: str) -> bool:
        command = (*settings, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", *options, "origin", name)
        return not self.offline and self._git_directory is not None and self._git_directory.fetch(*command)

    def _tree(self, *options: str, paths: Iterable[str] = ()) -> bytes | None:
        """The records of all that HEAD has; None in a repository without a commit."""
        if self._git_directory is None:
            return None
        answer = self._git_directory.answer("ls-tree", "-r", "-z", "--full-tree", *options, "HEAD", "--", *paths)
        if answer.status == 0:
            return answer.output
        if not self._ask("rev-parse", "--verify", "--quiet", "HEAD"):
            return None
        raise self._git_directory.failure(answer)

    def _run(self, *arguments: str, stdin: bytes = b"") -> bytes | None:
        """What the command printed; None when it failed, and outside of a checkout."""
        answer = self._git_directory.answer(*arguments, stdin=stdin) if self._git_directory else None
        return answer.output if answer and answer.status == 0 else None

    def _ask(self, *arguments: str) -> bytes:
        """What a command printed that ends with 1 where there is no such name: b"" then, and outside of a checkout."""
        if self._git_directory is None:
            return b""
        answer = self._git_directory.answer(*arguments)
        if answer.status not in (0, _UNKNOWN):
            raise self._git_directory.failure(answer)
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
    def _checkout(self) -> Checkout | NotTrustedError | None:
        self._process.program()
        try:
            return find_checkout(self.directory, self._last, self._process)
        except NotTrustedError as error:
            return error

    @cached_property
    def _git_directory(self) -> GitDirectory | None:
        return GitDirectory(self._checkout, self._process) if isinstance(self._checkout, Checkout) else None


def _unreadable(path: str, commit: str) -> BaselineError:
    hint = "check out with history and files (actions/checkout without filter), or set baseline to a file"
    return BaselineError(f"git cannot read {path} at {commit[:12]}", hint=hint)


def _read_tree(content: bytes, size: int) -> Mapping[bytes, tuple[str, str]]:
    """Name → (mode, id), of a tree whose hash is its id; `size`: bytes of an id."""
    found, position = {}, 0
    while (end := content.find(b"\0", position)) >= 0:
        mode, _, name = content[position:end].partition(b" ")
        position = end + 1 + size
        found[name] = mode.decode(errors="replace"), content[end + 1 : position].hex()
    return found


def _stated(commit: bytes, key: str) -> tuple[str, ...]:
    """The values of a key in the lines of a commit before its message."""
    header = commit.partition(b"\n\n")[0].decode(errors="replace").split("\n")
    return tuple(line.removeprefix(key) for line in header if line.startswith(key))


def _read_objects(output: bytes) -> Iterator[tuple[str, str, bytes | None]]:
    """Id, kind and content of each object that `cat-file --batch` printed, up to one that is missing.

    The content is None where its hash is not the id.
    """
    position = 0
    while (end := output.find(b"\n", position)) >= 0:
        words = output[position:end].decode(errors="replace").split(" ")
        if len(words) != 3 or not words[2].isdigit():  # a name with a space is missing
            break
        content = output[end + 1 : end + 1 + int(words[2])]
        position = end + 2 + len(content)
        name, kind, _ = words
        whole = len(name) in _FORMS and _hash(name, kind.encode(), content) == name
        yield name, kind, content if whole else None


def _reach(known: Mapping[str, tuple[str, ...]], starts: Iterable[str], stops: Collection[str] = ()) -> set[str] | None:
    """The commits and all before them, but what is in `stops`; None where one of them is not known."""
    found, left = set(), [*starts]
    while left:
        name = left.pop()
        if name in found or name in stops:
            continue
        if name not in known:
            return None
        found.add(name)
        left += known[name]
    return found


def _hash(name: str, kind: bytes, content: bytes) -> str:
    """The id that an object has, by the function that made this one."""
    return hashlib.new(_FORMS[len(name)], b"%b %d\0%b" % (kind, len(content), content)).hexdigest()


def _names(records: bytes) -> frozenset[str]:
    return frozenset(os.fsdecode(records).split("\0")) - {""}


def find_head(workspace: Path) -> str:
    """The commit of HEAD; "" where there is none, and where git cannot say."""
    try:
        return Git(workspace).commit("HEAD") or ""
    except BaselineError:
        return ""
