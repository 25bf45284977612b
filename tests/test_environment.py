"""The promises of conftest.py, each shown to hold and to fail."""

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from memory import folder_in_memory

HERE = Path(__file__).parent
SKIPS = """
import os, pytest
from pathlib import Path

def test_the_environment_is_bare():
    assert not {foreign} & {{*os.environ}}

def test_home_is_empty():
    assert list(Path.home().iterdir()) == []

@pytest.mark.parametrize("engine", ["blink", "gecko"])
def test_skips_again(engine, tmp_path):
    pytest.skip("no browser")

@pytest.mark.skipif(True, reason="wrong system")
def test_is_marked():
    pass

@pytest.mark.xfail(reason="known")
def test_fails_as_expected():
    assert False

def test_passes():
    pass
"""
FOREIGN = (
    "CI",
    "GITHUB_ACTIONS",  # would send the log to stdout
    "GITHUB_STEP_SUMMARY",
    "GITHUB_TOKEN",
    "GIT_DIR",  # set inside a git hook
    "HTTPS_PROXY",
    "https_proxy",
    "INPUT_MODE",
    "NO_COLOR",
    "PYTHONWARNINGS",
    "XDG_CONFIG_HOME",
)


def test_folders_are_in_memory_where_there_is_room(tmp_path: Path) -> None:
    assert folder_in_memory(tmp_path, wanted=1) == str(tmp_path)
    assert folder_in_memory(tmp_path, wanted=1 << 60) == ""
    assert folder_in_memory(tmp_path / "missing", wanted=1) == ""


def test_what_tests_need_is_kept() -> None:
    assert "PATH" in os.environ
    assert shutil.which("git")


@pytest.mark.parametrize(
    "address",
    [
        ("192.0.2.1", 80),  # TEST-NET-1
        ("0.0.0.0", 80),
        ("2001:db8::1", 80),
    ],
)
def test_no_connection_leaves_the_machine(address: tuple[str, int]) -> None:
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    with socket.socket(family) as client, pytest.raises(RuntimeError, match="no network beyond loopback"):
        client.connect(address)


@pytest.mark.parametrize("host", ["example.com", b"example.com", "localhost.example.com", "127.0.0.1.example.com"])
def test_no_name_is_looked_up(host: str | bytes) -> None:
    with pytest.raises(RuntimeError, match="no network beyond loopback"):
        socket.getaddrinfo(host, 80)


@pytest.mark.parametrize("host", ["", "0.0.0.0"])
def test_no_server_is_open_to_others(host: str) -> None:
    with socket.socket() as server, pytest.raises(RuntimeError, match="no network beyond loopback"):
        server.bind((host, 0))


def test_loopback_is_open() -> None:
    assert socket.getaddrinfo("127.0.0.1", 80)
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        assert client.getpeername() == server.getsockname()


def test_the_environment_is_bare_and_a_skip_is_a_skip_elsewhere(tmp_path: Path) -> None:
    foreign = dict.fromkeys(FOREIGN, "ignore") | {"HOME": str(HERE), "USERPROFILE": str(HERE)}
    shown = run_pytest(tmp_path, {"it": SKIPS.format(foreign={*FOREIGN})}, SITEMAP_ACTION_NO_SKIP="0", **foreign)
    assert "3 passed, 3 skipped, 1 xfailed" in shown
    assert "exit 0" in shown


def test_a_skip_fails_a_run_in_ci_and_says_why_once(tmp_path: Path) -> None:
    file = "import pytest\npytest.importorskip('no_such_library')\n"
    shown = run_pytest(tmp_path, {"it": SKIPS.format(foreign="set()"), "file": file}, SITEMAP_ACTION_NO_SKIP="1")
    assert "4 skipped, and SITEMAP_ACTION_NO_SKIP is set" in shown
    assert "exit 1" in shown
    assert re.search(r"SKIPPED \[2\] .*: no browser\n", shown)
    assert re.search(r"SKIPPED \[1\] .*: wrong system\n", shown)
    assert re.search(r"SKIPPED \[1\] .*no_such_library", shown)


