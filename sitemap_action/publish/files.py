"""Files appear whole or not at all, only where a sitemap may be, and belong to the owner of their folder."""

import errno
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path, PurePath

from sitemap_action.disk.folder import (
    FORGE,
    GIT,
    Draft,
    Folder,
    open_folder,
    path_names,
    remove_old_drafts,
    replace_file,
)
from sitemap_action.errors import PublishError, UsageError
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.step import FileChange
from sitemap_action.sitemap.split import is_generated

WRITTEN = GIT | FORGE  # folders below which nothing is written,
_OF_INIT = lazy_re(  # but for these by `init`; the name of a site is in them where there are several
    r"(?:\.github/(?:workflows/)?|\.gitlab/)sitemap(?:-[\w.@+-]+)?\.yml|\.gitlab-ci\.yml", re.ASCII
)
_SUFFIXES = (".xml", ".xml.gz", ".txt", ".txt.gz", ".json", ".json.gz", ".fingerprints")
_MOST_UNNAMED = 200  # drafts; each holds a descriptor
_LIST = lazy_re(r"\.github/(?:[^/\\]+/)*[^/\\]+\.txt")  # the usual place of the ledger
KEPT = "sitemap"  # folder beside the reports
_REPORTS_HINT = "name a folder of the workspace in report-path, not below .git or .github, without a symbolic link"
_HEAD = 4096  # bytes, in which the comment of the generator is


def publish(steps: Sequence[FileChange], workspace: Path) -> None:
    """Write every file beside its place first, then rename in order, then delete; raises PublishError.

    A full disk or a missing permission fails before the first rename, while no existing file has been changed; a run
    killed between two renames leaves whole files, and the next run finds the difference and repairs it (DIFF-46).
    """
    places = {step.path: find_place(workspace, step) for step in steps}
    drafts: list[tuple[str, Draft]] = []
    deletions = [step.path for step in steps if step.content is None]
    with ExitStack() as stack:
        folders = _Folders(stack, workspace)
        for step in steps:
            if step.content is not None:
                with _translated_errors(step.path):
                    parents, name = places[step.path]
                    draft = Draft(folders.make(parents), name, unnamed=len(drafts) < _MOST_UNNAMED)
                    drafts.append((step.path, stack.enter_context(draft)))
                    draft.write(step.content)
                    draft.sync()
        for path in deletions:
            with _translated_errors(path):
                folders.require_ours(*places[path])
        for path, draft in drafts:
            with _translated_errors(path):
                draft.take_place()
        for path in deletions:
            with _translated_errors(path):
                folders.delete(*places[path])


class _Folders:
    """Each folder of a plan, opened once."""

    def __init__(self, stack: ExitStack, workspace: Path) -> None:
        self._stack, self._workspace = stack, workspace
        self._opened: dict[tuple[str, ...], Folder] = {}

    def make(self, names: tuple[str, ...]) -> Folder:
        if names not in self._opened:
            self._opened[names] = self._stack.enter_context(open_folder(self._workspace, names, make=True))
            remove_old_drafts(self._opened[names])
        return self._opened[names]

    def require_ours(self, names: tuple[str, ...], name: str) -> None:
        """Raises PublishError for a file without the comment of the generator (SM-08)."""
        try:
            with (
                open_folder(self._workspace, names) as folder,
                folder.owners_rights(),
                folder.open_regular(name) as file,
            ):
                ours = is_generated(file.read(_HEAD))
        except FileNotFoundError:
            return
        if not ours:
            where = "/".join((*names, name))
            raise PublishError(f"{where} is not deleted: this generator did not write it", hint="delete it by hand")

    def delete(self, names: tuple[str, ...], name: str) -> None:
        try:
            with open_folder(self._workspace, names) as folder:
                folder.unlink(name)
        except FileNotFoundError:
            return


_NO_SPACE = "no existing file was changed; free some space or allow writing"


@contextmanager
def _translated_errors(what: object, hint: str = _NO_SPACE) -> Iterator[None]:
    """What cannot be written, and what to do."""
    try:
        yield
    except OSError as error:
        if hint is _NO_SPACE and error.errno in {errno.ELOOP, errno.EINVAL}:
            hint = "name the real path in `sitemap`"
        raise PublishError(f"cannot write {what}: {error.strerror}", hint=hint) from error


def find_place(workspace: Path, step: FileChange) -> tuple[tuple[str, ...], str]:
    """The folder and the name of a file that a step writes or deletes; raises PublishError where none may be."""
    if not step.redirects:
        return sitemap_place(workspace, step.path)
    try:
        *folders, name = path_names(step.path, workspace, WRITTEN) or ("",)
        if not name or name.startswith(".") or PurePath(step.path).is_absolute():
            raise PermissionError(errno.EPERM, "it is no file of redirects")
    except OSError as error:
        hint = "name a file of the workspace in output.redirects, not below .git or .github"
        raise PublishError(f"redirects cannot be written to {step.path}: {error.strerror}", hint=hint) from error
    return tuple(folders), name


