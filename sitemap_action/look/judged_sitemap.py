"""Which sitemap is judged: a committed one, or the one that a generator wrote; tracked by git or not decides.

Where there is no file, `comparison.py` takes what the crawled site declares.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from functools import cache, cached_property, partial
from itertools import chain
from pathlib import Path, PurePosixPath

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.config.schema import Config
from sitemap_action.disk.folder import Workspace
from sitemap_action.errors import BaselineError, UsageError
from sitemap_action.look.places import (
    is_sitemap,
    list_names,
    may_have_repository,
    path_inside,
    read_source,
    repository,
)
from sitemap_action.model.context import Context
from sitemap_action.repo.git import Git
from sitemap_action.robots.groups import MAX_BYTES, Profile, parse
from sitemap_action.setup.generator_configs import PLAIN, GeneratedSite
from sitemap_action.setup.generators import recognise
from sitemap_action.setup.project import Project
from sitemap_action.walk.folders import WorkTree, find_beside
from sitemap_action.web.urls import is_url


class Tracked:
    """Paths are relative to the workspace; of several repositories in it the first path's counts."""

    unanswered = ""  # why git does not say what the repository that is there tracks; "" where it does, or none is

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace

    def tracked_of(self, paths: Sequence[str]) -> frozenset[str] | None:
        """The paths that git tracks; None where there is no repository to ask, or no answer."""
        if not paths:
            return frozenset()
        if (git := self._repository(paths[0])) is None:
            return None
        named = {name: path for path in paths if (name := path_inside(git.top(), self._workspace, path))}
        found = self._list(git, named)
        return None if found is None else frozenset(path for name, path in named.items() if name in found)

    def has_files_in(self, folder: str) -> bool:
        """Whether it tracks anything in a folder."""
        git = self._repository(f"{folder}/file") if folder else None
        name = path_inside(git.top(), self._workspace, folder) if git else ""
        return bool(git and name and self._list(git, [name]))

    def _list(self, git: Git, names: Iterable[str]) -> frozenset[str] | None:
        names = [*names]
        try:
            return git.list_files(names) if names else frozenset()
        except BaselineError as error:
            self.unanswered = str(error)
            return None

    def _repository(self, path: str) -> Git | None:
        return self._workspace_repository or self._find((self._workspace / path).parent, path)

    @cached_property
    def _workspace_repository(self) -> Git | None:
        return self._find(self._workspace, "")

    def _find(self, folder: Path, path: str) -> Git | None:
        if not may_have_repository(folder):
            return None
        try:
            git = repository(self._workspace, path)
            if git.top():
                return git
            self.unanswered = git.refusal()
        except BaselineError as error:  # no git is installed, or it is not allowed here
            self.unanswered = str(error)
        return None


NAMES = ("sitemap.xml", "sitemap-index.xml", "sitemap_index.xml")
_COPIED = ("public", "static", "docs", "src/static")  # whose files generators copy into the build
_UNKNOWN_COPY = frozenset({"docs"})  # but for most generators that folder holds sources
_FOLDERS = 200  # of a build that are looked into
_DECLARED = 20  # lines of the build's robots.txt that are followed


class JudgedKind(StrEnum):
    """Whose sitemap question 1 is about."""

    COMMITTED = "committed"
    BUILT = "built"  # by a generator, and not committed
    SERVED = "served"  # no file: the one that the site declares (I-05)


class Judged(Struct, frozen=True):
    """The sitemap of question 1."""

    path: str  # in the workspace; as the command line has it where it names a build elsewhere; of a served one its URL
    kind: JudgedKind = JudgedKind.COMMITTED
    named: bool = False  # by the command line: it may lie outside of the workspace
    note: str = ""  # why it is this one, where a person may expect another

    @property
    def built(self) -> bool:
        return self.kind is JudgedKind.BUILT

    @property
    def served(self) -> bool:
        return self.kind is JudgedKind.SERVED


