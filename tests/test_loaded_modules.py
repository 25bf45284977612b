"""What a run of a build does not load, for start-up: what asks over HTTP or starts a browser."""

import subprocess
import sys
from pathlib import Path

HEAVY = ("asyncio", "concurrent.futures", "httpx", "pycurl", "ssl", "tomllib", "xmlschema")
SITEMAP = """<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://www.example.com/</loc></url>
</urlset>
"""
SCRIPT = """
import sys
from sitemap_action.__main__ import run
run(["check", "--path", "site", "--site-url", "https://www.example.com/", "--sitemap", "sitemap.xml", *sys.argv[1:]])
print("loaded:", *sorted(sys.modules))
"""


def test_a_build_is_checked_with_a_state_and_without_what_only_other_runs_need(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site/index.html").write_text("<!doctype html><title>Home</title><p>Some words</p>")
    (tmp_path / "sitemap.xml").write_text(SITEMAP)
    for options in ((), ("--state", "state"), ("--state", "state")):
        command = [sys.executable, "-c", SCRIPT, *options]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        loaded = done.stdout.rpartition("loaded:")[2].split()
        assert "sitemap_action.walk.built_site" in loaded
        assert [name for name in HEAVY if name in loaded] == []
