"""What is installed is what is here: the wheel, the locked requirements, the files that speak about them."""

import ast
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import distribution, packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from sitemap_action import __version__
from sources import ONE_PROCESS, nodes, parse

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
LOCKS = ("requirements.txt", "requirements-dev.txt")
_PIN = re.compile(r"(?m)^([\w.-]+)(?:\[[\w,.-]+\])?==([^\s;]+)")


def locked(name: str) -> dict[str, str]:
    """Package → version, of one lock file."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return {canonicalize_name(package): pin for package, pin in _PIN.findall(text)}


@pytest.mark.parametrize("name", LOCKS)
def test_every_locked_package_has_a_hash_and_no_address(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8").replace("\\\n", "")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert lines
    for line in lines:
        assert re.fullmatch(r"[\w.-]+(\[[\w,.-]+\])?==\S+ (; [^@]+?)?( +--hash=sha256:[0-9a-f]{64})+ *", line), line
    assert "://" not in text
    assert "--index" not in text


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("requirements.txt", PROJECT["dependencies"]),
        ("requirements-dev.txt", PROJECT["dependencies"] + EXTRAS["dev"] + EXTRAS["ui"]),
    ],
)
def test_the_lock_meets_what_the_project_asks_for(name: str, wanted: list[str]) -> None:
    pins = locked(name)
    for requirement in map(Requirement, wanted):
        assert pins[canonicalize_name(requirement.name)] in requirement.specifier, requirement


def test_a_package_that_another_names_with_an_extra_is_locked_with_it() -> None:
    """Else pip before 23.3, as of Python 3.11, takes the newest that is published, and refuses it for its hash."""
    text = (ROOT / "requirements-dev.txt").read_text(encoding="utf-8")
    lines = [Requirement(line.rstrip(" \\")) for line in text.splitlines() if _PIN.match(line)]
    lines = [one for one in lines if one.marker is None or one.marker.evaluate()]
    extras = {canonicalize_name(one.name): one.extras for one in lines}
    named = [
        needed
        for one in lines
        for needed in map(Requirement, distribution(one.name).requires or [])
        if needed.extras
        and (needed.marker is None or any(needed.marker.evaluate({"extra": it}) for it in ("", *one.extras)))
    ]
    assert named
    assert [str(one) for one in named if not one.extras <= extras[canonicalize_name(one.name)]] == []


def test_both_locks_agree() -> None:
    assert locked("requirements.txt").items() <= locked("requirements-dev.txt").items()


@ONE_PROCESS
def test_what_is_imported_is_declared_and_nothing_else_is() -> None:
    imported = {
        name.partition(".")[0]
        for path in (ROOT / "sitemap_action").rglob("*.py")
        for node in nodes(parse(path.read_text(encoding="utf-8")))
        for name in imports(node)
    }
    foreign = imported - sys.stdlib_module_names - {"sitemap_action"}
    providers = packages_distributions()
    found = {canonicalize_name(providers[name][0]) for name in foreign}
    assert found == names(PROJECT["dependencies"] + EXTRAS["ui"])


def test_the_image_has_nothing_of_the_screen() -> None:
    """`ui` is an extra: neither its packages nor what they need are in the lock of the image."""
    assert names(EXTRAS["ui"]) & locked("requirements.txt").keys() == set()
    assert locked("requirements-dev.txt").keys() >= names(EXTRAS["ui"])


def names(requirements: list[str]) -> set[str]:
    return {canonicalize_name(Requirement(line).name) for line in requirements}


def imports(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [name.name for name in node.names]
    return [node.module or ""] if isinstance(node, ast.ImportFrom) else []


def test_the_top_level_is_the_user_s() -> None:
    """The action, the package, what the ecosystem expects beside them, and nothing else."""
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, text=True, check=True
    ).stdout
    action = {"action.yml", "action", "Dockerfile", ".dockerignore"}
    package = {"pyproject.toml", "requirements.txt", "requirements-dev.txt", "sitemap_action", "tests", "benchmarks"}
    texts = {
        "README.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "LICENSE",
        "docs",
        "examples",
        "sbom.cdx.json",
    }
    tools = {"Makefile", ".ci", ".github", ".gitignore", ".editorconfig", ".pre-commit-hooks.yaml"}
    assert {name.partition("/")[0] for name in listed.split("\0") if name} == action | package | texts | tools


def test_the_table_of_systems_speaks_of_the_lock() -> None:
    """Which wheels there are only an index can say (.ci/wheels); that the packages and Pythons are ours is known here."""
    text = (ROOT / "docs/workflows.md").read_text(encoding="utf-8")
    found = re.search(r"(?s)<!-- wheels -->\n(.*?)\n<!-- /wheels -->", text)
    assert found
    first, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in found[1].splitlines())
    supported = {line.rpartition(" ")[2] for line in PROJECT["classifiers"] if line.startswith("Programming Language")}
    assert set(first[1:]) >= supported
    assert {name for row in rows for cell in row[1:] for name in cell.split(", ")} - {"every package"} <= set(locked("requirements.txt"))  # fmt: skip
    assert len(rows) == 8


def test_one_version() -> None:
    assert PROJECT["version"] == __version__


def test_the_python_that_the_readme_asks_for() -> None:
    wanted = PROJECT["requires-python"].removeprefix(">=")
    assert f"With Python {wanted} or newer" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_wheel_holds_the_package(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    shutil.copytree(ROOT / "sitemap_action", source / "sitemap_action", ignore=shutil.ignore_patterns("__pycache__"))
    # What pip calls: it looks for other things for longer than the build takes.
    build = "import sys, tomllib; from importlib import import_module; backend = tomllib.load(open('pyproject.toml', 'rb'))['build-system']['build-backend']; import_module(backend).build_wheel(sys.argv[1])"  # fmt: skip
    subprocess.run([sys.executable, "-c", build, str(tmp_path)], cwd=source, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        inside = set(archive.namelist())
        metadata = archive.read(f"sitemap_action-{__version__}.dist-info/METADATA").decode()
    here = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "sitemap_action").rglob("*")
        if path.suffix in {".py", ".xsd", ".json", ".typed", ".html", ".css", ".js"} and "__pycache__" not in path.parts
    }
    assert len(here) > 20
    assert here <= inside
    assert not any(name.startswith(("tests", "examples", "benchmarks")) for name in inside)
    assert any(name.endswith("/LICENSE") for name in inside)
    assert "License-Expression: MIT" in metadata


def test_every_stage_of_the_image_runs_one_python_that_the_project_supports() -> None:
    """The environment is copied from stage to stage, so all must have the same interpreter."""
    image, *others = re.findall(r"(?m)^FROM (\S+)", (ROOT / "Dockerfile").read_text(encoding="utf-8"))
    assert others == ["base", "base", "system", "system"]
    python = re.fullmatch(r"python:(3\.\d+)-slim(?:@sha256:[0-9a-f]{64})?", image)
    assert python
    assert f"Programming Language :: Python :: {python[1]}" in PROJECT["classifiers"]


def test_no_package_runs_code_while_the_image_installs_it() -> None:
    """Wheels of the lock by hash, and our own from the stage before; beside them git, and Chromium where pages are rendered."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    installs = re.findall(r"pip [^&|\n]*install [^&|\n]*", text)
    assert len(installs) == 3
    assert [
        one for one in installs if "--no-index" not in one and "--require-hashes --only-binary :all:" not in one
    ] == []
    assert re.findall(r"--no-install-recommends (\S+)", text) == ["git", "chromium-headless-shell"]


def test_the_image_has_the_form_that_every_runner_can_start() -> None:
    """Exec form, without a user of its own: who starts it names one. It does nothing that it is not told."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert re.search(r'^ENTRYPOINT \["/opt/venv/bin/sitemap-action"\]$', text, re.MULTILINE)
    assert not re.search(r"^CMD", text, re.MULTILINE)
    assert not re.search(r"^USER", text, re.MULTILINE)
    assert "/opt/venv/bin/sitemap-action".endswith(next(iter(PROJECT["scripts"])))
