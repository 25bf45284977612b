"""What the config of a malicious pull request tries: to write, to learn a secret, to leave its file, to pass unseen."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from runner_model import commands, outputs
from sitemap_action.__main__ import run

PAGE = "<!doctype html><html lang=en><title>A page</title><p>" + "some words " * 60
COMMITTED = """<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <url><loc>https://www.example.com/</loc></url>
  <url><loc>https://www.example.com/gone/</loc></url>
</urlset>
"""
POLICY = "site-url: https://www.example.com/\nsource: {path: dist}\npolicy:\n  max-removed: 5\n"


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    found = tmp_path / "workspace"
    put(found, {"dist/index.html": PAGE, "sitemap.xml": COMMITTED, ".github/sitemap.yml": POLICY})
    monkeypatch.chdir(found)
    for name, value in {
        "GITHUB_ACTIONS": "true",
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_REPOSITORY": "example/site",
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
        "INPUT_MODE": "check",
        "INPUT_CONFIG": ".github/sitemap.yml",
        "INPUT_SUMMARY": "true",
    }.items():
        monkeypatch.setenv(name, value)
    return found


def put(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def state(folder: Path) -> dict[str, bytes]:
    """Everything in the workspace but the reports and git's own."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not {".sitemap-action", ".git"} & {*path.relative_to(folder).parts}
    }


