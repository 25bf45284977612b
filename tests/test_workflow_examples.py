"""Every workflow of docs/workflows.md, in the page or in the file that a section names first, played from the checkout to its end, with the permissions that it names and no more.

The steps are those of the document: commands run in a shell, the action runs as in a job, against a GitHub on loopback
and a server that stands for the site. A workflow that asks for too few permissions fails here.
"""

import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from documents import text
from forge.hub import Deployment, Hub
from forge.repository import Repository
from runners import SITE, Ended, Job, build, urlset
from servers import Reply, Site, serve
from workflows import evaluate, package_manager

SECTIONS = dict(re.findall(r"(?ms)^## ([^\n]+)\n(.*?)(?=^## |\Z)", text("docs/workflows.md")))
BLOCKS = {heading: block for heading, page in SECTIONS.items() for block in re.findall(r"(?s)```yaml\n(.*?)```", page)}
FILES = {
    heading: text(f"examples/workflows/{found[1]}")
    for heading, page in SECTIONS.items()
    if (found := re.match(r"\s*\[[\w-]+\.yml\]\(\.\./examples/workflows/([\w-]+\.yml)\)", page))
}
WORKFLOWS = {heading: block for heading, block in {**BLOCKS, **FILES}.items() if "\njobs:\n" in block}
WORKFLOWS["many-sites.yml"] = text("examples/workflows/many-sites.yml")
SITEMAP = "public/sitemap.xml"
PREPARED = """#!/bin/sh
for place in . sites/*; do
    if [ -d "$place/pages" ]; then rm -rf "$place/dist" && cp -R "$place/pages" "$place/dist"; fi
done
"""


def pages(*names: str, folder: str = "pages") -> dict[str, str]:
    """What the build of the repository copies into its output."""
    return {path.replace("dist/", f"{folder}/", 1): page for path, page in build(*names).items()}


@dataclass
class Play:
    """A repository with a workflow of the document; expressions see what a runner gives for the event."""

    job: Job
    hub: Hub
    site: Repository
    tools: Path
    served: Site
    values: dict[str, str] = field(default_factory=dict)

    def run(self, heading: str, event: str, commit: str = "", *, payload: Mapping[str, object] | None = None, **environment: str) -> list[Ended]:  # fmt: skip
        place = re.sub(r"(?m)^( +url: )http\S+$", rf"\g<1>{self.served.url}", WORKFLOWS[heading])
        found = yaml.safe_load(place)
        assert event in found[True], f"{heading} does not run for {event}"
        job = next(iter(found["jobs"].values()))  # of several the last shows results (tests/test_shard_workflows.py)
        given = {name.replace("-", "_"): level for name, level in job["permissions"].items()}
        token = self.hub.token(**{"contents": "none", "pull_requests": "none", "issues": "none", "deployments": "none", **given})  # fmt: skip
        values = {"github.sha": commit or self.site.head(), "github.event_name": event, **self.values}
        assert evaluate(job.get("if", "'true'"), values, self.job.folder) == "true"
        ended = []
        for values["matrix"] in map(str, range(len(self._sites(job)))):
            site = self._sites(job)[int(values["matrix"])]
            each = values | {f"matrix.site{name and '.' + name}": value for name, value in site.items()}
            ended += self._steps(job["steps"], token, each, event, payload, environment)
        return ended

    @staticmethod
    def _sites(job: Mapping[str, Any]) -> list[dict[str, str]]:
        sites = job.get("strategy", {}).get("matrix", {}).get("site", [{}])
        return [site if isinstance(site, dict) else {"": site} for site in sites]

    def _steps(self, steps: list[dict[str, Any]], token: Any, values: dict[str, str], event: str, payload: Any, environment: Mapping[str, str]) -> list[Ended]:  # fmt: skip
        ended = []
        for step in steps:
            fill = {name: _filled(value, values, self.job.folder) for name, value in step.get("with", {}).items()}
            if "run" in step:
                self._shell(step, values)
            elif step["uses"].startswith("actions/checkout@"):
                if not (self.job.folder / "workspace").exists():
                    self._checkout(fill, values)
            elif step["uses"].startswith("actions/upload-artifact@"):
                assert (self.workspace / fill["path"]).is_file(), fill["path"]
            else:
                assert step["uses"].startswith("OWNER/sitemap-action@"), step["uses"]
                given = {"mode": "check", "path": "", "sitemap": "", **fill}
                built = self._built()
                inputs = {f"INPUT_{name.upper()}": value for name, value in given.items()}
                variables = {"GITHUB_SHA": values["github.sha"], **inputs, **environment}
                ended.append(self.job.run(token, built, event=event, payload=payload, environment=variables))
                if "id" in step:
                    values |= {f"steps.{step['id']}.outputs.{name}": text for name, text in ended[-1].outputs.items()}
        return ended

    def _built(self) -> dict[str, str]:
        """Files of the build; a server that a step has started in the background may be at work in it."""
        found = {}
        for folder, _, names in os.walk(self.workspace / "dist"):
            for path in (Path(folder, name) for name in names):
                with suppress(FileNotFoundError):
                    found[str(path.relative_to(self.workspace))] = path.read_text()
        return found

    @property
    def workspace(self) -> Path:
        return self.job.folder / "workspace"

    def _checkout(self, given: Mapping[str, str], values: Mapping[str, str]) -> None:
        assert given["persist-credentials"] in ("False", "false"), "no token stays in the checkout"
        self.job.checkout(given.get("ref", values["github.sha"]), depth=int(given.get("fetch-depth", "1")))
        for script in self.workspace.glob("*.sh"):
            script.chmod(0o755)

    def _shell(self, step: Mapping[str, Any], values: Mapping[str, str]) -> None:
        assert "${{" not in step["run"], "an expression in a script is an injection"
        given = {name: _filled(value, values, self.job.folder) for name, value in step.get("env", {}).items()}
        subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self.workspace,
            env={**os.environ, **given, "PATH": f"{self.tools}{os.pathsep}{os.environ['PATH']}"},
            stdout=subprocess.DEVNULL,
            check=True,
        )


