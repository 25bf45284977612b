"""Whatever is wrong outside: one sentence, one exit code, and every existing file as it was."""

import errno
import os
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from children import in_child, obey_permissions
from runner_model import commands
from servers import Reply, serve
from sitemap_action.__main__ import run

SITEMAP = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
    "  <url><loc>https://www.example.com/</loc></url>\n</urlset>\n"
)
CONFIG = "site-url: https://www.example.com/\nsource:\n  path: site\n"
POSIX = pytest.mark.skipif(os.name != "posix", reason="modes, limits and signals are POSIX")


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A site of two pages, of which the committed sitemap lists one."""
    page = "<!doctype html><title>A page</title><p>" + "some words " * 60
    for name in ("index.html", "new/index.html"):
        (tmp_path / "site" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "site" / name).write_text(page)
    (tmp_path / "sitemap.xml").write_text(SITEMAP)
    (tmp_path / ".github").mkdir()
    (tmp_path / ".github/sitemap.yml").write_text(CONFIG)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def config(text: str) -> Callable[[Path], None]:
    return lambda workspace: (workspace / ".github/sitemap.yml").write_text(text) and None


def committed(content: bytes) -> Callable[[Path], None]:
    return lambda workspace: (workspace / "sitemap.xml").write_bytes(content) and None


def nothing(_workspace: Path) -> None:
    pass


@pytest.mark.attack("arguments")
@pytest.mark.parametrize(
    ("arrange", "arguments", "code", "sentence"),
    [
        (nothing, ["--path", "dist"], 2, "the folder dist does not exist"),
        (nothing, ["--path", "sitemap.xml"], 2, "sitemap.xml is a file"),
        (nothing, ["--config", "missing.yml"], 2, "missing.yml: no such file"),
        (nothing, ["--set", "policy.max-remvoed=5"], 2, "did you mean max-removed?"),
        (nothing, ["--set", "nonsense"], 2, "--set nonsense gives no value"),
        (nothing, ["--baseline", "missing.xml"], 2, "there is no sitemap at missing.xml"),
        (nothing, ["--sitemap", "../sitemap.xml"], 2, "../sitemap.xml"),
        (nothing, ["--sitemap", ".git/sitemap.xml"], 2, ".git/sitemap.xml"),
        (nothing, ["--report", "pdf=x"], 2, "--report pdf=x: unknown format, or no file"),
        (nothing, ["--no-such-option"], 2, "No such option"),
        (config("site-url: [\n"), [], 2, "not valid YAML"),
        (config(CONFIG + "source:\n  path: dist\n"), [], 2, 'the key "source" occurs twice'),
        (
            config("sorce:\n  path: site\n"),
            [],
            2,
            ".github/sitemap.yml:1:1: sorce is not a known key; did you mean source?",
        ),
        (config("site-url: ftp://x.com/\n"), [], 2, "site-url"),
        (committed(b""), [], 2, "sitemap.xml: the document is empty"),
        (committed(SITEMAP.encode()[:150]), [], 2, "sitemap.xml:4: the document is not well-formed XML"),
        (committed(b"<html><body>404</body></html>"), [], 2, "sitemap.xml"),
        (committed(b"\x1f\x8b\x08\x00damaged"), [], 2, "the compressed content is damaged"),
        (committed(b'<!DOCTYPE x [<!ENTITY a "b">]><urlset/>'), [], 2, "DOCTYPE"),
    ],
)
def test_one_sentence_and_no_harm(
    arrange: Callable[[Path], None],
    arguments: list[str],
    code: int,
    sentence: str,
    workspace: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    arrange(workspace)
    before = (workspace / "sitemap.xml").read_bytes()
    for command in ("check", "write"):
        assert run([command, *arguments]) == code
        printed = capsys.readouterr()
        assert printed.out == ""
        assert sentence in printed.err
        assert len(printed.err.splitlines()) <= 3
    assert (workspace / "sitemap.xml").read_bytes() == before


def test_a_failed_run_leaves_no_stale_report(workspace: Path) -> None:
    (workspace / "report.json").write_text("of an earlier run")
    assert run(["check", "--path", "dist", "--report", "json=report.json"]) == 2
    assert not (workspace / "report.json").exists()


def test_an_empty_build_concludes_nothing(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (workspace / "empty").mkdir()
    for command in ("check", "write"):
        assert run([command, "--path", "empty"]) == 3
        assert "the folder empty has no page" in capsys.readouterr().out
    assert (workspace / "sitemap.xml").read_text() == SITEMAP


def in_workspace(arguments: list[str], code: int, prepare: Callable[[], None]) -> Callable[[], None]:
    def work() -> None:
        prepare()
        assert run(arguments) == code

    return work


@POSIX
def test_an_unreadable_folder_is_not_an_empty_one(workspace: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (workspace / "site").chmod(0)
    assert in_child(in_workspace(["write"], 2, obey_permissions)) == 0
    (workspace / "site").chmod(0o755)
    assert "cannot read the folder site: Permission denied" in capfd.readouterr().err
    assert (workspace / "sitemap.xml").read_text() == SITEMAP


@POSIX
@pytest.mark.parametrize(
    ("hidden", "code", "sentence"),
    [
        ("site/new", 3, "cannot list site/new/"),
        ("site/index.html", 3, "cannot read index.html: Permission denied"),  # kept; the new page is not written
    ],
)
def test_what_cannot_be_read_is_never_taken_for_gone(
    hidden: str, code: int, sentence: str, workspace: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (workspace / hidden).chmod(0)
    assert in_child(in_workspace(["write"], code, obey_permissions)) == 0
    (workspace / hidden).chmod(0o755)
    assert sentence in capfd.readouterr().out
    assert (workspace / "sitemap.xml").read_text() == SITEMAP


@POSIX
def test_no_permission_to_write(workspace: Path, capfd: pytest.CaptureFixture[str]) -> None:
    workspace.chmod(0o555)
    assert in_child(in_workspace(["write"], 4, obey_permissions)) == 0
    workspace.chmod(0o755)
    assert "cannot write sitemap.xml: Permission denied" in capfd.readouterr().err
    assert (workspace / "sitemap.xml").read_text() == SITEMAP


@POSIX
def test_a_full_disk(workspace: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The kernel refuses to let any file grow past a size that the new sitemap needs and the inventory does not."""
    before = (workspace / "sitemap.xml").read_bytes()
    for number in range(2000):
        (workspace / "site" / f"a-page-with-a-name-long-enough-to-fill-a-disk-{number:04}.html").write_text("<p>x")

    def fill() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    from sitemap_action.store import inventory as module

    (workspace / "memory").mkdir()
    assert in_child(lambda: _in_memory(module, in_workspace(["write"], 4, fill))) == 0
    assert "cannot write sitemap.xml: File too large" in capfd.readouterr().err
    assert (workspace / "sitemap.xml").read_bytes() == before
    assert not list(workspace.glob(".sitemap-action-*"))


