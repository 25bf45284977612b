"""The registry of publishers: which one carries out which step."""

from collections.abc import Sequence
from pathlib import Path

from sitemap_action.model.step import DeleteFile, Step, WriteFile
from sitemap_action.publish import files


def apply(steps: Sequence[Step], workspace: Path) -> None:
    """Carry out a plan; raises PublishError, after which what is already in place stays whole."""
    on_disk = [step for step in steps if isinstance(step, WriteFile | DeleteFile)]
    if on_disk:
        files.perform(on_disk, workspace)
