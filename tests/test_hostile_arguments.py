"""Every option with every value that is no value: a sentence and one of our exit codes, never a bug of the program."""

from itertools import product
from pathlib import Path

import pytest

from runner_model import commands
from sitemap_action.__main__ import run

OPTIONS = (
    "--path", "--url", "--environment", "--host", "--site-url", "--sitemap", "--baseline", "--fail-on", "--max-removed", "--wait-for", "--wait-path",
    "--wait-timeout", "--config", "--set", "--format", "--report", "--state", "--events", "--tls-verify", "--allow-private-hosts",
)  # fmt: skip
VALUES = {
    "nothing": "",
    "a space": " ",
    "an option": "--help",
    "a dash": "-",
    "an option of git": "--upload-pack=touch SPRUNG",
    "a command": "$(touch SPRUNG); `touch SPRUNG`",
    "a workflow command": "::set-output name=result::in-sync",
    "an old workflow command": "##[add-mask]a",
    "lines": "a\n::error::b\r\nc",
    "no UTF-8": "\udcff\udcfe",
    "a control character": "\x1b[2J\x07",
    "a way out": "../../../../etc/passwd",
    "an absolute path": "/etc/passwd",
    "a device": "/dev/full",
    "a long text": "x" * 70_000,
    "a large number": "9" * 5_000,
    "a format": "%s%n{0.__class__}",
    "braces": "{" * 3_000,
    "a key": "a=[" * 500,
    "an address": "http://[::1%25eth0]:99999/\\@x",
}
PAGE = "<!doctype html><title>A page</title><p>" + "some words " * 60


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "workspace"
    (folder / "dist").mkdir(parents=True)
    (folder / "dist/index.html").write_text(PAGE)
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.attack("arguments")
@pytest.mark.parametrize(("option", "name"), list(product(OPTIONS, VALUES)))
def test_an_option_with_a_hostile_value(
    option: str, name: str, workspace: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    value = VALUES[name]
    usual = {"--path": "dist", "--site-url": "https://www.example.com/", "--baseline": "committed"}
    given = [f"{key}={text}" for key, text in ({**usual, option: value}).items()]
    try:
        code = run(["check", *given, "--offline"])
    except SystemExit as end:  # of click, as for --help
        code = int(end.code or 0)
    printed = capsys.readouterr()
    assert code in {0, 1, 2, 3, 4}, printed.err
    assert "Traceback" not in printed.err
    assert not list(workspace.parent.rglob("SPRUNG"))
    if name in {"a workflow command", "an old workflow command", "lines"} and code == 2:
        assert commands(printed.err) == []
    assert (workspace / "dist/index.html").read_text() == PAGE
