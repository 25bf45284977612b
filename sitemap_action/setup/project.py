"""The repository as `init` reads it: bounded files of one folder, and what they state, each with its place."""

import re
from collections.abc import Callable
from posixpath import normpath
from typing import NamedTuple

from msgspec import Struct, field

MAX_FILE = 256 * 1024
"""Bytes of a file that is looked into."""

_SAFE_PATH = re.compile(r"(?!-)[\w.@+-]+(?:/(?!-)[\w.@+-]+)*", re.ASCII)
_CLOSED = frozenset({".git", ".github"})
_SAFE_WORD = re.compile(r"(?!-)[\w.:@+-]+", re.ASCII)


class Stated(NamedTuple):
    """What a file says, and where."""

    value: str
    where: str  # file:line, or a file


class SourceFile(NamedTuple):
    path: str  # in the repository
    text: str

    def line(self, offset: int) -> str:
        """The place of a character."""
        return f"{self.path}:{self.text.count(chr(10), 0, offset) + 1}"


class Project(Struct, frozen=True):
    """The folder of the repository in which a site's sources are; paths that are passed in are relative to it."""

    folder: str  # "" is the top of the repository
    read: Callable[[str], bytes | None]  # at most one byte more than MAX_FILE; None where there is no regular file
    names: Callable[[str], frozenset[str]]  # of the entries of a folder; none where there is no folder
    tracked: Callable[[str], bool]  # by git, or there is no git to ask
    problems: list[str] = field(default_factory=list)  # sentences on files that could not be used

    def at(self, *names: str) -> str:
        """A path in the repository."""
        path = normpath("/".join(name for name in (self.folder, *names) if name) or ".")
        return "" if path == "." else path

    def has(self, path: str) -> bool:
        parent, _, name = self.at(path).rpartition("/")
        return name in self.names(parent)

    def first(self, *paths: str) -> SourceFile | None:
        """The first of these files that is there."""
        for path in paths:
            if self.has(path) and (data := self.read(self.at(path))) is not None:
                if len(data) > MAX_FILE:
                    self.report(f"{self.at(path)} is not read: it holds more than {MAX_FILE // 1024} KiB")
                    return SourceFile(self.at(path), "")
                return SourceFile(self.at(path), data.decode("utf-8-sig", errors="replace"))
        return None

    def report(self, sentence: str) -> None:
        if sentence not in self.problems:
            self.problems.append(sentence)

    def top(self) -> "Project":
        """The repository as the project."""
        return Project("", self.read, self.names, self.tracked, self.problems)

    def inside(self, folder: str) -> "Project":
        """One of its folders as the project."""
        return Project(self.at(folder), self.read, self.names, self.tracked, self.problems)

    def output(self, stated: Stated | None, default: str) -> Stated:
        """The folder that a build writes, as a path in the repository: as a file states it, or by default."""
        if stated is None:
            return Stated(self.at(default), "")
        path = self._resolved(stated.value)
        if path is not None and not _CLOSED & set(path.lower().split("/")):
            return Stated(path, stated.where)
        self.report(f"{stated.where}: the folder of the build cannot be used here; {default} is assumed")
        return Stated(self.at(default), "")

    def _resolved(self, text: str) -> str | None:
        """A folder as a path in the repository; None outside of it, and for one that needs quotes."""
        if path := safe_path(text):
            return self.at(path)
        above = text.strip().startswith("../")  # as VitePress in docs/ may have ../dist
        return (above and safe_path(self.at(text.strip().rstrip("/")))) or None


def safe_path(text: str) -> str:
    """A relative path that needs no quotes in a shell or in YAML; "" for every other text."""
    path = text.strip().removeprefix("./").rstrip("/")
    if path == ".":
        return "."
    return path if _SAFE_PATH.fullmatch(path) and ".." not in path.split("/") and len(path) < 200 else ""


def safe_branch(text: str) -> str:
    """A branch that stands for itself in the filter of a workflow; "" for every other text."""
    return text if re.fullmatch(r"(?!-)[\w./-]{1,200}", text, re.ASCII) else ""


def safe_word(text: str) -> str:
    """A name that needs no quotes; "" for every other text."""
    return text if _SAFE_WORD.fullmatch(text) and len(text) < 100 else ""
