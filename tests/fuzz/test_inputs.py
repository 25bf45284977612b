"""What a pull request, an event, an API or a cache brings, fuzzed: each ends with a value or with our own error."""

import json
import socket
import subprocess
import threading
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec import msgpack

from isolation import serve
from mutations import documents, fuzz, texts
from repositories import create, git
from sitemap_action.cli.effects import OUTPUTS
from sitemap_action.cli.isolate import (
    Answer,
    answer_request,
    receive_message,
)
from sitemap_action.cli.options import KNOWN
from sitemap_action.config.layers import File, assignment
from sitemap_action.config.layers import parse as parse_config
from sitemap_action.config.schema import Config
from sitemap_action.errors import PublishError, SitemapActionError
from sitemap_action.model.context import Forge
from sitemap_action.model.step import FileChange, Step
from sitemap_action.repo.git import Git
from sitemap_action.repo.github import GitHub, deployments
from sitemap_action.repo.github_api import Api
from sitemap_action.runner.event import object_id, read_deployment, read_pull_request, trust

pytestmark = pytest.mark.filterwarnings("ignore:Generating overly large repr")
ID = "0123456789" * 4

CONFIGS = (
    b"version: 1\nsite-url: https://www.example.com/\nsource: {path: dist, host: auto}\npolicy:\n  max-removed: 20%\n  grace: {noindex: 3}\n",
    b"select:\n  exclude: ['/a/**', '!/a/b', 're:^x']\n  types: [html]\nchecks: {SM-14: off}\ncrawl: {timeout: 1:30, max-body: 1MiB}\n",
)
YAML = (
    b": ", b"- ", b"{", b"}", b"[", b"]", b"&a ", b"*a", b"!!python/object:os.system", b"!!binary ", b"<<: *a", b"|\n", b">-\n", b"? ", b"---\n", b"...\n",
    b"%YAML 1.1\n", b"#", b"'", b'"', b"\\x", b"1_000", b"0o7", b".inf", b"1e999", b"~", b"site-url", b"policy", b"off", b"99999999999999999999%",
    b"baseline: git:-x", b"(" * 20,
)  # fmt: skip


@pytest.mark.attack("bytes")
@given(documents(CONFIGS, YAML))
@fuzz()
def test_a_config_file(content: bytes) -> None:
    with suppress(SitemapActionError):
        assert isinstance(parse_config([File("c.yml", content)], KNOWN), Config)


@pytest.mark.attack("bytes")
@given(texts(["policy.max-removed=20%", "select.exclude=[/a/**]", "crawl.timeout=1:30", "baseline=git:HEAD"], [".", "=", "[", "]", "{", ":", "*", "!", "-"]))  # fmt: skip
@fuzz()
def test_a_setting(text: str) -> None:
    with suppress(SitemapActionError):
        parse_config([assignment(text)], KNOWN)


REPOSITORY = {"full_name": "example/site"}
EVENTS = tuple(
    json.dumps(one).encode()
    for one in (
        {"number": 7, "pull_request": {"base": {"ref": "main", "sha": ID}, "head": {"sha": ID, "repo": REPOSITORY}, "user": {"login": "x"}}},
        {"merge_group": {"base_ref": "refs/heads/main", "base_sha": ID, "head_sha": ID}, "repository": REPOSITORY},
        {"deployment": {"sha": ID, "environment": "Preview"}, "deployment_status": {"state": "success", "environment_url": "https://x.example/"}},
        {"workflow_run": {"actor": {"login": "x"}, "head_repository": REPOSITORY}},
    )
)  # fmt: skip
JSON = (b"{", b"}", b"[", b"]", b"null", b"true", b"-1", b"1e999", b"1" * 40, b'""', b'"sha":', b'"ref":', b",", b":", b'"\\ud800"', b"NaN", b"[" * 300)  # fmt: skip
NAMES = ("pull_request", "pull_request_target", "merge_group", "deployment_status", "workflow_run", "push", "x")


@pytest.mark.attack("bytes")
@given(documents(EVENTS, JSON), st.sampled_from(NAMES), texts([ID, "refs/pull/7/merge"], ["/", "-", "0"]))
@fuzz()
def test_an_event(event: bytes, name: str, text: str) -> None:
    environment = {
        "GITHUB_EVENT_NAME": name,
        "GITHUB_SHA": text,
        "GITHUB_REF": text,
        "GITHUB_REPOSITORY": "example/site",
    }
    found = read_pull_request(environment, event)
    for value in (found.base, found.head, found.merge) if found else ():
        assert value == object_id(value)
    assert found is None or type(found.number) is int
    deployment = read_deployment(environment, event)
    assert deployment is None or deployment.commit == object_id(deployment.commit) != ""
    assert not trust(environment, event).writes or name not in {"workflow_run", "x"} or b"example/site" in event


ANSWERS = tuple(
    json.dumps(one).encode()
    for one in (
        [{"sha": ID, "id": 1, "environment": "Preview", "created_at": "x"}],
        {"merge_base_commit": {"sha": ID}},
        [{"state": "success", "environment_url": "https://x.example/"}],
    )
)


