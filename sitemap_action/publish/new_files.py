"""The two files that `init` makes below `.github`, where nothing else writes; an existing one is never replaced."""

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from sitemap_action.disk.draft import Draft
from sitemap_action.disk.folder import Folder, open_folder
from sitemap_action.disk.workspace import path_names
from sitemap_action.errors import UsageError
from sitemap_action.setup.texts import CONFIG, WORKFLOW

PERMITTED = frozenset({CONFIG, WORKFLOW})


def create_files(files: Mapping[str, str], workspace: Path) -> None:
    """All of them or none, through no symbolic link. Raises UsageError."""
    made: list[tuple[Folder, str]] = []
    with ExitStack() as stack:
        path = ""
        try:
            drafts = []
            for path, text in files.items():
                drafts.append((path, *_draft(stack, workspace, path, text)))
            for path, folder, draft in drafts:
                draft.take_free_place()
                made.append((folder, path.rpartition("/")[2]))
        except OSError as error:
            for folder, name in made:
                folder.unlink(name)
            hint = "nothing was written; see that .github is a folder that may be written, and no symbolic link"
            raise UsageError(f"cannot write {path}: {error.strerror}", hint=hint) from error


def _draft(stack: ExitStack, workspace: Path, path: str, text: str) -> tuple[Folder, Draft]:
    if path not in PERMITTED:
        raise PermissionError(1, "it is no file of init")
    *parents, name = path_names(path, workspace)
    folder = stack.enter_context(open_folder(workspace, parents, make=True))
    if folder.mode(name) is not None:
        raise FileExistsError(17, "it exists already")
    return folder, stack.enter_context(Draft(folder, name, text.encode()))