def _in_memory(module: object, work: Callable[[], None]) -> None:
    """The inventory would meet the limit first; here it stays in memory."""
    original = module.create_inventory  # type: ignore[attr-defined]
    module.create_inventory = lambda _path: original(":memory:")  # type: ignore[attr-defined]
    work()


@POSIX
def test_a_full_disk_for_the_inventory(workspace: Path, capfd: pytest.CaptureFixture[str]) -> None:
    def fill() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    assert in_child(in_workspace(["write"], 4, fill)) == 0
    assert "no space for the inventory" in capfd.readouterr().err
    assert (workspace / "sitemap.xml").read_text() == SITEMAP


@POSIX
@pytest.mark.parametrize(
    ("more", "said"),
    [([], "no space for the inventory"), (["--state", "state.sqlite"], "no space for the state state.sqlite")],
)
def test_a_full_disk_in_the_middle_of_a_crawl(
    more: list[str], said: str, workspace: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    def fill() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    links = "".join(f'<a href="/{number}{"-and-more" * 50}">x</a>' for number in range(500))
    with serve({"/": f"<title>Home</title>{links}"}) as site:
        assert in_child(in_workspace(["check", "--url", site.url, *more], 4, fill)) == 0
    assert said in capfd.readouterr().err
    assert (workspace / "sitemap.xml").read_text() == SITEMAP


@POSIX
@pytest.mark.parametrize("more", [[], ["--state", "state.sqlite"]])
def test_a_full_disk_while_sitemaps_are_read(
    more: list[str], workspace: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    def fill() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    locs = "".join(f"<url><loc>http://127.0.0.1/{number}{'-and-more' * 20}</loc></url>" for number in range(2000))
    urlset = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{locs}</urlset>'
    with serve({"/s.xml": Reply(urlset, type="application/xml")}) as site:
        assert in_child(in_workspace(["read", f"{site.url}s.xml", *more], 4, fill)) == 0
    assert "no space for the state of the sitemaps" in capfd.readouterr().err


def test_a_bug_is_told_from_a_verdict(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_arguments: object) -> None:
        raise ZeroDivisionError("a::error::b")

    monkeypatch.setattr("sitemap_action.cli.check.run", broken)
    assert run(["check"]) == 70
    printed = capsys.readouterr().err
    assert "this is a bug in sitemap-action" in printed
    assert "Traceback" not in printed
    assert run(["check", "--debug"]) == 70
    assert "Traceback" in capsys.readouterr().err
    monkeypatch.setenv("RUNNER_DEBUG", "1")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert run(["check"]) == 70
    logged = capsys.readouterr().out
    assert "Traceback" in logged
    assert [one.name for one in commands(logged)] == ["error"]
    assert (workspace / "sitemap.xml").read_text() == SITEMAP


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (MemoryError(), "the memory that this run may use is not enough"),
        (ExceptionGroup("tasks", [MemoryError()]), "the memory that this run may use is not enough"),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), "the memory that this run may use is not enough"),
        (OSError(errno.EMFILE, "Too many open files"), "may open no more files"),
        (BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable"), "may start no more processes"),
    ],
)
def test_a_limit_of_the_machine_is_no_bug(
    error: Exception, says: str, workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def ended(*_arguments: object) -> None:
        raise error

    monkeypatch.setattr("sitemap_action.cli.check.run", ended)
    assert run(["check"]) == 3
    printed = capsys.readouterr().err
    assert says in printed
    assert "bug" not in printed
    assert run(["check", "--debug"]) == 3
    assert "Traceback" in capsys.readouterr().err
    assert (workspace / "sitemap.xml").read_text() == SITEMAP


def test_a_thread_that_cannot_be_started_is_no_bug(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_arguments: object, **_options: object) -> None:
        raise RuntimeError("no more")

    def ended(*_arguments: object) -> None:
        for name in ("_start_new_thread", "_start_joinable_thread"):  # until Python 3.12, and since
            monkeypatch.setattr(threading, name, refuse, raising=False)
        threading.Thread(target=print).start()

    monkeypatch.setattr("sitemap_action.cli.check.run", ended)
    assert run(["check"]) == 3
    assert "may start no more processes or threads" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform != "linux", reason="a limit of the address space")
