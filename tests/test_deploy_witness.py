"""The deploy witness: a build, and what is served where it is deployed (WIT-01…03)."""

import random
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from checks.witness_rows import KNOWN_SETS, TEXTS, known
from deployments import (
    HARMLESS,
    HARMS,
    PAGES,
    Change,
    edge,
    one_after_another,
    page,
    rules,
    stand_before,
    urlset,
    with_text,
    without,
    witness,
    write_build,
)
from examples import few
from repositories import commit, create
from servers import Reply, Route, Site, redirect, serve
from sitemap_action.__main__ import run
from sitemap_action.checks.served_build import Texts, compare_known_sets, describe_deployment
from sitemap_action.model.site import Content
from test_believed_sites import serve_build

SLOW = 4  # answers of a server that has just started, each of them late
HIDES_OTHERS = frozenset({"a login", "robots.txt replaced"})  # after which nothing else is to be seen


class Deployment(NamedTuple):
    build: Path
    behind: str
    site: Site

    def change(self, change: Change) -> None:
        stand_before(self.site, self.behind, change)


@pytest.fixture(scope="module")
def deployment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    """In a folder without a repository; the witness looks again after a hundredth of a second."""
    with edge() as site, serve({}) as behind, pytest.MonkeyPatch.context() as patch:
        build = write_build(tmp_path_factory.mktemp("witness") / "dist", site.url)
        serve_build(behind, build)
        patch.chdir(build.parent)
        patch.setattr("sitemap_action.look.witness._FIRST_PAUSE", 0.01)
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
    code, report = witness(deployment.build, deployment.site.url, "--fail-on", "none")
    found = rules(report)
    assert harm.says in found.get(harm.rule, ""), found
    assert (code, report["result"]) == (harm.code, "drift" if harm.code else "in-sync")


def test_300_harms_and_harmless_changes_at_once(deployment: Deployment) -> None:
    """Harm is found whatever an edge does besides; of several harms at least the first rule that each has."""
    chance = random.Random(41)
    names = sorted(HARMS.keys() - HIDES_OTHERS)
    for _ in range(few(300)):
        harms = chance.sample(names, chance.randint(0, 2))
        edges = sorted(chance.sample(sorted(HARMLESS), chance.randint(1, 3)), key="compression".__eq__)  # that last
        changes = [*(HARMS[name].change for name in harms), *(HARMLESS[name] for name in edges)]
        deployment.change(one_after_another(*changes))
        _, report = witness(deployment.build, deployment.site.url)
        found = rules(report)
        assert bool(found) == bool(harms), (harms, edges, found)
        assert {HARMS[name].rule for name in harms} <= found.keys(), (harms, edges, found)


def test_an_unchanged_deployment_is_silent_on_a_bad_day(deployment: Deployment) -> None:
    """Latency, one answer in a hundred a 503, and a start in which a server first answers 503, and then slowly."""
    chance = random.Random(41)
    starting = [0]  # requests that the server still answers as it starts

    def bad(_site: str, _path: str, reply: Reply) -> Reply:
        starting[0] -= 1
        if starting[0] > SLOW or chance.random() < 0.01:
            return Reply("busy", 503)
        return replace(reply, delay=0.03 if starting[0] > 0 else chance.choice((0, 0, 0, 0.02)))

    for _ in range(few(100)):
        starting[0] = chance.randint(0, SLOW + 3)
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


@pytest.mark.parametrize(
    ("found", "built", "others", "says"), [pytest.param(*row[1:], id=row[0]) for row in KNOWN_SETS]
)
def test_the_known_set_that_is_served_is_named(
    found: frozenset[str], built: frozenset[str], others: dict[str, frozenset[str]], says: str
) -> None:
    assert describe_deployment(compare_known_sets(found, built, others.items())) == says


@pytest.mark.parametrize(("served", "built", "before", "says"), [pytest.param(*row[1:], id=row[0]) for row in TEXTS])
def test_the_share_of_pages_of_each_text(served: str, built: str, before: str, says: str) -> None:
    counts = Texts()
    for one, own, earlier in zip(served, built, before, strict=True):
        was = Content(earlier, "", "") if earlier != "-" else None
        counts.add(known("/a", text=own), known("/a", text=one.strip("-")), was)
    assert describe_deployment(counts.shares()) == says


NEWEST = ("blog/two/", "guide/next/")  # pages that the last deployment did not have


