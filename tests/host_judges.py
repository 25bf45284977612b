"""Servers that serve a build as a host does, asked on loopback, and what a profile of `hosts/` claims for the same paths."""

import http.client
import json
import os
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

import pytest

import awkward_build
from sitemap_action.hosts.base import Host, HostResponse, why_unlisted
from sitemap_action.hosts.page_spellings import encoded_path
from sitemap_action.hosts.routes import location
from sitemap_action.web.urls import normalize

MODULES = Path(__file__).parents[1] / "build/judges/node_modules"
_PERMANENT = {301, 308}
_ORIGIN = "http://127.0.0.1"


class Answer(NamedTuple):
    """What becomes of one path: `200` with a file, a redirect with its target, or another status."""

    kind: str
    what: str = ""

    @property
    def redirects(self) -> bool:
        return self.kind in {"permanent", "temporary"}

    def __str__(self) -> str:
        return f"{self.kind} {self.what}".rstrip()


def module(path: str) -> str:
    """A file of a package from npm, or a skipped test."""
    if not (MODULES.parent / ".lock").exists():
        pytest.skip("the servers of tests/hosts/judges are not installed: run `make judges`, which needs npm")
    return str(MODULES / path)


def node(script: str, question: object) -> dict[str, Any]:
    """What a script of tests/hosts/judges, which asks the code of a vendor, says to a question."""
    command = ["node", str(Path(__file__).parent / "hosts/judges" / script)]
    environment = os.environ | {"NODE_PATH": module("")}
    text = json.dumps(question)
    answer = subprocess.run(command, input=text, env=environment, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    return dict(json.loads(answer.stdout))


def asked(url: str, paths: Iterable[str]) -> dict[str, Answer]:
    """What the server at this address answers for each path, without following a redirect."""
    return {
        path: answer(path, response.status, _target(url, response), awkward_build.named(body))
        for path, response, body in _responses(url, paths)
    }


def _target(url: str, response: http.client.HTTPResponse) -> str:
    """Some servers name themselves in a Location."""
    target = response.headers.get("Location", "")
    return target.removeprefix(url.removesuffix("/")) if target.startswith(url) else target


def robots_tags(url: str, paths: Iterable[str]) -> dict[str, str]:
    """The `X-Robots-Tag` that the server at this address sends with each path."""
    return {
        path: ", ".join(response.headers.get_all("X-Robots-Tag", [])) for path, response, _ in _responses(url, paths)
    }


def _responses(url: str, paths: Iterable[str]) -> Iterator[tuple[str, http.client.HTTPResponse, bytes]]:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=30)
    for path in paths:
        connection.putrequest("GET", path, skip_accept_encoding=True)
        connection.putheader("Accept", "text/html")
        connection.endheaders()
        response = connection.getresponse()
        yield path, response, response.read()
    connection.close()


def claimed(host: Host, paths: Iterable[str]) -> dict[str, Answer]:
    """What the profile says for each path."""
    return {path: _claim(path, host.answer(normalize(_ORIGIN + path).removeprefix(_ORIGIN))) for path in paths}


def _claim(path: str, response: HostResponse) -> Answer:
    return answer(path, response.status, response.location, encoded_path(response.file))


def answer(path: str, status: int, target: str, file: str) -> Answer:
    if status == 200:
        return Answer("200", file)
    if 300 <= status < 400:
        return Answer("permanent" if status in _PERMANENT else "temporary", _resolved(path, target))
    return Answer(str(status))


def _resolved(path: str, target: str) -> str:
    """As a browser goes there: a path of the same site, or an address."""
    found = location(urljoin(_ORIGIN + path, target))
    return found.removeprefix(_ORIGIN) if found.startswith(f"{_ORIGIN}/") else found


def ends(ask: Callable[[list[str]], Mapping[str, Answer]], paths: Iterable[str]) -> dict[str, Answer]:
    """What each path leads to, over up to five redirects of the same site."""
    at = {path: path for path in paths}
    found: dict[str, Answer] = {}
    for _ in range(6):
        answers = ask(sorted({at[path] for path in at if path not in found or found[path].redirects}))
        found |= {path: answers[at[path]] for path in at if at[path] in answers}
        at |= {path: answer.what for path, answer in found.items() if answer.redirects and answer.what.startswith("/")}
    return found


class Expected(NamedTuple):
    """Paths for which the server and the profile differ, and why that is right. Patterns match whole texts."""

    paths: str
    theirs: str
    ours: str
    why: str


def unexpected(
    theirs: Mapping[str, Answer], ours: Mapping[str, Answer], expected: Iterable[Expected] = ()
) -> list[str]:
    """Differences that no row explains, and rows that explain none."""
    found, rows = [], dict.fromkeys(expected, 0)
    for path in theirs:
        answers = str(theirs[path]), str(ours[path])
        row = next((row for row in rows if _explains(row, path, *answers)), None)
        if answers[0] != answers[1] and row:
            rows[row] += 1
        elif answers[0] != answers[1]:
            found.append(f"{path}: {answers[0]}, and the profile says {answers[1]}")
    return found + [f"a row without a difference: {row}" for row, count in rows.items() if not count]


def _explains(row: Expected, path: str, theirs: str, ours: str) -> bool:
    columns = zip((row.paths, row.theirs, row.ours), (path, theirs, ours), strict=True)
    return all(re.fullmatch(pattern, text) for pattern, text in columns)


def paths_of(host: Host, files: Sequence[str]) -> list[str]:
    """Every spelling of every file, and its listed URL."""
    return sorted({*awkward_build.spellings(files), *map(host.address, files)})


def unserved(host: Host, files: Iterable[str], theirs: Mapping[str, Answer]) -> set[str]:
    """Files whose listed URL does not show them, in the server or by the profile."""
    found = set()
    for file in files:
        shown = Answer("200", encoded_path(file))
        path = host.address(file)
        if not why_unlisted(file) and (theirs[path] != shown or claimed(host, [path])[path] != shown):
            found.add(file)
    return found
