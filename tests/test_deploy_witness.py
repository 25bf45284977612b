"""The deploy witness: a build, and what is served where it is deployed (WIT-01…03)."""

import random
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from deployments import (
    HARMLESS,
    HARMS,
    PAGES,
    Change,
    edge,
    one_after_another,
    rules,
    stand_before,
    witness,
    write_build,
)
from examples import share
from servers import Reply, Site, serve
from sitemap_action.__main__ import run
from test_believed_sites import serve_build

HIDES_OTHERS = frozenset({"a login", "robots.txt replaced"})  # after which nothing else is to be seen


class Deployment(NamedTuple):
    build: Path
    behind: str
    site: Site

    def change(self, change: Change) -> None:
        stand_before(self.site, self.behind, change)


@pytest.fixture(scope="module")
def deployment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    with edge() as site, serve({}) as behind:
        build = write_build(tmp_path_factory.mktemp("witness") / "dist", site.url)
        serve_build(behind, build)
        yield Deployment(build, behind.url, site)


@pytest.mark.parametrize("name", HARMLESS)
def test_what_an_edge_rightly_changes_is_silent(deployment: Deployment, name: str) -> None:
    deployment.change(HARMLESS[name])
    code, report = witness(deployment.build, deployment.site.url)
    assert (code, rules(report)) == (0, {})


@pytest.mark.parametrize("name", HARMS)
def test_harm_is_found_with_its_cause(deployment: Deployment, name: str) -> None:
    harm = HARMS[name]
    deployment.change(harm.change)
    code, report = witness(deployment.build, deployment.site.url)
    found = rules(report)
    assert harm.says in found.get(harm.rule, ""), found
    assert (code, report["result"]) == (harm.code, "drift" if harm.code else "in-sync")


def test_300_harms_and_harmless_changes_at_once(deployment: Deployment) -> None:
    """Harm is found whatever an edge does besides; of several harms at least the first rule that each has."""
    chance = random.Random(41)
    names = sorted(HARMS.keys() - HIDES_OTHERS)
    for _ in range(share(300)):
        harms = chance.sample(names, chance.randint(0, 2))
        edges = sorted(chance.sample(sorted(HARMLESS), chance.randint(1, 3)), key="compression".__eq__)  # that last
        changes = [*(HARMS[name].change for name in harms), *(HARMLESS[name] for name in edges)]
        deployment.change(one_after_another(*changes))
        _, report = witness(deployment.build, deployment.site.url)
        found = rules(report)
        assert bool(found) == bool(harms), (harms, edges, found)
        assert {HARMS[name].rule for name in harms} <= found.keys(), (harms, edges, found)


def test_an_unchanged_deployment_is_silent_on_a_bad_day(deployment: Deployment) -> None:
    """Latency, one answer in a hundred a 503, and a start that is slow."""
    chance = random.Random(41)

    def bad(_site: str, _path: str, reply: Reply) -> Reply:
        late = replace(reply, delay=chance.choice((0, 0, 0, 0.02)))
        return Reply("busy", 503) if chance.random() < 0.01 else late

    for _ in range(share(100)):
        deployment.change(bad)
        code, report = witness(deployment.build, deployment.site.url, "--wait-timeout", "5")
        assert (code, rules(report)) == (0, {})


def test_it_waits_until_the_deployment_is_there(deployment: Deployment) -> None:
    left = [3]

    def late(site: str, path: str, reply: Reply) -> Reply:
        left[0] -= path == "/sitemap.xml"
        return HARMS["stale"].change(site, path, reply) if left[0] > 0 else reply

    deployment.change(late)
    code, report = witness(deployment.build, deployment.site.url, "--wait-timeout", "20")
    assert (code, rules(report)) == (0, {})
    assert any("waited" in note for note in report["notes"])


def test_each_page_is_requested_once_or_twice(deployment: Deployment) -> None:
    deployment.change(HARMLESS["nothing"])
    witness(deployment.build, deployment.site.url)
    counts = Counter(deployment.site.paths)
    assert max(counts.values()) <= 2, counts
    assert {f"/{path}" for path in PAGES} <= counts.keys()


def test_a_firewall_proves_nothing(deployment: Deployment) -> None:
    deployment.change(lambda _site, path, reply: Reply("no", 403) if path != "/robots.txt" else reply)
    code, report = witness(deployment.build, deployment.site.url)
    assert (code, report["result"], rules(report)) == (3, "inconclusive", {})
    assert any(" 0 of 9 addresses of the build gave an answer" in note for note in report["notes"])


def test_the_page_of_an_earlier_run_is_named(deployment: Deployment, tmp_path: Path) -> None:
    """A state knows the text that each page had."""
    state = str(tmp_path / "state")
    older = write_build(tmp_path / "dist", deployment.site.url, "of the last deployment")
    deployment.change(HARMS["stale"].change)
    flags = ["--site-url", deployment.site.url, "--baseline", "committed", "--state", state, "--quiet"]
    assert run(["check", str(older), *flags]) == 0
    shutil.rmtree(older)
    write_build(older, deployment.site.url)
    _, report = witness(older, deployment.site.url, "--state", state)
    assert "have the text of an earlier run" in rules(report)["WIT-01"]


def test_a_writing_mode_reads_one_of_the_two(deployment: Deployment, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["write", str(deployment.build), "--url", deployment.site.url, "--sitemap", "sitemap.xml"]) == 2
    assert "a run that writes reads one of them" in capsys.readouterr().err
