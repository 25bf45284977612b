"""`.pre-commit-hooks.yaml`: the hook as pre-commit runs it, which files it takes, and the config of the documents.

pre-commit itself would install the package anew; the entry is what it starts, with the staged files behind it.
"""

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from documents import BLOCKS
from runners import NAMESPACE, urlset

ROOT = Path(__file__).parents[1]
(HOOK,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
FILES: list[tuple[str, bool]] = [
    # path, taken by the hook
    ("sitemap.xml", True),
    ("public/sitemap.xml", True),
    ("public/sitemap-index.xml", True),
    ("static/post-sitemap_2.xml.gz", True),
    ("sitemap/feed.xml", False),  # only the name of the file counts
    ("public/sitemap.xml.bak", False),
    ("pom.xml", False),
]


@pytest.mark.parametrize(("path", "taken"), FILES)
def test_which_files_it_takes(path: str, taken: bool) -> None:
    assert bool(re.search(HOOK["files"], path)) is taken


def entry(folder: Path, *paths: str) -> subprocess.CompletedProcess[str]:
    program, *arguments = shlex.split(HOOK["entry"])
    command = [str(Path(sys.executable).with_name(program)), *arguments, *paths]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_the_entry_passes_what_is_right_and_names_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "sitemap.xml").write_text(urlset("", "about"))
    (tmp_path / "broken-sitemap.xml").write_text(f"<urlset {NAMESPACE}><url><loc>/about/</loc></url></urlset>")
    assert entry(tmp_path, "sitemap.xml").returncode == 0
    done = entry(tmp_path, "sitemap.xml", "broken-sitemap.xml")
    assert (done.returncode, "broken-sitemap.xml:1" in done.stdout) == (1, True), done.stdout


def test_the_hook_has_what_pre_commit_needs() -> None:
    assert {"id", "name", "entry", "language", "files"} <= set(HOOK)
    assert HOOK["language"] == "python", "it installs the package, whose script is the entry"


def test_the_documents_name_the_hook() -> None:
    found: list[Any] = [yaml.safe_load(block.text) for block in BLOCKS if re.match(r"repos:", block.text)]
    assert [hook["id"] for one in found for repository in one["repos"] for hook in repository["hooks"]] == [HOOK["id"]]
