"""S-01: what a pull request, an artifact or another owner plants for git never runs, and would learn nothing."""

import json
import os
import subprocess
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from repositories import Origin, checkout, create, git, pull_request
from sitemap_action.__main__ import run
from sitemap_action.errors import BaselineError
from sitemap_action.repo.git import Git

pytestmark = pytest.mark.skipif(os.name != "posix", reason="owners, shell scripts and symbolic links of POSIX")
MISSING = "0123456789" * 4
SECRETS = {
    "INPUT_TOKEN": "s3cret-input",
    "INPUT_HEADERS": "X-Key: s3cret-header",
    "SITEMAP_ACTION_TOKEN": "s3cret-own",
    "GITHUB_TOKEN": "s3cret-github",
    "ACTIONS_RUNTIME_TOKEN": "s3cret-runtime",
    "AWS_SECRET_ACCESS_KEY": "s3cret-cloud",
}


@dataclass(frozen=True, slots=True)
class Trap:
    """A program that leaves a marker, with the environment that it was started in."""

    program: Path
    marker: Path

    def sprung(self) -> bool:
        found = self.marker.exists()
        self.marker.unlink(missing_ok=True)
        return found


@pytest.fixture
def trap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Trap:
    program, marker = tmp_path / "evil", tmp_path / "marker"
    program.write_text(f"#!/bin/sh\nenv > {marker}\nexit 1\n")
    program.chmod(0o755)
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    return Trap(program, marker)


@pytest.fixture
def origin(tmp_path: Path) -> Origin:
    base = {"sitemap.xml": "base", ".gitattributes": "* filter=evil diff=evil\n"}
    return pull_request(tmp_path / "origin", base, {**base, "sitemap.xml": "change"}, main={**base, "other": "later"})


@pytest.fixture
def clone(origin: Origin, tmp_path: Path) -> Path:
    return checkout(origin.directory, origin.merge, tmp_path / "clone")


def commands(origin: Origin) -> dict[str, Callable[[Git], object]]:
    """Everything that we use git for."""
    return {
        "top": lambda one: one.top(),
        "shallow": lambda one: one.shallow(),
        "commit": lambda one: one.commit("HEAD"),
        "a name that is none": lambda one: one.commit(MISSING),
        "parents": lambda one: one.parents(origin.merge),
        "parents of nothing": lambda one: one.parents(MISSING),
        "has": lambda one: one.has(MISSING),
        "merge base": lambda one: one.merge_base(origin.merge, MISSING),
        "blob": lambda one: one.blob(origin.merge, "sitemap.xml"),
        "blob of nothing": lambda one: one.blob(MISSING, "sitemap.xml"),
        "fetch": lambda one: one.fetch(origin.main),
        "fetch of nothing": lambda one: one.fetch(MISSING),
    }


def ran_in(folder: Path, origin: Origin, trap: Trap) -> list[str]:
    """The names of our commands that ran the trap."""
    found = []
    for name, command in commands(origin).items():
        with suppress(BaselineError):
            command(Git(folder))
        if trap.sprung():
            found.append(name)
    return found


def plain(folder: Path, *arguments: str) -> None:
    """git as it is, which may fail once it has run the trap."""
    subprocess.run(["git", "-C", str(folder), *arguments], check=False, capture_output=True, env=os.environ, timeout=30)


