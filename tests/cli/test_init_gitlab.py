"""`init` in a repository of GitLab: a pipeline, or a file to include, whose lines check a merge request (U-24)."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from repositories import create, git
from setup_repositories import REPOSITORIES, SITE, Repository
from sitemap_action.__main__ import run

CONFIG, PIPELINE, INCLUDED = Path(".github/sitemap.yml"), Path(".gitlab-ci.yml"), Path(".gitlab/sitemap.yml")
THEIRS = "stages: [test]\nunit:\n  script: make test\n"
MKDOCS, PLAIN = REPOSITORIES[0], REPOSITORIES[-1]


@pytest.fixture(autouse=True)
def top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = create(tmp_path / "repository")
    monkeypatch.chdir(folder)
    git(folder, "remote", "add", "origin", "https://gitlab.com/example/site.git")
    return folder


def record(repository: Repository, top: Path) -> None:
    repository.write(top)
    git(top, "add", "--all")
    git(top, "commit", "-q", "-m", "site")


def jobs(path: Path) -> dict[str, Any]:
    found = yaml.safe_load(path.read_text())
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("repository", REPOSITORIES, ids=lambda one: one.name)
def test_U_24_each_generator(repository: Repository, top: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record(repository, top)
    assert run(["init"]) == 0
    assert "wrote .gitlab-ci.yml" in capsys.readouterr().out
    assert CONFIG.is_file()
    assert not Path(".github/workflows").exists()
    found = jobs(PIPELINE)
    check = found["sitemap"]
    assert check["rules"] == [{"if": '$CI_PIPELINE_SOURCE == "merge_request_event"'}]
    assert check["script"][-1].startswith("sitemap-action check")
    if repository.build:
        build = found["sitemap-build"]
        assert (build["artifacts"]["paths"], check["needs"]) == ([repository.output], ["sitemap-build"])
        assert not any("sudo" in line or "snap" in line for line in build["script"])
        assert len(build["script"]) - len(repository.build) == any("cd " in line for line in build["script"])
    else:
        assert [*found] == ["sitemap"]


def test_U_24_a_pipeline_that_is_there_gets_a_file_to_include(top: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (top / PIPELINE).write_text(THEIRS)
    record(MKDOCS, top)
    assert run(["init"]) == 0
    printed = capsys.readouterr().out
    assert (top / PIPELINE).read_text() == THEIRS
    assert [*jobs(INCLUDED)] == ["sitemap-build", "sitemap"]
    assert "Add to .gitlab-ci.yml: include: [{local: /.gitlab/sitemap.yml}]" in printed
    assert run(["init"]) == 2
    assert "exist already; nothing was written" in capsys.readouterr().err


def test_U_24_a_second_init_writes_no_second_pipeline(top: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record(MKDOCS, top)
    assert run(["init"]) == 0
    assert run(["init"]) == 2
    assert ".github/sitemap.yml and .gitlab-ci.yml exist already" in capsys.readouterr().err
    assert not INCLUDED.exists()


# id, origin, files, whether it is GitLab's
FORGES = [
    ("a GitLab of one's own", "git@gitlab.example.org:team/site.git", {}, True),
    ("its pipeline, and no origin", "", {".gitlab-ci.yml": THEIRS}, True),
    ("a pipeline mirrored to GitHub", "https://github.com/example/site", {".gitlab-ci.yml": THEIRS}, False),
    ("both, and another host", "https://code.example.org/site", {".gitlab-ci.yml": THEIRS, ".github/workflows/a.yml": "on: push\n"}, False),
    ("neither", "https://code.example.org/gitlab/site", {}, False),
]  # fmt: skip


@pytest.mark.parametrize(("origin", "files", "ours"), [row[1:] for row in FORGES], ids=[row[0] for row in FORGES])
def test_U_24_which_forge_it_is(origin: str, files: dict[str, str], ours: bool, top: Path) -> None:
    git(top, "remote", "remove", "origin")
    if origin:
        git(top, "remote", "add", "origin", origin)
    for name, text in files.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text)
    record(PLAIN, top)
    assert run(["init"]) == 0
    written = INCLUDED if ".gitlab-ci.yml" in files else PIPELINE
    assert (written.exists(), Path(".github/workflows/sitemap.yml").exists()) == (ours, not ours)


def test_U_24_its_lines_check_a_merge_request(top: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a runner runs them, with a program that is installed already; a page and its row are removed."""
    PLAIN.write(top)
    PLAIN.make(top)
    urls = "".join(f"<url><loc>{url}</loc></url>" for url in PLAIN.urls())
    listing = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{urls}</urlset>'
    (top / "sitemap.xml").write_text(listing)
    assert run(["init"]) == 0
    CONFIG.write_text(
        CONFIG.read_text() + f"site-url: {SITE}\n" if SITE not in CONFIG.read_text() else CONFIG.read_text()
    )
    git(top, "add", "--all")
    git(top, "commit", "-q", "-m", "base")
    base = git(top, "rev-parse", "HEAD")
    gone = next(url for url in PLAIN.urls() if url.endswith("about/") or "about" in url)
    for page in (top / "about.html", top / "about/index.html"):
        page.unlink(missing_ok=True)
    (top / "sitemap.xml").write_text(listing.replace(f"<url><loc>{gone}</loc></url>", ""))
    for page in top.glob("**/*.html"):
        page.write_text(page.read_text().replace('href="/about', 'href="/guide'))
    git(top, "commit", "-qam", "change")
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "pip").write_text("#!/bin/sh\n")
    (programs / "pip").chmod(0o755)
    environment = {
        "PATH": f"{programs}:{Path(sys.executable).parent}:/usr/bin:/bin",
        "HOME": str(tmp_path),
        "CI_PIPELINE_SOURCE": "merge_request_event",
        "CI_MERGE_REQUEST_IID": "7",
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": base,
    }
    script = "\n".join(jobs(PIPELINE)["sitemap"]["script"])
    done = subprocess.run(
        ["bash", "-ec", script], cwd=top, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr
    assert f"{gone}" in done.stdout
    assert json.loads((top / "gl-code-quality-report.json").read_text())