def _filled(value: object, values: Mapping[str, str], workspace: Path) -> str:
    return re.sub(r"(?s)\$\{\{(.*?)\}\}", lambda found: evaluate(found[1], values, workspace), str(value))


@pytest.fixture
def played(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Iterator[Play]:
    """The live site has one page more than the sitemap of the repository; the build of its main branch has none more."""
    site = hub.repository()
    scripts = {"build.sh": PREPARED, "deploy.sh": "#!/bin/sh\n", "upload.sh": '#!/bin/sh\ncp "$1" uploaded.xml\n'}
    site.commit({**scripts, **pages("a"), SITEMAP: urlset("", "a")})
    live = {
        f"/{name}/".replace("//", "/"): page
        for name, page in zip(("", "a", "b"), build("a", "b").values(), strict=True)
    }
    with serve({**live, "/version.txt": Reply(site.head(), type="text/plain"), "*": 404}) as served:
        tools = package_manager(tmp_path / "tools")
        yield Play(Job(hub, site, tmp_path / "job", monkeypatch, capfd), hub, site, tools, served)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> None:
    (tmp_path / "job").mkdir()


def pull_request(played: Play, files: Mapping[str, str]) -> tuple[str, dict[str, Any]]:
    """(merge commit, event) of a branch with these files."""
    site = played.site
    site.commit(dict(files), branch="topic")
    pull = played.hub.open_pull(site, "topic")
    sides = {side: {"ref": ref, "sha": site.head(ref), "repo": {"full_name": site.full_name}} for side, ref in (("head", "topic"), ("base", "main"))}  # fmt: skip
    played.values |= {"github.event.pull_request.head.sha": site.head("topic"), "github.ref": f"refs/pull/{pull.number}/merge"}  # fmt: skip
    merge = site.ref(f"refs/pull/{pull.number}/merge")
    assert merge
    return merge, {"number": pull.number, "pull_request": sides}


def listed(content: str | bytes | None) -> list[str]:
    found = re.findall("<loc>(.*?)</loc>", content.decode() if isinstance(content, bytes) else content or "")
    return [url.removeprefix(SITE).strip("/") for url in found]


def test_every_workflow_of_the_document_is_played_here() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    assert len(WORKFLOWS) >= 10
    assert {heading for heading in WORKFLOWS if f'"{heading}"' not in source} == set()


def test_a_pull_request_that_forgets_its_sitemap(played: Play) -> None:
    merge, event = pull_request(played, pages("a", "b"))
    (ran,) = played.run("Check each pull request", "pull_request", merge, payload=event, GITHUB_BASE_REF="main")
    assert (ran.code, ran.outputs["result"], ran.outputs["added-count"]) == (1, "drift", "1"), ran.log
    assert ran.report["stale"]["missing"] == [f"{SITE}b/"]


def test_a_preview(played: Play) -> None:
    merge, event = pull_request(played, {SITEMAP: urlset("", "a", "b")})
    done = [("success", played.served.origin)]
    played.hub.deployments.append(Deployment(1, played.site.full_name, played.site.head("topic"), "Preview", done))
    private = {"INPUT_ALLOW-PRIVATE-HOSTS": "127.0.0.1"}  # this test's preview is on loopback
    (ran,) = played.run("Check the preview of this pull request", "pull_request", merge, payload=event, **private)
    assert (ran.code, ran.outputs["result"], ran.outputs["added-count"]) == (0, "in-sync", "1"), ran.log


def test_each_deployment(played: Play) -> None:
    status = {"state": "success", "environment_url": played.served.url}
    played.values |= {f"github.event.deployment_status.{name}": value for name, value in status.items()}
    played.values |= {"github.event.deployment.sha": played.site.head(), "secrets.PREVIEW_BYPASS": "a-secret-of-the-preview"}  # fmt: skip
    event = {"deployment": {"sha": played.site.head(), "environment": "Preview"}, "deployment_status": status}
    (ran,) = played.run("Check each preview that a hosting service has deployed", "deployment_status", payload=event)
    assert (ran.code, ran.report["stale"]["missing"]) == (1, [f"{SITE}b/"]), ran.log
    assert "x-vercel-protection-bypass" in {
        name.lower() for asked in played.served.asked for name in dict(asked.headers)
    }


def test_the_live_site(played: Play) -> None:
    (ran,) = played.run("Check the live site after each deployment", "push")
    assert (ran.code, ran.report["stale"]["missing"]) == (1, [f"{SITE}b/"]), ran.log
    assert played.served.paths[0].startswith("/version.txt?"), "it is awaited before anything is read"


def _deployed(played: Play) -> None:
    """The build of main is served, with its sitemap."""
    played.site.commit({"pages/sitemap.xml": urlset("", "a")})
    played.served.routes["/sitemap.xml"] = Reply(urlset("", "a"), type="application/xml")


def test_what_is_served_is_what_was_built(played: Play) -> None:
    _deployed(played)
    (ran,) = played.run("Compare what is served with the build", "push")
    assert ran.code == 0, ran.log
    played.served.routes["/a/"] = 404
    (ran,) = played.run("Compare what is served with the build", "push")
    assert (ran.code, [row["rule"] for row in ran.report["findings"] if row["severity"] == "error"]) == (1, ["WIT-02"])


def test_what_changes_between_two_deployments_is_an_issue(played: Play) -> None:
    _deployed(played)
    (ran,) = played.run("Compare it each night", "schedule")
    assert (ran.code, ran.outputs["issue-number"]) == (0, ""), ran.log
    before, played.served.routes["/a/"] = played.served.routes["/a/"], 404
    (ran,) = played.run("Compare it each night", "schedule")
    assert ran.report["result"] == "drift", ran.log
    issue = played.hub.issue(played.site, int(ran.outputs["issue-number"]))
    assert issue is not None
    assert (issue.state, "WIT-02" in issue.body) == ("open", True)
    played.served.routes["/a/"] = before
    (ran,) = played.run("Compare it each night", "schedule")
    issue = played.hub.issue(played.site, issue.number)
    assert issue is not None
    assert (ran.code, issue.state) == (0, "closed"), ran.log


def test_W_16_a_commit_after_the_deployment_is_deployed(played: Play) -> None:
    """The workflow has no filter of paths, and its token starts workflows: the push of the commit runs it again."""
    heading, before = "Commit the sitemap after each deployment", played.site.head()
    assert "paths-ignore" not in WORKFLOWS[heading]
    assert "token: ${{ secrets." in WORKFLOWS[heading]
    played.values |= {"secrets.SITEMAP_TOKEN": played.hub.person().value}
    (ran,) = played.run(heading, "push")
    assert (ran.code, ran.outputs["changed"], ran.outputs["commit-sha"]) == (0, "true", played.site.head()), ran.log
    assert listed(played.site.read(SITEMAP)) == ["", "a", "b"]
    assert (played.site.parents(played.site.head()), played.site.signed(played.site.head())) == ([before], True)
    head = played.site.head()
    played.served.routes["/version.txt"] = Reply(head, type="text/plain")
    committer = {"name": "GitHub", "email": "noreply@github.com"}
    payload = {"head_commit": {"message": played.site.message(head), "committer": committer}}
    (again,) = played.run(heading, "push", head, payload=payload)
    assert (again.code, again.outputs["result"], played.site.head()) == (0, "in-sync", head), again.log


def test_a_pull_request_on_a_schedule(played: Play) -> None:
    heading = "Open a pull request for a live site, on a schedule"
    (ran,) = played.run(heading, "schedule")
    (pull,) = played.hub.pulls[played.site.full_name]
    assert (ran.code, ran.outputs["pull-request-operation"], pull.labels) == (0, "created", ["seo"]), ran.log
    assert listed(played.site.read(SITEMAP, pull.head)) == ["", "a", "b"]
    (again,) = played.run(heading, "workflow_dispatch")
    assert (again.code, again.outputs["pull-request-operation"]) == (0, "none"), again.log


def test_the_sitemap_of_a_build_is_uploaded(played: Play) -> None:
    (ran,) = played.run("Write the sitemap of a build, and upload it", "workflow_dispatch")
    assert (ran.code, ran.outputs["changed"]) == (0, "true"), ran.log
    assert listed((played.workspace / "uploaded.xml").read_text()) == ["", "a"]


def test_a_server_on_the_runner(played: Play) -> None:
    merge, event = pull_request(played, {SITEMAP: urlset("", "a", "b")})
    (ran,) = played.run("Check a server that runs on the runner", "pull_request", merge, payload=event)
    assert (ran.code, ran.outputs["result"]) == (0, "in-sync"), ran.log


def test_several_sites(played: Play) -> None:
    """One has a page that its sitemap lacks, the other none; each has its own report."""
    docs = {name: page.replace(SITE, "https://docs.example.com/") for name, page in pages("x", folder="sites/docs/pages").items()}  # fmt: skip
    sitemaps = {"sites/www/sitemap.xml": urlset("", "a"), "sites/docs/sitemap.xml": urlset("", "x").replace(SITE, "https://docs.example.com/")}  # fmt: skip
    played.site.commit({**pages("a", folder="sites/www/pages"), **docs, **sitemaps})
    merge, event = pull_request(played, pages("a", "new", folder="sites/www/pages"))
    www, other = played.run(
        "Several sites of one repository, and the merge queue", "pull_request", merge, payload=event
    )
    assert (www.code, www.outputs["result"], other.code, other.outputs["result"]) == (1, "drift", 0, "in-sync"), www.log + other.log  # fmt: skip
    assert [one.outputs["report-json"] for one in (www, other)] == [f".sitemap-action/{name}/report.json" for name in ("www", "docs")]  # fmt: skip


def test_several_sites_with_a_config_each(played: Play) -> None:
    configs = {
        f".github/sitemap-{name}.yml": f"site-url: {SITE}\nsource: {{path: sites/{name}/dist}}\nsitemap: sites/{name}/sitemap.xml\n"
        for name in ("docs", "shop")
    }
    built = {f"sites/{name}/sitemap.xml": urlset("", "a") for name in ("docs", "shop")}
    played.site.commit(
        {**pages("a", folder="sites/docs/pages"), **pages("a", folder="sites/shop/pages"), **configs, **built}
    )
    merge, event = pull_request(played, pages("a", "new", folder="sites/shop/pages"))
    docs, shop = played.run("many-sites.yml", "pull_request", merge, payload=event)
    assert (docs.code, docs.outputs["result"], shop.code, shop.outputs["result"]) == (0, "in-sync", 1, "drift"), docs.log + shop.log  # fmt: skip
    assert shop.outputs["report-json"] == "sitemap-report/report.json"
