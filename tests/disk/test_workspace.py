"""The one place that resolves a path: by names, below a folder, through no link (S-03, S-04)."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sitemap_action.disk.folder import FORGE, GIT, Folder, Workspace, open_folder, path_names
from sitemap_action.walk.folders import walk

pytestmark = pytest.mark.attack("paths")

OUT, IN_GIT = "it is outside of the workspace", "it is in .git"
SECRET = b"a secret"

# path, and why it is refused; "" where its names are returned
LEXICAL = [
    ("public/sitemap.xml", ""),
    ("./public//sitemap.xml", ""),
    (".", ""),
    ("...", ""),
    (".gitignore", ""),
    ("a.git/x", ""),
    ("..", OUT),
    ("../x", OUT),
    ("a/../x", OUT),
    ("a/b/../../../x", OUT),
    ("/etc/passwd", OUT),
    ("//etc/passwd", OUT),
    (".git", IN_GIT),
    (".git/config", IN_GIT),
    ("./.git/config", IN_GIT),
    ("a/.git/config", IN_GIT),
    (".GIT/config", IN_GIT),
    (".Git/config", IN_GIT),
    (".git./config", IN_GIT),
    (".git. . /config", IN_GIT),
    (".git::$INDEX_ALLOCATION/config", IN_GIT),
    (".g\u200cit/config", IN_GIT),
    ("GIT~1/config", "it is in git~1"),
    ("a\0b", "No such file"),
]


@pytest.mark.parametrize(("path", "why"), LEXICAL)
def test_S_03_names_of_a_path(path: str, why: str, tmp_path: Path) -> None:
    if not why:
        assert "/".join(path_names(path, tmp_path)) == os.path.normpath(path).removeprefix(
            ".".rstrip("/") * (path == ".")
        )
        return
    with pytest.raises(OSError, match=why):
        path_names(path, tmp_path)


@pytest.mark.parametrize("path", [".github/x", "a/.GITHUB/x", ".github./x", "GITHUB~1/x"])
def test_S_03_the_folder_of_the_forge_is_read_and_not_written(path: str, tmp_path: Path) -> None:
    assert path_names(path, tmp_path)
    with pytest.raises(OSError, match="it is in"):
        path_names(path, tmp_path, GIT | FORGE)


def test_S_03_an_absolute_path_of_the_workspace_is_one_below_it(tmp_path: Path) -> None:
    assert path_names(f"{tmp_path}/a/b", tmp_path) == ("a", "b")
    with pytest.raises(OSError, match=OUT):
        path_names(f"{tmp_path}-other/b", tmp_path)
    with pytest.raises(OSError, match=OUT):
        path_names(f"{tmp_path}/../b", tmp_path)


def _link(path: str, target: str) -> Callable[[Path, Path], None]:
    return lambda workspace, _: (workspace / path).symlink_to(target)


def _linked_folder(workspace: Path, outside: Path) -> None:
    (workspace / "x").symlink_to(outside, target_is_directory=True)


def _nested(workspace: Path, outside: Path) -> None:
    (workspace / "x").mkdir()
    (workspace / "x/y").symlink_to("../z")
    (workspace / "z").symlink_to(outside)


# name of the attack, how it is planted, the path that is read
LINKS: list[tuple[str, Callable[[Path, Path], None], str]] = [
    ("a link with an absolute target", lambda w, o: (w / "x").symlink_to(o / "secret"), "x"),
    ("a link with a relative target", _link("x", "../outside/secret"), "x"),
    ("a link to a file of the workspace", _link("x", "inside"), "x"),
    ("a link to git's configuration", _link("x", ".git/config"), "x"),
    ("a link to the environment", _link("x", "/proc/self/environ"), "x"),
    ("a link to a device", _link("x", "/dev/zero"), "x"),
    ("a dangling link", _link("x", "gone"), "x"),
    ("a link to itself", _link("x", "x"), "x"),
    ("a folder that is a link", _linked_folder, "x/secret"),
    ("a folder behind two links", _nested, "x/y/secret"),
    ("a folder that is a link to the workspace", _link("x", "."), "x/inside"),
    ("a folder that is a link, with a final dot", _linked_folder, "x/./secret"),
    ("a link of the root of this process", _link("x", "/proc/self/root"), "x/etc/passwd"),
]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    found = tmp_path / "workspace"
    (found / ".git").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    for path in (found / "inside", found / ".git/config", tmp_path / "outside/secret"):
        path.write_bytes(SECRET)
    return found


@pytest.mark.skipif(os.name != "posix", reason="symbolic links of POSIX")
@pytest.mark.parametrize(("plant", "path"), [row[1:] for row in LINKS], ids=[row[0] for row in LINKS])
def test_S_04_no_link_is_followed(plant: Callable[[Path, Path], None], path: str, workspace: Path) -> None:
    plant(workspace, workspace.parent / "outside")
    for read in (Workspace(workspace).read_head, Workspace(workspace).read_whole):
        with pytest.raises(OSError, match="symbolic link"):
            read(path, 100)
    with pytest.raises(OSError, match="symbolic link"), Workspace(workspace).folder(path):
        pass


def _pipe(workspace: Path) -> None:
    os.mkfifo(workspace / "x")


ODD: list[tuple[str, Callable[[Path], object], str, str]] = [
    ("a pipe", _pipe, "x", "it is no regular file"),
    ("a folder", lambda w: (w / "x").mkdir(), "x", "it is a folder"),
    ("the workspace", lambda _: None, ".", "it is a folder"),
    ("a file as a folder", lambda w: (w / "x").touch(), "x/y", "Not a directory"),
    ("a name that is too long", lambda _: None, "x" * 5_000, "File name too long"),
    ("a path that is too long", lambda _: None, "x/" * 5_000 + "x", "File name too long"),
    ("a path that is too deep", lambda _: None, "x/" * 200 + "x", "File name too long"),
    ("a name that is there with other final dots", lambda w: (w / "x").touch(), "x.", "No such file"),
    ("no such file", lambda _: None, "x", "No such file"),
]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes of POSIX")
@pytest.mark.parametrize(("plant", "path", "why"), [row[1:] for row in ODD], ids=[row[0] for row in ODD])
def test_S_04_what_is_no_file(plant: Callable[[Path], object], path: str, why: str, workspace: Path) -> None:
    plant(workspace)
    with pytest.raises(OSError, match=why):
        Workspace(workspace).read_whole(path, 100)


@pytest.mark.skipif(os.name != "posix", reason="descriptors of folders")
def test_S_04_a_folder_that_is_swapped_after_it_was_reached(workspace: Path) -> None:
    """Check and use are one: what was opened is what is read and written, wherever its path leads by now."""
    (workspace / "public").mkdir()
    (workspace / "public/x").write_bytes(b"ours")
    with open_folder(workspace, ("public",)) as folder:
        (workspace / "public").rename(workspace / "moved")
        (workspace / "public").symlink_to(workspace.parent / "outside")
        with folder.open_regular("x") as file:
            assert file.read() == b"ours"
        assert folder.names() == ["x"]
        os.close(folder.create("y"))
        folder.replace("x", "z")
        folder.unlink("y")
    assert [path.name for path in (workspace / "moved").iterdir()] == ["z"]
    assert [path.name for path in (workspace.parent / "outside").iterdir()] == ["secret"]


@pytest.mark.skipif(os.name != "posix", reason="descriptors of folders")
def test_S_04_a_file_that_becomes_a_link_after_it_was_seen(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = os.stat

    def swap(path: str, **options: object) -> os.stat_result:
        result = found(path, **options)  # type: ignore[arg-type]
        if path == "inside":
            (workspace / "inside").unlink()
            (workspace / "inside").symlink_to(workspace.parent / "outside/secret")
        return result

    monkeypatch.setattr(os, "stat", swap)
    with pytest.raises(OSError, match="symbolic links"):
        Workspace(workspace).read_whole("inside", 100)


@pytest.mark.skipif(os.name != "posix", reason="descriptors of folders")
def test_S_04_a_folder_that_becomes_a_link_after_it_was_seen(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (workspace / "public").mkdir()
    seen = Folder.mode

    def swap(self: Folder, name: str) -> int | None:
        mode = seen(self, name)
        (workspace / "public").rmdir()
        (workspace / "public").symlink_to(workspace.parent / "outside")
        return mode

    monkeypatch.setattr(Folder, "mode", swap)
    with pytest.raises(OSError, match="Not a directory"):
        Workspace(workspace).read_whole("public/secret", 100)


@pytest.mark.skipif(os.name != "posix", reason="symbolic links of POSIX")
@pytest.mark.parametrize("target", [".git/config", ".git", ".env", "a/../.git/config", "a/.hidden/page.html"])
def test_S_04_a_link_in_a_build_to_a_hidden_file(target: str, workspace: Path) -> None:
    """The configuration of a checkout may have its token; `path: .` is a build too."""
    (workspace / "a/.hidden").mkdir(parents=True)
    (workspace / "a/.hidden/page.html").write_bytes(SECRET)
    (workspace / ".env").write_bytes(SECRET)
    (workspace / "leak.html").symlink_to(target)
    found = walk(str(workspace))
    assert found.files == {"inside"}
    assert [path.rstrip("/") for path in found.skipped] == ["leak.html"]