FETCH = ("fetch", "origin", MISSING)
PROMISOR = """[core]
 repositoryformatversion = 1
[extensions]
 partialClone = evil
[remote "evil"]
 promisor = true
 url = .
 uploadpack = EVIL
"""
NO_CONTROL = ()
# what is planted in .git/config, and the command by which plain git runs it; EVIL is the trap, AT the repository
CONFIGURATIONS = {
    "fsmonitor": ("[core]\n fsmonitor = EVIL", ("status",)),
    "ssh-command": ('[core]\n sshCommand = EVIL\n[remote "origin"]\n url = ssh://127.0.0.1/x', FETCH),
    "ssh-variant-in-the-address": ('[core]\n sshCommand = EVIL\n[remote "origin"]\n url = git@127.0.0.1:x', FETCH),
    "git-proxy": ('[core]\n gitProxy = EVIL\n[remote "origin"]\n url = git://127.0.0.1/x', FETCH),
    "credential-helper": ('[credential]\n helper = EVIL\n[remote "origin"]\n url = https://127.0.0.1:9/x\n[http]\n proxy = http://u@127.0.0.1:9', FETCH),
    "credential-helper-of-a-host": (
        '[credential "http://127.0.0.1:9"]\n helper = "!EVIL"\n[remote "origin"]\n url = https://127.0.0.1:9/x\n[http]\n proxy = http://u@127.0.0.1:9',
        FETCH,
    ),
    "ask-pass": ('[core]\n askPass = EVIL\n[remote "origin"]\n url = https://127.0.0.1:9/x\n[http]\n proxy = http://u@127.0.0.1:9', FETCH),
    "alias": ('[alias]\n cat-file = "!EVIL"\n fetch = "!EVIL"\n x = "!EVIL"', ("x",)),
    "pager": ("[core]\n pager = EVIL\n[pager]\n fetch = true\n cat-file = true", NO_CONTROL),  # needs a terminal
    "smudge": ('[filter "evil"]\n smudge = EVIL\n required = true', ("cat-file", "--filters", "HEAD:sitemap.xml")),
    "process": ('[filter "evil"]\n process = EVIL', ("cat-file", "--filters", "HEAD:sitemap.xml")),
    "textconv": ('[diff "evil"]\n textconv = EVIL', ("cat-file", "--textconv", "HEAD:sitemap.xml")),
    "external-diff": ("[diff]\n external = EVIL", ("diff", "--ext-diff", "--cached", "4b825dc642cb6eb9a060e54bf8d69288fbee4904")),
    "gpg": ("[gpg]\n program = EVIL\n[log]\n showSignature = true\n[merge]\n verifySignatures = true", NO_CONTROL),
    "upload-pack": ('[remote "origin"]\n uploadpack = EVIL', FETCH),
    "ext": ('[remote "origin"]\n url = "ext::EVIL"\n[protocol "ext"]\n allow = always', FETCH),
    "instead-of": ('[url "ext::EVIL "]\n insteadOf = file://\n[protocol]\n allow = always', FETCH),
    "promisor": (PROMISOR, ("cat-file", "-p", MISSING)),
    "promisor-origin": (
        '[core]\n repositoryformatversion = 1\n[remote "origin"]\n promisor = true\n uploadpack = EVIL',
        ("cat-file", "-p", MISSING),
    ),
    "include": ("[include]\n path = AT/.git/more", FETCH),
    "include-if": ('[includeIf "gitdir:AT/.git"]\n path = AT/.git/more', FETCH),
    "hooks-path": ("[core]\n hooksPath = AT/.git/planted", ("update-ref", "refs/heads/shown", "HEAD")),
    "alternate-refs": ("[core]\n alternateRefsCommand = EVIL", FETCH),
}  # fmt: skip


def plant(folder: Path, text: str, trap: Trap) -> None:
    """A configuration, a file that one may include, hooks under two names, and objects borrowed from elsewhere."""
    if '[remote "origin"]\n url' in text:
        plain(folder, "config", "--unset-all", "remote.origin.url")
    written = text.replace("EVIL", str(trap.program)).replace("AT", str(folder))
    with (folder / ".git/config").open("a") as config:
        config.write(f"{written}\n")
    (folder / ".git/more").write_text(f'[remote "origin"]\n uploadpack = {trap.program}\n')
    for name in ("planted", "hooks"):
        (folder / ".git" / name).mkdir(exist_ok=True)
    if "alternate" in text:
        other = create(folder.parent / "other")
        (folder / ".git/objects/info/alternates").write_text(f"{other}/.git/objects\n")
    if "hooksPath" in text:
        for hook in ("reference-transaction", "post-checkout", "pre-auto-gc"):
            (folder / ".git/planted" / hook).symlink_to(trap.program)


