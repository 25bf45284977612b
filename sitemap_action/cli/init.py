"""`init`: looks at the repository, and writes a config and a workflow that checks its site."""

import os
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import click
from msgspec.structs import replace

from sitemap_action.cli.options import KNOWN, NearChoice
from sitemap_action.config.layers import ConfigReader
from sitemap_action.console.streams import Console
from sitemap_action.decide.stated_base import MIN_STATED
from sitemap_action.disk.folder import Workspace
from sitemap_action.errors import BaselineError, ConfigError, SitemapActionError, UsageError
from sitemap_action.hosts.all import host_evidence
from sitemap_action.hosts.base import BuildFiles
from sitemap_action.look.comparison import derive_site_url
from sitemap_action.look.documents import find_documents, read_entries
from sitemap_action.look.judged_sitemap import NAMES, Tracked, usual_places
from sitemap_action.model.outcome import StatedBase
from sitemap_action.publish.files import create_files
from sitemap_action.repo.git import Git
from sitemap_action.repo.git_directory import host_of
from sitemap_action.setup.generator_configs import PLAIN, GeneratedSite
from sitemap_action.setup.generators import GENERATORS, Recognised, public_address, recognise_sites, unknown_site
from sitemap_action.setup.packages import BuildCommands, own_workflows, tool_steps
from sitemap_action.setup.project import MAX_FILE, Fact, Project, safe_branch, safe_path
from sitemap_action.setup.texts import (
    CONFIG,
    INCLUDED,
    PIPELINE,
    WORKFLOW,
    SetupChoice,
    action_reference,
    config_path,
    config_text,
    setup_report,
    workflow_text,
)
from sitemap_action.walk.folders import Repository, WorkTree

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
@click.option("--path", metavar="DIR", help="Folder of the site's sources; with --build, the one that is built.")
@click.option("--generator", type=NearChoice(list(GENERATORS)), help="What builds the site, where several could.")
@click.option("--build", metavar="COMMAND", help="What builds the site into --path, whatever generator that is.")
@click.option("--dry-run", is_flag=True, help="Print the files instead of writing them.")
@click.pass_context
def init(context: click.Context, /, *, dry_run: bool, **options: str | None) -> int:
    """Write a config and a workflow, or GitLab's pipeline.

    Looks at the repository and its sites: of several each gets a config, and one workflow checks them all. Asks nothing
    and never replaces a file: says what it assumed and by which file, and what is left to fill in. Where a build is
    there, checks it.
    """
    files = RepositoryFiles(Path.cwd())
    console = Console(os.environ)
    try:
        choices, others = _choose_sites(files, options, dry_run=dry_run)
    except UsageError as error:
        if not dry_run:
            raise
        console.write_report(f"would write nothing: {error}\nhint: {error.hint}\n", prose=True)
        return 0
    for choice in choices:
        _note_stated_base(files, choice)
    texts = {choice.config: config_text(choice) for choice in choices} | {choices[0].workflow: workflow_text(*choices)}
    existing = [name for name in texts if _exists(files, name)]
    texts = {name: text for name, text in texts.items() if name not in existing}
    sentences = [f"{name} exists already, and stays as it is" for name in existing]
    if not dry_run:
        create_files(texts, files.top)
    sentences += [f"{'would write' if dry_run else 'wrote'} {name}" for name in texts]
    report = setup_report(choices, sentences, others, files.notes)
    shown = "".join(f"--- {name} ---\n{text}\n" for name, text in texts.items()) if dry_run else ""
    console.write_report(shown + report, prose=not shown)
    if not dry_run:
        _check_builds(context, console, files, choices)
    return 0