@pytest.mark.attack("bytes")
@given(documents(ANSWERS, JSON), st.sampled_from([200, 200, 200, 301, 403, 404, 500]))
@fuzz()
def test_an_answer_of_the_api(body: bytes, status: int) -> None:
    def answer(_: httpx.Request) -> httpx.Response:
        return httpx.Response(status, content=body, headers={"content-type": "application/json"})

    api = Api(Forge("https://api.example.com", "example/site", "token"), httpx.MockTransport(answer))
    with suppress(SitemapActionError):
        found = GitHub(api).merge_base("main", ID)
        assert found is None or isinstance(found, str)
    with suppress(SitemapActionError):
        for one in deployments(api, ID):
            assert isinstance(one.url, str)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return create(tmp_path_factory.mktemp("repository") / "x")


TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
COMMITS = (
    f"tree {TREE}\nparent {ID}\nauthor A <a@x> 1 +0000\ncommitter A <a@x> 1 +0000\n\nmessage\nparent no\n".encode(),
)


@pytest.mark.attack("bytes")
@given(documents(COMMITS, [b"parent ", b"tree ", b"\n\n", ID.encode(), b"gpgsig -----"]))
@example(content=f"tree parent {TREE}\n\nx".encode())
@fuzz(10)
def test_a_commit_object(repository: Path, content: bytes) -> None:
    """git stores whatever it is given; what it gives back is not believed to have a form."""
    stored = subprocess.run(
        ["git", "-C", str(repository), "hash-object", "-w", "--stdin", "--literally", "-t", "commit"],
        input=content, capture_output=True, check=True,
    )  # fmt: skip
    name = stored.stdout.decode().strip()
    with suppress(SitemapActionError):
        assert all(isinstance(parent, str) for parent in Git(repository).parents(name))
    with suppress(SitemapActionError):
        Git(repository).blob(name, "sitemap.xml")
    with suppress(SitemapActionError):
        assert all(isinstance(path, str) for path in Git(repository).walk_files(name))
    with suppress(SitemapActionError):
        Git(repository).merge_base(name, name)


@pytest.mark.attack("bytes")
@given(st.binary(max_size=200), st.sampled_from(["HEAD", "config", "packed-refs", "index", "shallow", "refs/heads/main", "objects", "info/grafts"]))  # fmt: skip
@fuzz(20)
def test_files_of_a_git_directory(tmp_path_factory: pytest.TempPathFactory, content: bytes, name: str) -> None:
    folder = create(tmp_path_factory.mktemp("damaged") / "x")
    (folder / "sitemap.xml").write_text("x")
    git(folder, "add", "--all")
    git(folder, "commit", "-qm", "x")
    head = git(folder, "rev-parse", "HEAD")
    path = folder / ".git" / name
    if name == "objects":
        path = next(one for one in sorted(path.rglob("*")) if one.is_file())
        path.chmod(0o644)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    found = Git(folder)
    for command in (lambda: found.commit("HEAD"), lambda: found.parents(head), lambda: found.blob(head, "sitemap.xml"), found.shallow):  # fmt: skip
        with suppress(SitemapActionError):
            command()


class Recorder:
    """In the place of what root does."""

    def __init__(self) -> None:
        self.steps: list[Step] = []

    def apply(self, steps: list[Step]) -> None:
        self.steps += steps

    def report(self, form: str, text: str) -> str:
        if not form:
            raise PublishError("empty", hint="\ud800")
        return "report.json"

    def keep(self, files: list[Step]) -> str:
        self.steps += files
        return "sitemap"

    def require_outputs(self, outputs: object) -> None: ...

    def publish_outputs(self, summary: str, outputs: object) -> None:
        assert isinstance(summary, str)


REQUESTS = [
    msgpack.encode(one)
    for one in (
        ("apply", ((FileChange("sitemap.xml", b"x"), FileChange("../x.xml", None)),)),
        ("report", ("json", "{}")),
        ("publish_outputs", ("# text", dict.fromkeys(OUTPUTS, "1"))),
    )
]


@pytest.mark.attack("bytes")
@given(st.binary(max_size=120) | documents(REQUESTS, [b"\x81", b"\xc1", b"\xdd\xff\xff\xff\xff", b"FileChange"]))
@fuzz()
def test_requests(sent: bytes) -> None:
    """What is answered can be sent."""
    answer = answer_request(Recorder(), sent)  # type: ignore[arg-type]
    assert msgpack.decode(msgpack.encode(answer), type=Answer) == answer


@pytest.mark.attack("bytes")
@given(
    st.binary(max_size=120) | documents([b"\0\0\0\0\0\0\0\2\x81\xa1"], [b"\0\0\0\1", b"\xff\xff\xff\xff", b"\0" * 8])
)
@fuzz(5)
def test_a_stream_of_requests(data: bytes) -> None:
    """The parent stops at the end of the stream, whatever came, and is never left waiting."""
    here, there = socket.socketpair()
    parent = threading.Thread(target=serve, args=(there, Recorder()))
    parent.start()
    with here:
        here.sendall(data[:4096])
        here.shutdown(socket.SHUT_WR)
        with here.makefile("rwb") as stream:
            while receive_message(stream) is not None:
                pass
        parent.join(30)
    assert not parent.is_alive()
