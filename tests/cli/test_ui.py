"""`ui` as a process: its address, its end, a run that ends with it, and nothing of it for those who do not use it."""

import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import httpx
import pytest

from servers import Answering, Asked, Reply, Site, serve
from sitemap_action.__main__ import run

PROGRAM = [sys.executable, "-P", "-m", "sitemap_action"]


@contextmanager
def started(
    folder: Path, *options: str, opens: bool = False, **environment: str
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process, and the address that it prints."""
    pytest.importorskip("uvicorn", reason="the extra `ui` is not installed")
    command = [*PROGRAM, "ui", *([] if opens else ["--no-open"]), *options]
    process = subprocess.Popen(
        command, cwd=folder, env={**os.environ, **environment}, stderr=subprocess.PIPE, text=True
    )
    with process:
        try:
            found = re.search(
                r"http://127\.0\.0\.1:\d+/[0-9a-f]{16}/\?token=[\w-]{43}$", log(process).readline().strip()
            )
            assert found
            yield process, found[0]
        finally:
            process.kill()


def log(process: subprocess.Popen[str]) -> TextIO:
    assert process.stderr is not None
    return process.stderr


def endless(asked: Asked) -> Reply | int:
    page = asked.path.removeprefix("/p-") or "0"
    link = f'<a href="/p-{page}0">on</a><a href="/p-{page}1">on</a>'
    return (
        Reply(f"<title>{page}</title>{link}", delay=0.3)  # 5,000 pages take minutes
        if asked.path.startswith(("/p-", "/?")) or asked.path == "/"
        else 404
    )


@contextmanager
def under_way(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], Site, Path]]:
    """The process with a run that goes on for ever, the site that it reads, and where temporary folders are."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with serve({"*": Answering(endless)}) as site, started(tmp_path, TMPDIR=str(temporary)) as (process, address):
        origin = address.partition("/?")[0].rpartition("/")[0]
        with httpx.Client(headers={"Origin": origin}, timeout=60) as client:
            place = address.partition("?")[0]
            client.get(address)
            values = {"source.url": site.url, "site-url": "https://www.example.com/", "baseline": "committed"}
            assert client.post(f"{place}start", json={"values": values}).status_code == 200
            with client.stream("GET", f"{place}events") as stream:
                next(line for line in stream.iter_lines() if "/p-" in line)
                yield process, site, temporary


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 0), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_and_the_run_that_is_under_way(number: int, code: int, tmp_path: Path) -> None:
    with under_way(tmp_path) as (process, site, temporary):
        (folder,) = temporary.glob("sitemap-action-ui-*")
        assert folder.stat().st_mode & 0o077 == 0, "for its user alone"
        process.send_signal(number)
        rest = log(process).read()
        assert process.wait(60) == code
        asked = len(site.asked)
        assert "token" not in rest
        assert "Traceback" not in rest
        assert not [*temporary.glob("sitemap-action-ui-*")]
        httpx.get(site.url)
        assert len(site.asked) == asked + 1, "nobody asks any more"


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="there is no /proc to find the processes in")
def test_killed_it_leaves_no_run_behind(tmp_path: Path) -> None:
    with under_way(tmp_path) as (process, site, _):
        runs = descendants(process.pid)
        assert runs
        process.kill()
        process.wait()
        end = time.monotonic() + 60
        while any(map(alive, runs)) and time.monotonic() < end:
            time.sleep(0.02)
        assert not [pid for pid in runs if alive(pid)]
        asked = len(site.asked)
        httpx.get(site.url)
        assert len(site.asked) == asked + 1, "nobody asks any more"