@pytest.mark.attack("git")
@pytest.mark.parametrize(("text", "control"), CONFIGURATIONS.values(), ids=CONFIGURATIONS.keys())
def test_S_01_no_setting_of_the_checkout_runs_a_command(
    text: str, control: tuple[str, ...], clone: Path, origin: Origin, trap: Trap
) -> None:
    plant(clone, text, trap)
    if control:
        plain(clone, *control)
        assert trap.sprung(), "plain git falls into it"
    assert ran_in(clone, origin, trap) == []
    assert Git(clone).blob(origin.merge, "sitemap.xml") == b"change", "and what is here is read all the same"


@pytest.mark.attack("git")
def test_S_01_no_hook_runs(clone: Path, origin: Origin, trap: Trap) -> None:
    hooks = clone / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    (hooks / "reference-transaction").symlink_to(trap.program)
    plain(clone, "update-ref", "refs/heads/shown", "HEAD")
    assert trap.sprung()
    assert ran_in(clone, origin, trap) == []


@pytest.mark.attack("git")
def test_S_01_objects_are_not_borrowed_and_a_lender_runs_nothing(clone: Path, origin: Origin, trap: Trap, tmp_path: Path) -> None:  # fmt: skip
    """git asks a lender for its references, by its own configuration: here a partial clone with a missing commit."""
    lender = create(tmp_path / "lender")
    secret = git(lender, "commit-tree", git(lender, "write-tree"), "-m", "of another repository")
    (lender / ".git/refs/heads/main").write_text(f"{MISSING}\n")
    plant(lender, PROMISOR, trap)
    (clone / ".git/objects/info/alternates").write_text(f"{lender}/.git/objects\n")
    plain(clone, *FETCH)
    trap.sprung()  # as the version of git has it
    assert ran_in(clone, origin, trap) == []
    assert not Git(clone).has(secret)


ENVIRONMENTS = {
    "git-dir": {"GIT_DIR": "TRAPPED"},
    "common-dir": {"GIT_COMMON_DIR": "TRAPPED"},
    "object-directory": {"GIT_OBJECT_DIRECTORY": "TRAPPED/objects"},
    "ssh": {"GIT_SSH_COMMAND": "EVIL", "GIT_SSH": "EVIL"},
    "ask-pass": {"GIT_ASKPASS": "EVIL", "SSH_ASKPASS": "EVIL"},
    "exec-path": {"GIT_EXEC_PATH": "FOLDER"},
    "configuration": {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "remote.origin.uploadpack", "GIT_CONFIG_VALUE_0": "EVIL"},
    "parameters": {"GIT_CONFIG_PARAMETERS": "'remote.origin.uploadpack'='EVIL'"},
    "global": {"GIT_CONFIG_GLOBAL": "TRAPPED/config"},
    "system": {"GIT_CONFIG_SYSTEM": "TRAPPED/config", "GIT_CONFIG_NOSYSTEM": "0"},
    "external-diff": {"GIT_EXTERNAL_DIFF": "EVIL", "GIT_PAGER": "EVIL", "GIT_EDITOR": "EVIL"},
    "protocols": {"GIT_ALLOW_PROTOCOL": "ext:file", "GIT_PROXY_COMMAND": "EVIL"},
    "count-that-is-no-number": {"GIT_CONFIG_COUNT": "x"},
}  # fmt: skip


