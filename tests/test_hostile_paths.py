"""Paths that a pull request chooses, in a whole run of the action: nothing outside is read, written or deleted."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sitemap_action.__main__ import run
from sitemap_action.sitemap.write import GENERATOR

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="symbolic links and pipes of POSIX"),
    pytest.mark.attack("paths"),
]

PAGE = "<!doctype html><html lang=en><title>A page</title><p>" + "some words " * 60
SECRET = "https://www.example.com/a-secret-line/"
CONFIG = "site-url: https://www.example.com/\nsource: {path: dist}\n"


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    found = tmp_path / "workspace"
    (found / "dist").mkdir(parents=True)
    (found / ".github").mkdir()
    (found / ".git").mkdir()
    (found / "dist/index.html").write_text(PAGE)
    (found / ".github/sitemap.yml").write_text(CONFIG)
    (found / ".git/config").write_text(f"{SECRET}\n")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/index.html").write_text(PAGE + SECRET)
    for name in ("secret", "sitemap.txt", "robots.txt", "sitemap.yml"):
        (tmp_path / "outside" / name).write_text(f"{SECRET}\n")
    monkeypatch.chdir(found)
    for name, value in {
        "GITHUB_ACTIONS": "true",
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
        "INPUT_MODE": "check",
        "INPUT_BASELINE": "committed",
    }.items():
        monkeypatch.setenv(name, value)
    return found


def snapshot(folder: Path) -> dict[str, bytes]:
    """Every file and link of a folder."""
    return {
        str(path.relative_to(folder)): os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()
        for path in folder.rglob("*")
        if path.is_symlink() or path.is_file()
    }


def everything_said(workspace: Path, printed: str) -> str:
    files = [workspace.parent / "output", workspace.parent / "summary", *workspace.glob(".sitemap-action/*")]
    return printed + "".join(path.read_text() for path in files if path.is_file())


Plant = Callable[[Path, Path], object]

# How what is named leads elsewhere: a file of the given name is at the place, and is no file of the workspace.
FILES: list[tuple[str, Plant]] = [
    ("a link to a file outside", lambda at, outside: at.symlink_to(outside / "secret")),
    ("a relative link", lambda at, outside: at.symlink_to(os.path.relpath(outside / "secret", at.parent))),
    ("a link to git's configuration", lambda at, outside: at.symlink_to(outside.parent / "workspace/.git/config")),
    ("a link to a link", lambda at, outside: (at.with_name("l").symlink_to(outside / "secret"), at.symlink_to("l"))),
    ("a link to the environment", lambda at, _: at.symlink_to("/proc/self/environ")),
    ("a link to a device", lambda at, _: at.symlink_to("/dev/zero")),
    ("a link to a folder", lambda at, outside: at.symlink_to(outside)),
    ("a link to itself", lambda at, _: at.symlink_to(at.name)),
    ("a pipe", lambda at, _: os.mkfifo(at)),
    ("a folder", lambda at, _: at.mkdir()),
]
# What names it: config with {0} as the path, the path, an input.
NAMED = [
    ("sitemap", CONFIG + "sitemap: {0}\n", "s/sitemap.txt", {}),
    ("baseline", CONFIG + "baseline: {0}\n", "s/sitemap.txt", {"BASELINE": ""}),
    ("crawl.robots", CONFIG + "crawl: {robots: 'file:{0}'}\n", "s/robots.txt", {}),
    ("the input sitemap", CONFIG, "s/sitemap.txt", {"SITEMAP": "{0}"}),
    ("the input config", CONFIG, "s/sitemap.yml", {"CONFIG": "{0}"}),
]


def _name(workspace: Path, config: str, path: str, inputs: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    (workspace / ".github/sitemap.yml").write_text(config.replace("{0}", path))
    for name, value in inputs.items():
        monkeypatch.setenv(f"INPUT_{name}", value.replace("{0}", path))


@pytest.mark.parametrize("plant", [row[1] for row in FILES], ids=[row[0] for row in FILES])
@pytest.mark.parametrize(("config", "path", "inputs"), [row[1:] for row in NAMED], ids=[row[0] for row in NAMED])
def test_S_04_a_file_that_is_elsewhere_is_not_read(config: str, path: str, inputs: dict[str, str], plant: Plant, workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    (workspace / "s").mkdir()
    plant(workspace / path, workspace.parent / "outside")
    monkeypatch.setenv("A_VARIABLE", SECRET)
    _name(workspace, config, path, inputs, monkeypatch)
    assert run(["run"]) == 2
    printed = capsys.readouterr().out
    assert "a-secret-line" not in everything_said(workspace, printed)
    assert any(why in printed for why in ("it goes through a symbolic link", "it is no regular file", "it is a folder"))


FOLDERS: list[tuple[str, Plant]] = [
    ("a link to a folder outside", lambda at, outside: at.symlink_to(outside)),
    ("a relative link", lambda at, outside: at.symlink_to(os.path.relpath(outside, at.parent))),
    ("a link to a link", lambda at, outside: (at.with_name("l").symlink_to(outside), at.symlink_to("l"))),
    ("a link to the root of this process", lambda at, _: at.symlink_to("/proc/self/root")),
    ("a link to git's folder", lambda at, outside: at.symlink_to(outside.parent / "workspace/.git")),
    ("a link to itself", lambda at, _: at.symlink_to(at.name)),
]


@pytest.mark.parametrize("plant", [row[1] for row in FOLDERS], ids=[row[0] for row in FOLDERS])
@pytest.mark.parametrize(
    ("config", "inputs"),
    [
        ("site-url: https://www.example.com/\nsource: {path: s}\n", {}),
        ("site-url: https://www.example.com/\nsource: {path: s/deep}\n", {}),
        (CONFIG, {"PATH": "s"}),
        (CONFIG + "sitemap: s/sitemap.txt\n", {}),
        (CONFIG + "crawl: {robots: 'file:s/robots.txt'}\n", {}),
        (CONFIG, {"CONFIG": "s/sitemap.yml"}),
    ],
    ids=["source.path", "below it", "the input path", "sitemap", "crawl.robots", "the input config"],
)
def test_S_04_a_folder_that_is_elsewhere_is_not_read(config: str, inputs: dict[str, str], plant: Plant, workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    plant(workspace / "s", workspace.parent / "outside")
    (workspace / ".github/sitemap.yml").write_text(config)
    for name, value in inputs.items():
        monkeypatch.setenv(f"INPUT_{name}", value)
    assert run(["run"]) == 2
    printed = capsys.readouterr().out
    assert "a-secret-line" not in everything_said(workspace, printed)
    assert "it goes through a symbolic link" in printed


@pytest.mark.parametrize(
    "path", [".git", ".git/", ".GIT", ".git.", "dist/../.git", "/etc", "..", "../outside", "~/x", "x" * 300, "a\0b"]
)
@pytest.mark.parametrize("key", ["source: {path: {0}}", "baseline: {0}", "crawl: {robots: 'file:{0}'}"])
def test_S_04_what_a_config_may_not_name(path: str, key: str, workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    monkeypatch.delenv("INPUT_BASELINE")
    name = f'"{path}"'.replace("\0", "\\0") if "file:" not in key else path
    text = "site-url: https://www.example.com/\n" + ("" if key.startswith("source") else "source: {path: dist}\n")
    (workspace / ".github/sitemap.yml").write_text(text + key.replace("{0}", name) + "\n")
    assert run(["run"]) == 2
    assert "a-secret-line" not in everything_said(workspace, capsys.readouterr().out)


def test_S_04_a_file_that_git_keeps_is_no_baseline(workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    """The token of a checkout is in its configuration."""
    monkeypatch.delenv("INPUT_BASELINE")
    (workspace / ".github/sitemap.yml").write_text(CONFIG + "baseline: .git/config\n")
    assert run(["run"]) == 2
    printed = capsys.readouterr().out
    assert "cannot read .git/config: it is in .git" in printed
    assert "a-secret-line" not in everything_said(workspace, printed)


INDEX = (
    '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>{}</loc></sitemap></sitemapindex>'
)


@pytest.mark.parametrize("plant", [row[1] for row in FILES], ids=[row[0] for row in FILES])
def test_S_04_a_child_of_an_index_that_is_elsewhere(plant: Plant, workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    (workspace / "sitemap.xml").write_text(INDEX.format("https://www.example.com/one.txt"))
    plant(workspace / "one.txt", workspace.parent / "outside")
    assert run(["run"]) in {2, 3}
    said = everything_said(workspace, capsys.readouterr().out)
    for command in (["validate", "sitemap.xml"], ["read", "sitemap.xml"], ["diff", "sitemap.xml", "sitemap.xml"]):
        assert run(command) != 0
        said += capsys.readouterr().out
    assert "a-secret-line" not in said


def test_S_04_the_command_line_names_what_it_likes(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outside = workspace.parent / "outside"
    (outside / "robots.txt").write_text("User-agent: *\nDisallow: /private/\n")
    (outside / "sitemap.txt").write_text("https://www.example.com/\n")
    (workspace / "link").symlink_to(outside)
    for path in ("link", str(outside), "../outside"):
        assert run(["check", "--path", path, "--sitemap", "link/sitemap.txt", "--baseline", "link/sitemap.txt"]) == 0
    assert run(["check", "--config", str(workspace / ".github/../.github/sitemap.yml"), "--sitemap", "link/sitemap.txt", "--set", "crawl.robots=file:link/robots.txt"]) == 0  # fmt: skip
    assert run(["check", "--path", "dist", "--sitemap", "link/sitemap.txt", "--set", "crawl={robots: 'file:link/robots.txt'}"]) == 0  # fmt: skip
    assert run(["check", "--path", "dist"]) == 1, "and a place that is found is not named"
    (workspace / "sitemap.xml").symlink_to(outside / "sitemap.txt")
    assert run(["check", "--path", "dist"]) == 2
    assert "cannot read sitemap.xml: it goes through a symbolic link" in capsys.readouterr().out


# report-path, how the workspace is prepared, exit code, what is said
Prepare = Callable[[Path], object]
REPORTS: list[tuple[str, Prepare, int, str]] = [
    ("..", lambda _: None, 2, "it is outside of the workspace"),
    ("../outside", lambda _: None, 2, "it is outside of the workspace"),
    ("a/../../outside", lambda _: None, 2, "it is outside of the workspace"),
    ("{0}/outside", lambda _: None, 2, "it is outside of the workspace"),
    ("{0}/workspace/../outside", lambda _: None, 2, "it is outside of the workspace"),
    ("{0}", lambda _: None, 2, "it is outside of the workspace"),
    (".git", lambda _: None, 2, "it is in .git"),
    (".git/hooks", lambda _: None, 2, "it is in .git"),
    (".GIT", lambda _: None, 2, "it is in .git"),
    (".git./x", lambda _: None, 2, "it is in .git"),
    ("a/.git", lambda _: None, 2, "it is in .git"),
    (".github", lambda _: None, 2, "it is in .github"),
    (".github/workflows", lambda _: None, 2, "it is in .github"),
    (".GitHub/workflows", lambda _: None, 2, "it is in .github"),
    ("x" * 300, lambda _: None, 1, "File name too long"),
    ("", lambda w: (w / ".sitemap-action").symlink_to("../outside"), 1, "it goes through a symbolic link"),
    ("r", lambda w: (w / "r").symlink_to(w.parent / "outside"), 1, "it goes through a symbolic link"),
    ("r", lambda w: (w / "r").symlink_to("dist"), 1, "it goes through a symbolic link"),
    ("r", lambda w: (w / "r").symlink_to("gone"), 1, "it goes through a symbolic link"),
    ("r", lambda w: (w / "r").symlink_to("r"), 1, "it goes through a symbolic link"),
    ("r/deep", lambda w: (w / "r").symlink_to("../outside"), 1, "it goes through a symbolic link"),
    ("r/deep", lambda w: ((w / "r").mkdir(), (w / "r/deep").symlink_to("../../outside")), 1, "symbolic link"),
    ("r", lambda w: (w / "r").write_text("a file"), 1, "Not a directory"),
    ("r", lambda w: os.mkfifo(w / "r"), 1, "Not a directory"),
    ("r", lambda w: ((w / "r").mkdir(), (w / "r/report.json").symlink_to("../../outside/secret")), 1, "symbolic link"),
    ("r", lambda w: ((w / "r").mkdir(), (w / "r/report.json").mkdir()), 1, "it is a folder"),
    ("r", lambda w: ((w / "r").mkdir(), os.mkfifo(w / "r/report.json")), 1, "it is no regular file"),
]


@pytest.mark.parametrize(("place", "prepare", "code", "says"), REPORTS)
def test_S_03_where_no_report_is_written(place: str, prepare: Prepare, code: int, says: str, workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    """The verdict stands: it is drift, exit 1, where the report alone could not be written."""
    prepare(workspace)
    monkeypatch.setenv("INPUT_REPORT-PATH", place.replace("{0}", str(workspace.parent)))
    before = snapshot(workspace.parent)
    assert run(["run"]) == code
    assert says in capsys.readouterr().out
    after = snapshot(workspace.parent)
    assert {name: after[name] for name in after if name not in {"output", "summary"}} == before


@pytest.mark.parametrize(
    ("place", "report"),
    [
        ("", ".sitemap-action/report.json"),
        (".", "report.json"),
        ("dist", "dist/report.json"),
        ("r/deep/", "r/deep/report.json"),
        ("./r//deep", "r/deep/report.json"),
        (".gitlab", ".gitlab/report.json"),
        ("{0}/r", "r/report.json"),
    ],
)
def test_S_03_only_a_folder_that_we_made_is_ignored_by_git(place: str, report: str, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    for folder in (".", "dist"):
        (workspace / folder / ".gitignore").write_text("of the user\n")
    monkeypatch.setenv("INPUT_REPORT-PATH", place.replace("{0}", str(workspace)))
    for _ in range(2):
        assert run(["run"]) == 1
    assert (workspace / report).is_file()
    assert report in (workspace.parent / "output").read_text().splitlines()
    ignored = (workspace / report).with_name(".gitignore").read_text()
    assert ignored == ("*\n" if place.startswith((".g", "r", "./r", "{0}")) or not place else "of the user\n")


def test_S_03_a_hard_link_is_replaced_not_written_to(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (workspace / "r").mkdir()
    os.link(workspace.parent / "outside/secret", workspace / "r/report.json")
    os.link(workspace.parent / "outside/secret", workspace / "sitemap.txt")
    monkeypatch.setenv("INPUT_REPORT-PATH", "r")
    monkeypatch.setenv("INPUT_SITEMAP", "sitemap.txt")
    monkeypatch.setenv("INPUT_MODE", "write")
    assert run(["run"]) == 0
    assert (workspace.parent / "outside/secret").read_text() == f"{SECRET}\n"
    assert (workspace / "r/report.json").stat().st_nlink == 1


# What looks like a file of a run that was killed, or like a shard of ours, and is the user's.
THEIRS = [
    "public/.sitemap-action-notes.md",
    "public/.sitemap-action-",
    "public/.sitemap-action-abcdefgh",
    "public/.sitemap-action-0123456789abcdef0123456789abcdef",
    "public/.sitemap-action-x/file",
    "public/.sitemap-action-0123456789abcdef0123456789abcdee/file",
    "public/sitemap-2.xml",
    "public/sitemap-3.txt",
    "public/sitemap-4.xml.gz",
    "public/sitemap-old.xml",
    "public/package.json",
    "public/sitemap-2.xml.bak",
    "sitemap-2.xml",
]


def test_S_10_a_run_deletes_nothing_of_the_user(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in THEIRS:
        (workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (workspace / name).write_text(f"theirs {GENERATOR}\n")
    (workspace / "public/sitemap-5.xml").symlink_to("../ours")
    (workspace / "ours").write_text(f"<?xml?>\n{GENERATOR}\n")
    (workspace / "public/sitemap-6.xml").mkdir()
    os.mkfifo(workspace / "public/sitemap-7.xml")
    (workspace / "public/sitemap-8.xml").write_text(f"<?xml?>\n{GENERATOR}\n")  # ours, and stale
    monkeypatch.setenv("INPUT_MODE", "write")
    monkeypatch.setenv("INPUT_SITEMAP", "public/sitemap.xml")
    before = snapshot(workspace)
    assert run(["run"]) == 0
    after = snapshot(workspace)
    assert set(before) - set(after) == {"public/sitemap-8.xml"}
    assert {name: after[name] for name in before if name in after} == {name: before[name] for name in before if name in after}  # fmt: skip
    assert (workspace / "public/sitemap.xml").is_file()


@pytest.mark.parametrize("place", ["dist", "pipe", "/dev/null", "dist/index.html/x"])
def test_S_10_a_report_of_the_command_line_replaces_a_file_alone(place: str, workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    os.mkfifo("pipe")
    before = snapshot(workspace / "dist")
    assert run(["check", "--report", f"json={place}"]) == 2
    assert f"cannot write {place}: " in capsys.readouterr().out
    assert snapshot(workspace / "dist") == before
    assert Path("pipe").is_fifo()
    assert Path("/dev/null").exists()