def _check_builds(
    context: click.Context, console: Console, files: RepositoryFiles, choices: Sequence[SetupChoice]
) -> None:
    """The check of each build that is here, without the network; what it finds changes no exit code."""
    if Path.cwd().resolve() != files.top.resolve():
        return  # paths of a config are those of the top
    commands = context.find_root().command
    check = commands.get_command(context, "check") if isinstance(commands, click.Group) else None
    for choice in choices:
        folder = choice.site.output.value
        if check is None or not _exists(files, f"{folder}/index.html".removeprefix("./")):
            continue
        console.write_report(f"\nThe build in {folder}, by `sitemap-action check --offline`:\n\n", prose=True)
        try:
            context.invoke(check, config=choice.config, offline=True, no_progress=True)
        except SitemapActionError as error:
            console.write_report(f"not checked: {error}\nhint: {error.hint}\n", prose=True)


def _choose_sites(
    files: RepositoryFiles, options: Mapping[str, str | None], *, dry_run: bool
) -> tuple[list[SetupChoice], tuple[GeneratedSite, ...]]:
    """The sites to set up, and those that do not count beside them. Raises UsageError."""
    path, wanted = options["path"], options["generator"] or ""
    folder = _folder(files, path, required=not options["build"])
    found = recognise_sites(files.project(folder), wanted)
    elsewhere = found if path is None else recognise_sites(files.project(""), wanted)
    if options["build"]:
        found = (_built_by_command(found[0], options["build"], folder),)
    elif not _list_usable(found):
        found = (found[0]._replace(site=_require_site(files, found[0])),)
    usable = _list_usable(found) or found
    sites = usable if usable[0].project.folder != folder and not options["build"] else usable[:1]
    others = (*sites[0].others, *(one.site for one in found if one.site and one not in sites))
    named = len(_list_usable(elsewhere)) > 1 or (path is not None and _is_config_of_another(files, sites[0]))
    names = _site_names([one.project.folder or folder for one in sites]) if named else [""]
    choices = [_choose(files, one, one.site, name) for one, name in zip(sites, names, strict=True) if one.site]
    workflow = _workflow(files, names[0] if len(sites) == 1 else "")
    _require_news(files, [*(choice.config for choice in choices), workflow], dry_run=dry_run)
    return [replace(choice, workflow=workflow) for choice in choices], others


def _list_usable(found: Sequence[Recognised]) -> tuple[Recognised, ...]:
    return tuple(one for one in found if one.site and not one.site.refusal)


def _require_news(files: RepositoryFiles, names: Sequence[str], *, dry_run: bool) -> None:
    """Raises UsageError where every file is there."""
    if all(_exists(files, name) for name in names) and not dry_run:
        listed = f"{', '.join(names[:-1])} and {names[-1]}"
        hint = "delete the file that init is to write anew; another site is set up with --path and its folder"
        raise UsageError(f"{listed} exist already; nothing was written", hint=hint)


def _is_config_of_another(files: RepositoryFiles, found: Recognised) -> bool:
    """Whether the config that is here is that of another site."""
    site = found.site
    return bool(site and _exists(files, CONFIG) and _configured_folder(files) not in ("", site.output.value))


def _site_names(folders: Sequence[str]) -> list[str]:
    """The last part of each folder, or all of its parts where two have the same last one."""
    last = [folder.rpartition("/")[2] or "site" for folder in folders]
    return [
        name if last.count(name) == 1 else folder.replace("/", "-") for name, folder in zip(last, folders, strict=True)
    ]


def _built_by_command(found: Recognised, command: str, folder: str) -> Recognised:
    """The site that a command of the user's own builds into a folder. Raises UsageError."""
    if not folder:
        raise UsageError("--build needs the folder that the command builds", hint="name it: --path dist")
    if not command.isprintable() or "${{" in command:
        raise UsageError("--build takes one line, without an expression of a workflow", hint="name a script in it")
    site = GeneratedSite("your own build", "--build", Fact(folder, "--path"), BuildCommands((command,), "--build"))
    return found._replace(site=site, project=found.project.top())


