"""`url: auto` from the event to the report: GitHub is asked where a commit is served, and the site is looked at there."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from repositories import checkout, pull_request
from runner_model import outputs
from servers import Reply, Site, serve
from sitemap_action.__main__ import run

COMMIT = "c" * 40
TOKEN, NAME, SECRET = "a-token-that-only-reads", "x-bypass", "s3cr3t-t0k3n-of-the-preview"
SITE = "https://www.example.com/"
LIST = f"/repos/example/site/deployments?sha={COMMIT}&per_page=100"
PAGE = "<!doctype html><html lang=en><title>A page</title><a href=/a/>a</a><p>" + "some words " * 60


@pytest.fixture
def preview() -> Iterator[Site]:
    with serve({"/": PAGE, "/a/": PAGE, "*": 404}) as site:
        yield site


@pytest.fixture
def github(preview: Site) -> Iterator[Site]:
    """Its API: of two deployments of the commit one has no address."""
    with serve({}) as site:
        rows = [{"id": 2, "sha": COMMIT, "environment": "ci"}, {"id": 1, "sha": COMMIT, "environment": "Preview"}]
        site.routes[LIST] = said(rows)
        site.routes["/repos/example/site/deployments/2/statuses"] = said([{"state": "success", "environment_url": ""}])
        done = {"state": "success", "environment_url": preview.origin, "created_at": "2026-11-20T01:19:13Z"}
        site.routes["/repos/example/site/deployments/1/statuses"] = said([done])
        yield site


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, github: Site, monkeypatch: pytest.MonkeyPatch) -> Path:
    found = tmp_path / "workspace"
    found.mkdir()
    monkeypatch.chdir(found)
    for name, value in {
        "GITHUB_ACTIONS": "true",
        "GITHUB_API_URL": github.origin,
        "GITHUB_REPOSITORY": "example/site",
        "GITHUB_EVENT_NAME": "push",
        "GITHUB_SHA": COMMIT,
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "INPUT_TOKEN": TOKEN,
        "INPUT_URL": "auto",
        "INPUT_ALLOW-PRIVATE-HOSTS": "127.0.0.1",
        "INPUT_SITE-URL": SITE,
        "INPUT_WAIT-TIMEOUT": "0",
    }.items():
        monkeypatch.setenv(name, value)
    return found


def said(value: object, status: int = 200) -> Reply:
    return Reply(json.dumps(value), status, type="application/json; charset=utf-8")


def carried(site: Site, secret: str) -> list[str]:
    return [asked.path for asked in site.asked if secret in str(asked.headers)]


def test_the_site_is_looked_at_where_its_commit_is_served(
    preview: Site, github: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("INPUT_HEADERS", f"{NAME}: {SECRET}")
    monkeypatch.setenv("INPUT_HOSTS", "127.0.0.*")
    assert run(["run"]) == 1
    found = outputs((tmp_path / "output").read_text())
    assert (found["result"], found["url-count"]) == ("drift", "2")
    report = json.loads(Path(found["report-json"]).read_text())
    assert report["source"] == {"kind": "url", "location": preview.url}
    assert report["stale"]["missing"] == [SITE, f"{SITE}a/"]
    logged = capsys.readouterr().out
    assert "url is auto: waiting for a deployment of cccccccccccc\n" in logged
    assert f"url is auto: the deployment of cccccccccccc is served at {preview.url}" in logged
    assert len(carried(github, TOKEN)) == len(github.asked) == 3
    assert len(carried(preview, SECRET)) == len(preview.asked)
    assert carried(preview, TOKEN) == carried(github, SECRET) == []


def test_as_a_key_of_the_config(monkeypatch: pytest.MonkeyPatch, preview: Site) -> None:
    monkeypatch.delenv("INPUT_URL")
    Path(".github").mkdir()
    Path(".github/sitemap.yml").write_text("source: {url: auto}\n")
    assert run(["run"]) == 1
    assert "/a/" in preview.paths


@pytest.mark.parametrize("merged", [True, False], ids=["the merge commit", "the head"])
def test_a_pull_request(
    merged: bool,
    preview: Site,
    github: Site,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """b2: the preview is built from the head; whatever the target branch has got since then is not in it."""
    origin = pull_request(tmp_path / "origin", {"x": ""}, {"x": "1"}, main={"x": "", "y": ""})
    monkeypatch.chdir(checkout(origin.directory, origin.merge if merged else origin.head, tmp_path / "clone", depth=0))
    base, head = {"ref": "main", "sha": origin.main}, {"sha": origin.head, "repo": {"full_name": "example/site"}}
    (tmp_path / "event.json").write_text(json.dumps({"number": 12, "pull_request": {"base": base, "head": head}}))
    monkeypatch.setenv("GITHUB_EVENT_NAME", "pull_request")
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(tmp_path / "event.json"))
    monkeypatch.setenv("GITHUB_SHA", origin.merge)
    listed = said([{"id": 1, "sha": origin.head, "environment": "Preview"}])
    github.routes[f"/repos/example/site/deployments?sha={origin.head}&per_page=100"] = listed
    assert run(["run"]) == 1
    assert "/a/" in preview.paths
    logged = capsys.readouterr().out
    assert f"the deployment of {origin.head[:12]} is served at {preview.url}" in logged
    assert (f"{origin.merge[:12]} is checked out, and another commit is deployed" in logged) is merged


def _deploy(preview: Site, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    status = {"state": "success", "environment_url": preview.origin, "environment": "Preview"}
    (folder / "event.json").write_text(json.dumps({"deployment": {"sha": COMMIT}, "deployment_status": status}))
    monkeypatch.setenv("GITHUB_EVENT_NAME", "deployment_status")
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(folder / "event.json"))


def test_an_event_that_tells_the_address(
    preview: Site, github: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _deploy(preview, tmp_path, monkeypatch)
    monkeypatch.setenv("INPUT_ENVIRONMENT", "preview")
    assert run(["run"]) == 1
    assert "/a/" in preview.paths
    assert github.asked == []


STOPPED: list[tuple[str, dict[str, str], Reply | None, int, str]] = [
    # id, inputs, what GitHub answers, exit code, words
    ("hosts is another", {"INPUT_HOSTS": "*.vercel.app"}, None, 2, "127.0.0.1 is not in hosts"),
    ("hosts is missing where a secret is", {"INPUT_HEADERS": f"{NAME}: {SECRET}"}, None, 2, "headers is set, url is auto, and hosts is not"),
    ("not deployed", {}, said([]), 3, "no usable deployment of cccccccccccc"),
    ("no permission", {}, said({"message": "Resource not accessible by integration"}, 403), 2, "deployments: read"),
    ("no token", {"INPUT_TOKEN": ""}, None, 2, "without a token GitHub lists no deployments"),
    ("site-url is not known: a preview is never production", {"INPUT_SITE-URL": ""}, None, 2, "site-url is not set"),
    ("on an event about no commit", {"GITHUB_EVENT_NAME": "issue_comment"}, None, 2, "read at the commit of the workflow"),
]  # fmt: skip


@pytest.mark.parametrize(("inputs", "answer", "code", "words"), [pytest.param(*row[1:], id=row[0]) for row in STOPPED])
def test_nothing_is_looked_at(
    inputs: dict[str, str], answer: Reply | None, code: int, words: str,
    preview: Site, github: Site, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    if answer is not None:
        github.routes[LIST] = answer
    for name, value in inputs.items():
        monkeypatch.setenv(name, value)
    assert run(["run"]) == code
    assert words in capsys.readouterr().out
    assert not [path for path in preview.paths if "sitemap" not in path and path != "/robots.txt"]  # which may tell it


@pytest.mark.attack("secrets")
def test_a_config_cannot_find_a_place_for_a_secret(
    preview: Site, github: Site, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It may say auto; where a secret goes then, no input has said."""
    Path(".github").mkdir()
    Path(".github/sitemap.yml").write_text("source: {url: auto}\n")
    monkeypatch.delenv("INPUT_URL")
    monkeypatch.setenv("INPUT_HOSTS", "127.0.0.1")
    monkeypatch.setenv("INPUT_HEADERS", f"{NAME}: {SECRET}")
    assert run(["run"]) == 2
    assert "input headers is set, and url is not" in capsys.readouterr().out
    assert preview.asked == github.asked == []


