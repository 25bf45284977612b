"""`.ci/release` refuses to build what another day would build differently."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PARTS = (
    "Dockerfile",
    "action.yml",
    "pyproject.toml",
    "CHANGELOG.md",
    ".ci/release",
    "sitemap_action/__init__.py",
)
DIGEST = f"sha256:{'0' * 64}"  # of no image: only its form is checked
COMMIT = "0" * 40

pytestmark = pytest.mark.skipif(os.name != "posix", reason="a shell script")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """All pinned: a copy of this repository in which digest, commits and changelog are as at a release."""
    for name in (*PARTS, *(str(path.relative_to(ROOT)) for path in (ROOT / ".github/workflows").glob("*.yml"))):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    edit(tmp_path / "Dockerfile", r"(?m)^(FROM python:[^\s@]+)\S*", rf"\g<1>@{DIGEST}")
    for path in (tmp_path / ".github/workflows").glob("*.yml"):
        edit(path, r"(uses: [\w-]+/[\w/-]+)@\S+", rf"\g<1>@{COMMIT}")
    version = re.search(r'(?m)^version = "(.*)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert version
    edit(tmp_path / "CHANGELOG.md", "## Unreleased", f"## {version[1]}")
    edit(tmp_path / "sitemap_action/__init__.py", r'REPOSITORY = "[\w-]+/', 'REPOSITORY = "acme/')
    program(tmp_path / ".venv/bin/python", "exit ${SBOM:-0}")
    program(tmp_path / "bin/engine", 'echo "$@" > built')
    return tmp_path


def program(path: Path, line: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
    path.chmod(0o755)


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    changed = re.sub(old, new, text)
    path.write_text(changed, encoding="utf-8")


def release(repository: Path, *arguments: str, **environment: str) -> tuple[int, str, bool]:
    """(exit code, messages, whether an image was built)"""
    done = subprocess.run(
        [str(repository / ".ci/release"), *arguments],
        env={**os.environ, "SITEMAP_ACTION_ENGINE": str(repository / "bin/engine"), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    built = repository / "built"
    return done.returncode, done.stderr, built.exists()


def test_what_is_pinned_is_built(repository: Path) -> None:
    assert release(repository) == (0, "", True)
    assert re.fullmatch(r"build --pull --tag sitemap-action:\S+ \.\n", (repository / "built").read_text())


def test_a_check_builds_nothing(repository: Path) -> None:
    assert release(repository, "--check") == (0, "", False)


def test_the_version_that_is_meant_is_the_one_that_is_named(repository: Path) -> None:
    code, shown, _ = release(repository, "--check", "9.9.9")
    assert (code, "not 9.9.9; python .ci/releases prepare 9.9.9" in shown) == (1, True)


@pytest.mark.attack("supply chain")
@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("Dockerfile", f"@{DIGEST}", "", "Dockerfile: python:3.13-slim has no digest"),
        ("Dockerfile", DIGEST, "sha256:", "has no digest"),
        ("Dockerfile", DIGEST, DIGEST[:-1], "has no digest"),
        ("Dockerfile", DIGEST, "sha256:…", "has no digest"),
        ("Dockerfile", DIGEST, DIGEST.replace("256", "512"), "has no digest"),
        (
            "Dockerfile",
            "\nFROM base AS system\n",
            "\nFROM debian:13 AS system\n",
            "Dockerfile: debian:13 has no digest",
        ),
        ("Dockerfile", "\nFROM base AS system\n", "\nfrom python:3.13-slim AS system\n", "has no digest"),
        ("Dockerfile", r"FROM base AS build", "FROM docker.io/library/python:3 AS build", "has no digest"),
        (".github/workflows/test.yml", f"@{COMMIT}", "@v7", "actions/checkout@v7"),
        (".github/workflows/test.yml", f"@{COMMIT}", "@main", "actions/checkout@main"),
        (".github/workflows/test.yml", f"@{COMMIT}", f"@{COMMIT[:-1]}", "not pinned to a commit"),
        ("sitemap_action/__init__.py", "acme", "OWNER", "the repository has no owner yet"),
        ("CHANGELOG.md", r"## \d.*", "## Unreleased", "CHANGELOG.md has no section"),
    ],
)
def test_what_is_not_pinned_is_refused(repository: Path, file: str, old: str, new: str, message: str) -> None:
    edit(repository / file, old, new)
    code, shown, built = release(repository)
    assert (code, built) == (1, False)
    assert message in shown


@pytest.mark.attack("supply chain")
def test_a_bill_of_materials_of_another_lock_is_refused(repository: Path) -> None:
    code, shown, built = release(repository, SBOM="1")
    assert (code, built) == (1, False)
    assert "run make sbom" in shown


def test_the_base_image_is_named_once() -> None:
    lines = re.findall(r"(?m)^FROM (\S+)(?: AS (\S+))?$", (ROOT / "Dockerfile").read_text(encoding="utf-8"))
    stages = {name for _, name in lines}
    assert [image for image, _ in lines if image not in stages] == [lines[0][0]]
    assert re.fullmatch(r"python:3\.\d+-slim(@sha256:[0-9a-f]{64})?", lines[0][0])


def test_every_action_of_our_workflows_is_pinned_with_its_version() -> None:
    for path in (ROOT / ".github/workflows").glob("*.yml"):
        for line in re.findall(r"uses: (?!\./)(.*)", path.read_text(encoding="utf-8")):
            assert re.fullmatch(r"\S+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line), line


def test_dependabot_watches_everything_that_is_pinned() -> None:
    text = (ROOT / ".github/dependabot.yml").read_text(encoding="utf-8")
    assert set(re.findall(r"package-ecosystem: (\S+)", text)) == {"pip", "docker", "github-actions"}


def test_two_builds_are_compared_before_an_image_is_pushed() -> None:
    text = (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")
    assert 0 < text.index("make reproduce") < text.index(".ci/images push") < text.index("attestations: write")


def test_W_17_each_step_of_a_release_can_be_run_again() -> None:
    text = (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")
    assert re.search(
        r'gh release view "v\$VERSION" > /dev/null 2>&1 \|\|\n +gh release create "v\$VERSION" --draft', text
    )
    assert text.index("gh release upload") < text.index("--draft=false"), "what is published is whole"
    assert "twine upload --non-interactive --skip-existing" in text
    assert '.ci/images base base.json "$(python3 .ci/releases base "$VERSION")"' in text
    jobs = re.findall(r"(?m)^  (\w+):$\n    name:", text)
    assert jobs[-1] == "major", "v1 moves last"
