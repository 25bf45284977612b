"""The container's entry: inputs in, outputs and summary out, none forged."""

import json
import os
import re
import shlex
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runner_model import commands, outputs
from servers import serve
from sitemap_action.__main__ import run
from sitemap_action.cli.effects import RunnerFiles

PAGE = "<!doctype html><title>A page</title><p>" + "some words " * 60


@pytest.mark.attack("injection")
@given(st.dictionaries(st.sampled_from(["result", "changed", "sitemap-path"]), st.text(), min_size=1))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_value_can_forge_an_output(tmp_path: Path, values: dict[str, str]) -> None:
    file = tmp_path / "output"
    file.unlink(missing_ok=True)
    with closing(RunnerFiles({"GITHUB_OUTPUT": str(file)})) as runner:
        runner.write_outputs(values)
    expected = {name: value.encode(errors="replace").decode() for name, value in values.items()}
    assert outputs(file.read_bytes().decode()) == expected


def test_without_a_runner_nothing_is_written() -> None:
    RunnerFiles({}).write_outputs({"result": "drift"})


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The workspace of a container action."""
    workspace = tmp_path / "workspace"
    for name in ("index.html", "a/index.html"):
        (workspace / "dist" / name).parent.mkdir(parents=True, exist_ok=True)
        (workspace / "dist" / name).write_text(PAGE)
    monkeypatch.chdir(workspace)
    for name, value in {
        "GITHUB_ACTIONS": "true",
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
        "INPUT_MODE": "check",
        "INPUT_CONFIG": ".github/sitemap.yml",
        "INPUT_SUMMARY": "true",
        "INPUT_PATH": "dist",
        "INPUT_SITE-URL": "https://www.example.com/",
        "INPUT_BASELINE": "",
    }.items():
        monkeypatch.setenv(name, value)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("INPUT_MODE", "chek", "input mode: chek is not a mode"),
        ("INPUT_SUMMARY", "maybe", "input summary: maybe is neither"),
        ("INPUT_BRANCH", "a b", "input branch"),
    ],
    ids=["U-13 a mode", "U-13 a boolean", "U-13 a branch"],
)
def test_inputs_that_cannot_be_used(
    name: str, value: str, words: str, runner: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    assert run(["run"]) == 2
    summary = (runner / "summary").read_text()
    assert summary.startswith("### ❌ Sitemap: it could not be checked\n")
    assert words in summary.replace("`", "")
    assert outputs((runner / "output").read_text())["changed"] == "false"


def test_check(runner: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run"]) == 1
    found = outputs((runner / "output").read_text())
    assert found["result"] == "drift"
    assert found["changed"] == "false"
    assert (found["url-count"], found["stale-count"], found["added-count"]) == ("2", "2", "2")
    report = json.loads((runner / "workspace" / found["report-json"]).read_text())
    assert report["counts"]["urls"] == 2
    page = (runner / "workspace" / found["report-html"]).read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert '"complete":true' in page
    assert (runner / "workspace/.sitemap-action/.gitignore").read_text() == "*\n"
    assert (runner / "summary").read_text().startswith("### ❌ Sitemap: ")
    assert "drift" in capsys.readouterr().out


@pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="only root can give files away")
def test_files_written_as_root_belong_to_the_owner_of_the_workspace(runner: Path) -> None:
    """The next job of a self-hosted runner must be able to delete it."""
    workspace = runner / "workspace"
    for path in (workspace, *workspace.rglob("*")):
        os.chown(path, 1001, 1001)
    run(["run"])
    assert {path.stat().st_uid for path in workspace.rglob("*")} == {1001}


def test_write(runner: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INPUT_MODE", "write")
    (runner / "workspace/public").mkdir()
    assert run(["run"]) == 0
    found = outputs((runner / "output").read_text())
    assert (found["result"], found["changed"], found["sitemap-path"]) == ("drift", "true", "public/sitemap.xml")
    assert (runner / "workspace/public/sitemap.xml").exists()
    assert not (runner / "workspace/.sitemap-action/sitemap").exists()


def test_B_07_what_write_would_write_lies_beside_the_report(runner: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTION_REPOSITORY", "octo-org/sitemap-action")
    monkeypatch.setenv("INPUT_SITEMAP", "public/sitemap.xml")
    workspace, kept = runner / "workspace", runner / "workspace/.sitemap-action/sitemap"
    assert run(["run"]) == 1
    assert not (workspace / "public").exists()
    assert [path.name for path in kept.iterdir()] == ["sitemap.xml"]
    assert (kept.parent / ".gitignore").read_text() == "*\n"
    summary = (runner / "summary").read_text()
    assert "The sitemap as it should be" in summary
    assert "`.sitemap-action/sitemap`" in summary
    assert "actions/upload-artifact" in summary
    write = "write --path dist --site-url https://www.example.com/ --sitemap public/sitemap.xml"
    assert f"pipx run --spec git+https://github.com/octo-org/sitemap-action sitemap-action {write}\n" in summary
    assert 'docker run --rm -v "$PWD:/site" -w /site "$(docker build -q' in summary
    monkeypatch.setenv("INPUT_MODE", "write")
    assert run(["run"]) == 0
    assert (workspace / "public/sitemap.xml").read_bytes() == (kept / "sitemap.xml").read_bytes()


def test_B_07_all_shards_are_kept(runner: Path) -> None:
    (runner / "workspace/.github").mkdir()
    (runner / "workspace/.github/sitemap.yml").write_text("output: {urls-per-file: 1, gzip: true}")
    assert run(["run"]) == 1
    names = {path.name for path in (runner / "workspace/.sitemap-action/sitemap").iterdir()}
    assert names == {f"{name}.xml{end}" for name in ("sitemap", "sitemap-1", "sitemap-2") for end in ("", ".gz")}


def test_B_07_nothing_is_kept_of_a_run_that_may_not_write(runner: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tripped guard: what would be written is not what anybody should take."""
    (runner / "workspace/.github").mkdir()
    (runner / "workspace/.github/sitemap.yml").write_text("policy: {min-urls: 50}")
    assert run(["run"]) == 1
    assert not (runner / "workspace/.sitemap-action/sitemap").exists()
    assert "The sitemap as it should be" not in (runner / "summary").read_text()