def alive(pid: int) -> bool:
    """One that has ended and that nobody has asked about is not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def descendants(pid: int) -> list[int]:
    """The run, and the processes that read for it."""
    children = [
        int(child) for task in Path(f"/proc/{pid}/task").iterdir() for child in (task / "children").read_text().split()
    ]
    return [*children, *(found for child in children for found in descendants(child))]


def test_the_address_is_opened_in_the_browser_unless_it_is_told_not_to(tmp_path: Path) -> None:
    program, opened = tmp_path / "a-browser", tmp_path / "opened"
    program.write_text('#!/bin/sh\necho "$1" > opened\n')
    program.chmod(0o755)
    for opens in (False, True):
        with started(tmp_path, opens=opens, BROWSER=str(program)) as (_, address):
            httpx.get(address)
            end = time.monotonic() + (60 if opens else 0.5)
            while not (opened.exists() and opened.read_text()) and time.monotonic() < end:
                time.sleep(0.02)
            assert opened.exists() is opens
            assert not opens or opened.read_text().startswith(address.partition("/?")[0])


def test_a_port_that_is_taken_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with started(tmp_path) as (_, address):
        port = address.split(":")[2].partition("/")[0]
        assert run(["ui", "--no-open", "--port", port]) == 2
    said = capsys.readouterr().err
    assert f"port {port} of 127.0.0.1 cannot be used" in said
    assert "--port" in said


INSTALLED = (
    # the file that tells who installed this copy, a variable that uv sets, whether there is pip; the hint
    ("", "", True, "/a copy/bin/python' -m pip install starlette uvicorn"),
    ("pipx_metadata.json", "", False, "hint: pipx inject sitemap-action starlette uvicorn"),
    ("uv-receipt.toml", "", False, "uv tool install --with starlette --with uvicorn SOURCE"),
    ("", "/usr/bin/uv", False, "hint: write --with starlette --with uvicorn behind uvx, or behind uv run"),
    ("", "", False, "/a copy' starlette uvicorn"),
)


def test_U_40_without_the_extra_the_hint_fits_how_this_copy_was_installed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    find = importlib.util.find_spec
    copy = tmp_path / "a copy"
    monkeypatch.setattr(sys, "prefix", str(copy))
    monkeypatch.setattr(sys, "executable", str(copy / "bin/python"))
    for marker, uv, pip, hint in INSTALLED:
        copy.mkdir()
        missing = {"uvicorn", *(() if pip else ("pip",))}
        monkeypatch.setattr(
            "sitemap_action.cli.small_commands.find_spec",
            lambda name, missing=missing: None if name in missing else find(name),
        )
        monkeypatch.setenv("UV", uv) if uv else monkeypatch.delenv("UV", raising=False)
        if marker:
            (copy / marker).touch()
        assert run(["ui"]) == 2
        said = capsys.readouterr().err
        assert said.startswith("error: the screen needs uvicorn, which is not installed\nhint: ")
        assert hint in said
        shutil.rmtree(copy)
    monkeypatch.setattr(sys, "prefix", "/opt/venv")
    assert run(["ui"]) == 2
    assert "a container has no browser" in capsys.readouterr().err


def test_other_commands_import_nothing_of_it(tmp_path: Path) -> None:
    (tmp_path / "dist").mkdir()
    (tmp_path / "dist/index.html").write_text("<title>x</title>")
    script = (
        "import sys; from sitemap_action.__main__ import run\n"
        "for line in (['--help'], ['rules'], ['check', '--path', 'dist', '--site-url', 'https://x.example/', '--offline']): run(line)\n"
        "print(*sorted(name for name in sys.modules if name.startswith(('starlette', 'uvicorn', 'sitemap_action.ui'))))"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == ""


@pytest.mark.attack("imports")
def test_a_folder_with_modules_of_the_same_names_is_not_imported(tmp_path: Path) -> None:
    for name in ("sitemap_action", "starlette", "uvicorn", "click"):
        (tmp_path / f"{name}.py").write_text("import os; os._exit(99)")
    (tmp_path / "dist").mkdir()
    (tmp_path / "dist/index.html").write_text("<!doctype html><title>x</title><h1>x</h1>")
    with (
        started(tmp_path) as (_, address),
        httpx.Client(headers={"Origin": address[: address.index("/", 9)]}, timeout=60) as client,
    ):
        place = address.partition("?")[0]
        client.get(address)
        values = {"source.path": "dist", "site-url": "https://www.example.com/", "baseline": "committed"}
        assert client.post(f"{place}start", json={"values": values}).status_code == 200
        with client.stream("GET", f"{place}events") as stream:
            last = next(line for line in stream.iter_lines() if '"code":' in line and '"code":null' not in line)
        assert '"code":1' in last