def _workflow(files: RepositoryFiles, name: str) -> str:
    """The file that runs the check: a workflow of GitHub; a pipeline of GitLab, or a file for it to include (U-24)."""
    host, theirs = host_of(files.remote()), _exists(files, PIPELINE)
    if "gitlab" not in host and (host == "github.com" or not theirs or files.names(WORKFLOW.rpartition("/")[0])):
        return WORKFLOW.replace(".yml", f"-{name}.yml") if name else WORKFLOW
    if theirs and (name or b"sitemap-action" not in (files.read(PIPELINE) or b"")):
        return INCLUDED.replace(".yml", f"-{name}.yml") if name else INCLUDED
    return PIPELINE


def _exists(files: RepositoryFiles, name: str) -> bool:
    parent, _, last = name.rpartition("/")
    return last in files.names(parent)


def _folder(files: RepositoryFiles, path: str | None, *, required: bool) -> str:
    """The folder that is named, in the repository; `required`: it is there. Raises UsageError."""
    here = (Path.cwd() / (path or "")).resolve()
    if required and not here.is_dir():
        raise UsageError(f"the folder {path} does not exist", hint="correct --path")
    if not here.is_relative_to(files.top.resolve()):
        raise UsageError(f"{path} is outside of the repository", hint="correct --path, or run init in that repository")
    folder = here.relative_to(files.top.resolve()).as_posix()
    if not safe_path(folder):
        hint = "use letters, digits, and . _ - in its name, or write the workflow by hand"
        raise UsageError(f"the folder {folder} has a name that cannot stand in a workflow", hint=hint)
    return "" if folder == "." else folder


def _require_site(files: RepositoryFiles, found: Recognised) -> GeneratedSite:
    """The site, of a generator that is not known too (U-25). Raises UsageError for one that no build holds."""
    site = found.site
    if site and site.refusal and site.generator != PLAIN:
        hint = "init --build COMMAND --path DIR takes a build; a served site: sitemap-action check https://…"
        raise UsageError(f"{site.generator} is recognised, and {site.refusal}", hint=hint)
    folder = found.project.folder
    names = (name for name in sorted(files.names(folder)) if safe_path(name) and not name.startswith("."))
    builds = (name for name in names if _is_build(files, found.project.join(name)))
    return unknown_site(found, next(builds, ""))


def _is_build(files: RepositoryFiles, folder: str) -> bool:
    start = f"{folder}/index.html"
    return _exists(files, start) and not files.find_tracked([start])


def _configured_folder(files: RepositoryFiles, config: str = CONFIG) -> str:
    """The folder that the existing config names; "" without one that is usable."""
    try:
        return safe_path(ConfigReader(config, (), KNOWN).config(files.read(config)).source.path)
    except ConfigError as error:
        files.notes.append(f"correct it: {str(error).partition(chr(10))[0]}")
        return ""


def _with_built_sitemap(files: RepositoryFiles, site: GeneratedSite) -> GeneratedSite:
    """A build that is here shows whether it has a sitemap with a URL, and under which name."""
    paths = [f"{site.output.value}/{name}" for name in NAMES] if site.build.lines else []
    there = (path for path in paths if _exists(files, path) and not files.find_tracked([path]))
    path = next((path for path in there if b"loc>" in (files.read(path) or b"")), "")
    return replace(site, sitemap=Fact(path.rpartition("/")[2], f"{path} of a build that is here")) if path else site


def _choose(files: RepositoryFiles, found: Recognised, site: GeneratedSite, name: str) -> SetupChoice:
    """What is assumed of one site; `name`: of the site, where the repository has several."""
    config = config_path(name)
    if _exists(files, config) and (path := _configured_folder(files, config)):
        site = replace(site, output=Fact(path, config))
    site = _with_built_sitemap(files, site)
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
        name=name,
        action=action_reference(_installed_from()),
    )


def _installed_from() -> str:
    """Where this program was installed from (PEP 610); "" where no record says so."""
    try:
        return distribution("sitemap-action").read_text("direct_url.json") or ""
    except PackageNotFoundError:
        return ""


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
    return Fact(*first) if first else None


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
