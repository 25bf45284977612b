"""docs/quick-start.md: a section for each generator and host, with the config that `init` writes and the address that the host has."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from documents import text
from runners import SITE
from setup_repositories import REPOSITORIES
from sitemap_action.__main__ import run

_, GENERATORS, HOSTS = re.split(r"(?m)^## Your \w+\n", text("docs/quick-start.md"))
HOSTS = re.findall(r"(?m)^\| `([a-z-]+)` \| `/([^`]+)`", HOSTS)  # name, and what about.html is listed as
WANTED = ["MkDocs", "Sphinx", "Docusaurus", "VitePress", "Hugo", "Jekyll", "Eleventy", "Astro"]


def sections(part: str) -> dict[str, str]:
    return dict(re.findall(r"(?ms)^### ([^\n]+)\n(.*?)(?=^### |\Z)", part))


def config(section: str) -> dict[str, Any]:
    (block,) = re.findall(r"(?s)```yaml\n(.*?)```", section)
    found = yaml.safe_load(block)
    assert isinstance(found, dict)
    return found


def test_no_generator_is_left_out() -> None:
    assert [*WANTED, "Next.js export"] == [name for name in sections(GENERATORS) if name not in ("Vite", "plain HTML")]


@pytest.mark.parametrize(("name", "section"), sections(GENERATORS).items())
def test_the_config_is_the_one_that_init_writes(name: str, section: str) -> None:
    (repository,) = (one for one in REPOSITORIES if one.name == name)
    found = config(section)
    assert found["source"]["path"] == repository.output
    assert found.get("sitemap", "") == repository.config.get("sitemap", "")


@pytest.mark.parametrize(("host", "stated"), HOSTS)
def test_the_host_has_the_address_that_the_page_says(
    host: str, stated: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("dist").mkdir()
    for page in ("index", "about"):
        link = "" if page == "about" else "<a href=/about.html>About</a>"
        Path(f"dist/{page}.html").write_text(
            f"<!doctype html><title>{page}</title><h1>{page}</h1><p>{page} page</p>{link}"
        )
    given = ["--path=dist", f"--host={host}", f"--site-url={SITE}", "--offline", "--quiet"]
    run(["check", *given, "--report=json=report.json"])
    report = json.loads(Path("report.json").read_text())
    assert sorted(report["stale"]["missing"]) == [SITE, f"{SITE}{stated}"]


def test_the_hosts_that_most_sites_have() -> None:
    names = ["github-pages", "netlify", "vercel", "cloudflare-pages", "firebase", "azure-swa"]
    assert [name for name, _ in HOSTS] == names
