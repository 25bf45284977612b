"""S-12 to S-17 and S-19 replayed against the two containers; S-18 is the reader's that was taken over."""

import os
import runpy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import pytest

from containers import ROOT, Ran, Runner
from repositories import commit, forge_from, git
from servers import serve

pytestmark = [
    pytest.mark.attack("image"),
    pytest.mark.skipif(os.getuid() != 0, reason="gives the files of a job to the user of a runner"),
]
SECRET = "s3cret-of-another-file"
PAGE = "<!doctype html><html lang=en><title>A page</title><p>" + "some words " * 60
SITEMAP = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://www.example.com/</loc></url></urlset>'
POLICY = "policy: {max-removed: 5}\n"
SITE = {"path": "dist", "site_url": "https://www.example.com/"}
FORGED = "is not what its id says"


@dataclass(frozen=True, slots=True)
class Row:
    """What is planted in a job; the inputs; exit code, what the log says, and what nothing that is written has."""

    plant: Callable[[Runner], Mapping[str, str]]
    code: int
    says: str = ""
    never: str = SECRET
    inputs: Mapping[str, str] = field(default_factory=dict)


def pull_request(runner: Runner, event: str = "pull_request") -> tuple[str, str]:
    """The ids of a target branch and of a fork's change, which is checked out as actions/checkout does it."""
    place = runner.workspace
    files = {"sitemap.xml": SITEMAP, ".github/sitemap.yml": POLICY, "dist/index.html": PAGE}
    git(place, "init", "-q", "-b", "main")
    base = commit(place, files, branch="main")
    changed = commit(place, {**files, "sitemap.xml": SITEMAP + "\n", ".github/sitemap.yml": "policy: {fail-on: none}\n"}, base)  # fmt: skip
    merge = commit(place, {**files, "sitemap.xml": SITEMAP + "\n"}, base, changed)
    git(place, "checkout", "-q", "--force", merge if event == "pull_request" else changed)
    git(place, "pack-refs", "--all")
    request = {"base": {"ref": "main", "sha": base}, "head": {"repo": None, "sha": changed}, "user": {"login": "x"}}
    runner.event({"number": 7, "pull_request": request})
    return base, merge


def environment(ids: tuple[str, str], event: str = "pull_request") -> dict[str, str]:
    return {"GITHUB_EVENT_NAME": event, "GITHUB_SHA": ids[1 if event == "pull_request" else 0]}


def tool_cache(runner: Runner) -> Mapping[str, str]:
    """S-12: a neighbour has made the environment that the way without a container would start."""
    identity = runpy.run_path(str(ROOT / "action/start.py"))["identity"]()
    version = runpy.run_path(str(ROOT / "sitemap_action/__init__.py"))["__version__"]
    made = runner.folder / "home/tools/sitemap-action" / version / identity
    (made / "bin").mkdir(parents=True)
    (made / "complete").symlink_to("/etc/passwd")
    (made / "bin/python").write_text(f"#!/bin/sh\necho {SECRET}\n")
    (made / "bin/python").chmod(0o755)
    runner.put({"dist/index.html": PAGE, "sitemap.xml": SITEMAP})
    (runner.folder / "home/tools").chmod(0o777)
    return {"RUNNER_TOOL_CACHE": str(runner.folder / "home/tools")}


def link(name: str) -> Callable[[Runner], Mapping[str, str]]:
    """S-13: a part of the storage is a link to a file or folder outside."""

    def plant(runner: Runner) -> Mapping[str, str]:
        ids = pull_request(runner)
        place = runner.workspace / ".git" / name.replace("LOOSE", ids[0][:2])
        outside = runner.folder / "home/secret.txt"
        if place.is_dir():
            outside = runner.folder / "home"
            place.rename(place.with_name(f"{place.name}.old"))
        (runner.folder / "home/secret.txt").write_text(f"{SECRET}\n")
        place.unlink(missing_ok=True)
        place.symlink_to(outside)
        return environment(ids)

    return plant


def forged(event: str, path: str) -> Callable[[Runner], Mapping[str, str]]:
    """S-14: a build step puts the change's copy under the id of the target branch's."""

    def plant(runner: Runner) -> Mapping[str, str]:
        ids = pull_request(runner, event)
        mine = git(runner.workspace, "rev-parse", f"{ids[0]}:{path}")
        other = git(runner.workspace, "hash-object", "-w", "--stdin", given=f"# {SECRET}\npolicy: {{fail-on: none}}\n")
        forge_from(runner.workspace, mine, other)
        return environment(ids, event)

    return plant


