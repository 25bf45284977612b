"""The workflows of examples/: a matrix whose shards are merged, on GitHub and GitLab, and one table for several sites."""

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from servers import Reply, Route, Site, serve
from shard_runs import PAUSES, quiet, without_notes
from workflows import evaluate

EXAMPLES = Path(__file__).parents[1] / "examples/workflows"
COUNT = 40


def page(number: int) -> str:
    links = "".join(f'<a href="/{(number * 3 + more) % COUNT}">to</a> ' for more in range(1, 5))
    return f"<!doctype html><title>{number}</title><main>{links}{'some words of a page ' * 20}{number}</main>"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A server with pages that a committed sitemap lists, but for a few."""
    (tmp_path / "workspace").mkdir()
    monkeypatch.chdir(tmp_path / "workspace")
    routes: dict[str, Route] = {f"/{number}": Reply(page(number)) for number in range(COUNT)}
    with serve({**routes, "/": Reply(page(0))}) as served:
        locs = "".join(f"<url><loc>{served.url}{number}</loc></url>" for number in range(5, COUNT))
        Path("sitemap.xml").write_text(f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{locs}</urlset>')
        yield served


def text_of(value: object, values: Mapping[str, str]) -> str:
    parts = str(value).split("${{")
    return parts[0] + "".join(
        evaluate(inner.partition("}}")[0], values, Path.cwd()) + inner.partition("}}")[2] for inner in parts[1:]
    )


def play(job: Mapping[str, Any], values: Mapping[str, str], artefacts: Path, site: str) -> list[int]:
    """Exit codes of the action, as its entry in the container is started."""
    codes = []
    for step in job["steps"]:
        given = {name: text_of(value, values) for name, value in step.get("with", {}).items()}
        if "run" in step:
            subprocess.run(["bash", "-e", "-c", step["run"]], check=True)
        elif step["uses"].startswith("OWNER/sitemap-action@"):
            codes.append(action({**given, "url": site, "site-url": site, "sitemap": "sitemap.xml"}))
        elif step["uses"].startswith("actions/upload-artifact@"):
            shutil.copytree(Path(given["path"]).parent, artefacts / given["name"], dirs_exist_ok=True)
        elif step["uses"].startswith("actions/download-artifact@"):
            assert given["merge-multiple"] == "True"
            for found in artefacts.glob(given["pattern"]):
                shutil.copytree(found, given["path"], dirs_exist_ok=True)
        else:
            assert step["uses"].startswith("actions/checkout@"), step["uses"]
    return codes


def action(inputs: Mapping[str, str]) -> int:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in inputs.items():
            patch.setenv(f"INPUT_{name.upper()}", value)
        patch.setenv("GITHUB_ACTIONS", "true")
        patch.setenv("GITHUB_OUTPUT", os.path.abspath("../output"))  # noqa: PTH100
        patch.setenv("GITHUB_STEP_SUMMARY", os.path.abspath("../summary"))  # noqa: PTH100
        from sitemap_action.__main__ import run

        return run(["run"])


def test_a_matrix_on_github(site: Site, tmp_path: Path) -> None:
    jobs = yaml.safe_load((EXAMPLES / "shards.yml").read_text())["jobs"]
    shards = jobs["shard"]["strategy"]["matrix"]["shard"]
    for shard in shards:
        values = {"matrix.shard": str(shard), "strategy.job-total": str(len(shards))}
        assert play(jobs["shard"], values, tmp_path / "artefacts", site.url) == [0]
        shutil.rmtree("sitemap-shards")  # each runner has a disk of its own
    asked = {*site.paths}
    summaries = Path("../summary").read_text()
    assert [f"### Sitemap: shard {shard}/4\n" in summaries for shard in shards] == [True] * 4
    assert "complete<<" in Path("../output").read_text()
    site.asked.clear()
    assert play(jobs["sitemap"], {}, tmp_path / "artefacts", site.url) == [1]
    assert not asked & {*site.paths}
    found = Path(".sitemap-action/report.json").read_text()
    shutil.rmtree("sitemap-shards")
    assert action({"url": site.url, "site-url": site.url, "sitemap": "sitemap.xml"}) == 1
    assert without_notes(found) == without_notes(Path(".sitemap-action/report.json").read_text())
    assert json.loads(found)["counts"]["added"] == len("/01234")


def test_a_missing_artefact_is_no_verdict(site: Site, tmp_path: Path) -> None:
    jobs = yaml.safe_load((EXAMPLES / "shards.yml").read_text())["jobs"]
    for shard in ("1", "2", "4"):
        play(jobs["shard"], {"matrix.shard": shard, "strategy.job-total": "4"}, tmp_path / "artefacts", site.url)
    assert play(jobs["sitemap"], {}, tmp_path / "artefacts", site.url) == [3]
    assert "shard 3 of 4 is missing" in Path("../summary").read_text()


def test_parallel_jobs_on_gitlab(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = yaml.safe_load((EXAMPLES / "shards.gitlab-ci.yml").read_text())
    monkeypatch.setenv("SITE", site.url)
    monkeypatch.setenv("CI_NODE_TOTAL", str(jobs["shard"]["parallel"]))
    for number in range(1, jobs["shard"]["parallel"] + 1):
        monkeypatch.setenv("CI_NODE_INDEX", str(number))
        assert lines(jobs["shard"]["script"]) == [0, 0]
    assert lines(jobs["sitemap"]["script"]) == [1]
    assert Path("sitemap-junit.xml").exists()
    assert Path("gl-code-quality-report.json").exists()


def lines(script: list[str]) -> list[int]:
    """Exit codes."""
    codes = []
    for line in script:
        words = shlex.split(os.path.expandvars(line))
        ours = words[0] == "sitemap-action"
        codes.append(quiet(*words[1:], *PAUSES)[0] if ours else subprocess.run(words, check=True).returncode)
    return codes


def test_a_table_of_several_sites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("jq") is None:
        pytest.skip("jq is not installed")
    job = yaml.safe_load((EXAMPLES / "many-sites.yml").read_text())["jobs"]["sitemaps"]
    monkeypatch.chdir(tmp_path)
    for name, result in (("docs", "in-sync"), ("shop", "drift")):
        (tmp_path / f"sitemap-of-{name}").mkdir()
        counts = {"urls": 7, "stale": 1, "removed": 2}
        (tmp_path / f"sitemap-of-{name}/report.json").write_text(json.dumps({"result": result, "counts": counts}))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary")
    for outcome, code in (("success", 0), ("failure", 1)):
        done = subprocess.run(
            ["bash", "-e", "-c", job["steps"][1]["run"]], env={**os.environ, "RESULT": outcome}, check=False
        )
        assert done.returncode == code
    assert Path("summary").read_text().splitlines()[2:4] == [
        "| docs | in-sync | 7 | 1 | 2 |",
        "| shop | drift | 7 | 1 | 2 |",
    ]
