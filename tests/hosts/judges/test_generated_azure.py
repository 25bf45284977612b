"""Generated routes and headers, judged by the emulator of Azure Static Web Apps (H-03, HOST-07).

It knows no `trailingSlash`: for that there is the table of `tests/hosts/test_tables.py`. Not generated is what it reads as a regular
expression by mistake: `/calendar*`, which the documentation has as an example, and brackets. Not asked is `/img`, a folder without an
index, which it takes for a file.
"""

import json
import random
from collections import Counter
from pathlib import Path

from host_builds import served
from host_judges import answer, claimed, node, unexpected
from hosts.judges.test_generated import SEED, filled_paths

FILES = ("index.html", "404.html", "file.html", "folder/index.html", "app.html", "img/a.png")
PIECES = ("x", "X", "7", "v1.2", "a-b", "file.html", "it's", "%20", "w~", "@x")
ENDS = (
    "",
    "",
    "",
    "/",
    "/w/*",
    "/w/*",
    "/w/*.html",
    "/w/*.{jpg,html}",
    "/*/x",
    "/**",
    "/w/*/x.html",
    "/*.{a",
    "/i/index.html",
)
SHARED = ("/folder/*", "/folder/", "/file.html", "/app.html", "/img/*.{png,gif}", "/img/*", "/*", "*")
RULES = (
    *({"redirect": to} for to in ("/new", "/file.html", "/folder/", "https://y.com/b", "/new?x=1#y", "/g3/x")),
    *({"redirect": "/new", "statusCode": code} for code in (301, 302)),
    *({"rewrite": to} for to in ("/file.html", "/none", "/folder/index.html")),
    *({"statusCode": code} for code in (401, 403, 404, 410)),
    *({"allowedRoles": roles} for roles in (["authenticated"], ["anonymous"], ["a", "anonymous"])),
    *({"headers": {name: value}} for name in ("X-Robots-Tag", "x-robots-tag") for value in ("a", "b", "")),
    *({"headers": {"X-Robots-Tag": "c"}, "rewrite": "/file.html"}, {"headers": {"X-Other": "c"}}),
    {"redirect": "/new", "methods": ["POST"]}, {"redirect": "/new", "methods": ["GET", "POST"]},
)  # fmt: skip
CONFIGS, ROUTES = 12, 20


def config(number: int) -> tuple[dict[str, object], list[str]]:
    """Routes, of which several may be about one path, with the paths near to them."""
    chance = random.Random(f"{SEED} azure {number}")
    routes = []
    for at, rule in enumerate(chance.sample(RULES, ROUTES)):  # each rule at most once, so that all of them occur
        own = "/".join((f"/g{at % 12}", *chance.choices(PIECES, k=chance.randrange(0, 3)))) + chance.choice(ENDS)
        shared = at > ROUTES // 2 and chance.random() < 0.3
        routes.append({"route": chance.choice(SHARED) if shared else own, **rule})
    found: dict[str, object] = {"routes": routes}
    if number % 2:
        found["globalHeaders"] = {"X-Robots-Tag": "everywhere"}
    if number % 3 == 0:
        found["navigationFallback"] = {"rewrite": "/app.html", "exclude": ["/img/*.{png,gif}", "/g1/*"]}
    paths = {
        path for route in routes for path in filled_paths(chance, str(route["route"]).replace("{jpg,html}", "jpg"), 4)
    }
    return found, sorted(
        {path for path in paths if path.startswith("/") and "//" not in path} - {"/img"}
        | {f"/{file}" for file in FILES}
    )


def test_H_03_azure(tmp_path: Path) -> None:
    for file in FILES:
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text("x")
    asked = [config(number) for number in range(CONFIGS)]
    questions = [{"config": settings, "folder": str(tmp_path), "paths": paths} for settings, paths in asked]
    theirs, ours, tags = {}, {}, []
    for number, ((settings, paths), found) in enumerate(
        zip(asked, node("azure.mjs", questions)["answers"], strict=True)
    ):
        host = served("azure-swa", {"staticwebapp.config.json": json.dumps(settings)}, FILES).host
        theirs |= {f"{number} {path}": answer(path, *found[path][:3]) for path in paths}
        ours |= {f"{number} {path}": row for path, row in claimed(host, paths).items()}
        for path in paths:
            own = ", ".join(value for _, value in host.answer(path).headers)
            if theirs[f"{number} {path}"] == ours[f"{number} {path}"] and found[path][0] == 200:
                tags.append((number, path, found[path][3], own))
    assert unexpected(theirs, ours) == []
    assert [row for row in tags if row[2] != row[3]] == []
    kinds = Counter(one.kind for one in theirs.values())
    assert min(kinds[kind] for kind in ("permanent", "temporary", "200", "404", "401", "410")) > 2, kinds
    assert len({row[2] for row in tags}) == 5
