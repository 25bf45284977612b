"""`init`: looks at the repository, and writes a config and a workflow that checks its site."""

import os
from pathlib import Path

import click
from msgspec.structs import replace

from sitemap_action.cli.options import KNOWN
from sitemap_action.config.layers import ConfigReader
from sitemap_action.console.streams import Console
from sitemap_action.decide.stated_base import MIN_STATED
from sitemap_action.disk.folder import Workspace
from sitemap_action.errors import BaselineError, ConfigError, UsageError
from sitemap_action.hosts.all import host_evidence
from sitemap_action.hosts.base import BuildFiles
from sitemap_action.look.comparison import derive_site_url
from sitemap_action.look.documents import find_documents, read_entries
from sitemap_action.look.judged_sitemap import NAMES, Tracked, usual_places
from sitemap_action.model.outcome import StatedBase
from sitemap_action.publish.files import create_files
from sitemap_action.repo.git import Git
from sitemap_action.repo.origin import host_of
from sitemap_action.setup.generators import GENERATORS, GeneratedSite, Recognised, recognise
from sitemap_action.setup.packages import own_workflows, tool_steps
from sitemap_action.setup.project import MAX_FILE, Fact, Project, safe_branch, safe_path
from sitemap_action.setup.texts import (
    CONFIG,
    INCLUDED,
    PIPELINE,
    WORKFLOW,
    SetupChoice,
    config_text,
    public_address,
    setup_report,
    workflow_text,
)
from sitemap_action.walk.folders import Repository
from sitemap_action.walk.local_sitemaps import WorkTree

_ABSENT = (FileNotFoundError, NotADirectoryError, IsADirectoryError)
_USUAL_BRANCHES = ("main", "master", "trunk")


class RepositoryFiles:
    """Paths are relative to the top of the checkout; without one, to the folder that `init` runs in."""

    def __init__(self, here: Path) -> None:
        self.notes: list[str] = []
        self.top = here
        self._git = Git(here)
        self._no_git = ""  # why it is not asked
        self._folders: dict[str, frozenset[str]] = {}
        try:
            tracks_anything = self._find_top()
        except BaselineError as error:
            self._no_git, tracks_anything = "git is not asked", False
            self.notes.append(f"git is not asked: {error}")
        self._tracked = Tracked(self.top) if tracks_anything else None

    def _find_top(self) -> bool:
        """Whether there is a repository, with files. Raises BaselineError where git cannot read it."""
        if (top := self._git.top()) is None:
            self._no_git, refusal = "there is no git repository here", self._git.refusal()
            what = f"the git repository is not used: {refusal}" if refusal else self._no_git
            self.notes.append(f"{what}; this folder is taken for the top, and every file for one that is tracked")
            return False
        self.top = top
        self._git.branches()
        return bool(self._git.list_files(sorted(self.names("") - {".git"})))

    def project(self, folder: str) -> Project:
        return Project(folder, self.read, self.names, self.is_source, self.notes)

    def read(self, path: str) -> bytes | None:
        try:
            return Workspace(self.top).read_head(path, MAX_FILE + 1)
        except _ABSENT:
            return None
        except OSError as error:
            sentence = f"{path} is not read: {error.strerror}"
            if sentence not in self.notes:
                self.notes.append(sentence)
            return None

    def names(self, folder: str) -> frozenset[str]:
        if folder not in self._folders:
            try:
                with Workspace(self.top).folder(folder) as found:
                    self._folders[folder] = frozenset(found.names())
            except OSError:
                self._folders[folder] = frozenset()
        return self._folders[folder]

    def find_tracked(self, paths: list[str]) -> frozenset[str] | None:
        """The paths that git tracks; None where there is no repository, or one without any file yet."""
        return self._tracked.tracked_of(paths) if self._tracked else None

    def is_source(self, path: str) -> bool:
        """Whether a file is a source, and not a product of some build."""
        found = self.find_tracked([path])
        return found is None or path in found

    def default_branch(self) -> Fact:
        if self._no_git:
            return Fact("main", f"assumed: {self._no_git}")
        default, here = self._git.branches()
        if safe_branch(default):
            return Fact(default, "the default branch of origin")
        why = "assumed: origin names no default branch" if not default else "assumed: that of origin needs quotes"
        usual = next((name for name in _USUAL_BRANCHES if self._git.commit(f"refs/heads/{name}")), "")
        if usual or not safe_branch(here):
            return Fact(usual or "main", why)
        return Fact(here, "assumed: the branch that is checked out")

    def remote(self) -> str:
        return "" if self._no_git else self._git.origin()


