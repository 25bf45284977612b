"""The deploy witness before servers that serve a build: each harm is found, and nothing else is (WIT-01…03)."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import pytest

from children import free_port, running
from deployments import HARMLESS, HARMS, MISSING, Harm, edge, in_place_of, rules, stand_before, witness, write_build
from examples import PERCENT
from host_judges import module
from servers import Reply, Site, redirect
from test_deployed_folder import nginx

from .test_cloudflare import QUIET, wrangler
from .test_firebase import serve_folder as superstatic
from .test_plain_servers import NGINX, serve, sirv


class Server(NamedTuple):
    host: str  # source.host
    start: Callable[[Path], AbstractContextManager[str]]
    rules: Mapping[str, str] = MappingProxyType({})  # file of the build with the rules of its host


@contextmanager
def azure(folder: Path) -> Iterator[str]:
    port = free_port()
    command = ["node", module("@azure/static-web-apps-cli/dist/cli/bin.js"), "start", folder.name]
    with running([*command, "--host", "127.0.0.1", "--port", str(port)], port, folder.parent, QUIET) as url:
        yield url


ROUTES = {
    "routes": [{"route": "/way", "redirect": "/about/", "statusCode": 301}],
    "responseOverrides": {"404": {"rewrite": "/404.html"}},
}
HOSTING = {"redirects": [{"source": "/way", "destination": "/about/", "type": 301}]}
SERVERS = {
    "nginx": Server("nginx", lambda build: nginx(build.parent, build, NGINX)),
    "wrangler": Server(
        "cloudflare-pages",
        lambda build: wrangler(build.parent, ["pages", "dev", build.name]),
        {"_redirects": "/way /about/ 301\n"},
    ),
    "Azure's emulator": Server("azure-swa", azure, {"staticwebapp.config.json": json.dumps(ROUTES)}),
    "superstatic": Server(
        "firebase",
        lambda build: superstatic(build, HOSTING),
        {"firebase.json": json.dumps({"hosting": HOSTING})},
    ),
    "serve": Server("generic", lambda build: serve(build, {"cleanUrls": True, "trailingSlash": True})),
    "sirv": Server("render", sirv),
}
OF_RULES = {
    "a rule lost": Harm(in_place_of("/way", lambda *_: Reply(MISSING, 404)), "WIT-02", "a redirect of the build"),
    "a rule made temporary": Harm(
        in_place_of("/way", lambda site, _: redirect(f"{site}about/", 302)), "WIT-02", "redirects with 302"
    ),
}


class Deployed(NamedTuple):
    server: Server
    build: Path
    behind: str
    site: Site


@contextmanager
def deploy(server: Server, folder: Path) -> Iterator[Deployed]:
    with edge() as site:
        build = write_build(folder / "site", site.url)
        for name, text in server.rules.items():
            (build / name).write_text(text)
        with server.start(build) as behind:
            yield Deployed(server, build, behind, site)


@pytest.fixture(scope="module")
def deployed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Deployed]]:
    """Starts a server when the first test asks for it: some take seconds."""
    with ExitStack() as stack:
        yield cache(lambda name: stack.enter_context(deploy(SERVERS[name], tmp_path_factory.mktemp("deployed"))))


CHANGES = [*OF_RULES, *HARMLESS, *HARMS]
# Every change before the first server, and a part of them before each other one; at night all.
PAIRS = [
    pytest.param(server, name, marks=pytest.mark.xdist_group(f"witness {server}"))  # one process starts it
    for skipped, server in enumerate(SERVERS)
    for place, name in enumerate(CHANGES)
    if (SERVERS[server].rules if name in OF_RULES else not skipped or PERCENT == 100 or (place + skipped) % 4 == 0)
]


@pytest.mark.parametrize(("server", "name"), PAIRS)
def test_a_change_between_build_and_visitor(
    deployed: Callable[[str], Deployed], server: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = deployed(server)
    monkeypatch.chdir(at.build.parent)  # where no repository is read
    harm = (HARMS | OF_RULES).get(name)
    stand_before(at.site, at.behind, harm.change if harm else HARMLESS[name])
    code, report = witness(at.build, at.site.url, "--set", f"source.host={at.server.host}")
    found = rules(report)
    if harm is None:
        assert (code, found) == (0, {})
    else:
        assert harm.says in found.get(harm.rule, ""), found
        assert (code, report["result"]) == (harm.code, "drift" if harm.code else "in-sync")
