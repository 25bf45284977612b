"""Git pushes of ours over smart HTTP: the server, the remote, and a process that commits and may be killed."""

import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from forge.git_server import git_server
from forge.hub import Hub
from sitemap_action.model.context import Forge
from sitemap_action.repo.push import GitRemote

SITE, TOKEN = "octo-org/site", "ghs_forge"
PREFIX = "sitemap-action-push-"

# Sets a file to one content after the other, from wherever the branch is: by commits alone,
COMMITS = """
import os, sys
from sitemap_action.model.context import Forge
from sitemap_action.model.step import FileChange
from sitemap_action.repo.push import GitRemote
from sitemap_action.repo.failures import TransientError
from sitemap_action.publish.forge import blob_ids

path, contents = sys.argv[1], sys.argv[2:]
forge = Forge(api="", repository="octo-org/site", token=os.environ["TOKEN"], server=os.environ["SERVER"])
with GitRemote(forge) as remote:
    for content in contents:
        changes = [FileChange(path, content.encode())]
        while True:
            try:
                head = remote.head("main")
                if remote.blob_ids(head, [path]) != blob_ids(changes):
                    print(remote.commit("main", head, f"Set {content}", changes), flush=True)
                break
            except TransientError as error:
                print(type(error).__name__, error, file=sys.stderr, flush=True)
"""

# and as a mode publishes, where files that changed meanwhile are judged again.
PUBLISHES = """
import os, sys
from sitemap_action.model.context import Forge
from sitemap_action.model.step import CommitFiles, CommitMethod, Counts, FileChange, Publishing
from sitemap_action.publish.forge import commit_files
from sitemap_action.repo.push import GitRemote

path, contents = sys.argv[1], sys.argv[2:]
forge = Forge(api="", repository="octo-org/site", token=os.environ["TOKEN"], server=os.environ["SERVER"])
with GitRemote(forge) as remote:
    at = remote.head("main")
for content in contents:
    while True:
        changes = (FileChange(path, content.encode()),)
        step = CommitFiles(branch="main", expected=at, counts=Counts(1, 0, 0), source="", changes=changes)
        how = Publishing(branch="main", message=f"Set {content}", method=CommitMethod.GIT)
        found = commit_files(step, how, forge, pause=lambda _: None)
        at = found.moved or found.commit
        if not found.moved:
            print(at, flush=True)
            break
        print("StaleBranchError", file=sys.stderr, flush=True)
"""


@contextmanager
def git_hub(folder: Path) -> Iterator[Hub]:
    """A server of git alone, with one site and a token that may write."""
    hub = Hub(folder)
    with git_server(hub):
        hub.repository(SITE, private=True)
        hub.token(TOKEN)
        yield hub


def forge(hub: Hub, *, token: str = TOKEN, repository: str = SITE) -> Forge:
    return Forge(api="", repository=repository, token=token, server=hub.server_url)


def remote(hub: Hub, *, token: str = TOKEN, repository: str = SITE) -> GitRemote:
    return GitRemote(forge(hub, token=token, repository=repository))


def start(
    hub: Hub,
    path: str,
    *contents: str,
    program: str = COMMITS,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> "subprocess.Popen[str]":
    environment = {**os.environ, "TOKEN": TOKEN, "SERVER": hub.server_url, **(env or {})}
    command = [sys.executable, "-c", program, path, *contents]
    return subprocess.Popen(
        command, cwd=cwd, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def wrapped_git(folder: Path, script: str) -> str:
    """A PATH whose `git` is this shell script; the real one is `$GIT`, its first word that is no option `$name`."""
    real = shutil.which("git")
    folder.mkdir(exist_ok=True)
    git = folder / "git"
    find = 'for name; do case "$name" in -c) skip=1;; -*) ;; *) [ "$skip" ] && skip= || break;; esac; done'
    git.write_text(f'#!/bin/sh\nGIT={real}\n{find}\n{script}\nexec "$GIT" "$@"\n')
    git.chmod(git.stat().st_mode | stat.S_IXUSR)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


def kill_after(step: str, number: signal.Signals) -> str:
    """Of a wrapped git: the process that started this command is killed when the command has been carried out."""
    return f'if [ "$name" = {step} ]; then "$GIT" "$@"; kill -{number.value} "$PPID"; exit 0; fi'


def left_over() -> list[str]:
    return [path.name for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*")]
