"""What is imported before root is given up: everything that a run imports at all."""

import ast
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from servers import serve

PAGE = "<!doctype html><html lang=en><title>A page</title><p>" + "some words " * 60
OWNER = 1001
AS_ROOT = pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="only root can give root up")

# A run as the container starts it; the process that gave root up prints which modules it has imported since.
RUN = """
import json, os, sys
from sitemap_action.cli import action, privilege
from sitemap_action.__main__ import run

enter_child, before = action.enter_child, set()

def noted():
    effects = enter_child()
    before.update(sys.modules)
    return effects

action.enter_child = noted
privilege._COMMAND = (sys.executable, "-c", os.environ["RUN"])
code = run(["run", "--unprivileged"])
if before:
    late = {name: getattr(sys.modules[name], "__file__", None) for name in {*sys.modules} - before}
    print("LATE", json.dumps([os.getuid(), late]), file=sys.stderr, flush=True)
sys.exit(code)
"""


@pytest.fixture
def workspace() -> Iterator[Path]:
    """One that its owner can reach: the folders of pytest are root's alone."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / ".github").mkdir()
        (folder / ".github/sitemap.yml").write_text("policy: {max-removed: 5}\n")
        for number in range(401):  # so many that several processes read them
            (folder / f"dist/{number}").mkdir(parents=True)
            (folder / f"dist/{number}/index.html").write_text(PAGE)
        (folder / "dist/index.html").write_text(PAGE + "".join(f"<a href=/{number}/>" for number in range(401)))
        os.chown(folder, OWNER, OWNER)
        yield folder


def late_imports(workspace: Path, **environment: str) -> dict[str, str | None]:
    """Module → file, of every module that the process without rights imported."""
    given = {"GITHUB_ACTIONS": "true", "INPUT_SITE-URL": "https://www.example.com/", **environment}
    done = subprocess.run(
        [sys.executable, "-c", RUN],
        cwd=workspace,
        env={**os.environ, **given, "RUN": RUN},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [line for line in done.stderr.splitlines() if line.startswith("LATE")]
    assert len(lines) == 1, done.stderr
    user, late = json.loads(lines[0].removeprefix("LATE"))
    assert user == OWNER
    assert done.returncode == int(environment["CODE"]), done.stdout + done.stderr
    return dict(late)


@AS_ROOT
def test_a_build_is_read_and_a_sitemap_written_without_an_import(workspace: Path) -> None:
    given = {"INPUT_PATH": "dist", "INPUT_SITEMAP": "sitemap.xml", "INPUT_MODE": "write"}
    assert late_imports(workspace, CODE="0", **given) == {}
    assert (workspace / "sitemap.xml").exists()


@AS_ROOT
def test_a_site_is_crawled_without_an_import(workspace: Path) -> None:
    with serve({"/": PAGE + "<a href=/a/>a</a>", "/a/": PAGE, "*": 404}) as site:
        inputs = {"INPUT_URL": site.url, "INPUT_SITE-URL": site.url, "INPUT_ALLOW-PRIVATE-HOSTS": "127.0.0.1"}
        assert late_imports(workspace, CODE="1", **inputs) == {}
        assert "/a/" in site.paths


LOADED = """
import sys
from sitemap_action import __main__
from sitemap_action.cli import action
from sitemap_action.cli.preload import preload
preload()
print(*(f"{name}={getattr(module, '__file__', None)}" for name, module in sys.modules.items()), sep="\\n")
"""


def test_every_import_of_every_module_of_a_run_is_preloaded() -> None:
    """Also those inside a function, whether or not some run above comes to it."""
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    loaded = dict(line.split("=", 1) for line in done.stdout.splitlines())
    ours = {name: Path(file) for name, file in loaded.items() if name.partition(".")[0] == "sitemap_action"}
    assert len(ours) > 100
    missing = {(name, target) for name, file in ours.items() for target in imports(file) if target not in loaded}
    missing -= {("sitemap_action.repo.git_view", "_winapi")}  # of Windows, where no root is given up
    assert missing == set()


def imports(file: Path) -> Iterator[str]:
    package = Path(__file__).parents[2]
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield str(node.module)
            inner = [f"{node.module}.{name.name}" for name in node.names]
            yield from (name for name in inner if (package / f"{name.replace('.', '/')}.py").exists())
