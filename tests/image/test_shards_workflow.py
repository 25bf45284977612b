"""The matrix of examples/ as a runner plays it: shards in containers of their own, artefacts, and the job that merges.

act reads the file as it is written, but for the address of the site and `strategy.job-total`, which it leaves empty.
Two of the actions need GitHub to be fetched: composite actions with the same inputs stand in for them, which keep
artefacts in a folder of the test. With SITEMAP_ACTION_SHARDS all four shards are played, and one without it.
"""

import os
import re
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from acts import ROOT, act, committed
from containers import Engine
from servers import Reply, Route, Site, serve
from shard_runs import whole, without_notes

EXAMPLE = ROOT / "examples/workflows/shards.yml"
COUNT = 40
PLACE = "https://www.example.com/"
TOTAL = "${{ strategy.job-total }}"  # which act leaves empty
MATRIX = "shard: [1, 2, 3, 4]"
SHARDS = 4 if "SITEMAP_ACTION_SHARDS" in os.environ else 1  # a job costs fifteen seconds
KEEP = """
      - if: always()
        run: cp -r .sitemap-action ARTEFACTS/reports
"""
UPLOAD = """
test -e "$FROM" || { test "$NONE" != error; exit; }
rm -rf "ARTEFACTS/$NAME"
mkdir -p "ARTEFACTS/$NAME"
cp -r "$FROM" "ARTEFACTS/$NAME/"
"""
DOWNLOAD = """
test "$MERGE" = true
mkdir -p "$TO"
for one in ARTEFACTS/$PATTERN; do cp -r "$one/." "$TO/"; done
ls -l "$TO"
"""
STAND_INS = {  # with the variables of each, and the inputs that they have
    "upload": (UPLOAD, {"NAME": "name", "FROM": "path", "NONE": "if-no-files-found"}),
    "download": (DOWNLOAD, {"PATTERN": "pattern", "TO": "path", "MERGE": "merge-multiple"}),
}


def stand_in(folder: Path, kept: Path, script: str, variables: Mapping[str, str]) -> Path:
    step = {
        "shell": "bash",
        "run": script.replace("ARTEFACTS", str(kept)),
        "env": {name: f"${{{{ inputs.{value} }}}}" for name, value in variables.items()},
    }
    names = ("name", "path", "pattern", "if-no-files-found", "overwrite", "retention-days", "merge-multiple")
    action = {
        "name": folder.name,
        "inputs": {name: {"default": ""} for name in names},
        "runs": {"using": "composite", "steps": [step]},
    }
    folder.mkdir()
    (folder / "action.yml").write_text(yaml.safe_dump(action))
    return committed(folder)


def page(number: int) -> str:
    links = "".join(f'<a href="/{(number * 3 + more) % COUNT}">to</a> ' for more in range(1, 5))
    return f"<!doctype html><title>{number}</title><main>{links}{'some words of a page ' * 20}{number}</main>"


@pytest.fixture
def site() -> Iterator[Site]:
    routes: dict[str, Route] = {f"/{number}": Reply(page(number)) for number in range(COUNT)}
    with serve({**routes, "/": Reply(page(0))}) as served:
        yield served


def workspace(folder: Path, site: str, kept: Path) -> Path:
    """A repository with the example; one more step keeps what a later step of the job that merges may read."""
    text = EXAMPLE.read_text().replace(PLACE, site)
    assert text.count(site) == 4
    assert MATRIX in text
    text = text.replace(TOTAL, str(SHARDS)).replace(MATRIX, f"shard: {[*range(1, SHARDS + 1)]}")
    (folder / ".github/workflows").mkdir(parents=True)
    (folder / ".github/workflows/shards.yml").write_text(text.rstrip() + KEEP.replace("ARTEFACTS", str(kept)))
    locs = "".join(f"<url><loc>{site}{number}</loc></url>" for number in range(5, COUNT))
    (folder / "sitemap.xml").write_text(f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{locs}</urlset>')
    return committed(folder)


@dataclass(frozen=True)
class Played:
    """What act printed of each job, and the folder of the artefacts."""

    text: str
    folder: Path

    def job(self, name: str) -> str:
        lines = re.findall(rf"(?m)^\[[^]/]*/{re.escape(name)}(?:-\d+)? *\] (.*(?:\n(?!\[).*)*)", self.text)
        return "\n".join(lines)

    def outputs(self, name: str) -> dict[str, str]:
        return dict(re.findall(r"::set-output:: ([\w-]+)=(.*)", self.job(name)))


def built_action(folder: Path, image: str) -> Path:
    """With the image that this session has built, as a release names one: test_workflow.py has act build it."""
    shutil.copytree(ROOT / "action", folder / "action")
    text = (ROOT / "action.yml").read_text()
    named = re.sub(r"(?m)^( {8}IMAGE: )\S+$", rf"\g<1>{image}", text)
    # The site is on the loopback of this machine.
    (folder / "action.yml").write_text(named.replace("default: bridge", "default: host"))
    return committed(folder)


def play(folder: Path, image: str, repository: Path, kept: Path) -> Played:
    places = {"OWNER/sitemap-action@main": built_action(folder / "built", image)}
    for name in ("upload", "download"):
        (used,) = re.findall(rf"uses: (actions/{name}-artifact@\w+)", EXAMPLE.read_text())
        places[used] = stand_in(folder / name, kept, *STAND_INS[name])
    given = [part for name, path in places.items() for part in ("--local-repository", f"{name}={path}")]
    return Played(act(repository, "workflow_dispatch", *given).stdout, kept)


def test_shards_in_containers_of_their_own_are_merged(
    tmp_path: Path, engine: Engine, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "artefacts"
    kept.mkdir()
    repository = workspace(tmp_path / "repository", site.url, kept)
    played = play(tmp_path, engine.image, repository, kept)
    for shard in range(1, SHARDS + 1):
        assert "Job succeeded" in played.job(f"Shard {shard}"), played.text
        assert f"### Sitemap: shard {shard}/{SHARDS}\n" in played.job(f"Shard {shard}")
        assert played.outputs(f"Shard {shard}")["complete"] == "true"
        assert (played.folder / f"sitemap-shard-{shard}/{shard}").is_file()
    merge = played.job("Sitemap")
    assert "Job failed" in merge  # for pages are missing in the sitemap
    found = played.outputs("Sitemap")
    assert (found["result"], found["complete"], found["added-count"]) == ("drift", "true", "6"), played.text
    assert f"joined: {SHARDS} shard" in merge
    monkeypatch.chdir(repository)
    asked = Counter(site.paths)
    assert {path: asked[path] for path in asked if path[1:].isdecimal()} == {f"/{n}": 1 for n in range(COUNT)}
    asks = ("--baseline", "committed")  # as every event does: a person who names nothing asks for no removals
    code, one_run = whole("--url", site.url, "--site-url", site.url, *asks)
    assert code == 1
    assert without_notes((played.folder / "reports/report.json").read_text()) == one_run
