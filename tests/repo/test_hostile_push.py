"""The token of a push stays where it belongs, the user's repository as it is, and hostile names are refused."""

import base64
import hashlib
import os
import subprocess
import tempfile
from pathlib import Path

import pytest

from forge.hub import Hub
from forge.repository import Entry, Repository
from forge.server import Answer, Request, listening
from pushes import SITE, TOKEN, branches, start, wrapped_git
from sitemap_action.errors import PublishError
from sitemap_action.model.step import FileChange

BASIC = base64.b64encode(f"x-access-token:{TOKEN}".encode()).decode()
SECRETS = (TOKEN, BASIC)


@pytest.fixture
def site(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    hub.token(TOKEN)
    return hub.repository(SITE, private=True)


# The token


def _is_ours(process: Path) -> bool:
    """Whether it descends from this one: other tests run beside it, with tokens of their own."""
    while process.name not in {"0", "1"}:
        if process.name == str(os.getpid()):
            return True
        process = process.with_name((process / "stat").read_text().rpartition(")")[2].split()[1])
    return False


@pytest.mark.attack("git")
def test_the_token_is_in_no_argument_and_in_no_file(hub: Hub, site: Repository) -> None:
    """Looked for while git talks to the server, in every process of this machine and in every file of ours."""
    seen: list[str] = []

    def look(_: object) -> None:
        for process in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                if not _is_ours(process.parent):
                    continue
                seen.append(process.read_bytes().decode(errors="replace"))
            except OSError:
                continue
        files = (file for file in Path(tempfile.gettempdir()).rglob("*") if file.is_file())
        seen.extend(file.read_bytes().decode(errors="replace") for file in files)

    hub.before_request = look
    branches(hub).commit("main", site.head(), "x", [FileChange("a", b"1")])
    text = "\n".join(seen)
    assert "git-receive-pack" in text or "push" in text
    assert hub.server_url in text, "the configuration was among them"
    assert not [secret for secret in SECRETS if secret in text]


@pytest.mark.attack("git")
def test_only_commands_that_reach_the_server_are_given_the_token(hub: Hub, site: Repository, tmp_path: Path) -> None:
    log = tmp_path / "log"
    path = wrapped_git(tmp_path / "bin", f'printf "%s %s\\n" "$name" "$(env | grep -c -e {BASIC})" >> {log}')
    running = start(hub, "sitemap.xml", "1", env={"PATH": path})
    _, errors = running.communicate(timeout=60)
    assert running.returncode == 0, errors
    given = {tuple(line.split()) for line in log.read_text().splitlines()}
    assert {name for name, count in given if count != "0"} == {"fetch", "push"}
    assert {"init", "fast-import", "rev-parse"} <= {name for name, count in given if count == "0"}
    assert site.read("sitemap.xml") == b"1"


@pytest.mark.attack("git")
@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_takes_no_token_along(hub: Hub, site: Repository, status: int) -> None:
    received: list[Request] = []

    def elsewhere(request: Request) -> Answer:
        received.append(request)
        return Answer(404)

    with listening(elsewhere) as other:
        send = lambda request: Answer(status, b"", {"Location": f"{other}{request.path}?{request.query_string}"})  # noqa: E731
        with listening(send) as address, pytest.raises(PublishError, match=f"answers {status}") as caught:
            branches(hub, server=address).commit("main", site.head(), "x", [FileChange("a", b"1")])
    assert "no redirect is followed" in caught.value.hint
    assert received == []


@pytest.mark.attack("git")
def test_objects_of_another_server_are_not_fetched(hub: Hub, site: Repository) -> None:
    """The older protocol lets a server name others that have its objects; git would send them the same headers."""
    received: list[Request] = []

    def elsewhere(request: Request) -> Answer:
        received.append(request)
        return Answer(404)

    head = site.head()
    with listening(elsewhere) as other:
        files = {
            "info/refs": f"{head}\trefs/heads/main\n",
            "HEAD": "ref: refs/heads/main\n",
            "objects/info/http-alternates": f"{other}/objects\n",
            "objects/info/alternates": f"{other}/objects\n",
        }

        def dumb(request: Request) -> Answer:
            found = files.get(request.path.partition(".git/")[2])
            return Answer(200, found.encode(), {"Content-Type": "text/plain"}) if found else Answer(404)

        with listening(dumb) as address, pytest.raises(PublishError):
            branches(hub, server=address).commit("main", head, "x", [FileChange("a", b"1")])
    assert received == []


@pytest.mark.attack("git")
def test_what_a_server_repeats_of_the_token_is_masked(hub: Hub, site: Repository) -> None:
    hook = site.directory / "hooks/pre-receive"
    hook.write_text(f"#!/bin/sh\necho 'got {TOKEN} and {BASIC}' >&2\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(PublishError, match=r"got \*\*\* and \*\*\*") as caught:
        branches(hub).commit("main", site.head(), "x", [FileChange("a", b"1")])
    assert not [secret for secret in SECRETS if secret in f"{caught.value} {caught.value.hint} {caught.value!r}"]


@pytest.mark.attack("git")
def test_credentials_of_the_user_are_not_sent(hub: Hub, site: Repository, tmp_path: Path) -> None:
    """A home with other credentials for the same server, and with a helper that would be started."""
    home, marker = tmp_path / "home", tmp_path / "marker"
    home.mkdir()
    host = hub.server_url.partition("://")[2].partition(":")[0]
    (home / ".netrc").write_text(f"machine {host} login mona password secret\n")
    settings = f'[http]\n\textraheader = "X-Evil: 1"\n[credential]\n\thelper = "!touch {marker}"\n[url "file:///"]\n\tinsteadOf = http://\n'
    (home / ".gitconfig").write_text(settings)
    running = start(hub, "sitemap.xml", "1", env={"HOME": str(home)})
    _, errors = running.communicate(timeout=60)
    assert running.returncode == 0, errors
    sent = {tuple(one.request.authorizations) for one in hub.log if ".git/" in one.request.path}
    assert sent == {(f"basic {BASIC}",)}
    assert not [one for one in hub.log if one.request.header("x-evil")]
    assert not marker.exists()
    assert site.read("sitemap.xml") == b"1"


@pytest.mark.attack("git")
def test_variables_of_an_earlier_step_mean_nothing(hub: Hub, site: Repository, tmp_path: Path) -> None:
    """Such as GITHUB_ENV sets for every later step: logs with the token, other programs, other places."""
    trace, programs = tmp_path / "trace", tmp_path / "programs"
    wrapped_git(programs, f"touch {trace}")
    hostile = {
        **dict.fromkeys(
            ("GIT_TRACE", "GIT_TRACE_CURL", "GIT_TRACE2", "GIT_TRACE2_EVENT", "GIT_CURL_VERBOSE"), str(trace)
        ),
        **dict.fromkeys(("GIT_DIR", "GIT_WORK_TREE", "GIT_OBJECT_DIRECTORY", "GIT_INDEX_FILE"), str(tmp_path / "bin")),
        **dict.fromkeys(("GIT_ASKPASS", "SSH_ASKPASS", "GIT_PROXY_COMMAND", "GIT_EDITOR"), str(programs / "git")),
        "GIT_TRACE_REDACT": "0",
        "GIT_TRACE2_ENV_VARS": "GIT_CONFIG_VALUE_20",
        "GIT_SSL_NO_VERIFY": "1",
        "GIT_EXEC_PATH": str(programs),
        "GIT_TEMPLATE_DIR": str(programs),
        "GIT_NAMESPACE": "other",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.hooksPath",
        "GIT_CONFIG_VALUE_0": str(programs),
        "GIT_CONFIG_PARAMETERS": "'http.proxy=http://127.0.0.1:9'",
        "GIT_AUTHOR_NAME": "mallory",
    }
    running = start(hub, "sitemap.xml", "1", env=hostile)
    _, errors = running.communicate(timeout=60)
    assert running.returncode == 0, errors
    assert site.read("sitemap.xml") == b"1"
    assert site.ask("log", "-1", "--format=%an", "main") == "github-actions[bot]"
    assert not trace.exists()


@pytest.mark.parametrize(
    ("server", "repository"),
    [
        ("https://user:password@github.com", SITE),
        ("ext::sh -c true", SITE),
        ("file:///tmp", SITE),
        ("https://github.com\nx", SITE),
        ("-x", SITE),
        ("", SITE),
        ("https://github.com", "../x y"),
        ("https://github.com", "a/b\n[core]"),
        ("https://github.com", "owner"),
    ],
)
def test_addresses_that_are_none(hub: Hub, server: str, repository: str) -> None:
    with pytest.raises(PublishError, match="cannot be used for git"):
        branches(hub, server=server, repository=repository).commit("main", "1" * 40, "x", [])


@pytest.mark.parametrize(
    ("script", "message"), [("echo git version 2.30.2; exit 0", r"git 2\.30 is too old"), ("", "git is not installed")]
)
def test_a_git_that_is_too_old_or_missing(
    hub: Hub, tmp_path: Path, script: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before 2.31 the environment set nothing: neither the token nor what keeps git in its bounds."""
    if script:
        wrapped_git(tmp_path / "bin", script)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(PublishError, match=message) as caught:
        branches(hub).commit("main", "1" * 40, "x", [])
    assert "commit-method: api" in caught.value.hint


# The user's repository


def digest(folder: Path) -> dict[str, tuple[int, str]]:
    return {
        str(path.relative_to(folder)): (
            path.lstat().st_mode,
            hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "",
        )
        for path in sorted(folder.rglob("*"))
    }


@pytest.mark.attack("git")
@pytest.mark.parametrize("state", ["shallow", "detached", "worktree"])
def test_the_checkout_has_no_part_in_it(hub: Hub, site: Repository, tmp_path: Path, state: str) -> None:
    """Whatever its configuration, hooks, attributes and programs say."""
    user, marker = tmp_path / "user", tmp_path / "marker"
    clone = ["git", "clone", "-q", f"--depth={1 if state == 'shallow' else 9}", site.directory.as_uri(), str(user)]
    subprocess.run(clone, check=True)
    cwd = user
    if state != "shallow":
        cwd = tmp_path / "user" / "linked" if state == "worktree" else user
        arguments = (
            ["worktree", "add", "-q", "--detach", str(cwd)] if state == "worktree" else ["checkout", "-q", "--detach"]
        )
        subprocess.run(["git", "-C", str(user), *arguments], check=True)
    evil = f"#!/bin/sh\ntouch {marker}\n"
    for hook in ("pre-push", "post-checkout", "reference-transaction", "pre-commit", "post-index-change"):
        (user / ".git/hooks" / hook).write_text(evil)
        (user / ".git/hooks" / hook).chmod(0o755)
    with (user / ".git/config").open("a") as config:
        config.write(f'[core]\n\tfsmonitor = "touch {marker}"\n\tsshCommand = touch {marker}\n')
        config.write('[http]\n\textraheader = "AUTHORIZATION: basic old"\n[url "file:///"]\n\tinsteadOf = http://\n')
        config.write(f'[filter "lfs"]\n\tclean = touch {marker}\n\trequired = true\n')
    (cwd / "git").write_text(evil)
    (cwd / "git").chmod(0o755)
    (cwd / "staged").write_text("x")
    subprocess.run(["git", "-C", str(cwd), "-c", "core.fsmonitor=false", "add", "staged"], check=True)
    marker.unlink(missing_ok=True)
    before = digest(user)
    running = start(hub, "sitemap.xml", "1", cwd=cwd, env={"PATH": f".:{cwd}:{os.environ['PATH']}"})
    _, errors = running.communicate(timeout=60)
    assert running.returncode == 0, errors
    assert site.read("sitemap.xml") == b"1"
    assert site.read("staged") is None
    assert digest(user) == before
    assert not marker.exists()


# Names


@pytest.mark.attack("git")
@pytest.mark.parametrize(
    "path",
    [
        "",
        "/etc/passwd",
        "../sitemap.xml",
        "public/../../sitemap.xml",
        "./sitemap.xml",
        "public//sitemap.xml",
        "public/",
        ".git/config",
        "public/.GIT/hooks/post-checkout",
        ".g\u200cit/config",
        "git~1/config",
        ".git./config",
        ".git::$INDEX_ALLOCATION/config",
        "public\\..\\sitemap.xml",
        "site\nmap.xml",
        "site\0map.xml",
        "sitemap\x1b.xml",
        "x" * 5_000,
    ],
)
def test_paths_that_no_commit_has(hub: Hub, site: Repository, path: str) -> None:
    before = site.head()
    with pytest.raises(PublishError):
        branches(hub).commit("main", before, "x", [FileChange("fine.xml", b""), FileChange(path, b"1")])
    assert site.head() == before


@pytest.mark.parametrize(
    "path", ["-x.xml", "--help", "*.xml", "a b.xml", '"q".xml', "ü/ö.xml", "'; true.xml", "a,b\u3042.xml"]
)
def test_paths_that_only_look_odd(hub: Hub, site: Repository, path: str) -> None:
    made = branches(hub).commit("main", site.head(), "x", [FileChange(path, b"1")])
    assert site.files() == {"README.md": b"# A site\n", path: b"1"}
    branches(hub).commit("main", made, "x", [FileChange(path, None)])
    assert site.files() == {"README.md": b"# A site\n"}


@pytest.mark.attack("git")
@pytest.mark.parametrize(
    "path", ["link", "link/sitemap.xml", "module", "module/sitemap.xml", "README.md/sitemap.xml", "public"]
)
@pytest.mark.parametrize("content", [b"1", None])
def test_what_is_no_file_stays(hub: Hub, site: Repository, path: str, content: bytes | None) -> None:
    entries = [
        Entry("link", site.make_blob(b"../outside"), "120000"),
        Entry("module", site.head(), "160000"),
        Entry("public/sitemap.xml", site.make_blob(b"x")),
    ]
    before = site.make_commit(site.make_tree(site.head(), entries), [site.head()], "hostile")
    site.move("refs/heads/main", before, site.head())
    with pytest.raises(PublishError, match="cannot be committed"):
        branches(hub).commit("main", before, "x", [FileChange(path, content)])
    assert site.head() == before


@pytest.mark.parametrize("commit", ["main", "-x", "1" * 39, "1" * 41, "HEAD", "", "G" * 40, f"{'1' * 40}\n"])
def test_only_object_ids_are_commits(hub: Hub, commit: str) -> None:
    with pytest.raises(PublishError, match="no object id"):
        branches(hub).replace("x", None, "x", [], commit)
