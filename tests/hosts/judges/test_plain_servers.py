"""Web servers that run here judge the profiles whose rows of the host table they share: HOST-01, HOST-02, HOST-11.

nginx judges `nginx` and `nginx-clean` with the two configurations of docs/hosts.md, and Python's server `generic`. sirv
serves every spelling, as `render` and `netlify-plain` do. `serve` applies `cleanUrls` and `trailingSlash` as `vercel` does.
GitHub Pages, S3 and Render have no server that runs here: for them there is the table of `tests/hosts/test_tables.py`.
"""

import json
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

import awkward_build
from awkward_build import FILES
from children import free_port, running
from host_builds import served
from host_judges import Answer, Expected, asked, claimed, ends, module, unexpected, unserved
from sitemap_action.hosts.base import Host
from test_deployed_folder import nginx

ROOT = Path(__file__).parents[3]
PATHS = awkward_build.spellings()
NGINX, NGINX_CLEAN = re.findall(r"```nginx\n(.*)\n```", (ROOT / "docs/hosts.md").read_text())

TWINS = frozenset({"both/index.html", "index/index.html"})  # HOST-03: the page of the same name answers
NO_PAGE = "a folder without an index is no page, whichever status says so"
_FOLDERS = r"/(\.well-known|Mixed|bare|caps|deep(/a(/b)?)?|half|legacy)"
_ROUTES = "Vercel's own routes (test_vercel.py) take off .html, /index and the slash behind them"


@contextmanager
def python_server(folder: Path) -> Iterator[str]:
    port = free_port()
    command = [sys.executable, "-m", "http.server", "--bind", "127.0.0.1", "--directory", str(folder), str(port)]
    with running(command, port, folder) as url:
        yield url


@contextmanager
def sirv(folder: Path) -> Iterator[str]:
    port = free_port()
    command = ["node", module("sirv-cli/bin.js"), str(folder), "--host", "127.0.0.1", "--port", str(port), "--dotfiles"]
    with running(command, port, folder) as url:
        yield url


@contextmanager
def serve(folder: Path, settings: Mapping[str, bool]) -> Iterator[str]:
    port, config = free_port(), folder.with_name("serve.json")
    config.write_text(json.dumps({**settings, "directoryListing": False}))
    command = ["node", module("serve/build/main.js"), str(folder), "--config", str(config), "--no-request-logging"]
    with running([*command, "--no-port-switching", "--listen", f"tcp://127.0.0.1:{port}"], port, folder) as url:
        yield url


@pytest.fixture
def build(tmp_path: Path) -> Path:
    return awkward_build.write(tmp_path / "site")


def judged(
    host: Host, theirs: Mapping[str, Answer], expected: tuple[Expected, ...], hidden: frozenset[str] = frozenset()
) -> None:
    """`hidden`: files that no listed URL shows."""
    assert unexpected(theirs, claimed(host, theirs), expected) == []
    assert unserved(host, FILES, theirs) == hidden


@pytest.mark.parametrize("profile", ["nginx", "generic"])
def test_nginx(profile: str, build: Path, tmp_path: Path) -> None:
    with nginx(tmp_path, build, NGINX) as url:
        theirs = asked(url, PATHS)
    expected = (
        Expected(_FOLDERS, "permanent .*/", "404", NO_PAGE),
        Expected(_FOLDERS + "/", "403", "404", NO_PAGE),
    )
    judged(served(profile, {}, FILES).host, theirs, expected)


def test_nginx_clean(build: Path, tmp_path: Path) -> None:
    with nginx(tmp_path, build, NGINX_CLEAN) as url:
        theirs = asked(url, PATHS)
    judged(served("nginx-clean", {}, FILES).host, theirs, ())


def test_python(build: Path) -> None:
    """It lists the files of a folder without an index."""
    with python_server(build) as url:
        theirs = asked(url, PATHS)
    expected = (
        Expected(_FOLDERS, "permanent .*/", "404", NO_PAGE),
        Expected(_FOLDERS + "/", "200", "404", NO_PAGE),
        Expected("/legacy/", "200 /legacy/index.htm", "404", "V-28: index.htm is an index here, and on few servers"),
    )
    judged(served("generic", {}, FILES).host, theirs, expected)


@pytest.mark.parametrize("profile", ["render", "netlify-plain"])
def test_sirv(profile: str, build: Path) -> None:
    with sirv(build) as url:
        theirs = asked(url, PATHS)
    expected = (
        Expected(
            ".*%(23|2B|2F|3F|40).*", "404", "200 .*", "sirv keeps the escapes of characters with a meaning in URLs"
        ),
        Expected("/(legacy|old).*", r"200 .*\.htm", "404", "V-28: a suffix .htm that is left out, as on few servers"),
        Expected(r"/(.*\.\w+|license)/", "200 .*", "404", "sirv ignores a final slash after the name of any file"),
        Expected("/plain/", "200 /plain", "200 /plain.html", "sirv ignores a final slash after the name of any file"),
    )
    judged(served(profile, {}, FILES).host, theirs, expected, TWINS | {"what?.html", "no#1.html"})


@pytest.mark.parametrize("slash", [None, False, True])
def test_serve(slash: bool | None, build: Path) -> None:
    """Where each path ends: this server takes other hops, and knows folders only with cleanUrls."""
    settings = {"cleanUrls": True} | ({} if slash is None else {"trailingSlash": slash})
    host = served("vercel", {"vercel.json": json.dumps(settings)}, FILES).host
    with serve(build, settings) as url:
        theirs = ends(lambda paths: asked(url, paths), PATHS)
    ours = ends(lambda paths: claimed(host, paths), PATHS)
    plain = Expected("/plain.*", "200 /plain.html", "200 /plain", "HOST-03: a file without a suffix beside a page")
    expected = (
        Expected("/both.*", "200 /both/index.html", "200 /both.html", "HOST-03: hosts disagree"),
        Expected(r"/v1\.3.*", "404", "200 .*", "serve takes the name of a folder with a dot for that of a file"),
        Expected(".*(%23|%3F).*", "404", "200 .*", "serve does not escape # and ? where it redirects"),
        Expected(r"/(dir\.html|index)/.*", ".*", "404|200 /index.html", _ROUTES),
        *([] if slash else [plain]),
        *([] if slash is False else [Expected(r".*(\.\w+|/index)/", "404", "200 .*", _ROUTES)]),
    )
    assert unexpected(theirs, ours, expected) == []
