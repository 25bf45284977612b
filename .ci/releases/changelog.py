"""CHANGELOG.md: the section of a version, and how the unreleased changes become one."""

import re

from tree import RefusalError

_HEADING = "## Unreleased"


def section(text: str, version: str) -> str:
    """Without its heading; raises RefusalError where there is none, or nothing in it."""
    found = re.search(rf"(?ms)^## {re.escape(version)}(?: \([\d-]+\))?\n(.*?)(?=^## |\Z)", text)
    if not found:
        raise RefusalError(f"CHANGELOG.md has no section {version}; python .ci/releases prepare {version} makes it")
    if not found[1].strip():
        raise RefusalError(f"section {version} of CHANGELOG.md is empty; name what the release contains")
    return f"{found[1].strip()}\n"


def cut(text: str, version: str, date: str) -> str:
    if re.search(rf"(?m)^## {re.escape(version)}\b", text):
        raise RefusalError(f"CHANGELOG.md has a section {version} already")
    if text.count(f"{_HEADING}\n") != 1:
        raise RefusalError(f"CHANGELOG.md needs one section {_HEADING!r}")
    made = text.replace(f"{_HEADING}\n", f"{_HEADING}\n\n## {version} ({date})\n")
    section(made, version)
    return made
