"""The exploits of S-01 to S-11 replayed against the built image: a workspace in which everything is planted."""

import json
import os
import re
import sqlite3
import subprocess
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from containers import Engine, Ran, Runner

pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="needs root on this side")

TOKEN = "ghs_0123456789abcdefghijklmnopqrstuvwxyz"
PAGE = "<!doctype html><html lang=en><title>A page</title><p>" + "some words " * 60
SITEMAP = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://www.example.com/</loc></url></urlset>'
GOOD = {
    "dist/index.html": PAGE,
    "sitemap.xml": SITEMAP,
    "evil": "#!/bin/sh\nenv > WORKSPACE/SPRUNG\nid >> HOME/SPRUNG\n",
}
SITE = {"path": "dist", "site_url": "https://www.example.com/", "baseline": "committed"}
EVIL = "WORKSPACE/evil"
REPOSITORY = {
    "HEAD": "ref: refs/heads/main\n",
    "objects/info/alternates": "HOME\n",
    "refs/heads/main": "0123456789" * 4 + "\n",
    "config": f"""[core]
 repositoryformatversion = 1
 fsmonitor = {EVIL}
 sshCommand = {EVIL}
 hooksPath = WORKSPACE
[extensions]
 partialClone = origin
[remote "origin"]
 promisor = true
 url = .
 uploadpack = {EVIL}
[credential]
 helper = {EVIL}
""",
}  # fmt: skip
MODULE = "import os\nopen('WORKSPACE/SPRUNG', 'w').write(str(dict(os.environ)))\n"


def put(runner: Runner, files: Mapping[str, str]) -> None:
    """With the places of this job."""
    places = {"WORKSPACE": str(runner.workspace), "HOME": str(runner.folder / "home")}
    for name, text in files.items():
        runner.put({name: re.sub("WORKSPACE|HOME", lambda found: places[found[0]], text)})


