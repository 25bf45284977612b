"""What a run over files does not load, for start-up: what asks over HTTP or starts a browser."""

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
for line in sys.argv[1:]:
    run(line.split())
print("loaded:", *sorted(sys.modules))
"""


def test_a_build_is_checked_with_a_state_and_without_what_only_other_runs_need(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site/index.html").write_text("<!doctype html><title>Home</title><p>Some words</p>")
    (tmp_path / "sitemap.xml").write_text(SITEMAP)
    check = "check --path site --site-url https://www.example.com/ --sitemap sitemap.xml"
    loaded = _loaded_modules(tmp_path, check, f"{check} --state state", f"{check} --state state")
    assert (tmp_path / "state").exists()
    assert "sitemap_action.walk.built_site" in loaded
    assert [name for name in HEAVY if name in loaded] == []


def test_sitemaps_on_disk_are_judged_and_compared_without_what_only_addresses_need(tmp_path: Path) -> None:
    (tmp_path / "sitemap.xml").write_text(SITEMAP)
    loaded = _loaded_modules(tmp_path, "validate sitemap.xml", "read sitemap.xml", "diff sitemap.xml sitemap.xml")
    assert {"sitemap_action.sitemap.read", "sitemap_action.cli.validate", "sitemap_action.cli.read"} <= {*loaded}
    assert [name for name in (*HEAVY, "difflib") if name in loaded] == []


def test_the_library_reads_a_file_without_what_only_an_address_or_git_needs(tmp_path: Path) -> None:
    (tmp_path / "sitemap.xml").write_text(SITEMAP)
    script = (
        "import sys\nfrom sitemap_action import sitemaps\n"
        "print(len([*sitemaps.read('sitemap.xml')]), *sorted(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    number, *loaded = done.stdout.split()
    assert number == "1"
    assert "sitemap_action.sitemap.read" in loaded
    assert [name for name in (*HEAVY, "difflib", "lxml", "subprocess", "socket", "threading") if name in loaded] == []
    assert [name for name in loaded if name.startswith(("sitemap_action.repo", "sitemap_action.look"))] == []


def _loaded_modules(folder: Path, *lines: str) -> list[str]:
    """By these command lines, one after the other."""
    command = [sys.executable, "-c", SCRIPT, *lines]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.rpartition("loaded:")[2].split()
