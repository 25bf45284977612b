"""`commit` and `pull-request` in the containers, against GitHub on loopback: its API, and git over HTTPS."""

import json
import re
from collections.abc import Iterator

import pytest

from containers import Ran, Runner
from forge.github import github
from forge.hub import Hub
from forge.repository import Repository
from runners import SITE, SITEMAP, build, listed, urlset
from servers import certificate
from sitemap_action.model.step import source_of

UPDATE = "sitemap-action/update"


@pytest.fixture
def hub(runner: Runner) -> Iterator[Hub]:
    authority, tls = certificate("good", "127.0.0.1")
    (runner.folder / "workflow/authority.pem").write_bytes(authority)
    with github(tls) as made:
        yield made


@pytest.fixture
def site(hub: Hub) -> Repository:
    made = hub.repository("octo-org/site")
    made.commit({SITEMAP: urlset("", "a")})
    return made


def run(runner: Runner, hub: Hub, site: Repository, *pages: str, event: str = "push", **inputs: str) -> Ran:
    runner.put(build(*pages))
    runner.own()
    given = {"path": "dist", "site_url": SITE, "sitemap": SITEMAP, "token": "ghs_forge", **inputs}
    environment = {
        **{name: value for name, value in hub.environment(hub.token(), site).items() if name != "INPUT_TOKEN"},
        "GITHUB_EVENT_NAME": event,
        "GITHUB_SHA": site.head(),
        "GITHUB_REF_TYPE": "branch",
        "GITHUB_REF_NAME": "main",
        "SSL_CERT_FILE": str(runner.folder / "workflow/authority.pem"),
        "GIT_SSL_CAINFO": str(runner.folder / "workflow/authority.pem"),
    }
    return runner.run(environment=environment, **given)


@pytest.mark.parametrize("method", ["api", "git"])
def test_commit(method: str, runner: Runner, hub: Hub, site: Repository) -> None:
    before = site.head()
    ran = run(runner, hub, site, "a", "b", mode="commit", commit_method=method)
    assert ran.code == 0, ran.log
    assert (ran.outputs["changed"], ran.outputs["commit-sha"]) == ("true", site.head())
    assert (listed(site), site.parents(site.head())) == (["", "a", "b"], [before])
    assert source_of(site.message(site.head())) == before
    assert site.signed(site.head()) is (method == "api")
    again = run(runner, hub, site, "a", "b", mode="commit", commit_method=method)
    assert (again.code, again.outputs["changed"], again.outputs["commit-sha"]) == (0, "false", "")
    assert len(hub.changes) == 1
    assert "ghs_forge" not in re.sub("::add-mask::.*", "", ran.log) + ran.summary


@pytest.mark.parametrize("method", ["api", "git"])
def test_pull_request(method: str, runner: Runner, hub: Hub, site: Repository) -> None:
    given = {"mode": "pull-request", "commit_method": method, "event": "schedule", "pr_labels": "seo"}
    opened = run(runner, hub, site, "a", "b", **given)
    assert (opened.code, opened.outputs["pull-request-operation"]) == (0, "created"), opened.log
    (pull,) = hub.pulls[site.full_name]
    assert (pull.title, pull.labels, listed(site, UPDATE)) == ("Update sitemap: 1 added", ["seo"], ["", "a", "b"])
    site.commit({SITEMAP: site.read(SITEMAP, UPDATE)})
    closed = run(runner, hub, site, "a", "b", **given)
    assert (closed.code, closed.outputs["pull-request-operation"], pull.state) == (0, "closed", "closed"), closed.log
    assert site.ref(f"refs/heads/{UPDATE}") == ""


def test_comment(runner: Runner, hub: Hub, site: Repository) -> None:
    site.commit(build("a"), branch="topic")
    pull = hub.open_pull(site, "topic")
    sides = {"head": "topic", "base": "main"}
    payload = {side: {"ref": ref, "sha": site.head(ref), "repo": {"full_name": site.full_name}} for side, ref in sides.items()}  # fmt: skip
    runner.event(json.loads(json.dumps({"number": pull.number, "pull_request": payload})))
    ran = run(runner, hub, site, "a", "b", event="pull_request", comment="on-change", baseline="committed")
    assert ran.code == 1, ran.log
    (comment,) = hub.comments[site.full_name]
    assert comment.body.startswith("<!-- sitemap-action:sitemap -->")


def test_a_refusal(runner: Runner, hub: Hub, site: Repository) -> None:
    site.protect()
    ran = run(runner, hub, site, "a", "b", mode="commit")
    assert (ran.code, ran.outputs["changed"]) == (4, "false")
    assert "mode pull-request" in ran.log
