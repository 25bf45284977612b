"""What `write` wrote is true for `check` with the same options, on every random site, as a folder and served (V-38).

SITEMAP_ACTION_SITES=2000 sets how many sites; a site that differs is named by its seed.
"""

import io
import json
import os
import random
from collections import Counter
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from examples import few
from random_builds import OPTIONS
from random_sites import SITE, RandomSite, folder, random_site, routes, sitemap
from servers import Reply, Route
from sitemap_action.__main__ import run
from test_differential import QUICK, SERVED, TableEngine

SITES = int(os.environ.get("SITEMAP_ACTION_SITES") or few(1500))
# With orphans dropped, a page that only a dropped one links is an orphan of the next run: its file takes two writes.
STABLE = tuple(one for one in OPTIONS if one != ("select.orphans=drop",))
SHORT = (  # documents that several URLs have
    "<title>Coming soon</title><p>Coming soon.",
    "<title>Blog</title><p>This post could not be loaded.",
    "<title>Application error</title><p>An exception has occurred.",
    "<title>Blog</title><h1>Page not found</h1>",
    "<title>Photo</title>",
    "",
)


class ShortPages:
    """A random site with some short pages of one text, which its start page links."""

    def __init__(self, seed: int) -> None:
        chance = random.Random(f"short {seed}")
        site = random_site(seed, static=seed % 2 == 0)
        self.paths = [f"/s{number}.html" for number in range(chance.choice([0, 3, 6, 8]))]
        start = site.nodes["/"]
        nodes = site.nodes | {"/": replace(start, links=(*start.links, *self.paths))}
        listed = frozenset(path for path in self.paths if chance.random() < 0.5)
        self.site = RandomSite(nodes, site.robots, site.baseline, site.committed | listed, site.static)
        self.document = f"<!doctype html>{chance.choice(SHORT)}"
        options = chance.choice(STABLE)
        self.options = [word for option in options for word in ("--set", option)]
        self.first = chance.random() < 0.3  # no sitemap is there yet

    def lay_out(self, root: Path) -> list[str]:
        folder(self.site, root)
        for path in self.paths:
            (root / path[1:]).write_text(self.document)
        return ["--path", "site"]

    def table(self) -> dict[str, Route]:
        return routes(self.site) | {path: Reply(self.document) for path in self.paths}


def _look(command: str, *arguments: str) -> tuple[int, dict[str, Any]]:
    with redirect_stdout(io.StringIO()) as shown:
        code = run([command, *arguments, "--site-url", f"{SITE}/", *QUICK, "--report", "json=report.json"])
    assert code != 2, shown.getvalue()
    return code, json.loads(Path("report.json").read_text())


def test_V_38_what_write_wrote_is_true_for_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    counts: Counter[str] = Counter()
    wrong = []
    for seed in range(SITES):
        short = ShortPages(seed)
        where = tmp_path / str(seed)
        where.mkdir()
        monkeypatch.chdir(where)
        if not short.first:
            Path("sitemap.xml").write_text(sitemap(short.site.committed))
        source = short.lay_out(where / "site") if short.site.static else ["--url", SERVED]
        table = short.table()
        with monkeypatch.context() as patch:
            patch.setattr("sitemap_action.fetch.policies._engine", lambda *_, table=table: TableEngine(table))
            code, report = _look("write", *source, "--sitemap", "sitemap.xml", *short.options)
            counts[f"write {code}"] += 1
            if code:
                continue
            code, report = _look("check", *source, "--sitemap", "sitemap.xml", *short.options)
        if code or report["result"] != "in-sync" or any(report["stale"].values()):
            wrong.append((seed, code, report["result"], report["stale"]))
    with capsys.disabled():
        print(f"\n{len(wrong)} of {SITES:,} random sites are not in sync after write: {dict(counts)}")  # noqa: T201
    assert wrong[:5] == []
    assert counts["write 0"] * 3 >= SITES
