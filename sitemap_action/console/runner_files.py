"""Outputs and job summary of a step, as files that are appended to and read by the GitHub runner."""

import os
from collections.abc import Mapping
from pathlib import Path

from sitemap_action.errors import PublishError

_MAX_SUMMARY = 1024 * 1024  # bytes; past it the runner drops the whole summary of a step


def write_outputs(environment: Mapping[str, str], values: Mapping[str, str]) -> None:
    """Append to GITHUB_OUTPUT; does nothing where there is none.

    Every record has a random delimiter, so that no value can end it and begin another.
    """
    path = environment.get("GITHUB_OUTPUT")
    if not path:
        return
    records = []
    for name, value in values.items():
        delimiter = f"end-{os.urandom(16).hex()}"
        records.append(f"{name}<<{delimiter}\n{value}\n{delimiter}\n")
    _append(path, "".join(records))


def write_summary(environment: Mapping[str, str], markdown: str) -> None:
    """Append to GITHUB_STEP_SUMMARY; does nothing where there is none, or the summary would be too large."""
    path = environment.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    size = Path(path).stat().st_size if Path(path).exists() else 0
    if size + len(markdown.encode(errors="replace")) <= _MAX_SUMMARY:
        _append(path, markdown)


def _append(path: str, text: str) -> None:
    """As UTF-8, which the runner reads; names of files may have characters that UTF-8 cannot encode."""
    try:
        with Path(path).open("a", encoding="utf-8", errors="replace", newline="\n") as file:
            file.write(text)
    except OSError as error:
        hint = "start the container as root, as GitHub does, or as the user of the runner"
        raise PublishError(f"cannot write {path} for the runner: {error.strerror}", hint=hint) from error
