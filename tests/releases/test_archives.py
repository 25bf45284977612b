"""Wheel and sdist of the checkout: the same bytes each time, and complete where there is no checkout."""

import hashlib
import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from releases.steps import PROGRAM, ROOT, repository, run
from sitemap_action import __version__

DATA = {".py", ".xsd", ".json", ".typed", ".html", ".css", ".js"}
RUN = {
    "GITHUB_SERVER_URL": "https://github.com",
    "GITHUB_REPOSITORY": "acme/sitemap-action",
    "GITHUB_WORKFLOW_REF": "acme/sitemap-action/.github/workflows/release.yml@refs/heads/main",
    "GITHUB_REF": "refs/heads/main",
    "GITHUB_SHA": "0123456789" * 4,
    "GITHUB_EVENT_NAME": "workflow_dispatch",
    "GITHUB_REPOSITORY_ID": "1",
    "GITHUB_REPOSITORY_OWNER_ID": "2",
    "GITHUB_RUN_ID": "3",
    "GITHUB_RUN_ATTEMPT": "4",
    "RUNNER_ENVIRONMENT": "github-hosted",
}


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program itself builds each twice, and fails when the bytes differ."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, str(PROGRAM), "archives", "--out", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    sums = dict(reversed(line.split("  ")) for line in done.stdout.splitlines())
    assert sums == {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}
    return folder


def shipped() -> set[str]:
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "sitemap_action"], capture_output=True, text=True, check=True)  # fmt: skip
    return {name for name in listed.stdout.splitlines() if Path(name).suffix in DATA and (ROOT / name).exists()}


def test_both_hold_every_file_of_the_package(dist: Path) -> None:
    with (
        zipfile.ZipFile(dist / f"sitemap_action-{__version__}-py3-none-any.whl") as wheel,
        tarfile.open(dist / f"sitemap_action-{__version__}.tar.gz") as sdist,
    ):
        files, members = shipped(), sdist.getmembers()
        packed = {member.name.partition("/")[2]: sdist.extractfile(member) for member in members}
        assert files <= set(wheel.namelist())
        assert files <= set(packed)
        assert [name for name, file in packed.items() if name in files and (not file or file.read() != wheel.read(name))] == []  # fmt: skip
        assert {entry.date_time for entry in wheel.infolist()} == {wheel.infolist()[0].date_time}
        assert {(one.uid, one.gid, one.uname) for one in members} == {(0, 0, "")}
        assert len({one.mtime for one in members} - {0}) == 1


def test_the_wheel_runs_outside_of_the_checkout(dist: Path, tmp_path: Path) -> None:
    """With the data that is packaged: schemas of sitemaps, of the config, of events; the page of the HTML report."""
    place = tmp_path / "installed"
    with zipfile.ZipFile(next(dist.glob("*.whl"))) as wheel:
        wheel.extractall(place)
    (tmp_path / "site").mkdir()
    (tmp_path / "site/index.html").write_text("<!doctype html><html lang=en><title>t</title><p>" + "words " * 60)
    # The packages that it needs are those of this environment; the program itself is not.
    program = "import json, sys; sys.path[:] = [p for p in sys.path if 'editable' not in p]; sys.meta_path[:] = [f for f in sys.meta_path if 'editable' not in repr(f)]; sys.path.insert(0, sys.argv.pop(1)); import sitemap_action; print(sitemap_action.__file__, file=sys.stderr); from sitemap_action.__main__ import run; sys.exit(any([run(words) for words in json.loads(sys.argv[1])]))"  # fmt: skip
    reports = [f"--report={name}=report.{name}" for name in ("html", "sarif", "json")]
    given = ["write", "--offline", "--path", "site", "--site-url", "https://www.example.com/", "--sitemap", "sitemap.xml", *reports]  # fmt: skip
    commands = json.dumps([given, ["validate", "sitemap.xml"], ["rules", "SM-14"]])
    done = subprocess.run(
        [sys.executable, "-I", "-c", program, str(place), commands],
        cwd=tmp_path,
        env={name: text for name, text in os.environ.items() if name != "PYTHONPATH"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr.startswith(str(place)), "another copy was imported"
    assert "<script" in (tmp_path / "report.html").read_text()


def test_other_bytes_are_refused(tmp_path: Path) -> None:
    place = repository(tmp_path)
    # A build that writes something else each time.
    text = (PROGRAM / "archives.py").read_text()
    changed = text.replace(
        '"import sys; ', "\"import os, sys; open('sitemap_action/made.py', 'w').write(os.urandom(9).hex()); "
    )
    assert changed != text
    (tmp_path / "releases").mkdir()
    for path in PROGRAM.glob("*.py"):
        (tmp_path / "releases" / path.name).write_text(changed if path.name == "archives.py" else path.read_text())
    command = [
        sys.executable,
        str(tmp_path / "releases"),
        "--root",
        str(place),
        "archives",
        "--out",
        str(tmp_path / "dist"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, "has other bytes when it is built again" in done.stderr) == (1, True), done.stderr
    assert not (tmp_path / "dist").exists()


# --- statements about what was built ---


def test_provenance_states_the_run() -> None:
    code, shown, _ = run(ROOT, "provenance", **RUN)
    made = json.loads(shown)
    assert code == 0
    assert made["buildDefinition"]["externalParameters"]["workflow"] == {"path": ".github/workflows/release.yml", "ref": "refs/heads/main", "repository": "https://github.com/acme/sitemap-action"}  # fmt: skip
    assert made["buildDefinition"]["resolvedDependencies"][0]["digest"] == {"gitCommit": RUN["GITHUB_SHA"]}
    assert made["runDetails"]["metadata"]["invocationId"].endswith("/acme/sitemap-action/actions/runs/3/attempts/4")


@pytest.mark.parametrize("name", RUN)
def test_there_is_no_provenance_outside_of_a_run(name: str) -> None:
    code, shown, said = run(ROOT, "provenance", **RUN | {name: ""})
    assert (code, shown) == (1, "")
    assert name in said


def test_the_bill_of_an_image_has_its_debian_packages(tmp_path: Path) -> None:
    place = repository(tmp_path)
    assert run(place, "owner", "acme")[0] == 0
    digest = f"sha256:{'0' * 64}"  # of no image: it is only repeated
    listed = "git\t1:2.47.3-0+deb13u1\tamd64\nlibc6\t2.41-12\tamd64\n"
    code, shown, said = run(place, "bom", "1.0.0", "--digest", digest, text=listed)
    assert code == 0, said
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(shown) is None
    made = json.loads(shown)
    assert made["metadata"]["component"]["hashes"] == [{"alg": "SHA-256", "content": "0" * 64}]
    purls = [one.get("purl", "") for one in made["components"]]
    assert "pkg:deb/debian/git@1:2.47.3-0%2Bdeb13u1?arch=amd64" in purls
    assert sum(purl.startswith("pkg:pypi/") for purl in purls) == len(re.findall(r"(?m)^[\w.-]+==", (ROOT / "requirements.txt").read_text())) + 1  # fmt: skip
    assert run(place, "bom", "1.0.0", "--digest", digest, text=listed)[1] == shown
    for wrong in ("", "no list\n"):
        assert run(place, "bom", "1.0.0", "--digest", digest, text=wrong)[0] == 1