@click.command(epilog="Example: sitemap-action init --dry-run")
@click.option("--path", metavar="DIR", help="Folder of the site's sources, in a repository that holds more.")
@click.option("--generator", type=click.Choice(list(GENERATORS)), help="What builds the site, where several could.")
@click.option("--dry-run", is_flag=True, help="Print the files instead of writing them.")
def init(path: str | None, generator: str | None, *, dry_run: bool) -> int:
    """Write a config and a workflow, or GitLab's pipeline.

    Looks at the repository and its site. Asks nothing and never replaces a file: says what it assumed and by which
    file, and what is left to fill in.
    """
    files = RepositoryFiles(Path.cwd())
    workflow = _workflow(files)
    existing = [name for name in (CONFIG, workflow) if _exists(files, name)]
    if len(existing) == 2:
        hint = "delete the file that init is to write anew"
        raise UsageError(f"{CONFIG} and {workflow} exist already; nothing was written", hint=hint)
    found = recognise(files.project(_folder(files, path)), generator or "")
    site = _require_site(found)
    if CONFIG in existing:
        site = _with_configured_folder(files, site)
    choice = replace(_choose(files, found, _with_built_sitemap(files, site)), workflow=workflow)
    _note_stated_base(files, choice)
    texts = {name: text for name, text in _new_texts(choice).items() if name not in existing}
    sentences = [f"{name} exists already, and stays as it is" for name in existing]
    if not dry_run:
        create_files(texts, files.top)
    sentences += [f"{'would write' if dry_run else 'wrote'} {name}" for name in texts]
    report = setup_report(choice, sentences, found.others, files.notes)
    shown = "".join(f"--- {name} ---\n{text}\n" for name, text in texts.items()) if dry_run else ""
    Console(os.environ).write_report(shown + report, prose=not shown)
    return 0


def _new_texts(choice: SetupChoice) -> dict[str, str]:
    return {CONFIG: config_text(choice), choice.workflow: workflow_text(choice)}


def _workflow(files: RepositoryFiles) -> str:
    """The file that runs the check: a workflow of GitHub; a pipeline of GitLab, or a file for it to include (U-24)."""
    host, theirs = host_of(files.remote()), _exists(files, PIPELINE)
    if "gitlab" not in host and (host == "github.com" or not theirs or files.names(WORKFLOW.rpartition("/")[0])):
        return WORKFLOW
    return INCLUDED if theirs and b"sitemap-action" not in (files.read(PIPELINE) or b"") else PIPELINE


def _exists(files: RepositoryFiles, name: str) -> bool:
    parent, _, last = name.rpartition("/")
    return last in files.names(parent)


def _folder(files: RepositoryFiles, path: str | None) -> str:
    """The folder of the sources, in the repository."""
    here = (Path.cwd() / (path or "")).resolve()
    if not here.is_dir():
        raise UsageError(f"the folder {path} does not exist", hint="correct --path")
    if not here.is_relative_to(files.top.resolve()):
        raise UsageError(f"{path} is outside of the repository", hint="correct --path, or run init in that repository")
    folder = here.relative_to(files.top.resolve()).as_posix()
    if not safe_path(folder):
        hint = "use letters, digits, and . _ - in its name, or write the workflow by hand"
        raise UsageError(f"the folder {folder} has a name that cannot stand in a workflow", hint=hint)
    return "" if folder == "." else folder


def _require_site(found: Recognised) -> GeneratedSite:
    if found.site is None:
        hint = "name its folder with --path; a generator that init does not know is set up by hand (docs/workflows.md)"
        raise UsageError("no site is recognised here: no generator's config, and no index.html", hint=hint)
    if found.site.refusal:
        hint = "write both files by hand (docs/workflows.md): source.path names a build, source.url a deployed site"
        raise UsageError(f"{found.site.generator} is recognised, and {found.site.refusal}", hint=hint)
    return found.site