@pytest.mark.parametrize(
    ("lacking", "says"),
    [
        (NEWEST, "the deployment is stale: its URLs are those of the baseline (git:main:sitemap.xml)"),
        (NEWEST[1:], "the deployment is half done: 6 of its 7 URLs are those of the baseline (git:main:sitemap.xml)"),
    ],
)
def test_production_has_what_git_has(
    deployment: Deployment, lacking: tuple[str, ...], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sitemap of the last deployment is in the repository; a part of this one has arrived, or nothing."""
    older = urlset(deployment.site.url, [path for path in PAGES if path not in NEWEST])
    commit(create(tmp_path / "site"), {"sitemap.xml": older}, branch="main")
    monkeypatch.chdir(tmp_path / "site")
    deployment.change(without(*lacking))
    code, report = witness(deployment.build, deployment.site.url, "--baseline", "git:main:sitemap.xml")
    text = rules(report)["WIT-01"]
    assert (code, report["result"]) == (1, "drift")
    assert says in text, text


@pytest.mark.parametrize(
    ("arrived", "says"),
    [
        ((), "7 of 7 pages with the text of an earlier run, 0 that of the build"),
        (("guide/", "about/"), "5 of 7 pages with the text of an earlier run, 2 that of the build"),
    ],
)  # fmt: skip
def test_production_has_what_an_earlier_run_had(
    deployment: Deployment, arrived: tuple[str, ...], says: str, tmp_path: Path
) -> None:
    """A state knows the pages that the sitemap listed, and the text that each had."""

    def stale(site: str, path: str, text: str) -> str:
        path = path.lstrip("/")
        return text if path in arrived or path not in PAGES else page(site, path, "of the last deployment")

    state = str(tmp_path / "state")
    older = write_build(tmp_path / "dist", deployment.site.url, "of the last deployment")
    (older / "sitemap.xml").write_text(urlset(deployment.site.url, [path for path in PAGES if path != "blog/two/"]))
    deployment.change(one_after_another(without("blog/two/"), with_text(stale)))
    flags = ["--site-url", deployment.site.url, "--baseline", "committed", "--state", state, "--quiet"]
    run(["check", str(older), *flags])
    shutil.rmtree(older)
    write_build(older, deployment.site.url)
    _, report = witness(older, deployment.site.url, "--state", state)
    found = rules(report)
    how = f"the deployment is {'half done' if arrived else 'stale'}: "
    assert f"{how}its URLs are those of an earlier run; {says}; it lacks 1 URL" in found["WIT-01"]
    assert f"{how}{says}" in found["WIT-03"]


PUBLISHED = {"/shut": 410, "/moved/": redirect("/about/"), "/declared/": 404, "/announced/": 404}  # as the build has it
SERVED: list[tuple[str, dict[str, Route], str]] = [
    # what is served in its place, part of the message of WIT-02, "" for none
    ("as built", {}, ""),
    ("404 in place of 410", {"/shut": 404}, "answers with 410 is served otherwise: answers 404 (_redirects line 1)"),
    ("a page in place of 410", {"/shut": "<h1>Open"}, "answers with 410 is served otherwise: answers 200"),
    ("a redirect lost", {"/moved/": 404}, "a redirect of the build is not served: answers 404; the build redirects to"),
    ("a page that was declared gone", {"/declared/": "<h1>Here"}, "does not have any more is still served"),
    ("a page that was announced", {"/announced/": "<h1>Here"}, "does not have any more is still served"),
    ("410 in place of 404, and a redirect", {"/declared/": 410, "/announced/": redirect("/")}, ""),
]


@pytest.mark.parametrize(("answers", "says"), [pytest.param(*row[1:], id=row[0]) for row in SERVED])
def test_addresses_that_were_published(
    deployment: Deployment, answers: dict[str, Route], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lines of the ledger, announced removals, and the rules of the host; each is looked at once."""
    monkeypatch.chdir(tmp_path)
    site = deployment.site
    build = write_build(tmp_path / "dist", site.url)
    (build / "_redirects").write_text("/shut /404.html 410\n/moved/ /about/ 301\n")
    (tmp_path / "urls.txt").write_text("/declared/ gone 2026-11-24 sold\n/moved/\n/shut\n")
    (tmp_path / "before.xml").write_text(urlset(site.url, [*PAGES, "announced/"]))
    deployment.change(lambda *asked: asked[2])
    site.routes |= PUBLISHED | answers
    announced = "policy.expected-removals=[{url: /announced/, reason: sold, until: 2999-01-01}]"
    flags = ["--host", "netlify", "--baseline", "before.xml", "--set", "policy.ledger=urls.txt", "--set", announced]
    code, report = witness(Path("dist"), site.url, *flags)
    rows = [row for row in report["findings"] if row["rule"] == "WIT-02"]
    for path in PUBLISHED:
        site.routes.pop(path)
    assert [says in row["message"] for row in rows] == [True] * bool(says), rows
    assert code == any(row["severity"] == "error" for row in rows)
    assert [site.paths.count(path) for path in PUBLISHED] == [1] * len(PUBLISHED)


def test_a_rule_of_the_build_may_lead_home(deployment: Deployment, tmp_path: Path) -> None:
    build = write_build(tmp_path / "dist", deployment.site.url)
    (build / "_redirects").write_text("/* / 302\n")
    deployment.change(HARMS["what is missing leads home"].change)
    code, report = witness(build, deployment.site.url, "--host", "netlify")
    assert (code, rules(report)) == (0, {})


def test_a_writing_mode_reads_one_of_the_two(deployment: Deployment, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["write", str(deployment.build), "--url", deployment.site.url, "--sitemap", "sitemap.xml"]) == 2
    assert "a run that writes reads one of them" in capsys.readouterr().err
