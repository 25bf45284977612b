"""The deploy witness before servers that serve a build: each harm is found, and nothing else is (WIT-01…03)."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import pytest

from deployments import HARMLESS, HARMS, MISSING, Harm, edge, in_place_of, rules, stand_before, witness, write_build
from examples import PERCENT
from host_judges import free_port, module, running
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


@pytest.fixture(scope="module")
def deployed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployed]:
    server = SERVERS[request.param]
    with edge() as site:
        build = write_build(tmp_path_factory.mktemp("deployed") / "site", site.url)
        for name, text in server.rules.items():
            (build / name).write_text(text)
        with server.start(build) as behind:
            yield Deployed(server, build, behind, site)


CHANGES = [*OF_RULES, *HARMLESS, *HARMS]
# Every change before the first server, and a part of them before each other one; at night all.
PAIRS = [
    (server, name)
    for skipped, server in enumerate(SERVERS)
    for place, name in enumerate(CHANGES)
    if not skipped or name in OF_RULES or PERCENT == 100 or (place + skipped) % 4 == 0
]


@pytest.mark.parametrize(("deployed", "name"), PAIRS, indirect=["deployed"])
def test_a_change_between_build_and_visitor(deployed: Deployed, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(deployed.build.parent)  # where no repository is read
    harm = (HARMS | OF_RULES).get(name)
    if name in OF_RULES and not deployed.server.rules:
        return  # no rule is to be lost
    stand_before(deployed.site, deployed.behind, harm.change if harm else HARMLESS[name])
    code, report = witness(deployed.build, deployed.site.url, "--set", f"source.host={deployed.server.host}")
    found = rules(report)
    if harm is None:
        assert (code, found) == (0, {})
    else:
        assert harm.says in found.get(harm.rule, ""), found
        assert (code, report["result"]) == (harm.code, "drift" if harm.code else "in-sync")