@pytest.mark.attack("git")
@pytest.mark.parametrize("given", ENVIRONMENTS.values(), ids=ENVIRONMENTS.keys())
def test_S_01_no_variable_of_git_is_inherited(
    given: dict[str, str], clone: Path, origin: Origin, trap: Trap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trapped = create(tmp_path / "trapped")
    plant(trapped, PROMISOR + f'[remote "origin"]\n url = {origin.directory.as_uri()}\n uploadpack = EVIL', trap)
    folder = tmp_path / "programs"
    folder.mkdir()
    for name in ("git", "git-upload-pack", "git-remote-https", "git-index-pack"):
        (folder / name).symlink_to(trap.program)
    named = {"TRAPPED": f"{trapped}/.git", "EVIL": str(trap.program), "FOLDER": str(folder)}
    for name, value in given.items():
        for word, stands_for in named.items():
            value = value.replace(word, stands_for)  # noqa: PLW2901
        monkeypatch.setenv(name, value)
    repository = Git(clone)
    assert repository.top() == clone
    assert repository.commit("HEAD") == origin.merge
    assert repository.fetch(origin.main)
    for name in given:
        monkeypatch.delenv(name)
    assert not trap.sprung()


@pytest.mark.attack("git")
@pytest.mark.parametrize("path", ["", ".", "WORKSPACE", "WORKSPACE/node_modules/.bin", "LINK"])
def test_S_01_no_program_of_the_workspace_is_git(
    path: str, clone: Path, origin: Origin, trap: Trap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (clone / "node_modules/.bin").mkdir(parents=True)
    for folder in (clone, clone / "node_modules/.bin"):
        (folder / "git").symlink_to(trap.program)
    (tmp_path / "link").symlink_to(clone)
    first = path.replace("WORKSPACE", str(clone)).replace("LINK", str(tmp_path / "link"))
    monkeypatch.chdir(clone)
    monkeypatch.setenv("PATH", f"{first}{os.pathsep}{os.environ['PATH']}")
    assert ran_in(clone, origin, trap) == []


def bare(folder: Path, trap: Trap) -> Path:
    """A repository of ordinary files, with a partial clone's configuration and no object: as a commit may hold it."""
    for name in ("objects", "refs"):
        (folder / name).mkdir(parents=True)
        (folder / name / "keep").write_text("")
    (folder / "HEAD").write_text(f"{MISSING}\n")
    (folder / "config").write_text(PROMISOR.replace("EVIL", str(trap.program)))
    plain(folder, "cat-file", "-p", MISSING)
    assert trap.sprung(), "plain git falls into it"
    return folder


@pytest.mark.attack("git")
def test_S_01_a_bare_repository_of_ordinary_files_is_none(trap: Trap, origin: Origin, tmp_path: Path) -> None:
    folder = bare(tmp_path / "workspace/head/e", trap)
    assert ran_in(folder, origin, trap) == []
    assert Git(folder).top() is None


@pytest.mark.attack("git")
def test_S_01_nor_below_a_checkout(trap: Trap, origin: Origin, clone: Path) -> None:
    folder = bare(clone / "head/e", trap)
    assert ran_in(folder, origin, trap) == []
    assert Git(folder).top() == clone


@pytest.mark.attack("git")
@pytest.mark.parametrize("how", ["file", "relative-file", "link", "file-without-end", "two-files"])
def test_S_01_a_git_file_leads_nowhere_unless_it_is_led_back(how: str, trap: Trap, origin: Origin, tmp_path: Path) -> None:  # fmt: skip
    elsewhere, folder = bare(tmp_path / "elsewhere", trap), tmp_path / "workspace"
    folder.mkdir()
    match how:
        case "link":
            (folder / ".git").symlink_to(elsewhere)
        case "two-files":
            (tmp_path / "second").write_text(f"gitdir: {elsewhere}\n")
            (folder / ".git").write_text(f"gitdir: {tmp_path}/second\n")
        case _:
            name = "../elsewhere" if how == "relative-file" else str(elsewhere)
            (folder / ".git").write_text(f"gitdir: {name}" + ("" if how.endswith("end") else "\n"))
    assert ran_in(folder, origin, trap) == []
    assert Git(folder).top() is None
    assert str(folder / ".git") in Git(folder).refusal()


@pytest.mark.attack("git")
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="root alone gives a file to another user")
@pytest.mark.parametrize("whose", ["all", "entry"])
def test_S_01_a_repository_of_another_owner_above_the_workspace(whose: str, trap: Trap, clone: Path, origin: Origin) -> None:  # fmt: skip
    workspace = clone / "a/b"
    workspace.mkdir(parents=True)
    plant(clone, PROMISOR, trap)
    for path in (clone, clone / ".git") if whose == "all" else (clone / ".git",):
        os.chown(path, 12345, 12345)
    assert ran_in(workspace, origin, trap) == []
    assert Git(workspace).top() is None
    assert "belongs to another user" in Git(workspace).refusal()


@pytest.mark.attack("git")
@pytest.mark.parametrize(("variable", "found"), [("", True), ("a", False), ("a/b", False), (".", True), ("../x", True)])
def test_S_01_nothing_above_the_workspace_of_the_runner_counts(
    variable: str, found: bool, clone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    (clone / "a/b").mkdir(parents=True)
    monkeypatch.setenv("GITHUB_WORKSPACE", str(clone / variable) if variable else "")
    assert (Git(clone / "a/b").top() is not None) is found


@pytest.mark.attack("git")
@pytest.mark.parametrize("sitemap", ["head/e/sitemap.xml", "link/sitemap.xml"])
def test_S_01_the_path_of_a_sitemap_starts_no_git(sitemap: str, trap: Trap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    """A workspace that holds checkouts: the config of the pull request says in which of them git looks."""
    workspace = tmp_path / "workspace"
    bare(workspace / "head/e", trap)
    outside = checkout(pull_request(tmp_path / "origin", {}, {}).directory, "main", tmp_path / "outside")
    plant(outside, PROMISOR, trap)
    (workspace / "link").symlink_to(outside)
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"number": 1, "pull_request": {"base": {"ref": "main", "sha": MISSING}}}))
    for name, value in {"GITHUB_EVENT_NAME": "pull_request", "GITHUB_EVENT_PATH": str(event), "GITHUB_SHA": MISSING}.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    (workspace / "site").mkdir()
    (workspace / "site/index.html").write_text("<!doctype html><title>A</title>")
    monkeypatch.chdir(workspace)
    assert run(["check", "--path", "site", "--site-url", "https://www.example.com/", "--sitemap", sitemap]) == 2
    assert not trap.sprung()


