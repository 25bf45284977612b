"""Tags in a real repository with a real remote: that of a release never moves, that of its major version does."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from releases.steps import git, run


@pytest.fixture
def place(release_1: Path) -> Path:
    return release_1


@pytest.fixture(autouse=True)
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A skopeo that can pull everything."""
    folder = tmp_path / "programs"
    folder.mkdir()
    (folder / "skopeo").write_text("#!/bin/sh\n")
    (folder / "skopeo").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return folder


def remote(place: Path) -> dict[str, str]:
    """Tag → commit."""
    lines = git(place, "ls-remote", "--tags", "origin").splitlines()
    found = {name.removeprefix("refs/tags/"): commit for commit, name in (line.split("\t") for line in lines)}
    return {name: found.get(f"{name}^{{}}", commit) for name, commit in found.items() if not name.endswith("^{}")}


def release(place: Path, *versions: str) -> Iterator[tuple[int, str]]:
    """As the next releases do: on the branch, where nothing is pinned."""
    for version in versions:
        git(place, "checkout", "-q", "--detach")
        for name in (
            "pyproject.toml",
            "sitemap_action/__init__.py",
            "action.yml",
        ):
            if (place / name).exists():
                text = re.sub(r'(?m)((?:version__|^version) = ")[^"]+', rf"\g<1>{version}", (place / name).read_text())
                (place / name).write_text(re.sub(r"(sitemap-action:v)\d+\.\d+\.\d+", rf"\g<1>{version}", text))
        change = f"## Unreleased\n\n## {version}\n\n- A change.\n"
        (place / "CHANGELOG.md").write_text((place / "CHANGELOG.md").read_text().replace("## Unreleased\n", change))
        git(place, "commit", "-qam", f"Prepared {version}")
        assert run(place, "tag", version)[0] == 0
        code, _, shown = run(place, "move", version)
        yield code, shown


def test_a_release_has_a_commit_of_its_own_and_a_tag(place: Path) -> None:
    main = git(place, "rev-parse", "main")
    assert run(place, "tag", "1.0.0")[0] == 0
    commit = remote(place)["v1.0.0"]
    assert git(place, "rev-parse", f"{commit}^") == main == git(place, "rev-parse", "main"), "the branch has no digests"
    changed = set(git(place, "diff", "--name-only", "main", commit).splitlines())
    assert changed == {"Dockerfile", "action.yml"}
    assert git(place, "cat-file", "-t", "v1.0.0") == "tag"
    assert "v1" not in remote(place)


def test_a_dry_run_says_what_it_would_run(place: Path) -> None:
    code, shown, _ = run(place, "tag", "1.0.0", "--dry-run")
    assert (code, remote(place)) == (0, {})
    assert "git push --quiet origin refs/tags/v1.0.0\n" in shown
    assert git(place, "tag") == ""


def test_the_major_version_follows(place: Path) -> None:
    assert run(place, "tag", "1.0.0")[0] == 0
    assert run(place, "move", "1.0.0")[0] == 0
    assert remote(place)["v1"] == remote(place)["v1.0.0"]
    assert [code for code, _ in release(place, "1.0.1", "1.10.0", "2.0.0")] == [0, 0, 0]
    there = remote(place)
    assert (there["v1"], there["v2"]) == (there["v1.10.0"], there["v2.0.0"])
    assert run(place, "move", "1.10.0")[:2] == (0, ""), "it is there already"


def test_a_fix_of_an_older_line_does_not_move_it_back(place: Path) -> None:
    assert [code for code, _ in release(place, "1.2.0")] == [0]
    ((code, shown),) = release(place, "1.1.1")
    assert (code, "v1 stays at v1.2.0" in shown) == (1, True)
    assert remote(place)["v1"] == remote(place)["v1.2.0"]


def test_W_17_a_tag_is_made_once_and_a_repeated_run_finds_it(place: Path) -> None:
    assert run(place, "tag", "1.0.0")[0] == 0
    before = remote(place)
    git(place, "tag", "--delete", "v1.0.0")
    code, shown, _ = run(place, "tag", "1.0.0")
    assert (code, shown, remote(place)) == (0, "v1.0.0 is there, and is this release\n", before)


