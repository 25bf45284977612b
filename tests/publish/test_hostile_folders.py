"""Writing in a folder that somebody else controls: root follows nothing, owns nothing there and deletes only ours."""

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator
from multiprocessing import get_context
from pathlib import Path

import pytest

from children import in_child, obey_permissions
from publications import OURS, FileStep, carry_out, delete, write, write_report
from sitemap_action.disk.folder import Draft, Folder, open_folder
from sitemap_action.errors import PublishError

POSIX = pytest.mark.skipif(os.name != "posix", reason="links, pipes and owners of POSIX")
AS_ROOT = pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="only root can act for another user")
OWNER, GROUP = 1001, 127
GENERATOR = OURS.splitlines()[1]


def everything(folder: Path) -> dict[str, tuple[int, int, int, bytes]]:
    """Mode, owner and content of all that is below a folder."""
    found = {}
    for path in folder.rglob("*"):
        kind = path.lstat()
        content = os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes() if path.is_file() else b""
        found[str(path.relative_to(folder))] = (kind.st_mode, kind.st_uid, kind.st_gid, content)
    return found


Plant = Callable[[Path, Path], object]

# A path, and what is planted where it leads.
PLACES: list[tuple[str, Plant, str]] = [
    ("the file is a link", lambda w, o: (w / "s.xml").symlink_to(o / "s.xml"), "s.xml"),
    ("the file is a relative link", lambda w, _: (w / "s.xml").symlink_to("../outside/s.xml"), "s.xml"),
    ("the file is a link within", lambda w, _: (w / "s.xml").symlink_to("kept.xml"), "s.xml"),
    ("the file is a dangling link", lambda w, o: (w / "s.xml").symlink_to(o / "new.xml"), "s.xml"),
    ("the file is a link to itself", lambda w, _: (w / "s.xml").symlink_to("s.xml"), "s.xml"),
    ("the folder is a link", lambda w, o: (w / "p").symlink_to(o), "p/s.xml"),
    ("the folder is a dangling link", lambda w, o: (w / "p").symlink_to(o / "new"), "p/s.xml"),
    ("a folder above is a link", lambda w, o: (w / "p").symlink_to(o), "p/q/r/s.xml"),
    ("a nested link", lambda w, o: ((w / "p").mkdir(), (w / "p/q").symlink_to(o)), "p/q/s.xml"),
    ("the folder is a pipe", lambda w, _: os.mkfifo(w / "p"), "p/s.xml"),
    ("the folder is a file", lambda w, _: (w / "p").touch(), "p/s.xml"),
    ("the file is a pipe", lambda w, _: os.mkfifo(w / "s.xml"), "s.xml"),
    ("the file is a folder", lambda w, _: (w / "s.xml").mkdir(), "s.xml"),
    ("a name that is too long", lambda *_: None, "s" * 300 + ".xml"),
    ("a path that is too long", lambda *_: None, "s" * 200 + "/s" * 2_000 + "/s.xml"),
    ("a path that is too deep", lambda *_: None, "s/" * 200 + "s.xml"),
    ("a NUL", lambda *_: None, "p\0/s.xml"),
    ("outside", lambda *_: None, "../outside/s.xml"),
    ("outside by a detour", lambda *_: None, "p/../../outside/s.xml"),
    ("absolute", lambda *_: None, "{0}/outside/s.xml"),
    ("absolute and in the workspace", lambda *_: None, "{0}/workspace/kept.xml"),
    ("the home of a user", lambda w, _: (w / "~").symlink_to("/root"), "~/s.xml"),
    ("git", lambda *_: None, ".git/s.xml"),
    ("git in other case", lambda *_: None, ".GiT/s.xml"),
    ("git with final dots", lambda *_: None, ".git. ./s.xml"),
    ("git as NTFS has it", lambda *_: None, "git~1/s.xml"),
    ("git below", lambda *_: None, "sub/.git/hooks/s.xml"),
    ("the folder of the forge", lambda *_: None, ".GitHub/workflows/s.xml"),
    ("no name", lambda *_: None, ""),
    ("the workspace", lambda *_: None, "."),
    ("a suffix alone with a final dot", lambda *_: None, "s.xml."),
    ("a suffix alone with a final slash", lambda w, _: (w / "s.xml").mkdir(), "s.xml/"),
]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    found = tmp_path / "workspace"
    found.mkdir()
    (tmp_path / "outside/q/r").mkdir(parents=True)
    for path in (found / "kept.xml", tmp_path / "outside/s.xml", tmp_path / "outside/q/r/s.xml"):
        path.write_text(OURS)
    return found


@pytest.mark.attack("paths")
@POSIX
@pytest.mark.parametrize("kind", ["write", "delete"])
@pytest.mark.parametrize(("plant", "path"), [row[1:] for row in PLACES], ids=[row[0] for row in PLACES])
def test_S_03_no_place_for_a_sitemap(plant: Plant, path: str, kind: str, workspace: Path) -> None:
    plant(workspace, workspace.parent / "outside")
    path = path.replace("{0}", str(workspace.parent))
    before = everything(workspace.parent)
    steps: list[FileStep] = [write("kept.xml", b"new"), write(path, b"x") if kind == "write" else delete(path)]
    with pytest.raises(PublishError):
        carry_out(workspace, *steps)
    assert everything(workspace.parent) == before


