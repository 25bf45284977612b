"""Replays recorded command lines in a process of their own, and prints where exit code, output or files differ.

    python tests/net/replay.py tests/net/cli-test_read.json …    exits with 1 when a run differs
    python tests/net/replay.py --update …                        writes what the runs do now into the files

A recording is a list of runs in one workspace. Each run has what a user gives (`command`, `stdin`, `env`), what changed in the
workspace since the run before (`files`, `deleted`, `objects` and `index` of git repositories), what servers on loopback answer, and
what was `expected`. `{tmp}` stands for the workspace and `{port1}` for the port of the first server. A text of several
lines is a list of lines; a text that several files have stands once, in `texts`. `record.py` makes recordings.

The only name of the package that this knows is `sitemap_action.__main__.run`. No run reaches a host beyond this machine.
"""

import argparse
import asyncio
import base64
import difflib
import hashlib
import io
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pycurl

Json = Any
SHOWN_LINES = 60  # of one difference
LARGEST_EXPECTED = 20_000  # characters; of a larger file the digest is held
VARIABLE = (  # what differs from run to run
    (re.compile(r"end-[0-9a-f]{32}"), "end-{random}"),
    # The code of the HTML report, which is long; its data stands in a tag with attributes.
    (re.compile(r"(?s)<(script|style)>(?:(?!</\1>).){1000,}</\1>"), r"<\1>{code}</\1>"),
    (re.compile(r"'sha256-[\w+/=]+'"), "'sha256-{code}'"),
    (re.compile(r"\b\d+(?:\.\d+)? (?:ms|seconds?|s)\b(?=[ ,;.)]|$)", re.MULTILINE), "{time}"),
)


def join(value: Json) -> str:
    return "\n".join(value) if isinstance(value, list) else value


def split(text: str) -> Json:
    return text.split("\n") if "\n" in text else text


# The workspace


def encode(data: bytes) -> Json:
    try:
        return split(data.decode())
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


class Workspace:
    """A folder whose files are those of a recording, with the names of this machine in the place of its marks."""

    def __init__(self, folder: Path, texts: Mapping[str, Json], names: Mapping[str, str]) -> None:
        self.folder, self.texts, self.names = folder, texts, names

    def localize(self, text: str) -> str:
        for mark, name in self.names.items():
            text = text.replace(mark, name)
        return text

    def generalize(self, text: str) -> str:
        for mark, name in self.names.items():
            text = text.replace(f":{name}", f":{mark}") if name.isdigit() else text.replace(name, mark)
        for pattern, mark in VARIABLE:
            text = pattern.sub(mark, text)
        return text

    def decode(self, value: Json) -> bytes:
        if isinstance(value, dict) and "text" in value:
            value = self.texts[value["text"]]
        if isinstance(value, dict):
            return base64.b64decode(value["base64"])
        return self.localize(join(value)).encode()

    def prepare(self, run: Json) -> None:
        for path in run.get("deleted", ()):
            file = self.folder / path
            if file.is_dir() and not file.is_symlink():
                shutil.rmtree(file)
            else:
                file.unlink(missing_ok=True)
        for path, value in run.get("files", {}).items():
            self._write(self.folder / path, value)
        for path, objects in run.get("objects", {}).items():
            for kind, value in objects:
                self._write_object(self.folder / path / "objects", kind, value)
        for path, lines in run.get("index", {}).items():
            command = ["git", f"--git-dir={self.folder / path}", "update-index", "--index-info"]
            (self.folder / path / "index").unlink(missing_ok=True)
            subprocess.run(command, input=join(lines).encode(), check=True)

    def _write(self, file: Path, value: Json) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.is_symlink():
            file.unlink()
        if isinstance(value, dict) and "link" in value:
            file.unlink(missing_ok=True)
            file.symlink_to(self.localize(value["link"]))
        elif isinstance(value, dict) and "folder" in value:
            file.mkdir(exist_ok=True)
        else:
            file.write_bytes(self.decode(value["of"] if isinstance(value, dict) and "of" in value else value))
        if isinstance(value, dict) and "mode" in value:
            file.chmod(int(value["mode"], 8))

    def _write_object(self, folder: Path, kind: str, value: Json) -> None:
        body = pack_tree(join(value)) if kind == "tree" else self.decode(value)
        data = f"{kind} {len(body)}\0".encode() + body
        name = hashlib.sha1(data).hexdigest()
        file = folder / name[:2] / name[2:]
        file.parent.mkdir(parents=True, exist_ok=True)
        (folder.parent / "refs").mkdir(exist_ok=True)
        file.write_bytes(zlib.compress(data, 1))

    def snapshot(self) -> dict[str, bytes]:
        """The files outside of git's folders; of a link its target."""
        found = {}
        left = [os.fspath(self.folder)]
        start = len(left[0]) + 1
        while left:
            with os.scandir(left.pop()) as entries:
                for entry in entries:
                    if entry.is_symlink():
                        found[entry.path[start:]] = b"-> " + os.readlink(entry.path).encode()
                    elif entry.is_file():
                        found[entry.path[start:]] = Path(entry.path).read_bytes()
                    elif entry.is_dir() and not is_repository(entry.path):
                        left.append(entry.path)
        return found

    def describe(self, data: bytes | None) -> Json:
        if data is None:
            return None
        try:
            text = self.generalize(data.decode())
        except UnicodeDecodeError:
            return {"binary": True}
        if len(text) > LARGEST_EXPECTED:
            return {"sha256": hashlib.sha256(text.encode()).hexdigest(), "characters": len(text)}
        return split(text)


