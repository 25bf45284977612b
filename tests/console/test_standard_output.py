"""A reader of standard output that leaves changes no exit code and causes no error (U-20), and a full disk is no bug."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import forked

PAGE = "<!doctype html><title>A page</title><p>" + "some words " * 60
SITE = ("--path", "dist", "--site-url", "https://www.example.com/")
COMMANDS = [
    ("check", *SITE),
    ("check", *SITE, "--format", "json"),
    ("write", *SITE, "--sitemap", "dist/sitemap.xml", "--dry-run"),
    ("validate", "large.xml"),
    ("read", "large.xml"),
    ("read", "large.xml", "--format", "csv"),
    ("diff", "large.xml", "small.xml"),
    ("diff", "missing.xml", "small.xml"),
    ("rules",),
    ("rules", "SM-12"),
    ("--help",),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "dist").mkdir()
    (tmp_path / "dist/index.html").write_text(PAGE)
    for name, count in (("large.xml", 10_000), ("small.xml", 1)):
        urls = "".join(f"<url><loc>https://www.example.com/{number}</loc></url>\n" for number in range(count))
        (tmp_path / name).write_text(f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{urls}</urlset>\n')
    return tmp_path


def bare() -> dict[str, str]:
    return {"PATH": os.environ["PATH"]}


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_a_reader_that_left(folder: Path, arguments: tuple[str, ...]) -> None:
    code, errors = forked.start(*arguments, folder=folder, environment=bare()).end()
    reading, writing = os.pipe()
    os.close(reading)
    try:
        ended_early = forked.start(*arguments, folder=folder, environment=bare(), stdout=writing).end()
        assert ended_early[0] == code
        assert ended_early[1] in {errors, ""}  # `read` stops where its records are of no use
        on_a_runner = bare() | {"GITHUB_ACTIONS": "true"}
        assert forked.start(*arguments, folder=folder, environment=on_a_runner, stdout=writing).end()[0] == code
    finally:
        os.close(writing)


@pytest.mark.parametrize("arguments", [COMMANDS[0], COMMANDS[4]], ids=" ".join)
def test_no_standard_output_at_all(folder: Path, arguments: tuple[str, ...]) -> None:
    code, errors = forked.start(*arguments, folder=folder, environment=bare()).end()
    command = ["sh", "-c", '"$@" >&-', "sh", sys.executable, "-m", "sitemap_action", *arguments]
    ran = subprocess.run(command, cwd=folder, stderr=subprocess.PIPE, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (code, errors)


FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("read", "large.xml"), 4),
        (("rules", "SM-12"), 4),
        (("--help",), 4),
        (("diff", "large.xml", "small.xml"), 1),  # the verdict's own code
        (("diff", "missing.xml", "small.xml"), 2),
    ],
)
def test_a_full_disk(folder: Path, arguments: tuple[str, ...], code: int) -> None:
    with FULL.open("wb") as full:
        ended_with, errors = forked.start(*arguments, folder=folder, environment=bare(), stdout=full.fileno()).end()
        assert ended_with == code
        if code != 2:  # where nothing was printed, nothing is lost
            assert errors.splitlines()[-2:] == [
                "error: cannot write to standard output: No space left on device",
                "hint: free some space, or redirect the output to another place",
            ]


@pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")
def test_a_full_disk_under_the_log(folder: Path) -> None:
    command = [sys.executable, "-m", "sitemap_action", "diff", "large.xml", "small.xml", "--verbose"]
    with FULL.open("wb") as full:
        ran = subprocess.run(command, cwd=folder, env=bare(), stdout=full, stderr=full, check=False)
    assert ran.returncode == 1
