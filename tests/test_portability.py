"""What only some systems have is used in named modules alone, and there behind a check: the rest runs everywhere."""

import ast
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from sources import ONE_PROCESS, nodes, parse

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "sitemap_action"

# Of the standard library: what Windows lacks, in part macOS too.
MODULES = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "spwd", "syslog", "termios", "tty"}
CALLS = {
    "os": {
        *(
            "O_CLOEXEC",
            "O_DIRECTORY",
            "O_NOCTTY",
            "O_NOFOLLOW",
            "O_NONBLOCK",
            "O_PATH",
            "O_TMPFILE",
            "P_PID",
            "WEXITED",
        ),
        *(
            "WNOHANG",
            "WNOWAIT",
            "chown",
            "chroot",
            "fchmod",
            "fchown",
            "fork",
            "forkpty",
            "getegid",
            "geteuid",
            "getgid",
        ),
        *(
            "getgroups",
            "getloadavg",
            "getpgid",
            "getresuid",
            "getuid",
            "initgroups",
            "kill",
            "killpg",
            "lchown",
            "mkfifo",
        ),
        *(
            "mknod",
            "nice",
            "pidfd_open",
            "pread",
            "pwrite",
            "sched_getaffinity",
            "sendfile",
            "setegid",
            "seteuid",
            "setgid",
        ),
        *("setgroups", "setpgid", "setresgid", "setresuid", "setsid", "setuid", "statvfs", "sync", "umask", "uname"),
        *("waitid", "waitpid"),
    },
    "signal": {
        *("SIGALRM", "SIGCHLD", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGSTOP", "SIGUSR1", "SIGUSR2", "alarm", "pause"),
        *("pthread_kill", "pthread_sigmask", "setitimer", "sigwait"),
    },
    "socket": {"AF_UNIX", "SCM_RIGHTS", "recv_fds", "send_fds"},
    "time": {"tzset"},
}
KEYWORDS = {"dir_fd", "dst_dir_fd", "pass_fds", "preexec_fn", "src_dir_fd"}

# Module → what keeps it from being reached, or from failing, elsewhere: words in its text, or in that of a module named.
PLACES = {
    "cli/action.py": ('hasattr(os, "getuid")',),
    "cli/check.py": ('sys.platform != "win32"',),
    "cli/kernel_locks.py": ('sys.platform != "linux"',),
    "walk/document_pool.py": ('hasattr(os, "sched_getaffinity")', 'sys.platform != "win32"', 'sys.platform == "win32"'),
    "disk/folder.py": ("os.open in os.supports_dir_fd", 'getattr(os, "O_NOFOLLOW", 0)', 'getattr(os, "O_TMPFILE", 0)'),
    "browser/process.py": (
        'browser/process.py: sys.platform == "win32"',  # there no browser is found
        'hasattr(os, "geteuid")',
    ),
    "repo/git_process.py": ('hasattr(os, "geteuid")', 'sys.platform != "win32"', 'sys.platform == "win32"'),
    "__main__.py": ('hasattr(signal, "SIGALRM")',),
}


def used(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """(line, name) of every use; `getattr(os, "O_PATH", …)` asks for itself and is none."""
    for node in nodes(tree):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, one.name) for one in names if one.name.partition(".")[0] in MODULES)
            case ast.ImportFrom(module=str() as module, names=names):
                if module in MODULES:
                    yield node.lineno, module
                yield from ((node.lineno, f"{module}.{one.name}") for one in names if one.name in CALLS.get(module, ()))
            case ast.Attribute(value=ast.Name(id=module), attr=name) if name in CALLS.get(module, ()):
                yield node.lineno, f"{module}.{name}"
            case ast.Call(keywords=keywords):
                yield from ((node.lineno, f"{one.arg}=") for one in keywords if one.arg in KEYWORDS)


