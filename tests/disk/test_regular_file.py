"""Only regular files are read, and only so much of them (S-09)."""

import os
from pathlib import Path

import pytest

from sitemap_action.__main__ import run
from sitemap_action.cli.options import event_file
from sitemap_action.disk.folder import read_head, read_whole
from sitemap_action.errors import BaselineError
from sitemap_action.walk.folders import WorkTree

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes and devices of POSIX")

PAGE = "<!doctype html><html lang=en><title>A page</title><p>" + "some words " * 60
SITE = ["--site-url", "https://www.example.com/", "--path", "site"]


@pytest.fixture
def odd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a file of every kind that is none, beside a site."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    os.mkfifo("pipe")
    Path("device").symlink_to("/dev/zero")
    Path("random").symlink_to("/dev/urandom")
    Path("terminal").symlink_to("/dev/tty")
    Path("large").write_bytes(b"#" * 300_000)
    Path("endless").symlink_to("endless")
    Path("site").mkdir()
    Path("site/index.html").write_text(PAGE)
    return tmp_path


KINDS = [
    ("folder", "it is a folder"),
    ("pipe", "it is no regular file"),
    ("device", "it is no regular file"),
    ("random", "it is no regular file"),
    ("/dev/null", "it is no regular file"),
    ("/proc/self/fd", "it is a folder"),
    ("endless", "symbolic links"),
]


@pytest.mark.attack("paths")
@pytest.mark.parametrize(("name", "says"), [*KINDS, ("large", "it holds more than 262,144 bytes")])
def test_S_09_a_config_that_is_no_file(odd: Path, name: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", *SITE, "--config", name]) == 2
    assert f"error: {name}: cannot be read: {says}" in capsys.readouterr().err.replace("Too many levels of ", "")


@pytest.mark.attack("paths")
@pytest.mark.parametrize(("name", "says"), KINDS[:4])
def test_S_09_a_robots_txt_that_is_no_file(odd: Path, name: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", *SITE, "--set", f"crawl.robots=file:{name}"]) == 2
    assert f"cannot read {name}: {says}" in capsys.readouterr().err


@pytest.mark.attack("paths")
@pytest.mark.parametrize(("name", "says"), KINDS[:4])
@pytest.mark.parametrize("command", ["check", "write"])
def test_S_09_a_sitemap_that_is_no_file(odd: Path, command: str, name: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    Path("s.xml").symlink_to(name)
    assert run([command, *SITE, "--sitemap", "s.xml"]) == 2
    assert f"cannot read s.xml: {says}" in capsys.readouterr().err


@pytest.mark.attack("paths")
@pytest.mark.parametrize(("name", "_says"), [*KINDS, ("gone", "")])
def test_S_09_an_event_that_is_no_file(odd: Path, name: str, _says: str) -> None:
    assert event_file({"GITHUB_EVENT_PATH": name}) == b""


@pytest.mark.attack("paths")
@pytest.mark.parametrize(("name", "says"), KINDS)
def test_S_09_a_work_tree_has_regular_files(odd: Path, name: str, says: str) -> None:
    with pytest.raises(BaselineError, match=says):
        WorkTree(odd, named=name)(name)


@pytest.mark.attack("paths")
@pytest.mark.parametrize("name", ["gone", "a\0b", "\udcff\ud800", "large/x"])
def test_S_09_a_name_that_no_file_can_have(odd: Path, name: str) -> None:
    assert WorkTree(odd)(name) is None


@pytest.mark.attack("paths")
def test_S_09_sizes(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"12345")
    assert (read_whole(file, 5), read_head(file, 2)) == (b"12345", b"12")
    with pytest.raises(OSError, match="more than 4 bytes"):
        read_whole(file, 4)
    with pytest.raises(OSError, match="more than 3 bytes"):
        read_whole(Path("/proc/self/status"), 3)  # its size is stated as 0
