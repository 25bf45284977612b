"""`output.lastmod: fingerprint` in whole runs: a date moves only with the content of its page."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from here import run_in

SITE = "https://www.example.com/"
FILE = "sitemap.fingerprints"
OLD = "2026-01-02"


def page(name: str, text: str = "") -> str:
    body = f"What {name} has to say in words of its own. " * 20
    links = "".join(f'<a href="{path}">x</a>' for path in ("/", "/a.html", "/b.html", "/c.html"))
    return f"<!doctype html><title>{name}</title><main>{body}{text}</main>{links}<footer>Build {len(text)}</footer>"


def run(
    top: Path, command: str = "write", *arguments: str, lastmod: str = "fingerprint", code: int = 0
) -> dict[str, Any]:
    (top / ".github").mkdir(exist_ok=True)
    output = f"output: {{lastmod: {lastmod}, fingerprints: {FILE}}}"
    (top / ".github/sitemap.yml").write_text(
        f"site-url: {SITE}\nsitemap: sitemap.xml\nsource: {{path: site, host: generic}}\n{output}\n"
    )
    done = run_in(top, command, "--offline", "--format", "json", *arguments)
    assert done.returncode == code, done.stdout + done.stderr
    return json.loads(done.stdout) if done.stdout else {"error": done.stderr}


def dates(top: Path) -> dict[str, str]:
    rows = re.findall(r"<loc>(.*?)</loc>(?:\s*<lastmod>(.*?)</lastmod>)?", (top / "sitemap.xml").read_text())
    return {url.removeprefix(SITE): date for url, date in rows}


def findings(report: dict[str, Any]) -> set[tuple[str, str]]:
    rows = [(one["rule"], one.get("url", "")) for one in report["findings"]]
    return {row for row in rows if row[0] in {"DIFF-31", "DIFF-32"}}


def days() -> set[str]:
    return {datetime.now(UTC).date().isoformat()}


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A written sitemap, in which a and b have a date, and what they had then."""
    (tmp_path / "site").mkdir()
    for name in ("index", "a", "b", "c"):
        (tmp_path / f"site/{name}.html").write_text(page(name))
    dated = "".join(f"<url><loc>{SITE}{name}.html</loc><lastmod>{OLD}</lastmod></url>" for name in "ab")
    (tmp_path / "sitemap.xml").write_text(
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{dated}</urlset>'
    )
    run(tmp_path)
    assert dates(tmp_path) == {"": "", "a.html": OLD, "b.html": OLD, "c.html": ""}
    return tmp_path


def test_a_date_moves_with_the_content_alone(site: Path) -> None:
    first = (site / FILE).read_bytes(), (site / "sitemap.xml").read_bytes()
    assert [line.split()[0] for line in first[0].decode().splitlines()[1:]] == ["/", "/a.html", "/b.html", "/c.html"]
    assert run(site)["changed_files"] is False
    assert ((site / FILE).read_bytes(), (site / "sitemap.xml").read_bytes()) == first
    (site / "site/a.html").write_text(page("a", "New words."))
    (site / "site/b.html").write_text(page("b") + "<!-- build 4711 -->\n")
    before = days()
    report = run(site)
    today = dates(site)["a.html"]
    assert today in before | days()
    assert dates(site) == {"": "", "a.html": today, "b.html": OLD, "c.html": ""}
    assert report["changed"] == [{"url": f"{SITE}a.html", "fields": {"lastmod": [OLD, today]}}]
    assert findings(report) == set()
    changed = {*(site / FILE).read_bytes().splitlines()} ^ {*first[0].splitlines()}
    assert {line.split()[0] for line in changed} == {b"/a.html"}
    run(site)
    assert dates(site)["a.html"] == today


def test_the_file_is_restored_where_it_is_missing(site: Path) -> None:
    content = (site / FILE).read_bytes()
    (site / FILE).unlink()
    report = run(site)
    assert report["changed_files"] is True
    assert (site / FILE).read_bytes() == content
    assert dates(site)["a.html"] == OLD


def test_a_check_writes_nothing_and_finds_what_moved_alone(site: Path) -> None:
    text = (site / "sitemap.xml").read_text()
    (site / "sitemap.xml").write_text(text.replace(OLD, "2026-05-05", 1))  # of a
    (site / "site/b.html").write_text(page("b", "New words."))
    before = (site / FILE).read_bytes()
    report = run(site, "check", lastmod="keep")
    assert findings(report) == {("DIFF-31", f"{SITE}a.html"), ("DIFF-32", f"{SITE}b.html")}
    assert (site / FILE).read_bytes() == before
    assert "DIFF-31" not in {one["rule"] for one in report["not_checked"]}


def test_the_file_comes_before_the_state(site: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    state = str(tmp_path_factory.mktemp("state") / "state")
    run(site, "write", "--state", state)
    (site / FILE).write_text((site / FILE).read_text().replace(OLD, "2025-05-05", 1))
    run(site, "write", "--state", state)
    assert dates(site) == {"": "", "a.html": "2025-05-05", "b.html": OLD, "c.html": ""}
    (site / "site/b.html").write_text(page("b", "New words."))
    before = days()
    run(site, "write", "--state", state, "--set", "output.fingerprints=")
    assert dates(site)["a.html"] == OLD, "without the file the state tells"
    assert dates(site)["b.html"] in before | days()


def test_another_file_is_not_replaced(site: Path) -> None:
    (site / FILE).write_text("flask==3.0\n")
    run(site, code=2)
    assert (site / FILE).read_text() == "flask==3.0\n"


@pytest.mark.parametrize(
    "path", ["../x.fingerprints", ".github/workflows/x.txt", ".git/x.fingerprints", "package.json", "/x.txt"]
)
def test_a_path_that_is_not_written_to(site: Path, path: str) -> None:
    done = run_in(site, "write", "--offline", "--set", f"output.fingerprints={path}")
    assert done.returncode == 2
    assert "output.fingerprints" in done.stderr