# what plays git writes down its environment and arguments; the last row is a fetch
@pytest.mark.attack("secrets")
@pytest.mark.parametrize("command", ["commit", "blob", "has", "merge base", "shallow", "fetch"])
def test_S_01_no_secret_is_in_the_environment_of_git(
    command: str, clone: Path, origin: Origin, trap: Trap, tmp_path: Path
) -> None:
    git(clone, "config", "http.https://github.com/.extraheader", "AUTHORIZATION: basic s3cret-persisted")
    git(clone, "remote", "set-url", "origin", "https://user:s3cret-url@github.com/example/site")
    programs, seen = tmp_path / "programs", tmp_path / "seen"
    programs.mkdir()
    (programs / "git").write_text(f'#!/bin/sh\n{{ env; echo "$@"; }} >> {seen}\nexec {git_program()} "$@"\n')
    (programs / "git").chmod(0o755)
    given = {**os.environ, **SECRETS, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "HTTPS_PROXY": "http://127.0.0.1:9"}  # fmt: skip
    with suppress(BaselineError):
        commands(origin)[command](Git(clone, given))
    text = seen.read_text()
    assert "GIT_DIR=" in text
    assert "s3cret" not in text
    assert not {line.partition("=")[0] for line in text.splitlines()} & (SECRETS.keys() | {"GITHUB_WORKSPACE"})
    assert ("HTTPS_PROXY" in text) is (command == "fetch")


def git_program() -> str:
    return subprocess.run(["sh", "-c", "command -v git"], check=True, capture_output=True, text=True).stdout.strip()


# What a repository's own user has, and what goes on working.


def test_S_01_a_work_tree_of_the_user_is_one(origin: Origin, tmp_path: Path) -> None:
    git(origin.directory, "worktree", "add", "-q", str(tmp_path / "tree"), "topic")
    (tmp_path / "tree/www").mkdir()
    repository = Git(tmp_path / "tree/www")
    assert repository.top() == tmp_path / "tree"
    assert repository.commit("HEAD") == origin.head
    assert repository.blob(origin.main, "sitemap.xml") == b"base"