def sitemap_place(workspace: Path, path: str) -> tuple[tuple[str, ...], str]:
    """The folder and the name of a sitemap, or of the ledger; raises PublishError where none may be."""
    try:
        *folders, name = path_names(path, workspace, GIT if _LIST.fullmatch(path) else WRITTEN) or ("",)
        if not name.endswith(_SUFFIXES) or PurePath(path).is_absolute():
            raise PermissionError(errno.EPERM, "it is no name of a sitemap")
    except OSError as error:
        hint = "use a path inside the workspace that ends in .xml, .txt or .json, such as public/sitemap.xml"
        raise PublishError(f"a sitemap cannot be written to {path}: {error.strerror}", hint=hint) from error
    return tuple(folders), name


def write_report(workspace: Path, place: str, name: str, text: str) -> str:
    """The path of a report in a folder of the workspace; one that this run makes gets a `.gitignore`.

    Raises PublishError.
    """
    with _translated_errors(f"the report to {place}", _REPORTS_HINT):
        names = path_names(place, workspace, WRITTEN)
        with open_folder(workspace, names, make=True) as folder:
            if folder.made:
                replace_file(folder, ".gitignore", b"*\n")  # no report is committed
            replace_file(folder, name, text.encode(errors="replace"))
    return "/".join((*names, name))


def delete_reports(workspace: Path, place: str, names: Iterable[str]) -> None:
    """Delete the reports of an earlier run, before this one has anything to say; raises PublishError."""
    try:
        with open_folder(workspace, path_names(place, workspace, WRITTEN)) as folder:
            for name in names:
                with suppress(OSError), folder.open_regular(name):  # what is no file is refused when it is written
                    folder.unlink(name)
    except FileNotFoundError:
        return
    except OSError as error:
        raise PublishError(f"cannot delete the report in {place}: {error.strerror}", hint=_REPORTS_HINT) from error


def write_kept(workspace: Path, place: str, files: Iterable[tuple[str, bytes]]) -> str:
    """Sitemaps as `write` would write them, below the folder of the reports, by their names; returns their folder.

    `files`: path and content of each. Raises PublishError.
    """
    with _translated_errors(f"the sitemap to {place}", _REPORTS_HINT):
        names = (*path_names(place, workspace, WRITTEN), KEPT)
        with open_folder(workspace, names, make=True) as folder:
            for path, content in files:
                _, name = sitemap_place(workspace, path)
                replace_file(folder, name, content)
    return "/".join(names)


def write_list(workspace: Path, path: str, content: bytes) -> None:
    """Replace or create the list of accepted rows or the ledger, whole, through no symbolic link.

    Raises PublishError.
    """
    try:
        *folders, name = path_names(path, workspace)
        with open_folder(workspace, folders, make=True) as folder:
            replace_file(folder, name, content)
    except OSError as error:
        where = "in policy.accepted or policy.ledger, without a symbolic link, that may be written"
        hint = f"name a file of the workspace {where}"
        raise PublishError(f"cannot write {path}: {error.strerror}", hint=hint) from error


def replace_text(path: Path, text: str) -> None:
    """Write a whole report, or leave the existing file as it is; raises PublishError."""
    replace_bytes(path, text.encode(errors="replace"))


def replace_bytes(path: Path, content: bytes) -> None:
    """Write a whole file, or leave the existing one as it is; raises PublishError."""
    with _translated_errors(path, "name a file that may be written"):
        missing = [parent.name for parent in (path.parent, *path.parent.parents) if not parent.exists()]
        existing = path.parent.parents[len(missing) - 1] if missing else path.parent
        with open_folder(existing, missing[::-1], make=True) as folder:
            replace_file(folder, path.name, content)


def create_files(files: Mapping[str, str], workspace: Path) -> None:
    """Make the files of `init`, all of them or none, through no symbolic link; an existing one is never replaced.

    Raises UsageError.
    """
    made: list[tuple[Folder, str]] = []
    with ExitStack() as stack:
        path = ""
        try:
            drafts = []
            for path, text in files.items():
                drafts.append((path, *_draft_new_file(stack, workspace, path, text)))
            for path, folder, draft in drafts:
                draft.take_free_place()
                made.append((folder, path.rpartition("/")[2]))
        except OSError as error:
            for folder, name in made:
                folder.unlink(name)
            hint = "nothing was written; see that its folder may be written, and is no symbolic link"
            raise UsageError(f"cannot write {path}: {error.strerror}", hint=hint) from error


def _draft_new_file(stack: ExitStack, workspace: Path, path: str, text: str) -> tuple[Folder, Draft]:
    if not _OF_INIT.fullmatch(path):
        raise PermissionError(errno.EPERM, "it is no file of init")
    *parents, name = path_names(path, workspace)
    folder = stack.enter_context(open_folder(workspace, parents, make=True))
    if folder.mode(name) is not None:
        raise FileExistsError(errno.EEXIST, "it exists already")
    draft = stack.enter_context(Draft(folder, name))
    draft.write(text.encode())
    draft.sync()
    return folder, draft
