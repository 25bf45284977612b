"""`--offline` connects to nothing: every address that a run would use leads to a listener, which hears of none."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from repositories import checkout, create, git, pull_request
from sitemap_action.__main__ import run

PAGE = "<!doctype html><title>A page</title><p>" + "some words " * 60
URLSET = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>{0}</loc></url></urlset>'


@dataclass
class Listener:
    """A port of loopback that hangs up on everyone."""

    port: int
    connections: list[int] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"


@pytest.fixture
def listener() -> Iterator[Listener]:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        found = Listener(server.getsockname()[1])

        def listen() -> None:
            with suppress(OSError):
                while True:
                    client, address = server.accept()
                    found.connections.append(address[1])
                    client.close()

        thread = threading.Thread(target=listen, daemon=True)
        thread.start()
        yield found
        server.shutdown(socket.SHUT_RDWR)
        thread.join()


@dataclass(frozen=True, slots=True)
class Temptation:
    """A work tree and what is added to `check`, with which a run connects to the listener."""

    arguments: tuple[str, ...]
    code: int  # of the run with --offline
    message: str  # a part of what is printed then
    environment: tuple[tuple[str, str], ...] = ()


Prepare = Callable[[Path, Listener], Temptation]


def build(folder: Path) -> Path:
    (folder / "dist").mkdir(parents=True)
    (folder / "dist/index.html").write_text(PAGE)
    return folder


def committed(folder: Path, listener: Listener) -> None:
    (folder / "sitemap.xml").write_text(URLSET.format(listener.url))


def local(listener: Listener, *more: str) -> tuple[str, ...]:
    return ("--path", "dist", "--site-url", listener.url, "--allow-private-hosts", "127.0.0.1", *more)


def first_run(folder: Path, listener: Listener) -> Temptation:
    return Temptation(local(listener), 1, "removals were not judged")


def baseline_url(folder: Path, listener: Listener) -> Temptation:
    committed(folder, listener)
    return Temptation(local(listener, "--baseline", f"{listener.url}sitemap.xml"), 2, "--offline is given")


def baseline_in_the_config(folder: Path, listener: Listener) -> Temptation:
    committed(folder, listener)
    (folder / "c.yml").write_text(f"baseline: {listener.url}sitemap.xml\n")
    return Temptation(local(listener, "--config", "c.yml"), 2, "--offline is given")


def url_flag(folder: Path, listener: Listener) -> Temptation:
    return Temptation(("--url", listener.url, "--site-url", listener.url), 2, f"is to be read at {listener.url}")


def url_key(folder: Path, listener: Listener) -> Temptation:
    allowed = ("--allow-private-hosts", "127.0.0.1")
    return Temptation(("--set", f"source.url={listener.url}", "--site-url", listener.url, *allowed), 2, "is to be read")


def url_in_the_config(folder: Path, listener: Listener) -> Temptation:
    (folder / "c.yml").write_text(f"source:\n  url: {listener.url}\n")
    allowed = ("--allow-private-hosts", "127.0.0.1")
    return Temptation(("--config", "c.yml", "--site-url", listener.url, *allowed), 2, "is to be read")


def waiting(folder: Path, listener: Listener) -> Temptation:
    more = ("--wait-for", "ready", "--wait-timeout", "1")
    return Temptation(("--url", listener.url, "--site-url", listener.url, *more), 2, "is to be read")


def proxy(folder: Path, listener: Listener) -> Temptation:
    site = "http://www.example.com/"
    environment = (("http_proxy", listener.url), ("https_proxy", listener.url))
    return Temptation(("--url", site, "--site-url", site), 2, f"is to be read at {site}", environment)


def remote(folder: Path, listener: Listener, depth: int = 1) -> tuple[str, str, Path]:
    """A clone that lacks the target branch's commit, and whose remote is the listener."""
    files = {"sitemap.xml": URLSET.format(listener.url), "dist/index.html": PAGE}
    origin = pull_request(folder.parent / "origin", files, {**files, "other": "x"}, main={**files, "later": "x"})
    folder.rmdir()
    checkout(origin.directory, origin.merge, folder, depth=depth)
    git(folder, "remote", "set-url", "origin", f"https://127.0.0.1:{listener.port}/x.git")
    return origin.base, origin.merge, folder


def baseline_commit(folder: Path, listener: Listener) -> Temptation:
    base, _, _ = remote(folder, listener)
    return Temptation(local(listener, "--baseline", f"git:{base}"), 2, f"git cannot find {base}")


def baseline_file_of_a_commit(folder: Path, listener: Listener) -> Temptation:
    base, _, _ = remote(folder, listener)
    return Temptation(local(listener, "--baseline", f"git:{base}:sitemap.xml"), 2, f"git cannot find {base}")


def target_branch(folder: Path, listener: Listener) -> Temptation:
    _, merge, _ = remote(folder, listener)
    event = folder.parent / "event.json"
    event.write_text(json.dumps({"number": 1, "pull_request": {"base": {"ref": "main"}, "head": {"repo": None}}}))
    given = {"GITHUB_EVENT_NAME": "pull_request", "GITHUB_EVENT_PATH": str(event), "GITHUB_SHA": merge}
    return Temptation(local(listener), 2, "cannot be fetched", tuple(given.items()))


def partial_clone(folder: Path, listener: Listener) -> Temptation:
    source = create(folder.parent / "source")
    git(source, "config", "uploadpack.allowFilter", "true")
    for number in range(2):
        (source / "sitemap.xml").write_text(URLSET.format(f"{listener.url}{number}/"))
        git(source, "add", "--all")
        git(source, "commit", "-qm", "x")
    folder.rmdir()
    git(folder.parent, "clone", "-q", "--filter=blob:none", source.as_uri(), folder.name)
    git(folder, "remote", "set-url", "origin", f"https://127.0.0.1:{listener.port}/x.git")
    build(folder)
    return Temptation(local(listener, "--baseline", "git:HEAD~1"), 2, "git cannot read sitemap.xml")


TEMPTATIONS: tuple[Prepare, ...] = (
    first_run, baseline_url, baseline_in_the_config, url_flag, url_key, url_in_the_config, waiting, proxy, baseline_commit,
    baseline_file_of_a_commit, target_branch, partial_clone,
)  # fmt: skip


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.mark.attack("network")
@pytest.mark.parametrize("prepare", TEMPTATIONS, ids=lambda one: one.__name__)
def test_nothing_is_connected_to(
    prepare: Prepare,
    workspace: Path,
    listener: Listener,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    temptation = prepare(workspace, listener)
    if not (workspace / "dist").exists():
        build(workspace)
    monkeypatch.chdir(workspace)
    for name, value in temptation.environment:
        monkeypatch.setenv(name, value)
    offline = run(["check", *temptation.arguments, "--offline"])
    printed = capsys.readouterr()
    assert listener.connections == []
    assert temptation.message in printed.out + printed.err
    assert offline == temptation.code
    run(["check", *temptation.arguments])  # the listener is where it connects to otherwise
    assert listener.connections


@pytest.mark.parametrize("mode", ["check", "write"])
def test_a_build_and_a_committed_sitemap_need_no_network(
    mode: str, workspace: Path, listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(workspace)
    committed(workspace, listener)
    monkeypatch.chdir(workspace)
    assert run([mode, *local(listener), "--offline"]) == run([mode, *local(listener)]) == 0
    assert listener.connections == []
