"""The emulator of Azure Static Web Apps judges the routes of the profile `azure-swa`.

It serves files as they are, without the spellings of the service: for these there is the table of `tests/hosts/test_tables.py`.
"""

import json
from pathlib import Path

import awkward_build
from awkward_build import FILES
from children import free_port, running
from host_builds import served
from host_judges import Expected, asked, claimed, module, unexpected

QUIET = {"CI": "1", "NO_UPDATE_NOTIFIER": "1", "SWA_CLI_TELEMETRY": "false"}

# route, what it does, paths that it may be about
ROUTES: tuple[tuple[str, dict[str, object], str], ...] = (
    ("/r1", {"redirect": "/new"}, "/r1 /r1/ /R1"),
    ("/r2", {"redirect": "/new", "statusCode": 301}, "/r2"),
    ("/r3/*", {"redirect": "/new"}, "/r3 /r3/ /r3/x /r3/x/y"),
    ("/r4*", {"redirect": "/new"}, "/r4 /r4x /r4/x"),
    ("/r5/*.{jpg,png}", {"redirect": "/new"}, "/r5/a.jpg /r5/a.gif /r5/x/a.png"),
    ("/r6", {"rewrite": "/file.html"}, "/r6"),
    ("/r7", {"statusCode": 404}, "/r7"),
    ("/r8", {"statusCode": 410}, "/r8"),
    ("/r9", {"allowedRoles": ["authenticated"]}, "/r9"),
    ("/r10", {"allowedRoles": ["anonymous"]}, "/r10"),
    ("/r11", {"redirect": "/new", "methods": ["POST"]}, "/r11"),
    ("/r12", {"redirect": "https://y.com/b"}, "/r12"),
    ("/r13", {"redirect": "/r14"}, "/r13"),
    ("/r14", {"redirect": "/r13"}, "/r14"),
    ("/file.html", {"redirect": "/new"}, "/file.html"),
    ("/r15", {"redirect": "/first"}, "/r15"),
    ("/r16/a+b(c)", {"redirect": "/new"}, "/r16/a+b(c)"),
)  # fmt: skip


def test_routes(tmp_path: Path) -> None:
    routes = [{"route": route, **rule} for route, rule, _ in ROUTES]
    config = {"routes": routes, "navigationFallback": {"rewrite": "/index.html", "exclude": ["/img/*.{png,gif}"]}}
    text = json.dumps(config)
    site = awkward_build.write(tmp_path / "work/site")
    (site / "staticwebapp.config.json").write_text(text)
    paths = sorted({"/none", "/img/a.png", "/img/a.jpg", *(path for _, _, paths in ROUTES for path in paths.split())})
    port = free_port()
    command = ["node", module("@azure/static-web-apps-cli/dist/cli/bin.js"), "start", "site", "--host", "127.0.0.1"]
    with running([*command, "--port", str(port)], port, site.parent, QUIET) as url:
        theirs = asked(url, paths)
    host = served("azure-swa", {"staticwebapp.config.json": text}, FILES).host
    expected = (
        Expected("/r4(/)?x", "200 /index.html", "temporary /new", "the documentation has /calendar* as an example"),
    )
    assert unexpected(theirs, claimed(host, paths), expected) == []