Plant = Callable[[Runner], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Attack:
    """What is planted, the inputs, and the exit codes that are honest for it."""

    plant: Plant
    inputs: Mapping[str, str]
    codes: frozenset[int]


def planted_repository(runner: Runner, below: str = "head/e") -> Mapping[str, str]:
    put(runner, {f"{below}/{name}": text for name, text in REPOSITORY.items()})
    return {}


def pull_request(runner: Runner) -> Mapping[str, str]:
    """An event, so that the target branch is looked up."""
    runner.event(
        {"number": 7, "pull_request": {"base": {"ref": "main", "sha": "0123456789" * 4}, "head": {"repo": None}}}
    )
    return {"GITHUB_EVENT_NAME": "pull_request", "GITHUB_SHA": "0123456789" * 4}


def as_git(runner: Runner) -> Mapping[str, str]:
    planted_repository(runner, ".git")
    return pull_request(runner)


def as_git_file(runner: Runner) -> Mapping[str, str]:
    planted_repository(runner)
    runner.put({".git": "gitdir: head/e\n"})
    return pull_request(runner)


def as_git_link(runner: Runner) -> Mapping[str, str]:
    planted_repository(runner)
    (runner.workspace / ".git").symlink_to("head/e")
    return pull_request(runner)


def real_repository(runner: Runner) -> Mapping[str, str]:
    """A true checkout whose configuration and hooks are hostile."""
    git = ["git", "-C", str(runner.workspace)]
    for command in (["init", "-q", "-b", "main"], ["add", "sitemap.xml"], ["commit", "-qm", "base"]):
        subprocess.run([*git, *command], check=True)
    with (runner.workspace / ".git/config").open("a") as config:
        text = REPOSITORY["config"].replace("repositoryformatversion = 1", "")
        config.write(text.replace("WORKSPACE", str(runner.workspace)))
    for hook in ("reference-transaction", "post-checkout", "fsmonitor-watchman"):
        put(runner, {f".git/hooks/{hook}": GOOD["evil"]})
        (runner.workspace / ".git/hooks" / hook).chmod(0o755)
    return pull_request(runner)


def modules(runner: Runner) -> Mapping[str, str]:
    names = (
        "html",
        "json",
        "re",
        "sitecustomize",
        "usercustomize",
        "sqlite3",
        "encodings",
        "click",
        "sitemap_action",
        "lxml",
        "site",
    )
    put(runner, {f"{name}.py": MODULE for name in names})
    put(runner, {"sitemap_action/__init__.py": MODULE, "pyvenv.cfg": "home = WORKSPACE\n", "x.pth": "import html\n"})
    return {}


def links(runner: Runner) -> Mapping[str, str]:
    outside = runner.folder / "home/secret.txt"
    outside.write_text("https://www.example.com/s3cret-outside\n")
    (runner.workspace / "dist/link.html").symlink_to(outside)
    (runner.workspace / "dist/deep").symlink_to("/")
    (runner.workspace / "public").mkdir()
    (runner.workspace / "public/sitemap.txt").symlink_to(outside)
    (runner.workspace / "sitemap.xml").unlink()
    (runner.workspace / "sitemap.xml").symlink_to(outside)
    return {}


def report_link(runner: Runner) -> Mapping[str, str]:
    (runner.folder / "home/reports").mkdir()
    (runner.folder / "home/reports/.gitignore").write_text("kept\n")
    (runner.workspace / ".sitemap-action").symlink_to(runner.folder / "home/reports")
    return {}


def pipes(runner: Runner) -> Mapping[str, str]:
    for name in (".github/sitemap.yml", "dist/pipe.html", "public/sitemap.xml", "dist/robots.txt"):
        path = runner.workspace / name
        path.parent.mkdir(exist_ok=True)
        os.mkfifo(path)
    return {}


def device(runner: Runner) -> Mapping[str, str]:
    (runner.workspace / ".github").mkdir()
    (runner.workspace / ".github/sitemap.yml").symlink_to("/dev/zero")
    return {}


def config(runner: Runner) -> Mapping[str, str]:
    text = 'source: {path: /etc}\nsitemap: ../../etc/passwd\ncrawl: {robots: "file:/proc/self/environ"}\nbaseline: git:--output=HOME/SPRUNG\n'
    put(runner, {".github/sitemap.yml": text})
    return {}


def tags(runner: Runner) -> Mapping[str, str]:
    put(runner, {".github/sitemap.yml": f"site-url: !!python/object/apply:os.system ['{EVIL}']\n"})
    return {}


def state(runner: Runner) -> Mapping[str, str]:
    """A trigger that never ends, and a virtual table of a file outside."""
    with closing(sqlite3.connect(runner.workspace / "state")) as database:
        database.executescript(
            "PRAGMA application_id = 1398033744; PRAGMA user_version = 3; CREATE TABLE metadata (name TEXT PRIMARY KEY, value TEXT);"
            "CREATE TABLE url (id INTEGER PRIMARY KEY, url TEXT);"
            "CREATE TRIGGER t AFTER INSERT ON metadata BEGIN INSERT INTO url (url) SELECT hex(randomblob(1000)) FROM "
            "(WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n LIMIT 100000); END;"
        )
    return {}


def names(runner: Runner) -> Mapping[str, str]:
    """File names and a page that would be workflow commands."""
    runner.put(
        {
            "dist/::set-output name=result::x.html": PAGE,
            "dist/##[add-mask]a.html": PAGE,
            "dist/a\nb::stop-commands::x.html": PAGE,
        }
    )
    runner.put(
        {
            "dist/t.html": "<!doctype html><title>\n::add-mask::e\n##[set-env name=PATH]x</title><link rel=canonical href='::error::x'>"
        }
    )
    return {}


ANY = frozenset({0, 1, 2, 3, 4})
REFUSED = frozenset({2})
ATTACKS = {
    "a repository of ordinary files, named by sitemap": Attack(planted_repository, {"sitemap": "head/e/sitemap.xml"}, ANY),
    "the same as baseline": Attack(planted_repository, {"baseline": "git:HEAD", "sitemap": "head/e/sitemap.xml"}, REFUSED),
    "as .git of the workspace": Attack(as_git, {"baseline": "auto"}, REFUSED),
    "as a .git file": Attack(as_git_file, {"baseline": "auto"}, REFUSED),
    "as a link .git": Attack(as_git_link, {"baseline": "auto"}, REFUSED),
    "a checkout with hostile settings and hooks": Attack(real_repository, {"baseline": "git:HEAD"}, ANY),
    "the same on a pull request": Attack(real_repository, {"baseline": "auto"}, ANY),
    "modules named like the library's": Attack(modules, {}, frozenset({0})),
    "pipes": Attack(pipes, {}, ANY),
    "a device as config": Attack(device, {}, REFUSED),
    "a config that leads outside": Attack(config, {"baseline": "", "path": ""}, REFUSED),
    "a config with tags": Attack(tags, {}, REFUSED),
    "a state with a trigger": Attack(state, {"state": "state"}, ANY),
    "names that are commands": Attack(names, {}, ANY),
    "links to files outside": Attack(links, {}, ANY),
    "links, and a write": Attack(links, {"mode": "write"}, ANY),
    "a link as report folder": Attack(report_link, {}, ANY),
    "a report beside the workspace": Attack(planted_repository, {"report-path": "../home"}, ANY),
}  # fmt: skip


@pytest.mark.attack("image")
@pytest.mark.parametrize("name", ATTACKS)
def test_the_exploits_against_the_image(runner: Runner, name: str) -> None:
    attack = ATTACKS[name]
    put(runner, GOOD)
    (runner.workspace / "evil").chmod(0o755)
    environment = {**attack.plant(runner), "SECRET_OF_THE_JOB": "s3cret-environment"}
    runner.own()
    before = everything(runner.folder / "home")
    inputs = {name.replace("-", "_"): value for name, value in {**SITE, "token": TOKEN, **attack.inputs}.items()}
    ran = runner.run(environment=environment, **inputs)
    assert not list(runner.folder.rglob("SPRUNG")), "something planted has run"
    assert everything(runner.folder / "home") == before, "nothing outside of the workspace is written"
    assert ran.code in attack.codes, ran.log
    assert "Traceback" not in ran.log
    assert bool(ran.outputs["result"]) is (ran.code in {0, 1, 3, 4}), "a run without verdict has no result"
    assert_no_secret(runner, ran)
    assert_no_command(ran)


def everything(folder: Path) -> dict[str, bytes]:
    return {
        str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()
    }


def assert_no_secret(runner: Runner, ran: Ran) -> None:
    """The token is in the log once, as the mask itself."""
    shown = ran.log.replace(f"::add-mask::{TOKEN}\n", "")
    written = [
        path
        for path in runner.folder.rglob("*")
        if path.is_file() and not path.is_symlink() and path.name != "secret.txt"
    ]
    for text in (shown, ran.summary, *(path.read_text(errors="replace") for path in written)):
        assert TOKEN not in text
        assert "s3cret" not in text


def assert_no_command(ran: Ran) -> None:
    allowed = ("::add-mask::", "::group::", "::endgroup::", "::error ", "::warning ", "::notice ")
    for line in ran.log.splitlines():
        assert "##[" not in line.replace("##[\\", "")
        assert not line.lstrip().startswith("::") or line.startswith(allowed), line
    assert set(ran.outputs) >= {"result", "changed"}
    assert ran.outputs["changed"] in {"true", "false"}


def test_the_trap_is_one(engine: Engine, runner: Runner) -> None:
    """Without our guard git runs what is planted, so that a run that does not shows something."""
    put(runner, GOOD)
    (runner.workspace / "evil").chmod(0o755)
    planted_repository(runner)
    runner.own()
    command = ["git", "-c", "safe.directory=*", "--git-dir=head/e", "cat-file", "-p", "0123456789" * 4]
    mounts = [
        part for name in ("workspace", "home") for part in ("-v", f"{runner.folder / name}:{runner.folder / name}")
    ]
    place = ("--workdir", str(runner.workspace), "--entrypoint", "")
    engine.call("run", "--rm", *mounts, *place, engine.image, *command)
    assert (runner.workspace / "SPRUNG").exists()


def test_python_finds_modules_that_are_planted_where_it_may(engine: Engine, runner: Runner) -> None:
    put(runner, GOOD)
    modules(runner)
    place = str(runner.workspace)
    mounts = ["-v", f"{place}:{place}", "--workdir", place, "--entrypoint", ""]
    engine.call("run", "--rm", *mounts, "--env", "PYTHONSAFEPATH=", engine.image, "python", "-c", "import click")
    assert (runner.workspace / "SPRUNG").exists()


@pytest.mark.attack("image")
def test_the_event_of_a_fork_gets_no_write(runner: Runner) -> None:
    """Root stays the one who writes, and it writes nothing where the workflow alone is trusted."""
    put(runner, {**GOOD, "dist/new/index.html": PAGE})
    runner.event({"pull_request": {"head": {"repo": {"full_name": "fork/site"}}, "base": {"ref": "main"}}})
    runner.own()
    ran = runner.run(environment={"GITHUB_EVENT_NAME": "pull_request_target"}, mode="write", **SITE)
    assert ran.outputs["changed"] == "false", ran.log
    assert (runner.workspace / "sitemap.xml").read_text() == SITEMAP
    assert json.dumps(ran.outputs)
