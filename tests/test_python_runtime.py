"""The action without a container (`runtime: python`), as a runner plays its step, and the environment that it makes."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from containers import ROOT, TOKEN, Ran, Runner

START = ROOT / "action/start.py"
STORY = ROOT / "tests/cases/three-accidents"
INPUTS = {"mode": "write", "path": "site", "site_url": "https://www.example.com/", "sitemap": "sitemap.xml", "baseline": "committed", "max_removed": "10"}  # fmt: skip

pytestmark = pytest.mark.skipif(not shutil.which("bash"), reason="needs bash, which every runner has")


def checked_out(folder: Path) -> Runner:
    made = Runner.make(folder)
    shutil.copytree(STORY / "site", made.workspace / "site")
    shutil.copy(STORY / "committed/sitemap.xml", made.workspace)
    return made


def play(job: Runner, cache: Path, **variables: str) -> Ran:
    return job.run(environment={"RUNNER_TOOL_CACHE": str(cache), **variables}, runtime="python", **INPUTS)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("toolcache")


@pytest.fixture
def job(tmp_path: Path) -> Runner:
    return checked_out(tmp_path / "job")


def without_time(text: str) -> str:
    """Without the time of a run: two of them may be of two minutes."""
    return re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:Z| UTC)", "", text)


@pytest.mark.xdist_group("python runtime")
def test_it_gives_what_the_program_gives(job: Runner, cache: Path, tmp_path: Path) -> None:
    ran = play(job, cache)
    assert ran.code == 0, ran.log
    assert (ran.outputs["result"], ran.outputs["changed"]) == ("drift", "true")
    other = checked_out(tmp_path / "other")
    # What the containers start, but in one process; tests/image compares with these, tests/cli/test_isolate.py with two.
    program = str(Path(sys.executable).with_name("sitemap-action"))
    other.empty_files()
    wanted = other.start([program, "run"], other.environment(**INPUTS))
    assert ran.outputs == wanted.outputs
    assert without_time(ran.summary) == without_time(wanted.summary)
    for name in ("sitemap.xml", ran.outputs["report-json"], ran.outputs["report-sarif"]):
        written, expected = ((one.workspace / name).read_text() for one in (job, other))
        assert without_time(written) == without_time(expected), name
    assert TOKEN not in ran.log.replace(f"::add-mask::{TOKEN}\n", "")


@pytest.mark.attack("imports")
@pytest.mark.xdist_group("python runtime")
def test_the_environment_is_made_once_and_nothing_of_the_workspace_is_imported(job: Runner, cache: Path) -> None:
    play(job, cache)
    made = sorted(cache.rglob("complete"))
    assert len(made) == 1
    planted = ("sitemap_action", "click", "json", "hashlib", "pip", "venv", "sitecustomize")
    for name in planted:
        (job.workspace / f"{name}.py").write_text("open('taken', 'w').close()\nraise SystemExit('taken over')\n")
    shutil.copy(STORY / "committed/sitemap.xml", job.workspace)
    before = made[0].stat().st_mtime_ns
    ran = play(job, cache, PYTHONPATH=str(job.workspace), PYTHONHOME="")
    assert (ran.code, ran.outputs["result"]) == (0, "drift"), ran.log
    assert not list(job.folder.rglob("taken"))
    assert made[0].stat().st_mtime_ns == before, "the second step uses what the first has made"
    assert not list(cache.rglob(".making-*"))


def checkout(folder: Path) -> Path:
    """Of the action, as far as it decides which environment is made."""
    shutil.copytree(ROOT / "action", folder / "action")
    for name in ("requirements.txt", "sitemap_action/run.py", "sitemap_action/__init__.py"):
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    return folder


VENV_WITH_PIP = """
import os, sysconfig, venv

def link_pip(builder, context):
    packages = sysconfig.get_path("purelib", "venv", {{"base": context.env_dir}})
    os.symlink(os.path.dirname({pip!r}), os.path.join(packages, "pip"))