def test_too_little_memory(workspace: Path) -> None:
    """In an interpreter of its own: one that ran other tests has memory left over."""
    (workspace / "site/new/index.html").write_text("<!doctype html><title>A page</title>" + "<p>some words" * 10**6)
    program = """
import resource, sys
from pathlib import Path
from sitemap_action.__main__ import run

run(["check", "--set", "source.path=other"])  # all modules are loaded
most = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() + 2**20
resource.setrlimit(resource.RLIMIT_AS, (most, most))
sys.exit(run(["check"]))
"""
    (workspace / "other").mkdir()
    (workspace / "other/index.html").write_text("<!doctype html><title>A page</title><p>some words")
    child = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True, timeout=60)
    assert child.returncode == 3, child.stdout
    assert "the memory that this run may use is not enough" in child.stderr


@POSIX
def test_the_current_folder_was_removed(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (workspace / "gone").mkdir()
    monkeypatch.chdir(workspace / "gone")
    (workspace / "gone").rmdir()
    assert run(["check", "--path", "../site"]) == 2
    assert "the current folder does not exist any more" in capsys.readouterr().err


@pytest.mark.parametrize("encoding", ["ascii", "iso8859-1"])
def test_names_are_not_read_in_another_encoding(
    encoding: str, workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every name beyond ASCII would be another page."""
    monkeypatch.setattr(sys, "getfilesystemencoding", lambda: encoding)
    assert run(["check", "--offline"]) == 2
    told = capsys.readouterr().err
    assert f"names of files are read as {encoding} here" in told
    assert "set PYTHONUTF8=1" in told
    assert (workspace / "sitemap.xml").read_text() == SITEMAP


@pytest.mark.parametrize(("error", "code"), [(KeyboardInterrupt, 130), (BrokenPipeError, 0)])
def test_interrupted(error: type[BaseException], code: int, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_arguments: object) -> None:
        raise error

    monkeypatch.setattr("sitemap_action.cli.check.run", interrupted)
    assert run(["write"]) == code
    assert (workspace / "sitemap.xml").read_text() == SITEMAP


@POSIX
@pytest.mark.parametrize(("name", "code"), [("SIGTERM", 143), ("SIGHUP", 129)])
def test_terminated(workspace: Path, monkeypatch: pytest.MonkeyPatch, name: str, code: int) -> None:
    def terminated(*_arguments: object) -> None:
        os.kill(os.getpid(), getattr(signal, name))

    monkeypatch.setattr("sitemap_action.cli.check.run", terminated)
    assert run(["write"]) == code
    assert (workspace / "sitemap.xml").read_text() == SITEMAP
