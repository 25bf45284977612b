"""Dates of pages by git: the newest commit of the source files that make each (DIFF-34)."""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from msgspec import Struct

from sitemap_action.config.schema import Config
from sitemap_action.disk.folder import Workspace, read_head
from sitemap_action.errors import BaselineError
from sitemap_action.look.judged_sitemap import build_folder
from sitemap_action.look.places import path_inside, read_source, repository
from sitemap_action.model.context import Context
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.source import SourceDates
from sitemap_action.model.wording import plural
from sitemap_action.repo.git import Git
from sitemap_action.setup.generator_configs import PLAIN, GeneratedSite
from sitemap_action.setup.generators import Recognised, recognise
from sitemap_action.setup.layouts import HEAD, OWN_ADDRESSES, has_own_address, source_layout
from sitemap_action.setup.project import Project
from sitemap_action.sitemap.protocol import later_date
from sitemap_action.web.patterns import SourcePages, SourceRule

_NAMED = "output.lastmod, dates by git"
_SHALLOW = (
    f"{_NAMED} is not used: this clone is shallow, and git would date every page with the oldest commit that it has; "
    "check out with the whole history (actions/checkout with fetch-depth: 0)"
)


class PageSources(Struct, frozen=True):
    """Which sources make which pages: rules over paths of the workspace come first, then those over the repository."""

    here: str  # the workspace in the repository; "" where it is the top, or holds it
    site: GeneratedSite | None  # None where no generator is recognised
    known: bool  # the usual layout of the generator
    given: SourcePages
    ready: SourcePages

    @property
    def generator(self) -> str:
        return self.site.generator if self.site else ""

    def page(self, path: str, read_start: Callable[[str], bytes]) -> str:
        """The key of the page that a source makes, "" for none; `read_start`: the first bytes of a file, or OSError."""
        below = _path_below(path, self.here)
        inside = not self.here or below != path
        if inside and (given := self.given.page(below)):
            return given
        page = self.ready.page(path)
        if not page or self.generator not in OWN_ADDRESSES:
            return page
        try:
            head = read_start(path)
        except OSError:
            return page
        return "" if has_own_address(head, self.generator, page) else page


def source_dates(config: Config, context: Context, site_url: str) -> SourceDates:
    """Dates of pages; there are none without a whole history, and the notes say why."""
    build = build_folder(config, context).inside
    try:
        git = repository(Path(context.workspace), f"{build}/index.html" if build else "")
        top = git.top()
        if top is None:
            why = git.refusal() or "there is no git repository here"
            return SourceDates(refused=True, notes=(f"{_NAMED} is not used: {why}",))
        if git.shallow():
            return SourceDates(refused=True, notes=(_SHALLOW,))
        return _dates(config, Path(context.workspace), git, top, site_url)
    except BaselineError as error:
        return SourceDates(refused=True, notes=(f"{_NAMED} is not used: {error}",))


def _dates(config: Config, workspace: Path, git: Git, top: Path, site_url: str) -> SourceDates:
    files = git.regular_files()
    layout = page_sources(config, workspace, files, top, site_url)
    read_start = partial(_read_start, top)
    pages = _without_readmes({path: page for path in files if (page := layout.page(path, read_start))}, layout)
    dates = git_dates(git, pages)
    found: dict[str, str] = {}
    for path, date in dates.items():
        known = found.get(pages[path])
        found[pages[path]] = later_date(known, date) if known else date
    ready = f"the layout of {layout.generator}" if layout.known else ""
    how = " and ".join(filter(None, ("output.lastmod-map" if config.output.lastmod_map else "", ready)))
    why = f"no layout of {layout.generator} is known" if layout.generator else "no generator is recognised"
    how = f"by {how}" if how else f"{why}: name sources and pages in output.lastmod-map"
    return SourceDates(found, notes=(f"{_NAMED}: {plural(len(dates), 'source file')} of pages, {how}",))


def page_sources(config: Config, workspace: Path, files: Iterable[str], top: Path, site_url: str) -> PageSources:
    """`files`: of the repository at `top`. A page of the config is a path of the host, or one below site-url."""
    inside, base = path_inside(top, workspace, ""), urlsplit(site_url).path.rstrip("/")
    here = "" if inside == "." else inside
    given = [SourceRule(source, _page_path(page, base)) for source, page in config.output.lastmod_map.items()]
    place = "" if config.source.url else config.source.path
    found = recognise_generator(_project(files, top), f"{here}/{place}" if here else place)
    ready = source_layout(found.project, found.site) if found.site else ()
    return PageSources(
        here,
        found.site,
        bool(ready),
        SourcePages(given),
        SourcePages(SourceRule(one.source, base + one.page, one.strip, one.plain) for one in ready),
    )


def _read_start(top: Path, path: str) -> bytes:
    return read_head(f"{top}/{path}", HEAD, follow=False)


def _without_readmes(pages: dict[str, str], layout: PageSources) -> dict[str, str]:
    """A README makes the page of a folder that has no index; where the config names it, it counts."""
    readmes = {path for path in pages if path.rpartition("/")[2].lower().startswith("readme.")}
    others = {page for path, page in pages.items() if path not in readmes}
    extra = {
        path for path in readmes if pages[path] in others and not layout.given.page(_path_below(path, layout.here))
    }
    return {path: page for path, page in pages.items() if path not in extra}


def _path_below(path: str, here: str) -> str:
    return path.removeprefix(f"{here}/") if here else path


def _page_path(page: str, base: str) -> str:
    return page if page == base or page.startswith(f"{base}/") else base + page


def recognise_generator(project: Project, build: str) -> Recognised:
    """The generator in the nearest folder above the build, else at the top."""
    parents = [str(place) for place in PurePosixPath(build).parents if str(place) != "."] if build else []
    for place in parents:
        found = recognise(project.inside(place))
        if found.site is not None and found.site.generator != PLAIN:
            return found
    return recognise(project)


def _project(files: Iterable[str], top: Path) -> Project:
    """The project as git has it at HEAD."""
    tracked, folders = frozenset(files), _folders(files)
    return Project(
        "", partial(read_source, Workspace(top)), lambda name: folders.get(name, frozenset()), tracked.__contains__
    )


def _folders(files: Iterable[str]) -> Mapping[str, frozenset[str]]:
    """The names in each folder."""
    found: dict[str, set[str]] = {}
    for path in files:
        place, known = path, False
        while place and not known:
            place, _, name = place.rpartition("/")
            names = found.setdefault(place, set())
            known = name in names
            names.add(name)
    return {folder: frozenset(names) for folder, names in found.items()}


# As `git log --follow` walks: from HEAD, newest commit first, no path left out of the walk, and no merge shown. Of the
# newest change of a file its name is enough, so that a rename needs no search: it is a change of the new name.
_LOG = (
    *("log", "-z", "--no-merges", "--name-only", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-notes"),
    *("--no-show-signature", "--no-color", "--no-decorate", "--format=%x01%aI", "HEAD", "--"),
)
_COMMIT = b"\x01"
_DATE = lazy_re(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)", re.ASCII)


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
