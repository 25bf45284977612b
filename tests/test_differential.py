"""Random sites against a reference that shares no code with the package: the same classes, in a folder and served.

SITEMAP_ACTION_DIFFERENTIAL=20000 sets the number of verdicts over whole sites; 2,000 at night without it. A site that differs is
named by its seed.
"""

import io
import json
import os
import sys
from collections import Counter
from collections.abc import Iterable
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from examples import few
from random_sites import SITE, RandomSite, folder, random_site, routes, sitemap
from reference import Reference
from servers import Reply, Route, serve
from sitemap_action.__main__ import run
from sitemap_action.fetch.base import Failure, Request, Response, Skip

CASES = int(os.environ.get("SITEMAP_ACTION_DIFFERENTIAL") or few(2000))
SERVED = "http://127.0.0.1:9/"
QUICK = ["--quiet", "--set", "policy.max-removed=none", "--set", "http.retries=0", "--set", "http.backoff=0.001"]


class TableEngine:
    """Answers from routes, without a socket; all policies around an engine are the real ones."""

    def __init__(self, table: dict[str, Route]) -> None:
        self._table = table

    async def fetch(self, request: Request) -> Response | Skip:
        route = self._table.get("/" + request.url.removeprefix(SERVED), 404)
        if isinstance(route, int):
            return Response(request.url, route, (("content-type", "text/html"),), b"<h1>Not here</h1>")
        if not isinstance(route, Reply):
            return Skip(request.url, "the connection was reset", failure=Failure.BROKEN)
        headers = {name.lower(): value for name, value in dict(route.headers).items()}
        target = headers.get("location", "")
        target = SERVED + target[1:] if target.startswith("/") else target
        body = route.body.encode() if isinstance(route.body, str) else route.body
        return Response(
            request.url, route.status, (("content-type", route.type), *headers.items()), body, target=target
        )

    async def close(self) -> None: ...


def classes(site: RandomSite, *source: str) -> dict[str, object]:
    """What a run finds: the pages listed, the classes of removed ones, both sides of the stale file."""
    Path("sitemap.xml").write_text(sitemap(site.committed))
    Path("baseline.xml").write_text(sitemap(site.baseline))
    baseline = [] if site.committed == site.baseline else ["--baseline", "baseline.xml"]
    with redirect_stdout(io.StringIO()):
        run(["check", *source, "--site-url", f"{SITE}/", *baseline, *QUICK, "--report", "json=report.json"])
    report = json.loads(Path("report.json").read_text())
    missing, extra = _paths(report["stale"]["missing"]), _paths(report["stale"]["extra"])
    return {
        "listed": (set(site.committed) - extra) | missing,
        "removed": {row["url"].removeprefix(SITE): row["class"] for row in report["removed"]},
        "missing": missing,
        "extra": extra,
        "undetermined": _paths(row["url"] for row in report["undetermined"]),
    }


def expected(site: RandomSite, *, crawled: bool) -> dict[str, object]:
    reference = Reference(site, crawled=crawled)
    verdicts = {path: reference.verdict(path) for path in reference.known}
    kept = {path for path, verdict in verdicts.items() if verdict == "undetermined" and path in reference.seeds}
    listed = {path for path, verdict in verdicts.items() if verdict == "listed"} | kept
    removed = {path: verdicts[path] for path in site.baseline - listed}
    home = [path for path, verdict in removed.items() if verdict == "moved" and reference.end(path)[0] == "/"]
    if len(home) >= 3:  # V-22
        removed |= dict.fromkeys(home, "moved-home")
    return {
        "listed": listed,
        "removed": removed,
        "missing": listed - site.committed,
        "extra": set(site.committed) - listed,
        "undetermined": {path for path, verdict in verdicts.items() if verdict == "undetermined"},
    }


def _paths(urls: Iterable[str]) -> set[str]:
    return {url.removeprefix(SITE) for url in urls}


def _difference(found: dict[str, object], wanted: dict[str, object]) -> dict[str, tuple[object, object]]:
    return {name: (found[name], wanted[name]) for name in found if found[name] != wanted[name]}


def test_random_sites_have_the_classes_of_the_reference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A quarter of the verdicts in a folder, three in-process from a table, a few from a server on loopback."""
    counts: Counter[str] = Counter()
    differing = {}
    for seed in range(CASES * 3 // 4):
        site = random_site(seed, static=seed % 3 == 0)
        where = tmp_path / str(seed)
        where.mkdir()
        monkeypatch.chdir(where)
        table = routes(site)
        with monkeypatch.context() as patch:
            patch.setattr("sitemap_action.fetch.policies._engine", lambda *_, table=table: TableEngine(table))
            served = classes(site, "--url", SERVED)
        wanted = expected(site, crawled=True)
        found = {"served": _difference(served, wanted)}
        counts["served"] += 1
        if site.static:
            folder(site, where / "site")
            found["folder"] = _difference(
                classes(site, "--path", "site", "--host", "generic"), expected(site, crawled=False)
            )
            counts["folder"] += 1
        elif seed % 50 == 1:
            with serve(table) as server:
                found["loopback"] = _difference(classes(site, "--url", server.url), wanted)
            counts["loopback"] += 1
        differing |= {f"{seed} {how}": one for how, one in found.items() if one}
        counts.update(wanted["removed"].values())  # type: ignore[attr-defined]
    with capsys.disabled():
        total = sum(counts[how] for how in ("served", "folder", "loopback"))
        sys.stdout.write(f"\n{len(differing)} of {total:,} verdicts over random sites differ: {dict(counts)}\n")
    assert {one: differing[one] for one in sorted(differing)[:5]} == {}
