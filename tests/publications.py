"""What a run publishes, as tests ask for it: files in a workspace, the comment, URLs for search engines."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path

import httpx

from sitemap_action.errors import PublishError
from sitemap_action.model.context import Forge
from sitemap_action.model.mask import Access
from sitemap_action.model.step import FileChange, Published, SubmitUrls, UpsertComment
from sitemap_action.publish import files, forge, indexnow
from sitemap_action.sitemap.write import GENERATOR

OURS = f"<?xml?>\n{GENERATOR}\n"  # the beginning of a file that is ours to delete
FileStep = FileChange


def write(path: str, content: bytes) -> FileStep:
    return FileChange(path, content)


def delete(path: str) -> FileStep:
    return FileChange(path, None)


def carry_out(workspace: Path, *steps: FileStep) -> None:
    """Raises PublishError."""
    files.publish(steps, workspace)


def write_report(workspace: Path, place: str) -> None:
    files.write_report(workspace, place, "report.json", "{}")


def make_files_of_init(texts: Mapping[str, str], workspace: Path) -> None:
    files.create_files(texts, workspace)


def write_comment(
    api: str,
    token: str,
    step: tuple[int, str, str, bool],
    pause: Callable[[float], None],
    transport: httpx.MockTransport | None = None,
) -> tuple[str, ...]:
    """The notes; a comment is never anything else. `step`: number, name, report, and whether one is created."""
    done = forge.upsert_comment(UpsertComment(*step), Forge(api, "octo-org/site", token), transport, pause)
    assert done == Published(notes=done.notes, steps=done.steps)
    return done.notes


def submit(
    home: str, urls: tuple[str, ...], key: str, *, endpoint: str = "", pause: Callable[[float], None] = time.sleep, **access: object
) -> tuple[str, ...]:  # fmt: skip
    """The notes of a submission to search engines; `access` as in Access. Raises PublishError."""
    place = endpoint or indexnow.ENDPOINT
    done = indexnow.submit_urls(SubmitUrls(home, urls), key, Access(**access), endpoint=place, pause=pause)  # type: ignore[arg-type]
    if done.error:
        raise PublishError(done.error, hint=done.hint)
    assert done == Published(notes=done.notes, steps=done.steps, pending=done.pending)
    return tuple(note for note in done.notes if not note.endswith("submitted to IndexNow"))
