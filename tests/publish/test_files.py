"""Writing files: whole or not at all, in a safe order, and only where a sitemap may be."""

import os
import resource
import signal
from pathlib import Path

import pytest

from children import in_child, obey_permissions
from publications import OURS, carry_out, delete, write
from sitemap_action.errors import PublishError


def names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_files_are_written_and_stale_shards_deleted(tmp_path: Path) -> None:
    (tmp_path / "sitemap-3.xml").write_text(OURS)
    carry_out(tmp_path, write("sitemap-1.xml", b"one"), write("sitemap.xml", b"index"), delete("sitemap-3.xml"))
    assert names(tmp_path) == ["sitemap-1.xml", "sitemap.xml"]
    assert (tmp_path / "sitemap.xml").read_bytes() == b"index"


def test_missing_folders_are_made(tmp_path: Path) -> None:
    carry_out(tmp_path, write("public/deep/sitemap.xml", b"x"))
    assert names(tmp_path) == ["public/deep/sitemap.xml"]


def test_the_mode_of_an_existing_file_stays(tmp_path: Path) -> None:
    (tmp_path / "sitemap.xml").write_text("old")
    (tmp_path / "sitemap.xml").chmod(0o640)
    carry_out(tmp_path, write("sitemap.xml", b"new"))
    assert (tmp_path / "sitemap.xml").stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="only root can give files away")
def test_what_root_writes_belongs_to_the_owner_of_the_workspace(tmp_path: Path) -> None:
    os.chown(tmp_path, 1001, 1001)
    carry_out(tmp_path, write("public/sitemap.xml", b"x"))
    assert {(path.stat().st_uid, path.stat().st_gid) for path in tmp_path.rglob("*")} == {(1001, 1001)}


@pytest.mark.attack("paths")
@pytest.mark.parametrize(
    "path",
    [
        "/etc/sitemap.xml",
        "../sitemap.xml",
        "a/../../sitemap.xml",
        ".git/sitemap.xml",
        "docs/.github/sitemap.xml",
        ".github/workflows/sitemap.xml",
        "Makefile",
        "sitemap.html",
        "a\0.xml",
    ],
)
def test_no_place_for_a_sitemap(path: str, tmp_path: Path) -> None:
    for step in (write(path, b"x"), delete(path)):
        with pytest.raises(PublishError, match="a sitemap cannot be written to"):
            carry_out(tmp_path, step)


@pytest.mark.attack("paths")
def test_a_name_that_is_too_long_is_refused_with_a_reason(tmp_path: Path) -> None:
    with pytest.raises(PublishError, match="File name too long"):
        carry_out(tmp_path, write("x" * 300 + ".xml", b"x"))


@pytest.mark.attack("paths")
def test_never_through_a_symbolic_link(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "sitemap.xml").write_text("theirs")
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (workspace / "sitemap.xml").symlink_to(outside / "sitemap.xml")
    (workspace / "public").symlink_to(outside)
    for path in ("sitemap.xml", "public/sitemap.xml"):
        with pytest.raises(PublishError, match="symbolic link"):
            carry_out(workspace, write(path, b"ours"))
    assert (outside / "sitemap.xml").read_text() == "theirs"


@pytest.mark.skipif(os.name != "posix", reason="file size limits are POSIX")
def test_a_full_disk_changes_no_file(tmp_path: Path) -> None:
    (tmp_path / "sitemap-1.xml").write_text("old child")
    (tmp_path / "sitemap.xml").write_text("old index")

    def fill() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))  # the kernel refuses to write beyond
        with pytest.raises(PublishError, match=r"cannot write sitemap\.xml"):
            carry_out(tmp_path, write("sitemap-1.xml", b"x" * 900), write("sitemap.xml", b"y" * 2000))

    assert in_child(fill) == 0
    assert names(tmp_path) == ["sitemap-1.xml", "sitemap.xml"]
    assert (tmp_path / "sitemap-1.xml").read_text() == "old child"
    assert (tmp_path / "sitemap.xml").read_text() == "old index"


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL is POSIX")
def test_killed_between_two_renames_the_next_run_repairs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sitemap.xml").write_text("old index")
    steps = [write("sitemap-1.xml", b"new child"), write("sitemap.xml", b"new index")]

    def die() -> None:
        rename = os.replace

        def kill_after_first(*places: str, **folders: int) -> None:
            rename(*places, **folders)
            os.kill(os.getpid(), signal.SIGKILL)

        monkeypatch.setattr(os, "replace", kill_after_first)
        carry_out(tmp_path, *steps)

    assert in_child(die) == -signal.SIGKILL
    assert (tmp_path / "sitemap-1.xml").read_text() == "new child"
    assert (tmp_path / "sitemap.xml").read_text() == "old index"  # whole, as it was
    carry_out(tmp_path, *steps)
    assert names(tmp_path) == ["sitemap-1.xml", "sitemap.xml"]  # the killed run left nothing beside
    assert (tmp_path / "sitemap.xml").read_text() == "new index"


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX")
def test_a_missing_permission_is_reported_with_a_reason(tmp_path: Path) -> None:
    tmp_path.chmod(0o555)

    def refuse() -> None:
        obey_permissions()
        with pytest.raises(PublishError, match=r"cannot write sitemap\.xml: Permission denied"):
            carry_out(tmp_path, write("sitemap.xml", b"x"))

    assert in_child(refuse) == 0
    tmp_path.chmod(0o755)