@pytest.mark.attack("supply chain")
@pytest.mark.parametrize("what", ["another image", "another commit"])
def test_W_17_what_is_released_is_not_released_again(what: str, place: Path) -> None:
    assert run(place, "tag", "1.0.0")[0] == 0
    before = remote(place)
    if what == "another image":
        text = (place / "action.yml").read_text()
        (place / "action.yml").write_text(re.sub(r"@sha256:\w+", f"@sha256:{'0' * 64}", text))
    else:
        git(place, "commit", "-q", "--allow-empty", "-m", "later")
    code, _, shown = run(place, "tag", "1.0.0")
    assert (code, remote(place)) == (1, before)
    assert "v1.0.0 is released already, and never moves" in shown


def test_W_17_the_major_version_moves_after_an_anonymous_pull_alone(place: Path, programs: Path) -> None:
    assert run(place, "tag", "1.0.0")[0] == 0
    (programs / "skopeo").write_text(
        "#!/bin/sh\necho 'denied: requested access to the resource is denied' >&2\nexit 1\n"
    )
    code, _, shown = run(place, "move", "1.0.0")
    assert (code, "v1" in remote(place)) == (1, False)
    assert "nobody else can pull ghcr.io/acme/sitemap-action:v1.0.0" in shown
    assert "denied" in shown
    (programs / "skopeo").write_text(f'#!/bin/sh\necho "$@" >> {programs}/asked\n')
    assert run(place, "move", "1.0.0")[0] == 0
    assert remote(place)["v1"] == remote(place)["v1.0.0"]
    asked = (programs / "asked").read_text()
    assert "--src-no-creds docker://ghcr.io/acme/sitemap-action:v1.0.0@sha256:" in asked


def test_W_17_a_repeated_run_has_the_base_image_of_the_first(place: Path) -> None:
    pinned = re.search(r"@(sha256:\w+)", (place / "Dockerfile").read_text())
    assert pinned
    assert run(place, "base", "1.0.0")[1] == f"{pinned[1]}\n"
    assert run(place, "tag", "1.0.0")[0] == 0
    git(place, "checkout", "-q", "main")
    assert run(place, "base", "1.0.1")[1] == "\n", "to be resolved"
    assert run(place, "base", "1.0.0")[1] == f"{pinned[1]}\n"


@pytest.mark.attack("supply chain")
@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("action.yml", r"(?<=IMAGE: )\S+", '""', "action.yml does not name ghcr.io/acme/sitemap-action:v1.0.0"),
        ("action.yml", r"@sha256:\w+", "", "by digest"),
        ("action.yml", r"acme", "evil", "by digest"),
        ("action.yml", r"v1\.0\.0@", "v1.0.1@", "by digest"),
        ("action.yml", r"(?<=BROWSER: )\S+", '""', "does not name ghcr.io/acme/sitemap-action:v1.0.0-browser"),
        ("Dockerfile", r"@sha256:\w+", "", "Dockerfile: python:3.13-slim has no digest"),
        ("README.md", "(?s)^", "changed\n", "changes Dockerfile, action.yml"),
        ("pyproject.toml", 'version = "1.0.0"', 'version = "1.0.1"', "different versions"),
        ("CHANGELOG.md", "## 1.0.0", "## 1.0", "no section 1.0.0"),
    ],
)
def test_nothing_is_tagged_that_is_not_pinned(place: Path, file: str, old: str, new: str, message: str) -> None:
    text = (place / file).read_text()
    changed = re.sub(old, lambda _: new, text, count=1)
    assert changed != text
    (place / file).write_text(changed)
    code, _, shown = run(place, "tag", "1.0.0")
    assert (code, remote(place)) == (1, {})
    assert message in shown


def test_a_version_that_is_not_released_moves_nothing(place: Path) -> None:
    code, _, shown = run(place, "move", "1.0.0")
    assert (code, remote(place)) == (1, {})
    assert "v1.0.0 is not released" in shown
