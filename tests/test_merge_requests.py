"""Merge and pull requests on CIs beside GitHub: their own variables, their own clones, and two pages removed (I-09)."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from documents import text
from repositories import Origin, checkout, commit, create, git, pull_request
from runners import SITE, build, urlset
from sitemap_action.__main__ import run

CONFIG = ".github/sitemap.yml"
Forge = Callable[[Origin, Path, int], tuple[Path, dict[str, str]]]


def tree(*names: str, sitemap: str = "public/sitemap.xml", config: str = "") -> dict[str, str]:
    """A build that is committed, and its sitemap."""
    start = f"site-url: {SITE}\nsource: {{path: dist}}\n"
    return {**build(*names), sitemap: urlset("", *names), CONFIG: start + config}


BASE, HEAD = tree("a", "b", "c", "d"), tree("a", "b")
MAIN, MERGED = tree("a", "b", "c", "d", "later"), tree("a", "b", "later")


def clone(origin: Origin, folder: Path, branch: str, depth: int) -> Path:
    """Of one branch, as `git clone` leaves it; depth 0 is the whole history of every branch."""
    options = [f"--depth={depth}"] if depth else []
    git(folder.parent, "clone", "-q", *options, "--branch", branch, origin.directory.as_uri(), str(folder))
    return folder


def gitlab(origin: Origin, folder: Path, depth: int) -> tuple[Path, dict[str, str]]:
    """The source branch, and no reference to any other."""
    create(folder, origin.directory)
    options = [f"--depth={depth}"] if depth else []
    git(folder, "fetch", "-q", *options, "origin", f"+{origin.head}:refs/pipelines/7")
    git(folder, "checkout", "-q", origin.head)
    return folder, {
        "CI_PIPELINE_SOURCE": "merge_request_event",
        "CI_MERGE_REQUEST_EVENT_TYPE": "detached",
        "CI_MERGE_REQUEST_IID": "12",
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
        "CI_MERGE_REQUEST_TARGET_BRANCH_SHA": "",
        "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": "",
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": origin.base,
        "CI_COMMIT_SHA": origin.head,
    }


def gitlab_merged_results(origin: Origin, folder: Path, depth: int) -> tuple[Path, dict[str, str]]:
    checkout(origin.directory, origin.merge, folder, depth=depth)
    return folder, {
        "CI_PIPELINE_SOURCE": "merge_request_event",
        "CI_MERGE_REQUEST_EVENT_TYPE": "merged_result",
        "CI_MERGE_REQUEST_IID": "12",
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
        "CI_MERGE_REQUEST_TARGET_BRANCH_SHA": origin.main,
        "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": origin.head,
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": origin.base,
        "CI_COMMIT_SHA": origin.merge,
    }


def bitbucket(origin: Origin, folder: Path, depth: int) -> tuple[Path, dict[str, str]]:
    """The source with the destination merged in: the merge commit is of this clone alone."""
    clone(origin, folder, "topic", depth)
    destination = "+refs/heads/main:refs/heads/main"
    git(folder, "fetch", "-q", *([f"--depth={depth}"] if depth else []), "origin", destination)
    merged = commit(folder, MERGED, origin.head, origin.main)
    git(folder, "checkout", "-q", "--force", merged)
    return folder, {
        "BITBUCKET_BUILD_NUMBER": "7",
        "BITBUCKET_PR_ID": "12",
        "BITBUCKET_BRANCH": "topic",
        "BITBUCKET_COMMIT": origin.head[:12],
        "BITBUCKET_PR_DESTINATION_BRANCH": "main",
        "BITBUCKET_PR_DESTINATION_COMMIT": origin.main[:12],
    }


def azure(origin: Origin, folder: Path, depth: int) -> tuple[Path, dict[str, str]]:
    checkout(origin.directory, origin.merge, folder, depth=depth)
    return folder, {
        "BUILD_REASON": "PullRequest",
        "BUILD_SOURCEBRANCH": "refs/pull/12/merge",
        "BUILD_SOURCEVERSION": origin.merge,
        "SYSTEM_PULLREQUEST_PULLREQUESTID": "12",
        "SYSTEM_PULLREQUEST_SOURCEBRANCH": "refs/heads/topic",
        "SYSTEM_PULLREQUEST_SOURCECOMMITID": origin.head,
        "SYSTEM_PULLREQUEST_TARGETBRANCH": "refs/heads/main",
    }


def circleci(origin: Origin, folder: Path, depth: int) -> tuple[Path, dict[str, str]]:
    return clone(origin, folder, "topic", depth), {
        "CIRCLECI": "true",
        "CIRCLE_BRANCH": "topic",
        "CIRCLE_SHA1": origin.head,
        "CIRCLE_PULL_REQUEST": "https://github.com/example/site/pull/12",
    }


def jenkins(origin: Origin, folder: Path, depth: int) -> tuple[Path, dict[str, str]]:
    """The source branch alone, which is how a multibranch pipeline builds what it does not merge."""
    found, _ = gitlab(origin, folder, depth)
    return found, {"BRANCH_NAME": "PR-12", "CHANGE_ID": "12", "CHANGE_TARGET": "main", "CHANGE_BRANCH": "topic"}


def jenkins_merge(origin: Origin, folder: Path, depth: int) -> tuple[Path, dict[str, str]]:
    """The source with the target merged in; the target branch is known."""
    clone(origin, folder, "topic", depth)
    git(folder, "fetch", "-q", "origin", "+refs/heads/main:refs/remotes/origin/main")
    git(folder, "checkout", "-q", "--force", commit(folder, MERGED, origin.head, origin.main))
    return folder, {"BRANCH_NAME": "PR-12", "CHANGE_ID": "12", "CHANGE_TARGET": "main", "CHANGE_BRANCH": "topic"}


@dataclass(frozen=True)
class Checked:
    code: int
    report: dict[str, Any]
    out: str
    err: str

    def removed(self) -> dict[str, str]:
        return {row["url"].removeprefix(SITE): row["class"] for row in self.report["removed"]}


@pytest.fixture
def check(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Checked]:
    def go(place: Path, environment: dict[str, str], *flags: str) -> Checked:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(place)
        code = run(["check", "--report", "json=out.json", *flags])
        printed = capsys.readouterr()
        path = place / "out.json"
        report = json.loads(path.read_text()) if path.exists() else {}
        return Checked(code, report, printed.out, printed.err)

    return go


ROWS = [
    ("GitLab", gitlab, 1),
    ("GitLab, whole", gitlab, 0),
    ("GitLab, merged results", gitlab_merged_results, 1),
    ("GitLab, merged results, whole", gitlab_merged_results, 0),
    ("Bitbucket Pipelines", bitbucket, 2),
    ("Bitbucket Pipelines, whole", bitbucket, 0),
    ("Azure Pipelines", azure, 1),
    ("Azure Pipelines, whole", azure, 0),
    ("CircleCI", circleci, 0),
    ("Jenkins", jenkins, 0),
    ("Jenkins that merges", jenkins_merge, 2),
    ("Jenkins that merges, whole", jenkins_merge, 0),
]


@pytest.mark.parametrize(("forge", "depth"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_I_09_two_pages_and_their_entries_are_removed(forge: Forge, depth: int, tmp_path: Path, check: Callable[..., Checked]) -> None:  # fmt: skip
    """What the target branch gained meanwhile is not this change's doing."""
    origin = pull_request(tmp_path / "origin", BASE, HEAD, MAIN, MERGED)
    found = check(*forge(origin, tmp_path / "clone", depth))
    assert (found.code, found.report.get("result")) == (1, "drift"), found.err
    assert found.removed() == {"c/": "gone", "d/": "gone"}
    assert (found.report["added"], found.report["counts"]["stale"]) == ([], 0)
    assert "change     request 12" in found.out
    own = check(tmp_path / "clone", {}, "--config-from", "base")
    assert (own.code, own.removed(), own.report["policy"]) == (1, found.removed(), []), own.err