@pytest.mark.attack("paths")
@POSIX
def test_S_03_a_hard_link_is_replaced(workspace: Path) -> None:
    os.link(workspace.parent / "outside/s.xml", workspace / "s.xml")
    carry_out(workspace, write("s.xml", b"new"))
    assert (workspace / "s.xml").read_bytes() == b"new"
    assert (workspace.parent / "outside/s.xml").read_text() == OURS


# What the parent is asked to delete, and is not ours.
KEPT = [
    ("package.json", "{}"),
    ("sitemap.xml", "<urlset/>"),
    ("robots.txt", "User-agent: *"),
    ("a/b/sitemap-1.xml", f"<?xml?>\n<!-- by hand -->\n{GENERATOR}"),
    ("sitemap-1.xml", f"{GENERATOR}\n"),
    ("sitemap-2.xml", f"<?xml?>\n {GENERATOR}\n"),
    ("sitemap-3.xml.gz", "\x1f\x8b no gzip"),
    ("sitemap-4.xml", ""),
    ("sitemap-5.txt", "https://www.example.com/\n"),
    ("sitemap-6.json", "[]"),
    ("sitemap-7.xml", "<?xml?>\n" + " " * 5_000 + GENERATOR + "\n"),
]


@pytest.mark.attack("root")
@pytest.mark.parametrize(("name", "content"), KEPT, ids=[row[0] for row in KEPT])
def test_S_10_only_a_file_with_our_comment_is_deleted(name: str, content: str, tmp_path: Path) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(content, encoding="latin-1")
    (tmp_path / "ours.xml").write_text(OURS)
    steps: list[FileStep] = [write("new.xml", b"x"), delete("ours.xml"), delete(name)]
    with pytest.raises(PublishError, match="is not deleted: this generator did not write it"):
        carry_out(tmp_path, *steps)
    assert (tmp_path / name).read_text(encoding="latin-1") == content
    assert (tmp_path / "ours.xml").exists()
    assert not (tmp_path / "new.xml").exists()