venv.EnvBuilder._setup_pip = link_pip
"""


@pytest.mark.attack("supply chain")
@pytest.mark.parametrize(
    ("file", "says", "options"),
    [
        ("certifi-2026.10.18-py3-none-any.whl", "Expected sha256 000000", []),
        ("certifi-2026.10.18.tar.gz", "No matching distribution found for certifi==2026.10.18", ["--without-pip"]),
    ],
    ids=["other bytes", "no wheel, for an interpreter with an old pip"],
)
def test_a_package_with_other_bytes_is_not_installed(
    job: Runner, tmp_path: Path, file: str, says: str, options: list[str]
) -> None:
    """One package alone, from a folder of wheels: its name is right, its content is not; or it is no wheel."""
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    (wheels / file).write_bytes(b"PK not what was locked")
    action = checkout(tmp_path / "action")
    (action / "requirements.txt").write_text(f"certifi==2026.10.18 --hash=sha256:{'0' * 64}\n")
    given = {"GITHUB_ACTION_PATH": str(action), "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels), "PIP_REQUIRE_VIRTUALENV": "1"}  # fmt: skip
    if options:
        subprocess.run([sys.executable, "-m", "venv", *options, str(tmp_path / "python")], check=True)
        (packages,) = (tmp_path / "python/lib").glob("python*/site-packages")
        (packages / "pip").mkdir()
        (packages / "pip/__main__.py").write_text("raise ImportError('html5lib')\n")
        (packages / "pip-20.0.2.dist-info").mkdir()
        # The environment gets the pip that this one has: to unpack and compile the interpreter's own takes seconds.
        pip = importlib.util.find_spec("pip")
        assert pip
        (packages / "venv_with_pip.py").write_text(VENV_WITH_PIP.format(pip=str(pip.origin)))
        (packages / "venv_with_pip.pth").write_text("import venv_with_pip\n")
        (packages / "pip-20.0.2.dist-info/METADATA").write_text("Metadata-Version: 2.1\nName: pip\nVersion: 20.0.2\n")
        given["PATH"] = f"{tmp_path}/python/bin:{os.environ['PATH']}"
    ran = play(job, tmp_path / "cache", **given)
    assert (ran.code, says in ran.log) == (2, True), ran.log
    assert ran.log.splitlines()[1].startswith("::error title=sitemap-action::"), ran.log
    assert not list((tmp_path / "cache").rglob("complete"))
    assert not list((tmp_path / "cache").rglob(".making-*"))


# --- what makes another environment ---


def start_of(path: Path) -> ModuleType:
    """`action/start.py` of a checkout, which is no module of a package."""
    spec = importlib.util.spec_from_file_location("start", path / "start.py")
    assert spec
    assert spec.loader
    start = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(start)
    return start


def place(path: Path, **variables: str) -> Path:
    """Where the environment would be made; its name is the identity."""
    start = start_of(path)
    with pytest.MonkeyPatch.context() as patch:
        for name in {*os.environ}:
            patch.delenv(name)
        for name, value in variables.items():
            patch.setenv(name, value)
        patch.setattr(tempfile, "tempdir", None)  # asked anew
        return Path(start.place())


@pytest.mark.parametrize(
    ("name", "change"),
    [("requirements.txt", ("sha256:....", "sha256:0000")), ("sitemap_action/run.py", ("(?s)^", "# changed\n"))],
    ids=["lock", "package"],
)
def test_another_lock_or_package_has_another_environment(name: str, change: tuple[str, str], tmp_path: Path) -> None:
    path = checkout(tmp_path / "action")
    before = place(path / "action", TMPDIR=str(tmp_path)).name
    assert place(path / "action", TMPDIR=str(tmp_path)).name == before
    text = (path / name).read_text(encoding="utf-8")
    (path / name).write_text(re.sub(*change, text, count=1), encoding="utf-8")
    assert place(path / "action", TMPDIR=str(tmp_path)).name != before


def test_the_environment_is_in_the_tool_cache_else_in_the_folder_of_the_job_else_of_this_process(
    tmp_path: Path,
) -> None:
    tools, temp = tmp_path / "tools", tmp_path / "temp"
    both = {"RUNNER_TOOL_CACHE": str(tools), "RUNNER_TEMP": str(temp)}
    found = place(START.parent, **both)
    assert found == tools / "sitemap-action" / found.parent.name / start_of(START.parent).identity()
    tools.rename(tmp_path / "moved")
    tools.write_text("no folder")
    assert temp in place(START.parent, **both).parents
    one, other = (place(START.parent, TMPDIR=str(tmp_path)) for _ in range(2))
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
@pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="owners of files are root's to give")
@pytest.mark.parametrize("plant", PLANTED.values(), ids=PLANTED)
def test_S_12_what_others_may_have_made_is_not_run(plant: Callable[[Path, Path, int], None], tmp_path: Path) -> None:
    tools, temp = tmp_path / "tools", tmp_path / "temp"
    tools.mkdir()
    temp.mkdir(mode=0o700)
    both = {"RUNNER_TOOL_CACHE": str(tools), "RUNNER_TEMP": str(temp)}
    made = _environment_in(tools, place(START.parent, RUNNER_TEMP=str(temp)).name)
    plant(tools, made, 1001)
    found = place(START.parent, **both)
    assert found != made or not start_of(START.parent).trusted(made)
    if found != made:
        assert temp in found.parents, "the folder of the job is this user's alone"
