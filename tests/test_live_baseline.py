"""Which sitemap of the web is judged, and which one is the baseline (I-05, I-06): previews, named ones, parts of a host."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from servers import Reply, Site, serve, typed
from sitemap_action.__main__ import run
from sitemap_action.reports.all import FORMATS

NS = "http://www.sitemaps.org/schemas/sitemap/0.9"
SITE = "https://www.example.com/"


def page(name: str, *links: str) -> str:
    anchors = "".join(f'<a href="{link}">{link}</a> ' for link in links)
    return f"<!doctype html><title>{name}</title><h1>{name}</h1>{anchors}<p>{f'words of {name} ' * 40}"


def urlset(base: str, *paths: str) -> Reply:
    rows = "".join(f"<url><loc>{base}{path}</loc></url>\n" for path in paths)
    return typed("application/xml", f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{NS}">\n{rows}</urlset>\n')


def write(path: str, base: str, *paths: str) -> None:
    body = urlset(base, *paths).body
    Path(path).write_bytes(body.encode() if isinstance(body, str) else body)


def index(base: str, *paths: str) -> Reply:
    rows = "".join(f"<sitemap><loc>{base}{path}</loc></sitemap>\n" for path in paths)
    return typed("application/xml", f'<sitemapindex xmlns="{NS}">\n{rows}</sitemapindex>\n')


def robots(*addresses: str) -> Reply:
    return typed("text/plain", "".join(f"Sitemap: {address}\n" for address in addresses))


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def production() -> Iterator[Site]:
    with serve({}) as site:
        yield site


@pytest.fixture
def preview() -> Iterator[Site]:
    """With a home page and two more."""
    with serve({"/": page("home", "/a", "/b"), "/a": page("a"), "/b": page("b")}) as site:
        yield site


def check(*arguments: str) -> tuple[int, dict[str, Any]]:
    quick = ["--set", "http.retries=0", "--allow-private-hosts", "127.0.0.1", "--no-progress"]
    code = run(["check", *arguments, *quick, "--report", "json=report.json"])
    file = Path("report.json")
    return code, json.loads(file.read_text()) if file.exists() else {}


def removed(report: dict[str, Any], site: Site) -> list[str]:
    return [row["url"].removeprefix(site.url) for row in report["removed"]]


# --- the baseline of a preview is what production declares ---

DECLARED = [
    # id, robots.txt of the preview, of production, where production has its sitemap
    ("I-06 the line of the preview", "wp-sitemap.xml", "", "wp-sitemap.xml"),
    ("I-06 production's own line", "wp-sitemap.xml", "maps/all.xml", "maps/all.xml"),
    ("I-06 a usual name", "wp-sitemap.xml", "", "sitemap_index.xml"),
    ("I-06 a usual name, and no line at all", "", "", "wp-sitemap.xml"),
    ("I-06 a wrong line of production beside a usual name", "wp-sitemap.xml", "nowhere.xml", "sitemap.xml"),
]


@pytest.mark.parametrize(("hint", "named", "place"), [pytest.param(*row[1:], id=row[0]) for row in DECLARED])
def test_I_06_the_live_baseline_is_found_as_read_finds_it(
    hint: str, named: str, place: str, preview: Site, production: Site
) -> None:
    if hint:
        preview.routes["/robots.txt"] = robots(f"{production.url}{hint}")
    if named:
        production.routes["/robots.txt"] = robots(f"{production.url}{named}")
    preview.routes["/wp-sitemap.xml"] = urlset(production.url, "", "a", "b")
    production.routes[f"/{place}"] = index(production.url, "posts-1.xml")
    production.routes["/posts-1.xml"] = urlset(production.url, "", "a", "b", "gone")
    code, report = check("--url", preview.url, "--site-url", production.url)
    assert (code, report["judged"], removed(report, production)) == (1, "served", ["gone"])
    assert (report["stale"]["missing"], report["stale"]["extra"]) == ([], [])
    assert report["baseline"] == f"the sitemap that {production.url}{place} serves"
    assert [path for path in production.paths if path == "/gone"] == []  # production's pages are not requested


def test_I_06_a_built_sitemap_is_compared_with_what_production_declares(production: Site) -> None:
    for name in ("", "a"):
        folder = Path("dist", name)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "index.html").write_text(page(name or "home", "/a/"))
    write("dist/sitemap.xml", production.url, "", "a/")
    production.routes["/robots.txt"] = robots(f"{production.url}wp-sitemap.xml")
    production.routes["/wp-sitemap.xml"] = urlset(production.url, "", "a/", "gone/")
    code, report = check("dist", "--site-url", production.url)
    assert (code, report["judged"], removed(report, production)) == (1, "built", ["gone/"])
    assert report["baseline"] == f"the sitemap that {production.url}wp-sitemap.xml serves"


def test_I_06_production_without_an_answer_is_inconclusive_and_a_first_deployment_is_not(
    preview: Site, production: Site
) -> None:
    preview.routes["/sitemap.xml"] = urlset(production.url, "", "a", "b")
    code, report = check("--url", preview.url, "--site-url", production.url)
    assert (code, report["complete"]) == (0, True)
    assert any(note.startswith("first deployment: ") for note in report["notes"])
    production.routes["/robots.txt"] = 503
    code, report = check("--url", preview.url, "--site-url", production.url)
    assert (code, report["result"]) == (3, "inconclusive")
    assert f"{production.url}robots.txt" in report["incomplete"][0]


# --- the judged one ---


def test_I_05_a_preview_that_names_itself_names_the_site(preview: Site) -> None:
    """As its sitemap will name production there; no host of a preview is reported as a leak."""
    preview.routes["/robots.txt"] = robots(f"{preview.url}sitemap.xml")
    preview.routes["/sitemap.xml"] = urlset(preview.url, "", "a", "old")
    code, report = check("--url", preview.url, "--site-url", SITE)
    assert (code, report["result"], report["judged"]) == (1, "drift", "served")
    assert (report["stale"]["missing"], report["stale"]["extra"]) == ([f"{SITE}b"], [f"{SITE}old"])
    assert {row["rule"] for row in report["findings"]} == set()


def test_I_05_the_sitemap_of_this_machine_may_name_a_public_site(preview: Site) -> None:
    preview.routes["/sitemap.xml"] = urlset(SITE, "", "a", "b")
    code, report = check(preview.url)
    assert (code, report["site_url"], report["result"]) == (0, SITE, "in-sync")


def test_I_05_a_named_sitemap_is_judged(preview: Site, capsys: pytest.CaptureFixture[str]) -> None:
    site = preview
    site.routes["/sitemap.xml"] = urlset(site.url, "", "a", "b")
    site.routes["/other.xml"] = index(site.url, "part.xml")
    site.routes["/part.xml"] = urlset(site.url, "", "a")
    code, report = check(site.url, "--sitemap", f"{site.url}other.xml")
    assert (code, report["judged"], report["sitemap"]) == (1, "served", f"{site.url}other.xml")
    assert (report["stale"]["missing"], report["stale"]["extra"]) == ([f"{site.url}b"], [])
    assert check(site.url, "--sitemap", f"{site.url}nowhere.xml")[0] == 2
    assert f"there is no sitemap at {site.url}nowhere.xml" in capsys.readouterr().err
    assert run(["write", site.url, "--sitemap", f"{site.url}other.xml"]) == 2
    assert "is served, and write writes files" in capsys.readouterr().err


def test_I_05_a_served_sitemap_that_is_damaged_is_not_to_be_restored_from_git(
    preview: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = urlset(preview.url, "").body
    preview.routes["/sitemap.xml"] = typed("application/xml", whole[:-20])
    assert run(["check", preview.url]) == 2
    printed = capsys.readouterr().err
    assert "sitemap.xml:3: the document is not well-formed XML" in printed
    assert f"`sitemap-action validate {preview.url}sitemap.xml` names every fault" in printed


def test_I_05_a_named_sitemap_of_the_web_is_compared_with_a_build(production: Site) -> None:
    Path("dist/a").mkdir(parents=True)
    Path("dist/index.html").write_text(page("home", "/a/"))
    Path("dist/a/index.html").write_text(page("a"))
    production.routes["/sitemap.xml"] = urlset(production.url, "")
    code, report = check("dist", "--site-url", production.url, "--sitemap", f"{production.url}sitemap.xml")
    assert (code, report["judged"], report["stale"]["missing"]) == (1, "served", [f"{production.url}a/"])


def test_I_05_an_older_file_answers_what_was_removed(preview: Site) -> None:
    preview.routes["/sitemap.xml"] = urlset(preview.url, "", "a", "b")
    write("older.xml", preview.url, "", "a", "b", "gone")
    code, report = check(preview.url, "--baseline", "older.xml")
    assert (code, report["judged"], removed(report, preview)) == (1, "served", ["gone"])
    assert report["baseline"] == "older.xml"


def test_I_05_of_a_host_s_sitemap_only_the_part_of_the_site_is_judged() -> None:
    routes = {"/docs/": page("docs", "/docs/a"), "/docs/a": page("a"), "/": page("other")}
    with serve(routes) as site:
        site.routes["/robots.txt"] = robots(f"{site.url}sitemap.xml")
        site.routes["/sitemap.xml"] = urlset(site.url, "", "shop", "docs/", "docs/a")
        code, report = check(f"{site.url}docs/")
        assert (code, report["site_url"], report["result"]) == (0, f"{site.url}docs/", "in-sync")
        assert report["sitemap"] == f"{site.url}sitemap.xml"
        site.routes["/sitemap.xml"] = urlset(site.url, "", "shop")  # of another site alone
        site.routes["/docs/sitemap.xml"] = urlset(site.url, "docs/", "docs/a")
        code, report = check(f"{site.url}docs/")
        assert (code, report["sitemap"]) == (0, f"{site.url}docs/sitemap.xml")


def test_I_05_several_lines_of_robots_txt_are_all_judged(preview: Site) -> None:
    preview.routes["/robots.txt"] = robots(f"{preview.url}one.xml", f"{preview.url}two.php?map=2")
    preview.routes["/one.xml"] = urlset(preview.url, "", "a")
    preview.routes["/two.php?map=2"] = urlset(preview.url, "b")
    code, report = check(preview.url)
    assert (code, report["result"], report["counts"]["urls"]) == (0, "in-sync", 3)


@pytest.mark.parametrize("form", FORMATS)
def test_I_05_every_format_says_that_it_is_served(form: str, preview: Site, capsys: pytest.CaptureFixture[str]) -> None:
    preview.routes["/sitemap.xml"] = urlset(preview.url, "", "a", "old")
    assert run(["check", preview.url, "--format", form]) == 1
    printed = capsys.readouterr().out
    # no file here is to be changed, and a badge has the result alone
    assert preview.url in printed if form not in {"patch", "badge"} else printed == "" or '"drift"' in printed
    assert "commit sitemap" not in printed
    if form in {"text", "markdown", "json", "html"}:
        assert "served" in printed
    assert "file=http" not in printed
