"""The promises of conftest.py, each shown to hold and to fail."""

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SKIPS = """
import pytest

def test_skips():
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


def test_the_environment_is_bare(tmp_path: Path) -> None:
    code = f"import os\ndef test_it(): assert not {set(FOREIGN)} & {{*os.environ}}\n"
    assert "1 passed" in run_pytest(tmp_path, code, **dict.fromkeys(FOREIGN, "ignore"))


def test_home_is_empty(tmp_path: Path) -> None:
    code = "from pathlib import Path\ndef test_it(): assert list(Path.home().iterdir()) == []\n"
    assert "1 passed" in run_pytest(tmp_path, code, HOME=str(HERE), USERPROFILE=str(HERE))


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


def test_a_skip_is_a_skip_elsewhere(tmp_path: Path) -> None:
    assert "1 passed, 2 skipped, 1 xfailed" in run_pytest(tmp_path, SKIPS, SITEMAP_ACTION_NO_SKIP="0")


def test_a_skip_fails_in_ci_and_says_why(tmp_path: Path) -> None:
    shown = run_pytest(tmp_path, SKIPS, SITEMAP_ACTION_NO_SKIP="1")
    assert "1 failed, 1 passed, 1 xfailed, 1 error" in shown
    assert "no browser" in shown
    assert "wrong system" in shown


def test_a_skipped_file_fails_in_ci_too(tmp_path: Path) -> None:
    shown = run_pytest(tmp_path, "import pytest\npytest.importorskip('no_such_library')\n", SITEMAP_ACTION_NO_SKIP="1")
    assert "1 error" in shown
    assert "no_such_library" in shown


def run_pytest(folder: Path, code: str, **environment: str) -> str:
    """What pytest prints about one test file that stands beside our conftest."""
    shutil.copy(HERE / "conftest.py", folder)
    (folder / "test_it.py").write_text(code, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--no-header", "."]
    done = subprocess.run(
        command, cwd=folder, env=os.environ | environment, capture_output=True, text=True, encoding="utf-8", check=False
    )
    return done.stdout + done.stderr