HOSTILE = {
    "dist/wrangler.toml": "\n" * 20_000,
    "dist/render.yaml": "env:" + " " * 50_000,
    "dist/_redirects": "/a" + " " * 50_000 + "/b\n",
    "dist/staticwebapp.config.json": "\n" * 50_000 + '{"routes": []}',
    "wrangler.toml": "assets" + "\n" * 20_000,
    "render.yaml": "\n" * 20_000,
    "Gemfile": "gem" + "\t" * 25_000,
}


def slow_files(runner: Runner) -> Mapping[str, str]:
    """S-15: control files, and a caption, that were quadratic."""
    caption = f"<image:image><image:loc>https://www.example.com/a.png</image:loc><image:caption>{' xmlns:a' * 5_000}</image:caption></image:image>"
    space = 'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns='
    entry = SITEMAP.replace("</url>", f"{caption}</url>").replace("xmlns=", space)
    runner.put({**HOSTILE, "dist/index.html": PAGE, "sitemap.xml": entry})
    return {}


def slow_config(runner: Runner) -> Mapping[str, str]:
    runner.put({".github/sitemap.yml": f"site-url: {'/' * 100_000}\n", "dist/index.html": PAGE, "sitemap.xml": SITEMAP})
    return {}


def long_hosts(runner: Runner) -> Mapping[str, str]:
    """S-16: no host has so many letters."""
    links = "".join(f'<a href="https://{chr(0x6F22) * 2600}{number}/">x</a>' for number in range(100))
    runner.put({"dist/index.html": PAGE + links, "sitemap.xml": SITEMAP})
    return {}


def hidden(runner: Runner) -> Mapping[str, str]:
    """S-19: a name that nobody sees."""
    runner.put({"dist/index.html": PAGE, "dist/a\u200bb\u202ec/index.html": PAGE.replace("A page", "\u2066x"), "sitemap.xml": SITEMAP})  # fmt: skip
    return {}


LINKED = ("packed-refs", "HEAD", "shallow", "objects", "objects/LOOSE", "objects/pack", "refs", "refs/heads")
BASE = {"config_from": "base"}
ROWS = {
    "S-12": Row(tool_cache, 0),
    **{f"S-13 {name}": Row(link(name), 2, "symbolic link") for name in LINKED},
    **{
        f"S-14 {event} {path}": Row(forged(event, path), 2, FORGED, inputs=BASE)
        for event in ("pull_request", "pull_request_target", "workflow_run")
        for path in ("sitemap.xml", ".github/sitemap.yml")
    },
    "S-15 files": Row(slow_files, 0, inputs={"host": "cloudflare-pages", "baseline": "committed"}),
    "S-15 config": Row(slow_config, 2, "site-url", inputs={"site_url": ""}),
    "S-16": Row(long_hosts, 0),
    "S-19": Row(hidden, 1, r"\u200b", never="\u200b"),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_the_rows_against_the_containers(runner: Runner, name: str) -> None:
    row = ROWS[name]
    given = row.plant(runner)
    runner.own()
    ran = runner.run(environment=given, network="bridge", **{**SITE, **row.inputs})
    assert ran.code == row.code, ran.log
    assert "Traceback" not in ran.log
    assert row.says in ran.log
    assert_never(ran, row.never)
    assert bool(ran.outputs["result"]) is (row.code != 2)


def assert_never(ran: Ran, text: str) -> None:
    """Neither printed nor written."""
    reports = ran.workspace / ".sitemap-action"
    for said in (ran.log, ran.summary, *(path.read_text() for path in reports.rglob("*.*") if path.is_file())):
        assert text not in said


def test_S_17_a_planted_origin_is_not_connected_to(runner: Runner) -> None:
    """On the network of the runner, where services of loopback are near."""
    with serve({"*": 404}) as site:
        pull_request(runner)
        git(runner.workspace, "config", "remote.origin.url", f"{site.url}x.git".replace("http:", "https:"))
        runner.event({})
        runner.own()
        ran = runner.run(baseline=f"git:{'0123456789' * 4}", **SITE)
        assert (ran.code, site.paths) == (2, []), ran.log
        assert "git's origin is not fetched from" in ran.log
