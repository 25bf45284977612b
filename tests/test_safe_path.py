"""Started in a hostile checkout, nothing is imported from it (S-11)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PLANTED = ("html", "json", "click", "yaml", "signal", "lxml", "sqlite3", "logging", "xxhash", "sitemap", "errors")
SCRIPT = Path(sys.executable).with_name("sitemap-action")


def start(folder: Path, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    inherited = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "PYTHONSAFEPATH"}}
    return subprocess.run(
        command, cwd=folder, env=inherited | environment, capture_output=True, text=True, check=False, timeout=60
    )


def plant(folder: Path, name: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"open('taken', 'w').close()\nraise SystemExit('{name} has taken over')\n")


@pytest.mark.attack("imports", tried=len(PLANTED))
def test_S_11_python_m_imports_nothing_from_a_checkout(tmp_path: Path) -> None:
    for name in PLANTED:
        plant(tmp_path, f"{name}.py")
    (tmp_path / "sitemap.xml").write_text('<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"/>')
    done = start(tmp_path, sys.executable, "-m", "sitemap_action", "validate", "--format", "json", "sitemap.xml")
    assert (done.returncode, (tmp_path / "taken").exists()) == (0, False), done.stderr
    assert "SM-09" in done.stdout


@pytest.mark.attack("imports", tried=3)
@pytest.mark.parametrize("how", ["-P", "PYTHONSAFEPATH", "script"])
def test_S_11_the_safe_path_and_the_console_script(how: str, tmp_path: Path) -> None:
    """A package of our own name comes before any line of ours: then only Python itself can look elsewhere."""
    for name in ("sitemap_action/__init__.py", "sitemap_action.py", "html.py"):
        plant(tmp_path, name)
    commands = {
        "-P": [sys.executable, "-P", "-m", "sitemap_action"],
        "PYTHONSAFEPATH": [sys.executable, "-m", "sitemap_action"],
        "script": [str(SCRIPT)],
    }
    environment = {"PYTHONSAFEPATH": "1"} if how == "PYTHONSAFEPATH" else {}
    done = start(tmp_path, *commands[how], "--version", **environment)
    assert (done.returncode, (tmp_path / "taken").exists()) == (0, False), done.stderr


@pytest.mark.attack("imports")
def test_S_11_the_image_has_the_safe_path() -> None:
    assert "PYTHONSAFEPATH=1" in (ROOT / "Dockerfile").read_text(encoding="utf-8")