def _with_configured_folder(files: RepositoryFiles, site: GeneratedSite) -> GeneratedSite:
    """The site with the folder that the existing config names."""
    try:
        path = ConfigReader(CONFIG, (), KNOWN).config(files.read(CONFIG)).source.path
    except ConfigError as error:
        files.notes.append(f"correct it: {str(error).partition(chr(10))[0]}")
        return site
    return replace(site, output=Fact(path, CONFIG)) if safe_path(path) else site


def _with_built_sitemap(files: RepositoryFiles, site: GeneratedSite) -> GeneratedSite:
    """A build that is here shows whether it has a sitemap, and under which name."""
    paths = [f"{site.output.value}/{name}" for name in NAMES] if site.build.lines else []
    path = next((path for path in paths if _exists(files, path) and not files.find_tracked([path])), "")
    return replace(site, sitemap=Fact(path.rpartition("/")[2], f"{path} of a build that is here")) if path else site


def _choose(files: RepositoryFiles, found: Recognised, site: GeneratedSite) -> SetupChoice:
    host = _find_host(files, site, "")
    address, refused = public_address(
        found.project, site, found.packages, remote=files.remote(), host=host.value if host else ""
    )
    setups, checks = own_workflows(found.project)
    cache = setups.get("actions/cache")
    return SetupChoice(
        site=site,
        folder=found.project.folder,
        address=address,
        branch=files.default_branch(),
        committed=_find_committed_sitemap(files, site),
        host=_find_host(files, site, address.value),
        submodules=".gitmodules" in files.names(""),
        refused=refused,
        cache=cache.uses.partition("@")[2] if cache else "",
        checks=checks,
        tools=tuple(tool_steps(site.build.lines, found.project, setups)),
    )


def _note_stated_base(files: RepositoryFiles, choice: SetupChoice) -> None:
    """A sitemap that is here may state another base than the config that is written (URL-35)."""
    site, address = choice.site, choice.address.value
    built = f"{site.output.value}/{site.sitemap.value}" if site.sitemap else ""
    for path in filter(None, (choice.committed.value if choice.committed else "", built)):
        try:
            documents = find_documents(WorkTree(files.top), path)
            listed = [entry.loc for document in documents for entry in read_entries(document)]
            base, _ = derive_site_url(documents)
        except BaselineError:
            continue  # the first run says what is wrong with it
        stated = StatedBase(base, sum(url.startswith(base) for url in listed), len(listed))
        inside = sum(url.startswith(address) for url in listed)
        if address and base and stated.count >= MIN_STATED and inside * 10 <= len(listed):
            files.notes.append(f"{stated.sentence(address)} ({path}): correct the one or the other")


def _find_host(files: RepositoryFiles, site: GeneratedSite, site_url: str) -> Fact | None:
    """The static host as a run finds it; files that the build gets as they are count as the build's."""
    repository = Repository(files.top, site.output.value)
    copied = files.names(site.copied) if site.copied is not None else frozenset[str]()
    evidence = host_evidence(
        BuildFiles(
            copied,
            read=lambda _name: None,
            find=repository.find,
            folder=repository.folder,
            workflows=repository.workflows,
            site_url=site_url,
        )
    )
    first = next(evidence, None)
    return Fact(first.host, first.what) if first else None


def _find_committed_sitemap(files: RepositoryFiles, site: GeneratedSite) -> Fact | None:
    """A sitemap that git tracks; a file that it does not track yet counts where no build writes one."""
    output = site.output.value.removeprefix(".")
    own = (f"{output}/{name}".lstrip("/") for name in NAMES)
    present = [path for path in (*usual_places(output), *own) if _exists(files, path) and files.read(path) is not None]
    tracked = files.find_tracked(present)
    if tracked is None:
        sources = [path for path in present if not site.build.lines or not path.startswith(f"{output}/")]
        return Fact(sources[0], "a file of the repository") if sources else None
    if found := next((path for path in present if path in tracked), ""):
        return Fact(found, "tracked by git")
    if present and not site.sitemap and not present[0].startswith(f"{output}/"):
        return Fact(present[0], "git does not track it yet: commit it too")
    return None
