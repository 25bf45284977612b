"""A job of a workflow: a checkout of a repository on a loopback GitHub, the event, the inputs, and the action's run."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from forge.hub import Hub
from forge.repository import Repository
from forge.tokens import Token
from repositories import create
from runner_model import outputs
from sitemap_action.__main__ import run

SITE, SITEMAP = "https://www.example.com/", "public/sitemap.xml"
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def urlset(*names: str) -> str:
    rows = "".join(f"<url><loc>{SITE}{name}{'/' if name else ''}</loc></url>\n" for name in names)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {NAMESPACE}>\n{rows}</urlset>\n'


def build(*names: str) -> dict[str, str]:
    """A built site; its home page, which links to the others, is always there."""
    links = "".join(f'<a href="/{name}/">{name}</a>' for name in names)
    page = "<!doctype html><title>{0}</title><h1>{0}</h1><p>{1}</p>"
    return {f"dist/{name}/index.html".replace("//", "/"): page.format(name or "home", links) for name in ("", *names)}


def listed(site: Repository, at: str = "main", path: str = SITEMAP) -> list[str]:
    """The names of the pages in a sitemap of a branch."""
    content = site.read(path, at) or b""
    return [url.removeprefix(SITE).strip("/") for url in re.findall("<loc>(.*?)</loc>", content.decode())]


def request_event(site: Repository, number: int) -> dict[str, Any]:
    """The payload of an event of a pull request from `topic` into `main`."""
    sides = {"head": "topic", "base": "main"}.items()
    shown = {side: {"ref": ref, "sha": site.head(ref), "repo": {"full_name": site.full_name}} for side, ref in sides}
    return {"number": number, "pull_request": shown}


@dataclass
class Ended:
    code: int
    outputs: dict[str, str]
    log: str
    summary: str
    report: dict[str, Any] = field(default_factory=dict)


@dataclass
class Job:
    """What a workflow gives a step; the event is a push unless a test says otherwise."""

    hub: Hub
    site: Repository
    folder: Path
    monkeypatch: pytest.MonkeyPatch
    capfd: pytest.CaptureFixture[str]

    def checkout(self, commit: str = "", *, depth: int = 1, detached: bool = True, path: str = "") -> Path:
        """As actions/checkout leaves it, with `persist-credentials: false`; `path`: its input of that name."""
        place = self.folder / "workspace" / path
        commit = commit or self.site.head()
        create(place)
        _git(place, "remote", "add", "origin", str(self.site.directory))
        _git(place, "fetch", "-q", f"--depth={depth}", "origin", commit)
        _git(place, "checkout", "-q", *(["--detach"] if detached else ["-B", "main"]), commit)
        return place

    def run(
        self,
        token: Token,
        files: Mapping[str, str],
        *,
        event: str = "push",
        payload: Mapping[str, object] | None = None,
        environment: Mapping[str, str] | None = None,
        apart: bool = False,
        **inputs: str,
    ) -> Ended:
        """`files`: what an earlier step built in the work tree; `apart`: two processes read and publish."""
        place = self.folder / "workspace"
        place.mkdir(exist_ok=True)
        shutil.rmtree(place / "dist", ignore_errors=True)
        for name, content in files.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_text(content)
        for name in ("output", "summary"):
            (self.folder / name).unlink(missing_ok=True)
        (self.folder / "event.json").write_text(json.dumps(payload or {}))
        given = {"mode": "commit", "path": "dist", "site-url": SITE, "sitemap": SITEMAP} | {
            name.replace("_", "-"): value for name, value in inputs.items()
        }
        variables = {
            "GITHUB_ACTIONS": "true",
            "GITHUB_OUTPUT": str(self.folder / "output"),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary"),
            "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": str(self.folder / "event.json"),
            "GITHUB_SHA": self.site.head(),
            "GITHUB_REF_TYPE": "branch",
            "GITHUB_REF_NAME": "main",
            **self.hub.environment(token, self.site),
            **{f"INPUT_{name.upper()}": value for name, value in given.items()},
            **(environment or {}),
        }
        with self.monkeypatch.context() as patched:
            for name in [name for name in os.environ if name.startswith("INPUT_")]:
                patched.delenv(name)
            for name, value in variables.items():
                patched.setenv(name, value)
            patched.chdir(place)
            code = _run_apart() if apart else run(["run"])
        printed = self.capfd.readouterr()
        return Ended(
            code=code,
            outputs=outputs(_text(self.folder / "output")),
            log=printed.out + printed.err,
            summary=_text(self.folder / "summary"),
            report=json.loads(_text(place / ".sitemap-action/report.json") or "{}"),
        )


def _run_apart() -> int:
    """As `action/start.sh` joins them; the reader has no token."""
    here, there = socket.socketpair()
    variables = {name: value for name, value in os.environ.items() if name != "INPUT_TOKEN"}
    command = [sys.executable, "-m", "sitemap_action", "run", "--as"]
    with subprocess.Popen([*command, "reader"], stdin=there, stdout=there, env=variables) as reader:
        there.close()
        published = subprocess.run([*command, "publisher"], stdin=here, stdout=here, check=False).returncode
        here.close()
        return reader.wait(60) or published


def _git(place: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(place), *arguments], check=True, capture_output=True)


def _text(file: Path) -> str:
    return file.read_text() if file.exists() else ""
