"""HOST-01: the host by what the repository holds, with its evidence; the better evidence wins, and the other is said."""

from collections.abc import Mapping

import pytest

from host_builds import ControlFile, ServedBuild, found
from sitemap_action.hosts.all import UNKNOWN, choose_host

DEPLOY = "jobs:\n  deploy:\n    steps:\n      - uses: actions/deploy-pages@v4\n"


def detected(controls: Mapping[str, str], *, workflow: str = "", site_url: str = "https://x.com/") -> ServedBuild:
    def workflows() -> list[ControlFile]:
        return [ControlFile(".github/workflows/a.yml", workflow.encode())] if workflow else []

    return choose_host("auto")(found(controls, workflows=workflows, site_url=site_url))


# id, control files, workflow, site-url, host, evidence
HOSTS = (
    ("netlify.toml", {"netlify.toml": ""}, "", "", "netlify", "netlify.toml"),
    ("_redirects", {"_redirects": ""}, "", "", "netlify", "_redirects of the build"),
    ("vercel.json", {"vercel.json": "{}"}, "", "", "vercel", "vercel.json"),
    ("vercel.ts", {"vercel.ts": "x"}, "", "", "vercel", "vercel.ts"),
    ("firebase.json", {"firebase.json": "{}"}, "", "", "firebase", "firebase.json"),
    ("azure", {"staticwebapp.config.json": "{}"}, "", "", "azure-swa", "staticwebapp.config.json"),
    ("pages", {"wrangler.toml": 'pages_build_output_dir = "dist"'}, "", "", "cloudflare-pages", "wrangler.toml"),
    ("workers", {"wrangler.jsonc": '{\n"assets": {}}'}, "", "", "cloudflare-workers", "wrangler.jsonc"),
    ("H-04 on one line", {"wrangler.jsonc": '{"name": "x", "assets": {"directory": "./dist"}}'}, "", "", "cloudflare-workers", "wrangler.jsonc"),
    ("H-04 comments and final commas", {"wrangler.jsonc": '{ // "pages_build_output_dir": "old"\n/* { */ "assets": {"directory": "//x",}, }'}, "", "", "cloudflare-workers", "wrangler.jsonc"),
    ("H-04 pages on one line", {"wrangler.json": '{"name": "x", "pages_build_output_dir": "dist"}'}, "", "", "cloudflare-pages", "wrangler.json"),
    ("H-04 a dotted key", {"wrangler.toml": 'name = "x"\nassets . directory = "dist"'}, "", "", "cloudflare-workers", "wrangler.toml"),
    ("H-04 an inline table", {"wrangler.toml": 'assets={directory="dist"}'}, "", "", "cloudflare-workers", "wrangler.toml"),
    ("H-04 a quoted heading", {"wrangler.toml": '[ "assets" ]\ndirectory = "dist"'}, "", "", "cloudflare-workers", "wrangler.toml"),
    ("H-04 render.yaml on one line", {"render.yaml": "services: [{type: web, runtime: static}]"}, "", "", "render", "render.yaml"),
    ("H-04 of an environment", {"render.yaml": "projects:\n  - environments:\n      - services:\n          - {type: web, env: 'static'}"}, "", "", "render", "render.yaml"),
    ("_redirects of pages", {"wrangler.toml": 'pages_build_output_dir = "dist"', "_redirects": ""}, "", "", "cloudflare-pages", "wrangler.toml; _redirects of the build would mean netlify"),
    ("render", {"render.yaml": "services:\n  - type: web\n    runtime: static"}, "", "", "render", "render.yaml"),
    ("CNAME", {"CNAME": "x.com"}, "", "", "github-pages", "CNAME of the build"),
    ("a workflow", {}, DEPLOY, "", "github-pages", ".github/workflows/a.yml line 4"),
    ("a command of a workflow", {}, "run: npx wrangler pages deploy dist", "", "cloudflare-pages", ".github/workflows/a.yml line 1"),
    ("an address", {"vercel.json": "{}"}, "", "https://u.github.io/repo/", "github-pages", "the host u.github.io; vercel.json would mean vercel"),
    ("two hosts", {"vercel.json": "{}", "netlify.toml": ""}, "", "", "netlify", "netlify.toml; vercel.json would mean vercel"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("controls", "workflow", "site_url", "host", "evidence"), [pytest.param(*row[1:], id=row[0]) for row in HOSTS]
)
def test_HOST_01_detected(controls: dict[str, str], workflow: str, site_url: str, host: str, evidence: str) -> None:
    build = detected(controls, workflow=workflow, site_url=site_url)
    assert build.known
    assert build.notes[0].startswith(f"the build is addressed as on {host}, by {evidence}")
    assert build.notes[0].endswith("; source.host names another host")


@pytest.mark.parametrize(
    ("controls", "workflow"),
    [
        ({}, ""),
        ({"wrangler.toml": 'main = "worker.js"'}, ""),  # a Worker alone
        ({"render.yaml": "services: [{type: web, runtime: node}]"}, ""),
        # H-04: parsed, not searched
        ({"wrangler.toml": 'main = "worker.js"\ntext = """\n[assets]\npages_build_output_dir = 1\n"""'}, ""),
        ({"wrangler.toml": 'main = "worker.js"\n# assets = {}\n[env.assets]\nassets = 1'}, ""),
        ({"wrangler.jsonc": '{"vars": {\n"assets": 1,\n"pages_build_output_dir": "x"\n}}'}, ""),
        ({"wrangler.jsonc": '{"name": "x" /*\n, "assets": {}\n*/}'}, ""),
        ({"render.yaml": "services:\n  - runtime: node\n    startCommand: |\n      runtime: static"}, ""),
        ({"render.yaml": "services: *x"}, ""),
        ({"render.yaml": "[" * 50_000}, ""),
        ({"render.yaml": "services: [{runtime: static}]\n" + "#" * 70_000}, ""),
        ({".nojekyll": ""}, ""),  # which is in every Docusaurus template
        ({}, "# - uses: actions/deploy-pages@v4"),
        ({}, "- uses: actions/checkout@v4"),
    ],
)
def test_HOST_01_without_evidence_each_spelling_is_the_page(controls: dict[str, str], workflow: str) -> None:
    build = detected(controls, workflow=workflow)
    assert (build.known, build.notes) == (False, (UNKNOWN,))
    assert build.host.address("a.html") == "/a.html"  # until the site says another one
    assert {build.host.answer(path).file for path in ("/file", "/file/", "/file.html")} == {"file.html"}