class BuildFolder(Struct, frozen=True):
    """The folder of the build; "" where the site is requested from a server."""

    workspace: Path
    path: str
    named: bool  # by the command line

    @property
    def inside(self) -> str:
        """Its path in the workspace; "" outside of it."""
        path = PurePosixPath(Path(self.path).as_posix())
        root = PurePosixPath(self.workspace.as_posix())
        if path.is_absolute() and path.is_relative_to(root):
            path = path.relative_to(root)
        return "" if not self.path or path.is_absolute() or ".." in path.parts else str(path)

    def holds(self, path: str) -> bool:
        return bool(self.path) and PurePosixPath(path).is_relative_to(self.inside or self.path)

    def address(self, path: str) -> str:
        """The address of a file of the build, relative to site-url."""
        return PurePosixPath(path).relative_to(self.inside or self.path).as_posix()

    def sitemap(self) -> str:
        """Path of the one in the build: that of its robots.txt, else a usual name; "" where there is none."""
        if (root := self.root()) is None:
            return ""
        names = chain(_declared_sitemaps(root), (name for name in NAMES if _is_file(root / name)))
        return next((str(PurePosixPath(self.inside or self.path) / name) for name in names), "")

    def other_sitemaps(self, known: Iterable[str]) -> tuple[str, ...]:
        """Sitemaps that its robots.txt names, and one in each folder at its top, as Docusaurus writes for languages.

        `known`: paths of those that are judged.
        """
        root = self.root()
        if root is None or not root.is_dir():
            return ()
        place, seen = PurePosixPath(self.inside or self.path), set(known)
        folders = sorted(entry.name for entry in os.scandir(root) if entry.is_dir() and not entry.name.startswith("."))
        usual = (f"{folder}/{NAMES[0]}" for folder in folders[:_FOLDERS] if _is_file(root / folder / NAMES[0]))
        names = dict.fromkeys((*_declared_sitemaps(root), *usual))
        return tuple(path for name in names if (path := str(place / name)) not in seen)

    def root(self) -> Path | None:
        """Where its files are read; None where they are not: whoever reads its pages says why."""
        if not self.path or self.named:
            return self.workspace / self.path if self.path else None
        try:
            return Workspace(self.workspace).folder_path(self.path)
        except OSError:
            return None


def _declared_sitemaps(root: Path) -> Iterator[str]:
    """Sitemaps of the build that its robots.txt names by their URLs."""
    try:
        robots = Workspace(root).read_head("robots.txt", MAX_BYTES)
    except OSError:
        return
    for _, text in parse(robots, Profile.GOOGLE).sitemaps[:_DECLARED]:
        try:
            found = find_beside("", text, WorkTree(root))
        except (BaselineError, ValueError):
            continue
        if found and is_sitemap(found[1]):
            yield found[0]


def usual_places(build: str) -> tuple[str, ...]:
    """Where a committed sitemap is looked for, nearest to the build first."""
    folders = _folders_above(build)
    return tuple(str(folder / copied / name) for folder in folders for copied in (*_COPIED, "") for name in NAMES)


def build_folder(config: Config, context: Context) -> BuildFolder:
    path = "" if config.source.url else config.source.path
    return BuildFolder(Path(context.workspace), path, context.names("source.path"))


def find_judged(config: Config, context: Context, theirs: str = "") -> Judged:
    """`theirs`: path of the target branch's sitemap, "" when it has none. Raises UsageError."""
    tracked = Tracked(Path(context.workspace))
    found = _find(config, context, theirs, tracked)
    if not tracked.unanswered:
        return found
    note = f"git cannot say which files are committed, so that their places tell: {tracked.unanswered}"
    return replace(found, note=note)