def test_S_01_a_submodule_is_a_repository(origin: Origin, tmp_path: Path) -> None:
    above = create(tmp_path / "above")
    git(above, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(origin.directory), "site")
    assert Git(above / "site").top() == above / "site"
    assert Git(above / "site").commit("HEAD") == origin.main


@pytest.mark.parametrize("depth", [[], ["--depth=1"]])
def test_S_01_a_partial_clone_gets_its_files_where_a_run_fetches(depth: list[str], origin: Origin, tmp_path: Path) -> None:  # fmt: skip
    """Of its own commit and of one that is fetched; a remote that is a command is not started for it."""
    for name in ("allowFilter", "allowAnySHA1InWant"):
        git(origin.directory, "config", f"uploadpack.{name}", "true")
    git(origin.directory, "checkout", "-q", "--detach")
    partial = tmp_path / "partial"
    more = ["--no-checkout", "--filter=blob:none", "--branch=topic", "--single-branch", *depth]
    git(tmp_path, "clone", "-q", *more, origin.directory.as_uri(), str(partial))
    assert Git(partial).blob(origin.head, "sitemap.xml") == b"change"
    assert Git(partial).fetch(origin.main)
    assert Git(partial).blob(origin.main, "other") == b"later"
    assert git(partial, "fsck", "--connectivity-only", "--no-dangling") == ""
    assert Git(partial).shallow() is bool(depth)


def test_S_01_what_is_fetched_stays_sound(clone: Path, origin: Origin) -> None:
    assert Git(clone).fetch(origin.main)
    assert git(clone, "fsck", "--connectivity-only", "--no-dangling") == ""
    assert git(clone, "rev-list", origin.main) == origin.main, "its history is cut off, and git knows"


@pytest.mark.parametrize("kept", ["in the configuration", "beside it"])
def test_S_01_credentials_of_actions_checkout_are_used(kept: str, clone: Path, tmp_path: Path) -> None:
    """Version 6 keeps them in a file that is included for this repository; what else that file says is not read."""
    key, value = "http.https://github.com/.extraheader", "AUTHORIZATION: basic abc=="
    if kept == "beside it":
        beside = tmp_path / "credentials.config"
        git(clone, "config", "--file", str(beside), key, value)
        git(clone, "config", "--file", str(beside), "http.proxy", "http://evil.example")
        git(clone, "config", f"includeIf.gitdir:{clone}/.git.path", str(beside))
    else:
        git(clone, "config", key, value)
        git(clone, "config", "http.sslVerify", "false")
        git(clone, "config", "http.extraheader", "for everybody")
    found = Git(clone)._git_directory
    assert found is not None
    network = dict(found.network_settings())
    assert network == {key: value, "remote.origin.url": (tmp_path / "origin").as_uri()}


def test_S_01_how_this_machine_reaches_the_web_is_its_own_to_say(clone: Path, tmp_path: Path) -> None:
    """A company's proxy and authority stand in the user's configuration; the commands there are not ours to start."""
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(
        "[http]\n proxy = http://127.0.0.1:3128\n sslCAInfo = /etc/ca.pem\n sslVerify = false\n"
        "[core]\n sshCommand = x\n[credential]\n helper = x\n"
    )
    found = Git(clone, {**os.environ, "HOME": str(home)})._git_directory
    assert found is not None
    said = {key: value for key, value in found.network_settings() if key != "remote.origin.url"}
    assert said.items() >= {"http.proxy": "http://127.0.0.1:3128", "http.sslcainfo": "/etc/ca.pem"}.items()
    assert not {"http.sslverify", "core.sshcommand", "credential.helper"} & said.keys()


def test_S_01_nothing_is_left_behind(clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    repository = Git(clone)
    assert repository.commit("HEAD")
    assert len(list(folder.iterdir())) == 1
    del repository
    assert list(folder.iterdir()) == []