@cache
def found() -> dict[str, list[tuple[int, str]]]:
    rows = {
        path.relative_to(PACKAGE).as_posix(): sorted(used(parse(path.read_text(encoding="utf-8"))))
        for path in sorted(PACKAGE.rglob("*.py"))
    }
    return {name: uses for name, uses in rows.items() if uses}


@ONE_PROCESS
def test_what_only_some_systems_have_stands_in_named_modules() -> None:
    assert {name: uses for name, uses in found().items() if name not in PLACES} == {}


@ONE_PROCESS
def test_no_module_is_named_that_needs_it_no_more() -> None:
    asking = {name for name in PLACES if "getattr(os" in (PACKAGE / name).read_text(encoding="utf-8")}
    assert set(PLACES) <= set(found()) | asking


@pytest.mark.parametrize("name", PLACES)
def test_there_it_is_behind_a_check(name: str) -> None:
    for check in PLACES[name]:
        where, _, words = check.rpartition(": ")
        assert words in (PACKAGE / (where or name)).read_text(encoding="utf-8"), check


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("import fcntl", "fcntl"),
        ("from resource import getrusage", "resource"),
        ("import os\nos.fork()", "os.fork"),
        ("from os import fork", "os.fork"),
        ("import signal\nx = signal.SIGKILL", "signal.SIGKILL"),
        ("import os\nos.open('x', 0, dir_fd=3)", "dir_fd="),
        ("import subprocess\nsubprocess.Popen([], pass_fds=())", "pass_fds="),
    ],
)
def test_each_kind_of_use_is_seen(text: str, name: str) -> None:
    assert [one for _, one in used(ast.parse(text))] == [name]


def test_a_question_is_no_use() -> None:
    assert list(used(ast.parse("import os\nx = getattr(os, 'O_PATH', 0)\ny = hasattr(os, 'fork')"))) == []


# --- the program, where all of that is missing ---

# What the standard library imports for itself is there before the names go.
BARE = """
import asyncio, concurrent.futures.process, json, logging.handlers, multiprocessing.pool, os, shutil, signal, sqlite3
import socket, ssl, subprocess, sys, tempfile
import click, httpx, lxml.etree, pycurl, yaml
modules, calls = json.loads(sys.argv.pop(1))
class Lacking:
    def find_spec(self, name, path=None, target=None):
        if name in modules:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Lacking())
for name in modules:
    sys.modules.pop(name, None)
for module, names in calls.items():
    for name in names:
        vars(sys.modules[module]).pop(name, None)
os.supports_dir_fd = set()
shutil._use_fd_functions = False
shutil._rmtree_impl = shutil._rmtree_unsafe  # which Python 3.14 has chosen before
sys.platform = "win32"
from sitemap_action.__main__ import main
main()
"""
ARGUMENTS = ["write", "--offline", "--path", "site", "--site-url", "https://www.example.com/", "--sitemap", "sitemap.xml", "--baseline", "committed", "--set", "policy.max-removed=10"]  # fmt: skip


def test_a_site_is_checked_and_written_without_any_of_it(tmp_path: Path) -> None:
    """The same report and the same file. A stand-in for Windows, which lacks more: nothing here says that it runs there."""
    lacking = json.dumps([sorted(MODULES - {"posix"}), {name: sorted(names) for name, names in CALLS.items()}])
    ran = []
    for name, start in (("all", ["-m", "sitemap_action"]), ("bare", ["-c", BARE, lacking])):
        shutil.copytree(ROOT / "tests/cases/three-accidents/site", tmp_path / name / "site")
        shutil.copy(ROOT / "tests/cases/three-accidents/committed/sitemap.xml", tmp_path / name)
        done = subprocess.run([sys.executable, *start, *ARGUMENTS], cwd=tmp_path / name, capture_output=True, text=True, check=False)  # fmt: skip
        ran.append((done.returncode, done.stdout, (tmp_path / name / "sitemap.xml").read_bytes()))
        assert done.returncode == 0, done.stderr
    assert ran[0] == ran[1]