@pytest.mark.attack("injection")
def test_B_07_a_one_liner_is_one_command(runner: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the path of the build is; and no other repository than one on the forge is named."""
    (runner / "workspace/dist").rename(runner / "workspace/a'$(id)`b")
    monkeypatch.setenv("INPUT_PATH", "a'$(id)`b")
    monkeypatch.setenv("GITHUB_ACTION_REPOSITORY", "x/y;id")
    assert run(["run"]) == 1
    (line,) = [line for line in (runner / "summary").read_text().splitlines() if line.startswith("pipx run")]
    assert shlex.split(line)[5:8] == ["write", "--path", "a'$(id)`b"]
    assert "git+https://github.com/OWNER/sitemap-action" in line


def test_the_underscore_spelling_of_an_input(runner: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("INPUT_SITE-URL")
    monkeypatch.setenv("INPUT_SITE_URL", "https://www.example.com/")
    assert run(["run"]) == 1


def test_no_summary(runner: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INPUT_SUMMARY", "False")
    run(["run"])
    assert not (runner / "summary").exists()


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("INPUT_SUMMARY", "yes", "input summary: yes is neither true nor false"),
        ("INPUT_MODE", "deploy", "input mode: deploy is not a mode"),
        ("INPUT_MAX-REMOVED", "lots", "input max-removed"),
        ("INPUT_PATH", "/etc", "input path"),
    ],
)
def test_a_wrong_input_is_an_annotation_and_exit_2(
    name: str, value: str, says: str, runner: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(name, value)
    assert run(["run"]) == 2
    printed = capsys.readouterr()
    assert printed.err == ""  # on GitHub everything goes to one stream, in order
    assert printed.out.startswith("::error title=sitemap-action::")
    assert says in printed.out


HOSTILE = "%0A::error::x\n##[set-output name=changed]false <script>alert(1)</script> | `x` @everyone www.evil.example"


@pytest.mark.attack("injection")
def test_no_text_of_a_page_is_a_command(runner: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = f'<!doctype html><title>{HOSTILE}</title><link rel=canonical href="https://www.example.com/::{HOSTILE}">'
    (runner / "workspace/dist/a/index.html").write_text(page)
    (runner / "workspace/dist/##[error]x.html").write_text(PAGE)
    (runner / "workspace/dist/::error::y.html").write_text(PAGE)
    run(["run"])
    heard = [one.name for one in commands(capsys.readouterr().out)]
    assert heard[:2] == ["group", "endgroup"]
    assert set(heard[2:]) <= {"error", "warning", "notice"}
    assert len(heard) <= 2 + 3 * 10
    summary = (runner / "summary").read_text()
    assert "<script" not in re.sub(r"(`+).*?\1", "", summary)


@pytest.mark.parametrize(("name", "value"), [("INPUT_PATH", "nowhere"), ("INPUT_PR-BRANCH", "a b")])
def test_a_run_that_fails_leaves_no_report_of_an_earlier_one(
    name: str, value: str, runner: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(["run"])
    reports = runner / "workspace/.sitemap-action"
    assert {"report.json", "report.html", "report.sarif"} <= {path.name for path in reports.iterdir()}
    monkeypatch.setenv(name, value)
    assert run(["run"]) == 2
    assert {path.name for path in reports.iterdir()} <= {".gitignore", "sitemap"}


def test_debug_logging_shows_every_request(
    runner: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("INPUT_PATH")
    with serve({"/": PAGE + "<a href='/%0A::error::x?##[error]'>x</a>", "*": 404}) as site:
        monkeypatch.setenv("INPUT_URL", site.url)
        run(["run"])
        assert "debug" not in {one.name for one in commands(capsys.readouterr().out)}
        monkeypatch.setenv("RUNNER_DEBUG", "1")
        run(["run"])
    heard = commands(capsys.readouterr().out)
    lines = [one.data for one in heard if one.name == "debug"]
    assert any(line.startswith(f"GET {site.url} (page): 200, ") for line in lines)
    assert all(line.startswith(f"GET {site.origin}/") for line in lines)
    assert {one.name for one in heard} <= {"group", "endgroup", "debug", "error", "warning", "notice"}


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/", "http://localhost:9", "http://[::1]:9/docs/"])
def test_localhost_is_the_container(url: str, runner: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    monkeypatch.delenv("INPUT_PATH")
    monkeypatch.setenv("INPUT_URL", url)
    assert run(["run"]) == 3
    assert "::warning title=sitemap-action::In a container localhost is the container itself" in capsys.readouterr().out