ROWS = """
import pytest, warnings

@pytest.fixture(scope="module")
def limit():
    return 3

@pytest.mark.parametrize("shift", [0, 1])
@pytest.mark.parametrize("number", range(5), ids="number {}".format)
def test_rows(number, shift, limit):
    assert number + shift < limit, f"{number} is too much"

@pytest.mark.parametrize("row", [1, pytest.param(2, marks=pytest.mark.xfail(strict=True)), 3, 4])
def test_marked(row):
    assert row != 2

@pytest.mark.parametrize("row", [1, 2])
def test_fixture(row, tmp_path):
    assert not list(tmp_path.iterdir())

@pytest.mark.rows_apart
@pytest.mark.parametrize("row", [1, 2])
def test_apart(row):
    pass

@pytest.mark.parametrize("row", [1, 2])
def test_warns(row):
    if row == 2:
        warnings.warn("nobody reads this")

@pytest.mark.parametrize("row", [1, 2, 3])
def test_skips(row):
    if row == 2:
        pytest.skip("no browser")
"""


def test_a_row_is_chosen_by_its_id(tmp_path: Path) -> None:
    chosen = ["test_it.py::test_rows[number 3-0]", "test_again.py", "-k", "number and 3-0"]
    shown = run_pytest(tmp_path, {"it": ROWS, "again": ROWS}, *chosen)
    assert shown.count("___ test_rows[number 3-0] ___") == 2
    assert "2 failed" in shown
    assert "passed" not in shown


GROUPED = """
import pytest

@pytest.mark.parametrize("row", [pytest.param(row, marks=pytest.mark.xdist_group(str(row % 2))) for row in range(8)])
def test_group(row):
    pass

@pytest.fixture(scope="module", params=["a", "b"])
def server(request):
    return request.param

@pytest.mark.parametrize("row", range(4))
def test_server(server, row, tmp_path):
    pass
"""


@pytest.fixture(scope="module")
def shared_run(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("shared")
    options = ("-W", "error", "-n", "2", "--dist", "loadgroup", "-v")
    return run_pytest(folder, {"it": ROWS, "groups": GROUPED}, *options)


def test_a_table_is_an_item_that_names_each_row_that_fails(shared_run: str) -> None:
    failed = re.findall(r"(?m)^--- test_it\.py::(.*) ---$", shared_run)
    assert sorted(failed) == [
        *("test_rows[number 2-1]", "test_rows[number 3-0]", "test_rows[number 3-1]"),
        *("test_rows[number 4-0]", "test_rows[number 4-1]", "test_warns[2]"),
    ]
    assert "4 is too much" in shared_run
    assert "5 of 10 rows failed" in shared_run
    assert "no browser (1 of 3 rows)" in shared_run
    # test_marked is a table between its marked row's neighbours: 1, and 3 with 4. The groups are 16 items.
    assert "2 failed, 22 passed, 1 skipped, 1 xfailed" in shared_run


def test_a_group_runs_in_one_process(shared_run: str) -> None:
    for test in (r"test_group\[\d\]@(\d)", r"test_server\[([ab])-\d\]"):
        workers = re.findall(rf"\[(gw\d)\] .*{test}", shared_run)
        assert len(workers) == 8
        assert len(set(workers)) == 2, shared_run


def run_pytest(folder: Path, files: Mapping[str, str], *arguments: str, **environment: str) -> str:
    """What pytest prints about test files that stand beside our conftest, and its exit code."""
    for name in ("conftest.py", "examples.py", "memory.py", "tables.py"):
        shutil.copy(HERE / name, folder)
    for name, code in files.items():
        (folder / f"test_{name}.py").write_text(code, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\npythonpath = .\naddopts = -ra\n", encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "xdist",
        "-p",
        "no:cacheprovider",
        "--no-header",
        *(arguments or ["."]),
    ]
    given = os.environ | environment | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, cwd=folder, env=given, capture_output=True, text=True, encoding="utf-8", check=False)
    return f"{done.stdout}{done.stderr}exit {done.returncode}"
