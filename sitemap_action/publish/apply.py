"""The registry of publishers: which one carries out which step."""

from collections.abc import Sequence
from pathlib import Path
from typing import assert_never

from sitemap_action.model.step import DeleteFile, Step, WriteFile
from sitemap_action.publish import files


def apply(steps: Sequence[Step], workspace: Path) -> None:
    """Carry out a plan, in one call for each publisher; raises PublishError, after which existing files are whole."""
    on_disk: list[WriteFile | DeleteFile] = []
    for step in steps:
        match step:
            case WriteFile() | DeleteFile():
                on_disk.append(step)
            case _:
                assert_never(step)
    if on_disk:
        files.publish(on_disk, workspace)
