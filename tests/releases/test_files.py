"""What a release writes into files: the version, the owner, digests, the section of the changelog."""

import re
from pathlib import Path

import pytest
import yaml

from releases.steps import CHANGES, ROOT, git, index, pinned, run
from sitemap_action import REPOSITORY, __version__
from sitemap_action.setup.texts import ACTION, UNRELEASED


def test_a_version_is_named_everywhere(plain: Path) -> None:
    assert run(plain, "prepare", "1.0.0", "--date", "2026-11-22")[0] == 0
    assert 'version = "1.0.0"' in (plain / "pyproject.toml").read_text()
    assert '__version__ = "1.0.0"' in (plain / "sitemap_action/__init__.py").read_text()
    assert (plain / "CHANGELOG.md").read_text() == CHANGES.replace(
        "## Unreleased\n", "## Unreleased\n\n## 1.0.0 (2026-11-22)\n"
    )
    assert run(plain, "notes", "1.0.0") == (0, "### Added\n\n- A change.\n", "")
    owner = REPOSITORY.partition("/")[0]
    texts = [
        (plain / name).read_text() for name in ("README.md", "docs/workflows.md", "examples/workflows/preview.yml")
    ]
    used = [one for text in texts for one in re.findall(rf"{owner}/sitemap-action(?:/\w+)?@(\w+)", text)]
    assert len(used) == 3
    assert set(used) == {"v1"}
    assert [text for text in texts if "no release yet" in text or "rev: main" in text] == []


def test_a_dry_run_shows_and_changes_nothing(plain: Path) -> None:
    code, shown, _ = run(plain, "prepare", "1.0.0", "--dry-run")
    assert (code, git(plain, "status", "--porcelain")) == (0, "")
    assert '-version = "0.1.0"\n+version = "1.0.0"\n' in shown


@pytest.mark.parametrize(
    ("arguments", "edit", "message"),
    [
        (["prepare", "0.1.0"], None, "0.1.0 does not come after 0.1.0"),
        (["prepare", "0.0.9"], None, "does not come after"),
        (["prepare", "1.0"], None, "is no version"),
        (["prepare", "v1.0.0"], None, "is no version"),
        (["prepare", "1.0.0-rc.1"], None, "is no version"),
        (["prepare", "01.0.0"], None, "is no version"),
        (["prepare", "1.0.0", "--date", "22.11.2026"], None, "is no date"),
        (
            ["prepare", "1.0.0"],
            ("CHANGELOG.md", "### Added\n\n- A change.\n", ""),
            "section 1.0.0 of CHANGELOG.md is empty",
        ),
        (["prepare", "1.0.0"], ("CHANGELOG.md", "## Unreleased\n", ""), "needs one section"),
        (["prepare", "1.0.0"], ("CHANGELOG.md", "## 0.1.0", "## 1.0.0"), "has a section 1.0.0 already"),
        (["prepare", "1.0.0"], ("pyproject.toml", 'version = "0.1.0"', 'version = "0.2.0"'), "different versions"),
        (["notes", "9.9.9"], None, "no section 9.9.9"),
        (["owner", "OWNER"], None, "no name of a GitHub account"),
        (["owner", "a b"], None, "no name of a GitHub account"),
    ],
)
def test_what_is_not_consistent_is_refused(
    plain: Path, arguments: list[str], edit: tuple[str, str, str] | None, message: str
) -> None:
    if edit:
        name, old, new = edit
        text = (plain / name).read_text()
        assert old in text
        (plain / name).write_text(text.replace(old, new))
    before = git(plain, "diff")
    code, _, shown = run(plain, *arguments)
    assert (code, git(plain, "diff")) == (1, before)
    assert message in shown


def test_the_owner_is_one_constant(plain: Path) -> None:
    """Every plain that names the action agrees with it, and one command sets it."""
    assert run(plain, "owner", "acme")[0] == 0
    left = git(plain, "grep", "-hoE", "OWNER/sitemap-action|acme/sitemap-action")
    assert set(left.splitlines()) == {"acme/sitemap-action"}
    assert 'REPOSITORY = "acme/sitemap-action"' in (plain / "sitemap_action/__init__.py").read_text()