REPOSITORY = [
    # and whether the clone lacks what has to be known
    ("GitLab", gitlab, 1, "CI_REPOSITORY_URL", True),
    ("Bitbucket Pipelines", bitbucket, 2, "BITBUCKET_GIT_HTTP_ORIGIN", False),
    ("Azure Pipelines", azure, 1, "BUILD_REPOSITORY_URI", True),
    ("CircleCI", circleci, 0, "CIRCLE_REPOSITORY_URL", True),
    ("Jenkins", jenkins, 0, "GIT_URL", True),
]


@pytest.mark.attack("policy")
@pytest.mark.parametrize("whose", ["head", "base"])
@pytest.mark.parametrize(("forge", "depth", "variable", "asks"), [row[1:] for row in REPOSITORY], ids=[row[0] for row in REPOSITORY])  # fmt: skip
def test_S_17_another_repository_says_nothing_of_the_target_branch(forge: Forge, depth: int, variable: str, asks: bool, whose: str, tmp_path: Path, check: Callable[..., Checked]) -> None:  # fmt: skip
    """An earlier step makes one of its own the origin, whose target branch never had the pages."""
    origin = pull_request(tmp_path / "origin", BASE, HEAD, MAIN, MERGED)
    place, environment = forge(origin, tmp_path / "clone", depth)
    environment[variable] = origin.directory.as_uri()
    options = ("--config-from", whose)
    assert check(place, environment, *options).removed() == {"c/": "gone", "d/": "gone"}
    shutil.rmtree(place)
    place, _ = forge(origin, tmp_path / "clone", depth)
    git(place, "config", "remote.origin.url", create(tmp_path / "evil").as_uri())
    found = check(place, environment, *options)
    if asks and not (forge is circleci and whose == "head"):  # whose clone knows the target branch
        assert (found.code, "it is another repository than the CI has cloned" in found.err) == (2, True), found.err
    else:
        assert found.removed() == {"c/": "gone", "d/": "gone"}


