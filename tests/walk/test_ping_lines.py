"""SM-69: what pings a search engine in a repository, and what only looks like it."""

from pathlib import Path

import pytest

from sitemap_action.walk.folders import find_pings

LINES = [
    # line, engine; "": it is no ping
    ("- run: curl https://www.google.com/ping?sitemap=https://x.com/s.xml", "google"),
    ("- run: curl 'http://google.co.uk/webmasters/tools/ping?sitemap=https://x.com/s.xml'", "google"),
    ("- run: curl http://www.google.com/webmasters/sitemaps/ping?sitemap=x", "google"),
    ("- run: curl http://www.bing.com/ping?sitemap=x", "bing"),
    ("- run: curl http://www.bing.com/webmaster/ping.aspx?siteMap=x", "bing"),
    ("# curl https://www.google.com/ping?sitemap=x", ""),
    ("- run: ping google.com", ""),
    ("- run: curl https://api.indexnow.org/indexnow?url=x&key=y", ""),
    ("- run: curl https://google.com.example.org/", ""),
]


@pytest.mark.parametrize(("line", "engine"), LINES)
@pytest.mark.parametrize("name", [".github/workflows/deploy.yml", ".github/workflows/a.yaml", "package.json"])
def test_SM_69(line: str, engine: str, name: str, tmp_path: Path) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(f"first\n{line}\n")
    found = [(place.path, place.line, engine) for place, engine in find_pings(tmp_path)]
    assert found == ([(name, 2, engine)] if engine else [])


def test_a_folder_without_workflows_has_none(tmp_path: Path) -> None:
    assert find_pings(tmp_path) == ()


def test_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "outside.yml").write_text(LINES[0][0])
    folder = tmp_path / "repository/.github/workflows"
    folder.mkdir(parents=True)
    (folder / "a.yml").symlink_to(tmp_path / "outside.yml")
    assert find_pings(tmp_path / "repository") == ()