@pytest.mark.attack("policy")
@pytest.mark.parametrize(
    "line",
    [
        "mode: write",
        "write: true",
        "dry-run: false",
        "token: abc",
        "headers: 'X-Key: abc'",
        "http: {headers: {X-Key: abc}}",
        "http: {tls-verify: false}",
        "http: {allow-private-hosts: [169.254.169.254]}",
        "report-path: /etc",
        "summary: false",
        "state: ../state",
        "commit-method: git",
        "branch: main",
        "hosts: ['*']",
        "source: {url: auto, hosts: ['*']}",
    ],
)
def test_what_only_an_input_may_say_is_no_key(workspace: Path, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    put(workspace, {".github/sitemap.yml": f"{line}\nsite-url: https://www.example.com/\nsource: {{path: dist}}\n"})
    before = state(workspace)
    assert run(["run"]) == 2
    assert state(workspace) == before
    assert ".github/sitemap.yml:1:" in capsys.readouterr().out


@pytest.mark.attack("secrets")
def test_it_cannot_choose_where_a_secret_goes(workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    put(
        workspace, {".github/sitemap.yml": "source: {url: 'http://127.0.0.1:9/'}\nsite-url: https://www.example.com/\n"}
    )
    monkeypatch.setenv("INPUT_HEADERS", "X-Key: a-long-secret")
    assert run(["run"]) == 2
    printed = capsys.readouterr().out
    assert "secrets are sent only to an address from an input" in printed
    shown = [line for line in printed.splitlines() if not line.startswith("::add-mask::")]
    assert "a-long-secret" not in "".join(shown)


def test_the_input_beats_its_address(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the secret goes to the origin of the input alone."""
    put(
        workspace,
        {".github/sitemap.yml": "source: {url: 'http://evil.example/'}\nsite-url: https://www.example.com/\n"},
    )
    monkeypatch.setenv("INPUT_HEADERS", "X-Key: a-long-secret")
    monkeypatch.setenv("INPUT_URL", "http://127.0.0.1:9/")  # nobody listens there
    monkeypatch.setenv("INPUT_BASELINE", "committed")
    assert run(["run"]) == 3
    report = json.loads((workspace / ".sitemap-action/report.json").read_text())
    assert report["source"]["location"].startswith("http://127.0.0.1:9/")
    assert "evil.example" not in json.dumps(report)


@pytest.mark.attack("paths")
@pytest.mark.parametrize(
    "place",
    [
        "../outside.xml",
        "/tmp/outside.xml",
        ".git/hooks/x.xml",
        ".github/workflows/x.xml",
        "dist/../../outside.xml",
        "link/outside.xml",
        "link.xml",
        "setup.py",
    ],
)
@pytest.mark.skipif(os.name != "posix", reason="symbolic links and absolute paths of POSIX")
def test_it_writes_no_file_but_a_sitemap_in_the_workspace(workspace: Path, place: str, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    outside = workspace.parent / "outside"
    put(outside, {"kept.xml": COMMITTED})
    (workspace / "link").symlink_to(outside, target_is_directory=True)
    (workspace / "link.xml").symlink_to(outside / "kept.xml")
    put(workspace, {".github/sitemap.yml": POLICY + f"sitemap: {place}\n", "setup.py": "pass\n"})
    (workspace / "sitemap.xml").unlink()
    monkeypatch.setenv("INPUT_MODE", "write")
    before = {**state(workspace.parent)}
    assert run(["run"]) != 0
    after = state(workspace.parent)
    reported = {"output", "summary"}
    assert {name: text for name, text in after.items() if name not in reported} == before


def git(workspace: Path, *command: str) -> str:
    done = subprocess.run(["git", "-C", str(workspace), *command], check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def pull_request(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Checked out as a merge commit; the change loosens the policy and drops a page."""
    git(workspace, "init", "-q", "-b", "main")
    git(workspace, "add", "--all")
    git(workspace, "commit", "-qm", "base")
    base = git(workspace, "rev-parse", "HEAD")
    git(workspace, "checkout", "-qb", "topic")
    put(workspace, {".github/sitemap.yml": POLICY.replace("max-removed: 5", "fail-on: none")})
    put(workspace, {"sitemap.xml": COMMITTED.replace("  <url><loc>https://www.example.com/gone/</loc></url>\n", "")})
    git(workspace, "commit", "-qam", "topic")
    git(workspace, "checkout", "-q", "main")
    git(workspace, "merge", "-q", "--no-ff", "-m", "merge", "topic")
    event = workspace.parent / "event.json"
    request = {
        "base": {"ref": "main", "sha": base},
        "head": {"repo": None, "sha": git(workspace, "rev-parse", "topic")},
        "user": {"login": "stranger"},
    }
    event.write_text(json.dumps({"number": 3, "pull_request": request}))
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(event))
    monkeypatch.setenv("GITHUB_SHA", git(workspace, "rev-parse", "HEAD"))
    return workspace


@pytest.mark.attack("policy")
def test_changed_policy_is_announced_everywhere(pull_request: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run"]) == 0, "its own policy lets it pass"
    printed = capsys.readouterr().out
    told = [one.data for one in commands(printed) if one.name == "warning"]
    assert "policy.max-removed: 5 → 20%" in told
    assert any(line.startswith("policy.fail-on: ") for line in told)
    assert printed.index("Policy that this change sets") < printed.index("Removed" if "Removed" in printed else "gone")
    summary = (pull_request.parent / "summary").read_text()
    assert summary.index("Policy") < summary.index("<summary><b>Removed")
    report = json.loads((pull_request / ".sitemap-action/report.json").read_text())
    assert [row["key"] for row in report["policy"]] == ["policy.fail-on", "policy.max-removed"]


@pytest.mark.attack("policy")
@pytest.mark.parametrize("event", ["pull_request_target", "workflow_run", "issue_comment"])
def test_with_secrets_at_hand_its_config_is_not_read(pull_request: Path, event: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    put(pull_request, {".github/sitemap.yml": "mode: write\nthis is no config\n"})
    monkeypatch.setenv("GITHUB_EVENT_NAME", event)
    monkeypatch.setenv("GITHUB_SHA", git(pull_request, "rev-parse", "main~1"))
    monkeypatch.setenv("INPUT_MODE", "write")
    before = state(pull_request)
    run(["run"])
    assert state(pull_request) == before, "and nothing is written"
    printed = capsys.readouterr().out
    assert "::notice title=sitemap-action::mode write is check here" in printed
    assert outputs((pull_request.parent / "output").read_text())["result"] != ""


@pytest.mark.attack("policy")
def test_without_the_commit_of_the_workflow_nothing_is_read(pull_request: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    monkeypatch.setenv("GITHUB_EVENT_NAME", "pull_request_target")
    monkeypatch.setenv("GITHUB_SHA", "e" * 40)
    assert run(["run"]) == 2
    assert "which is not in this clone" in capsys.readouterr().out
    assert outputs((pull_request.parent / "output").read_text())["changed"] == "false"


@pytest.mark.attack("policy")
@pytest.mark.parametrize("path", [".github/sitemap.yml", "sitemap.xml"])
@pytest.mark.parametrize("event", ["pull_request", "pull_request_target", "workflow_run"])
def test_S_14_a_step_that_rewrites_the_target_branch_is_found(event: str, path: str, pull_request: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    """A build step of the change puts its own copy under the id of the target branch's."""
    mine, theirs = (git(pull_request, "rev-parse", f"{name}:{path}") for name in ("main~1", "main"))
    place = pull_request / ".git/objects"
    (place / mine[:2] / mine[2:]).unlink()
    (place / mine[:2] / mine[2:]).write_bytes((place / theirs[:2] / theirs[2:]).read_bytes())
    assert git(pull_request, "show", f"main~1:{path}") == git(pull_request, "show", f"main:{path}"), "git falls into it"
    monkeypatch.setenv("GITHUB_EVENT_NAME", event)
    monkeypatch.setenv("INPUT_CONFIG_FROM", "base")
    if event != "pull_request":
        monkeypatch.setenv("GITHUB_SHA", git(pull_request, "rev-parse", "main~1"))
    assert run(["run"]) == 2
    assert f"the blob {mine[:12]} is not what its id says" in capsys.readouterr().out


@pytest.mark.attack("policy")
@pytest.mark.parametrize("change", ["drops a page", "deletes it", "moves it"])
@pytest.mark.parametrize("event", ["workflow_run", "issue_comment"])
def test_S_14_an_artifact_hides_no_page_that_is_lost(event: str, change: str, pull_request: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    """Its own sitemap lies in the work tree; the baseline is that of the workflow's commit, which still has the page."""
    if change == "moves it":
        (pull_request / "public").mkdir()
        (pull_request / "sitemap.xml").rename(pull_request / "public/sitemap.xml")
    elif change == "deletes it":
        (pull_request / "sitemap.xml").unlink()
    monkeypatch.setenv("GITHUB_EVENT_NAME", event)
    monkeypatch.setenv("GITHUB_SHA", git(pull_request, "rev-parse", "main~1"))
    assert run(["run"]) == 1
    report = json.loads((pull_request / ".sitemap-action/report.json").read_text())
    assert [row["url"] for row in report["removed"]] == ["https://www.example.com/gone/"]
    assert report["baseline"].startswith(f"sitemap.xml at {git(pull_request, 'rev-parse', 'main~1')[:12]}, the commit of the workflow")  # fmt: skip


# id, what the pull request makes of the config file (None: deletes it), the key that POL-01 names
COPIES = [
    ("loosens it", POLICY.replace("max-removed: 5", "fail-on: none"), "policy.fail-on"),
    ("looks elsewhere", POLICY.replace("dist", "old"), "source.path"),
    ("no YAML", "policy: [", ".github/sitemap.yml"),
    ("an unknown key", POLICY + "mode: write\n", ".github/sitemap.yml"),
    ("not UTF-8", "\udcff", ".github/sitemap.yml"),
    ("too large", "#" * 300_000, ".github/sitemap.yml"),
    ("deletes it", None, "source.path"),
    ("leaves it", POLICY, ""),
]


@pytest.mark.attack("policy")
@pytest.mark.parametrize(("text", "key"), [row[1:] for row in COPIES], ids=[row[0] for row in COPIES])
def test_S_05_config_from_base(pull_request: Path, text: str | None, key: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    """The target branch's copy holds, whatever the change makes of its own: a page that vanishes fails the check."""
    config = pull_request / ".github/sitemap.yml"
    config.unlink()
    if text is not None:
        config.write_bytes(text.encode(errors="surrogateescape"))
    monkeypatch.setenv("INPUT_CONFIG-FROM", "base")
    assert run(["run"]) == 1, capsys.readouterr().out
    report = json.loads((pull_request / ".sitemap-action/report.json").read_text())
    keys = [row["key"] for row in report["policy"]]
    assert (key in keys) if key else not keys
    assert ("POL-01" in {row["rule"] for row in report["findings"]}) is bool(key)


@pytest.mark.attack("policy")
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes of POSIX")
def test_S_05_a_head_copy_that_is_a_pipe_is_said(pull_request: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (pull_request / ".github/sitemap.yml").unlink()
    os.mkfifo(pull_request / ".github/sitemap.yml")
    monkeypatch.setenv("INPUT_CONFIG-FROM", "base")
    assert run(["run"]) == 1
    report = json.loads((pull_request / ".sitemap-action/report.json").read_text())
    assert [row["head"] for row in report["policy"]] == ["cannot be read: .github/sitemap.yml: cannot be read: it is no regular file"]  # fmt: skip


@pytest.mark.attack("policy")
@pytest.mark.parametrize(("value", "code"), [("head", 0), ("", 0), ("base", 1), ("main", 2)])
def test_S_05_config_from(pull_request: Path, value: str, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INPUT_CONFIG-FROM", value)
    assert run(["run"]) == code


@pytest.mark.attack("policy")
def test_S_05_config_from_base_outside_of_a_pull_request(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_EVENT_NAME", "push")
    monkeypatch.setenv("INPUT_CONFIG-FROM", "base")
    assert run(["run"]) == 1, "the checkout's copy, and its sitemap is stale"


@pytest.mark.attack("policy")
@pytest.mark.parametrize(
    ("name", "says"), [("other.yml", "no such file at"), ("../other.yml", "is not in the repository")]
)
def test_S_05_config_from_base_never_falls_back(pull_request: Path, name: str, says: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    put(pull_request, {name: "policy: {fail-on: none}\n"})
    monkeypatch.setenv("INPUT_CONFIG", name)
    monkeypatch.setenv("INPUT_CONFIG-FROM", "base")
    assert run(["run"]) == 2
    assert says in capsys.readouterr().out