def steps(heading: str) -> list[str]:
    """The commands of the step on the page, a line each."""
    section = text("docs/other-ci.md").partition(f"## {heading}\n")[2].partition("\n## ")[0]
    language, block = re.findall(r"(?s)```(\w+)\n(.*?)```", section)[0]
    if language == "groovy":
        return re.findall(r"sh '(.*)'", block)
    found: list[str] = []
    left = [yaml.safe_load(block)]
    while left:
        match left.pop():
            case {**values}:
                for key, value in values.items():
                    lines = value if isinstance(value, list) else [value]
                    found += [str(line) for line in lines] if key in ("script", "run") else []
                    left.append(value)
            case [*values]:
                left += reversed(values)
    return found


PROGRAM = """#!{}
import sys
from sitemap_action.__main__ import run
from sitemap_action.repo import git_process
git_process.PROTOCOLS += ":file"  # the forge is a folder here
sys.exit(run(sys.argv[1:]))
"""
STEPS = [
    ("GitLab", gitlab, 1),
    ("Bitbucket Pipelines", bitbucket, 2),
    ("Azure Pipelines", azure, 1),
    ("CircleCI", circleci, 0),
    ("Jenkins", jenkins, 0),
]


@pytest.mark.parametrize(("heading", "forge", "depth"), STEPS, ids=[row[0] for row in STEPS])
def test_I_09_the_ready_step_is_red(heading: str, forge: Forge, depth: int, tmp_path: Path) -> None:
    """As it stands on the page, in a shell that has these variables and a program that is installed already."""
    files = [{**one, "build.sh": "true\n"} for one in (BASE, HEAD, MAIN, MERGED)]
    origin = pull_request(tmp_path / "origin", *files)
    place, environment = forge(origin, tmp_path / "clone", depth)
    (place / "build.sh").write_text("true\n")
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "pip").write_text("#!/bin/sh\n")
    (programs / "sitemap-action").write_text(PROGRAM.format(sys.executable))
    for program in (*programs.iterdir(), place / "build.sh"):
        program.chmod(0o755)
    environment |= {"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(tmp_path)}
    script = "\n".join(steps(heading))
    done = subprocess.run(
        ["bash", "-ec", script], cwd=place, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr
    assert done.stdout.count(f"{SITE}c/") == done.stdout.count(f"{SITE}d/") == 1
    assert "lost" in done.stdout
    assert f"{SITE}later/" not in done.stdout


@pytest.mark.parametrize("forge", [gitlab, circleci, jenkins])
def test_I_09_a_shallow_clone_whose_parent_is_the_target_needs_no_history(
    forge: Forge, tmp_path: Path, check: Callable[..., Checked]
) -> None:
    origin = pull_request(tmp_path / "origin", BASE, HEAD)
    found = check(*forge(origin, tmp_path / "clone", 1))
    assert (found.code, found.removed()) == (1, {"c/": "gone", "d/": "gone"}), found.err


@pytest.mark.parametrize(
    ("forge", "branch", "deeper"),
    [
        (circleci, "the default branch", "checkout: {method: full}"),
        (jenkins, "main", "a clone that is not shallow"),
    ],
)
def test_I_09_a_history_that_is_cut_off_ends_with_the_remedy(
    forge: Forge, branch: str, deeper: str, tmp_path: Path, check: Callable[..., Checked]
) -> None:
    """Main went on, and nothing tells where the change began."""
    origin = pull_request(tmp_path / "origin", BASE, HEAD, MAIN, MERGED)
    found = check(*forge(origin, tmp_path / "clone", 1))
    assert (found.code, found.out) == (2, "")
    assert f"cannot find the merge base of {origin.head[:12]} and {branch}: the clone is shallow" in found.err
    assert f"check out with {deeper}, or set --baseline to git:REF" in found.err


def test_I_09_CircleCI_names_no_target_so_it_is_the_remote_s_default_branch(
    tmp_path: Path, check: Callable[..., Checked]
) -> None:
    """Asked of the remote where the clone does not know it; else the run names --baseline."""
    origin = pull_request(tmp_path / "origin", BASE, HEAD, MAIN, MERGED)
    place, environment = circleci(origin, tmp_path / "clone", 0)
    git(place, "remote", "set-head", "origin", "--delete")
    git(place, "update-ref", "-d", "refs/remotes/origin/main")
    found = check(place, environment)
    assert (found.code, found.removed()) == (1, {"c/": "gone", "d/": "gone"}), found.err
    assert found.report["baseline"].endswith(f"at {origin.base[:12]}, the merge base with the default branch")
    git(place, "remote", "set-url", "origin", (tmp_path / "nowhere").as_uri())
    found = check(place, environment)
    assert (found.code, found.out) == (2, "")
    assert "the default branch: this clone has no commit of it" in found.err
    assert "set --baseline to git:REF" in found.err


@pytest.mark.parametrize("forge", [bitbucket, gitlab])
def test_I_09_a_commit_that_nobody_has_ends_with_the_remedy(
    forge: Forge, tmp_path: Path, check: Callable[..., Checked]
) -> None:
    origin = pull_request(tmp_path / "origin", BASE, HEAD, MAIN, MERGED)
    place, environment = forge(origin, tmp_path / "clone", 0)
    for name in ("BITBUCKET_PR_DESTINATION_COMMIT", "CI_MERGE_REQUEST_DIFF_BASE_SHA"):
        environment[name] = "f" * len(environment.get(name, ""))
    found = check(place, environment)
    assert (found.code, found.out) == (2, "")
    assert "ffffffffffff, where the change into main begins, is not in this clone and cannot be fetched" in found.err


@pytest.mark.attack("policy")
@pytest.mark.parametrize("value", ["--upload-pack=x", "main", "f" * 11, "HEAD~1", "F" * 40, "a" * 65])
def test_I_09_a_variable_that_holds_no_commit_is_none(
    value: str, tmp_path: Path, check: Callable[..., Checked]
) -> None:
    origin = pull_request(tmp_path / "origin", BASE, HEAD, MAIN, MERGED)
    place, environment = bitbucket(origin, tmp_path / "clone", 0)
    found = check(place, environment | {"BITBUCKET_PR_DESTINATION_COMMIT": value})
    assert (found.code, found.removed()) == (1, {"c/": "gone", "d/": "gone"}), found.err


def test_I_09_a_policy_that_the_merge_request_changes_opens_its_report(
    tmp_path: Path, check: Callable[..., Checked]
) -> None:
    """POL-01; with the target branch's config the change does not count."""
    loose = tree("a", "b", config="policy: {fail-on: [stale], max-removed: none}\n")
    origin = pull_request(tmp_path / "origin", BASE, loose)
    place, environment = gitlab(origin, tmp_path / "clone", 1)
    head = check(place, environment)
    assert (head.code, [row["key"] for row in head.report["policy"]]) == (0, ["policy.fail-on", "policy.max-removed"])
    assert "POL-01" in {row["rule"] for row in head.report["findings"]}
    base = check(place, environment, "--config-from", "base")
    assert (base.code, base.removed()) == (1, {"c/": "gone", "d/": "gone"})
    assert [row["key"] for row in base.report["policy"]] == ["policy.fail-on", "policy.max-removed"]
    assert check(place, environment, "--config-from", "base", "--config", "other.yml").code == 2


@pytest.mark.parametrize("environment", [{}, {"CI": "true", "GITLAB_CI": "true", "CI_PIPELINE_SOURCE": "push"}])
def test_I_09_outside_of_every_event_a_committed_sitemap_is_no_baseline_for_itself(
    environment: dict[str, str], tmp_path: Path, check: Callable[..., Checked]
) -> None:
    origin = pull_request(tmp_path / "origin", BASE, HEAD, MAIN, MERGED)
    place, _ = gitlab(origin, tmp_path / "clone", 0)
    found = check(place, environment)
    assert (found.code, found.report["result"]) == (0, "in-sync")
    assert "baseline   none: removals were not judged; name --baseline" in found.out
    assert found.report["baseline"] == "none: removals were not judged; name --baseline"
    asked = check(place, environment, "--baseline", "committed")  # said by who asks for it
    assert (asked.code, asked.report["baseline"]) == (0, "the committed public/sitemap.xml")
    named = check(place, environment, "--baseline", f"git:{origin.base}")
    assert (named.code, named.removed()) == (1, {"c/": "gone", "d/": "gone"})