def test_every_example_names_the_constant_and_the_version_that_moves() -> None:
    major = __version__.partition(".")[0]
    assert f"{REPOSITORY}@{'main' if major == '0' else f'v{major}'}" == ACTION
    texts = "".join(
        path.read_text(encoding="utf-8")
        for path in (ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "examples/workflows").glob("*.yml"))
    )
    used = re.findall(r"([\w-]+/sitemap-action)(?:/\w+)?@(\w+)", texts)
    assert len(used) > 10
    assert {f"{name}@{version}" for name, version in used} == {ACTION}
    said = re.findall(r"(?m)^ *-? *(?:uses: [\w-]+/sitemap-action@|rev: )main(.*)$", texts)
    assert len(said) == (len(used) + 1 if UNRELEASED else 0)
    assert {*said} <= {UNRELEASED}, "U-39: each place that names the branch says so in the same words"
    assert set(re.findall(r"github\.com/([\w.-]+/sitemap-action)", texts)) == {REPOSITORY}


def test_a_digest_is_that_of_what_the_registry_served(plain: Path, tmp_path: Path) -> None:
    pinned(plain, "1.0.0", tmp_path)
    base, image = index(tmp_path / "base.json"), index(tmp_path / "image.json")
    docker = re.findall(r"(?m)^FROM (\S+)", (plain / "Dockerfile").read_text())
    assert docker[0] == f"python:3.13-slim@{base}"
    (step,) = yaml.safe_load((plain / "action.yml").read_text())["runs"]["steps"]
    assert step["env"]["IMAGE"] == f"ghcr.io/acme/sitemap-action:v1.0.0@{image}"
    assert re.fullmatch(
        r"ghcr\.io/acme/sitemap-action:v1\.0\.0-browser@sha256:[0-9a-f]{64}", step["env"]["IMAGE_BROWSER"]
    )


@pytest.mark.attack("supply chain")
@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is no index"),
        ("sha256:" + "1" * 64, "is no index"),
        ('{"manifests": []}', "is no index"),
        ("index of one platform", "has no image for linux/arm64"),
        ("manifest", "is no index of an image that a registry has served"),
    ],
)
def test_what_no_registry_has_resolved_is_not_written(plain: Path, tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "image.json"
    if content == "index of one platform":
        index(file, "linux/amd64")
    elif content == "manifest":
        index(file, media="application/vnd.oci.image.manifest.v1+json")
    else:
        file.write_text(content)
    assert run(plain, "owner", "acme")[0] == 0
    before = git(plain, "diff")
    code, _, shown = run(plain, "pin", "1.0.0", "--image", str(file))
    assert (code, git(plain, "diff")) == (1, before)
    assert message in shown


def test_a_base_image_that_is_pinned_to_another_digest_is_a_question(plain: Path, tmp_path: Path) -> None:
    text = (plain / "Dockerfile").read_text()
    (plain / "Dockerfile").write_text(re.sub(r"(?m)^(FROM python:[^\s@]+)\S*", rf"\g<1>@sha256:{'1' * 64}", text))
    index(tmp_path / "base.json")
    code, _, shown = run(plain, "pin", "1.0.0", "--base", str(tmp_path / "base.json"))
    assert (code, "which of them is it?" in shown) == (1, True)


def test_without_an_owner_no_image_is_named(plain: Path, tmp_path: Path) -> None:
    index(tmp_path / "image.json")
    file = plain / "sitemap_action/__init__.py"
    file.write_text(re.sub(r'REPOSITORY = "[\w-]+/', 'REPOSITORY = "OWNER/', file.read_text()))
    code, _, shown = run(plain, "pin", "1.0.0", "--image", str(tmp_path / "image.json"))
    assert (code, "has no owner yet" in shown) == (1, True)
