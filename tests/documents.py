"""The documents of the project, and the code blocks in them."""

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
DOCUMENTS = (
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "sitemap_action/README.md",
    ".ci/releases/README.md",
    "tests/attacks.md",
    "tests/faults.md",
    "tests/peers.md",
    "tests/security.md",
    "tests/forge/README.md",
    *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md")),
)
_BLOCK = re.compile(r"(?ms)^( *)```([\w-]*)\n(.*?)^\1```$")


class Block(NamedTuple):
    document: str
    line: int  # of its first line
    language: str
    text: str

    @property
    def place(self) -> str:
        return f"{self.document}:{self.line}"


def text(document: str) -> str:
    return (ROOT / document).read_text(encoding="utf-8")


def prose(document: str) -> str:
    """Without its code blocks."""
    return _BLOCK.sub("", text(document))


def _blocks(document: str) -> list[Block]:
    whole = text(document)
    return [
        Block(document, whole.count("\n", 0, found.start(3)) + 1, found[2], found[3])
        for found in _BLOCK.finditer(whole)
    ]


BLOCKS = [block for document in DOCUMENTS for block in _blocks(document)]
_JOBS = re.compile(r"(?m)^jobs:")
_CIRCLECI = re.compile(r"(?m)^version: 2\.1$")  # has jobs of its own
WORKFLOWS = [
    block.text
    for block in BLOCKS
    if block.language == "yaml" and _JOBS.search(block.text) and not _CIRCLECI.search(block.text)
]
STEPS = [
    block.text for block in BLOCKS if block.language == "yaml" and re.match(r"- (?:uses|name|run|id):", block.text)
]
