"""Which sitemap is judged: a committed one, or the one that a generator wrote; tracked by git or not decides."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from msgspec import Struct

from sitemap_action.baseline.tracked import Tracked
from sitemap_action.config.schema import Config
from sitemap_action.disk.workspace import Workspace
from sitemap_action.errors import BaselineError
from sitemap_action.loader.documents import is_sitemap
from sitemap_action.loader.stores import WorkTree, beside
from sitemap_action.model.context import Context
from sitemap_action.robots.groups import Profile, parse
from sitemap_action.robots.lines import MAX_BYTES

NAMES = ("sitemap.xml", "sitemap-index.xml", "sitemap_index.xml")
_COPIED = ("public", "static", "docs", "src/static")  # whose files generators copy into the build
_DECLARED = 20  # lines of the build's robots.txt that are followed


class Judged(Struct, frozen=True):
    """The sitemap of question 1."""

    path: str  # in the workspace; as the command line has it where it names a build elsewhere
    built: bool = False  # by a generator, and not committed
    named: bool = False  # by the command line: it may lie outside of the workspace
    choices: tuple[str, ...] = ()  # where a first one may be written, where the repository does not tell


class BuildFolder(Struct, frozen=True):
    """The folder of the build; "" where the site is requested from a server."""

    workspace: Path
    path: str
    named: bool  # by the command line

    @property
    def inside(self) -> str:
        """Its path in the workspace; "" outside of it."""
        path = PurePosixPath(self.path)
        root = PurePosixPath(self.workspace.as_posix())
        if path.is_absolute() and path.is_relative_to(root):
            path = path.relative_to(root)
        return "" if not self.path or path.is_absolute() or ".." in path.parts else str(path)

    def holds(self, path: str) -> bool:
        return bool(self.path) and PurePosixPath(path).is_relative_to(self.inside or self.path)

    def address(self, path: str) -> str:
        """Of a file of the build, relative to site-url."""
        return PurePosixPath(path).relative_to(self.inside or self.path).as_posix()

    def sitemap(self) -> str:
        """Path of the one in the build: that of its robots.txt, else a usual name; "" where there is none."""
        return next((str(PurePosixPath(self.inside or self.path) / name) for name in self._names()), "")

    def _names(self) -> Iterator[str]:
        if not self.path:
            return
        try:
            named = self.workspace / self.path
            root = named if self.named else Workspace(self.workspace).folder_path(self.path)
        except OSError:  # whoever reads its pages says so
            return
        yield from _declared(root)
        yield from (name for name in NAMES if os.path.isfile(root / name))  # noqa: PTH113 - `is_file` may raise


def _declared(root: Path) -> Iterator[str]:
    """Sitemaps of the build that its robots.txt names by their URLs."""
    try:
        robots = Workspace(root).read_head("robots.txt", MAX_BYTES)
    except OSError:
        return
    for _, text in parse(robots, Profile.GOOGLE).sitemaps[:_DECLARED]:
        try:
            found = beside("", text, WorkTree(root))
        except (BaselineError, ValueError):
            continue
        if found and is_sitemap(found[1]):
            yield found[0]


def usual_places(build: str) -> tuple[str, ...]:
    """Where a committed sitemap is looked for, nearest to the build first."""
    folders = _above(build)
    return tuple(str(folder / copied / name) for folder in folders for copied in (*_COPIED, "") for name in NAMES)


def find_judged(config: Config, context: Context, theirs: str = "") -> Judged:
    """`theirs`: path of the target branch's sitemap, "" when it has none. Raises UsageError."""
    workspace = Path(context.workspace)
    build = BuildFolder(workspace, "" if config.source.url else config.source.path, context.names("source.path"))
    tracked = Tracked(workspace)
    if config.sitemap:
        built = config.sitemap != theirs and _is_built(config.sitemap, build, tracked)
        return Judged(config.sitemap, built, context.names("sitemap"))
    places = [path for path in usual_places(build.inside) if os.path.isfile(workspace / path)]  # noqa: PTH113 - `is_file` may raise
    committed = tracked.of(places)
    if found := next((path for path in places if _counts(path, build, committed)), ""):
        return Judged(found)
    if found := build.sitemap():
        return Judged(found, built=True, named=build.named)
    if found := next(iter(places), ""):
        return Judged(found, built=True)
    return Judged(theirs or "sitemap.xml")


def _counts(path: str, build: BuildFolder, committed: frozenset[str] | None) -> bool:
    """As committed: by git, and where there is none by its place."""
    return not build.holds(path) if committed is None else path in committed


def _is_built(path: str, build: BuildFolder, tracked: Tracked) -> bool:
    """A file that is not there yet belongs to what git makes of the folder around it."""
    known = tracked.of([path])
    if known is None:
        return build.holds(path)
    if os.path.isfile(build.workspace / path):  # noqa: PTH113 - `is_file` may raise
        return path not in known
    return build.holds(path) and not tracked.below(build.inside)


def _above(build: str) -> Iterable[PurePosixPath]:
    return tuple(PurePosixPath(build).parents) or (PurePosixPath(),)
