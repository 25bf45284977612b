"""What a GitHub runner takes from a step: outputs and a job summary, as files that only append."""

import os
from collections.abc import Mapping
from pathlib import Path

_SUMMARY_BUDGET = 900 * 1024  # bytes; past 1 MiB the runner drops the whole summary


def write_outputs(environment: Mapping[str, str], values: Mapping[str, str]) -> None:
    """Append to GITHUB_OUTPUT; nothing happens where there is none.

    Every record has a delimiter of its own that nobody can guess, so that no value can end it and begin another.
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
    """Append to GITHUB_STEP_SUMMARY; nothing happens where there is none."""
    path = environment.get("GITHUB_STEP_SUMMARY")
    if path and len(markdown.encode(errors="replace")) <= _SUMMARY_BUDGET:
        _append(path, markdown)


def _append(path: str, text: str) -> None:
    """File names may hold what UTF-8 cannot; the runner reads UTF-8."""
    with Path(path).open("a", encoding="utf-8", errors="replace", newline="\n") as file:
        file.write(text)
