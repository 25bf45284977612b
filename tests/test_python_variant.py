"""The action without a container, as a runner plays its step; `python tests/test_python_variant.py` writes the file anew."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from containers import Ran

ROOT = Path(__file__).parents[1]
FILE = ROOT / "python/action.yml"
STORY = ROOT / "tests/cases/three-accidents"
TOKEN = "a-token-that-only-reads"
INPUTS = {"mode": "write", "path": "site", "site-url": "https://www.example.com/", "sitemap": "sitemap.xml", "baseline": "committed", "max-removed": "10", "token": TOKEN}  # fmt: skip

SCRIPT = """\
      # The program of this folder does the rest; the shell only finds an interpreter for it.
      run: |
        for name in python3 python py; do
          if "$name" -I -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            exec "$name" -I "$GITHUB_ACTION_PATH/start.py"
          fi
        done
        echo "::error title=sitemap-action::No Python 3.11 or newer is on PATH: run actions/setup-python in a step before"
        exit 2
"""
OPENING = "# The action without a container, for macOS, Windows and runners that have no container engine.\n# Made from host/action.yml: python tests/test_python_variant.py\n"

pytestmark = pytest.mark.skipif(not shutil.which("bash"), reason="needs bash, which every runner has")


def written() -> str:
    """The variant on the runner's network, with Python in the place of the container."""
    text = (ROOT / "host/action.yml").read_text(encoding="utf-8")
    text = text[text.index("name:") : text.index("        SITEMAP_ACTION_SOURCE:")]
    return OPENING + text.replace("(host network)", "(without a container)") + SCRIPT


def step() -> dict[str, Any]:
    (found,) = yaml.safe_load(FILE.read_text(encoding="utf-8"))["runs"]["steps"]
    return dict(found)


def test_the_variant_is_the_root_action() -> None:
    assert FILE.read_text(encoding="utf-8") == written(), "run: python tests/test_python_variant.py"


def test_it_takes_every_input_and_gives_every_output() -> None:
    root, there = (
        yaml.safe_load((ROOT / name).read_text(encoding="utf-8")) for name in ("action.yml", "python/action.yml")
    )
    assert there["inputs"] == root["inputs"]
    assert {name: f"${{{{ steps.run.outputs.{name} }}}}" for name in root["outputs"]} == {
        name: entry["value"] for name, entry in there["outputs"].items()
    }
    assert set(step()["env"]) == {f"INPUT_{name.upper().replace('-', '_')}" for name in root["inputs"]}
    assert "${{" not in step()["run"]


