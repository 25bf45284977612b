"""`output.lastmod: http` in whole runs: dates that a server states, in the sitemap that is written and in a check."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import formatdate
from pathlib import Path

import pytest

from servers import Reply, Route, serve
from sitemap_action.__main__ import run

DAYS = range(10, 15)


def routes() -> dict[str, Route]:
    links = "".join(f'<a href="/{day}.html">{day}</a>' for day in DAYS)
    found: dict[str, Route] = {"/": Reply(f"<title>Start</title><main>{'words of a start page ' * 20}</main>{links}")}
    for day in DAYS:
        headers = {"Last-Modified": formatdate(datetime(2026, 3, day, 10, tzinfo=UTC).timestamp(), usegmt=True)}
        text = f"<title>Page {day}</title><main>{f'words of page {day} ' * 20}</main><a href=/>start</a>"
        found[f"/{day}.html"] = Reply(text, headers=headers)
    return found


def test_a_page_has_the_date_of_its_header(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with serve(routes()) as site:
        config = f"site-url: {site.url}\nsitemap: sitemap.xml\noutput: {{lastmod: http}}\n"
        (tmp_path / "sitemap.yml").write_text(config)
        flags = ["--url", site.url, "--config", "sitemap.yml", "--quiet", "--report", "json=report.json"]
        assert run(["write", *flags]) == 0
        text = (tmp_path / "sitemap.xml").read_text()
        rows = re.findall(r"<loc>(.*?)</loc>(?:\s*<lastmod>(.*?)</lastmod>)?", text)
        expected = {f"{site.url}{day}.html": f"2026-03-{day}T10:00:00Z" for day in DAYS}
        assert dict(rows) == {site.url: "", **expected}
        assert run(["check", *flags]) == 0
        moved = site.routes["/12.html"]
        assert isinstance(moved, Reply)
        site.routes["/12.html"] = replace(moved, headers={"Last-Modified": "Mon, 20 Apr 2026 11:00:00 GMT"})
        run(["check", *flags])
        (changed,) = json.loads((tmp_path / "report.json").read_text())["changed"]
    assert changed == {
        "url": f"{site.url}12.html",
        "fields": {"lastmod": ["2026-03-12T10:00:00Z", "2026-04-20T11:00:00Z"]},
    }