def _find(config: Config, context: Context, theirs: str, tracked: Tracked) -> Judged:
    workspace, build = Path(context.workspace), build_folder(config, context)
    if is_url(config.sitemap):
        return _served(config, context)
    if config.sitemap:
        built = config.sitemap != theirs and _is_built(config.sitemap, build, tracked)
        other = "" if config.sitemap == theirs or _is_file(workspace / config.sitemap) else build.sitemap()
        note = (
            f"{config.sitemap} does not exist, and {other} does: name that one, if it is meant" if other else ""
        )  # U-31
        return Judged(config.sitemap, _kind(built=built), context.names("sitemap"), note)
    places = [path for path in usual_places(build.inside) if _is_file(workspace / path)]
    committed = tracked.tracked_of(places)
    for path in places:  # it counts as committed where git says so, and where there is no git by its place
        if path in committed if committed is not None else not build.holds(path):
            return Judged(path)
    if found := build.sitemap():
        return Judged(found, _kind(built=_is_built(found, build, tracked)), build.named)
    if found := next(iter(places), ""):
        return Judged(found, JudgedKind.BUILT)
    return Judged(theirs) if theirs else _first_place(build, tracked)


def _kind(*, built: bool) -> JudgedKind:
    return JudgedKind.BUILT if built else JudgedKind.COMMITTED


def _served(config: Config, context: Context) -> Judged:
    """Raises UsageError where it would have to be written, or is not to be requested."""
    hint = "name a file of the workspace in sitemap"
    if context.mode.writes:
        raise UsageError(f"{config.sitemap} is served, and {context.mode} writes files", hint=hint)
    if context.access.offline:
        raise UsageError(f"--offline is given, and {config.sitemap} would be requested", hint=hint)
    return Judged(config.sitemap, JudgedKind.SERVED)


def _first_place(build: BuildFolder, tracked: Tracked) -> Judged:
    """Where the generator copies from, so that what is written there is deployed (B-06); else in the build (U-26)."""
    if build.inside == "." or tracked.has_files_in(build.inside):  # the files that are deployed are committed
        return Judged(str(PurePosixPath(build.inside) / NAMES[0]))
    if build.root() is None:  # no build, or one whose reader says why it is not read
        return Judged(NAMES[0])
    known = _generator_of(build)
    if known and known.copied is not None:
        return Judged(str(PurePosixPath(known.copied) / NAMES[0]))
    usual = [] if known else [one for one in _COPIED if one not in _UNKNOWN_COPY]
    for place in (folder / copied for folder in _folders_above(build.inside) for copied in usual):
        holds_build = PurePosixPath(build.inside).is_relative_to(place)
        there = os.path.isdir(build.workspace / place)  # noqa: PTH112 - `Path.is_dir` raises
        if there and not build.holds(str(place)) and not holds_build:
            return Judged(str(place / NAMES[0]))
    path = str(PurePosixPath(build.inside or build.path) / NAMES[0])
    note = f"there is no sitemap yet: a first one goes to {path}, which the next build removes"
    copied = f"{note}; to commit it, name in `sitemap` a file that the generator copies into the build"
    return Judged(path, JudgedKind.BUILT, build.named, copied)


def _generator_of(build: BuildFolder) -> GeneratedSite | None:
    """The generator that is set up to write this build, by a config in a folder above it."""
    workspace = Workspace(build.workspace)
    read, names = partial(read_source, workspace), cache(partial(list_names, workspace))
    places = (str(place).removeprefix(".") for place in _folders_above(build.inside))
    sites = (recognise(Project(place, read, names, lambda _path: True)).site for place in places)
    known = (site for site in sites if site and site.generator != PLAIN)
    return next((site for site in known if site.output.value == build.inside), None)


def _is_built(path: str, build: BuildFolder, tracked: Tracked) -> bool:
    """A file that is not there yet belongs to what git makes of the folder around it."""
    known = tracked.tracked_of([path])
    if known is None:
        return build.holds(path)
    if _is_file(build.workspace / path):
        return path not in known
    return build.holds(path) and not tracked.has_files_in(build.inside)


def _folders_above(build: str) -> tuple[PurePosixPath, ...]:
    return tuple(PurePosixPath(build).parents) or (PurePosixPath(),)


def _is_file(path: Path) -> bool:
    """Whether it is a file; a name that is too long for one is none."""
    return os.path.isfile(path)  # noqa: PTH113 - `Path.is_file` raises
