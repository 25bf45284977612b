"""Git pushes of ours over smart HTTP: the branches of a GitHub on loopback, and a process that commits and may be killed."""

import os
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from forge.hub import Hub
from sitemap_action.model.context import Forge
from sitemap_action.model.step import CommitMethod
from sitemap_action.publish.forge import writable_branches
from sitemap_action.repo.github import GitHubCommits

SITE, TOKEN = "octo-org/site", "ghs_forge"

# Sets a file to one content after the other, as a mode publishes: where it changed meanwhile, it is judged again.
PROGRAM = """
import os, sys
from sitemap_action.model.context import Forge
from sitemap_action.model.step import CommitFiles, CommitMethod, Counts, FileChange, SiteMark, Publishing
from sitemap_action.publish.forge import commit_files, writable_branches
from sitemap_action.repo import github_api

github_api.FIRST = 0.01
path, contents = sys.argv[1], sys.argv[2:]
forge = Forge(os.environ["API"], "octo-org/site", os.environ["TOKEN"], os.environ["GRAPHQL"], os.environ["SERVER"])
at = writable_branches(CommitMethod.GIT, forge).head("main")
for content in contents:
    while True:
        changes = (FileChange(path, content.encode()),)
        step = CommitFiles(branch="main", expected=at, counts=Counts(1, 0, 0), mark=SiteMark("https://www.example.com/", "sitemap.xml"), changes=changes)
        how = Publishing(branch="main", message=f"Set {content}", method=CommitMethod.GIT)
        found = commit_files(step, how, forge)
        at = found.moved or found.commit
        if not found.moved:
            print(at, flush=True)
            break
        print("moved", file=sys.stderr, flush=True)
"""


def branches(hub: Hub, *, token: str = TOKEN, repository: str = SITE, server: str | None = None) -> GitHubCommits:
    """The branches of a repository, as they are written to by git."""
    server = hub.server_url if server is None else server
    return writable_branches(CommitMethod.GIT, Forge(hub.api_url, repository, token, hub.graphql_url, server))


def start(hub: Hub, path: str, *contents: str, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> "subprocess.Popen[str]":  # fmt: skip
    places = {"TOKEN": TOKEN, "SERVER": hub.server_url, "API": hub.api_url, "GRAPHQL": hub.graphql_url}
    command = [sys.executable, "-c", PROGRAM, path, *contents]
    environment = {**os.environ, **places, **(env or {})}
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