def is_repository(folder: str) -> bool:
    return all(os.access(f"{folder}/{name}", os.F_OK) for name in ("HEAD", "objects"))


def pack_tree(text: str) -> bytes:
    """Lines of "mode id name", as a git object."""
    rows = (line.split(" ", 2) for line in text.splitlines())
    return b"".join(f"{mode} {name}\0".encode() + bytes.fromhex(number) for mode, number, name in rows)


# Servers on loopback


class Handler(BaseHTTPRequestHandler):
    """Answers from the table of its server: "METHOD path" → replies, of which the last one stays."""

    protocol_version = "HTTP/1.1"

    def __getattr__(self, name: str) -> Callable[[], None]:
        if name.startswith("do_"):
            return self.reply
        raise AttributeError(name)

    def reply(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        table: dict[str, list[Json]] = self.server.table  # type: ignore[attr-defined]
        bare = self.path.partition("?")[0]
        keys = (f"{self.command} {self.path}", f"* {self.path}", f"* {bare}", "* *")
        found = next((table[key] for key in keys if key in table), [{"status": 404, "body": "<h1>404</h1>"}])
        answer = found.pop(0) if len(found) > 1 else found[0]
        decode: Callable[[Json], bytes] = self.server.decode  # type: ignore[attr-defined]
        body = decode(answer.get("body", ""))
        lines = [f"HTTP/1.1 {answer.get('status', 200)} Reason", f"Content-Length: {len(body)}"]
        lines += [
            decode(line).decode("latin-1") for line in answer.get("headers", ["Content-Type: text/html; charset=utf-8"])
        ]
        self.wfile.write("\r\n".join((*lines, "", "")).encode("latin-1") + body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name in the standard library
        pass


class Servers:
    """Started when first needed, and used for every recording."""

    def __init__(self) -> None:
        self._servers: list[ThreadingHTTPServer] = []

    def ports(self, count: int) -> list[int]:
        while len(self._servers) < count:
            server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
            server.daemon_threads = True
            threading.Thread(target=server.serve_forever, daemon=True).start()
            self._servers.append(server)
        return [server.server_address[1] for server in self._servers[:count]]

    def answer(self, tables: list[Json], workspace: Workspace) -> None:
        for server, table in zip(self._servers, tables, strict=False):
            server.table = {key: list(value) for key, value in table.items()}  # type: ignore[attr-defined]
            server.decode = workspace.decode  # type: ignore[attr-defined]


# One run


def bare_environment(home: Path, git: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PYTHONPATH", "TMPDIR") if name in os.environ}
    author = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in (("NAME", "Test"), ("EMAIL", "test@example.com"))}  # fmt: skip
    return kept | author | {
        "PATH": f"{git}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(home),
        "USERPROFILE": str(home),
        "LC_ALL": "C.UTF-8",
        "SOURCE_DATE_EPOCH": "1767225600",  # the date of every report
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "SITEMAP_ACTION_BROWSER": "none",
    }  # fmt: skip


def stay_on_this_machine() -> None:
    """Every host but loopback is unknown: to Python, and to libcurl, which asks for a name that exists nowhere."""
    find = socket.getaddrinfo

    def find_on_loopback(host: Any, *rest: Any, **options: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host or "localhost"
        if name == "localhost" or re.fullmatch(r"127\.[\d.]+|::1", name):
            return find(host, *rest, **options)
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

    class Curl(pycurl.Curl):  # type: ignore[misc]
        def setopt(self, option: int, value: Any = None) -> None:
            if option == pycurl.URL and not re.match(r"https?://(127\.[\d.]+|localhost|\[::1\])(:\d+)?/", value):
                value = re.sub(r"^(https?://)(?:[^/?#:]+|\[[^]/]*\])", r"\1unknown.invalid", value)
            super().setopt(option, value)

    socket.getaddrinfo = find_on_loopback
    pycurl.Curl = Curl


def shorten_pauses() -> None:
    """Before the package is imported: what a run waits until it asks again passes at once, for its clock, too."""
    sleep, clock = asyncio.sleep, time.monotonic
    passed = 0.0

    def skip(seconds: float, result: Any = None) -> Any:
        nonlocal passed
        passed += seconds
        return sleep(0, result)

    asyncio.sleep = skip
    time.monotonic = lambda: clock() + passed


def git_with_files(folder: Path) -> None:
    """A `git` that may fetch from a folder of this machine, which the program never allows."""
    script = f'#!/bin/sh\nGIT_ALLOW_PROTOCOL=https:ssh:file exec {shlex.quote(shutil.which("git") or "git")} "$@"\n'
    (folder / "git").write_text(script)
    (folder / "git").chmod(0o755)


@contextmanager
def redirected(stdin: bytes, folder: Path) -> Iterator[Callable[[], tuple[bytes, bytes]]]:
    """Standard streams are files: those of Python, and those that other programs get."""
    (folder / "0").write_bytes(stdin)
    kept = [os.dup(number) for number in range(3)]
    streams = sys.stdin, sys.stdout, sys.stderr
    files = [os.open(folder / str(number), os.O_RDWR | os.O_CREAT | os.O_APPEND) for number in range(3)]
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    sys.stdin = io.TextIOWrapper(os.fdopen(0, "rb", closefd=False), encoding="utf-8")
    sys.stdout, sys.stderr = (
        io.TextIOWrapper(os.fdopen(number, "wb", closefd=False), "utf-8", errors, newline="", write_through=True)
        for number, errors in ((1, "strict"), (2, "backslashreplace"))
    )
    try:
        yield lambda: ((folder / "1").read_bytes(), (folder / "2").read_bytes())
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        sys.stdin, sys.stdout, sys.stderr = streams
        for number, file in enumerate(kept):
            os.dup2(file, number)
            os.close(file)
        for number in range(3):
            (folder / str(number)).unlink()


def perform(run: Json, workspace: Workspace, home: Path, git: Path) -> Json:
    from sitemap_action.__main__ import run as program

    environment = bare_environment(home, git)
    environment |= {name: workspace.localize(value) for name, value in run.get("env", {}).items() if value is not None}
    before = workspace.snapshot()
    outside = dict(os.environ)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(workspace.folder / run.get("folder", "."))
    with redirected(workspace.decode(run.get("stdin", "")), home) as printed:
        try:
            code: Json = program([workspace.localize(word) for word in shlex.split(run["command"])])
        except SystemExit as ended:
            code = ended.code
        except BaseException as error:  # noqa: BLE001 - a run that raises is a difference, and the others go on
            traceback.print_exc()
            code = repr(error)
        sys.stdout.flush()
        sys.stderr.flush()
        stdout, stderr = printed()
    os.chdir("/")
    os.environ.clear()
    os.environ.update(outside)
    after = workspace.snapshot()
    changed = sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
    found = {"exit": code, "stdout": workspace.describe(stdout), "stderr": workspace.describe(stderr)}
    files = {workspace.generalize(path): workspace.describe(after.get(path)) for path in changed}
    return {name: value for name, value in (found | {"files": files}).items() if value not in ("", {})}


def replay(recording: Json, texts: Mapping[str, Json], servers: Servers) -> list[Json]:
    """What each run of the recording does."""
    with tempfile.TemporaryDirectory(prefix="net-") as name, tempfile.TemporaryDirectory(prefix="home-") as home:
        count = max(len(run.get("servers", ())) for run in recording["runs"])
        place = Path(name).resolve() / "w"
        place.mkdir()
        names = {"{tmp}": str(place)} | {
            f"{{port{index}}}": str(port) for index, port in enumerate(servers.ports(count), 1)
        }
        workspace = Workspace(place, texts, names)
        git_with_files(Path(name))
        results = []
        for run in recording["runs"]:
            workspace.prepare(run)
            servers.answer(run.get("servers", []), workspace)
            results.append(perform(run, workspace, Path(home), Path(name)))
        return results


# Comparison


def flat(result: Json) -> dict[str, str]:
    parts = {name: value for name, value in result.items() if name != "files"} | result.get("files", {})
    return {
        name: join(value) if isinstance(value, str | list) else "deleted" if value is None else json.dumps(value)
        for name, value in parts.items()
    }


def differences(expected: Json, found: Json) -> list[str]:
    before, after = flat(expected), flat(found)
    lines: list[str] = []
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name, ""), after.get(name, "")
        if old != new or (name in before) != (name in after):
            part = difflib.unified_diff(
                old.split("\n"), new.split("\n"), f"{name} expected", f"{name} found", lineterm=""
            )
            rows = [row[:400] for row in part]
            lines += rows[:SHOWN_LINES] + (
                [f"… {len(rows) - SHOWN_LINES} lines more"] if len(rows) > SHOWN_LINES else []
            )
    return lines


def replay_file(file: Path, servers: Servers, *, update: bool, chosen: str = "") -> int:
    """The number of recordings that differ."""
    data = json.loads(file.read_text())
    failed = 0
    for recording in data["recordings"]:
        if chosen not in recording["name"]:
            continue
        results = replay(recording, data["texts"], servers)
        lines: list[str] = []
        for number, (run, result) in enumerate(zip(recording["runs"], results, strict=True), 1):
            if found := differences(run["expected"], result):
                lines += [f"run {number}: sitemap-action {run['command']}", *found]
            run["expected"] = result
        if lines:
            failed += 1
            if not update:
                print(f"=== {file.name} {recording['name']}", *lines, "", sep="\n")
    if update and failed:
        save(file, data)
    return failed


def replay_each(names: Iterable[str], *, update: bool) -> None:
    """Each file in a process that is forked from this one, which has imported the commands; "exit CODE" follows."""
    from sitemap_action.__main__ import run as program

    with redirect_stdout(io.StringIO()):
        for command in ("check", "explain", "read", "validate"):
            program([command, "--help"])
    for name in names:
        if child := os.fork():
            print("exit", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        else:
            failed = replay_file(Path(name.strip()), Servers(), update=update)
            sys.exit(1 if failed and not update else 0)


def save(file: Path, data: Json) -> None:
    file.write_text(json.dumps(data, indent=1, ensure_ascii=False, sort_keys=False) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description="Replay recorded command lines.")
    parser.add_argument("--update", action="store_true", help="write what the runs do now into the files")
    parser.add_argument("-k", dest="chosen", default="", help="only recordings with this in their name")
    parser.add_argument("--each", action="store_true", help="replay the files that standard input names")
    parser.add_argument("files", nargs="*", type=Path, default=sorted(Path(__file__).parent.glob("*.json")))
    given = parser.parse_args()
    files = [file.resolve() for file in given.files]
    stay_on_this_machine()
    shorten_pauses()
    if given.each:
        replay_each(sys.stdin, update=given.update)
        return
    servers = Servers()
    failed = sum(replay_file(file, servers, update=given.update, chosen=given.chosen) for file in files)
    print(f"{failed} recordings {'were updated' if given.update else 'differ'}")
    sys.exit(1 if failed and not given.update else 0)


if __name__ == "__main__":
    main()