class Job:
    """One job on one machine: a checkout of the story, the runner's files and folders."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self.folder = folder
        self.cache = cache
        for name in ("workspace", "file_commands", "temp"):
            (folder / name).mkdir(parents=True)
        (folder / "event.json").write_text("{}")
        shutil.copytree(STORY / "site", self.workspace / "site")
        shutil.copy(STORY / "committed/sitemap.xml", self.workspace)

    @property
    def workspace(self) -> Path:
        return self.folder / "workspace"

    def environment(self, given: Mapping[str, str]) -> dict[str, str]:
        files = self.folder / "file_commands"
        for name in ("set_output_1", "step_summary_1"):
            (files / name).write_text("")
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTION_PATH": str(FILE.parent),
            "GITHUB_EVENT_NAME": "push",
            "GITHUB_EVENT_PATH": str(self.folder / "event.json"),
            "GITHUB_OUTPUT": str(files / "set_output_1"),
            "GITHUB_REPOSITORY": "example/site",
            "GITHUB_STEP_SUMMARY": str(files / "step_summary_1"),
            "GITHUB_WORKSPACE": str(self.workspace),
            "RUNNER_TEMP": str(self.folder / "temp"),
            "RUNNER_TOOL_CACHE": str(self.cache),
            **given,
        }

    def play(self, *, variables: Mapping[str, str] | None = None, **inputs: str) -> Ran:
        """Expressions are filled in, and the script is run by bash as a runner runs it."""
        action = yaml.safe_load(FILE.read_text(encoding="utf-8"))
        given = {name: entry.get("default", "") for name, entry in action["inputs"].items()} | INPUTS | inputs
        values = {f"inputs.{name}": text for name, text in given.items()}
        filled = {name: re.sub(r"\$\{\{ (\S+) }}", lambda found: values[found[1]], text) for name, text in step()["env"].items()}  # fmt: skip
        script = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step()["run"]]
        return self.start(script, {**filled, **(variables or {})})

    def start(self, command: list[str], variables: Mapping[str, str]) -> Ran:
        done = subprocess.run(
            command,
            cwd=self.workspace,
            env=self.environment(variables),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=600,
            check=False,
        )
        return Ran(done.returncode, done.stdout, self.folder)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("toolcache")


@pytest.fixture
def job(tmp_path: Path, cache: Path) -> Job:
    return Job(tmp_path / "job", cache)


@pytest.mark.xdist_group("python variant")
def test_it_gives_what_the_container_gives(job: Job, cache: Path, tmp_path: Path) -> None:
    ran = job.play()
    assert ran.code == 0, ran.log
    assert (ran.outputs["result"], ran.outputs["changed"]) == ("drift", "true")
    other = Job(tmp_path / "other", cache)
    # What the image starts, with the inputs as a runner spells them for a container. That giving up root changes nothing
    # of this is what tests/cli/test_isolate.py shows.
    spelled = {f"INPUT_{name.upper()}": text for name, text in {"config": ".github/sitemap.yml", "summary": "true", **INPUTS}.items()}  # fmt: skip
    wanted = other.start([str(Path(sys.executable).with_name("sitemap-action")), "run"], spelled)
    assert ran.outputs == wanted.outputs
    assert ran.summary == wanted.summary
    for name in ("sitemap.xml", ran.outputs["report-json"], ran.outputs["report-sarif"]):
        assert (job.workspace / name).read_bytes() == (other.workspace / name).read_bytes(), name
    assert TOKEN not in ran.log.replace(f"::add-mask::{TOKEN}\n", "")


@pytest.mark.attack("imports")
@pytest.mark.xdist_group("python variant")
def test_the_environment_is_made_once_and_nothing_of_the_workspace_is_imported(job: Job, cache: Path) -> None:
    job.play()
    made = sorted(cache.rglob("complete"))
    assert len(made) == 1
    planted = ("sitemap_action", "click", "json", "hashlib", "pip", "venv", "sitecustomize")
    for name in planted:
        (job.workspace / f"{name}.py").write_text("open('taken', 'w').close()\nraise SystemExit('taken over')\n")
    shutil.copy(STORY / "committed/sitemap.xml", job.workspace)
    before = made[0].stat().st_mtime_ns
    ran = job.play(variables={"PYTHONPATH": str(job.workspace), "PYTHONHOME": ""})
    assert (ran.code, ran.outputs["result"]) == (0, "drift"), ran.log
    assert not list(job.folder.rglob("taken"))
    assert made[0].stat().st_mtime_ns == before, "the second step uses what the first has made"
    assert not list(cache.rglob(".making-*"))


def checkout(folder: Path) -> Path:
    """Of the action, as far as it decides which environment is made."""
    shutil.copytree(ROOT / "python", folder / "python")
    for name in ("requirements.txt", "sitemap_action/run.py", "sitemap_action/__init__.py"):
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    return folder


@pytest.mark.attack("supply chain")
def test_a_package_with_other_bytes_is_not_installed(job: Job, tmp_path: Path) -> None:
    """One package alone, from a folder of wheels: its name is right, its content is not."""
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    (wheels / "certifi-2026.10.18-py3-none-any.whl").write_bytes(b"PK not what was locked")
    action = checkout(tmp_path / "action")
    (action / "requirements.txt").write_text(f"certifi==2026.10.18 --hash=sha256:{'0' * 64}\n")
    given = {"GITHUB_ACTION_PATH": str(action / "python"), "RUNNER_TOOL_CACHE": str(tmp_path / "cache"), "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels)}  # fmt: skip
    ran = job.play(variables=given)
    assert (ran.code, "Expected sha256 000000" in ran.log) == (2, True), ran.log
    assert ran.log.startswith("::error title=sitemap-action::"), ran.log
    assert not list((tmp_path / "cache").rglob("complete"))
    assert not list((tmp_path / "cache").rglob(".making-*"))


def test_without_an_interpreter_the_step_says_what_to_add(job: Job, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    shell = shutil.which("bash")
    assert shell
    ran = job.start([shell, "-e", "-c", step()["run"]], {"PATH": str(tmp_path / "bin")})
    assert (ran.code, ran.log) == (2, "::error title=sitemap-action::No Python 3.11 or newer is on PATH: run actions/setup-python in a step before\n")  # fmt: skip


# --- what makes another environment ---

PROGRAM = """
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("start", sys.argv[1])
start = importlib.util.module_from_spec(spec)
spec.loader.exec_module(start)
print(json.dumps([start.identity(), str(start.place())]))
"""


def place(path: Path, **variables: str) -> tuple[str, Path]:
    done = subprocess.run(
        [sys.executable, "-I", "-c", PROGRAM, str(path / "start.py")],
        env=variables,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    identity, folder = json.loads(done.stdout)
    return identity, Path(folder)


@pytest.mark.parametrize(
    ("name", "change"),
    [("requirements.txt", ("sha256:....", "sha256:0000")), ("sitemap_action/run.py", ("(?s)^", "# changed\n"))],
    ids=["lock", "package"],
)
def test_another_lock_or_package_has_another_environment(name: str, change: tuple[str, str], tmp_path: Path) -> None:
    path = checkout(tmp_path / "action")
    before, _ = place(path / "python")
    assert place(path / "python")[0] == before
    text = (path / name).read_text(encoding="utf-8")
    (path / name).write_text(re.sub(*change, text, count=1), encoding="utf-8")
    assert place(path / "python")[0] != before


def test_the_environment_is_in_the_tool_cache_else_in_the_folder_of_the_job_else_of_this_process(
    tmp_path: Path,
) -> None:
    tools, temp = tmp_path / "tools", tmp_path / "temp"
    both = {"RUNNER_TOOL_CACHE": str(tools), "RUNNER_TEMP": str(temp)}
    identity, found = place(FILE.parent, **both)
    assert found == tools / "sitemap-action" / found.parent.name / identity
    tools.rename(tmp_path / "moved")
    tools.write_text("no folder")
    assert temp in place(FILE.parent, **both)[1].parents
    one, other = (place(FILE.parent, TMPDIR=str(tmp_path))[1] for _ in range(2))
    assert one != other, "a shared temporary folder has no name that could be taken before"


# --- S-12: a neighbour on the runner was there before ---


def _environment_in(folder: Path, identity: str) -> Path:
    """What a neighbour plants: a program of its own that is taken for a finished environment."""
    (version,) = re.findall(
        r'__version__ = "([^"]+)"', (ROOT / "sitemap_action/__init__.py").read_text(encoding="utf-8")
    )
    made = folder / "sitemap-action" / version / identity
    (made / "bin").mkdir(parents=True)
    (made / "bin/python").write_text("#!/bin/sh\ntouch taken\n")
    (made / "bin/python").chmod(0o755)
    return made


def _by_link(tools: Path, made: Path, _other: int) -> None:
    (made / "complete").symlink_to("/etc/passwd")
    tools.chmod(0o777)


def _by_mode(which: int) -> Callable[[Path, Path, int], None]:
    def plant(tools: Path, made: Path, _other: int) -> None:
        (made / "complete").touch()
        [tools, made.parents[1], made.parents[0], made][which].chmod(0o777)

    return plant


def _by_owner(which: int) -> Callable[[Path, Path, int], None]:
    def plant(tools: Path, made: Path, other: int) -> None:
        (made / "complete").touch()
        os.chown([tools, made.parents[1], made.parents[0], made, made / "complete"][which], other, -1)

    return plant


PLANTED: dict[str, Callable[[Path, Path, int], None]] = {
    "a marker that is a link to a file of root's": _by_link,
    **{f"others may write to {name}": _by_mode(k) for k, name in enumerate(("the cache", "its folder", "the version's", "the environment"))},
    **{f"another user's {name}": _by_owner(k) for k, name in enumerate(("cache", "folder", "version", "environment", "marker"))},
}  # fmt: skip


@pytest.mark.attack("imports")
@pytest.mark.rows_apart
@pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="owners of files are root's to give")
@pytest.mark.parametrize("plant", PLANTED.values(), ids=PLANTED)
def test_S_12_what_others_may_have_made_is_not_run(plant: Callable[[Path, Path, int], None], tmp_path: Path) -> None:
    tools, temp = tmp_path / "tools", tmp_path / "temp"
    tools.mkdir()
    temp.mkdir(mode=0o700)
    both = {"RUNNER_TOOL_CACHE": str(tools), "RUNNER_TEMP": str(temp)}
    identity, _ = place(FILE.parent, RUNNER_TEMP=str(temp))
    made = _environment_in(tools, identity)
    plant(tools, made, 1001)
    found = place(FILE.parent, **both)[1]
    assert found != made or not _is_trusted(made)
    if found != made:
        assert temp in found.parents, "the folder of the job is this user's alone"


def _is_trusted(folder: Path) -> bool:
    code = PROGRAM.replace("print(json.dumps([start.identity(), str(start.place())]))", "from pathlib import Path\nprint(start.trusted(Path(sys.argv[2])))")  # fmt: skip
    done = subprocess.run([sys.executable, "-I", "-c", code, str(FILE.parent / "start.py"), str(folder)], capture_output=True, text=True, check=True)  # fmt: skip
    return done.stdout.strip() == "True"


if __name__ == "__main__":
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(written(), encoding="utf-8")