def test_S_10_a_deletion_of_nothing(tmp_path: Path) -> None:
    carry_out(tmp_path, delete("gone.xml"), delete("no/such/folder/gone.xml"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("unnamed", [True, False])
def test_S_10_a_draft_that_takes_no_place_leaves_nothing(unnamed: bool, tmp_path: Path) -> None:
    with open_folder(tmp_path, ()) as folder:
        with Draft(folder, "a", unnamed=unnamed) as draft:
            draft.write(b"x")
            assert len(list(tmp_path.iterdir())) == (0 if unnamed and hasattr(os, "O_TMPFILE") else 1)
        assert list(tmp_path.iterdir()) == []
        with Draft(folder, "a", unnamed=unnamed) as draft:
            draft.write(b"x")
            draft.take_place()
        assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_S_10_more_files_than_a_process_has_descriptors(tmp_path: Path) -> None:
    carry_out(tmp_path, *(write(f"{number}.xml", b"x") for number in range(1_500)))
    assert len(list(tmp_path.iterdir())) == 1_500


@pytest.fixture
def shared() -> Iterator[Path]:
    """A workspace of another user, beside what is root's."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "workspace").mkdir()
        os.chown(folder / "workspace", OWNER, GROUP)
        (folder / "roots").mkdir()
        (folder / "roots/socket").write_text("of root")
        (folder / "roots/s.xml").write_text(OURS)
        yield folder


@pytest.mark.attack("root")
@AS_ROOT
@pytest.mark.parametrize("owner", [(OWNER, GROUP), (OWNER, 0), (65532, 65532)])
def test_S_02_what_root_writes_is_the_owners_from_the_start(owner: tuple[int, int], shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    """No call changes an owner: there is nothing that a swap could lead to another file."""
    workspace = shared / "workspace"
    os.chown(workspace, *owner)
    for call in ("chown", "lchown", "fchown", "chmod"):
        monkeypatch.setattr(os, call, lambda *_, **__: pytest.fail("an owner or a mode is changed"))
    carry_out(workspace, write("p/q/s.xml", b"x"), write("s.xml", b"x"))
    write_report(workspace, "r/deep")
    assert {(found[1], found[2]) for found in everything(workspace).values()} == {owner}
    assert (os.geteuid(), os.getegid()) == (0, 0)


@pytest.mark.attack("root")
@AS_ROOT
def test_S_02_a_folder_of_root_in_a_workspace_of_another(shared: Path) -> None:
    (shared / "workspace/public").mkdir()
    carry_out(shared / "workspace", write("public/s.xml", b"x"))
    assert everything(shared / "workspace")["public/s.xml"][1:3] == (0, 0)


@pytest.mark.attack("root")
@AS_ROOT
def test_S_02_root_may_do_no_more_than_the_owner(shared: Path) -> None:
    workspace = shared / "workspace"
    (workspace / "p").mkdir()
    os.chown(workspace / "p", OWNER, GROUP)
    (workspace / "p").chmod(0o555)
    with pytest.raises(PublishError, match="Permission denied"):
        carry_out(workspace, write("p/s.xml", b"x"))
    with pytest.raises(PublishError, match="Permission denied"):
        write_report(workspace, "p")
    assert list((workspace / "p").iterdir()) == []
    assert (os.geteuid(), os.getegid()) == (0, 0)


def _swap(workspace: Path) -> None:
    """A process of the owner that makes every name of the workspace a link, a folder and a file in turn."""
    os.setgroups([])
    os.setresgid(65532, 65532, 65532)
    os.setresuid(OWNER, OWNER, OWNER)
    targets = ["../roots", "../roots/socket", "../roots/s.xml", "real"]
    with contextlib.suppress(OSError):
        (workspace / "real").mkdir()
    while True:
        for target in targets:
            for name in ("public", "r"):
                with contextlib.suppress(OSError):
                    (workspace / f"{name}.new").symlink_to(target)
                    (workspace / f"{name}.new").rename(workspace / name)
                with contextlib.suppress(OSError):
                    (workspace / name).unlink()
                with contextlib.suppress(OSError):
                    (workspace / name).mkdir()
            for folder in ("public", "r", "real", "."):
                with contextlib.suppress(OSError):
                    _swap_files(workspace / folder, target)
        if os.getppid() == 1:
            return


def _swap_files(folder: Path, target: str) -> None:
    for entry in folder.iterdir():
        if entry.name.startswith(".sitemap-action-") or entry.name in {"s.xml", "report.json", ".gitignore"}:
            with contextlib.suppress(OSError):
                entry.unlink()
                entry.symlink_to(f"{folder.parent.parent}/roots/{Path(target).name}")


@pytest.mark.attack("root")
@AS_ROOT
def test_S_02_S_10_a_race_with_the_owner_of_the_folder(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is swapped for whatever between a check and its use: nothing of root changes its content or owner."""
    before = everything(shared / "roots")
    workspace = shared / "workspace"
    attacker = get_context("fork").Process(target=_swap, args=(workspace,), daemon=True)
    attacker.start()
    try:
        for number in range(400):
            if number % 2:  # drafts with a name are swapped too
                monkeypatch.setattr("sitemap_action.disk.folder._UNNAMED", 0)
            else:
                monkeypatch.undo()
            steps: list[FileStep] = [write("public/s.xml", b"x"), write("s.xml", b"y"), delete("public/s.xml")]
            with contextlib.suppress(PublishError):
                carry_out(workspace, *steps)
            with contextlib.suppress(PublishError):
                write_report(workspace, "r")
            assert everything(shared / "roots") == before
        assert attacker.is_alive()
    finally:
        attacker.kill()
        attacker.join()
    assert sorted(path.name for path in shared.iterdir()) == ["roots", "workspace"]


@pytest.mark.attack("root")
@AS_ROOT
@pytest.mark.parametrize("moment", ["mode", "create", "give_name", "replace"])
def test_S_02_a_swap_at_each_moment(moment: str, shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder, and every name in it, becomes a link to what is root's just after this call."""
    workspace = shared / "workspace"
    (workspace / "public").mkdir()
    (workspace / "public/s.xml").write_text("old")
    for path in (workspace / "public", workspace / "public/s.xml"):
        os.chown(path, OWNER, GROUP)
    before = everything(shared / "roots")
    call = getattr(Folder, moment)

    def swap(self: Folder, *arguments: object) -> object:
        result = call(self, *arguments)
        if moment == "mode" and arguments != ("s.xml",):
            return result
        with contextlib.suppress(OSError):
            for path in (workspace / "public").iterdir():
                path.unlink()
                path.symlink_to(shared / "roots/socket")
            (workspace / "public").rename(workspace / "moved")
            (workspace / "public").symlink_to(shared / "roots")
        return result

    monkeypatch.setattr(Folder, moment, swap)
    with contextlib.suppress(PublishError):
        carry_out(workspace, write("public/s.xml", b"new"))
    assert everything(shared / "roots") == before
    assert {path.lstat().st_uid for path in (workspace / "moved").iterdir()} <= {0, OWNER}  # links are this test's own


@pytest.mark.attack("root")
@AS_ROOT
def test_S_02_without_the_capability_files_are_written_as_root(shared: Path) -> None:
    """As in a container that runs as root and has dropped every capability: by descriptor, and nothing is given away."""
    os.chown(shared / "workspace", OWNER, 0)
    (shared / "workspace").chmod(0o775)

    def work() -> None:
        obey_permissions()
        carry_out(shared / "workspace", write("s.xml", b"x"))

    assert in_child(work) == 0
    assert everything(shared / "workspace")["s.xml"][1:3] == (0, 0)