def test_the_command_line_is_told_what_to_do(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    for name in ("GITHUB_ACTIONS", "GITHUB_EVENT_NAME", "INPUT_URL"):
        monkeypatch.delenv(name)
    assert run(["check", "--url", "auto", "--site-url", SITE]) == 2
    assert "else give the address" in capsys.readouterr().err
    monkeypatch.setenv("SITEMAP_ACTION_HEADERS", f"{NAME}: {SECRET}")
    assert run(["check", "--url", "auto", "--site-url", SITE]) == 2
    assert "--url gives no address" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "code", "rules"), [(PAGE, 0, []), (PAGE.replace("some", "other"), 0, ["WIT-03"]), (404, 1, ["WIT-02"])]
)
@pytest.mark.parametrize("event", ["push", "deployment_status"])
def test_a_build_beside_it_is_the_deploy_witness(
    text: str | int,
    code: int,
    rules: list[str],
    event: str,
    preview: Site,
    github: Site,
    workspace: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The build is what is expected at the address of the deployment (WIT-01…03)."""
    for name in ("dist/index.html", "dist/a/index.html"):
        (workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (workspace / name).write_text(PAGE)
    locs = "".join(f"<url><loc>{url}</loc></url>" for url in (SITE, f"{SITE}a/"))
    urlset = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{locs}</urlset>'
    (workspace / "dist/sitemap.xml").write_text(urlset)
    preview.routes |= {"/a/": text, "/sitemap.xml": Reply(urlset, type="application/xml")}
    monkeypatch.setenv("INPUT_PATH", "dist")
    if event == "deployment_status":  # which tells the address
        _deploy(preview, tmp_path, monkeypatch)
    assert run(["run"]) == code
    assert bool(github.asked) == (event == "push")
    found = outputs((tmp_path / "output").read_text())
    report = json.loads(Path(found["report-json"]).read_text())
    assert report["source"] == {"kind": "folder", "location": "dist"}
    assert [row["rule"] for row in report["findings"] if row["rule"].startswith("WIT-")] == rules
    assert any(note.endswith(f"gave an answer at {preview.url}") for note in report["notes"])
